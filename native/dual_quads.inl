// One pass of dual coordinate ascent with up to four outputs that do not look at each other: scores, step and
// update of a row stay in registers. More outputs go to dual_lanes.inl.

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

template <class V>
[[gnu::always_inline]] inline auto least(V v) {
    return fastmath::min(fastmath::min(v[0], v[1]), fastmath::min(v[2], v[3]));
}

template <class Loss, class Value, class T>
void quads_pass(const DualPass<Value, T>& p, const std::int32_t* order, std::int64_t n) {
    if (p.stride != 4) return lanes_pass<OneVsRest<Loss>>(p, order, n);
    using Quad = typename Vectors<T>::Quad;
    const FlushToZero guard;
    const Quad zero{}, one = zero + T{1}, far = zero + static_cast<T>(1e30), lane = {0, 1, 2, 3};
    const auto exists = lane < zero + static_cast<T>(p.n_outputs);
    const T bias_step = static_cast<T>(p.bias_step);
    Quad b = load<Quad>(p.b);
    for (std::int64_t t = 0; t < n; ++t) {
        const std::int64_t i = order[t];
        prefetch_rows(p, order, t, n);
        const Row<Value> x = p.x.row(i);
        const T q = static_cast<T>(fastmath::max(p.q[i] + p.bias_step, 1e-30)), c = static_cast<T>(p.c[i]);
        const Quad sign = lane == zero + static_cast<T>(p.y[i]) ? one : -one;
        const Quad alpha = load<Quad>(p.dual + 4 * i);
        const Quad m = sign * (b + quad_scores(x, p.w));
        const Step<Quad> step =
            Loss::step(m, alpha, zero + q, zero + c, one, static_cast<double>(q) * static_cast<double>(c));
        const Quad next = exists ? step.alpha : zero;
        const Quad rest = next == alpha ? Loss::settled(m, next, zero + c, one) : zero;
        const Quad gap = exists ? step.gap : zero, d = sign * (next - alpha);
        const T settled = least(exists ? rest : far);
        p.gap[i] = settled > 0 ? -settled : (gap[0] + gap[1]) + (gap[2] + gap[3]);
        if (least(d) == 0 && least(-d) == 0) continue;
        store(next, p.dual + 4 * i);
        quad_update(x, d, p.w);
        b += bias_step * d;
    }
    store(b, p.b);
}
