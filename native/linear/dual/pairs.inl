// One pass of dual coordinate ascent that takes two rows at a time, with up to four outputs, and its audit.
//
// The operations of a step wait for one another and four lanes fill half a vector, so that the steps of two
// rows cost hardly more than those of one. Both start from the same weights, which never makes the dual
// worse: step i gains at least ½‖x_i·δ_iᵀ‖², step j alike, and what they lose to each other, x_iᵀx_j·δ_iᵀδ_j,
// is no more than the two together.

// Lanes 0 to 3 belong to the first row, 4 to 7 to the second.
template <class T>
struct Pair {
    typedef T Lanes __attribute__((vector_size(8 * sizeof(T))));
};

template <class V, class T>
inline V both(T first, T second) {
    return V{first, first, first, first, second, second, second, second};
}

template <class V, class T>
inline V both_rows(const T* first, const T* second) {
    V v;
    __builtin_memcpy(&v, first, 4 * sizeof(T));
    __builtin_memcpy(reinterpret_cast<char*>(&v) + 4 * sizeof(T), second, 4 * sizeof(T));
    return v;
}

template <class V, class T>
inline void store_rows(V v, T* first, T* second) {
    __builtin_memcpy(first, &v, 4 * sizeof(T));
    __builtin_memcpy(second, reinterpret_cast<const char*>(&v) + 4 * sizeof(T), 4 * sizeof(T));
}

// Every lane holds the sum (the maximum, the minimum) of its row's four.
template <class V>
inline V row_sums(V v) {
    v += __builtin_shufflevector(v, v, 1, 0, 3, 2, 5, 4, 7, 6);
    return v + __builtin_shufflevector(v, v, 2, 3, 0, 1, 6, 7, 4, 5);
}

template <class V>
inline V row_maxima(V v) {
    v = fastmath::max(v, __builtin_shufflevector(v, v, 1, 0, 3, 2, 5, 4, 7, 6));
    return fastmath::max(v, __builtin_shufflevector(v, v, 2, 3, 0, 1, 6, 7, 4, 5));
}

template <class V>
inline V row_minima(V v) {
    return -row_maxima(-v);
}

// What two steps are given, besides the scores and the present variables.
template <class V>
struct PairOfRows {
    V q, c;         // ‖x‖² (with the bias) and C
    V own, exists;  // 1 in the lane of the row's class, and in every lane that is no padding
    V cost;         // ρ of predicting a lane, for the losses that have it
    double widest;  // the larger q·C
};

// The losses whose outputs do not look at each other.
template <class Loss>
struct SeparatePair {
    template <class V>
    static Step<V> step(V o, V alpha, const PairOfRows<V>& row) {
        const Step<V> step = Loss::step(sign(row) * o, alpha, row.q, row.c, one<V>(), row.widest);
        return {step.alpha * row.exists, step.gap * row.exists};
    }
    // A row's term; or, below 0, by how much all of its outputs are settled.
    template <class V>
    static V met(V o, V before, const Step<V>& step, const PairOfRows<V>& row) {
        const V rest = Loss::settled(sign(row) * o, before, row.c, one<V>());
        const V settled =
            row_minima(row.exists != V{} ? (step.alpha == before ? rest : V{}) : V{} + scalar<V>(1e30));
        return settled > V{} ? -settled : row_sums(step.gap);
    }
    template <class V>
    static V change(V before, V after, const PairOfRows<V>& row) {
        return sign(row) * (after - before);
    }
    template <class V>
    static Terms<V> terms(V o, V alpha, const PairOfRows<V>& row) {
        const Terms<V> terms = Loss::terms(sign(row) * o, alpha, row.c, one<V>());
        return {terms.loss * row.c * row.exists, terms.gap * row.exists};
    }
    template <class V>
    static V sign(const PairOfRows<V>& row) {
        return row.own + row.own - row.exists;
    }

  private:
    template <class V>
    static auto scalar(double value) {
        return static_cast<typename fastmath::Lane<V>::Scalar>(value);
    }
    template <class V>
    static V one() {
        return V{} + scalar<V>(1);
    }
};

