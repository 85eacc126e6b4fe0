// Dual coordinate ascent: a solver object that borrows the arrays of one problem and works on them in place.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <optional>
#include <tuple>

#include "bind/bind.hpp"
#include "linear/dual/mean_square.hpp"
#include "linear/dual/solver.hpp"

namespace lindy {

namespace {

void require_rows(const std::int32_t* rows, std::int64_t n, std::int64_t n_rows) {
    bool inside = true;
    for (std::int64_t k = 0; k < n; ++k) inside &= rows[k] >= 0 && rows[k] < n_rows;
    require(inside, "order must hold row numbers");
}

template <class Value, class Weight>
class BoundDualSolver {
  public:
    BoundDualSolver(const std::string& loss, In<std::int64_t> indptr, In<std::int32_t> indices,
                    In<Value> values, In<std::int32_t> y, In<double> c, In2<double> q, In2<double> cost,
                    Out2<Weight> w, Out<Weight> b, Out2<Weight> dual, Out<double> gap,
                    Out<double> loss_values, std::optional<In2<Weight>> scale,
                    std::optional<In<std::int64_t>> label_ends)
        : indptr_(indptr),
          indices_(indices),
          values_(values),
          y_(y),
          c_(c),
          q_(q),
          cost_(cost),
          w_(w),
          b_(b),
          dual_(dual),
          gap_(gap),
          loss_(loss_values),
          scale_(scale),
          label_ends_(label_ends),
          solver_(checked(loss_named(loss)), loss_named(loss)) {}

    std::tuple<double, std::int64_t> run(Out<std::int32_t> order, std::int64_t n, std::uint64_t seed,
                                         double bias_step, double reach) {
        check_rows(order, n);
        nb::gil_scoped_release released;
        const DualMet met = solver_.pass(order.data(), n, seed, bias_step, reach);
        return {met.gap, met.kept};
    }

    void look_ahead(Out<std::int32_t> order, std::uint64_t seed, double bias_step, double before) {
        check_rows(order, static_cast<std::int64_t>(order.size()));
        require(before > 0, "before must be positive");
        nb::gil_scoped_release released;
        solver_.look_ahead(order.data(), static_cast<std::int64_t>(order.size()), seed, bias_step, before);
    }

    std::tuple<double, double, double> audit(int threads) {
        nb::gil_scoped_release released;
        const DualAudit found = solver_.audit(threads);
        return {found.gap, found.loss, found.squared_norm};
    }

    void rebuild() {
        nb::gil_scoped_release released;
        solver_.rebuild();
    }

    void add_differences() {
        nb::gil_scoped_release released;
        solver_.add_differences();
    }

    void residual(Out<double> out) {
        require(out.size() == w_.shape(1), "out must have one entry per column of w");
        nb::gil_scoped_release released;
        solver_.residual(out.data());
    }

    void repair(Out<double> residual, double enough) {
        require(residual.size() == w_.shape(1), "residual must have one entry per column of w");
        nb::gil_scoped_release released;
        solver_.repair(residual.data(), enough);
    }

  private:
    DualPass<Value, Weight> checked(LossName loss) {
        const auto x = csr_view(indptr_, indices_, values_, static_cast<std::int64_t>(w_.shape(0)));
        const std::size_t n = static_cast<std::size_t>(x.n_rows);
        const auto n_classes = static_cast<std::int64_t>(cost_.shape(0));
        const std::int64_t n_outputs = n_classes == 2 && !label_ends_ ? 1 : n_classes, width = n_outputs;
        const std::int64_t stride = n_outputs == 1 ? 1 : (n_outputs + 3) / 4 * 4;
        require(n_classes >= 2 && static_cast<std::int64_t>(cost_.shape(1)) == width,
                "cost must be classes × outputs");
        require(static_cast<std::int64_t>(w_.shape(1)) == stride,
                "w must have one column, or the number of outputs rounded up to a multiple of 4");
        const std::int64_t* const ends = label_ends_ ? label_ends_->data() : nullptr;
        if (ends) {
            require(!is_joint(loss) && label_ends_->size() == n + 1 && ends[0] == 0 &&
                        ends[n] == static_cast<std::int64_t>(y_.size()) && std::is_sorted(ends, ends + n + 1),
                    "label_ends must be the row ends of the labels in y, for a loss of each output");
        }
        require((ends || y_.size() == n) && c_.size() == n && gap_.size() == n && loss_.size() == n,
                "y, c, gap and loss must have one entry per row");
        const auto q_stride = scale_ ? stride : std::int64_t{1};
        require(q_.shape(0) == n && static_cast<std::int64_t>(q_.shape(1)) == q_stride,
                "q must have a row per row, of one entry, or with scales one for each column of w");
        require(!scale_ || (n_outputs > 1 && !is_joint(loss)),
                "scales are for several outputs with losses of their own");
        require(!scale_ || (scale_->shape(0) == w_.shape(0) && scale_->shape(1) == w_.shape(1)),
                "scale must have the shape of w");
        require(dual_.shape(0) == n && dual_.shape(1) == w_.shape(1) && b_.size() == w_.shape(1),
                "dual must be rows × columns of w, b one row of w");
        for (std::size_t i = 0; i < y_.size(); ++i)
            require(y_.data()[i] >= 0 && y_.data()[i] < n_classes, "y must hold class numbers");
        for (std::size_t i = 0; i < n; ++i) require(c_.data()[i] >= 0, "c must not be negative");
        const Weight* scale = scale_ ? scale_->data() : nullptr;
        return {x,         y_.data(), ends,         c_.data(),   q_.data(),
                q_stride,  scale,     cost_.data(), n_outputs,   stride,
                w_.data(), b_.data(), dual_.data(), gap_.data(), loss_.data()};
    }

