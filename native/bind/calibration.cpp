// From scores to probabilities, row by row.
#include "evaluation/calibration.hpp"

#include <cmath>

#include "bind/bind.hpp"

namespace lindy {

// Calls row(scores, n, out) for every row; false, and nothing done, if a score is no number.
template <class Row>
static bool each_row(const In2<double>& scores, Out2<double>& out, Row row) {
    const auto n = static_cast<std::int64_t>(scores.shape(1));
    require(
        n > 0 && out.shape(0) == scores.shape(0) && out.shape(1) == std::max<std::size_t>(scores.shape(1), 2),
        "out must have a row for each row of the scores, and a column for each class");
    const double* s = scores.data();
    for (std::size_t i = 0; i < scores.size(); ++i)
        if (std::isnan(s[i])) return false;
    for (std::size_t i = 0; i < scores.shape(0); ++i)
        row(s + i * scores.shape(1), n, out.data() + i * out.shape(1));
    return true;
}

static bool sigmoid(const In2<double>& scores, const In<double>& slope, const In<double>& shift,
                    Out2<double> out) {
    require(slope.size() == scores.shape(1) && shift.size() == scores.shape(1),
            "one slope and shift per score");
    return each_row(scores, out, [&](const double* s, std::int64_t n, double* p) {
        one_vs_rest(s, n, p, [&](std::int64_t k, double lead) {
            return fastmath::sigmoid(lead * slope.data()[k] + shift.data()[k]);
        });
    });
}

static bool temperature(const In2<double>& scores, double t, Out2<double> out) {
    return each_row(scores, out, [&](const double* s, std::int64_t n, double* p) {
        centred_softmax(s, n, p, [&](std::int64_t, double score) { return score / t; });
    });
}

static bool vector(const In2<double>& scores, const In<double>& slope, const In<double>& shift,
                   Out2<double> out) {
    require(slope.size() == out.shape(1) && shift.size() == out.shape(1), "one slope and shift per class");
    return each_row(scores, out, [&](const double* s, std::int64_t n, double* p) {
        centred_softmax(
            s, n, p, [&](std::int64_t k, double score) { return score * slope.data()[k] + shift.data()[k]; });
    });
}

static bool isotonic(const In2<double>& scores, const In<std::int64_t>& starts, const In<double>& knots,
                     const In<double>& heights, Out2<double> out) {
    require(starts.size() == scores.shape(1) + 1 && knots.size() == heights.size(), "one curve per score");
    for (std::size_t k = 0; k + 1 < starts.size(); ++k)
        require(starts.data()[k] >= 0 && starts.data()[k] < starts.data()[k + 1] &&
                    starts.data()[k + 1] <= static_cast<std::int64_t>(knots.size()),
                "every curve needs a knot");
    return each_row(scores, out, [&](const double* s, std::int64_t n, double* p) {
        one_vs_rest(s, n, p, [&](std::int64_t k, double lead) {
            const std::int64_t begin = starts.data()[k], end = starts.data()[k + 1];
            return interpolated(knots.data() + begin, heights.data() + begin, end - begin, lead);
        });
    });
}

void bind_calibration(nb::module_& module) {
    const char* doc = "Fills out, rows × classes, with probabilities; False if a score is no number.";
    module.def("calibrate_sigmoid", &sigmoid, nb::arg("scores"), nb::arg("slope"), nb::arg("shift"),
               nb::arg("out").noconvert(), doc);
    module.def("calibrate_temperature", &temperature, nb::arg("scores"), nb::arg("temperature"),
               nb::arg("out").noconvert(), doc);
    module.def("calibrate_vector", &vector, nb::arg("scores"), nb::arg("slope"), nb::arg("shift"),
               nb::arg("out").noconvert(), doc);
    module.def("calibrate_isotonic", &isotonic, nb::arg("scores"), nb::arg("starts"), nb::arg("knots"),
               nb::arg("heights"), nb::arg("out").noconvert(), doc);
}

}  // namespace lindy
