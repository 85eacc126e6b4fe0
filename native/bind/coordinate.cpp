// Proximal Newton's inner problem: columns of the working set, and coordinate descent on them.
#include "bind/rows.hpp"
#include "linear/primal/descent.hpp"
#include "linear/primal/gram.hpp"
#include "linear/primal/gram_descent.hpp"

namespace lindy {

namespace {

// Columns cut out of X once, then visited many times; rows and values are this object's own.
template <class Value>
class WorkingSet {
  public:
    explicit WorkingSet(std::int64_t n_rows) : n_rows_(n_rows) {
        require(n_rows >= 0, "n_rows must not be negative");
    }

    void append(const Rows<Value>& x, const In<std::int32_t>& position, std::int64_t n_new) {
        require(length(position) == x.n_columns, "position must have one entry per column");
        require(n_new >= 0, "n_new must not be negative");
        require(x.n_rows == n_rows_, "X must have n_rows rows");
        for (std::size_t j = 0; j < position.size(); ++j)
            require(position.data()[j] < n_columns() + n_new,
                    "position names a column that is not in the set");
        append_columns(copy_, x, position.data(), n_new);
    }

    void moments(const In<std::int32_t>& column, const In<std::int32_t>& output, const In2<double>& u,
                 const In2<double>& d, Out<double> slope, Out<double> curvature) const {
        const Pairs pairs = checked(column, output, height(u));
        check_rows(u), check_rows(d);
        require(d.shape(0) == u.shape(0), "u and d must have the same shape");
        require(slope.size() == column.size() && curvature.size() == column.size(), "one entry per pair");
        pair_moments(columns(), pairs, n_rows_, u.data(), d.data(), slope.data(), curvature.data());
    }

    int descend(const In<std::int32_t>& column, const In<std::int32_t>& output, Out<double> w,
                const In<double>& slope, const In<double>& curvature, const In2<double>& h,
                std::optional<In2<double>> p, Out2<double> step, Out<double> mean,
                std::optional<Out<double>> bias, const In<double>& bias_slope,
                const In<double>& bias_curvature, double l1, double l2, bool penalize_bias, double tolerance,
                int max_epochs, int max_products) {
        Pairs pairs = checked(column, output, height(h));
        require(
            w.size() == column.size() && slope.size() == column.size() && curvature.size() == column.size(),
            "one entry per pair");
        pairs.w = w.data(), pairs.slope = slope.data(), pairs.curvature = curvature.data();
        check_rows(h), check_rows(step);
        require(step.shape(0) == h.shape(0), "step must have the shape of h");
        require(!p || (p->shape(0) == h.shape(0) && p->shape(1) == h.shape(1)), "p must have the shape of h");
        require(!p || length(mean) == n_rows_, "mean must have one entry per row");
        require(!bias || (bias->size() == h.shape(0) && bias_slope.size() == h.shape(0) &&
                          bias_curvature.size() == h.shape(0)),
                "the bias must have one entry per output");
        const QuadraticModel model{n_rows_,     height(h),   h.data(), data_or_null(p),
                                   step.data(), mean.data(), l1,       l2};
        const BiasSteps steps{data_or_null(bias), bias_slope.data(), bias_curvature.data(),
                              penalize_bias ? l1 : 0.0, penalize_bias ? l2 : 0.0};
        return Descent<Value>(columns(), rows_, model, pairs, steps).run(tolerance, max_epochs, max_products);
    }

    template <class Entry>
    void gram(const In<std::int32_t>& column, const In<double>& h, bool bias, std::int64_t first,
              Out2<Entry> H) {
        const auto m = length(column);
        check_columns(column);
        require(length(h) == n_rows_, "h must have one entry per row");
        require(first >= 0 && first <= m, "first must be a position in column");
        require(height(H) == m + bias && H.shape(1) == H.shape(0),
                "H must be square, with a row for each column");
        Gram<Value, Entry> gram(columns(), column.data(), m, bias, n_rows_, rows_);
        first == 0 ? gram.form(h.data(), H.data()) : gram.extend(first, h.data(), H.data());
    }

    void scores(const In<std::int32_t>& column, const In<std::int32_t>& output, const In<double>& change,
                Out2<double> s) const {
        const Pairs pairs = checked(column, output, height(s));
        check_rows(s);
        require(change.size() == column.size(), "one entry per pair");
        step_scores(columns(), pairs, change.data(), n_rows_, s.data());
    }

