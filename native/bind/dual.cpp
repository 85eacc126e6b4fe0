// Dual coordinate ascent: a solver object that borrows the arrays of one problem and works on them in place.
#include "linear/dual/dual.hpp"

#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <tuple>
#include <type_traits>

#include "bind/bind.hpp"
#include "core/fastmath.hpp"
#include "core/isa.hpp"
#include "core/threads.hpp"
#include "linear/dual/bias.hpp"

#define LINDY_KERNELS "linear/dual/kernels.inl"
#include "core/for_each_isa.hpp"

namespace lindy {

namespace {

// What one pass met: the sum of the rows' gap terms, and how many rows stay in the next.
using Met = std::tuple<double, std::int64_t>;

// What an audit found: the sums of the rows' gap terms and losses, and ‖W‖².
using Audited = std::tuple<double, double, double>;

class DualSolver {
  public:
    virtual ~DualSolver() = default;
    virtual Met run(Out<std::int32_t> order, std::int64_t n, std::uint64_t seed, double bias_step,
                    double reach) = 0;
    virtual void sweep(Out<std::int32_t> order, std::uint64_t seed, double bias_step, double before) = 0;
    virtual Audited audit(int threads) = 0;
    virtual Audited sample() = 0;
    virtual double rebuild() = 0;
    virtual void residual(Out<double> out) = 0;
    virtual void repair(Out<double> residual, double enough) = 0;
};

// Puts order[0 … n) into a random order that depends on the seed alone (SplitMix64, Fisher–Yates).
void shuffle(std::int32_t* order, std::int64_t n, std::uint64_t seed) {
    for (std::int64_t k = n - 1; k > 0; --k) {
        std::uint64_t z = (seed += 0x9e3779b97f4a7c15u);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        const std::uint64_t high = (z ^ (z >> 31)) >> 32;
        std::swap(order[k], order[(high * static_cast<std::uint64_t>(k + 1)) >> 32]);
    }
}

template <class Value, class Weight>
class TypedDualSolver final : public DualSolver {
    using Pass = DualPass<Value, Weight>;
    using Kernels = DualKernels<Value, Weight>;

  public:
    TypedDualSolver(const std::string& loss, In<std::int64_t> indptr, In<std::int32_t> indices,
                    In<Value> values, In<std::int32_t> y, In<double> c, In<double> q, In<double> cost,
                    std::int64_t n_outputs, Out2<Weight> w, Out<Weight> b, Out2<Weight> dual, Out<double> gap,
                    Out<double> loss_values)
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
          loss_name_(loss),
          joint_(n_outputs > 1 && (loss == "log" || loss == "multiclass_hinge")) {
        const auto x = csr_view(indptr, indices, values, static_cast<std::int64_t>(w.shape(0)));
        const std::int64_t stride = static_cast<std::int64_t>(w.shape(1));
        const std::size_t n = static_cast<std::size_t>(x.n_rows);
        require(n_outputs >= 1 && (n_outputs == 1 ? stride == 1 : stride == (n_outputs + 3) / 4 * 4),
                "w must have one column, or the number of outputs rounded up to a multiple of 4");
        require(y.size() == n && c.size() == n && q.size() == n && gap.size() == n && loss_values.size() == n,
                "y, c, q, gap and loss must have one entry per row");
        require(dual.shape(0) == n && dual.shape(1) == w.shape(1) && b.size() == w.shape(1),
                "dual must be rows × columns of w, b one row of w");
        const std::int64_t n_classes = n_outputs == 1 ? 2 : n_outputs;
        require(static_cast<std::int64_t>(cost.size()) == (n_outputs == 1 ? 2 : n_outputs * n_outputs),
                "cost must be classes × classes, or two numbers for one output");
        for (std::size_t i = 0; i < n; ++i) {
            require(y.data()[i] >= 0 && y.data()[i] < n_classes, "y must hold class numbers");
            require(c.data()[i] >= 0, "c must not be negative");
        }
        kernels_ = select_isa(&baseline::dual_kernels<Value, Weight>, &avx2::dual_kernels<Value, Weight>,
                              &avx512::dual_kernels<Value, Weight>)(loss, n_outputs == 1);
        require(kernels_.pass != nullptr, "unknown loss");
        pass_ = Pass{x,        y.data(), c.data(), q.data(), cost.data(), n_outputs,  stride,
                     w.data(), b.data(), 0.0,      1.0,      dual.data(), gap.data(), loss_values.data()};
    }

