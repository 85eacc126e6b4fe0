// Smooth objectives: scores, losses, gradients, Hessian products and factors, conjugates.
#include "linear/primal/objective.hpp"

#include "bind/rows.hpp"
#include "linear/primal/newton.hpp"

namespace lindy {

namespace {

// Rows for products with matrices of n_outputs columns.
template <class Value>
class RowProducts {
  public:
    RowProducts(const Rows<Value>& x, std::int64_t n_outputs, int threads)
        : x_(x), n_outputs_(n_outputs), products_(x_, n_outputs, threads) {
        require(n_outputs >= 1, "n_outputs must be positive");
    }

    void scores(const In2<double>& W, Out2<double> S) const {
        check_weights(W);
        check_rows(S);
        products_.scores(W.data(), S.data());
    }

    void transposed(const In2<double>& R, Out2<double> G) const {
        check_rows(R);
        check_weights(G);
        products_.transposed(R.data(), G.data());
    }

  protected:
    void check_rows(const auto&... arrays) const {
        require((has_shape(arrays, x_.n_rows, n_outputs_) && ...), "the array must be rows × outputs");
    }
    void check_weights(const auto& W) const {
        require(has_shape(W, x_.n_columns, n_outputs_), "weights must be features × outputs");
    }

    Rows<Value> x_;
    std::int64_t n_outputs_;
    Products<Value> products_;
};

// A training set and its loss, held by reference from Python; each method is one bounded pass.
template <class Value>
class Objective : public RowProducts<Value> {
    using RowProducts<Value>::x_, RowProducts<Value>::products_, RowProducts<Value>::check_rows,
        RowProducts<Value>::check_weights;

  public:
    Objective(const Rows<Value>& x, In<std::int32_t> y, std::optional<In<double>> weight, double scale,
              const std::string& loss, std::int64_t n_outputs, int threads)
        : RowProducts<Value>(x, n_outputs, threads),
          y_(std::move(y)),
          weight_(std::move(weight)),
          rows_{loss_named(loss), y_.data(), data_or_null(weight_), scale, x_.n_rows, n_outputs},
          threads_(std::max(threads, 1)) {
        require(length(y_) == x_.n_rows, "y must have one entry per row");
        require(!weight_ || weight_->size() == y_.size(), "weight must have one entry per row");
        require(rows_.loss != LossName::perceptron, "the loss must be smooth, or a hinge, which is smoothed");
        require_below(y_, n_outputs == 1 ? 2 : n_outputs, "y must hold class numbers");
    }

    double loss(const In2<double>& S, const In<double>& b, Out2<double> R, Out2<double> D) const {
        check_rows(S, R, D);
        check_outputs(b.size());
        check_multipliers();
        return sum_losses(rows_, S.data(), b.data(), R.data(), D.data(), threads_);
    }

    void row_losses(const In2<double>& S, const In<double>& b, Out2<double> R, Out2<double> D,
                    Out<double> losses) const {
        check_rows(S, R, D);
        check_outputs(b.size());
        check_multipliers();
        require(length(losses) == rows_.n_rows, "there must be a loss per row");
        LINDY_SELECT(losses_of_rows)(rows_, S.data(), b.data(), R.data(), D.data(), losses.data());
    }

    void row_conjugates(const In2<double>& R, Out<double> conjugates) const {
        check_rows(R);
        require(length(conjugates) == rows_.n_rows, "there must be a conjugate per row");
        const auto kernel = LINDY_SELECT(conjugate_rows);
        for (std::int64_t i = 0; i < rows_.n_rows; ++i)
            conjugates.data()[i] = kernel(rows_, R.data(), i, i + 1);
    }

    double loss_and_gradient(const In2<double>& W, const In<double>& b, Out2<double> S, Out2<double> R,
                             Out2<double> D, Out2<double> G) const {
        check_weights(W);
        check_weights(G);
        check_rows(S, R, D);
        check_multipliers();
        check_outputs(b.size());
        products_.scores(W.data(), S.data());
        const double value = sum_losses(rows_, S.data(), b.data(), R.data(), D.data(), threads_);
        products_.transposed(R.data(), G.data());
        return value;
    }

    void curve(const In2<double>& D, Out2<double> U) const {
        check_rows(D, U);
        curvature_product(rows_, D.data(), U.data(), threads_);
    }

