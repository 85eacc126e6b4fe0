// One walk over examples in a given order; linear/online/online.hpp says what happens to each.
constexpr double smallest_scale = 1e-10;  // below it the scale is multiplied into W
constexpr double max_visits = 256;
constexpr double even_visits = 1000;  // after which the automatic steps begin to shrink
constexpr std::int64_t examples_ahead = 8;

template <class Value, class Weight>
struct OnlinePass {
    CsrView<Value> x;
    const OnlineData& data;
    const OnlineRule& rule;
    OnlineState<Weight>& state;
    OnlineLog* log;
    OnlineReport report;
    int K = data.n_outputs();
    std::vector<Weight> z, a, au;                           // lanes: raw scores, changes of W and of U
    std::vector<double> raw, o, g, step, sum_step, sorted;  // outputs
    std::vector<double> batch_g;
    std::vector<int> active;

    OnlinePass(CsrView<Value> x_, const OnlineData& data_, const OnlineRule& rule_,
               OnlineState<Weight>& state_, OnlineLog* log_)
        : x(x_), data(data_), rule(rule_), state(state_), log(log_) {
        const auto lanes = static_cast<std::size_t>((K + 3) / 4 * 4), outputs = static_cast<std::size_t>(K);
        for (auto* lane : {&z, &a, &au}) lane->assign(lanes, Weight{0});
        for (auto* output : {&raw, &o, &g, &step, &sum_step}) output->assign(outputs, 0.0);
        sorted.resize(2 * static_cast<std::size_t>(data.n_classes));
        batch_g.resize(rule.batch > 1 ? static_cast<std::size_t>(rule.batch) * outputs : 0);
        active.resize(outputs);
    }

    OnlineReport run(const std::int32_t* order, std::int64_t count, std::int64_t max_updates) {
        const bool decays = rule.l2 > 0 || rule.radius > 0;
        while (report.consumed < count && report.updates < max_updates) {
            if (log && log->size + static_cast<std::int64_t>(max_visits) > log->capacity) break;
            const std::int64_t n = std::min(rule.batch, count - report.consumed);
            const std::int32_t* rows = order + report.consumed;
            if (report.consumed + n + examples_ahead <= count) prefetch_example(rows[n + examples_ahead - 1]);
            if (K > 1 && report.consumed + n < count) prefetch_row(x.row(rows[n]));
            if (rule.batch > 1)
                minibatch(rows, n);
            else
                example(*rows, report.consumed + n < count ? x.row(rows[n]) : Row<Value>{});
            if (decays && *std::min_element(state.scale, state.scale + K) < smallest_scale) renormalise();
            if (decays && state.U && lopsided()) fold_average();
            report.consumed += n;
        }
        return report;
    }

    // Prefetches where an example lies, its label, its length and its weight.
    [[gnu::always_inline]] void prefetch_example(std::int64_t i) const {
        __builtin_prefetch(x.indptr + i);
        __builtin_prefetch(data.y + i);
        __builtin_prefetch(data.sq_norm + i);
        if (data.weight) __builtin_prefetch(data.weight + i);
    }

    double step_size(double t) const {
        if (rule.step == OnlineStep::passive_aggressive || rule.step == OnlineStep::adagrad) return 1;
        if (rule.schedule == OnlineSchedule::constant) return rule.eta0;
        if (rule.schedule == OnlineSchedule::pegasos) return 1 / (rule.l2 * t);
        t = std::max(t, 1.0);
        if (rule.schedule == OnlineSchedule::automatic)
            return std::min(rule.eta0 / std::sqrt(1 + t / even_visits), 1 / (rule.l2 * t)) * share_left(t);
        if (rule.power == 1) return rule.eta0 / t;
        if (rule.power == 0.5) return rule.eta0 / std::sqrt(t);
        return rule.eta0 * fastmath::exp(-rule.power * fastmath::log(t));
    }

    // Steps that end at 0 make the last weights as good as an average (Zamani and Glineur, 2023).
    double share_left(double t) const {
        return rule.horizon > 0 ? std::max(0.0, 1 - (t - 1) / rule.horizon) : 1.0;
    }