    std::int64_t stored(const In<std::int32_t>& column) const {
        check_columns(column);
        std::int64_t sum = 0;
        for (std::size_t q = 0; q < column.size(); ++q)
            sum += static_cast<std::int64_t>(columns().column(column.data()[q]).size);
        return sum;
    }

    std::int64_t n_columns() const { return static_cast<std::int64_t>(copy_.starts.size()) - 1; }

  private:
    Columns<Value> columns() const { return {copy_.starts.data(), copy_.rows.data(), copy_.values.data()}; }

    Pairs checked(const In<std::int32_t>& column, const In<std::int32_t>& output,
                  std::int64_t n_outputs) const {
        require(column.size() == output.size(), "one output per pair");
        check_columns(column);
        require_below(output, n_outputs, "pairs must name outputs of the model");
        return {length(column), column.data(), output.data(), nullptr, nullptr, nullptr};
    }

    void check_columns(const In<std::int32_t>& column) const {
        require_below(column, n_columns(), "pairs must name columns of the working set");
    }

    template <class Array>
    void check_rows(const Array& array) const {
        require(width(array) == n_rows_, "the array must be outputs × rows");
    }

    std::int64_t n_rows_;
    ColumnCopy<Value> copy_;
    RowCopy<Value> rows_;  // scratch of the methods
};

template <class Value>
void bind_class(nb::module_& module, const char* name) {
    using Class = WorkingSet<Value>;
    nb::class_<Class>(module, name, "Some columns of X, for coordinate descent; pairs are (column, output).")
        .def(nb::init<std::int64_t>(), "n_rows"_a)
        .def("append", unlocked(&Class::append), "X"_a, "position"_a, "n_new"_a,
             "Copy the columns whose position is not among the present ones: n_new more.")
        .def_prop_ro("n_columns", &Class::n_columns)
        .def("stored", unlocked(&Class::stored), "column"_a, "The number of stored values of some columns.")
        .def("moments", unlocked(&Class::moments), "column"_a, "output"_a, "u"_a, "d"_a, "slope"_a,
             "curvature"_a, "slope = Σ x·u and curvature = Σ x²·d of each pair; u and d are outputs × rows.")
        .def("descend", unlocked(&Class::descend), "column"_a, "output"_a, "w"_a, "slope"_a, "curvature"_a,
             "h"_a, "p"_a, "step"_a, "mean"_a, "bias"_a, "bias_slope"_a, "bias_curvature"_a, "l1"_a, "l2"_a,
             "penalize_bias"_a, "tolerance"_a, "max_epochs"_a, "max_products"_a,
             "Coordinate descent, then conjugate gradient on the quadratic model; the number of passes.")
        .def("gram", unlocked(&Class::template gram<double>), "column"_a, "h"_a, "bias"_a, "first"_a, "H"_a,
             "H = XᵀDX of some columns, D = diag(h), with a last column of ones for the bias; the entries of "
             "the columns before `first` among themselves, and of the bias with them, are there already.")
        .def("gram", unlocked(&Class::template gram<float>), "column"_a, "h"_a, "bias"_a, "first"_a, "H"_a)
        .def("scores", unlocked(&Class::scores), "column"_a, "output"_a, "change"_a, "s"_a,
             "s += the scores of the changes of the pairs.");
}

}  // namespace

void bind_coordinate(nb::module_& module) {
    bind_class<float>(module, "WorkingSet32");
    bind_class<double>(module, "WorkingSet64");
    def_floats(
        module, "descend_gram",
        []<class Entry>(const In2<Entry>& H, const In<double>& slope, const In<double>& l1,
                        const In<double>& l2, Out<double> w, double tolerance, int max_epochs) {
            require(has_shape(H, length(w), length(w)), "H must be square");
            require(slope.size() == w.size() && l1.size() == w.size() && l2.size() == w.size(),
                    "one entry per coordinate");
            const GramModel<Entry> model{length(w), H.data(), slope.data(), l1.data(), l2.data()};
            return LINDY_SELECT(descend_gram<Entry>)(model, w.data(), tolerance, max_epochs);
        },
        "H"_a.noconvert(), "slope"_a, "l1"_a, "l2"_a, "w"_a, "tolerance"_a, "max_epochs"_a,
        "Coordinate descent on a quadratic with L1 penalty; w is moved, the number of epochs returned.");
}

}  // namespace lindy
