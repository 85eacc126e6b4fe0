// Scores and update of one row with up to four outputs, in registers.

// Rows are short, and the wrong guesses at where their loops end cost more than loops of few entries: two at
// a time.

// Σ_j x_j·w[4j …) in two partial sums.
template <class Value, class T>
[[gnu::always_inline]] inline typename Vectors<T>::Quad quad_scores(Row<Value> x, const T* w) {
    using Quad = typename Vectors<T>::Quad;
    Quad sum[2] = {};
    auto at = [&](std::ptrdiff_t k) -> Quad {
        return static_cast<T>(x.value[k]) * load<Quad>(w + std::ptrdiff_t{4} * x.index[k]);
    };
    std::ptrdiff_t k = 0;
    for (; k + 2 <= x.size; k += 2)
        for (int j = 0; j < 2; ++j) sum[j] += at(k + j);
    if (k < x.size) sum[0] += at(k);
    return sum[0] + sum[1];
}

// w[4j …) += x_j·d; two at a time, because no column comes twice.
template <class Value, class T>
[[gnu::always_inline]] inline void quad_update(Row<Value> x, typename Vectors<T>::Quad d, T* w) {
    using Quad = typename Vectors<T>::Quad;
    std::ptrdiff_t k = 0;
    for (; k + 2 <= x.size; k += 2) {
        T* to[2];
        Quad next[2];
        for (int j = 0; j < 2; ++j) {
            to[j] = w + std::ptrdiff_t{4} * x.index[k + j];
            next[j] = load<Quad>(to[j]) + static_cast<T>(x.value[k + j]) * d;
        }
        for (int j = 0; j < 2; ++j) store(next[j], to[j]);
    }
    if (k < x.size) {
        T* to = w + std::ptrdiff_t{4} * x.index[k];
        store(load<Quad>(to) + static_cast<T>(x.value[k]) * d, to);
    }
}
