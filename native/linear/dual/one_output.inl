// One pass of dual coordinate ascent with one output, and the audit of its duality gap.

// Calls up the rows that a pass comes to after order[t]: the first entries of one, and what a later one has
// besides its entries.
template <class Value, class Weight>
[[gnu::always_inline]] inline void prefetch_rows(const DualPass<Value, Weight>& p, const std::int32_t* order,
                                                 std::int64_t t, std::int64_t n) {
    if (t + rows_ahead < n) prefetch_first(p.x.row(order[t + rows_ahead]));
    if (t + 2 * rows_ahead >= n) return;
    const std::int64_t i = order[t + 2 * rows_ahead];
    __builtin_prefetch(p.x.indptr + i);
    __builtin_prefetch(p.dual + i * p.stride);
    __builtin_prefetch(p.y + i);
    __builtin_prefetch(p.q + i * p.q_stride);
    __builtin_prefetch(p.c + i);
    __builtin_prefetch(p.gap + i);
}

template <class Loss, class Value, class Weight>
void one_output_pass(const DualPass<Value, Weight>& p, const std::int32_t* order, std::int64_t n) {
    const FlushToZero guard;
    Weight b = p.b[0];
    const Weight lead = static_cast<Weight>(p.lead), bias_step = static_cast<Weight>(p.bias_step);
    for (std::int64_t t = 0; t < n; ++t) {
        const std::int64_t i = order[t];
        const Row<Value> x = p.x.row(i);
        prefetch_rows(p, order, t, n);
        const Weight sign = p.y[i] == 1 ? Weight{1} : Weight{-1};
        const Weight q = p.diagonal(i), c = static_cast<Weight>(p.c[i]), alpha = p.dual[i];
        const losses::DualRow<Weight> row{q, c, static_cast<Weight>(p.cost[p.y[i]]),
                                          static_cast<double>(q) * c};
        const Weight m = sign * (lead * long_dot(x, p.w) + b);
        const auto step = Loss::step(m, alpha, row);
        const Weight change = sign * (step.alpha - alpha);
        p.gap[i] = change == 0 ? -Loss::settled(m, alpha, row) : step.gap;
        if (change == 0) continue;
        p.dual[i] = step.alpha;
        long_axpy(change, x, p.w);
        b += bias_step * change;
    }
    p.b[0] = b;
}

template <class Loss, class Value, class Weight>
void one_output_audit(const DualPass<Value, Weight>& p, std::int64_t begin, std::int64_t end,
                      double* output_gap) {
    for (std::int64_t i = begin; i < end; ++i) {
        p.loss[i] = p.gap[i] = 0;
        if (p.c[i] == 0) continue;
        const double sign = p.y[i] == 1 ? 1 : -1;
        const double m = sign * (static_cast<double>(long_dot(p.x.row(i), p.w)) + p.b[0]);
        const losses::DualRow<double> row{0, p.c[i], p.cost[p.y[i]], 0};
        p.loss[i] = p.c[i] * Loss::at(m, row.target).value;
        p.gap[i] = Loss::gap(m, static_cast<double>(p.dual[i]), row);
        output_gap[0] += p.gap[i];
    }
}

template <class Value, class Weight>
void one_output_rebuild(const DualPass<Value, Weight>& p) {
    const FlushToZero guard;
    for (std::int64_t i = 0; i < p.x.n_rows; ++i)
        if (p.dual[i] != 0) long_axpy(p.y[i] == 1 ? p.dual[i] : -p.dual[i], p.x.row(i), p.w);
}