// The steps of Softmax, in registers.
struct SoftmaxPair {
    template <class V>
    static Step<V> step(V o, V before, const PairOfRows<V>& row) {
        using S = typename fastmath::Lane<V>::Scalar;
        const V one = V{} + S{1}, t = row.q * row.c, tiny = V{} + static_cast<S>(1e-30);
        const V top = row_maxima(row.exists != V{} ? o : V{} + static_cast<S>(-1e30));
        const V e = fastmath::exp(o - top) * row.exists;
        const V hit = e / row_sums(e);
        V p;
        if (sizeof(S) == 4 && row.widest < Softmax::weak) {
            const V rate = hit / (one + t * hit), wish = rate * (one + t * before);
            p = wish - (row_sums(wish) - one) / row_sums(rate) * rate;
        } else {
            p = (hit + t * before) / (one + t);
            V u = fastmath::log(fastmath::max(p, tiny));
            const V v = o + t * before;
            S move = 1;
            for (int round = 0; round < 8 && move > Softmax::enough<S>; ++round) {
                const V inverse = one / (one + t * p), mass = p * inverse, g = v - u - t * p;
                const V lambda = (row_sums(mass * g + p) - one) / row_sums(mass);
                u = fastmath::min(u + (g - lambda) * inverse, V{});
                const V after = fastmath::exp(u) * row.exists;
                const V moved = row_maxima(fastmath::max(after - p, p - after));
                move = fastmath::max(moved[0], moved[4]);
                p = after;
            }
            p /= row_sums(p);
        }
        return {p, row.c * divergence(before, hit)};
    }
    template <class V>
    static V met(V, V, const Step<V>& step, const PairOfRows<V>&) {
        return row_sums(step.gap);
    }
    template <class V>
    static V change(V before, V after, const PairOfRows<V>& row) {
        return row.c * (before - after);
    }
    // loss and gap per unit of C, spread over the lanes
    template <class V>
    static Terms<V> terms(V o, V p, const PairOfRows<V>& row) {
        using S = typename fastmath::Lane<V>::Scalar;
        const V top = row_maxima(row.exists != V{} ? o : V{} + static_cast<S>(-1e30));
        const V e = fastmath::exp(o - top) * row.exists;
        const V sum = row_sums(e), log_sum = fastmath::log(sum);
        const V gap = relative_entropy(p, e / sum, (o - top) - log_sum);
        return {(log_sum + (top - o)) * row.own * row.c, gap * row.exists * row.c};
    }
};

// The steps of MulticlassHinge, in registers.
struct MulticlassHingePair {
    template <class V>
    static Step<V> step(V o, V z, const PairOfRows<V>& row) {
        const V priced = with_cost(o, row), short_of = row_maxima(priced) - priced;
        const V v = row.exists != V{} ? row.q * z - short_of : priced;
        const V after = fastmath::max(v - threshold(v, row.q * row.c), V{}) / row.q;
        return {fastmath::min(after, row.c), row.exists != V{} ? z * short_of : V{}};
    }
    // A row's term; or, below 0, by how much the output that holds all of z leads the others.
    template <class V>
    static V met(V o, V z, const Step<V>& step, const PairOfRows<V>& row) {
        using S = typename fastmath::Lane<V>::Scalar;
        const V priced = with_cost(o, row), one = V{} + S{1}, low = lowest<V>();
        const V next = row_maxima(z >= row.c ? low : priced), best = row_maxima(z >= row.c ? priced : low);
        const V lead = best > low ? fastmath::max(best - next, V{}) : V{};
        return row_maxima(step.alpha != z ? one : V{}) > V{} ? row_sums(step.gap) : -lead;
    }
    template <class V>
    static V change(V before, V after, const PairOfRows<V>&) {
        return before - after;
    }
    template <class V>
    static Terms<V> terms(V o, V z, const PairOfRows<V>& row) {
        const V priced = with_cost(o, row), top = row_maxima(priced);
        return {(top - o) * row.own * row.c, row.exists != V{} ? z * (top - priced) : V{}};
    }

