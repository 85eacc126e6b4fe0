// The dual learners: SMO, Crammer and Singer's machine, the perceptron.
#include "bind/kernels.hpp"
#include "kernels/crammer_singer.hpp"
#include "kernels/perceptron.hpp"
#include "kernels/smo.hpp"

namespace lindy {

namespace {

void require_square(const Kernel& kernel, std::size_t n_labels) {
    require(kernel->n_rows == kernel->n_columns, "the kernel must be between the examples and themselves");
    require(kernel->n_rows >= 1, "there must be an example");
    require(static_cast<std::int64_t>(n_labels) == kernel->n_rows, "there must be one label per example");
}

void require_prices(const In<double>& C, std::size_t n) {
    require(C.size() == n, "C must have one entry per example");
    for (std::size_t i = 0; i < n; ++i) require(C.data()[i] >= 0, "C must not be negative");
}

void require_classes(const In<std::int32_t>& y, std::int64_t classes) {
    require(classes >= 2 && classes <= 1 << 20, "there must be at least two classes");
    require_below(y, classes, "y must hold class numbers");
}

template <class K>
void bind_smo(nb::module_& module, const char* name) {
    nb::class_<Smo<K>>(module, name, "A support vector machine while it is being trained.")
        .def(
            "__init__",
            [](Smo<K>* self, const Kernel& kernel, In<double> y, In<double> C, std::int64_t cache_bytes,
               bool shrinking) {
                require_square(kernel, y.size());
                require_prices(C, y.size());
                new (self) Smo<K>(kernel, y.data(), C.data(), cache_bytes, shrinking);
            },
            "kernel"_a, "y"_a, "C"_a, "cache_bytes"_a, "shrinking"_a)
        .def("run", unlocked(&Smo<K>::run), "eps"_a, "most"_a,
             "Take steps until the violation is at most eps, for a bounded time; returns how many.")
        .def("restore", unlocked(&Smo<K>::restore), "Make all examples active again.")
        .def_prop_ro("violation", &Smo<K>::violation)
        .def_prop_ro("active", &Smo<K>::active)
        .def("read", unlocked([](Smo<K>& self, Out<double> beta, Out<double> s) {
                 require(beta.size() == self.size() && s.size() == self.size(),
                         "beta and s must have one entry per example");
                 self.read(beta.data(), s.data());
             }),
             "beta"_a, "s"_a, "Write β and s = y − Kβ.");
}

template <class K>
void bind_crammer(nb::module_& module, const char* name) {
    using Machine = KernelCrammerSinger<K>;
    nb::class_<Machine>(module, name, "Crammer and Singer's machine while it is being trained.")
        .def(
            "__init__",
            [](Machine* self, const Kernel& kernel, In<std::int32_t> y, In<double> C, In2<double> cost,
               std::int64_t cache_bytes) {
                const auto classes = height(cost);
                require_square(kernel, y.size());
                require_prices(C, y.size());
                require_classes(y, classes);
                require(cost.shape(0) == cost.shape(1), "cost must be square");
                new (self) Machine(kernel, y.data(), C.data(), cost.data(), classes, cache_bytes);
            },
            "kernel"_a, "y"_a, "C"_a, "cost"_a, "cache_bytes"_a)
        .def("run", unlocked(&Machine::run), "goal"_a, "most"_a,
             "Take steps until the gap is at most `goal`, for a bounded time; returns how many.")
        .def_prop_ro("gap", &Machine::gap)
        .def(
            "read",
            [](const Machine& self, Out2<double> z, Out2<double> r) {
                require(z.size() == self.size() && r.size() == self.size(),
                        "z and r must have one row per example and one column per class");
                self.read(z.data(), r.data());
            },
            "z"_a, "r"_a, "Write z and R.");
}

auto changes_of(const DualPerceptron& self) {
    std::vector<std::int64_t> row, visit;
    std::vector<std::int32_t> output;
    std::vector<double> step;
    for (const DualChange& change : self.changes) {
        row.push_back(change.row);
        output.push_back(change.output);
        step.push_back(change.step);
        visit.push_back(change.visit);
    }
    return std::tuple(std::move(row), std::move(output), std::move(step), std::move(visit));
}

void bind_perceptron(nb::module_& module) {
    nb::class_<DualPerceptron>(module, "DualPerceptron", "A dual perceptron while it is being trained.")
        .def(
            "__init__",
            [](DualPerceptron* self, const Kernel& kernel, In<std::int32_t> y, std::int64_t classes,
               std::int64_t budget, std::int64_t cache_bytes) {
                require_square(kernel, y.size());
                require_classes(y, classes);
                new (self) DualPerceptron(kernel, y.data(), classes, budget, cache_bytes);
            },
            "kernel"_a, "y"_a, "classes"_a, "budget"_a, "cache_bytes"_a)
        .def("visit", unlocked([](DualPerceptron& self, In<std::int64_t> order) {
                 require_below(order, self.size(), "no such example");
                 return self.visit(order.data(), length(order));
             }),
             "order"_a, "Visit rows in order, for a bounded time; returns how many.")
        .def_rw("visits", &DualPerceptron::visits)
        .def_ro("mistakes", &DualPerceptron::mistakes)
        .def_prop_ro("coefficient", &DualPerceptron::coefficient)
        .def_prop_ro("weighted", &DualPerceptron::weighted)
        .def_prop_ro("count", &DualPerceptron::count)
        .def_prop_ro("changes", &changes_of);
    module.def(
        "dual_vote",
        unlocked([](const Kernel& kernel, In<std::int64_t> begin, In<std::int64_t> row,
                    In<std::int32_t> output, In<double> step, In<double> life, std::int64_t first,
                    std::int64_t last, Out2<double> votes, int threads) {
            const auto groups = length(life) - 1;
            const auto classes = width(votes);
            const auto n = length(row);
            require(groups >= 0 && length(begin) == groups + 1 && classes >= 2,
                    "there must be one more life than groups of changes, and two classes");
            require(output.size() == row.size() && step.size() == row.size(),
                    "changes must be of one length");
            require(begin.data()[0] == 0 && begin.data()[groups] == n, "groups must cover all changes");
            for (std::int64_t g = 0; g < groups; ++g)
                require(begin.data()[g] <= begin.data()[g + 1], "groups must be in order");
            const char* const message = "a change names an example or a class that is not there";
            require_below(row, kernel->n_columns, message);
            require_below(output, classes == 2 ? 1 : classes, message);
            require(0 <= first && first <= last && last <= kernel->n_rows && height(votes) == last - first,
                    "votes must have the rows first … last−1");
            dual_vote(*kernel, {groups, begin.data(), row.data(), output.data(), step.data(), life.data()},
                      first, last, classes, votes.data(), threads);
        }),
        "kernel"_a, "begin"_a, "row"_a, "output"_a, "step"_a, "life"_a, "first"_a, "last"_a, "votes"_a,
        "threads"_a, "Add the votes of every stage of a dual perceptron.");
}

}  // namespace

void bind_kernel_learners(nb::module_& module) {
    bind_smo<float>(module, "Smo32");
    bind_smo<double>(module, "Smo64");
    bind_crammer<float>(module, "CrammerSinger32");
    bind_crammer<double>(module, "CrammerSinger64");
    bind_perceptron(module);
}

}  // namespace lindy
