// Dual coordinate ascent: a solver object that borrows the arrays of one problem and works on them in place.
#include "bind/rows.hpp"
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
    BoundDualSolver(const std::string& loss, const Rows<Value>& x, const In<std::int32_t>& y,
                    const In<double>& c, const In2<double>& q, const In2<double>& cost, const Out2<Weight>& w,
                    const Out<Weight>& b, const Out2<Weight>& dual, const Out<double>& gap,
                    const Out<double>& loss_values, const std::optional<In2<Weight>>& scale,
                    const std::optional<In<std::int64_t>>& label_ends)
        : held_(x, y, c, q, cost, w, b, dual, gap, loss_values, scale, label_ends),
          n_rows_(x.n_rows),
          stride_(width(w)),
          solver_(problem(loss_named(loss)), loss_named(loss)) {}

    std::tuple<double, std::int64_t> run(Out<std::int32_t> order, std::int64_t n, std::uint64_t seed,
                                         double bias_step, double reach) {
        check_rows(order, n);
        nb::gil_scoped_release released;
        const DualMet met = solver_.pass(order.data(), n, seed, bias_step, reach);
        return {met.gap, met.kept};
    }

    void look_ahead(Out<std::int32_t> order, std::uint64_t seed, double bias_step, double before) {
        check_rows(order, length(order));
        require(before > 0, "before must be positive");
        nb::gil_scoped_release released;
        solver_.look_ahead(order.data(), length(order), seed, bias_step, before);
    }

    std::tuple<double, double, double> audit(int threads) {
        nb::gil_scoped_release released;
        const DualAudit found = solver_.audit(threads);
        return {found.gap, found.loss, found.squared_norm};
    }

    void rebuild() { solver_.rebuild(); }
    void add_differences() { solver_.add_differences(); }

    void residual(Out<double> out) {
        require(length(out) == stride_, "out must have one entry per column of w");
        nb::gil_scoped_release released;
        solver_.residual(out.data());
    }

    void repair(Out<double> residual, double enough) {
        require(length(residual) == stride_, "residual must have one entry per column of w");
        nb::gil_scoped_release released;
        solver_.repair(residual.data(), enough);
    }

  private:
    DualPass<Value, Weight> problem(LossName loss) const {
        const auto& [x, y, c, q, cost, w, b, dual, gap, loss_values, scale, label_ends] = held_;
        const std::int64_t n = x.n_rows, n_classes = height(cost);
        const std::int64_t n_outputs = n_classes == 2 && !label_ends ? 1 : n_classes;
        const std::int64_t stride = n_outputs == 1 ? 1 : (n_outputs + 3) / 4 * 4;
        require(n_classes >= 2 && width(cost) == n_outputs, "cost must be classes × outputs");
        require(height(w) == x.n_columns, "w must have one row per column");
        require(width(w) == stride,
                "w must have one column, or the number of outputs rounded up to a multiple of 4");
        if (label_ends) {
            const std::int64_t* const ends = label_ends->data();
            require(!is_joint(loss) && length(*label_ends) == n + 1 && ends[0] == 0 && ends[n] == length(y) &&
                        std::is_sorted(ends, ends + n + 1),
                    "label_ends must be where the labels of each row end in y, for a loss of every output");
        }
        require(
            (label_ends || length(y) == n) && length(c) == n && length(gap) == n && length(loss_values) == n,
            "y, c, gap and loss must have one entry per row");
        const std::int64_t q_stride = scale ? stride : 1;
        require(has_shape(q, n, q_stride),
                "q must have a row per row, of one entry, or with scales one for each column of w");
        require(!scale || (n_outputs > 1 && !is_joint(loss)),
                "scales are for several outputs with losses of their own");
        require(!scale || has_shape(*scale, height(w), stride), "scale must have the shape of w");
        require(has_shape(dual, n, stride) && length(b) == stride,
                "dual must be rows × columns of w, b one row of w");
        require_below(y, n_classes, "y must hold class numbers");
        for (std::int64_t i = 0; i < n; ++i) require(c.data()[i] >= 0, "c must not be negative");
        return {x,
                y.data(),
                data_or_null(label_ends),
                c.data(),
                q.data(),
                q_stride,
                data_or_null(scale),
                cost.data(),
                n_outputs,
                stride,
                w.data(),
                b.data(),
                dual.data(),
                gap.data(),
                loss_values.data()};
    }

    void check_rows(const Out<std::int32_t>& order, std::int64_t n) const {
        require(n >= 0 && n <= length(order), "n must not exceed the size of order");
        require_rows(order.data(), n, n_rows_);
    }

    // The arrays are kept alive as long as the solver points into them.
    std::tuple<Rows<Value>, In<std::int32_t>, In<double>, In2<double>, In2<double>, Out2<Weight>, Out<Weight>,
               Out2<Weight>, Out<double>, Out<double>, std::optional<In2<Weight>>,
               std::optional<In<std::int64_t>>>
        held_;
    std::int64_t n_rows_, stride_;
    DualSolver<Value, Weight> solver_;
};

