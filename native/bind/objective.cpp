// Smooth objectives: scores, losses, gradients, Hessian products and factors, conjugates.
#include "linear/primal/objective.hpp"

#include <memory>

#include "bind/bind.hpp"
#include "linear/primal/newton.hpp"

namespace lindy {

namespace {

// Rows for products with matrices of n_outputs columns, held by reference from Python.
template <class Value>
class RowProducts {
  public:
    RowProducts(In<std::int64_t> indptr, In<std::int32_t> indices, In<Value> values, std::int64_t n_columns,
                std::int64_t n_outputs, int threads)
        : indptr_(std::move(indptr)),
          indices_(std::move(indices)),
          values_(std::move(values)),
          products_(csr_view(indptr_, indices_, values_, n_columns), n_outputs, threads),
          n_outputs_(n_outputs) {
        require(n_outputs >= 1, "n_outputs must be positive");
    }

    void scores(const In2<double>& W, Out2<double> S) const {
        check(W, S);
        nb::gil_scoped_release released;
        products_.scores(W.data(), S.data());
    }

    void transposed(const In2<double>& R, Out2<double> G) const {
        check(G, R);
        nb::gil_scoped_release released;
        products_.transposed(R.data(), G.data());
    }

  private:
    void check(const auto& W, const auto& S) const {
        const auto K = static_cast<std::size_t>(n_outputs_);
        const CsrView<Value>& x = products_.rows();
        require(W.shape(0) == static_cast<std::size_t>(x.n_columns) && W.shape(1) == K,
                "W and G must be columns × outputs");
        require(S.shape(0) == static_cast<std::size_t>(x.n_rows) && S.shape(1) == K,
                "S and R must be rows × outputs");
    }

    In<std::int64_t> indptr_;
    In<std::int32_t> indices_;
    In<Value> values_;
    Products<Value> products_;
    std::int64_t n_outputs_;
};

template <class Value>
void bind_products(nb::module_& module, const char* name) {
    using Class = RowProducts<Value>;
    nb::class_<Class>(module, name, "Sparse rows, to be multiplied with matrices of n_outputs columns.")
        .def(nb::init<In<std::int64_t>, In<std::int32_t>, In<Value>, std::int64_t, std::int64_t, int>(),
             nb::arg("indptr"), nb::arg("indices"), nb::arg("values"), nb::arg("n_columns"),
             nb::arg("n_outputs"), nb::arg("threads"))
        .def("scores", &Class::scores, nb::arg("W"), nb::arg("S").noconvert(), "S = XW.")
        .def("transposed", &Class::transposed, nb::arg("R"), nb::arg("G").noconvert(), "G = XᵀR.");
}

// A training set and its loss, held by reference from Python; each method is one bounded pass.
template <class Value>
class Objective {
  public:
    Objective(In<std::int64_t> indptr, In<std::int32_t> indices, In<Value> values, std::int64_t n_columns,
              In<std::int32_t> y, std::optional<In<double>> weight, double scale, const std::string& loss,
              std::int64_t n_outputs, int threads)
        : indptr_(std::move(indptr)),
          indices_(std::move(indices)),
          values_(std::move(values)),
          y_(std::move(y)),
          weight_(std::move(weight)),
          x_(csr_view(indptr_, indices_, values_, n_columns)),
          rows_{loss_named(loss), y_.data(), weight_ ? weight_->data() : nullptr, scale,
                x_.n_rows,        n_outputs},
          threads_(std::max(threads, 1)),
          products_(x_, n_outputs, threads) {
        require(static_cast<std::int64_t>(y_.size()) == x_.n_rows, "y must have one entry per row");
        require(!weight_ || weight_->size() == y_.size(), "weight must have one entry per row");
        require(n_outputs >= 1, "n_outputs must be positive");
        const std::int64_t n_classes = n_outputs == 1 ? 2 : n_outputs;
        require(rows_.loss != LossName::perceptron, "the loss must be smooth, or a hinge, which is smoothed");
        for (std::size_t i = 0; i < y_.size(); ++i)
            require(y_.data()[i] >= 0 && y_.data()[i] < n_classes, "y must hold class numbers");
    }

