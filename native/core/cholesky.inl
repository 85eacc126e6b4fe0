// Kernels of core/cholesky.hpp, compiled once per instruction-set level. Sums of products have eight
// running sums, which are added pairwise at the end, whatever the width of the vectors.

static inline double add_eight(const double* s) {
    return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

// out[r][c] = Σ_{k<n} a_r[k]·b_c[k] for the lines a_0 … and b_0 …, Rows × Columns of them, `stride` apart.
template <int Rows, int Columns>
static inline void products(const double* a, const double* b, std::int64_t stride, std::int64_t n,
                            double out[Rows][Columns]) {
    typedef double Vector __attribute__((vector_size(LINDY_VECTOR_BYTES)));
    constexpr int lanes = LINDY_VECTOR_BYTES / sizeof(double), parts = 8 / lanes;
    Vector sum[Rows][Columns][parts] = {};
    std::int64_t k = 0;
    for (; k + 8 <= n; k += 8)
        for (int p = 0; p < parts; ++p) {
            Vector u[Rows], v[Columns];
            for (int r = 0; r < Rows; ++r)
                __builtin_memcpy(u + r, a + r * stride + k + p * lanes, sizeof(Vector));
            for (int c = 0; c < Columns; ++c)
                __builtin_memcpy(v + c, b + c * stride + k + p * lanes, sizeof(Vector));
            for (int r = 0; r < Rows; ++r)
                for (int c = 0; c < Columns; ++c) sum[r][c][p] += u[r] * v[c];
        }
    for (int r = 0; r < Rows; ++r)
        for (int c = 0; c < Columns; ++c) {
            double lane[8];
            __builtin_memcpy(lane, sum[r][c], sizeof lane);
            for (std::int64_t q = k; q < n; ++q) lane[q - k] += a[r * stride + q] * b[c * stride + q];
            out[r][c] = add_eight(lane);
        }
}

static inline double product(const double* a, const double* b, std::int64_t n) {
    double out[1][1];
    products<1, 1>(a, b, 0, n, out);
    return out[0][0];
}

// The panel of columns first … last−1, of which the products with the columns before are already subtracted.
static inline void factor_panel(double* H, std::int64_t size, std::int64_t stride, std::int64_t first,
                                std::int64_t last, const double* diagonal) {
    for (std::int64_t i = first; i < size; ++i) {
        double* line = H + i * stride;
        for (std::int64_t j = first; j < std::min(i, last); ++j)
            line[j] =
                (line[j] - product(line + first, H + j * stride + first, j - first)) / H[j * stride + j];
        if (i >= last) continue;
        const double left = line[i] - product(line + first, line + first, i - first);
        const double rounding =
            static_cast<double>(size) * std::numeric_limits<double>::epsilon() * diagonal[i];
        line[i] = left > rounding ? std::sqrt(left) : std::numeric_limits<double>::infinity();
    }
}

inline void factor_lines(double* H, std::int64_t size, std::int64_t stride) {
    constexpr std::int64_t panel = 32;
    std::vector<double> diagonal(static_cast<std::size_t>(size));
    for (std::int64_t i = 0; i < size; ++i) diagonal[static_cast<std::size_t>(i)] = H[i * stride + i];
    for (std::int64_t first = 0; first < size; first += panel) {
        const std::int64_t last = std::min(size, first + panel);
        for (std::int64_t i = first; i < size; i += 2) {
            const std::int64_t end = std::min(i + 2, last);
            const bool two = i + 1 < size;
            for (std::int64_t j = first; j < end; j += 2) {
                double out[2][2] = {};
                if (two)
                    products<2, 2>(H + i * stride, H + j * stride, stride, first, out);
                else
                    for (std::int64_t c = 0; c < 2 && j + c < size; ++c)
                        out[0][c] = product(H + i * stride, H + (j + c) * stride, first);
                for (std::int64_t r = 0; r < (two ? 2 : 1); ++r)
                    for (std::int64_t c = 0; c < 2; ++c)
                        if (j + c <= i + r && j + c < last) H[(i + r) * stride + j + c] -= out[r][c];
            }
        }
        factor_panel(H, size, stride, first, last, diagonal.data());
    }
}

// Lz = r from the top, then Lᵀz = r from the bottom.
inline void solve_lines(const double* L, std::int64_t size, std::int64_t stride, double* z) {
    for (std::int64_t i = 0; i < size; ++i) {
        const double* line = L + i * stride;
        z[i] = (z[i] - product(line, z, i)) / line[i];
    }
    for (std::int64_t i = size; i-- > 0;) {
        const double* line = L + i * stride;
        z[i] /= line[i];
        for (std::int64_t k = 0; k < i; ++k) z[k] -= z[i] * line[k];
    }
}