    Met run(Out<std::int32_t> order, std::int64_t n, std::uint64_t seed, double bias_step,
            double reach) override {
        require(n >= 0 && n <= static_cast<std::int64_t>(order.size()),
                "n must not exceed the size of order");
        std::int32_t* rows = order.data();
        check_rows(rows, n);
        nb::gil_scoped_release released;
        shuffle(rows, n, seed);
        Pass pass = pass_;
        pass.bias_step = bias_step;
        kernels_.pass(pass, rows, n);
        double sum = 0;
        std::int64_t kept = 0;
        for (std::int64_t k = 0; k < n; ++k) {
            const double gap = pass_.gap[rows[k]];
            sum += std::max(gap, 0.0);
            if (gap > -reach) rows[kept++] = rows[k];
        }
        return {sum, kept};
    }

    void sweep(Out<std::int32_t> order, std::uint64_t seed, double bias_step, double before) override {
        const std::int64_t n = static_cast<std::int64_t>(order.size());
        std::int32_t* rows = order.data();
        check_rows(rows, n);
        require(before > 0, "before must be positive");
        nb::gil_scoped_release released;
        shuffle(rows, n, seed);
        Pass pass = pass_;
        pass.bias_step = bias_step;
        // in pieces of an eighth of the rows seen, and of whole pairs
        for (std::int64_t begin = 0, end; begin < n; begin = end) {
            end = std::min(n, begin + std::max<std::int64_t>(begin / 16 * 2, 2));
            pass.lead = (static_cast<double>(n) + before) / (static_cast<double>(begin) + before);
            kernels_.pass(pass, rows + begin, end - begin);
        }
    }

    // Rows with the same share of every part of the data, a few neighbours at a time.
    Audited sample() override {
        nb::gil_scoped_release released;
        constexpr std::int64_t rows = 8, of = 128;
        double gap = 0, loss = 0, seen = 0, all = 0;
        for (std::int64_t begin = 0; begin < pass_.x.n_rows; begin += of) {
            const std::int64_t end = std::min(pass_.x.n_rows, begin + rows);
            kernels_.audit(pass_, begin, end);
            for (std::int64_t i = begin; i < end; ++i) {
                gap += pass_.gap[i];
                loss += pass_.loss[i];
                seen += pass_.c[i];
            }
        }
        for (std::int64_t i = 0; i < pass_.x.n_rows; ++i) all += pass_.c[i];
        const double more = seen > 0 ? all / seen : 0.0;
        return {more * gap, more * loss, squared_weights()};
    }

    Audited audit(int threads) override {
        nb::gil_scoped_release released;
        constexpr std::int64_t rows = 1024;
        const std::int64_t n_chunks = (pass_.x.n_rows + rows - 1) / rows;
        parallel_chunks(n_chunks, threads, [&](std::int64_t chunk) {
            kernels_.audit(pass_, chunk * rows, std::min(pass_.x.n_rows, (chunk + 1) * rows));
        });
        double gap = 0, loss = 0;
        for (std::int64_t i = 0; i < pass_.x.n_rows; ++i) {
            gap += pass_.gap[i];
            loss += pass_.loss[i];
        }
        return {gap, loss, squared_weights()};
    }

    double rebuild() override {
        nb::gil_scoped_release released;
        std::fill(pass_.w, pass_.w + pass_.x.n_columns * pass_.stride, Weight{0});
        kernels_.rebuild(pass_);
        return squared_weights();
    }

    void residual(Out<double> out) override {
        require(static_cast<std::int64_t>(out.size()) == pass_.stride,
                "out must have one entry per column of w");
        nb::gil_scoped_release released;
        bias_residual(pass_, joint_, joint_ && loss_name_ == "log", out.data());
    }

    void repair(Out<double> residual, double enough) override {
        require(static_cast<std::int64_t>(residual.size()) >= pass_.n_outputs,
                "residual must have one entry per output");
        nb::gil_scoped_release released;
        if (joint_ && loss_name_ == "log")
            repair_simplex(pass_, [this](std::int64_t i) { return pass_.c[i]; }, residual.data(), enough);
        else if (joint_)
            repair_simplex(pass_, [](std::int64_t) { return 1.0; }, residual.data(), enough);
        else
            repair_signed(pass_, loss_name_ != "squared_hinge", residual.data(), enough);
    }

  private:
    void check_rows(const std::int32_t* rows, std::int64_t n) const {
        bool inside = true;
        for (std::int64_t k = 0; k < n; ++k) inside &= rows[k] >= 0 && rows[k] < pass_.x.n_rows;
        require(inside, "order must hold row numbers");
    }