    void scores(const In2<double>& W, Out2<double> S) const {
        check_weights(W.shape(0), W.shape(1));
        check_rows(S);
        nb::gil_scoped_release released;
        products_.scores(W.data(), S.data());
    }

    double loss(const In2<double>& S, const In<double>& b, Out2<double> R, Out2<double> D) const {
        check_rows(S), check_rows(R), check_rows(D);
        check_outputs(b.size());
        check_multipliers();
        nb::gil_scoped_release released;
        return sum_losses(rows_, S.data(), b.data(), R.data(), D.data(), threads_);
    }

    void row_losses(const In2<double>& S, const In<double>& b, Out2<double> R, Out2<double> D,
                    Out<double> losses) const {
        check_rows(S), check_rows(R), check_rows(D);
        check_outputs(b.size());
        check_multipliers();
        require(static_cast<std::int64_t>(losses.size()) == rows_.n_rows, "there must be a loss per row");
        nb::gil_scoped_release released;
        LINDY_SELECT(losses_of_rows)(rows_, S.data(), b.data(), R.data(), D.data(), losses.data());
    }

    void row_conjugates(const In2<double>& R, Out<double> conjugates) const {
        check_rows(R);
        require(static_cast<std::int64_t>(conjugates.size()) == rows_.n_rows,
                "there must be a conjugate per row");
        nb::gil_scoped_release released;
        const auto kernel = LINDY_SELECT(conjugate_rows);
        for (std::int64_t i = 0; i < rows_.n_rows; ++i)
            conjugates.data()[i] = kernel(rows_, R.data(), i, i + 1);
    }

    double loss_and_gradient(const In2<double>& W, const In<double>& b, Out2<double> S, Out2<double> R,
                             Out2<double> D, Out2<double> G) const {
        check_weights(W.shape(0), W.shape(1));
        check_weights(G.shape(0), G.shape(1));
        check_rows(S), check_rows(R), check_rows(D);
        check_multipliers();
        check_outputs(b.size());
        nb::gil_scoped_release released;
        products_.scores(W.data(), S.data());
        const double value = sum_losses(rows_, S.data(), b.data(), R.data(), D.data(), threads_);
        products_.transposed(R.data(), G.data());
        return value;
    }

    void transposed(const In2<double>& R, Out2<double> G) const {
        check_rows(R);
        check_weights(G.shape(0), G.shape(1));
        nb::gil_scoped_release released;
        products_.transposed(R.data(), G.data());
    }

    void curve(const In2<double>& D, Out2<double> U) const {
        check_rows(D), check_rows(U);
        nb::gil_scoped_release released;
        curvature_product(rows_, D.data(), U.data(), threads_);
    }

    double conjugate(const In2<double>& R) const {
        check_rows(R);
        nb::gil_scoped_release released;
        return conjugates(rows_, R.data(), threads_);
    }

    void bias_curvature(const In2<double>& D, Out2<double> H) const {
        check_rows(D);
        check_outputs(H.shape(0));
        check_outputs(H.shape(1));
        nb::gil_scoped_release released;
        bias_hessian(rows_, D.data(), H.data());
    }

    void sums(const In2<double>& R, Out<double> out) const {
        check_rows(R);
        check_outputs(out.size());
        nb::gil_scoped_release released;
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
        rows_.margin = margin_ ? margin_->data() : nullptr;
        rows_.sigma = sigma;
    }

    double hinge(const In2<double>& S, const In<double>& b) const {
        check_rows(S), check_outputs(b.size());
        nb::gil_scoped_release released;
        return hinge_values(rows_, S.data(), b.data(), threads_);
    }

    void line(const In2<double>& S, const In<double>& b, const In2<double>& A, const In<double>& t,
              Out<double> slope, Out<double> curve) const {
        check_rows(S), check_rows(A);
        check_multipliers();
        for (std::size_t size : {b.size(), t.size(), slope.size(), curve.size()}) check_outputs(size);
        nb::gil_scoped_release released;
        line_slopes(rows_, S.data(), b.data(), A.data(), t.data(), slope.data(), curve.data(), threads_);
    }

