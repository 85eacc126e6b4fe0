// The kernels' own exp, log and cos over arrays.
#include "core/fastmath.hpp"

#include "bind/bind.hpp"

namespace lindy {

template <class T, class Function>
static void bind_map(nb::module_& module, const char* name, const char* doc, Function function) {
    module.def(
        name,
        [function](const In<T>& x, Out<T> out) {
            require(x.size() == out.size(), "x and out must have the same length");
            for (std::size_t i = 0; i < x.size(); ++i) out.data()[i] = function(x.data()[i]);
        },
        "x"_a, "out"_a, doc);
}

template <class T>
static void bind_maps(nb::module_& module) {
    bind_map<T>(module, "fast_exp", "out = exp(x), clamped to normal numbers.",
                [](T x) { return fastmath::exp(x); });
    bind_map<T>(module, "fast_log", "out = log(x) for positive x.", [](T x) { return fastmath::log(x); });
    bind_map<T>(module, "fast_softplus", "out = log(1 + exp(x)).", [](T x) { return fastmath::softplus(x); });
    bind_map<T>(module, "fast_sigmoid", "out = 1 / (1 + exp(-x)).", [](T x) { return fastmath::sigmoid(x); });
}

void bind_fastmath(nb::module_& module) {
    bind_maps<float>(module);
    bind_maps<double>(module);
    bind_map<double>(module, "fast_cos", "out = cos(x).", [](double x) { return fastmath::cos(x); });
}

}  // namespace lindy
