// Prefetching memory before it is needed.

// Weights of later nonzeros are prefetched early, those of the next row included: they lie anywhere, and few
// fit into the instruction window.
constexpr std::ptrdiff_t ahead = 24;

// Forced inline: the compiler takes a function that only prefetches for one without effect, and drops its
// calls.
template <int N, class Weight>
[[gnu::always_inline]] inline void prefetch(const Weight* row) {
    __builtin_prefetch(row);
    if constexpr (N * sizeof(Weight) > 32) __builtin_prefetch(row + N - 1);
}

// Calls work(k) for every nonzero of x, and before it look(j) for the feature j that comes `ahead` later.
// Both are forced inline: the compiler counts three calls and would rather make one function of them.
template <class Value, class Look, class Work>
inline void for_each_ahead(Row<Value> x, Row<Value> next, Look look, Work work) {
    const std::ptrdiff_t within = std::max<std::ptrdiff_t>(x.size - ahead, 0);
    const std::ptrdiff_t beyond = std::min(within + next.size, x.size);
    std::ptrdiff_t k = 0;
    for (; k < within; ++k) {
        look(x.index[k + ahead]);
        work(k);
    }
    for (; k < beyond; ++k) {
        look(next.index[k - within]);
        work(k);
    }
    for (; k < x.size; ++k) work(k);
}

// Rows come from anywhere in the data. Their lines are prefetched while earlier rows are worked on: all lines
// of the next row at once,
template <class Value>
[[gnu::always_inline]] inline void prefetch_row(Row<Value> row) {
    const std::ptrdiff_t size = std::min<std::ptrdiff_t>(row.size, 1024);
    for (std::ptrdiff_t k = 0; k < size; k += 64 / sizeof(std::int32_t)) __builtin_prefetch(row.index + k);
    for (std::ptrdiff_t k = 0; k < size; k += 64 / sizeof(Value)) __builtin_prefetch(row.value + k);
}

// or sixteen entries at a time,
template <class Value>
[[gnu::always_inline]] inline void prefetch_entries(Row<Value> row, std::ptrdiff_t k) {
    __builtin_prefetch(row.index + k);
    __builtin_prefetch(row.value + k);
    if constexpr (sizeof(Value) > sizeof(float)) __builtin_prefetch(row.value + k + 8);
}

// or, of a row some rows ahead, the first entries only: that is enough for the processor to see where it is
// going and to fetch the others itself, while prefetching all of them delays the weights. Always the
// same number, whatever the length of the row: a line too many costs less than a wrong guess at a branch.
constexpr std::int64_t rows_ahead = 3;

template <class Value>
[[gnu::always_inline]] inline void prefetch_first(Row<Value> row) {
    for (std::ptrdiff_t k = 0; k < 64; k += 16) prefetch_entries(row, k);
}