  private:
    template <class V>
    static V with_cost(V o, const PairOfRows<V>& row) {
        return row.exists != V{} ? o + row.cost : lowest<V>();
    }
    // below every score, and small enough to be added up
    template <class V>
    static V lowest() {
        using S = typename fastmath::Lane<V>::Scalar;
        return V{} - static_cast<S>(sizeof(S) == 4 ? 1e37 : 1e300);
    }
    // τ with Σ_k max(0, v_k − τ) = size is the largest of (the sum of the n largest − size) / n.
    template <class V>
    static V threshold(V v, V size) {
        using S = typename fastmath::Lane<V>::Scalar;
        const V none{}, share = {1, S(0.5), S(1) / 3, S(0.25), 1, S(0.5), S(1) / 3, S(0.25)};
        const V even = {1, 0, 1, 0, 1, 0, 1, 0}, front = {1, 1, 0, 0, 1, 1, 0, 0};
        const auto sort = [&v](V other, V first) {
            v = first != V{} ? fastmath::max(v, other) : fastmath::min(v, other);
        };
        sort(__builtin_shufflevector(v, v, 1, 0, 3, 2, 5, 4, 7, 6), even);
        sort(__builtin_shufflevector(v, v, 2, 3, 0, 1, 6, 7, 4, 5), front);
        sort(__builtin_shufflevector(v, v, 0, 2, 1, 3, 4, 6, 5, 7), front);
        v += __builtin_shufflevector(v, none, 8, 0, 1, 2, 8, 4, 5, 6);
        v += __builtin_shufflevector(v, none, 8, 8, 0, 1, 8, 8, 4, 5);
        return row_maxima((v - size) * share);
    }
};

template <class Value, class T>
struct PairReader {
    using V = typename Pair<T>::Lanes;
    static constexpr V lane = {0, 1, 2, 3, 0, 1, 2, 3};

    explicit PairReader(const DualPass<Value, T>& pass) : p(pass) {
        row.exists = lane < V{} + static_cast<T>(p.n_outputs) ? V{} + T{1} : V{};
        const std::int64_t K = p.n_outputs;
        for (std::int64_t k = 0; k < 4 * K; ++k)
            costs[k] = k % 4 < K ? static_cast<T>(p.cost[k % 4 * K + k / 4]) : T{0};
    }
    const PairOfRows<V>& at(std::int64_t i, std::int64_t j) {
        const V bias_step = V{} + static_cast<T>(p.bias_step), least = V{} + static_cast<T>(1e-30);
        row.q = fastmath::max(both<V>(static_cast<T>(p.q[i]), static_cast<T>(p.q[j])) + bias_step, least);
        row.c = both<V>(static_cast<T>(p.c[i]), static_cast<T>(p.c[j]));
        row.own = lane == both<V>(static_cast<T>(p.y[i]), static_cast<T>(p.y[j])) ? V{} + T{1} : V{};
        row.cost = both_rows<V>(costs + 4 * p.y[i], costs + 4 * p.y[j]);
        row.widest = static_cast<double>(fastmath::max(row.q[0] * row.c[0], row.q[4] * row.c[4]));
        return row;
    }
    const DualPass<Value, T>& p;
    PairOfRows<V> row{};
    T costs[16];  // the column of ρ for each class
};

// b + lead·xᵀW of two rows.
template <bool Quads, class V, class Value, class T>
[[gnu::always_inline]] inline V pair_scores(const DualPass<Value, T>& p, Row<Value> first, Row<Value> second,
                                            V b) {
    if constexpr (!Quads) {
        T zero[4] = {}, a[4], c[4];
        row_scores(first, Row<Value>{}, p.w, zero, 4, a);
        row_scores(second, Row<Value>{}, p.w, zero, 4, c);
        return b + static_cast<T>(p.lead) * both_rows<V>(a, c);
    }
    const auto o = quad_scores(first, p.w), u = quad_scores(second, p.w);
    return b + static_cast<T>(p.lead) * __builtin_shufflevector(o, u, 0, 1, 2, 3, 4, 5, 6, 7);
}

