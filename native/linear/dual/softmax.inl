// The steps of dual coordinate ascent for softmax, with any number of outputs.

// Softmax: with t = qC, the step solves  u_k + t·e^{u_k} + λ = o_k + t·p_k,  Σ_k e^{u_k} = 1  for p' = e^u by
// Newton's method in (u, λ), from a start between p and softmax(o) that already increases the dual.
struct Softmax {
    // Where t is smaller, one Newton step from softmax(o) is near enough for float fits, and needs no
    // logarithm: log p' ≈ log h + (p' − h)/h gives  p' = h·(1 + t·p − λ)/(1 + t·h).
    static constexpr double weak = 0.3;
    // Otherwise Newton steps end with one this short, whose square is about the error left.
    template <class T>
    static constexpr T enough = static_cast<T>(sizeof(T) == 4 ? 2e-2 : 1e-3);

    template <class Value, class T>
    static void prepare(const DualPass<Value, T>& p, Lanes<T>& l) {
        for (std::int64_t k = 0; k < p.stride; ++k) l.sign[k] = k < p.n_outputs;
    }
    // e = softmax(o) over the lanes that exist; returns log Σ exp(o).
    template <class T>
    static T softmax(const T* o, const T* exists, std::int64_t n, std::int64_t stride, T* e) {
        const T top = row_max(o, n);
        each_vector<T>(stride, [&](auto vector, std::int64_t k) {
            using V = decltype(vector);
            store(fastmath::exp(load<V>(o + k) - top) * load<V>(exists + k), e + k);
        });
        const T sum = row_sum(e, stride);
        each_vector<T>(stride, [&](auto vector, std::int64_t k) {
            using V = decltype(vector);
            store(load<V>(e + k) / (V{} + sum), e + k);
        });
        return top + fastmath::log(sum);
    }
    template <class Value, class T>
    static void step(const DualPass<Value, T>& p, std::int64_t i, Lanes<T>& l) {
        const T c = static_cast<T>(p.c[i]);
        const T t = static_cast<T>(fastmath::max(p.q[i] + p.bias_step, 1e-30)) * c;
        const std::int64_t stride = p.stride;
        T* old = p.dual + i * stride;
        T* next = l.d;
        softmax(l.o, l.sign, p.n_outputs, stride, next);
        each_vector<T>(stride, [&](auto vector, std::int64_t k) {
            using V = decltype(vector);
            const V before = load<V>(old + k), hit = load<V>(next + k);
            store(divergence(before, hit), l.gap + k);
        });
        p.gap[i] = c * row_sum(l.gap, stride);
        if (sizeof(T) == 4 && t < static_cast<T>(weak))
            solve_weak(t, old, stride, l);
        else
            solve(t, old, stride, l);
        each_vector<T>(stride, [&](auto vector, std::int64_t k) {
            using V = decltype(vector);
            const V before = load<V>(old + k), after = load<V>(next + k);
            store(after, old + k);
            store(c * (before - after), l.d + k);
        });
    }
    // p' in l.d, which holds softmax(o).
    template <class T>
    static void solve_weak(T t, const T* old, std::int64_t stride, Lanes<T>& l) {
        each_vector<T>(stride, [&](auto vector, std::int64_t k) {
            using V = decltype(vector);
            const V hit = load<V>(l.d + k), rate = hit / (V{} + T{1} + t * hit);
            store(rate, l.u + k);
            store(rate * (V{} + T{1} + t * load<V>(old + k)), l.v + k);
        });
        const T lambda = (row_sum(l.v, stride) - T{1}) / row_sum(l.u, stride);
        each_vector<T>(stride, [&](auto vector, std::int64_t k) {
            using V = decltype(vector);
            store(load<V>(l.v + k) - lambda * load<V>(l.u + k), l.d + k);
        });
    }
    template <class T>
    static void solve(T t, const T* old, std::int64_t stride, Lanes<T>& l) {
        each_vector<T>(stride, [&](auto vector, std::int64_t k) {
            using V = decltype(vector);
            const V start = (load<V>(l.d + k) + t * load<V>(old + k)) / (V{} + (T{1} + t));
            store(start, l.d + k);
            store(fastmath::log(fastmath::max(start, V{} + static_cast<T>(1e-30))), l.u + k);
            store(load<V>(l.o + k) + t * load<V>(old + k), l.v + k);
        });
        T move = 1;
        for (int round = 0; round < 8 && move > enough<T>; ++round)
            move = newton(t, l.sign, stride, l.d, l.u, l.v, l.gap);
        const T sum = row_sum(l.d, stride);
        each_vector<T>(stride, [&](auto vector, std::int64_t k) {
            using V = decltype(vector);
            store(load<V>(l.d + k) / (V{} + sum), l.d + k);
        });
    }
    // One Newton step; returns the largest |change of u| among lanes that matter. With g = v − u − t·p and
    // h = 1 + t·p:  λ = (Σ p·g/h − 1 + Σ p) / Σ p/h  and  u += (g − λ)/h, no further up than p = 1.
    template <class T>
    static T newton(T t, const T* exists, std::int64_t stride, T* p, T* u, const T* v, T* work) {
        each_vector<T>(stride, [&](auto vector, std::int64_t k) {
            using V = decltype(vector);
            const V pk = load<V>(p + k), h = V{} + T{1} + t * pk;
            store(pk / h, work + k);
        });
        const T mass = row_sum(work, stride);
        const T total = row_sum(p, stride);
        each_vector<T>(stride, [&](auto vector, std::int64_t k) {
            using V = decltype(vector);
            store(load<V>(work + k) * (load<V>(v + k) - load<V>(u + k) - t * load<V>(p + k)), work + k);
        });
        const T lambda = (row_sum(work, stride) - T{1} + total) / mass;
        each_vector<T>(stride, [&](auto vector, std::int64_t k) {
            using V = decltype(vector);
            const V pk = load<V>(p + k), uk = load<V>(u + k);
            const V step = (load<V>(v + k) - uk - t * pk - lambda) / (V{} + T{1} + t * pk);
            const V to = fastmath::min(uk + step, V{});
            const V after = fastmath::exp(to) * load<V>(exists + k);
            const V moved = after - pk;
            store(fastmath::max(moved, -moved), work + k);
            store(to, u + k);
            store(after, p + k);
        });
        return row_max(work, stride);
    }
    template <class Value, class T>
    static void audit(const DualPass<Value, T>& p, std::int64_t i, Lanes<T>& l) {
        const std::int64_t K = p.n_outputs;
        const double top = row_max(l.o, K);
        Doubles sum{}, gap{};
        for (std::int64_t k = 0; k < p.stride; k += 4) {
            const Doubles e = fastmath::exp(doubles(l.o + k) - top) * doubles(l.sign + k);
            store(e, l.wide.data() + k);
            sum += e;
        }
        const double all = total(sum), log_sum = top + fastmath::log(all);
        for (std::int64_t k = 0; k < p.stride; k += 4) {
            const Doubles q = load<Doubles>(l.wide.data() + k) / (Doubles{} + all);
            gap += relative_entropy(doubles(p.dual + i * p.stride + k), q, doubles(l.o + k) - log_sum) *
                   doubles(l.sign + k);
        }
        p.loss[i] = p.c[i] * (log_sum - l.o[p.y[i]]);
        p.gap[i] = p.c[i] * total(gap);
    }
    template <class Value, class T>
    static T coefficient(const DualPass<Value, T>& p, std::int64_t i, std::int64_t k) {
        const T own = k == p.y[i] ? T{1} : T{0};
        return static_cast<T>(p.c[i]) * (own - p.dual[i * p.stride + k]);
    }
};
