// Kernels of linear/primal/gram.hpp, compiled once per instruction-set level. Every entry of H is summed over
// the rows from top to bottom, those of two dense columns block by block, whatever the width of the vectors.

// T += Σ_i scaled_i·dense_iᵀ over the rows of a block, in tiles of 4 × 64 bytes that stay in registers; only
// tiles that reach the lower triangle.
template <class Entry>
static void add_dense_pairs(const DenseBlock<Entry>& block, Entry* T) {
    typedef Entry Vector __attribute__((vector_size(LINDY_VECTOR_BYTES)));
    constexpr int lanes = LINDY_VECTOR_BYTES / sizeof(Entry), wide = 64 / sizeof(Entry);
    const std::int64_t width = block.width;
    const Entry* dense = block.dense.data();
    const Entry* scaled = block.scaled.data();
    for (std::int64_t a = 0; a < width; a += 4)
        for (std::int64_t c = 0; c < a + 4; c += wide) {
            Vector sum[4][wide / lanes] = {};
            for (std::int64_t i = 0; i < block.n_rows; ++i) {
                Vector v[wide / lanes];
                for (int j = 0; j < wide / lanes; ++j)
                    __builtin_memcpy(v + j, dense + i * width + c + j * lanes, sizeof(Vector));
                for (int k = 0; k < 4; ++k) {
                    const Entry u = scaled[i * width + a + k];
                    for (int j = 0; j < wide / lanes; ++j) sum[k][j] += u * v[j];
                }
            }
            for (int k = 0; k < 4; ++k)
                for (int j = 0; j < wide; ++j) T[(a + k) * width + c + j] += sum[k][j / lanes][j % lanes];
        }
}

// What the rows of a block add to the products of their sparse values with the dense ones (`mixed`, one line
// for each place) and with each other (H, of M columns, at or below the diagonal).
template <class Value, class Entry>
static void add_sparse_pairs(const DenseBlock<Entry>& block, const RowCopy<Value>& rows, const double* h,
                             std::int64_t M, Entry* mixed, Entry* H) {
    for (std::int64_t i = 0; i < block.n_rows; ++i) {
        const Row<Value> row = rows.row(static_cast<std::size_t>(block.first + i));
        const Entry* dense = block.scaled.data() + i * block.width;
        for (std::ptrdiff_t a = 0; a < row.size; ++a) {
            const auto v = static_cast<Entry>(row.value[a]);
            Entry* to = mixed + row.index[a] * block.width;
            for (std::int64_t c = 0; c < block.width; ++c) to[c] += v * dense[c];
            const Entry scaled = static_cast<Entry>(h[block.first + i]) * v;
            Entry* line = H + row.index[a] * M;
            for (std::ptrdiff_t c = 0; c <= a; ++c)
                line[row.index[c]] += scaled * static_cast<Entry>(row.value[c]);
        }
    }
}

template <class Value, class Entry>
void add_gram_block(const DenseBlock<Entry>& block, const RowCopy<Value>& rows, const double* h,
                    std::int64_t M, Entry* T, Entry* mixed, Entry* H) {
    add_dense_pairs(block, T);
    add_sparse_pairs(block, rows, h, M, mixed, H);
}