template <class Value, class Weight>
void bind_solver(nb::module_& module, const char* name) {
    using Solver = BoundDualSolver<Value, Weight>;
    nb::class_<Solver>(module, name, "Dual coordinate ascent on these arrays, which it changes in place.")
        .def("run", &Solver::run, "order"_a.noconvert(), "n"_a, nb::kw_only(), "seed"_a, "bias_step"_a,
             "reach"_a,
             "Shuffle the first n of the given rows and solve for the dual variables of each in turn. Rows "
             "settled further than reach are then removed from order. Returns the sum of the gap terms met, "
             "and the number of rows left.")
        .def("look_ahead", &Solver::look_ahead, "order"_a.noconvert(), nb::kw_only(), "seed"_a, "bias_step"_a,
             "before"_a,
             "Shuffle the given n rows and visit each once with w scaled by (n + before) / (k + before), k "
             "being the number of rows seen: as it will be when it has seen all.")
        .def("audit", &Solver::audit, "threads"_a,
             "Fill gap and loss for every row, from the present weights; returns their sums and ‖w‖².")
        .def("repair", &Solver::repair, "residual"_a.noconvert(), "enough"_a,
             "Change a few dual variables so that no residual of the bias equations exceeds enough.")
        .def("residual", &Solver::residual, "out"_a.noconvert(),
             "out = Σ of the rows' coefficients, per output: what the equations of the bias are about.")
        .def("rebuild", &Solver::rebuild, nb::call_guard<nb::gil_scoped_release>(),
             "Recompute w from the dual variables.")
        .def("add_differences", &Solver::add_differences, nb::call_guard<nb::gil_scoped_release>(),
             "Add to w what the dual variables say, which are differences from those behind it.");
}

}  // namespace

void bind_dual(nb::module_& module) {
    bind_solver<float, float>(module, "DualSolver32x32");
    bind_solver<double, float>(module, "DualSolver64x32");
    bind_solver<float, double>(module, "DualSolver32x64");
    bind_solver<double, double>(module, "DualSolver64x64");
    def_float_pairs(
        module, "dual_solver",
        []<class Value, class Weight>(
            const std::string& loss, const Rows<Value>& x, const In<std::int32_t>& y, const In<double>& c,
            const In2<double>& q, const In2<double>& cost, const Out2<Weight>& w, const Out<Weight>& b,
            const Out2<Weight>& dual, const Out<double>& gap, const Out<double>& loss_values,
            const std::optional<In2<Weight>>& scale, const std::optional<In<std::int64_t>>& label_ends) {
            return new BoundDualSolver<Value, Weight>(loss, x, y, c, q, cost, w, b, dual, gap, loss_values,
                                                      scale, label_ends);
        },
        "loss"_a, "X"_a, nb::kw_only(), "y"_a, "c"_a, "q"_a, "cost"_a, "w"_a.noconvert(), "b"_a.noconvert(),
        "dual"_a.noconvert(), "gap"_a.noconvert(), "loss_values"_a.noconvert(),
        "scale"_a.noconvert() = nb::none(), "label_ends"_a = nb::none(),
        "The solver for these types of values and weights.");
    def_floats(
        module, "mean_square",
        []<class Value>(const Rows<Value>& x, const In<std::int32_t>& rows, const In<double>& share,
                        const std::optional<In2<Value>>& squares, std::int64_t n_outputs) {
            require(share.size() == rows.size(), "there must be one share per row");
            require_rows(rows.data(), length(rows), x.n_rows);
            const std::int64_t stride = squares ? width(*squares) : 1;
            require(!squares || (height(*squares) == x.n_columns && n_outputs >= 1 && n_outputs <= stride),
                    "squares must have one row per column, and as many columns as outputs or more");
            nb::gil_scoped_release released;
            return mean_square<Value>(x, rows.data(), share.data(), length(rows), data_or_null(squares),
                                      stride, n_outputs);
        },
        "X"_a, nb::kw_only(), "rows"_a, "share"_a, "squares"_a = nb::none(), "n_outputs"_a = 1,
        "The squared length of the mean of some rows; with squares of scales, averaged over the outputs.");
}

}  // namespace lindy
