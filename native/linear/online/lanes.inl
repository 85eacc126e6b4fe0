// All outputs of a sparse row at once: one lane per output, added up in the order of the nonzeros, so every
// vector width gives the same bits. Rows of W are read and written in blocks of 4, 8, … 32 lanes; the lanes
// behind the last output belong to the next feature (or to the slack), and 0 is added to them.
#include "core/prefetch.inl"

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

// Calls body(integral_constant<N>) for the multiple N of 4 that covers K ≤ 32 outputs.
template <int N = 4, class Body>
inline void with_lanes(int K, Body body) {
    if constexpr (N < block_lanes)
        if (K > N) return with_lanes<N + 4>(K, body);
    body(std::integral_constant<int, N>{});
}

// Calls body(integral_constant<N>, first) for blocks of N lanes that cover K outputs.
template <class Body>
inline void for_each_block(int K, Body body) {
    for (int first = 0; first < K; first += block_lanes)
        with_lanes(std::min(K - first, block_lanes), [&](auto lanes) { body(lanes, first); });
}

// x · w; meanwhile the next row is prefetched, two cache lines at a time: all at once they would queue. Where
// there is no next row, x itself is.
template <class Value, class Weight>
inline Weight dot_ahead(Row<Value> x, Row<Value> next, const Weight* w) {
    if (next.size == 0) next = x;
    return long_dot(x, w, [&](std::ptrdiff_t k) { prefetch_entries(next, k); });
}

// z = xᵀW for all K outputs; z has room for K rounded up to the next multiple of 4.
template <class Value, class Weight>
inline void score_row(Row<Value> x, Row<Value> next, const Weight* W, int K, Weight* z) {
    if (K == 1)
        z[0] = dot_ahead(x, next, W);
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
