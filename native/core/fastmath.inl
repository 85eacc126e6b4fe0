// The functions of core/fastmath.hpp, which says what they are. Kernel files that use them on vectors include
// this file once more inside their own namespace: a function that works on wide vectors must be compiled for
// them.
template <class V>
struct Lane {  // a vector: its element, and the integer vector that its comparisons give
    using Scalar = std::remove_cvref_t<decltype(V{}[0])>;
    using Integer = decltype(V{} < V{});
};
template <>
struct Lane<float> {
    using Scalar = float;
    using Integer = std::int32_t;
};
template <>
struct Lane<double> {
    using Scalar = double;
    using Integer = std::int64_t;
};

template <class Scalar>
struct Format;
template <>
struct Format<float> {
    static constexpr int mantissa = 23, bias = 127, exp_terms = 7, log_terms = 6;
    static constexpr float shift = 0x1.8p23f, smallest = 0x1p-126f;
    static constexpr float ln2_high = 0x1.62ep-1f, ln2_low = 0x1.0bfbe8p-15f;
    static constexpr float exp_low = -87.0f, exp_high = 88.0f;
};
template <>
struct Format<double> {
    static constexpr int mantissa = 52, bias = 1023, exp_terms = 13, log_terms = 12;
    static constexpr double shift = 0x1.8p52, smallest = 0x1p-1022;
    static constexpr double ln2_high = 0x1.62e42feep-1, ln2_low = 0x1.a39ef35793c76p-33;
    static constexpr double exp_low = -708.0, exp_high = 709.0;
};

constexpr double factorial(int k) {
    return k == 0 ? 1 : k * factorial(k - 1);
}

// 1/k! for k = 0 … last, computed by the compiler: left to itself g++ may compute them at every call
template <class Scalar, int last>
struct InverseFactorials {
    Scalar of[last + 1];
    constexpr InverseFactorials() : of() {
        for (int k = 0; k <= last; ++k) of[k] = static_cast<Scalar>(1 / factorial(k));
    }
};

template <class V>
inline V max(V a, V b) {
    return a > b ? a : b;
}

template <class V>
inline V min(V a, V b) {
    return a < b ? a : b;
}

// e^x to about one unit in the last place; x is clamped to where the result is a normal number.
template <class V>
inline V exp(V x) {
    using S = typename Lane<V>::Scalar;
    using I = typename Lane<V>::Integer;
    using F = Format<S>;
    x = min(max(x, V{} + F::exp_low), V{} + F::exp_high);
    const V shifted =
        x * static_cast<S>(1.4426950408889634) + F::shift;  // rounds to an integer in the low bits
    const V n = shifted - F::shift;
    const V r = (x - n * F::ln2_high) - n * F::ln2_low;
    static constexpr InverseFactorials<S, F::exp_terms> inverse;
    V sum = V{} + inverse.of[F::exp_terms];
    for (int k = F::exp_terms - 1; k >= 0; --k) sum = sum * r + inverse.of[k];
    return __builtin_bit_cast(V,
                              __builtin_bit_cast(I, sum) + (__builtin_bit_cast(I, shifted) << F::mantissa));
}

// log x for positive normal x; smaller x (and 0) count as the smallest normal number.
template <class V>
inline V log(V x) {
    using S = typename Lane<V>::Scalar;
    using I = typename Lane<V>::Integer;
    using F = Format<S>;
    using Bits = std::conditional_t<sizeof(S) == 4, std::int32_t, std::int64_t>;
    x = max(x, V{} + F::smallest);
    // x = 2^e · m with m in [√½, √2): subtract the bits of √½, whose exponent then counts the doublings
    const Bits root = __builtin_bit_cast(Bits, static_cast<S>(0.7071067811865476));
    const I bits = __builtin_bit_cast(I, x) - root;
    const I e = bits >> F::mantissa;
    const I fraction = (bits & ((Bits{1} << F::mantissa) - 1)) + root;
    const V m = __builtin_bit_cast(V, fraction);
    // the integer e as a floating-point number, by adding it to the low bits of 1.5·2^mantissa
    const V n = __builtin_bit_cast(V, e + __builtin_bit_cast(Bits, F::shift)) - F::shift;
    const V s = (m - S{1}) / (m + S{1});  // log m = 2·atanh s
    const V s2 = s * s;
    V sum = V{};
    for (int k = F::log_terms; k >= 1; --k) sum = (sum + static_cast<S>(2.0 / (2 * k + 1))) * s2;
    return n * F::ln2_high + (s * sum + s * S{2} + n * F::ln2_low);
}

// log(1 + e^x) without overflow, accurate for large negative x too.
template <class V>
inline V softplus(V x) {
    using S = typename Lane<V>::Scalar;
    const V zero = V{};
    const V t = exp(x > zero ? -x : x);
    const V u = t + S{1};
    return max(x, zero) + (log(u) + (t - (u - S{1})) / u);
}

// 1 / (1 + e^−x)
template <class V>
inline V sigmoid(V x) {
    using S = typename Lane<V>::Scalar;
    const V t = exp(x > V{} ? -x : x);
    const V one = V{} + S{1};
    return (x > V{} ? one : t) / (t + S{1});
}

// cos x to about one unit in the last place of 1 for |x| < 10⁶: x = n·π/2 + r, where π/2 comes in three parts
// of which the first two times n are exact; then the series of cos r or sin r, |r| ≤ π/4.
inline double cos(double x) {
    const double shifted = x * 0.6366197723675814 + Format<double>::shift;
    const double n = shifted - Format<double>::shift;
    const double r = ((x - n * 0x1.921fb544p0) - n * 0x1.0b4611a6p-34) - n * 0x1.3198a2e037073p-69;
    const auto quadrant = __builtin_bit_cast(std::int64_t, shifted) & 3;
    static constexpr InverseFactorials<double, 17> inverse;
    const double square = r * r;
    double even = 0, odd = 0;
    for (int k = 16; k >= 0; k -= 2) even = inverse.of[k] - even * square;
    for (int k = 17; k >= 1; k -= 2) odd = inverse.of[k] - odd * square;
    const double value = quadrant & 1 ? odd * r : even;
    return quadrant == 1 || quadrant == 2 ? -value : value;
}
