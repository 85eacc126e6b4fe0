// Kernels of bayes/shared_scores.hpp, compiled once per instruction set: scores of the rows begin … end−1.

// Asks for the weights of a feature some way ahead, and for the number of its row still earlier.
template <class Value>
inline void fetch_ahead(Row<Value> row, const SharedRows& w, std::ptrdiff_t k) {
    constexpr std::ptrdiff_t soon = 8;
    if (k + 2 * soon < row.size) __builtin_prefetch(w.row_of + row.index[k + 2 * soon]);
    if (k + soon < row.size) {
        const double* next = w.rows + w.row_of[row.index[k + soon]] * w.n_classes;
        for (std::int64_t c = 0; c < w.n_classes; c += 8) __builtin_prefetch(next + c);
        __builtin_prefetch(next + w.n_classes - 1);
    }
}

// Up to 4·n_blocks classes, at least 4: their sums stay in registers. The last block ends with the last class
// and may share some with the block before, which then get the same sum twice.
template <class Value, int n_blocks>
void score_blocks(CsrView<Value> x, const SharedRows& w, std::int64_t begin, std::int64_t end, double* out) {
    typedef double Block __attribute__((vector_size(32), aligned(8)));
    const auto at = [&](int block) { return block + 1 < n_blocks ? 4 * block : w.n_classes - 4; };
    for (std::int64_t i = begin; i < end; ++i) {
        const Row<Value> row = x.row(i);
        Block sum[n_blocks] = {};
        for (std::ptrdiff_t k = 0; k < row.size; ++k) {
            fetch_ahead(row, w, k);
            const double v = static_cast<double>(row.value[k]);
            if (v == 0) continue;  // also where the weight is −∞: what is absent is not impossible
            const double* weight = w.rows + w.row_of[row.index[k]] * w.n_classes;
            for (int block = 0; block < n_blocks; ++block)
                sum[block] += v * *reinterpret_cast<const Block*>(weight + at(block));
        }
        for (int block = 0; block < n_blocks; ++block) {
            const Block score = sum[block] + *reinterpret_cast<const Block*>(w.bias + at(block));
            *reinterpret_cast<Block*>(out + i * w.n_classes + at(block)) = score;
        }
    }
}

template <class Value>
void score_any(CsrView<Value> x, const SharedRows& w, std::int64_t begin, std::int64_t end, double* out) {
    const std::int64_t n_classes = w.n_classes;
    for (std::int64_t i = begin; i < end; ++i) {
        const Row<Value> row = x.row(i);
        double* __restrict__ score = out + i * n_classes;
        for (std::int64_t c = 0; c < n_classes; ++c) score[c] = 0;
        for (std::ptrdiff_t k = 0; k < row.size; ++k) {
            fetch_ahead(row, w, k);
            const double v = static_cast<double>(row.value[k]);
            if (v == 0) continue;
            const double* __restrict__ weight = w.rows + w.row_of[row.index[k]] * n_classes;
            for (std::int64_t c = 0; c < n_classes; ++c) score[c] += v * weight[c];
        }
        for (std::int64_t c = 0; c < n_classes; ++c) score[c] += w.bias[c];
    }
}

template <class Value>
void shared_scores_of_rows(CsrView<Value> x, SharedRows w, std::int64_t begin, std::int64_t end,
                           double* out) {
    switch (w.n_classes < 4 ? 0 : (w.n_classes + 3) / 4) {
        case 1:
            return score_blocks<Value, 1>(x, w, begin, end, out);
        case 2:
            return score_blocks<Value, 2>(x, w, begin, end, out);
        case 3:
            return score_blocks<Value, 3>(x, w, begin, end, out);
        case 4:
            return score_blocks<Value, 4>(x, w, begin, end, out);
        case 5:
            return score_blocks<Value, 5>(x, w, begin, end, out);
        case 6:
            return score_blocks<Value, 6>(x, w, begin, end, out);
        default:
            return score_any(x, w, begin, end, out);
    }
}
