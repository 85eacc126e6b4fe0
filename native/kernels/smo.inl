// The two passes of an SMO step over all active examples, compiled once per instruction set; kernels/smo.hpp
// has the formulas. Every lane has its own extreme; of equal ones the first example wins, whatever the width.

typedef double Doubles __attribute__((vector_size(LINDY_VECTOR_BYTES), aligned(8)));
typedef std::int64_t Wholes __attribute__((vector_size(LINDY_VECTOR_BYTES), aligned(8)));
inline constexpr int per_vector = LINDY_VECTOR_BYTES / 8;

inline Doubles load(const double* p) {
    return *reinterpret_cast<const Doubles*>(p);
}

inline Doubles load(const float* p) {
    typedef float Floats __attribute__((vector_size(LINDY_VECTOR_BYTES / 2), aligned(4)));
    return __builtin_convertvector(*reinterpret_cast<const Floats*>(p), Doubles);
}

inline Wholes first_numbers() {
    Wholes index = {};
    for (int k = 0; k < per_vector; ++k) index[k] = k;
    return index;
}

inline Extreme largest(Doubles value, Wholes at) {
    Extreme best{value[0], at[0]};
    for (int k = 1; k < per_vector; ++k)
        if (value[k] > best.value || (value[k] == best.value && at[k] < best.at)) best = {value[k], at[k]};
    return best;
}

// s ← s − t·(K_i − K_j); returns the largest s that may rise and the least s that may fall.
template <class K>
Violation smo_update(const SmoVectors& v, const K* row_i, const K* row_j, double t) {
    const double infinity = std::numeric_limits<double>::infinity();
    Doubles top = Doubles{} - infinity, bottom = Doubles{} + infinity;
    Wholes at = {}, index = first_numbers();
    for (std::int64_t k = 0; k < v.size; k += per_vector, index += per_vector) {
        const Doubles s = load(v.s + k) - t * (load(row_i + k) - load(row_j + k));
        *reinterpret_cast<Doubles*>(v.s + k) = s;
        const Doubles rising = s + load(v.up + k);
        at = rising > top ? index : at;
        top = rising > top ? rising : top;
        const Doubles falling = s + load(v.down + k);
        bottom = falling < bottom ? falling : bottom;
    }
    double least = bottom[0];
    for (int k = 1; k < per_vector; ++k) least = bottom[k] < least ? bottom[k] : least;
    return {largest(top, at), least};
}

// The j that may fall with the largest decrease (s_i − s_j)² / (K_ii + K_jj − 2·K_ij) of the model.
template <class K>
Extreme smo_partner(const SmoVectors& v, const K* row_i, double s_i, double self_i) {
    Doubles best = {};
    Wholes at = Wholes{} - 1, index = first_numbers();
    const Doubles flat = Doubles{} + smo_flat;
    for (std::int64_t k = 0; k < v.size; k += per_vector, index += per_vector) {
        const Doubles b = s_i - (load(v.s + k) + load(v.down + k));
        Doubles a = (self_i + load(v.self + k)) - 2 * load(row_i + k);
        a = a > flat ? a : flat;
        const Doubles gain = b > Doubles{} ? b * b / a : Doubles{};
        at = gain > best ? index : at;
        best = gain > best ? gain : best;
    }
    return largest(best, at);
}
