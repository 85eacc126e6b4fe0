// Calibrators as Python gives them.
#include "evaluation/calibration.hpp"

#include "bind/choices.hpp"

namespace lindy {

static Calibration calibration(const std::string& method, std::size_t n_scores, const In<double>& slope,
                               const In<double>& shift, const In<double>& starts) {
    const auto kind = choose<CalibrationMethod>(
        "method", method, {"sigmoid", "temperature", "vector", "isotonic", "per-label"});
    Calibration made{kind, n_scores, vector_of(slope), vector_of(shift), {}};
    for (std::size_t k = 0; k < starts.size(); ++k) {
        const double start = starts.data()[k];
        require(start >= 0 && start <= static_cast<double>(slope.size()), "starts must be among the knots");
        made.starts.push_back(static_cast<std::size_t>(start));
    }
    require(n_scores >= 1, "there must be scores");
    const bool pairs = slope.size() == shift.size();
    switch (made.method) {
        case CalibrationMethod::sigmoid:
        case CalibrationMethod::per_label:
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

// Probabilities, and the best classes.
template <class Score>
static std::tuple<Matrix<double>, Buffer<std::int64_t>> calibrate(const Calibration& by,
                                                                  const In2<Score>& scores) {
    require(scores.shape(1) == by.n_scores, "scores must have one column for two classes, else one for each");
    const std::size_t n = scores.shape(0), n_classes = by.n_classes();
    Buffer<double> p(n * n_classes);
    Buffer<std::int64_t> best(n);
    std::vector<double> scratch(n_classes);
    for (std::size_t i = 0; i < n; ++i) {
        const Score* row = scores.data() + i * by.n_scores;
        for (std::size_t k = 0; k < by.n_scores; ++k)
            require(!std::isnan(row[k]), "scores must be numbers; got NaN");
        best[i] = by.row(row, scratch.data(), p.data() + i * n_classes);
    }
    return {Matrix<double>{std::move(p), n, n_classes}, std::move(best)};
}

void bind_calibration(nb::module_& module) {
    nb::class_<Calibration>(module, "Calibration", "Makes probabilities of scores.")
        .def_static("make", &calibration, "method"_a, "n_scores"_a, "slope"_a, "shift"_a, "starts"_a)
        .def_ro("n_scores", &Calibration::n_scores)
        .def("__call__", unlocked(&calibrate<double>), "scores"_a,
             "Rows × classes of probabilities, and the class of the highest in each row.")
        .def("__call__", unlocked(&calibrate<float>), "scores"_a);
}

}  // namespace lindy
