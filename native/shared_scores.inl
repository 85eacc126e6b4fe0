// Kernel of shared_scores.hpp, compiled once per instruction set: scores of the rows begin … end−1.
template <class Value>
void shared_scores_of_rows(CsrView<Value> x, SharedRows w, std::int64_t begin, std::int64_t end,
                           double* out) {
    constexpr std::ptrdiff_t soon = 8;
    const std::int64_t n_classes = w.n_classes;
    for (std::int64_t i = begin; i < end; ++i) {
        const Row<Value> row = x.row(i);
        double* __restrict__ score = out + i * n_classes;
        for (std::int64_t c = 0; c < n_classes; ++c) score[c] = 0;
        for (std::ptrdiff_t k = 0; k < row.size; ++k) {
            if (k + 2 * soon < row.size) __builtin_prefetch(w.row_of + row.index[k + 2 * soon]);
            if (k + soon < row.size) {
                const double* next = w.rows + w.row_of[row.index[k + soon]] * n_classes;
                for (std::int64_t c = 0; c < n_classes; c += 8) __builtin_prefetch(next + c);
            }
            const double v = static_cast<double>(row.value[k]);
            if (v == 0) continue;  // also where the weight is −∞: what is absent is not impossible
            const double* __restrict__ weight = w.rows + w.row_of[row.index[k]] * n_classes;
            for (std::int64_t c = 0; c < n_classes; ++c) score[c] += v * weight[c];
        }
        for (std::int64_t c = 0; c < n_classes; ++c) score[c] += w.bias[c];
    }
}
