// The losses: what each of them is, once, for every solver.
//
// A margin loss is a convex function ℓ of m = s·o, s = ±1 telling whether the output stands for the row's
// class; `target` is the margin that is asked for: 1, or the cost ρ of the binary loss of Crammer and Singer.
//
//     at(m, target)         ℓ(m), its slope −ℓ′(m) and its curvature ℓ″(m)
//     conjugate(p)          ℓ*(−p) for p = α/C
//     step(m, α, row)       the α that maximises the dual along its coordinate, where the row has q = ‖x‖²:
//                           argmax_a  −C·ℓ*(−a/C) − m·(a − α) − ½q·(a − α)²
//     gap(m, α, row)        C·ℓ(m) + C·ℓ*(−α/C) + α·m, the row's term of the duality gap, without
//                           cancellation
//     settled(m, α, row)    how far beyond the kink a margin is whose α sits at a bound; 0 for all others
//
// Functions work on numbers or on vectors of them. A joint loss compares the outputs of several classes; its
// dual variables z lie on the simplex of size C, and z = C·e_y adds nothing to the weights:
//
//     step(z, row, lanes)       z′ = argmax  −C·ℓ*(−a/C) + ⟨a − z, o⟩ − ½q‖a − z‖²  into lanes.next; returns
//                               an estimate of the gap term before it, or minus the distance of a settled row
//     terms(o, z, c, n, y, p)   loss and gap term; p is room for n numbers, as o and z up to a multiple of 4

template <class V>
struct LossAt {
    V value, slope, curvature;
};

// What a dual step is told of a row: q = ‖x‖², C, the target, and the largest q·C among the lanes.
template <class V>
struct DualRow {
    V q, c, target;
    double stiffness;
};

// The new variable, and an estimate of the gap term before the step.
template <class V>
struct DualStep {
    V alpha, gap;
};

// max(0, target − m), 0 ≤ α ≤ C:  α ← clip(α + (target − m)/q, 0, C)
struct Hinge {
    static constexpr bool bounded = true;  // whether α ≤ C

    template <class V>
    static LossAt<V> at(V m, V target) {
        using S = typename fastmath::Lane<V>::Scalar;
        const V slack = target - m;
        return {fastmath::max(slack, V{}), slack > V{} ? V{} + S{1} : V{}, V{}};
    }
    template <class V>
    static V conjugate(V p) {
        return -p;
    }
    template <class V>
    static DualStep<V> step(V m, V alpha, const DualRow<V>& row) {
        const V slack = row.target - m;
        return {fastmath::min(fastmath::max(alpha + slack / row.q, V{}), row.c), gap(m, alpha, row)};
    }
    template <class V>
    static V gap(V m, V alpha, const DualRow<V>& row) {
        const V slack = row.target - m;
        return slack > V{} ? (row.c - alpha) * slack : -alpha * slack;
    }
    template <class V>
    static V settled(V m, V alpha, const DualRow<V>& row) {
        const V slack = row.target - m;
        const V below = alpha <= V{} ? fastmath::max(-slack, V{}) : V{};
        return alpha >= row.c ? fastmath::max(slack, V{}) : below;
    }
};

// max(0, target − m)², α ≥ 0; with D = 1/(2C):  α ← max(0, α + (target − m − D·α)/(q + D))
struct SquaredHinge {
    static constexpr bool bounded = false;  // whether α ≤ C

    template <class V>
    static LossAt<V> at(V m, V target) {
        using S = typename fastmath::Lane<V>::Scalar;
        const V slack = fastmath::max(target - m, V{});
        return {slack * slack, slack + slack, slack > V{} ? V{} + S{2} : V{}};
    }
    template <class V>
    static V conjugate(V p) {
        using S = typename fastmath::Lane<V>::Scalar;
        return S{0.25} * p * p - p;
    }
    template <class V>
    static DualStep<V> step(V m, V alpha, const DualRow<V>& row) {
        using S = typename fastmath::Lane<V>::Scalar;
        const V d = S{0.5} / row.c;
        const V next = fastmath::max(alpha + (row.target - m - d * alpha) / (row.q + d), V{});
        return {next, gap(m, alpha, row)};
    }
    template <class V>
    static V gap(V m, V alpha, const DualRow<V>& row) {
        using S = typename fastmath::Lane<V>::Scalar;
        const V slack = row.target - m;
        const V off = fastmath::max(slack, V{}) - S{0.5} * alpha / row.c;
        return row.c * off * off + alpha * fastmath::max(-slack, V{});
    }
    template <class V>
    static V settled(V m, V alpha, const DualRow<V>& row) {
        return alpha <= V{} ? fastmath::max(m - row.target, V{}) : V{};
    }
};

