// The online learners' loop and what surrounds it.
#include "bind/online.hpp"

#include "bind/choices.hpp"

namespace lindy {

static void make_rule(OnlineRule* self, const std::string& loss, const std::string& step,
                      const std::string& schedule, const std::string& aggression,
                      const std::string& constraints) {
    new (self) OnlineRule;
    self->loss = loss_named(loss);
    self->step = choose<OnlineStep>("step", step, {"gradient", "adagrad", "passive-aggressive"});
    self->schedule = choose<OnlineSchedule>("schedule", schedule, {"constant", "power", "pegasos", "auto"});
    self->aggression = choose<Aggression>("aggression", aggression, aggressions);
    self->constraints = choose<Constraints>("constraints", constraints, constraint_sets);
}

static void bind_runs(nb::module_& module) {
    def_float_pairs(
        module, "online_run",
        []<class Value, class Weight>(
            const Rows<Value>& x, const In<std::int32_t>& y, const std::optional<In<double>>& weight,
            const In<double>& sq_norm, const std::optional<In2<double>>& cost, int n_classes,
            const OnlineRule& rule, Out<Weight> W, std::optional<Out<Weight>> U, std::optional<Out<Weight>> G,
            std::optional<Out<double>> last, Out2<double> outputs, Out<double> clock,
            const std::optional<Out2<double>>& sums, const In<std::int32_t>& order, std::int64_t max_updates,
            bool keep_log, const std::optional<In<std::int64_t>>& label_ends) {
            require(length(sq_norm) == x.n_rows, "sq_norm must have one entry per row");
            const OnlineData data = data_view(y, weight, sq_norm, cost, n_classes, label_ends);
            auto state = state_view<Weight>(x.n_columns, rule, data, W, U, G, last, outputs, clock);
            require(!sums || has_shape(*sums, x.n_rows, data.n_outputs()), "sums must be rows × outputs");
            const bool scaled_evenly = rule.schedule == OnlineSchedule::pegasos && rule.radius == 0;
            require(!sums || ((rule.l2 == 0 || scaled_evenly) && !last && rule.step != OnlineStep::adagrad),
                    "sums of rows need weights that nothing else changes: no penalty (but Pegasos' own), no "
                    "AdaGrad");
            state.sums = data_or_null(sums);
            require_below(order, x.n_rows, "order must hold row numbers");
            if (label_ends)
                require_below(y, n_classes - rule.ranks_labels,
                              "y must hold numbers of labels, not of the virtual one");
            require(!label_ends || !keep_log, "a log is of one label per row");
            require(!keep_log || rule.batch == 1, "a log needs batch = 1");
            const auto room = keep_log ? order.size() + 256 : 0;
            std::vector<std::int64_t> row(room);
            std::vector<std::int32_t> up(room), down(room);
            std::vector<double> step(room), time(room);
            OnlineLog log{.capacity = static_cast<std::int64_t>(room),
                          .size = 0,
                          .row = row.data(),
                          .up = up.data(),
                          .down = down.data(),
                          .step = step.data(),
                          .time = time.data()};
            FlushToZero flushed;
            const auto run = LINDY_SELECT(online_run<Value, Weight>);
            const OnlineReport report = run(x, data, rule, state, order.data(), length(order), max_updates,
                                            keep_log ? &log : nullptr);
            const auto logged = [&](auto& entries) {
                entries.resize(static_cast<std::size_t>(log.size));
                return std::move(entries);
            };
            return std::tuple(report,
                              std::tuple(logged(row), logged(up), logged(down), logged(step), logged(time)));
        },
        "X"_a, "y"_a, "weight"_a, "sq_norm"_a, "cost"_a, "n_classes"_a, "rule"_a, "W"_a, "U"_a, "G"_a,
        "last"_a, "outputs"_a, "clock"_a, "sums"_a, "order"_a, "max_updates"_a, "keep_log"_a,
        "label_ends"_a = nb::none(),
        "Visits the rows in the given order; returns a report and the log of changes.");
    def_float_pairs(
        module, "online_collect",
        []<class Value, class Weight>(const Rows<Value>& x, const In2<double>& sums,
                                      const In<std::int32_t>& rows, double factor, Out<Weight> out) {
            const std::int64_t K = width(sums);
            require(height(sums) == x.n_rows && K >= 1 && K <= 1 << 30 &&
                        length(out) >= x.n_columns * K + OnlineState<Weight>::slack,
                    "sums must be rows × outputs, out features × outputs and the slack");
            require_below(rows, x.n_rows, "rows must hold row numbers");
            FlushToZero flushed;
            LINDY_SELECT(online_collect<Value, Weight>)(x, sums.data(), rows.data(), length(rows),
                                                        static_cast<int>(K), factor, out.data());
        },
        "X"_a, "sums"_a, "rows"_a, "factor"_a, "out"_a, "out += factor · Xᵀ·sums, over the given rows.");
}

static void bind_weights(nb::module_& module) {
    def_floats(
        module, "online_settle",
        []<class Weight>(std::int64_t n_features, int n_classes, const OnlineRule& rule, Out<Weight> W,
                         std::optional<Out<Weight>> U, std::optional<Out<Weight>> G,
                         std::optional<Out<double>> last, Out2<double> outputs, Out<double> clock) {
            require(n_classes >= 2, "there must be at least two classes");
            const OnlineData data{nullptr, nullptr, nullptr, nullptr, n_classes};
            auto state = state_view<Weight>(n_features, rule, data, W, U, G, last, outputs, clock);
            if (!state.last) return;
            FlushToZero flushed;
            LINDY_SELECT(online_settle<Weight>)(data, rule, state);
        },
        "n_features"_a, "n_classes"_a, "rule"_a, "W"_a, "U"_a, "G"_a, "last"_a, "outputs"_a, "clock"_a,
        "Applies all penalties that have fallen due.");
    def_floats(
        module, "online_weights",
        []<class Weight>(std::int64_t n_features, const In<Weight>& W, const std::optional<In<Weight>>& U,
                         const In<double>& factor, double total, Out<Weight> out) {
            const std::int64_t K = length(factor), size = n_features * K;
            require(n_features >= 0 && length(W) >= size && (!U || length(*U) >= size) && length(out) >= size,
                    "W, U and out must have features × outputs entries");
            online_weights(n_features, K, W.data(), data_or_null(U), factor.data(), total, out.data());
        },
        "n_features"_a, "W"_a.noconvert(), "U"_a, "factor"_a, "total"_a, "out"_a,
        "out = factor·W − U/total.");
}

static void bind_rows(nb::module_& module) {
    def_floats(
        module, "row_keys",
        []<class Value>(const Rows<Value>& x, const In<std::int32_t>& y) {
            require(length(y) == x.n_rows, "y must have one entry per row");
            std::vector<std::uint64_t> key(static_cast<std::size_t>(x.n_rows));
            std::vector<double> sq_norm(static_cast<std::size_t>(x.n_rows));
            row_keys<Value>(x, y.data(), key.data(), sq_norm.data());
            return std::tuple(std::move(key), std::move(sq_norm));
        },
        "X"_a, "y"_a, "A key of each row's label and nonzeros, and its squared norm.");
    def_floats(
        module, "repeated_rows",
        []<class Value>(const Rows<Value>& x, const In<std::int32_t>& y, const In<std::int32_t>& order,
                        Out<bool> repeats) {
            require(length(y) == x.n_rows, "y must have one entry per row");
            require(order.size() == repeats.size(), "order and repeats must have the same length");
            require_below(order, x.n_rows, "order must hold row numbers");
            repeated_rows<Value>(x, y.data(), order.data(), length(order), repeats.data());
        },
        "X"_a, "y"_a, "order"_a, "repeats"_a,
        "Which rows of the order equal the one before, label included.");
    def_float_pairs(
        module, "vote",
        []<class Value, class Support>(
            const Rows<Value>& x, const Rows<Support>& support, const In<std::int64_t>& row,
            const In<std::int32_t>& up, const In<std::int32_t>& down, const In<double>& step,
            const In<double>& life, bool bias, double first_life, Out2<double> out, int threads) {
            const int K = static_cast<int>(out.shape(1));
            require(support.n_columns == x.n_columns, "the support must have the columns of X");
            require(K >= 2 && height(out) == x.n_rows, "out must be rows × classes");
            require(up.size() == row.size() && down.size() == row.size() && step.size() == row.size() &&
                        life.size() == row.size(),
                    "row, up, down, step and life must have the same length");
            const char* const message = "row must hold rows of the support, up and down class numbers";
            require_below(row, support.n_rows, message);
            require_below(up, K, message);
            require_below(down, K, message);
            const Votes votes{length(row), row.data(),  up.data(), down.data(),
                              step.data(), life.data(), K,         bias};
            vote<Value, Support>(x, support, votes, first_life, out.data(), threads);
        },
        "X"_a, "support"_a, "row"_a, "up"_a, "down"_a, "step"_a, "life"_a, "bias"_a, "first_life"_a, "out"_a,
        "threads"_a, "Adds to out the time for which the weights of a perceptron gave each row each label.");
}

void bind_online(nb::module_& module) {
    nb::class_<OnlineRule>(module, "OnlineRule", "Loss, step rule and penalties of an online learner.")
        .def("__init__", &make_rule, "loss"_a, "step"_a, "schedule"_a, "aggression"_a, "constraints"_a)
        .def_rw("eta0", &OnlineRule::eta0)
        .def_rw("bias_eta0", &OnlineRule::bias_eta0)
        .def_rw("ranks_labels", &OnlineRule::ranks_labels)
        .def_rw("horizon", &OnlineRule::horizon)
        .def_rw("average_before", &OnlineRule::average_before)
        .def_rw("power", &OnlineRule::power)
        .def_rw("l2", &OnlineRule::l2)
        .def_rw("l1", &OnlineRule::l1)
        .def_rw("C", &OnlineRule::C)
        .def_rw("radius", &OnlineRule::radius)
        .def_rw("batch", &OnlineRule::batch)
        .def_rw("k", &OnlineRule::k)
        .def_rw("bias", &OnlineRule::bias)
        .def_rw("penalize_bias", &OnlineRule::penalize_bias)
        .def_rw("cumulative", &OnlineRule::cumulative);
    nb::class_<OnlineReport>(module, "OnlineReport", "Counts of a pass of an online learner.")
        .def_ro("consumed", &OnlineReport::consumed)
        .def_ro("mistakes", &OnlineReport::mistakes)
        .def_ro("updates", &OnlineReport::updates)
        .def_ro("loss", &OnlineReport::loss)
        .def_ro("weight", &OnlineReport::weight);
    bind_runs(module);
    bind_weights(module);
    bind_rows(module);
}

}  // namespace lindy