    void check_rows(const Out<std::int32_t>& order, std::int64_t n) const {
        require(n >= 0 && n <= static_cast<std::int64_t>(order.size()),
                "n must not exceed the size of order");
        require_rows(order.data(), n, static_cast<std::int64_t>(c_.size()));
    }

    In<std::int64_t> indptr_;  // the arrays are kept alive as long as the solver points into them
    In<std::int32_t> indices_;
    In<Value> values_;
    In<std::int32_t> y_;
    In<double> c_;
    In2<double> q_, cost_;
    Out2<Weight> w_;
    Out<Weight> b_;
    Out2<Weight> dual_;
    Out<double> gap_, loss_;
    std::optional<In2<Weight>> scale_;
    std::optional<In<std::int64_t>> label_ends_;
    DualSolver<Value, Weight> solver_;
};

template <class Value, class Weight>
void bind_solver(nb::module_& module, const char* name) {
    using Solver = BoundDualSolver<Value, Weight>;
    nb::class_<Solver>(module, name, "Dual coordinate ascent on these arrays, which it changes in place.")
        .def(
            nb::init<const std::string&, In<std::int64_t>, In<std::int32_t>, In<Value>, In<std::int32_t>,
                     In<double>, In2<double>, In2<double>, Out2<Weight>, Out<Weight>, Out2<Weight>,
                     Out<double>, Out<double>, std::optional<In2<Weight>>, std::optional<In<std::int64_t>>>(),
            nb::arg("loss"), nb::arg("indptr"), nb::arg("indices"), nb::arg("values"), nb::kw_only(),
            nb::arg("y"), nb::arg("c"), nb::arg("q"), nb::arg("cost"), nb::arg("w").noconvert(),
            nb::arg("b").noconvert(), nb::arg("dual").noconvert(), nb::arg("gap").noconvert(),
            nb::arg("loss_values").noconvert(), nb::arg("scale").noconvert() = nb::none(),
            nb::arg("label_ends") = nb::none())
        .def("run", &Solver::run, nb::arg("order").noconvert(), nb::arg("n"), nb::kw_only(), nb::arg("seed"),
             nb::arg("bias_step"), nb::arg("reach"),
             "Shuffle the first n of the given rows and solve for the dual variables of each in turn. Rows"
             " settled further than reach are then removed from order. Returns the sum of the gap terms"
             " met, and the number of rows left.")
        .def("look_ahead", &Solver::look_ahead, nb::arg("order").noconvert(), nb::kw_only(), nb::arg("seed"),
             nb::arg("bias_step"), nb::arg("before"),
             "Shuffle the given n rows and visit each once with w scaled by (n + before) / (k + before), k"
             " being the number of rows seen: as it will be when it has seen all.")
        .def("audit", &Solver::audit, nb::arg("threads"),
             "Fill gap and loss for every row, from the present weights; returns their sums and ‖w‖².")
        .def("repair", &Solver::repair, nb::arg("residual").noconvert(), nb::arg("enough"),
             "Change a few dual variables so that no residual of the bias equations exceeds enough.")
        .def("residual", &Solver::residual, nb::arg("out").noconvert(),
             "out = Σ of the rows' coefficients, per output: what the equations of the bias are about.")
        .def("rebuild", &Solver::rebuild, "Recompute w from the dual variables.")
        .def("add_differences", &Solver::add_differences,
             "Add to w what the dual variables say, which are differences from those behind it.");
}

template <class Value>
void bind_mean_square(nb::module_& module) {
    module.def(
        "mean_square",
        [](const In<std::int64_t>& indptr, const In<std::int32_t>& indices, const In<Value>& values,
           std::int64_t n_columns, const In<std::int32_t>& rows, const In<double>& share,
           const std::optional<In2<Value>>& squares, std::int64_t n_outputs) {
            const auto x = csr_view(indptr, indices, values, n_columns);
            const auto n = static_cast<std::int64_t>(rows.size());
            require(share.size() == rows.size(), "there must be one share per row");
            require_rows(rows.data(), n, x.n_rows);
            const auto stride = squares ? static_cast<std::int64_t>(squares->shape(1)) : std::int64_t{1};
            require(!squares || (static_cast<std::int64_t>(squares->shape(0)) == n_columns &&
                                 n_outputs >= 1 && n_outputs <= stride),
                    "squares must have one row per column, and as many columns as outputs or more");
            const Value* const own = squares ? squares->data() : nullptr;
            nb::gil_scoped_release released;
            return mean_square(x, rows.data(), share.data(), n, own, stride, n_outputs);
        },
        nb::arg("indptr"), nb::arg("indices"), nb::arg("values"), nb::arg("n_columns"), nb::kw_only(),
        nb::arg("rows"), nb::arg("share"), nb::arg("squares") = nb::none(), nb::arg("n_outputs") = 1,
        "The squared length of the mean of some rows; with squares of scales, averaged over the outputs.");
}

}  // namespace

void bind_dual(nb::module_& module) {
    bind_mean_square<float>(module);
    bind_mean_square<double>(module);
    bind_solver<float, float>(module, "DualSolver32x32");
    bind_solver<double, float>(module, "DualSolver64x32");
    bind_solver<float, double>(module, "DualSolver32x64");
    bind_solver<double, double>(module, "DualSolver64x64");
}

}  // namespace lindy