// q − p + p·log(p/q) = p·(e^Δ − 1 − Δ) with Δ = log(q/p): one term of a relative entropy, by its series where
// p and q are close.
template <class V>
inline V relative_entropy(V p, V q, V log_q) {
    using S = typename fastmath::Lane<V>::Scalar;
    constexpr S sixth = S{1} / 6, small = sizeof(S) == 4 ? S(0.1) : S(0.01);
    const V delta = log_q - fastmath::log(p);
    const V series = S{0.5} + delta * (sixth + delta * (sixth / 4 + delta * (sixth / 20)));
    return fastmath::max(delta, -delta) < V{} + small ? p * delta * delta * series : q - p - p * delta;
}

// (p − q)²/(p + q), about the same without a logarithm.
template <class V>
inline V divergence(V p, V q) {
    using S = typename fastmath::Lane<V>::Scalar;
    return (p - q) * (p - q) / fastmath::max(p + q, V{} + static_cast<S>(1e-30));
}

// log(1 + e^−m), 0 < α < C.  With p = α/C and t = qC the step solves  u + t·σ(u) = t·p − m  for p' = σ(u).
struct Logistic {
    static constexpr bool bounded = true;  // whether α ≤ C

    template <class V>
    static LossAt<V> at(V m, V) {
        using S = typename fastmath::Lane<V>::Scalar;
        const V e = fastmath::exp(m > V{} ? -m : m);  // σ(|m|) is 1/(1 + e)
        const V sum = e + S{1};
        const V near = S{1} / sum;
        const V tail = e * near;
        const V value = (m > V{} ? V{} : -m) + (fastmath::log(sum) + (e - (sum - S{1})) * near);
        return {value, m > V{} ? tail : near, tail * near};
    }
    template <class V>
    static V conjugate(V p) {
        using S = typename fastmath::Lane<V>::Scalar;
        const V rest = fastmath::max(S{1} - p, V{});
        return p * fastmath::log(p) + rest * fastmath::log(rest);
    }
    // The start, between p and σ(−m), already raises the dual, and so does every Newton step. Left of 0 the
    // equation's left side is convex, right of it concave: on the root's side of 0 one step may go too far,
    // the next cannot. Steps double the digits; the larger t, the more of them the start is off by.
    template <class V>
    static DualStep<V> step(V m, V alpha, const DualRow<V>& row) {
        using S = typename fastmath::Lane<V>::Scalar;
        const V one = V{} + S{1}, tiny = V{} + static_cast<S>(1e-30);
        const V p = alpha / row.c, t = row.q * row.c;
        const V e = fastmath::exp(m > V{} ? -m : m);
        const V low = (m > V{} ? e : one) / (one + e);  // σ(−m)
        const V hit = low + t * p;
        const V miss = (m > V{} ? one : e) / (one + e) + t * fastmath::max(one - p, V{});
        const V target = t * p - m, half = S{0.5} * t;
        const auto aside = [&](V u) { return target > half ? fastmath::max(u, V{}) : fastmath::min(u, V{}); };
        V u = aside(fastmath::log(fastmath::max(hit, tiny) / fastmath::max(miss, tiny)));
        const int rounds = (row.stiffness < 2 ? 2 : row.stiffness < 20 ? 4 : 6) - (sizeof(S) == 4);
        for (int round = 0; round < rounds; ++round) {
            const V next = fastmath::sigmoid(u);
            u = aside(u - (u + t * next - target) / (one + t * next * (one - next)));
        }
        const V gap = row.c * (divergence(p, low) + divergence(one - p, one - low));
        return {row.c * fastmath::sigmoid(u), gap};
    }
    template <class V>
    static V gap(V m, V alpha, const DualRow<V>& row) {
        using S = typename fastmath::Lane<V>::Scalar;
        const V one = V{} + S{1};
        const V p = fastmath::min(alpha / row.c, one);
        const LossAt<V> far = at(m > V{} ? m : -m, V{});
        const V lost = fastmath::max(-m, V{}) + far.value, kept = fastmath::max(m, V{}) + far.value;
        const V hit = m > V{} ? far.slope : one - far.slope;  // σ(−m)
        return row.c * (relative_entropy(p, hit, -kept) + relative_entropy(one - p, one - hit, -lost));
    }
    template <class V>
    static V settled(V, V, const DualRow<V>&) {
        return V{};
    }
};

