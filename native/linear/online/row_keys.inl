// Keys and squared norms of rows, eight nonzeros at a time in a fixed order.
namespace keys {

typedef std::uint64_t Words __attribute__((vector_size(LINDY_VECTOR_BYTES)));
typedef double Reals __attribute__((vector_size(LINDY_VECTOR_BYTES)));
constexpr int lanes = LINDY_VECTOR_BYTES / 8, parts = 8 / lanes;

// The product of the low halves: the only 64-bit product that every vector unit has.
inline Words low_product(Words a, Words b) {
#if LINDY_VECTOR_BYTES == 64
    return reinterpret_cast<Words>(  // g++ 12 warns of the form without a mask
        _mm512_maskz_mul_epu32(0xff, reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b)));
#elif LINDY_VECTOR_BYTES == 32
    return reinterpret_cast<Words>(
        _mm256_mul_epu32(reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(b)));
#elif defined(__x86_64__)
    return reinterpret_cast<Words>(_mm_mul_epu32(reinterpret_cast<__m128i>(a), reinterpret_cast<__m128i>(b)));
#else
    return (a & 0xffffffffu) * (b & 0xffffffffu);
#endif
}

// Two rounds, so that no sum of these is linear in the values; a zero is not there.
inline Words mixed(Words column, Reals value) {
    const Words factor = Words{} + 0x9e3779b1u;
    Words h = reinterpret_cast<Words>(value) ^ low_product(column + 1, factor);
    h ^= low_product(h, h >> 32) + (h << 7);
    return low_product(h ^ 0x85ebca77u, h >> 32) & reinterpret_cast<Words>(value != 0);
}

template <class Value>
struct Eight {
    Words sum[parts] = {};
    Reals squares[parts] = {};

    void add(const std::int32_t* index, const Value* value) {
        typedef std::uint32_t Columns __attribute__((vector_size(4 * lanes)));
        typedef Value Values __attribute__((vector_size(sizeof(Value) * lanes)));
        for (int part = 0; part < parts; ++part) {
            Columns columns;
            Values values;
            __builtin_memcpy(&columns, index + part * lanes, sizeof columns);
            __builtin_memcpy(&values, value + part * lanes, sizeof values);
            const Reals v = __builtin_convertvector(values, Reals);
            sum[part] += mixed(__builtin_convertvector(columns, Words), v);
            squares[part] += v * v;
        }
    }
};

}  // namespace keys

// key[i] depends on the label and the nonzeros of row i, in whatever order they are stored, and on nothing
// else; sq_norm[i] = ‖x_i‖².
template <class Value>
void row_keys(CsrView<Value> x, const std::int32_t* y, std::uint64_t* key, double* sq_norm) {
    for (std::int64_t i = 0; i < x.n_rows; ++i) {
        const Row<Value> row = x.row(i);
        keys::Eight<Value> eight;
        std::ptrdiff_t k = 0;
        for (; k + 8 <= row.size; k += 8) eight.add(row.index + k, row.value + k);
        std::int32_t index[8] = {};
        Value value[8] = {};
        std::copy(row.index + k, row.index + row.size, index);
        std::copy(row.value + k, row.value + row.size, value);
        eight.add(index, value);
        std::uint64_t h = mix(static_cast<std::uint64_t>(y[i]) + 0x9e3779b97f4a7c15u);
        double squares[8];
        __builtin_memcpy(squares, eight.squares, sizeof squares);
        for (int lane = 0; lane < 8; ++lane) h += eight.sum[lane / keys::lanes][lane % keys::lanes];
        key[i] = mix(h);
        sq_norm[i] = ((squares[0] + squares[4]) + (squares[1] + squares[5])) +
                     ((squares[2] + squares[6]) + (squares[3] + squares[7]));
    }
}