template <bool Quads, class Loss, class OneRow, class Value, class T>
void pairs_pass_with(const DualPass<Value, T>& p, const std::int32_t* order, std::int64_t n) {
    using V = typename Pair<T>::Lanes;
    const FlushToZero guard;
    PairReader<Value, T> read(p);
    const T bias_step = static_cast<T>(p.bias_step);
    V b = both_rows<V>(p.b, p.b);
    for (std::int64_t at = 0; at + 1 < n; at += 2) {
        const std::int64_t i = order[at], j = order[at + 1];
        const Row<Value> first = p.x.row(i), second = p.x.row(j);
        prefetch_rows(p, order, at + 1, n);
        prefetch_rows(p, order, at + 2, n);
        const V o = pair_scores<Quads>(p, first, second, b);
        const PairOfRows<V>& row = read.at(i, j);
        T *const dual_i = p.dual + i * 4, *const dual_j = p.dual + j * 4;
        const V before = both_rows<V>(dual_i, dual_j);
        const Step<V> step = Loss::step(o, before, row);
        const V gap = Loss::met(o, before, step, row);
        p.gap[i] = gap[0];
        p.gap[j] = gap[4];
        store_rows(step.alpha, dual_i, dual_j);
        const V d = Loss::change(before, step.alpha, row), moved = row_maxima(d != V{} ? V{} + T{1} : V{});
        if constexpr (!Quads) {
            T a[4], c[4];
            store_rows(d, a, c);
            row_update(first, a, 4, p.w);
            row_update(second, c, 4, p.w);
        }
        if (Quads && moved[0] != 0) quad_update(first, __builtin_shufflevector(d, d, 0, 1, 2, 3), p.w);
        if (Quads && moved[4] != 0) quad_update(second, __builtin_shufflevector(d, d, 4, 5, 6, 7), p.w);
        b += bias_step * (d + __builtin_shufflevector(d, d, 4, 5, 6, 7, 0, 1, 2, 3));
    }
    store(__builtin_shufflevector(b, b, 0, 1, 2, 3), p.b);
    if (n % 2 != 0) lanes_pass<OneRow>(p, order + n - 1, 1);
}

template <class Loss, class OneRow, class Value, class T>
void pairs_pass(const DualPass<Value, T>& p, const std::int32_t* order, std::int64_t n) {
    if (p.stride != 4 || switched_off("pairs")) return lanes_pass<OneRow>(p, order, n);
    if (switched_off("quads")) return pairs_pass_with<false, Loss, OneRow, Value, T>(p, order, n);
    return pairs_pass_with<true, Loss, OneRow, Value, T>(p, order, n);
}

// The terms of float fits in float too: their errors are those of the scores.
template <class Loss, class OneRow, class Value, class T>
void pairs_audit(const DualPass<Value, T>& p, std::int64_t begin, std::int64_t end) {
    if (p.stride != 4 || sizeof(T) != 4 || switched_off("pairs") || switched_off("pairs audit")) return lanes_audit<OneRow>(p, begin, end);
    using V = typename Pair<T>::Lanes;
    PairReader<Value, T> read(p);
    const V b = both_rows<V>(p.b, p.b);
    std::int64_t i = begin;
    for (; i + 1 < end; i += 2) {
        const V o = pair_scores<true>(p, p.x.row(i), p.x.row(i + 1), b);
        const auto [losses, gaps] = Loss::terms(o, load<V>(p.dual + i * 4), read.at(i, i + 1));
        const V loss = row_sums(losses), gap = row_sums(gaps);
        for (int r = 0; r < 2; ++r) {
            const bool counts = p.c[i + r] > 0;
            p.loss[i + r] = counts ? static_cast<double>(loss[4 * r]) : 0.0;
            p.gap[i + r] = counts ? static_cast<double>(gap[4 * r]) : 0.0;
        }
    }
    if (i < end) lanes_audit<OneRow>(p, i, end);
}
