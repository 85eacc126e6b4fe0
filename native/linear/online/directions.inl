namespace fastmath {
#include "core/fastmath.inl"
}
namespace losses {
#include "linear/losses.inl"
}

// From the scores of one example to the direction g in which they should move.
struct Direction {
    double loss;
    int predicted;
    bool moves;  // whether some g is not 0
};

inline int argmax(const double* o, int K) {
    int best = 0;
    for (int k = 1; k < K; ++k)
        if (o[k] > o[best]) best = k;
    return best;
}

inline double cost(const OnlineData& data, int predicted, int y) {
    if (data.cost) return data.cost[predicted * data.n_classes + y];
    return predicted == y ? 0.0 : 1.0;
}

inline Direction binary_direction(const OnlineRule& rule, const OnlineData& data, const double* o, int y,
                                  double* g) {
    const double sign = y == 1 ? 1 : -1;
    const int predicted = o[0] >= 0 ? 1 : 0;
    if (rule.loss == LossName::perceptron) {  // a score of exactly 0 is class 1, right or wrong
        g[0] = predicted == y ? 0 : sign;
        return {predicted == y ? 0 : -sign * o[0], predicted, predicted != y};
    }
    const double target = rule.loss == LossName::multiclass_hinge ? cost(data, 1 - y, y) : 1;
    const auto at =
        losses::with_margin_loss(rule.loss, [&](auto loss) { return loss.at(sign * o[0], target); });
    g[0] = sign * at.slope;
    return {at.value, predicted, at.slope != 0};
}

// −∇ of log Σ exp(o) − o_y:  e_y − softmax(o)
inline Direction softmax_direction(const double* o, int K, int y, double* g) {
    const auto sum = losses::Softmax::at(o, K, g);
    for (int k = 0; k < K; ++k) g[k] = -g[k];
    g[y] += 1;
    return {sum.log_sum + (sum.top - o[y]), argmax(o, K), true};
}

inline Direction multiclass_direction(const OnlineRule& rule, const OnlineData& data, const double* o, int y,
                                      double* g) {
    const int K = data.n_classes;
    if (rule.loss == LossName::log) return softmax_direction(o, K, y, g);
    const int predicted = argmax(o, K);
    if (rule.loss == LossName::perceptron) {
        std::fill(g, g + K, 0.0);
        if (predicted == y) return {0, y, false};
        g[y] = 1;
        g[predicted] = -1;
        return {o[predicted] - o[y], predicted, true};
    }
    if (rule.loss == LossName::multiclass_hinge) {  // Alg. 6: the cost-augmented prediction
        int worst = y;
        for (int k = 0; k < K; ++k)
            if (o[k] + cost(data, k, y) > o[worst] + cost(data, worst, y)) worst = k;
        std::fill(g, g + K, 0.0);
        g[y] += 1;
        g[worst] -= 1;
        return {o[worst] + cost(data, worst, y) - o[y], predicted, worst != y};
    }
    double loss = 0;
    bool moves = false;
    for (int k = 0; k < K; ++k) {  // one against the rest
        const double sign = k == y ? 1 : -1;
        const auto at =
            losses::with_margin_loss(rule.loss, [&](auto form) { return form.at(sign * o[k], 1.0); });
        loss += at.value;
        g[k] = sign * at.slope;
        moves |= at.slope != 0;
    }
    return {loss, predicted, moves};
}

// The step τ of Crammer et al. (2006) for a loss ℓ and D = ‖f(x,y) − f(x,ŷ)‖².
inline double aggressive_step(const OnlineRule& rule, double loss, double D, double omega) {
    const double C = rule.C * omega;
    const double more = rule.aggression == Aggression::pa2 ? 1 / (2 * C) : 0;
    if (D + more <= 0) return 0;  // an empty row: nothing can be corrected
    if (rule.aggression == Aggression::pa2) return loss / (D + more);
    return rule.aggression == Aggression::pa ? loss / D : std::min(C, loss / D);
}

