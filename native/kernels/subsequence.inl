// The dynamic programme of kernels/sequences.hpp for 16 pairs of sequences side by side, compiled
// once per instruction set. Sequences shorter than the longest are filled up with a symbol that matches
// nothing.

typedef double Doubles __attribute__((vector_size(LINDY_VECTOR_BYTES), aligned(8)));
inline constexpr int per_vector = LINDY_VECTOR_BYTES / 8;
inline constexpr int lane_vectors = kernel_lanes / per_vector;

struct SixteenDoubles {
    Doubles part[lane_vectors];
};

// one[i] and other[j] are the symbols of the 16 pairs, 0 ≤ i < size and 0 ≤ j < width; table is room for
// (length − 1)·(width + 1)·16 numbers. sums[lane] = Σ over equal subsequences of `length` symbols of
// decay^(both their spans).
inline void subsequence_sums(const double* one, std::int64_t size, const double* other, std::int64_t width,
                             int length, double decay, double* table, double* sums) {
    const auto* s = reinterpret_cast<const SixteenDoubles*>(one);
    const auto* t = reinterpret_cast<const SixteenDoubles*>(other);
    auto* K =
        reinterpret_cast<SixteenDoubles*>(table);  // K'_p[j] of the prefix of s read so far, p = 1 … length−1
    const std::int64_t line = width + 1;
    for (std::int64_t a = 0; a < (length - 1) * line; ++a) K[a] = SixteenDoubles{};
    const double square = decay * decay;
    SixteenDoubles total = {};
    for (std::int64_t i = 0; i < size; ++i) {
        for (int p = length - 1; p >= 0; --p) {
            const SixteenDoubles* shorter = p > 1 ? K + (p - 2) * line : nullptr;  // K'_{p−1}; K'_0 is 1
            SixteenDoubles* own = p > 0 ? K + (p - 1) * line : nullptr;            // K'_p
            const SixteenDoubles* longest = length > 1 ? K + (length - 2) * line : nullptr;
            if (p == length - 1)
                for (std::int64_t j = 0; j < width; ++j)
                    for (int l = 0; l < lane_vectors; ++l) {
                        const Doubles before = longest ? longest[j].part[l] : Doubles{} + 1.0;
                        total.part[l] += t[j].part[l] == s[i].part[l] ? square * before : Doubles{};
                    }
            if (p == 0) break;
            SixteenDoubles run = {};
            for (std::int64_t j = 0; j < width; ++j)
                for (int l = 0; l < lane_vectors; ++l) {
                    const Doubles before = shorter ? shorter[j].part[l] : Doubles{} + 1.0;
                    const Doubles match = t[j].part[l] == s[i].part[l] ? square * before : Doubles{};
                    run.part[l] = decay * run.part[l] + match;
                    own[j + 1].part[l] = decay * own[j + 1].part[l] + run.part[l];
                }
        }
    }
    for (int lane = 0; lane < kernel_lanes; ++lane)
        sums[lane] = total.part[lane / per_vector][lane % per_vector];
}
