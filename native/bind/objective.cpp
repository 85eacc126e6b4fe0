// Smooth objectives: scores, losses, gradients, Hessian products, conjugates.
#include "linear/primal/objective.hpp"

#include "bind/bind.hpp"

namespace lindy {

namespace {

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
          threads_(std::max(threads, 1)) {
        require(static_cast<std::int64_t>(y_.size()) == x_.n_rows, "y must have one entry per row");
        require(!weight_ || weight_->size() == y_.size(), "weight must have one entry per row");
        require(n_outputs >= 1, "n_outputs must be positive");
        const std::int64_t n_classes = n_outputs == 1 ? 2 : n_outputs;
        require(is_smooth(rows_.loss), "the loss must have a derivative everywhere");
        for (std::size_t i = 0; i < y_.size(); ++i)
            require(y_.data()[i] >= 0 && y_.data()[i] < n_classes, "y must hold class numbers");
        if (threads_ > 1) {
            sorted_ = rows_sorted(x_);
            ranges_ = balanced_columns(x_, threads_);
        }
    }

    void scores(const In2<double>& W, Out2<double> S) const {
        check_weights(W.shape(0), W.shape(1));
        check_rows(S);
        nb::gil_scoped_release released;
        matrix_scores(x_, W.data(), rows_.n_outputs, S.data(), threads_);
    }

    double loss(const In2<double>& S, const In<double>& b, Out2<double> R, Out2<double> D) const {
        check_rows(S), check_rows(R), check_rows(D);
        check_outputs(b.size());
        nb::gil_scoped_release released;
        return sum_losses(rows_, S.data(), b.data(), R.data(), D.data(), threads_);
    }

    double loss_and_gradient(const In2<double>& W, const In<double>& b, Out2<double> S, Out2<double> R,
                             Out2<double> D, Out2<double> G) const {
        check_weights(W.shape(0), W.shape(1));
        check_weights(G.shape(0), G.shape(1));
        check_rows(S), check_rows(R), check_rows(D);
        check_outputs(b.size());
        nb::gil_scoped_release released;
        matrix_scores(x_, W.data(), rows_.n_outputs, S.data(), threads_);
        const double value = sum_losses(rows_, S.data(), b.data(), R.data(), D.data(), threads_);
        transposed_product(x_, R.data(), rows_.n_outputs, G.data(), ranges_, sorted_);
        return value;
    }

    void transposed(const In2<double>& R, Out2<double> G) const {
        check_rows(R);
        check_weights(G.shape(0), G.shape(1));
        nb::gil_scoped_release released;
        transposed_product(x_, R.data(), rows_.n_outputs, G.data(), ranges_, sorted_);
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

  private:
    template <class Array>
    void check_rows(const Array& array) const {
        require(static_cast<std::int64_t>(array.shape(0)) == rows_.n_rows &&
                    static_cast<std::int64_t>(array.shape(1)) == rows_.n_outputs,
                "the array must be rows × outputs");
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
    CsrView<Value> x_;
    LabelledRows rows_;
    int threads_;
    bool sorted_ = false;
    std::vector<ColumnRange> ranges_;
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
        .def("sums", &Class::sums, nb::arg("R"), nb::arg("out").noconvert(), "out = column sums of R.");
}

}  // namespace

void bind_objective(nb::module_& module) {
    bind_class<float>(module, "Objective32");
    bind_class<double>(module, "Objective64");
    module.def(
        "dot",
        [](const In<double>& a, const In<double>& b, int threads) {
            require(a.size() == b.size(), "a and b must have the same length");
            nb::gil_scoped_release released;
            return exact_order_dot(a.data(), b.data(), static_cast<std::int64_t>(a.size()), threads);
        },
        nb::arg("a"), nb::arg("b"), nb::arg("threads") = 1,
        "a · b, the same bits whatever BLAS is installed and at any number of threads.");
}

}  // namespace lindy
