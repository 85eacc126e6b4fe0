// The online learners' loop and what surrounds it.
#include "bind/online.hpp"

#include <nanobind/stl/tuple.h>

#include <bit>

#include "bind/choices.hpp"

namespace lindy {

constexpr std::array step_names = {"gradient", "adagrad", "passive-aggressive"};
constexpr std::array schedule_names = {"constant", "power", "pegasos", "auto"};

static void make_rule(OnlineRule* self, const std::string& loss, const std::string& step,
                      const std::string& schedule, const std::string& aggression,
                      const std::string& constraints) {
    new (self) OnlineRule;
    self->loss = loss_named(loss);
    self->step = choose<OnlineStep>(step, step_names);
    self->schedule = choose<OnlineSchedule>(schedule, schedule_names);
    self->aggression = choose<Aggression>(aggression, aggression_names);
    self->constraints = choose<Constraints>(constraints, constraint_names);
}

template <class Value, class Weight>
static void bind_run(nb::module_& module) {
    module.def(
        "online_run",
        [](const In<std::int64_t>& indptr, const In<std::int32_t>& indices, const In<Value>& values,
           std::int64_t n_columns, const In<std::int32_t>& y, std::optional<In<double>> weight,
           const In<double>& sq_norm, std::optional<In2<double>> cost, int n_classes, const OnlineRule& rule,
           Out<Weight> W, std::optional<Out<Weight>> U, std::optional<Out<Weight>> G,
           std::optional<Out<double>> last, Out2<double> outputs, Out<double> clock,
           std::optional<Out2<double>> sums, const In<std::int32_t>& order, std::int64_t max_updates,
           bool keep_log) {
            const auto x = csr_view(indptr, indices, values, n_columns);
            require(size_of(y) == x.n_rows, "y must have one entry per row");
            const OnlineData data = data_view(y, weight, sq_norm, cost, n_classes);
            auto state = state_view<Weight>(n_columns, rule, data, W, U, G, last, outputs, clock);
            require(!sums || (static_cast<std::int64_t>(sums->shape(0)) == x.n_rows &&
                              static_cast<std::int64_t>(sums->shape(1)) == data.n_outputs()),
                    "sums must be rows × outputs");
            const bool scaled_evenly = rule.schedule == OnlineSchedule::pegasos && rule.radius == 0;
            require(!sums || ((rule.l2 == 0 || scaled_evenly) && !last && rule.step != OnlineStep::adagrad),
                    "sums of rows need weights that nothing else changes: no penalty (but Pegasos' own), no "
                    "AdaGrad");
            state.sums = sums ? sums->data() : nullptr;
            for (std::int64_t j = 0; j < size_of(order); ++j)
                require(order.data()[j] >= 0 && order.data()[j] < x.n_rows, "order must hold row numbers");
            require(!keep_log || rule.batch == 1, "a log needs batch = 1");
            const auto room = keep_log ? static_cast<std::size_t>(size_of(order)) + 256 : 0;
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
            OnlineReport report;
            {
                nb::gil_scoped_release released;
                FlushToZero flushed;
                const auto run =
                    select_isa(&baseline::online_run<Value, Weight>, &avx2::online_run<Value, Weight>,
                               &avx512::online_run<Value, Weight>);
                report = run(x, data, rule, state, order.data(), size_of(order), max_updates,
                             keep_log ? &log : nullptr);
            }
            for (auto* v : {&step, &time}) v->resize(static_cast<std::size_t>(log.size));
            for (auto* v : {&up, &down}) v->resize(static_cast<std::size_t>(log.size));
            row.resize(static_cast<std::size_t>(log.size));
            return std::make_tuple(
                report,
                std::make_tuple(to_numpy(std::move(row)), to_numpy(std::move(up)), to_numpy(std::move(down)),
                                to_numpy(std::move(step)), to_numpy(std::move(time))));
        },
        nb::arg("indptr"), nb::arg("indices"), nb::arg("values"), nb::arg("n_columns"), nb::arg("y"),
        nb::arg("weight").none(), nb::arg("sq_norm"), nb::arg("cost").none(), nb::arg("n_classes"),
        nb::arg("rule"), nb::arg("W").noconvert(), nb::arg("U").noconvert().none(),
        nb::arg("G").noconvert().none(), nb::arg("last").noconvert().none(), nb::arg("outputs").noconvert(),
        nb::arg("clock").noconvert(), nb::arg("sums").noconvert().none(), nb::arg("order"),
        nb::arg("max_updates"), nb::arg("keep_log"),
        "Visits the rows in the given order; returns a report and the log of changes.");
}

template <class Weight>
static void bind_weights(nb::module_& module) {
    module.def(
        "online_settle",
        [](std::int64_t n_features, int n_classes, const OnlineRule& rule, Out<Weight> W,
           std::optional<Out<Weight>> U, std::optional<Out<Weight>> G, std::optional<Out<double>> last,
           Out2<double> outputs, Out<double> clock) {
            require(n_classes >= 2, "there must be at least two classes");
            const OnlineData data{nullptr, nullptr, nullptr, nullptr, n_classes};
            auto state = state_view<Weight>(n_features, rule, data, W, U, G, last, outputs, clock);
            if (!state.last) return;
            nb::gil_scoped_release released;
            FlushToZero flushed;
            LINDY_SELECT(online_settle<Weight>)(data, rule, state);
        },
        nb::arg("n_features"), nb::arg("n_classes"), nb::arg("rule"), nb::arg("W").noconvert(),
        nb::arg("U").noconvert().none(), nb::arg("G").noconvert().none(), nb::arg("last").noconvert().none(),
        nb::arg("outputs").noconvert(), nb::arg("clock").noconvert(),
        "Applies all penalties that have fallen due.");
    module.def(
        "online_weights",
        [](std::int64_t n_features, Out<Weight> W, std::optional<In<Weight>> U, const In<double>& factor,
           double total, Out<Weight> out) {
            const std::int64_t K = size_of(factor), size = n_features * K;
            require(
                n_features >= 0 && size_of(W) >= size && (!U || size_of(*U) >= size) && size_of(out) >= size,
                "W, U and out must have features × outputs entries");
            nb::gil_scoped_release released;
            online_weights(n_features, K, W.data(), U ? U->data() : nullptr, factor.data(), total,
                           out.data());
        },
        nb::arg("n_features"), nb::arg("W").noconvert(), nb::arg("U").none(), nb::arg("factor"),
        nb::arg("total"), nb::arg("out").noconvert(), "out = factor·W − U/total.");
}

template <class Value, class Weight>
static void bind_collect(nb::module_& module) {
    module.def(
        "online_collect",
        [](const In<std::int64_t>& indptr, const In<std::int32_t>& indices, const In<Value>& values,
           std::int64_t n_columns, const In2<double>& sums, const In<std::int32_t>& rows, double factor,
           Out<Weight> out) {
            const auto x = csr_view(indptr, indices, values, n_columns);
            const std::int64_t K = static_cast<std::int64_t>(sums.shape(1));
            require(static_cast<std::int64_t>(sums.shape(0)) == x.n_rows && K >= 1 && K <= 1 << 30 &&
                        size_of(out) >= n_columns * K + OnlineState<Weight>::slack,
                    "sums must be rows × outputs, out features × outputs and the slack");
            for (std::int64_t m = 0; m < size_of(rows); ++m)
                require(rows.data()[m] >= 0 && rows.data()[m] < x.n_rows, "rows must hold row numbers");
            const auto collect =
                select_isa(&baseline::online_collect<Value, Weight>, &avx2::online_collect<Value, Weight>,
                           &avx512::online_collect<Value, Weight>);
            nb::gil_scoped_release released;
            FlushToZero flushed;
            collect(x, sums.data(), rows.data(), size_of(rows), static_cast<int>(K), factor, out.data());
        },
        nb::arg("indptr"), nb::arg("indices"), nb::arg("values").noconvert(), nb::arg("n_columns"),
        nb::arg("sums"), nb::arg("rows"), nb::arg("factor"), nb::arg("out").noconvert(),
        "out += factor · Xᵀ·sums, over the given rows.");
}

template <class Value>
static void bind_rows(nb::module_& module) {
    module.def(
        "row_keys",
        [](const In<std::int64_t>& indptr, const In<std::int32_t>& indices, const In<Value>& values,
           const In<std::int32_t>& y) {
            const auto x = csr_view(indptr, indices, values, 0);
            require(size_of(y) == x.n_rows, "y must have one entry per row");
            std::vector<std::uint64_t> key(static_cast<std::size_t>(x.n_rows));
            std::vector<double> sq_norm(static_cast<std::size_t>(x.n_rows));
            {
                nb::gil_scoped_release released;
                lindy::row_keys(x, y.data(), key.data(), sq_norm.data());
            }
            return std::make_tuple(to_numpy(std::move(key)), to_numpy(std::move(sq_norm)));
        },
        nb::arg("indptr"), nb::arg("indices"), nb::arg("values"), nb::arg("y"),
        "A key of each row's label and nonzeros, and its squared norm.");
    module.def(
        "repeated_rows",
        [](const In<std::int64_t>& indptr, const In<std::int32_t>& indices, const In<Value>& values,
           const In<std::int32_t>& y, const In<std::int32_t>& order, Out<bool> repeats) {
            const auto x = csr_view(indptr, indices, values, 0);
            require(size_of(y) == x.n_rows, "y must have one entry per row");
            require(size_of(order) == size_of(repeats), "order and repeats must have the same length");
            for (std::int64_t j = 0; j < size_of(order); ++j)
                require(order.data()[j] >= 0 && order.data()[j] < x.n_rows, "order must hold row numbers");
            nb::gil_scoped_release released;
            repeated_rows(x, y.data(), order.data(), size_of(order), repeats.data());
        },
        nb::arg("indptr"), nb::arg("indices"), nb::arg("values"), nb::arg("y"), nb::arg("order"),
        nb::arg("repeats").noconvert(), "Which rows of the order equal the one before, label included.");
}

template <class Value, class Support>
static void bind_vote(nb::module_& module) {
    module.def(
        "vote",
        [](const In<std::int64_t>& indptr, const In<std::int32_t>& indices, const In<Value>& values,
           const In<std::int64_t>& support_indptr, const In<std::int32_t>& support_indices,
           const In<Support>& support_values, std::int64_t n_columns, const In<std::int64_t>& row,
           const In<std::int32_t>& up, const In<std::int32_t>& down, const In<double>& step,
           const In<double>& life, bool bias, double first_life, Out2<double> out, int threads) {
            const auto x = csr_view(indptr, indices, values, n_columns);
            const auto support = csr_view(support_indptr, support_indices, support_values, n_columns);
            const int K = static_cast<int>(out.shape(1));
            require(K >= 2 && static_cast<std::int64_t>(out.shape(0)) == x.n_rows,
                    "out must be rows × classes");
            require(up.size() == row.size() && down.size() == row.size() && step.size() == row.size() &&
                        life.size() == row.size(),
                    "row, up, down, step and life must have the same length");
            for (std::int64_t m = 0; m < size_of(row); ++m)
                require(row.data()[m] >= 0 && row.data()[m] < support.n_rows && up.data()[m] >= 0 &&
                            up.data()[m] < K && down.data()[m] >= 0 && down.data()[m] < K,
                        "row must hold rows of the support, up and down class numbers");
            const Votes votes{size_of(row), row.data(),  up.data(), down.data(),
                              step.data(),  life.data(), K,         bias};
            nb::gil_scoped_release released;
            vote(x, support, votes, first_life, out.data(), threads);
        },
        nb::arg("indptr"), nb::arg("indices"), nb::arg("values"), nb::arg("support_indptr"),
        nb::arg("support_indices"), nb::arg("support_values"), nb::arg("n_columns"), nb::arg("row"),
        nb::arg("up"), nb::arg("down"), nb::arg("step"), nb::arg("life"), nb::arg("bias"),
        nb::arg("first_life"), nb::arg("out").noconvert(), nb::arg("threads"),
        "Adds to out the time for which the weights of a perceptron gave each row each label.");
}

void bind_online(nb::module_& module) {
    nb::class_<OnlineRule>(module, "OnlineRule", "Loss, step rule and penalties of an online learner.")
        .def("__init__", &make_rule, nb::arg("loss"), nb::arg("step"), nb::arg("schedule"),
             nb::arg("aggression"), nb::arg("constraints"))
        .def_rw("eta0", &OnlineRule::eta0)
        .def_rw("bias_eta0", &OnlineRule::bias_eta0)
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
    bind_run<float, float>(module);
    bind_run<double, float>(module);
    bind_run<float, double>(module);
    bind_run<double, double>(module);
    bind_collect<float, float>(module);
    bind_collect<double, float>(module);
    bind_collect<float, double>(module);
    bind_collect<double, double>(module);
    bind_weights<float>(module);
    bind_weights<double>(module);
    bind_rows<float>(module);
    bind_rows<double>(module);
    bind_vote<float, float>(module);
    bind_vote<double, float>(module);
    bind_vote<float, double>(module);
    bind_vote<double, double>(module);
}

}  // namespace lindy