    double conjugate(const In2<double>& R) const {
        check_rows(R);
        return conjugates(rows_, R.data(), threads_);
    }

    void bias_curvature(const In2<double>& D, Out2<double> H) const {
        check_rows(D);
        check_outputs(H.shape(0));
        check_outputs(H.shape(1));
        bias_hessian(rows_, D.data(), H.data());
    }

    void sums(const In2<double>& R, Out<double> out) const {
        check_rows(R);
        check_outputs(out.size());
        column_sums(R.data(), rows_.n_rows, rows_.n_outputs, out.data());
    }

    void set_multipliers(In2<double> multipliers, std::optional<In<double>> margin, double sigma) {
        check_rows(multipliers);
        const auto K = static_cast<std::size_t>(rows_.n_outputs);
        require(!margin || margin->size() == (K == 1 ? 2 : K * K), "margin must be of classes × classes");
        require(margin || !rows_.joint(), "a joint hinge needs its margins");
        require(sigma > 0, "sigma must be positive");
        multipliers_ = std::move(multipliers);
        margin_ = std::move(margin);
        rows_.multipliers = multipliers_->data();
        rows_.margin = data_or_null(margin_);
        rows_.sigma = sigma;
    }

    double hinge(const In2<double>& S, const In<double>& b) const {
        check_rows(S), check_outputs(b.size());
        return hinge_values(rows_, S.data(), b.data(), threads_);
    }

    void line(const In2<double>& S, const In<double>& b, const In2<double>& A, const In<double>& t,
              Out<double> slope, Out<double> curve) const {
        check_rows(S, A);
        check_multipliers();
        for (std::size_t size : {b.size(), t.size(), slope.size(), curve.size()}) check_outputs(size);
        line_slopes(rows_, S.data(), b.data(), A.data(), t.data(), slope.data(), curve.data(), threads_);
    }

    void hessian_times(const In2<double>& D, const In2<double>& V, Out2<double> G) const {
        check_rows(D);
        const bool bias = has_bias(V);
        require(G.shape(0) == V.shape(0) && G.shape(1) == V.shape(1), "G must have the shape of V");
        hessian_product(x_, rows_, bias, D.data(), V.data(), G.data(), threads_);
    }

    void diagonal(const In2<double>& D, Out2<double> G) const {
        check_rows(D);
        const auto bias = height(G) - x_.n_columns;
        require((bias == 0 || bias == 1) && width(G) == rows_.n_outputs,
                "G must be columns × outputs, with a last row for a bias");
        hessian_diagonal(x_, rows_, bias == 1, D.data(), G.data());
    }

    void factor(const In2<double>& D, const In<double>& penalty, bool whole) {
        check_rows(D);
        const auto bias = length(penalty) - x_.n_columns;
        require(bias == 0 || bias == 1, "penalty must have an entry per column, and one for a bias");
        if (!factor_ || factor_->size() != length(penalty))
            factor_ = std::make_unique<NewtonFactor<Value>>(x_, bias == 1);
        factor_->form(rows_, D.data(), penalty.data(), whole, threads_);
    }

    void factor_solve(const In2<double>& R, Out2<double> Z) const {
        require(factor_ && height(R) == factor_->size() && width(R) == factor_->n_outputs() &&
                    R.shape(0) == Z.shape(0) && R.shape(1) == Z.shape(1),
                "R and Z must have the shape of what was factored");
        factor_->solve(R.data(), Z.data());
    }

    double form_cost(bool bias) const { return NewtonFactor<Value>(x_, bias).form_cost(); }

  private:
    bool has_bias(const In2<double>& V) const {
        check_outputs(V.shape(1));
        const auto bias = height(V) - x_.n_columns;
        require(bias == 0 || bias == 1, "V must have a row per column, and one for a bias");
        return bias == 1;
    }
    void check_multipliers() const {
        require(is_smooth(rows_.loss) || rows_.multipliers, "a hinge needs set_multipliers first");
    }
    void check_outputs(std::size_t outputs) const {
        require(static_cast<std::int64_t>(outputs) == rows_.n_outputs,
                "the array must have one entry per output");
    }