    // 1/(l2·t) is far too long a step for a bias, which no penalty draws back; and the length of the rows, on
    // which the automatic steps depend, says nothing about the bias.
    double bias_step(double eta, double t) const {
        if (!rule.bias) return 0;
        const double root = std::sqrt(std::max(t, 1.0));
        if (rule.schedule == OnlineSchedule::pegasos) return std::min(eta, 1 / root);
        if (rule.schedule != OnlineSchedule::automatic || rule.penalize_bias) return eta;
        return rule.bias_eta0 / root * share_left(t);
    }

    void score(Row<Value> row, Row<Value> next = {}) {
        score_row(row, next, state.W, K, z.data());
        for (int k = 0; k < K; ++k) raw[k] = static_cast<double>(z[k]);
    }

    Direction direction(std::int64_t i, double q, double omega) {
        const double length = q + (rule.bias ? 1 : 0);
        if (data.label_ends) return several_direction(i, length, omega);
        const int y = data.y[i];
        const Direction d =
            rule.step == OnlineStep::passive_aggressive
                ? aggressive_direction(rule, data, o.data(), y, length, omega, sorted.data(), g.data())
            : data.n_classes == 2 ? binary_direction(rule, data, o.data(), y, g.data())
                                  : multiclass_direction(rule, data, o.data(), y, g.data());
        report.mistakes += d.predicted != y;
        report.loss += omega * d.loss;
        report.weight += omega;
        return d;
    }

    // The same where rows may have several labels.
    Direction several_direction(std::int64_t i, double length, double omega) {
        const std::span<const std::int32_t> own(data.y + data.label_ends[i], data.y + data.label_ends[i + 1]);
        const Direction d = label_direction(rule, own, o.data(), K, length, omega, sorted.data(), g.data());
        report.mistakes += d.predicted;
        report.loss += omega * d.loss;
        report.weight += omega;
        return d;
    }

    void example(std::int64_t i, Row<Value> next) { example(i, x.row(i), data.sq_norm[i], next); }

    // Example i, whose row has the squared norm q.
    void example(std::int64_t i, Row<Value> row, double q, Row<Value> next) {
        const double c = data.weight ? data.weight[i] : 1.0;
        if (c <= 0) return;
        if (state.last) settle(row);
        score(row, next);
        const double visits = visits_of(c), omega = c / visits;
        bool moved = false;
        for (double visit = 0; visit < visits; ++visit) {
            for (int k = 0; k < K; ++k) o[k] = state.scale[k] * (raw[k] + step[k] * q) + state.bias[k];
            const Direction d = direction(i, q, omega);
            *state.time += omega;
            const double eta = step_size(*state.time);
            if (rule.average_before) count_in_average(omega);
            decay(i, row, eta, omega);
            if (d.moves) {
                moved = true;
                if (log) record(i, data.y[i], d.predicted, eta * omega);
                if (rule.step == OnlineStep::adagrad)
                    adagrad(row, omega);
                else
                    add_step(rule.step == OnlineStep::passive_aggressive ? 1 : eta * omega, eta, omega, q);
            }
            finish_visit(eta, omega);
        }
        if (moved) {
            ++report.updates;
            apply(i, row);
        }
    }

    // How often an example of weight c is visited.
    double visits_of(double c) const {
        if (state.last || rule.step == OnlineStep::adagrad) return 1;
        return std::min(std::max(std::ceil(c), 1.0), max_visits);
    }

    // w ← (1 − η·l2·ω)·w, by the scale. Pegasos' first step forgets everything.
    void decay(std::int64_t i, Row<Value> row, double eta, double omega) {
        if (rule.l2 == 0 || rule.step != OnlineStep::gradient) return;
        const double factor = std::max(0.0, 1 - eta * rule.l2 * omega);
        if (rule.penalize_bias)
            for (int k = 0; k < K; ++k) state.bias[k] *= factor;
        if (factor > 0) {
            for (int k = 0; k < K; ++k) state.scale[k] *= factor;
            return;
        }
        apply(i, row);
        forget();
        std::fill(raw.begin(), raw.end(), 0.0);
    }