// Calls body with the form of a loss for one output; the hinge with target 0 is the perceptron's.
template <class Body>
inline auto with_margin_loss(LossName loss, Body body) {
    switch (loss) {
        case LossName::log:
        case LossName::log_ovr:
            return body(Logistic{});
        case LossName::squared_hinge:
            return body(SquaredHinge{});
        case LossName::hinge:
        case LossName::multiclass_hinge:
        case LossName::perceptron:
            return body(Hinge{});
    }
    __builtin_unreachable();  // the compiler warns of a name that has no case
}

template <class T>
inline T largest(const T* v, std::int64_t n) {
    T top = v[0];
    for (std::int64_t k = 1; k < n; ++k) top = v[k] > top ? v[k] : top;
    return top;
}

// The outputs of one row: n of them, and zeros up to `stride`, a multiple of 4.
template <class T>
struct Lanes {
    std::int64_t n, stride;
    T* o;             // scores, with the costs where the loss has them
    T* next;          // the new dual variables
    T *u, *v, *work;  // room
    const T* exists;  // 1 for an output, 0 for padding

    // Four at a time: the compiler makes no vectors of loops that call exp or log.
    typedef T Quad __attribute__((vector_size(4 * sizeof(T))));
    static Quad get(const T* from, std::int64_t k) {
        Quad quad;
        __builtin_memcpy(&quad, from + k, sizeof quad);
        return quad;
    }
    static void put(Quad quad, T* to, std::int64_t k) { __builtin_memcpy(to + k, &quad, sizeof quad); }

    // Σ_k v_k with four partial sums.
    T sum(const T* v_) const {
        T part[4] = {};
        for (std::int64_t k = 0; k < stride; k += 4)
            for (int j = 0; j < 4; ++j) part[j] += v_[k + j];
        return (part[0] + part[1]) + (part[2] + part[3]);
    }
};

struct Terms {
    double loss, gap;
};

// log Σ_k exp(o_k) − o_y, whose gradient is softmax(o) − e_y.  With p = z/C and t = qC the step solves
//     u_k + t·e^{u_k} + λ = o_k + t·p_k,   Σ_k e^{u_k} = 1      for p′ = e^u
// by Newton's method in (u, λ), from a start between p and softmax(o) that already raises the dual.
struct Softmax {
    static constexpr bool has_cost = false;
    // Newton steps end with one this short, whose square is about the error left.
    template <class T>
    static constexpr T enough = static_cast<T>(sizeof(T) == 4 ? 2e-2 : 1e-3);

    template <class T>
    struct Normaliser {  // log Σ exp(o) = top + log_sum
        T top, log_sum;
    };
    // Leaves softmax(o) in p, which may be o itself.
    template <class T>
    static Normaliser<T> at(const T* o, std::int64_t n, T* p) {
        const T top = largest(o, n);
        for (std::int64_t k = 0; k < n; ++k) p[k] = fastmath::exp(o[k] - top);
        T sum = 0;
        for (std::int64_t k = 0; k < n; ++k) sum += p[k];
        const T inverse = T{1} / sum;
        for (std::int64_t k = 0; k < n; ++k) p[k] *= inverse;
        return {top, fastmath::log(sum)};
    }
    // The conjugate at p − e_y is Σ_k p_k·log p_k; this is one term of it.
    template <class V>
    static V conjugate(V p) {
        return p * fastmath::log(p);
    }
    template <class T>
    static T step(const T* z, const DualRow<T>& row, Lanes<T>& l) {
        using Quad = typename Lanes<T>::Quad;
        const T t = row.q * row.c, share = T{1} / row.c, part = T{1} / (T{1} + t), top = largest(l.o, l.n);
        for (std::int64_t k = 0; k < l.stride; k += 4)
            l.put(fastmath::exp(l.get(l.o, k) - top) * l.get(l.exists, k), l.next, k);
        const T inverse = T{1} / l.sum(l.next);
        for (std::int64_t k = 0; k < l.stride; k += 4) {
            const Quad p = l.get(z, k) * share, hit = l.get(l.next, k) * inverse,
                       start = (hit + t * p) * part;
            l.put(divergence(p, hit), l.work, k);
            l.put(start, l.next, k);
            l.put(fastmath::log(fastmath::max(start, Quad{} + static_cast<T>(1e-30))), l.u, k);
            l.put(l.get(l.o, k) + t * p, l.v, k);
        }
        const T gap = row.c * l.sum(l.work);
        T move = 1;
        for (int round = 0; round < 8 && move > enough<T>; ++round) move = newton(t, l);
        const T size = row.c / l.sum(l.next);
        for (std::int64_t k = 0; k < l.stride; ++k) l.next[k] *= size;
        return gap;
    }
    static Terms terms(const double* o, const double* z, double c, std::int64_t n, std::int32_t y,
                       double* p) {
        const auto [top, log_sum] = at(o, n, p);
        double gap = 0;
        using Double = Lanes<double>;
        for (std::int64_t k = 0; k < n; k += 4)
            Double::put(relative_entropy(Double::get(z, k) / c, Double::get(p, k),
                                         (Double::get(o, k) - top) - log_sum),
                        p, k);
        for (std::int64_t k = 0; k < n; ++k) gap += p[k];
        return {c * (log_sum + (top - o[y])), c * gap};
    }

