// Calibrators as Python gives them.
#include "evaluation/calibration.hpp"

#include "bind/text.hpp"

namespace lindy {

static CalibrationMethod method_named(const std::string& name) {
    if (name == "sigmoid") return CalibrationMethod::sigmoid;
    if (name == "temperature") return CalibrationMethod::temperature;
    if (name == "vector") return CalibrationMethod::vector;
    if (name == "isotonic") return CalibrationMethod::isotonic;
    throw nb::value_error("method must be sigmoid, temperature, vector or isotonic");
}

static Calibration calibration(const std::string& method, std::size_t n_scores, const In<double>& slope,
                               const In<double>& shift, const In<double>& starts) {
    Calibration made{method_named(method), n_scores, {}, {}, {}};
    made.slope.assign(slope.data(), slope.data() + slope.size());
    made.shift.assign(shift.data(), shift.data() + shift.size());
    for (std::size_t k = 0; k < starts.size(); ++k) {
        const double start = starts.data()[k];
        require(start >= 0 && start <= static_cast<double>(slope.size()), "starts must be among the knots");
        made.starts.push_back(static_cast<std::size_t>(start));
    }
    require(n_scores >= 1, "there must be scores");
    const bool pairs = slope.size() == shift.size();
    switch (made.method) {
        case CalibrationMethod::sigmoid:
            require(pairs && slope.size() == n_scores, "there must be a slope and a shift for each score");
            break;
        case CalibrationMethod::temperature:
            require(slope.size() == 1, "there must be one temperature");
            break;
        case CalibrationMethod::vector:
            require(pairs && slope.size() == made.n_classes(), "each class must have a slope and a shift");
            break;
        case CalibrationMethod::isotonic:
            require(pairs && starts.size() == n_scores + 1, "there must be one start more than scores");
            for (std::size_t k = 0; k < n_scores; ++k)
                require(made.starts[k] < made.starts[k + 1], "every class must have knots");
            break;
    }
    return made;
}

using Calibrated =
    std::tuple<nb::ndarray<nb::numpy, double, nb::ndim<2>>, Array<std::int64_t>>;  // probabilities, best

template <class Score>
static Calibrated calibrate(const Calibration& by, const In2<Score>& scores) {
    require(scores.shape(1) == by.n_scores, "scores must have one column for two classes, else one for each");
    const std::size_t n = scores.shape(0), n_classes = by.n_classes();
    auto p = std::make_unique<Buffer<double>>(n * n_classes);
    Buffer<std::int64_t> best(n);
    std::vector<double> scratch(n_classes);
    for (std::size_t i = 0; i < n; ++i) {
        const Score* row = scores.data() + i * by.n_scores;
        for (std::size_t k = 0; k < by.n_scores; ++k)
            require(!std::isnan(row[k]), "scores must be numbers; got NaN");
        best[i] = by.row(row, scratch.data(), p->data() + i * n_classes);
    }
    double* data = p->data();
    nb::capsule owner(p.release(), [](void* held) noexcept { delete static_cast<Buffer<double>*>(held); });
    return {{data, {n, n_classes}, owner}, to_numpy(std::move(best))};
}

void bind_calibration(nb::module_& module) {
    nb::class_<Calibration>(module, "Calibration", "Makes probabilities of scores.")
        .def_static("make", &calibration, "method"_a, "n_scores"_a, "slope"_a, "shift"_a, "starts"_a)
        .def_ro("n_scores", &Calibration::n_scores)
        .def("__call__", &calibrate<double>, "scores"_a,
             "Rows × classes of probabilities, and the class of the highest in each row.")
        .def("__call__", &calibrate<float>, "scores"_a);
}

}  // namespace lindy