    // Adds factor·g to the pending change of this row, its part in the average and in ‖w‖².
    void add_step(double factor, double eta, double omega, double q) {
        const double for_bias = rule.step == OnlineStep::passive_aggressive
                                    ? (rule.bias ? 1 : 0)
                                    : bias_step(eta, *state.time) * omega;
        for (int k = 0; k < K; ++k) {
            if (g[k] == 0) continue;
            const double delta = factor * g[k] / state.scale[k];
            state.sq_norm[k] += 2 * delta * (raw[k] + step[k] * q) + delta * delta * q;
            step[k] += delta;
            sum_step[k] += state.A[k] * delta;
            state.bias[k] += for_bias * g[k];
        }
    }

    void finish_visit(double eta, double omega) {
        if (rule.radius > 0) project();
        if (rule.l1 > 0 || rule.step == OnlineStep::adagrad)
            *state.penalty +=
                rule.step == OnlineStep::adagrad ? omega : eta * rule.l1 * omega / state.scale[0];
        if (!rule.average_before) count_in_average(omega);
    }

    // Counts the weights of this moment in the average; a change that follows enters U with the new A.
    void count_in_average(double omega) {
        if (!state.U && !state.sums) return;
        for (int k = 0; k < K; ++k) {
            state.A[k] += state.scale[k] * omega;
            state.bias_sum[k] += omega * state.bias[k];
        }
        *state.averaged += omega;
    }

    // Pegasos: w ← min(1, radius/‖w‖)·w, for joint losses over all outputs together.
    void project() {
        const bool joint = is_joint(rule.loss);
        double total = 0;
        for (int k = 0; k < K; ++k) {
            const double own = state.scale[k] * state.scale[k] * state.sq_norm[k];
            total = joint ? total + own : own;
            if (!joint && total > rule.radius * rule.radius) state.scale[k] *= rule.radius / std::sqrt(total);
        }
        if (joint && total > rule.radius * rule.radius)
            for (int k = 0; k < K; ++k) state.scale[k] *= rule.radius / std::sqrt(total);
    }

    // Writes the pending change into W, and into U or the sums of row i.
    void apply(std::int64_t i, Row<Value> row) {
        int n_active = 0;
        for (int k = 0; k < K; ++k) {
            if (step[k] != 0 || sum_step[k] != 0) active[n_active++] = k;
            a[k] = static_cast<Weight>(step[k]);
            au[k] = static_cast<Weight>(sum_step[k]);
            if (state.sums) state.sums[i * K + k] += sum_step[k];
            step[k] = sum_step[k] = 0;
        }
        if (n_active == 0) return;
        if (K > 1 && n_active <= 3)
            update_few(row, a.data(), active.data(), n_active, K, state.W);
        else
            update_row(row, {}, a.data(), K, state.W);
        if (state.U && !state.sums) update_row(row, {}, au.data(), K, state.U);
    }

    // Directions of all examples at the same weights, then one step along their mean.
    void minibatch(const std::int32_t* rows, std::int64_t n) {
        const double share = 1.0 / static_cast<double>(n);
        double omega = 0;
        bool moved = false;
        for (std::int64_t j = 0; j < n; ++j) {
            const double c = data.weight ? data.weight[rows[j]] : 1.0;
            const Row<Value> row = x.row(rows[j]);
            double* gj = batch_g.data() + j * K;
            std::fill(gj, gj + K, 0.0);
            if (c <= 0) continue;
            if (state.last) settle(row);
            score(row);
            for (int k = 0; k < K; ++k) o[k] = state.scale[k] * raw[k] + state.bias[k];
            moved |= direction(rows[j], data.sq_norm[rows[j]], c).moves;
            const double factor = rule.step == OnlineStep::passive_aggressive ? share : share * c;
            for (int k = 0; k < K; ++k) gj[k] = factor * g[k];
            omega += share * c;
        }
        if (omega == 0) return;
        *state.time += omega;
        const double eta = step_size(*state.time);
        if (rule.average_before) count_in_average(omega);
        decay(0, Row<Value>{}, eta, omega);
        for (std::int64_t j = 0; j < n; ++j) batch_step(rows[j], batch_g.data() + j * K, eta);
        finish_visit(eta, omega);
        report.updates += moved;
    }

