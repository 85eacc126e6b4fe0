// The steps of dual coordinate ascent for the loss of Crammer and Singer, with any number of outputs.

// Crammer–Singer: z' is the projection of z + (o + ρ)/q on the simplex of size C (all scaled by q here).
struct MulticlassHinge {
    template <class Value, class T>
    static void prepare(const DualPass<Value, T>&, Lanes<T>&) {}

    template <class Value, class T>
    static void add_cost(const DualPass<Value, T>& p, std::int64_t i, T* o) {
        const std::int64_t K = p.n_outputs;
        for (std::int64_t k = 0; k < K; ++k) o[k] += static_cast<T>(p.cost[k * K + p.y[i]]);
    }
    // By how much the output that holds all of z leads the others; 0 if several share it.
    template <class T>
    static T lead(const T* o, const T* z, std::int64_t n, T c) {
        T best = 0, next = 0;
        bool alone = false, any = false;
        for (std::int64_t k = 0; k < n; ++k)
            if (z[k] >= c) {
                best = o[k];
                alone = true;
            } else {
                next = any ? fastmath::max(next, o[k]) : o[k];
                any = true;
            }
        return alone ? fastmath::max(best - next, T{0}) : T{0};
    }
    // τ with Σ_k max(0, v_k − τ) = size: drop what lies below the mean threshold until nothing does.
    template <class T>
    static T threshold(const T* v, std::int64_t n, T size) {
        T tau = 0;
        std::int64_t count = n;
        for (std::int64_t k = 0; k < n; ++k) tau += v[k];
        tau = (tau - size) / static_cast<T>(n);
        while (true) {
            T sum = 0;
            std::int64_t kept = 0;
            for (std::int64_t k = 0; k < n; ++k)
                if (v[k] > tau) sum += v[k], ++kept;
            if (kept >= count || kept == 0) return tau;
            tau = (sum - size) / static_cast<T>(kept);
            count = kept;
        }
    }
    template <class Value, class T>
    static void step(const DualPass<Value, T>& p, std::int64_t i, Lanes<T>& l) {
        const std::int64_t K = p.n_outputs;
        const T q = static_cast<T>(fastmath::max(p.q[i] + p.bias_step, 1e-30));
        const T c = static_cast<T>(p.c[i]);
        T* z = p.dual + i * p.stride;
        add_cost(p, i, l.o);
        const T top = row_max(l.o, K);
        T gap = 0;
        for (std::int64_t k = 0; k < K; ++k) {
            gap += z[k] * (top - l.o[k]);
            l.v[k] = q * z[k] + (l.o[k] - top);
        }
        p.gap[i] = gap;
        const T tau = threshold(l.v, K, q * c);
        bool moved = false;
        for (std::int64_t k = 0; k < K; ++k) {
            const T next = fastmath::min(fastmath::max(l.v[k] - tau, T{0}) / q, c);
            l.d[k] = z[k] - next;
            moved |= l.d[k] != 0;
            z[k] = next;
        }
        if (!moved) p.gap[i] = -lead(l.o, z, K, c);
    }
    template <class Value, class T>
    static void audit(const DualPass<Value, T>& p, std::int64_t i, Lanes<T>& l) {
        const std::int64_t K = p.n_outputs;
        const T own = l.o[p.y[i]];
        add_cost(p, i, l.o);
        const T top = row_max(l.o, K);
        double gap = 0;
        for (std::int64_t k = 0; k < K; ++k)
            gap += static_cast<double>(p.dual[i * p.stride + k]) * (static_cast<double>(top) - l.o[k]);
        p.loss[i] = p.c[i] * (static_cast<double>(top) - own);
        p.gap[i] = gap;
    }
    template <class Value, class T>
    static T coefficient(const DualPass<Value, T>& p, std::int64_t i, std::int64_t k) {
        const T own = k == p.y[i] ? static_cast<T>(p.c[i]) : T{0};
        return own - p.dual[i * p.stride + k];
    }
};