// McDonald's MIRA: the smallest change of W after which every wrong label k is beaten by ρ(k, y), up to the
// slack that C allows. Dual, with q = ‖x‖², ℓ_k = ρ(k,y) + o_k − o_y and one α_k ≥ 0 per wrong label:
//     max Σ α_k ℓ_k − ½ q (Σ α_k² + σ²),  σ = Σ α_k   (PA-I: σ ≤ C;  PA-II: − σ²/(4C))
// whose solution is α_k = max(0, ℓ_k − θ)/q, with θ found by sorting the ℓ_k.
// Leaves g = (…, −α_k, …, σ at y, …).
inline bool all_constraints(const OnlineRule& rule, const double* loss, int K, int y, double q, double omega,
                            double* sorted, double* g) {
    std::fill(g, g + K, 0.0);
    int n = 0;
    for (int k = 0; k < K; ++k)
        if (k != y && loss[k] > 0) sorted[n++] = loss[k];
    if (n == 0 || q <= 0) return false;
    std::sort(sorted, sorted + n, std::greater<double>());
    const double C = rule.C * omega;
    // θ = (sum of the m largest ℓ) / (m + share), where σ = share · θ/q
    const bool softly = rule.aggression == Aggression::pa2 && std::isfinite(2 * C * q);
    const double share = softly ? 2 * C * q / (2 * C * q + 1) : 1;
    double sum = 0, theta = 0;
    for (int m = 0; m < n && sorted[m] > (sum + sorted[m]) / (m + 1 + share); ++m) {
        sum += sorted[m];
        theta = sum / (m + 1 + share);
    }
    double most = share * theta / q;  // no α exceeds σ: a bound that rounding cannot break
    if (rule.aggression == Aggression::pa1 && most > C) {
        most = C;
        sum = 0;
        for (int m = 0; m < n && sorted[m] > (sum + sorted[m] - C * q) / (m + 1); ++m) {
            sum += sorted[m];
            theta = (sum - C * q) / (m + 1);
        }
    }
    for (int k = 0; k < K; ++k) {
        if (k == y || loss[k] <= theta) continue;
        const double alpha = std::min(most, (loss[k] - theta) / q);
        g[k] = -alpha;
        g[y] += alpha;
    }
    return g[y] != 0;
}

// Lowers the losses of all labels but the k with the highest scores (of equal ones the first) to −∞; `sorted`
// is scratch.
inline void keep_best(const double* o, int K, int k, double* sorted, double* loss) {
    if (k >= K) return;
    constexpr double least = -std::numeric_limits<double>::infinity();
    std::transform(o, o + K, sorted, [](double own) { return own == own ? own : least; });
    std::nth_element(sorted, sorted + (k - 1), sorted + K, std::greater<double>());
    const double last = sorted[k - 1];
    auto ties = k - std::count_if(o, o + K, [&](double own) { return own > last; });
    for (int c = 0; c < K; ++c)
        if (!(o[c] > last) && !(o[c] == last && ties-- > 0)) loss[c] = least;
}

// MIRA: g already holds the steps. q is ‖x‖², plus 1 if there is a bias; `sorted` is scratch for 2·classes.
inline Direction aggressive_direction(const OnlineRule& rule, const OnlineData& data, const double* o, int y,
                                      double q, double omega, double* sorted, double* g) {
    const int K = data.n_classes;
    if (K == 2) {
        const double sign = y == 1 ? 1 : -1;
        const int predicted = o[0] >= 0 ? 1 : 0;
        const double loss = cost(data, 1 - y, y) - sign * o[0];
        const bool only_mistakes = rule.constraints == Constraints::predicted ||
                                   (rule.constraints == Constraints::k_best && rule.k == 1);
        const bool violated = only_mistakes ? predicted != y : loss > 0;
        const double tau = violated ? aggressive_step(rule, loss, q, omega) : 0;
        g[0] = sign * tau;
        return {violated ? loss : 0, predicted, tau != 0};
    }
    const int predicted = argmax(o, K);
    if (rule.constraints == Constraints::k_best || rule.constraints == Constraints::all) {
        double *losses = sorted + K, most = 0;
        for (int k = 0; k < K; ++k) losses[k] = cost(data, k, y) + o[k] - o[y];
        if (rule.constraints == Constraints::k_best) keep_best(o, K, rule.k, sorted, losses);
        for (int k = 0; k < K; ++k)
            if (k != y) most = std::max(most, losses[k]);
        return {most, predicted, all_constraints(rule, losses, K, y, q, omega, sorted, g)};
    }
    int rival = predicted;
    if (rule.constraints == Constraints::max_loss) {
        rival = y == 0 ? 1 : 0;
        for (int k = rival + 1; k < K; ++k)
            if (k != y && o[k] + cost(data, k, y) > o[rival] + cost(data, rival, y)) rival = k;
    }
    const double loss = rival == y ? 0 : o[rival] - o[y] + cost(data, rival, y);
    std::fill(g, g + K, 0.0);
    if (rival == y || loss <= 0) return {0, predicted, false};
    const double tau = aggressive_step(rule, loss, 2 * q, omega);
    g[y] = tau;
    g[rival] = -tau;
    return {loss, predicted, tau != 0};
}

