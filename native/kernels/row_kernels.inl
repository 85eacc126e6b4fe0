// Products of sparse rows, compiled once per instruction set; kernels/row_kernels.hpp says what they are for.

namespace fastmath {
#include "core/fastmath.inl"
}  // namespace fastmath

typedef double Doubles __attribute__((vector_size(LINDY_VECTOR_BYTES), aligned(8)));
inline constexpr int per_vector = LINDY_VECTOR_BYTES / 8;
inline constexpr int lane_vectors = kernel_lanes / per_vector;

// out[r·stride + k] = Σ_a f(dense[index_a][r], value_a) over the values of z_k, one after the other, for the
// 16 examples that lie side by side in `dense`.
template <class Sum>
void products_of_lanes(CsrView<typename Sum::Value> z, Targets targets, const double* dense, int count,
                       double* out, std::int64_t stride) {
    for (std::int64_t k = targets.begin; k < targets.end; ++k) {
        const auto row = z.row(targets.at(k));
        Doubles sum[lane_vectors] = {};
        for (std::ptrdiff_t a = 0; a < row.size; ++a) {
            const double* x = dense + static_cast<std::int64_t>(row.index[a]) * kernel_lanes;
            const Doubles v = Doubles{} + static_cast<double>(row.value[a]);
            for (int l = 0; l < lane_vectors; ++l) {
                const Doubles lanes = *reinterpret_cast<const Doubles*>(x + l * per_vector);
                if constexpr (Sum::of_minima)
                    sum[l] += fastmath::min(lanes, v);
                else
                    sum[l] += lanes * v;
            }
        }
        for (int r = 0; r < count; ++r)
            out[r * stride + k - targets.begin] = sum[r / per_vector][r % per_vector];
    }
}

// The same for one example.
template <class Sum>
void products_of_one(CsrView<typename Sum::Value> z, Targets targets, const double* dense, double* out) {
    for (std::int64_t k = targets.begin; k < targets.end; ++k) {
        const auto row = z.row(targets.at(k));
        double sum = 0;
        for (std::ptrdiff_t a = 0; a < row.size; ++a) {
            const double x = dense[row.index[a]];
            const double v = static_cast<double>(row.value[a]);
            sum += Sum::of_minima ? (x < v ? x : v) : x * v;
        }
        out[k - targets.begin] = sum;
    }
}

// Common ones of rows of bits: `words` 64-bit words each, or as many as the template says.
template <std::int64_t fixed>
inline void common_ones(const std::uint64_t* x, const std::uint64_t* z, std::int64_t words, Targets targets,
                        double* out) {
    const std::int64_t size = fixed ? fixed : words;
    for (std::int64_t k = targets.begin; k < targets.end; ++k) {
        const std::uint64_t* row = z + targets.at(k) * size;
        std::int64_t common = 0;
        for (std::int64_t w = 0; w < size; ++w) common += __builtin_popcountll(x[w] & row[w]);
        out[k - targets.begin] = static_cast<double>(common);
    }
}

inline void products_of_bits(const std::uint64_t* x, const std::uint64_t* z, std::int64_t words,
                             Targets targets, double* out) {
    switch (words) {
        case 1:
            return common_ones<1>(x, z, words, targets, out);
        case 2:
            return common_ones<2>(x, z, words, targets, out);
        default:
            return common_ones<0>(x, z, words, targets, out);
    }
}

// In place, from products to e^(−γ·max(0, ‖x‖² + ‖z‖² − 2·x·z)).
inline void rbf_of_products(double* product, Targets targets, double square, const double* squares,
                            double gamma) {
    const std::int64_t n = targets.size();
    for (std::int64_t first = 0; first < n; first += per_vector) {
        const std::int64_t count = n - first < per_vector ? n - first : per_vector;
        Doubles value = {}, other = {};
        if (count == per_vector) {
            value = *reinterpret_cast<const Doubles*>(product + first);
            if (!targets.list)
                other = *reinterpret_cast<const Doubles*>(squares + targets.begin + first);
            else
                for (int k = 0; k < per_vector; ++k)
                    other[k] = squares[targets.list[targets.begin + first + k]];
        } else {
            for (std::int64_t k = 0; k < count; ++k) {
                value[k] = product[first + k];
                other[k] = squares[targets.at(targets.begin + first + k)];
            }
        }
        const Doubles distance = fastmath::max((square + other) - 2 * value, Doubles{});
        value = fastmath::exp(-gamma * distance);
        if (count == per_vector)
            *reinterpret_cast<Doubles*>(product + first) = value;
        else
            for (std::int64_t k = 0; k < count; ++k) product[first + k] = value[k];
    }
}

// In place, from products to (γ·x·z + c)^d.
inline void power_of_products(double* product, std::int64_t n, double gamma, double c, int degree) {
    for (std::int64_t k = 0; k < n; ++k) {
        const double base = gamma * product[k] + c;
        double power = 1;
        for (int d = 0; d < degree; ++d) power *= base;
        product[k] = power;
    }
}