    void batch_step(std::int64_t i, const double* gi, double eta) {
        if (std::all_of(gi, gi + K, [](double v) { return v == 0; })) return;
        const Row<Value> row = x.row(i);
        std::copy(gi, gi + K, g.begin());
        if (rule.step == OnlineStep::adagrad) return adagrad(row, 1);
        if (rule.radius > 0) score(row);  // ‖w + δ‖² needs x·w as it is now
        add_step(rule.step == OnlineStep::passive_aggressive ? 1 : eta, eta, 1, data.sq_norm[i]);
        apply(i, row);
    }

    // The factors with which a change of W enters U.
    void read_clocks() {
        for (int k = 0; k < K; ++k) au[k] = static_cast<Weight>(state.A[k]);
    }

    FeatureRow<Weight> feature(std::int64_t j) const {
        return {state.W + j * K, state.G + j * K, state.U ? state.U + j * K : nullptr, au.data()};
    }

    void adagrad(Row<Value> row, double omega) {
        read_clocks();
        for (int k = 0; k < K; ++k) a[k] = static_cast<Weight>(omega * g[k]);
        const Weight eta0 = static_cast<Weight>(rule.eta0);
        for (std::ptrdiff_t p = 0; p < row.size; ++p) {
            const Weight v = static_cast<Weight>(row.value[p]);
            feature(row.index[p]).for_each_vector(K, [&](auto, auto& G, int k) {
                std::remove_cvref_t<decltype(G)> own;
                __builtin_memcpy(&own, a.data() + k, sizeof own);
                return adagrad_step(G, own * v, eta0);
            });
        }
        if (!rule.bias) return;
        for (int k = 0; k < K; ++k) {
            const double d = omega * g[k];
            if (d == 0) continue;
            state.bias_G[k] += d * d;
            const double own = rule.eta0 / (std::sqrt(state.bias_G[k]) + adagrad_floor);
            state.bias[k] += own * d;
            if (rule.penalize_bias) state.bias[k] /= 1 + own * omega * rule.l2;
        }
    }

    void settle(Row<Value> row) {
        read_clocks();
        for_each_ahead(
            row, {}, [&](std::int32_t j) __attribute__((always_inline)) { prefetch_feature(j); },
            [&](std::ptrdiff_t p) { settle_feature(row.index[p]); });
    }

    [[gnu::always_inline]] void prefetch_feature(std::int64_t j) const {
        __builtin_prefetch(state.last + j, 1);
        for (Weight* matrix : {state.W, state.G}) {
            if (!matrix) continue;
            __builtin_prefetch(matrix + j * K, 1);
            if (K > 1) __builtin_prefetch(matrix + j * K + K - 1, 1);
        }
    }

    // Brings a feature's weights up to date with the penalties that fell due since it was last seen.
    void settle_feature(std::int64_t j) {
        const double now = *state.penalty, elapsed = now - state.last[j];
        if (elapsed <= 0) return;
        state.last[j] = now;
        if (rule.step == OnlineStep::adagrad) return penalise(j, elapsed * rule.eta0);
        for (std::int64_t at = j * K; at < (j + 1) * K; ++at) {
            const double w = static_cast<double>(state.W[at]);
            if (w == 0) continue;
            if (!rule.cumulative) {
                state.W[at] = static_cast<Weight>(shrink(w, elapsed));
                continue;
            }
            // Tsuruoka et al. (2009): never more than the total due
            const double received = static_cast<double>(state.G[at]);
            const double settled =
                w > 0 ? std::max(0.0, w - (now + received)) : std::min(0.0, w + (now - received));
            state.G[at] = static_cast<Weight>(received + (settled - w));
            state.W[at] = static_cast<Weight>(settled);
        }
    }