  private:
    // One step; returns the largest change of p. With g = v − u − t·p and h = 1 + t·p:
    // λ = (Σ p·g/h − 1 + Σ p) / Σ p/h  and  u += (g − λ)/h, no further up than p = 1.
    template <class T>
    static T newton(T t, Lanes<T>& l) {
        using Quad = typename Lanes<T>::Quad;
        for (std::int64_t k = 0; k < l.stride; ++k) l.work[k] = l.next[k] / (T{1} + t * l.next[k]);
        const T mass = l.sum(l.work), total = l.sum(l.next);
        for (std::int64_t k = 0; k < l.stride; ++k) l.work[k] *= l.v[k] - l.u[k] - t * l.next[k];
        const T lambda = (l.sum(l.work) - T{1} + total) / mass;
        for (std::int64_t k = 0; k < l.stride; k += 4) {
            const Quad p = l.get(l.next, k), u = l.get(l.u, k);
            const Quad step = (l.get(l.v, k) - u - t * p - lambda) / (t * p + T{1});
            const Quad to = fastmath::min(u + step, Quad{});
            const Quad after = fastmath::exp(to) * l.get(l.exists, k);
            l.put(fastmath::max(after - p, p - after), l.work, k);
            l.put(to, l.u, k);
            l.put(after, l.next, k);
        }
        return largest(l.work, l.stride);
    }
};

// max_k (ρ(k, y) + o_k) − o_y (Crammer and Singer):  z′ is the projection of z + (o + ρ)/q on the simplex.
struct MulticlassHinge {
    static constexpr bool has_cost = true;

    // τ with Σ_k max(0, v_k − τ) = size: what lies below the mean threshold is dropped until nothing does
    // (Michelot 1986).
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
    template <class T>
    static T step(const T* z, const DualRow<T>& row, Lanes<T>& l) {
        const T top = largest(l.o, l.n);
        T gap = 0;
        for (std::int64_t k = 0; k < l.n; ++k) {
            gap += z[k] * (top - l.o[k]);
            l.v[k] = row.q * z[k] + (l.o[k] - top);
        }
        const T tau = threshold(l.v, l.n, row.q * row.c);
        bool moved = false;
        for (std::int64_t k = 0; k < l.n; ++k) {
            l.next[k] = fastmath::min(fastmath::max(l.v[k] - tau, T{0}) / row.q, row.c);
            moved |= l.next[k] != z[k];
        }
        return moved ? gap : -lead(l.o, z, l.n, row.c);
    }
    static Terms terms(const double* o, const double* z, double c, std::int64_t n, std::int32_t y, double*) {
        const double top = largest(o, n);
        double gap = 0;
        for (std::int64_t k = 0; k < n; ++k) gap += z[k] * (top - o[k]);
        return {c * (top - o[y]), gap};
    }

  private:
    // By how much the output that holds all of z leads the others; 0 if several share it.
    template <class T>
    static T lead(const T* o, const T* z, std::int64_t n, T c) {
        std::int64_t own = -1;
        for (std::int64_t k = 0; k < n; ++k)
            if (z[k] >= c) own = k;
        if (own < 0) return T{0};
        T next = o[own == 0 ? 1 : 0];
        for (std::int64_t k = 0; k < n; ++k)
            if (k != own) next = fastmath::max(next, o[k]);
        return fastmath::max(o[own] - next, T{0});
    }
};

// Calls body with the form of a joint loss for several outputs.
template <class Body>
inline auto with_joint_loss(LossName loss, Body body) {
    return loss == LossName::log ? body(Softmax{}) : body(MulticlassHinge{});
}
