// The one-dimensional steps of dual coordinate ascent, for one output or a vector of them.
//
// step(m, alpha, q, c) is given the margins m = s·o, the present dual variables, q = ‖x‖² and c = C_i; it
// returns the variables that maximise the dual along this coordinate, and (roughly, for scheduling) the
// Fenchel–Young terms before the step. fenchel_young and value are the exact terms, in double, for the
// certificate.

template <class V>
struct Step {
    V alpha, gap;
};

// max(0, margin − m):  0 ≤ α ≤ C.  A margin other than 1 is the cost of the binary Crammer–Singer loss.
struct Hinge {
    template <class V>
    static Step<V> step(V m, V alpha, V q, V c, V margin, double) {
        const V slack = margin - m;
        const V next = fastmath::min(fastmath::max(alpha + slack / q, V{}), c);
        return {next, c * fastmath::max(slack, V{}) - alpha * slack};
    }
    template <class V>
    static V settled(V m, V next, V c, V margin) {
        const V slack = margin - m;
        const V below = next <= V{} ? fastmath::max(-slack, V{}) : V{};
        return next >= c ? fastmath::max(slack, V{}) : below;
    }
    static double value(double m, double margin) { return fastmath::max(margin - m, 0.0); }
    static double fenchel_young(double m, double alpha, double c, double margin) {
        const double slack = margin - m;
        return slack > 0 ? (c - alpha) * slack : -alpha * slack;
    }
};

// max(0, 1 − m)²:  α ≥ 0, and the dual has D = 1/(2C) on its diagonal.
struct SquaredHinge {
    template <class V>
    static Step<V> step(V m, V alpha, V q, V c, V margin, double) {
        const V d = V{} + 0.5f / c;
        const V slack = margin - m;
        const V next = fastmath::max(alpha + (slack - d * alpha) / (q + d), V{});
        const V off = fastmath::max(slack, V{}) - d * alpha;
        return {next, c * off * off + alpha * fastmath::max(-slack, V{})};
    }
    template <class V>
    static V settled(V m, V next, V, V margin) {
        return next <= V{} ? fastmath::max(m - margin, V{}) : V{};
    }
    static double value(double m, double margin) {
        const double slack = fastmath::max(margin - m, 0.0);
        return slack * slack;
    }
    static double fenchel_young(double m, double alpha, double c, double margin) {
        const double slack = margin - m;
        const double off = fastmath::max(slack, 0.0) - alpha / (2 * c);
        return c * off * off + alpha * fastmath::max(-slack, 0.0);
    }
};

// q − p + p·log(p/q) = p·(e^Δ − 1 − Δ) with Δ = log(q/p): one term of a relative entropy, without
// cancellation.
inline double relative_entropy(double p, double q, double log_q) {
    const double delta = log_q - fastmath::log(p);
    if (delta < 0.01 && delta > -0.01)
        return p * delta * delta * (0.5 + delta * (1.0 / 6 + delta * (1.0 / 24 + delta / 120)));
    return q - p - p * delta;
}

// log(1 + e^−m):  0 < α < C.  With p = α/C and t = qC the step solves  u + t·σ(u) = t·p − m  for p' = σ(u).
// The start, between p and σ(−m), already increases the dual; the root lies between them too.
struct Log {
    template <class V>
    static Step<V> step(V m, V alpha, V q, V c, V, double widest) {
        using S = typename fastmath::Lane<V>::Scalar;
        const V one = V{} + S{1};
        const V tiny = V{} + static_cast<S>(1e-30);
        const V p = alpha / c;
        const V t = q * c;
        const V e = fastmath::exp(m > V{} ? -m : m);  // σ(m) and σ(−m) are 1/(1 + e) and e/(1 + e)
        const V hit = (m > V{} ? e : one) / (one + e) + t * p;
        const V miss = (m > V{} ? one : e) / (one + e) + t * fastmath::max(one - p, V{});
        V u = fastmath::log(fastmath::max(hit, tiny) / fastmath::max(miss, tiny));
        const V target = t * p - m;
        V next = hit, curvature = hit;
        const int rounds = widest < 2 ? 2 : widest < 20 ? 4 : 6;
        for (int round = 0; round < rounds; ++round) {
            next = fastmath::sigmoid(u);
            curvature = next * (one - next);
            u -= (u + t * next - target) / (one + t * curvature);
        }
        next = fastmath::sigmoid(u);
        const V change = (next - p) * (one + t * curvature);
        return {c * next, c * change * change / fastmath::max(curvature, V{} + static_cast<S>(1e-6))};
    }
    template <class V>
    static V settled(V, V, V, V) {
        return V{};
    }
    static double value(double m, double) { return fastmath::softplus(-m); }
    static double fenchel_young(double m, double alpha, double c, double) {
        const double p = fastmath::min(alpha / c, 1.0);
        return c * (relative_entropy(p, fastmath::sigmoid(-m), -fastmath::softplus(m)) +
                    relative_entropy(1 - p, fastmath::sigmoid(m), -fastmath::softplus(-m)));
    }
};
