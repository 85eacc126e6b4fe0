// All outputs of a sparse row at once: one lane per output, added up in the order of the nonzeros, so every
// vector width gives the same bits. Rows of W are read and written in blocks of 4, 8, … 32 lanes; the lanes
// behind the last output belong to the next feature (or to the slack), and 0 is added to them.
#if defined(__AVX512F__)
constexpr int native_bytes = 64;
#elif defined(__AVX__)
constexpr int native_bytes = 32;
#else
constexpr int native_bytes = 16;
#endif

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

// Weights of later nonzeros are called up early: they lie anywhere, and few fit into the instruction window.
constexpr std::ptrdiff_t ahead = 12;

template <int N, class Value, class Weight>
inline void prefetch(Row<Value> x, std::ptrdiff_t k, const Weight* W, std::int64_t stride) {
    const Weight* row = W + x.index[std::min(k, x.size - 1)] * stride;
    __builtin_prefetch(row);
    if constexpr (N * sizeof(Weight) > 32) __builtin_prefetch(row + N - 1);
}

// z = x · W for N neighbouring outputs; `stride` is the length of a row of W.
template <int N, class Value, class Weight>
void score_block(Row<Value> x, const Weight* W, std::int64_t stride, Weight* z) {
    Block<Weight, N> sum, w;
    sum.clear();
    for (std::ptrdiff_t k = 0; k < x.size; ++k) {
        prefetch<N>(x, k + ahead, W, stride);
        w.load(W + x.index[k] * stride);
        sum.add(w, static_cast<Weight>(x.value[k]));
    }
    sum.store(z);
}

// W += x aᵀ for N neighbouring outputs.
template <int N, class Value, class Weight>
void update_block(Row<Value> x, const Weight* a, std::int64_t stride, Weight* W) {
    Block<Weight, N> step, w;
    step.load(a);
    for (std::ptrdiff_t k = 0; k < x.size; ++k) {
        prefetch<N>(x, k + ahead, W, stride);
        Weight* row = W + x.index[k] * stride;
        w.load(row);
        w.add(step, static_cast<Weight>(x.value[k]));
        w.store(row);
    }
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

// z = xᵀW for all K outputs; z has room for K rounded up to the next multiple of 4.
template <class Value, class Weight>
inline void score_row(Row<Value> x, const Weight* W, int K, Weight* z) {
    if (K == 1)
        z[0] = dot(x, W);
    else
        for_each_block(K, [&](auto lanes, int first) {
            score_block<decltype(lanes)::value>(x, W + first, K, z + first);
        });
}

// W += x aᵀ; a is 0 behind its K entries. `active` lists the outputs whose a is not 0.
template <class Value, class Weight>
inline void update_row(Row<Value> x, const Weight* a, const int* active, int n_active, int K, Weight* W) {
    if (K == 1) return axpy(a[0], x, W);
    if (n_active > 3) {
        for_each_block(K, [&](auto lanes, int first) {
            update_block<decltype(lanes)::value>(x, a + first, K, W + first);
        });
        return;
    }
    for (std::ptrdiff_t k = 0; k < x.size; ++k) {
        const std::int64_t later = x.index[std::min(k + ahead, x.size - 1)];
        __builtin_prefetch(W + later * K + active[0], 1);
        Weight* row = W + static_cast<std::int64_t>(x.index[k]) * K;
        const Weight v = static_cast<Weight>(x.value[k]);
        for (int i = 0; i < n_active; ++i) row[active[i]] += a[active[i]] * v;
    }
}
