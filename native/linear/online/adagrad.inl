// AdaGrad on one feature: every weight has its own step η0/√G, G = Σ (its gradients)². V is a vector of
// outputs, or a number where there is one output.
constexpr double adagrad_floor = 1e-8;

template <class V>
inline V root(V v) {
    if constexpr (std::is_floating_point_v<V>) {
        return std::sqrt(v);
    } else {
        std::remove_cvref_t<decltype(v[0])> each[sizeof v / sizeof v[0]];
        __builtin_memcpy(each, &v, sizeof v);
        for (auto& one : each) one = std::sqrt(one);
        __builtin_memcpy(&v, each, sizeof v);
        return v;
    }
}

// G += d²; returns η0 · d / √G.
template <class V, class Weight>
inline V adagrad_step(V& G, V d, Weight eta0) {
    G += d * d;
    return eta0 * d / (root(G) + static_cast<Weight>(adagrad_floor));
}

// How far W moves in one proximal step in the metric D = √G for the penalties of a while,
// W ← shrink(D·W, l1) / (D + l2), with l1 and l2 already multiplied by η0 and the time.
template <class V, class Weight>
inline V penalty_step(V W, V G, Weight l1, Weight l2) {
    const V zero{}, D = root(G) + static_cast<Weight>(adagrad_floor), scaled = D * W;
    const V less = scaled - l1, more = scaled + l1;
    const V shrunk = (less > zero ? less : zero) + (more < zero ? more : zero);
    return G > zero ? shrunk / (D + l2) - W : zero;
}

// The rows of one feature; U (with the clock A of each output) is null without averaging.
template <class Weight>
struct FeatureRow {
    Weight *W, *G, *U;
    const Weight* A;

    // Calls move(W, G, k) for all vectors of the K outputs, the first of which is k, and adds what it
    // returns. Lanes behind the last output belong to the next feature and are not written.
    template <class Move>
    void for_each_vector(int K, Move move) const {
        constexpr int lanes = native_bytes / static_cast<int>(sizeof(Weight));
        int k = 0;
        for (; k + lanes <= K; k += lanes) apply<lanes>(k, move);
        for (; k + 4 <= K; k += 4) apply<4>(k, move);
        for (; k < K; ++k) {
            const Weight delta = move(W[k], G[k], k);
            W[k] += delta;
            if (U) U[k] += A[k] * delta;
        }
    }

  private:
    template <int N, class Move>
    [[gnu::always_inline]] void apply(int k, Move& move) const {
        typedef Weight Vector __attribute__((vector_size(N * sizeof(Weight))));
        Vector w, g, u, a;
        __builtin_memcpy(&w, W + k, sizeof w);
        __builtin_memcpy(&g, G + k, sizeof g);
        const Vector delta = move(w, g, k);
        w += delta;
        __builtin_memcpy(W + k, &w, sizeof w);
        __builtin_memcpy(G + k, &g, sizeof g);
        if (!U) return;
        __builtin_memcpy(&u, U + k, sizeof u);
        __builtin_memcpy(&a, A + k, sizeof a);
        u += a * delta;
        __builtin_memcpy(U + k, &u, sizeof u);
    }
};
