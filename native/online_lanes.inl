// All outputs of a sparse row at once: one lane per output, added up in the order of the nonzeros, so every
// vector width gives the same bits. Rows of W are read and written in blocks of 4, 8, … 32 lanes; the lanes
// behind the last output belong to the next feature (or to the slack), and 0 is added to them.
constexpr int native_bytes = LINDY_VECTOR_BYTES;
constexpr int block_lanes = 32;

// N lanes in registers: the widest vectors that fit, then the narrower ones.
template <class Weight, int N>
struct Block {
    static constexpr int lanes = std::min(native_bytes / static_cast<int>(sizeof(Weight)),
                                          static_cast<int>(std::bit_floor(unsigned{N})));
    typedef Weight Vector __attribute__((vector_size(lanes * sizeof(Weight))));
    Vector head;
    Block<Weight, N - lanes> tail;

    void clear() {
        head = Vector{};
        tail.clear();
    }
    void load(const Weight* p) {
        __builtin_memcpy(&head, p, sizeof head);
        tail.load(p + lanes);
    }
    void store(Weight* p) const {
        __builtin_memcpy(p, &head, sizeof head);
        tail.store(p + lanes);
    }
    void add(const Block& other, Weight v) {
        head += other.head * v;
        tail.add(other.tail, v);
    }
};
template <class Weight>
struct Block<Weight, 0> {
    void clear() {}
    void load(const Weight*) {}
    void store(Weight*) const {}
    void add(const Block&, Weight) {}
};

// Weights of later nonzeros are called up early, those of the next row included: they lie anywhere, and few
// fit into the instruction window.
constexpr std::ptrdiff_t ahead = 24;

// Forced inline: the compiler takes a function that only prefetches for one without effect, and drops its
// calls.
template <int N, class Weight>
[[gnu::always_inline]] inline void prefetch(const Weight* row) {
    __builtin_prefetch(row);
    if constexpr (N * sizeof(Weight) > 32) __builtin_prefetch(row + N - 1);
}

// Calls work(k) for every nonzero of x, and before it look(j) for the feature j that comes `ahead` later.
// Both are forced inline: the compiler counts three calls and would rather make one function of them.
template <class Value, class Look, class Work>
inline void for_each_ahead(Row<Value> x, Row<Value> next, Look look, Work work) {
    const std::ptrdiff_t within = std::max<std::ptrdiff_t>(x.size - ahead, 0);
    const std::ptrdiff_t beyond = std::min(within + next.size, x.size);
    std::ptrdiff_t k = 0;
    for (; k < within; ++k) {
        look(x.index[k + ahead]);
        work(k);
    }
    for (; k < beyond; ++k) {
        look(next.index[k - within]);
        work(k);
    }
    for (; k < x.size; ++k) work(k);
}

// z = x · W for N neighbouring outputs; `stride` is the length of a row of W, `next` the row that follows x.
template <int N, class Value, class Weight>
void score_block(Row<Value> x, Row<Value> next, const Weight* W, std::int64_t stride, Weight* z) {
    Block<Weight, N> sum, w;
    sum.clear();
    for_each_ahead(
        x, next, [&](std::int32_t j) __attribute__((always_inline)) { prefetch<N>(W + j * stride); },
        [&](std::ptrdiff_t k) __attribute__((always_inline)) {
            w.load(W + x.index[k] * stride);
            sum.add(w, static_cast<Weight>(x.value[k]));
        });
    sum.store(z);
}

// W += x aᵀ for N neighbouring outputs.
template <int N, class Value, class Weight>
void update_block(Row<Value> x, Row<Value> next, const Weight* a, std::int64_t stride, Weight* W) {
    Block<Weight, N> step, w;
    step.load(a);
    for_each_ahead(
        x, next, [&](std::int32_t j) __attribute__((always_inline)) { prefetch<N>(W + j * stride); },
        [&](std::ptrdiff_t k) __attribute__((always_inline)) {
            Weight* row = W + x.index[k] * stride;
            w.load(row);
            w.add(step, static_cast<Weight>(x.value[k]));
            w.store(row);
        });
}

