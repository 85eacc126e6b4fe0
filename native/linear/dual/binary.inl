// One pass of dual coordinate ascent with one output, and the audit of its duality gap.

// Calls up what a row has besides its entries.
template <class Value, class Weight>
[[gnu::always_inline]] inline void prefetch_variables(const DualPass<Value, Weight>& p, std::int64_t i) {
    __builtin_prefetch(p.x.indptr + i);
    __builtin_prefetch(p.dual + i * p.stride);
    __builtin_prefetch(p.y + i);
    __builtin_prefetch(p.q + i);
    __builtin_prefetch(p.c + i);
    __builtin_prefetch(p.gap + i);
}

// Calls up the rows that a pass comes to after order[t].
template <class Value, class Weight>
[[gnu::always_inline]] inline void prefetch_rows(const DualPass<Value, Weight>& p, const std::int32_t* order,
                                                 std::int64_t t, std::int64_t n) {
    if (t + rows_ahead < n) prefetch_first(p.x.row(order[t + rows_ahead]));
    if (t + 2 * rows_ahead < n) prefetch_variables(p, order[t + 2 * rows_ahead]);
}

template <class Loss, class Value, class Weight>
void binary_pass(const DualPass<Value, Weight>& d, const std::int32_t* order, std::int64_t n) {
    const FlushToZero guard;
    Weight b = d.b[0];
    const Weight lead = static_cast<Weight>(d.lead);
    for (std::int64_t t = 0; t < n; ++t) {
        const std::int64_t i = order[t];
        const Row<Value> row = d.x.row(i);
        prefetch_rows(d, order, t, n);
        const Weight sign = d.y[i] == 1 ? Weight{1} : Weight{-1};
        const Weight q = static_cast<Weight>(fastmath::max(d.q[i] + d.bias_step, 1e-30));
        const Weight margin = static_cast<Weight>(d.cost[d.y[i]]);
        const Weight alpha = d.dual[i];
        const Weight m = sign * (lead * long_dot(row, d.w) + b);
        const Weight c = static_cast<Weight>(d.c[i]);
        const Step<Weight> step = Loss::step(m, alpha, q, c, margin, static_cast<double>(q) * c);
        const Weight change = sign * (step.alpha - alpha);
        d.gap[i] = change == 0 ? -Loss::settled(m, alpha, c, margin) : step.gap;
        if (change == 0) continue;
        d.dual[i] = step.alpha;
        long_axpy(change, row, d.w);
        b += static_cast<Weight>(d.bias_step) * change;
    }
    d.b[0] = b;
}

template <class Loss, class Value, class Weight>
void binary_audit(const DualPass<Value, Weight>& d, std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
        const double sign = d.y[i] == 1 ? 1 : -1;
        const double m = sign * (static_cast<double>(long_dot(d.x.row(i), d.w)) + d.b[0]);
        const double margin = d.cost[d.y[i]];
        if (d.c[i] > 0) {
            const auto [loss, gap] = Loss::terms(m, static_cast<double>(d.dual[i]), d.c[i], margin);
            d.loss[i] = d.c[i] * loss;
            d.gap[i] = gap;
        } else {
            d.loss[i] = d.gap[i] = 0;
        }
    }
}

template <class Value, class Weight>
void binary_rebuild(const DualPass<Value, Weight>& d) {
    const FlushToZero guard;
    for (std::int64_t i = 0; i < d.x.n_rows; ++i)
        if (d.dual[i] != 0) long_axpy(d.y[i] == 1 ? d.dual[i] : -d.dual[i], d.x.row(i), d.w);
}
