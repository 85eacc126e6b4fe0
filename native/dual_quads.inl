// One pass of dual coordinate ascent with up to four outputs that do not look at each other: two rows at a
// time (dual_pairs.inl says why), whose scores, steps and updates stay in registers. More outputs go to
// dual_lanes.inl.

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

// Every lane holds the minimum of its row's four.
template <class V>
inline V row_minima(V v) {
    v = fastmath::min(v, __builtin_shufflevector(v, v, 1, 0, 3, 2, 5, 4, 7, 6));
    return fastmath::min(v, __builtin_shufflevector(v, v, 2, 3, 0, 1, 6, 7, 4, 5));
}

template <class Loss, class Value, class T>
void quads_pass(const DualPass<Value, T>& p, const std::int32_t* order, std::int64_t n) {
    if (p.stride != 4) return lanes_pass<OneVsRest<Loss>>(p, order, n);
    using V = typename Pair<T>::Lanes;
    using Quad = typename Vectors<T>::Quad;
    const FlushToZero guard;
    const V zero{}, one = zero + T{1}, far = zero + static_cast<T>(1e30);
    const T bias_step = static_cast<T>(p.bias_step), lead = static_cast<T>(p.lead);
    PairReader<Value, T> read(p);
    Quad b = load<Quad>(p.b);
    for (std::int64_t t = 0; t + 1 < n; t += 2) {
        const std::int64_t i = order[t], j = order[t + 1];
        prefetch_rows(p, order, t + 1, n);
        prefetch_rows(p, order, t + 2, n);
        const Row<Value> first = p.x.row(i), second = p.x.row(j);
        const Quad o[2] = {b + lead * quad_scores(first, p.w), b + lead * quad_scores(second, p.w)};
        T *const dual_i = p.dual + i * 4, *const dual_j = p.dual + j * 4;
        const PairOfRows<V>& row = read.at(i, j);
        const V alpha = both_rows<V>(dual_i, dual_j), sign = row.own + row.own - one;
        const V m = sign * load<V>(reinterpret_cast<const T*>(o));
        const Step<V> step = Loss::step(m, alpha, row.q, row.c, one, row.widest);
        const V next = step.alpha * row.exists;
        const V rest = next == alpha ? Loss::settled(m, next, row.c, one) : zero;
        const V settled = row_minima(row.exists != zero ? rest : far), gap = row_sums(step.gap * row.exists);
        p.gap[i] = settled[0] > 0 ? -settled[0] : gap[0];
        p.gap[j] = settled[4] > 0 ? -settled[4] : gap[4];
        store_rows(next, dual_i, dual_j);
        const V d = sign * (next - alpha), moved = row_minima(d == zero ? zero : -one);
        Quad change[2];
        __builtin_memcpy(change, &d, sizeof change);
        if (moved[0] != 0) quad_update(first, change[0], p.w);
        if (moved[4] != 0) quad_update(second, change[1], p.w);
        b += bias_step * (change[0] + change[1]);
    }
    store(b, p.b);
    if (n % 2 != 0) lanes_pass<OneVsRest<Loss>>(p, order + n - 1, 1);
}