    double squared_weights() const {
        return sq_norm(Row<Weight>{nullptr, pass_.w, static_cast<std::ptrdiff_t>(w_.size())});
    }

    In<std::int64_t> indptr_;  // the arrays are kept alive as long as the solver points into them
    In<std::int32_t> indices_;
    In<Value> values_;
    In<std::int32_t> y_;
    In<double> c_, q_, cost_;
    Out2<Weight> w_;
    Out<Weight> b_;
    Out2<Weight> dual_;
    Out<double> gap_, loss_;
    std::string loss_name_;
    bool joint_;
    Pass pass_;
    Kernels kernels_;
};

template <class Value, class Weight>
void bind_solver(nb::class_<DualSolver>& solver) {
    solver.def_static(
        "make",
        [](const std::string& loss, In<std::int64_t> indptr, In<std::int32_t> indices, In<Value> values,
           In<std::int32_t> y, In<double> c, In<double> q, In<double> cost, std::int64_t n_outputs,
           Out2<Weight> w, Out<Weight> b, Out2<Weight> dual, Out<double> gap,
           Out<double> loss_values) -> DualSolver* {
            return new TypedDualSolver<Value, Weight>(loss, indptr, indices, values, y, c, q, cost, n_outputs,
                                                      w, b, dual, gap, loss_values);
        },
        nb::rv_policy::take_ownership, nb::arg("loss"), nb::arg("indptr"), nb::arg("indices"),
        nb::arg("values"), nb::arg("y"), nb::arg("c"), nb::arg("q"), nb::arg("cost"), nb::arg("n_outputs"),
        nb::arg("w").noconvert(), nb::arg("b").noconvert(), nb::arg("dual").noconvert(),
        nb::arg("gap").noconvert(), nb::arg("loss_values").noconvert(),
        "A solver over these arrays, which it changes in place.");
}

}  // namespace

template <class Value>
static void bind_row_norms(nb::module_& module) {
    module.def(
        "row_norms",
        [](const In<std::int64_t>& indptr, const In<std::int32_t>& indices, const In<Value>& values,
           Out<double> out) {
            const auto x = csr_view(indptr, indices, values, INT32_MAX);
            require(static_cast<std::int64_t>(out.size()) == x.n_rows, "out must have one entry per row");
            nb::gil_scoped_release released;
            for (std::int64_t i = 0; i < x.n_rows; ++i) out.data()[i] = sq_norm(x.row(i));
        },
        nb::arg("indptr"), nb::arg("indices"), nb::arg("values"), nb::arg("out").noconvert(),
        "out[i] = the squared Euclidean norm of row i.");
}

void bind_dual(nb::module_& module) {
    bind_row_norms<float>(module);
    bind_row_norms<double>(module);
    nb::class_<DualSolver> solver(module, "DualSolver",
                                  "Dual coordinate ascent on the arrays of one problem, pass by pass.");
    bind_solver<float, float>(solver);
    bind_solver<double, float>(solver);
    bind_solver<float, double>(solver);
    bind_solver<double, double>(solver);
    solver.def("run", &DualSolver::run, nb::arg("order").noconvert(), nb::arg("n"), nb::arg("seed"),
               nb::arg("bias_step"), nb::arg("reach"),
               "Shuffle the first n of the given rows and solve for the dual variables of each in turn. Rows"
               " settled further than reach are then removed from order. Returns the sum of the gap terms"
               " met, and the number of rows left.");
    solver.def(
        "sweep", &DualSolver::sweep, nb::arg("order").noconvert(), nb::arg("seed"), nb::arg("bias_step"),
        nb::arg("before"),
        "Shuffle the given n rows and visit each once with w scaled by (n + before) / (k + before), k being"
        " the number of rows seen: as it will be when it has seen all.");
    solver.def("sample", &DualSolver::sample,
               "An audit of every sixteenth row: estimates of the sums of gap and loss; and ‖w‖².");
    solver.def("audit", &DualSolver::audit, nb::arg("threads"),
               "Fill gap and loss for every row, from the present weights; returns their sums and ‖w‖².");
    solver.def("repair", &DualSolver::repair, nb::arg("residual").noconvert(), nb::arg("enough"),
               "Change a few dual variables so that no residual of the bias equations exceeds enough.");
    solver.def(
        "residual", &DualSolver::residual, nb::arg("out").noconvert(),
        "out = Σ of the rows' dual coefficients, per output: what the equations of the bias are about.");
    solver.def("rebuild", &DualSolver::rebuild, "Recompute w from the dual variables; returns ‖w‖².");
}

}  // namespace lindy