    void hessian_times(const In2<double>& D, const In2<double>& V, Out2<double> G) const {
        check_rows(D);
        const bool bias = has_bias(V);
        require(G.shape(0) == V.shape(0) && G.shape(1) == V.shape(1), "G must have the shape of V");
        nb::gil_scoped_release released;
        hessian_product(x_, rows_, bias, D.data(), V.data(), G.data(), threads_);
    }

    void diagonal(const In2<double>& D, Out2<double> G) const {
        check_rows(D);
        const auto bias = static_cast<std::int64_t>(G.shape(0)) - x_.n_columns;
        require((bias == 0 || bias == 1) && static_cast<std::int64_t>(G.shape(1)) == rows_.n_outputs,
                "G must be columns × outputs, with a last row for a bias");
        nb::gil_scoped_release released;
        hessian_diagonal(x_, rows_, bias == 1, D.data(), G.data());
    }

    void factor(const In2<double>& D, const In<double>& penalty, bool whole) {
        check_rows(D);
        const auto bias = static_cast<std::int64_t>(penalty.size()) - x_.n_columns;
        require(bias == 0 || bias == 1, "penalty must have an entry per column, and one for a bias");
        nb::gil_scoped_release released;
        if (!factor_ || factor_->size() != static_cast<std::int64_t>(penalty.size()))
            factor_ = std::make_unique<NewtonFactor<Value>>(x_, bias == 1);
        factor_->form(rows_, D.data(), penalty.data(), whole, threads_);
    }

    void factor_solve(const In2<double>& R, Out2<double> Z) const {
        require(factor_ && static_cast<std::int64_t>(R.shape(0)) == factor_->size() &&
                    static_cast<std::int64_t>(R.shape(1)) == factor_->n_outputs() &&
                    R.shape(0) == Z.shape(0) && R.shape(1) == Z.shape(1),
                "R and Z must have the shape of what was factored");
        nb::gil_scoped_release released;
        factor_->solve(R.data(), Z.data());
    }

    double form_cost(bool bias) const {
        nb::gil_scoped_release released;
        return NewtonFactor<Value>(x_, bias).form_cost();
    }

  private:
    bool has_bias(const In2<double>& V) const {
        check_outputs(V.shape(1));
        const auto bias = static_cast<std::int64_t>(V.shape(0)) - x_.n_columns;
        require(bias == 0 || bias == 1, "V must have a row per column, and one for a bias");
        return bias == 1;
    }
    template <class Array>
    void check_rows(const Array& array) const {
        require(static_cast<std::int64_t>(array.shape(0)) == rows_.n_rows &&
                    static_cast<std::int64_t>(array.shape(1)) == rows_.n_outputs,
                "the array must be rows × outputs");
    }
    void check_multipliers() const {
        require(is_smooth(rows_.loss) || rows_.multipliers, "a hinge needs set_multipliers first");
    }
    void check_weights(std::size_t features, std::size_t outputs) const {
        require(static_cast<std::int64_t>(features) == x_.n_columns, "weights must be features × outputs");
        check_outputs(outputs);
    }
    void check_outputs(std::size_t outputs) const {
        require(static_cast<std::int64_t>(outputs) == rows_.n_outputs,
                "the array must have one entry per output");
    }

