// The one-dimensional steps of dual coordinate ascent, for one output or a vector of them.
//
// step(m, alpha, q, c) is given the margins m = s·o, the present dual variables, q = ‖x‖² and c = C_i; it
// returns the variables that maximise the dual along this coordinate, and (roughly, for scheduling) the
// Fenchel–Young terms before the step. terms() are the exact losses and Fenchel–Young terms, in double, for
// the certificate.

template <class V>
struct Step {
    V alpha, gap;
};

template <class V>
struct Terms {
    V loss, gap;  // loss(m) and C·loss(m) + C·loss*(−α/C) + α·m
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
    template <class V>
    static Terms<V> terms(V m, V alpha, V c, V margin) {
        const V slack = margin - m;
        return {fastmath::max(slack, V{}), slack > V{} ? (c - alpha) * slack : -alpha * slack};
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
    template <class V>
    static Terms<V> terms(V m, V alpha, V c, V margin) {
        const V slack = margin - m;
        const V lost = fastmath::max(slack, V{});
        const V off = lost - alpha / (2.0 * c);
        return {lost * lost, c * off * off + alpha * fastmath::max(-slack, V{})};
    }
};

// q − p + p·log(p/q) = p·(e^Δ − 1 − Δ) with Δ = log(q/p): one term of a relative entropy, without
// cancellation.
template <class V>
inline V relative_entropy(V p, V q, V log_q) {
    using S = typename fastmath::Lane<V>::Scalar;
    constexpr S sixth = S{1} / 6, small = sizeof(S) == 4 ? S(0.1) : S(0.01);
    const V delta = log_q - fastmath::log(p);
    const V series = S{0.5} + delta * (sixth + delta * (sixth / 4 + delta * (sixth / 20)));
    return fastmath::max(delta, -delta) < V{} + small ? p * delta * delta * series : q - p - p * delta;
}

// (p − q)²/(p + q): close to one term of a relative entropy where p and q are, and never far above it. Cheap,
// for scheduling.
template <class V>
inline V divergence(V p, V q) {
    using S = typename fastmath::Lane<V>::Scalar;
    return (p - q) * (p - q) / fastmath::max(p + q, V{} + static_cast<S>(1e-30));
}

// log(1 + e^−m):  0 < α < C.  With p = α/C and t = qC the step solves  u + t·σ(u) = t·p − m  for p' = σ(u).
// The start, between p and σ(−m), already increases the dual; the root lies between them too.
struct Log {
    static constexpr double weak =
        0.3;  // where t is smaller, one Newton step from σ(−m) is near enough for float

    template <class V>
    static Step<V> step(V m, V alpha, V q, V c, V, double widest) {
        using S = typename fastmath::Lane<V>::Scalar;
        const V one = V{} + S{1};
        const V tiny = V{} + static_cast<S>(1e-30);
        const V p = alpha / c;
        const V t = q * c;
        const V e = fastmath::exp(m > V{} ? -m : m);  // σ(m) and σ(−m) are 1/(1 + e) and e/(1 + e)
        const V low = (m > V{} ? e : one) / (one + e);
        const V hit = low + t * p;
        const V miss = (m > V{} ? one : e) / (one + e) + t * fastmath::max(one - p, V{});
        const V gap = c * (divergence(p, low) + divergence(one - p, one - low));
        if (sizeof(S) == 4 && widest < weak) {
            const V curvature = t * low * (one - low);
            return {c * (low + curvature * (p - low) / (one + curvature)), gap};
        }
        const V target = t * p - m;
        const V half = V{} + S{0.5} * t;
        // Left of 0 the equation's left side is convex, right of it concave: on the root's side of 0, one
        // Newton step may go too far, the next cannot.
        const auto aside = [&](V u) { return target > half ? fastmath::max(u, V{}) : fastmath::min(u, V{}); };
        V u = aside(fastmath::log(fastmath::max(hit, tiny) / fastmath::max(miss, tiny)));
        // float fits are content with fewer: the start is exact where nothing is left to gain
        const int rounds = (widest < 2 ? 2 : widest < 20 ? 4 : 6) - (sizeof(S) == 4);
        for (int round = 0; round < rounds; ++round) {
            const V next = fastmath::sigmoid(u);
            u = aside(u - (u + t * next - target) / (one + t * next * (one - next)));
        }
        return {c * fastmath::sigmoid(u), gap};
    }
    template <class V>
    static V settled(V, V, V, V) {
        return V{};
    }
    template <class V>
    static Terms<V> terms(V m, V alpha, V c, V) {
        using S = typename fastmath::Lane<V>::Scalar;
        const V zero = V{}, one = V{} + S{1};
        const V p = fastmath::min(alpha / c, one);
        const V e = fastmath::exp(m > zero ? -m : m);
        const V sum = one + e;
        const V small = fastmath::log(sum) + (e - (sum - one)) / sum;  // log(1 + e)
        const V lost = fastmath::max(-m, zero) + small;                // −log σ(m)
        const V kept = fastmath::max(m, zero) + small;                 // −log σ(−m)
        const V hit = (m > zero ? e : one) / sum, miss = (m > zero ? one : e) / sum;
        return {lost, c * (relative_entropy(p, hit, -kept) + relative_entropy(one - p, miss, -lost))};
    }
};