    void penalise(std::int64_t j, double time) {
        const Weight l1 = static_cast<Weight>(time * rule.l1), l2 = static_cast<Weight>(time * rule.l2);
        feature(j).for_each_vector(K, [&](auto W, auto& G, int) { return penalty_step(W, G, l1, l2); });
    }

    static double shrink(double w, double by) {
        return w > 0 ? std::max(0.0, w - by) : std::min(0.0, w + by);
    }

    void record(std::int64_t i, int y, int predicted, double size) {
        const auto at = log->size++;
        log->row[at] = i;
        log->up[at] = y;
        log->down[at] = predicted;
        log->step[at] = size;
        log->time[at] = *state.averaged;
    }

    void forget() {
        if (state.U) fold_average();
        std::fill(state.W, state.W + state.n_features * K, Weight{0});
        std::fill(state.scale, state.scale + K, 1.0);
        std::fill(state.sq_norm, state.sq_norm + K, 0.0);
    }

    // Whether A_k · W has become so large beside the sum of the weights that rounding would show in
    // A_k · W − U.
    bool lopsided() const {
        const double limit = std::max(1e3, 100 * *state.averaged);
        for (int k = 0; k < K; ++k)
            if (state.A[k] > limit * state.scale[k]) return true;
        return false;
    }

    // Writes the sum of the weights into −U and begins A anew.
    void fold_average() {
        for (std::int64_t j = 0; j < state.n_features; ++j)
            for (int k = 0; k < K; ++k)
                state.U[j * K + k] -= static_cast<Weight>(state.A[k]) * state.W[j * K + k];
        std::fill(state.A, state.A + K, 0.0);
    }

    void renormalise() {
        const double s0 = state.scale[0];
        for (std::int64_t j = 0; j < state.n_features; ++j) {
            for (int k = 0; k < K; ++k) {
                const std::int64_t at = j * K + k;
                state.W[at] = static_cast<Weight>(state.scale[k] * static_cast<double>(state.W[at]));
                if (state.G) state.G[at] = static_cast<Weight>(s0 * static_cast<double>(state.G[at]));
            }
            if (state.last) state.last[j] *= s0;
        }
        *state.penalty *= s0;
        for (int k = 0; k < K; ++k) {
            state.A[k] /= state.scale[k];
            state.sq_norm[k] *= state.scale[k] * state.scale[k];
            state.scale[k] = 1;
        }
    }
};

template <class Value, class Weight>
OnlineReport online_run(CsrView<Value> x, const OnlineData& data, const OnlineRule& rule,
                        OnlineState<Weight>& state, const std::int32_t* order, std::int64_t count,
                        std::int64_t max_updates, OnlineLog* log) {
    return OnlinePass<Value, Weight>(x, data, rule, state, log).run(order, count, max_updates);
}

// Settles all features, so that W can be read.
template <class Weight>
void online_settle(const OnlineData& data, const OnlineRule& rule, OnlineState<Weight>& state) {
    OnlinePass<Weight, Weight> pass(CsrView<Weight>{nullptr, nullptr, nullptr, 0, 0}, data, rule, state,
                                    nullptr);
    pass.read_clocks();
    for (std::int64_t j = 0; j < state.n_features; ++j) pass.settle_feature(j);
}

// out += factor · Xᵀ·sums over the given rows in their order: one update per row that ever changed anything.
template <class Value, class Weight>
void online_collect(CsrView<Value> x, const double* sums, const std::int32_t* rows, std::int64_t count, int K,
                    double factor, Weight* out) {
    std::vector<Weight> a(static_cast<std::size_t>((K + 3) / 4 * 4), Weight{0});
    for (std::int64_t m = 0; m < count; ++m) {
        const double* sum = sums + std::int64_t{rows[m]} * K;
        if (std::all_of(sum, sum + K, [](double v) { return v == 0; })) continue;
        for (int k = 0; k < K; ++k) a[k] = static_cast<Weight>(factor * sum[k]);
        const Row<Value> next = m + 1 < count ? x.row(rows[m + 1]) : Row<Value>{};
        update_row(x.row(rows[m]), next, a.data(), K, out);
    }
}
