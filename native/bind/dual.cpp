// Dual coordinate ascent: a solver object that borrows the arrays of one problem and works on them in place.
#include <any>

#include "bind/rows.hpp"
#include "linear/dual/mean_square.hpp"
#include "linear/dual/solver.hpp"

namespace lindy {

namespace {

template <class Value, class Weight>
class BoundDualSolver {
  public:
    // `arrays` are those that the problem points into, kept as long as it does.
    BoundDualSolver(const DualPass<Value, Weight>& problem, LossName loss, std::any arrays)
        : arrays_(std::move(arrays)),
          n_rows_(problem.x.n_rows),
          stride_(problem.stride),
          solver_(problem, loss) {}

    std::tuple<double, std::int64_t> run(Out<std::int32_t> order, std::int64_t n, std::uint64_t seed,
                                         double bias_step, double reach) {
        check_rows(order, n);
        const DualMet met = solver_.pass(order.data(), n, seed, bias_step, reach);
        return {met.gap, met.kept};
    }

    void look_ahead(Out<std::int32_t> order, std::uint64_t seed, double bias_step, double before) {
        check_rows(order, length(order));
        require(before > 0, "before must be positive");
        solver_.look_ahead(order.data(), length(order), seed, bias_step, before);
    }

    std::tuple<double, double, double> audit(int threads, Out<double> output_gap) {
        require(length(output_gap) == stride_, "output_gap must have one entry per column of w");
        const DualAudit found = solver_.audit(threads, output_gap.data());
        return {found.gap, found.loss, found.squared_norm};
    }

    void rebuild() { solver_.rebuild(); }
    void add_differences() { solver_.add_differences(); }

    void residual(Out<double> out) {
        require(length(out) == stride_, "out must have one entry per column of w");
        solver_.residual(out.data());
    }

    void repair(Out<double> residual, double enough) {
        require(length(residual) == stride_, "residual must have one entry per column of w");
        solver_.repair(residual.data(), enough);
    }

  private:
    void check_rows(const Out<std::int32_t>& order, std::int64_t n) const {
        require(n >= 0 && n <= length(order), "n must not exceed the size of order");
        const auto inside = [&](std::int32_t row) { return row >= 0 && row < n_rows_; };
        require(std::all_of(order.data(), order.data() + n, inside), "order must hold row numbers");
    }

    std::any arrays_;
    std::int64_t n_rows_, stride_;
    DualSolver<Value, Weight> solver_;
};

template <class Value, class Weight>
void bind_solver(nb::module_& module, const char* name) {
    using Solver = BoundDualSolver<Value, Weight>;
    nb::class_<Solver>(module, name, "Dual coordinate ascent on these arrays, which it changes in place.")
        .def("run", unlocked(&Solver::run), "order"_a, "n"_a, nb::kw_only(), "seed"_a, "bias_step"_a,
             "reach"_a,
             "Shuffle the first n of the given rows and solve for the dual variables of each in turn. Rows "
             "settled further than reach are then removed from order. Returns the sum of the gap terms met, "
             "and the number of rows left.")
        .def("look_ahead", unlocked(&Solver::look_ahead), "order"_a, nb::kw_only(), "seed"_a, "bias_step"_a,
             "before"_a,
             "Shuffle the given n rows and visit each once with w scaled by (n + before) / (k + before), k "
             "being the number of rows seen: as it will be when it has seen all.")
        .def("audit", unlocked(&Solver::audit), "threads"_a, "output_gap"_a,
             "Fill gap and loss for every row, from the present weights; returns their sums and ‖w‖². The "
             "gap terms of each output are added to output_gap, where outputs have losses of their own.")
        .def("repair", unlocked(&Solver::repair), "residual"_a, "enough"_a,
             "Change a few dual variables so that no residual of the bias equations exceeds enough.")
        .def("residual", unlocked(&Solver::residual), "out"_a,
             "out = Σ of the rows' coefficients, per output: what the equations of the bias are about.")
        .def("rebuild", unlocked(&Solver::rebuild), "Recompute w from the dual variables.")
        .def("add_differences", unlocked(&Solver::add_differences),
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
        []<class Value, class Weight>(const std::string& loss_name, const Rows<Value>& x,
                                      const In<std::int32_t>& y, const In<double>& c, const In2<double>& q,
                                      const In2<double>& cost, const Out2<Weight>& w, const Out<Weight>& b,
                                      const Out2<Weight>& dual, const Out<double>& gap,
                                      const Out<double>& loss_values, const std::optional<In2<Weight>>& scale,
                                      const std::optional<In<std::int64_t>>& label_ends) {
            const LossName loss = loss_named(loss_name);
            const std::int64_t n = x.n_rows, n_classes = height(cost);
            const std::int64_t n_outputs = n_classes == 2 && !label_ends ? 1 : n_classes;
            const std::int64_t stride = n_outputs == 1 ? 1 : (n_outputs + 3) / 4 * 4;
            require(n_classes >= 2 && width(cost) == n_outputs, "cost must be classes × outputs");
            require(height(w) == x.n_columns, "w must have one row per column");
            require(width(w) == stride,
                    "w must have one column, or the number of outputs rounded up to a multiple of 4");
            if (label_ends) {
                const std::int64_t* const ends = label_ends->data();
                require(
                    !is_joint(loss) && length(*label_ends) == n + 1 && ends[0] == 0 && ends[n] == length(y) &&
                        std::is_sorted(ends, ends + n + 1),
                    "label_ends must be where the labels of each row end in y, for a loss of every output");
            }
            require((label_ends || length(y) == n) && length(c) == n && length(gap) == n &&
                        length(loss_values) == n,
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
            const DualPass<Value, Weight> problem{x,
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
            return new BoundDualSolver<Value, Weight>(
                problem, loss, std::tuple(x, y, c, q, cost, w, b, dual, gap, loss_values, scale, label_ends));
        },
        "loss"_a, "X"_a, nb::kw_only(), "y"_a, "c"_a, "q"_a, "cost"_a, "w"_a, "b"_a, "dual"_a, "gap"_a,
        "loss_values"_a, "scale"_a.noconvert() = nb::none(), "label_ends"_a = nb::none(),
        "The solver for these types of values and weights.");
    def_floats(
        module, "mean_square",
        []<class Value>(const Rows<Value>& x, const In<std::int32_t>& rows, const In<double>& share,
                        const std::optional<In2<Value>>& squares, std::int64_t n_outputs) {
            require(share.size() == rows.size(), "there must be one share per row");
            require_below(rows, x.n_rows, "order must hold row numbers");
            const std::int64_t stride = squares ? width(*squares) : 1;
            require(!squares || (height(*squares) == x.n_columns && n_outputs >= 1 && n_outputs <= stride),
                    "squares must have one row per column, and as many columns as outputs or more");
            return mean_square<Value>(x, rows.data(), share.data(), length(rows), data_or_null(squares),
                                      stride, n_outputs);
        },
        "X"_a, nb::kw_only(), "rows"_a, "share"_a, "squares"_a = nb::none(), "n_outputs"_a = 1,
        "The squared length of the mean of some rows; with squares of scales, averaged over the outputs.");
}

}  // namespace lindy