    In<std::int32_t> y_;
    std::optional<In<double>> weight_;
    std::optional<In2<double>> multipliers_;
    std::optional<In<double>> margin_;
    std::unique_ptr<NewtonFactor<Value>> factor_;
    LabelledRows rows_;
    int threads_;
};

template <class Value>
void bind_classes(nb::module_& module, const char* products, const char* objective) {
    using Products = RowProducts<Value>;
    nb::class_<Products>(module, products, "Rows, to be multiplied with matrices of n_outputs columns.")
        .def("scores", unlocked(&Products::scores), "W"_a, "S"_a, "S = XW.")
        .def("transposed", unlocked(&Products::transposed), "R"_a, "G"_a, "G = XᵀR.");
    using Class = Objective<Value>;
    nb::class_<Class, Products>(module, objective, "A training set with its loss; W is features × outputs.")
        .def("loss", unlocked(&Class::loss), "S"_a, "b"_a, "R"_a, "D"_a,
             "The mean loss of the scores S + b; R becomes its derivative in S, D what `curve` needs.")
        .def("row_losses", unlocked(&Class::row_losses), "S"_a, "b"_a, "R"_a, "D"_a, "losses"_a,
             "As `loss`, with what each row adds to the mean.")
        .def("row_conjugates", unlocked(&Class::row_conjugates), "R"_a, "conjugates"_a,
             "The terms that each row adds to `conjugate`.")
        .def("loss_and_gradient", unlocked(&Class::loss_and_gradient), "W"_a, "b"_a, "S"_a, "R"_a, "D"_a,
             "G"_a, "scores, loss and transposed in one call; the mean loss.")
        .def("curve", unlocked(&Class::curve), "D"_a, "U"_a,
             "U ← second derivative of the mean loss in the scores, times U.")
        .def("conjugate", unlocked(&Class::conjugate), "R"_a,
             "The convex conjugate of the mean loss at R, which must lie in its domain.")
        .def("bias_curvature", unlocked(&Class::bias_curvature), "D"_a, "H"_a,
             "H = Hessian of the mean loss in the bias, outputs × outputs.")
        .def("set_multipliers", unlocked(&Class::set_multipliers), "multipliers"_a, "margin"_a, "sigma"_a,
             "Around what the smoothed hinges are smoothed, and the margins asked for.")
        .def("hinge", unlocked(&Class::hinge), "S"_a, "b"_a, "The mean hinge itself of the scores S + b.")
        .def("line", unlocked(&Class::line), "S"_a, "b"_a, "A"_a, "t"_a, "slope"_a, "curve"_a,
             "Slope and curvature of the mean loss in t at the scores S + b + t·A, per output; those of a "
             "joint loss are in the first entry.")
        .def("hessian_times", unlocked(&Class::hessian_times), "D"_a, "V"_a, "G"_a,
             "G = Hessian of the mean loss, times V: columns × outputs, with a last row for a bias.")
        .def("hessian_diagonal", unlocked(&Class::diagonal), "D"_a, "G"_a,
             "G = the diagonal of that Hessian.")
        .def("factor", unlocked(&Class::factor), "D"_a, "penalty"_a, "whole"_a,
             "Keep the Cholesky factor of the Hessian + diag(penalty): the whole, or a block per output.")
        .def("factor_solve", unlocked(&Class::factor_solve), "R"_a, "Z"_a,
             "Z = what was factored, inverted, times R.")
        .def("form_cost", unlocked(&Class::form_cost), "bias"_a,
             "About the operations that one output's Hessian takes to be formed.")
        .def("sums", unlocked(&Class::sums), "R"_a, "out"_a, "out = column sums of R.");
}

}  // namespace

void bind_objective(nb::module_& module) {
    bind_classes<float>(module, "Products32", "Objective32");
    bind_classes<double>(module, "Products64", "Objective64");
    def_floats(
        module, "objective",
        []<class Value>(const Rows<Value>& x, const In<std::int32_t>& y,
                        const std::optional<In<double>>& weight, double scale, const std::string& loss,
                        std::int64_t n_outputs, int threads) {
            return new Objective<Value>(x, y, weight, scale, loss, n_outputs, threads);
        },
        "X"_a, "y"_a, "weight"_a, "scale"_a, "loss"_a, "n_outputs"_a, "threads"_a,
        "The objective of these rows, whatever the type of their values.");
    def_floats(
        module, "products",
        []<class Value>(const Rows<Value>& x, std::int64_t n_outputs, int threads) {
            return new RowProducts<Value>(x, n_outputs, threads);
        },
        "X"_a, "n_outputs"_a, "threads"_a, "Rows, to be multiplied with matrices of n_outputs columns.");
}

}  // namespace lindy