    In<std::int64_t> indptr_;
    In<std::int32_t> indices_;
    In<Value> values_;
    In<std::int32_t> y_;
    std::optional<In<double>> weight_;
    std::optional<In2<double>> multipliers_;
    std::optional<In<double>> margin_;
    std::unique_ptr<NewtonFactor<Value>> factor_;
    CsrView<Value> x_;
    LabelledRows rows_;
    int threads_;
    Products<Value> products_;
};

template <class Value>
void bind_class(nb::module_& module, const char* name) {
    using Class = Objective<Value>;
    nb::class_<Class>(module, name, "A training set with its smooth loss; W is features × outputs.")
        .def(nb::init<In<std::int64_t>, In<std::int32_t>, In<Value>, std::int64_t, In<std::int32_t>,
                      std::optional<In<double>>, double, const std::string&, std::int64_t, int>(),
             nb::arg("indptr"), nb::arg("indices"), nb::arg("values"), nb::arg("n_columns"), nb::arg("y"),
             nb::arg("weight").none(), nb::arg("scale"), nb::arg("loss"), nb::arg("n_outputs"),
             nb::arg("threads"))
        .def("scores", &Class::scores, nb::arg("W"), nb::arg("S").noconvert(), "S = XW.")
        .def("loss", &Class::loss, nb::arg("S"), nb::arg("b"), nb::arg("R").noconvert(),
             nb::arg("D").noconvert(),
             "The mean loss of the scores S + b; R becomes its derivative in S, D what `curve` needs.")
        .def("row_losses", &Class::row_losses, nb::arg("S"), nb::arg("b"), nb::arg("R").noconvert(),
             nb::arg("D").noconvert(), nb::arg("losses").noconvert(),
             "As `loss`, with what each row adds to the mean.")
        .def("row_conjugates", &Class::row_conjugates, nb::arg("R"), nb::arg("conjugates").noconvert(),
             "The terms that each row adds to `conjugate`.")
        .def("loss_and_gradient", &Class::loss_and_gradient, nb::arg("W"), nb::arg("b"),
             nb::arg("S").noconvert(), nb::arg("R").noconvert(), nb::arg("D").noconvert(),
             nb::arg("G").noconvert(), "scores, loss and transposed in one call; the mean loss.")
        .def("transposed", &Class::transposed, nb::arg("R"), nb::arg("G").noconvert(), "G = XᵀR.")
        .def("curve", &Class::curve, nb::arg("D"), nb::arg("U").noconvert(),
             "U ← second derivative of the mean loss in the scores, times U.")
        .def("conjugate", &Class::conjugate, nb::arg("R"),
             "The convex conjugate of the mean loss at R, which must lie in its domain.")
        .def("bias_curvature", &Class::bias_curvature, nb::arg("D"), nb::arg("H").noconvert(),
             "H = Hessian of the mean loss in the bias, outputs × outputs.")
        .def("set_multipliers", &Class::set_multipliers, nb::arg("multipliers"), nb::arg("margin").none(),
             nb::arg("sigma"), "Around what the smoothed hinges are smoothed, and the margins asked for.")
        .def("hinge", &Class::hinge, nb::arg("S"), nb::arg("b"), "The mean hinge itself of the scores S + b.")
        .def("line", &Class::line, nb::arg("S"), nb::arg("b"), nb::arg("A"), nb::arg("t"),
             nb::arg("slope").noconvert(), nb::arg("curve").noconvert(),
             "Slope and curvature of the mean loss in t at the scores S + b + t·A, per output; those of a "
             "joint "
             "loss are in the first entry.")
        .def("hessian_times", &Class::hessian_times, nb::arg("D"), nb::arg("V"), nb::arg("G").noconvert(),
             "G = Hessian of the mean loss, times V: columns × outputs, with a last row for a bias.")
        .def("hessian_diagonal", &Class::diagonal, nb::arg("D"), nb::arg("G").noconvert(),
             "G = the diagonal of that Hessian.")
        .def("factor", &Class::factor, nb::arg("D"), nb::arg("penalty"), nb::arg("whole"),
             "Keep the Cholesky factor of the Hessian + diag(penalty): the whole, or a block per output.")
        .def("factor_solve", &Class::factor_solve, nb::arg("R"), nb::arg("Z").noconvert(),
             "Z = what was factored, inverted, times R.")
        .def("form_cost", &Class::form_cost, nb::arg("bias"),
             "About the operations that one output's Hessian takes to be formed.")
        .def("sums", &Class::sums, nb::arg("R"), nb::arg("out").noconvert(), "out = column sums of R.");
}

}  // namespace

void bind_objective(nb::module_& module) {
    bind_products<float>(module, "Products32");
    bind_products<double>(module, "Products64");
    bind_class<float>(module, "Objective32");
    bind_class<double>(module, "Objective64");
}

}  // namespace lindy
