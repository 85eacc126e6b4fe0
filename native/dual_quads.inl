// Scores and update of one row with up to four outputs, in registers.

// Σ_j x_j·w[4j …) in four partial sums.
template <class Value, class T>
[[gnu::always_inline]] inline typename Vectors<T>::Quad quad_scores(Row<Value> x, const T* w) {
    using Quad = typename Vectors<T>::Quad;
    Quad sum[4] = {};
    auto at = [&](std::ptrdiff_t k) -> Quad {
        return static_cast<T>(x.value[k]) * load<Quad>(w + std::ptrdiff_t{4} * x.index[k]);
    };
    std::ptrdiff_t k = 0;
    for (; k + 4 <= x.size; k += 4)
        for (int j = 0; j < 4; ++j) sum[j] += at(k + j);
    for (; k < x.size; ++k) sum[0] += at(k);
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

// w[4j …) += x_j·d; four at a time, because no column comes twice.
template <class Value, class T>
[[gnu::always_inline]] inline void quad_update(Row<Value> x, typename Vectors<T>::Quad d, T* w) {
    using Quad = typename Vectors<T>::Quad;
    auto at = [&](std::ptrdiff_t k) { return w + std::ptrdiff_t{4} * x.index[k]; };
    auto sum = [&](std::ptrdiff_t k) -> Quad { return load<Quad>(at(k)) + static_cast<T>(x.value[k]) * d; };
    std::ptrdiff_t k = 0;
    for (; k + 4 <= x.size; k += 4) {
        Quad next[4];
        for (int j = 0; j < 4; ++j) next[j] = sum(k + j);
        for (int j = 0; j < 4; ++j) store(next[j], at(k + j));
    }
    for (; k < x.size; ++k) store(sum(k), at(k));
}
