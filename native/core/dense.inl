// Kernels of core/dense.hpp, compiled once per instruction-set level: each entry of a result is one sum in
// the order of its terms, and only different entries share a vector.

// C += A·B for n rows of A, in tiles of 4 rows × 16 columns that stay in registers for up to 256 terms.
inline void add_product(const double* A, const double* B, double* C, std::int64_t n, std::int64_t k,
                        std::int64_t m) {
    typedef double Vector __attribute__((vector_size(LINDY_VECTOR_BYTES)));
    constexpr int lanes = LINDY_VECTOR_BYTES / sizeof(double), wide = 16, terms = 256;
    for (std::int64_t first = 0; first < k; first += terms) {
        const std::int64_t last = k < first + terms ? k : first + terms;
        std::int64_t j = 0;
        for (; j + wide <= m; j += wide)
            for (std::int64_t i = 0; i < n; i += 4) {
                const int high = n - i < 4 ? static_cast<int>(n - i) : 4;
                Vector sum[4][wide / lanes] = {};
                for (int r = 0; r < high; ++r) __builtin_memcpy(sum[r], C + (i + r) * m + j, sizeof(sum[r]));
                const double* a[4];
                for (int r = 0; r < 4; ++r) a[r] = A + (i + (r < high ? r : 0)) * k;
                for (std::int64_t t = first; t < last; ++t) {
                    Vector b[wide / lanes];
                    __builtin_memcpy(b, B + t * m + j, sizeof(b));
                    for (int r = 0; r < 4; ++r)
                        for (int v = 0; v < wide / lanes; ++v) sum[r][v] += a[r][t] * b[v];
                }
                for (int r = 0; r < high; ++r) __builtin_memcpy(C + (i + r) * m + j, sum[r], sizeof(sum[r]));
            }
        for (std::int64_t i = 0; i < n; ++i)
            for (std::int64_t t = first; t < last; ++t)
                for (std::int64_t c = j; c < m; ++c) C[i * m + c] += A[i * k + t] * B[t * m + c];
    }
}

// y −= a·x
inline void subtract_multiple(double* y, const double* x, double a, std::int64_t n) {
    for (std::int64_t j = 0; j < n; ++j) y[j] -= a * x[j];
}

// (x, y) ← (c·x − s·y, s·x + c·y)
inline void rotate_rows(double* x, double* y, double c, double s, std::int64_t n) {
    for (std::int64_t j = 0; j < n; ++j) {
        const double f = y[j];
        y[j] = s * x[j] + c * f;
        x[j] = c * x[j] - s * f;
    }
}

// Eight running sums, added pairwise at the end.
inline double dot_range(const double* a, const double* b, std::int64_t first, std::int64_t last) {
    double sum[8] = {};
    std::int64_t i = first;
    for (; i + 8 <= last; i += 8)
        for (int lane = 0; lane < 8; ++lane) sum[lane] += a[i + lane] * b[i + lane];
    for (int lane = 0; i < last; ++i, ++lane) sum[lane] += a[i] * b[i];
    return ((sum[0] + sum[4]) + (sum[2] + sum[6])) + ((sum[1] + sum[5]) + (sum[3] + sum[7]));
}
