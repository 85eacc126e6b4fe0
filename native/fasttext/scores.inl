// Kernels of a fastText model: the mean of input rows, and what its outputs say of it. See fasttext/model.hpp.
namespace fastmath {
#include "core/fastmath.inl"
}

typedef float Lanes __attribute__((vector_size(LINDY_VECTOR_BYTES)));
inline constexpr std::int64_t lanes = LINDY_VECTOR_BYTES / 4;

// hidden = Σ rows / n, added in their order.
inline void mean_rows(const lindy::fasttext::Matrix& input, const std::int32_t* columns, std::size_t n,
                      float* hidden) {
    std::fill_n(hidden, input.dim, 0.0f);
    for (std::size_t i = 0; i < n; ++i) {
        if (!input.codes && i + 8 < n)
            __builtin_prefetch(input.values.bytes + columns[i + 8] * input.dim * 4);
        input.add_row(columns[i], hidden);
    }
    const auto share = static_cast<float>(1.0 / static_cast<double>(std::max<std::size_t>(n, 1)));
    for (std::int64_t d = 0; d < input.dim; ++d) hidden[d] *= share;
}

// out_k = Σ_d hidden_d · columns[d][k], added in the order of d; `width` is a multiple of 16.
inline void products(const float* columns, std::int64_t width, std::int64_t dim, const float* hidden,
                     float* out) {
    constexpr std::int64_t at_once = 64 / LINDY_VECTOR_BYTES;
    for (std::int64_t k = 0; k < width; k += 16) {
        Lanes sum[at_once] = {};
        for (std::int64_t d = 0; d < dim; ++d) {
            Lanes column[at_once];
            __builtin_memcpy(column, columns + d * width + k, sizeof column);
            for (std::int64_t q = 0; q < at_once; ++q) sum[q] += hidden[d] * column[q];
        }
        __builtin_memcpy(out + k, sum, sizeof sum);
    }
}

// Each number v of n (a multiple of 16) becomes log(1 − σ(v) + ε), and beside[i] log(σ(v) + ε).
inline void log_turns(float* values, float* beside, std::int64_t n) {
    for (std::int64_t i = 0; i < n; i += lanes) {
        Lanes v;
        __builtin_memcpy(&v, values + i, sizeof v);
        const Lanes right = 1.0f / (1.0f + fastmath::exp(-v));
        const Lanes first = fastmath::log(1.0f - right + lindy::fasttext::tiny),
                    second = fastmath::log(right + lindy::fasttext::tiny);
        __builtin_memcpy(values + i, &first, sizeof v);
        __builtin_memcpy(beside + i, &second, sizeof v);
    }
}

// Each number of n becomes e^v.
inline void exponentials(float* values, std::int64_t n) {
    std::int64_t i = 0;
    for (; i + lanes <= n; i += lanes) {
        Lanes v;
        __builtin_memcpy(&v, values + i, sizeof v);
        v = fastmath::exp(v);
        __builtin_memcpy(values + i, &v, sizeof v);
    }
    for (; i < n; ++i) values[i] = fastmath::exp(values[i]);
}