// Several labels per row, `own` (ascending), each by itself: s_k·o_k > 0 is asked for (MIRA: ≥ 1), where s_k is
// +1 for the labels of the row and −1 for others. `predicted` is 1 where some label is wrong.
inline Direction each_label(const OnlineRule& rule, std::span<const std::int32_t> own, const double* o, int K,
                            double q, double omega, double* g) {
    double loss = 0;
    bool moves = false, wrong = false;
    std::size_t next = 0;
    for (int k = 0; k < K; ++k) {
        const bool has = next < own.size() && own[next] == k;
        next += has;
        const double sign = has ? 1 : -1;
        const bool mistaken = (o[k] >= 0) != has;
        wrong |= mistaken;
        g[k] = 0;
        if (rule.step == OnlineStep::passive_aggressive) {
            const double violation = 1 - sign * o[k];
            if (violation > 0) loss += violation, g[k] = sign * aggressive_step(rule, violation, q, omega);
        } else if (mistaken) {
            loss -= sign * o[k], g[k] = sign;
        }
        moves |= g[k] != 0;
    }
    return {loss, wrong, moves};
}

// Label ranking (Crammer and Singer, 2003, with the uniform share of each pair). The last output is a virtual
// label θ: labels of the row belong above θ, and θ above the others. Of the pairs E in the wrong order, or level,
// each raises the one that belongs above by 1/|E| and lowers the other. `below` is scratch: the outputs that the
// labels of the row belong above.
inline Direction rank_labels(std::span<const std::int32_t> own, const double* o, int K, double* below,
                             double* g) {
    const int theta = K - 1;
    std::fill(g, g + K, 0.0);
    std::fill(below, below + K, 1.0);
    for (const std::int32_t label : own) below[label] = 0;
    double pairs = 0, loss = 0;
    const auto compare = [&](int r, int end) {
        for (int s = 0; s < end; ++s)
            if (below[s] != 0 && o[r] <= o[s]) g[r] += 1, g[s] -= 1, pairs += 1, loss += o[s] - o[r];
    };
    for (const std::int32_t label : own) compare(label, K);
    compare(theta, theta);
    if (pairs == 0) return {0, 0, false};
    for (int k = 0; k < K; ++k) g[k] /= pairs;
    return {loss / pairs, 1, true};
}

// MIRA's label ranking: the smallest change after which the lowest label r of the row is above θ by 1, and θ
// above the highest other label s by 1, up to the slack that C allows. Dual, with ℓ₁ = 1 − (o_r − o_θ),
// ℓ₂ = 1 − (o_θ − o_s) and D = 2‖x‖² (PA-II: + 1/(2C)):
//     max_{0 ≤ α₁, α₂ (≤ C)}  α₁ℓ₁ + α₂ℓ₂ − ½(D·α₁² + D·α₂² − 2‖x‖²·α₁α₂)
// Then r gains α₁, s loses α₂, and θ gains α₂ − α₁. Leaves g as steps; q is ‖x‖².
inline Direction rank_labels_aggressively(const OnlineRule& rule, std::span<const std::int32_t> own,
                                          const double* o, int K, double q, double omega, double* g) {
    const int theta = K - 1;
    std::fill(g, g + K, 0.0);
    int low = -1, high = -1;
    std::size_t next = 0;
    for (int k = 0; k < theta; ++k) {
        const bool has = next < own.size() && own[next] == k;
        next += has;
        int& worst = has ? low : high;
        if (worst < 0 || (has ? o[k] < o[worst] : o[k] > o[worst])) worst = k;
    }
    constexpr double met = -1e300;  // where there is no such label
    const double first = low < 0 ? met : 1 - (o[low] - o[theta]);
    const double second = high < 0 ? met : 1 - (o[theta] - o[high]);
    const bool wrong = first >= 1 || second >= 1;
    const double C = rule.C * omega, D = 2 * q + (rule.aggression == Aggression::pa2 ? 1 / (2 * C) : 0);
    if (D <= 0) return {0, wrong, false};  // an empty row: nothing can be corrected
    const double most = rule.aggression == Aggression::pa1 ? C : std::numeric_limits<double>::infinity();
    const auto best = [&](double slope) { return std::clamp(slope / D, 0.0, most); };
    // α₁ without bounds on either, α₂ for it, and α₁ for that: the optimum, whichever bounds hold
    double up = std::clamp((D * first + q * second) / (D * D - q * q), 0.0, most);
    const double down = best(second + q * up);
    up = best(first + q * down);
    if (low >= 0) g[low] += up;
    if (high >= 0) g[high] -= down;
    g[theta] += down - up;
    return {std::max(first, 0.0) + std::max(second, 0.0), wrong, up > 0 || down > 0};
}

// Several labels per row, each by itself or ranked; scratch is for 2·outputs.
inline Direction label_direction(const OnlineRule& rule, std::span<const std::int32_t> own, const double* o,
                                 int K, double q, double omega, double* scratch, double* g) {
    if (!rule.ranks_labels) return each_label(rule, own, o, K, q, omega, g);
    if (rule.step == OnlineStep::passive_aggressive)
        return rank_labels_aggressively(rule, own, o, K, q, omega, g);
    return rank_labels(own, o, K, scratch, g);
}
