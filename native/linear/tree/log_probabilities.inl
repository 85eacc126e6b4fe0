// Scores of a node's children become the logarithms of their probabilities; see linear/tree/search.hpp.

namespace fastmath {
#include "core/fastmath.inl"
}
namespace losses {
#include "linear/losses.inl"
}

// score ← log_p − log(1 + e^−d),  d = ℓ(−score) − ℓ(score).
inline void log_probabilities(LossName name, float* scores, std::int64_t n, float log_p) {
    typedef float Wide __attribute__((vector_size(LINDY_VECTOR_BYTES)));
    constexpr std::int64_t lanes = LINDY_VECTOR_BYTES / sizeof(float);
    losses::with_margin_loss(name, [&](auto loss) {
        for (std::int64_t k = 0; k < n; k += lanes) {
            Wide s{};
            const auto size = static_cast<std::size_t>(std::min(lanes, n - k)) * sizeof(float);
            __builtin_memcpy(&s, scores + k, size);
            const Wide one = Wide{} + 1.0f;
            const Wide d = loss.at(-s, one).value - loss.at(s, one).value;
            s = Wide{} + log_p - fastmath::softplus(-d);
            __builtin_memcpy(scores + k, &s, size);
        }
    });
}