// Calls body(integral_constant<N>, first) for blocks of N lanes that cover K outputs.
template <class Body>
inline void for_each_block(int K, Body body) {
    int first = 0;
    for (; K - first > block_lanes - 4; first += block_lanes)
        body(std::integral_constant<int, block_lanes>{}, first);
    switch ((K - first + 3) / 4) {
        case 1:
            return body(std::integral_constant<int, 4>{}, first);
        case 2:
            return body(std::integral_constant<int, 8>{}, first);
        case 3:
            return body(std::integral_constant<int, 12>{}, first);
        case 4:
            return body(std::integral_constant<int, 16>{}, first);
        case 5:
            return body(std::integral_constant<int, 20>{}, first);
        case 6:
            return body(std::integral_constant<int, 24>{}, first);
        case 7:
            return body(std::integral_constant<int, 28>{}, first);
        default:
            return;
    }
}

// Eight weights from anywhere.
template <class Weight>
struct Gathered {
    typedef Weight Vector __attribute__((vector_size(8 * sizeof(Weight))));

    static Vector of(const Weight* w, const std::int32_t* index) {
#if LINDY_VECTOR_BYTES >= 64  // processors without AVX-512 load one by one faster than they gather
        if constexpr (sizeof(Weight) == 4)
            return reinterpret_cast<Vector>(
                _mm256_i32gather_ps(w, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(index)), 4));
#endif
        return Vector{w[index[0]], w[index[1]], w[index[2]], w[index[3]],
                      w[index[4]], w[index[5]], w[index[6]], w[index[7]]};
    }
    template <class Value>
    static Vector values(const Value* v) {
        typedef Value Raw __attribute__((vector_size(8 * sizeof(Value))));
        Raw raw;
        __builtin_memcpy(&raw, v, sizeof raw);
        return __builtin_convertvector(raw, Vector);
    }
};

// x · w for one output, in sixteen partial sums. The next row comes from anywhere in the data: its lines are
// called up one by one meanwhile.
template <class Value, class Weight>
Weight score_one(Row<Value> x, Row<Value> next, const Weight* w) {
    using Eight = Gathered<Weight>;
    typename Eight::Vector a{}, b{};
    std::ptrdiff_t k = 0;
    for (; k + 16 <= x.size; k += 16) {
        const std::ptrdiff_t there = std::min(k, next.size);
        __builtin_prefetch(next.index + there);
        __builtin_prefetch(next.value + there);
        a += Eight::values(x.value + k) * Eight::of(w, x.index + k);
        b += Eight::values(x.value + k + 8) * Eight::of(w, x.index + k + 8);
    }
    for (std::ptrdiff_t there = k; there < next.size; there += 16) {
        __builtin_prefetch(next.index + there);
        __builtin_prefetch(next.value + there);
    }
    Weight rest = 0;
    for (; k < x.size; ++k) rest += static_cast<Weight>(x.value[k]) * w[x.index[k]];
    a += b;
    return (((a[0] + a[4]) + (a[1] + a[5])) + ((a[2] + a[6]) + (a[3] + a[7]))) + rest;
}

// z = xᵀW for all K outputs; z has room for K rounded up to the next multiple of 4.
template <class Value, class Weight>
inline void score_row(Row<Value> x, Row<Value> next, const Weight* W, int K, Weight* z) {
    if (K == 1)
        z[0] = score_one(x, next, W);
    else
        for_each_block(K, [&](auto lanes, int first) {
            score_block<decltype(lanes)::value>(x, next, W + first, K, z + first);
        });
}

// W += x aᵀ; a is 0 behind its K entries.
template <class Value, class Weight>
inline void update_row(Row<Value> x, Row<Value> next, const Weight* a, int K, Weight* W) {
    if (K == 1) return axpy(a[0], x, W);
    for_each_block(K, [&](auto lanes, int first) {
        update_block<decltype(lanes)::value>(x, next, a + first, K, W + first);
    });
}

// W += x aᵀ where only the outputs `active` have an a that is not 0; the weights have just been read.
template <class Value, class Weight>
inline void update_few(Row<Value> x, const Weight* a, const int* active, int n_active, int K, Weight* W) {
    for (std::ptrdiff_t k = 0; k < x.size; ++k) {
        Weight* row = W + static_cast<std::int64_t>(x.index[k]) * K;
        const Weight v = static_cast<Weight>(x.value[k]);
        for (int i = 0; i < n_active; ++i) row[active[i]] += a[active[i]] * v;
    }
}
