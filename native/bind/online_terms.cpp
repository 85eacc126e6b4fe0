// Online learners over the terms of texts, of which rows are made where they are needed.
#include "bind/norm.hpp"
#include "bind/online.hpp"
#include "text/term_codes.hpp"
#include "text/term_counts.hpp"

#define LINDY_KERNELS "linear/online/terms.inl"
#include "core/for_each_isa.hpp"

namespace lindy {

template <class Weight>
static void bind_run(nb::module_& module) {
    module.def(
        "online_terms",
        [](const TermCodes& texts, const std::string& norm, const In<std::int32_t>& y,
           std::optional<In<double>> weight, const OnlineRule& rule, Out<Weight> W,
           std::optional<Out<Weight>> U, std::optional<Out<Weight>> G, std::optional<Out<double>> last,
           Out2<double> outputs, Out<double> clock) {
            require(y.size() == texts.size() && (!weight || weight->size() == y.size()),
                    "y and weight must have one entry per text");
            for (std::size_t i = 0; i < y.size(); ++i)
                require(y.data()[i] == 0 || y.data()[i] == 1, "y must hold the numbers of two classes");
            require(rule.loss == LossName::perceptron && rule.step == OnlineStep::gradient && rule.batch == 1,
                    "only a perceptron changes nothing where the sign is right");
            require(rule.l2 == 0 && rule.l1 == 0 && rule.radius == 0 && !G && !last,
                    "nothing but mistakes may change the weights");
            const OnlineData data{y.data(), data_or_null(weight), nullptr, nullptr, 2};
            auto state = state_view<Weight>(texts.n_columns, rule, data, W, U, G, last, outputs, clock);
            require(state.scale[0] == 1, "the weights must not be scaled");
            const Norm kind = norm_named(norm);
            nb::gil_scoped_release released;
            FlushToZero flushed;
            const auto run = select_isa(&baseline::online_terms<Weight>, &avx2::online_terms<Weight>,
                                        &avx512::online_terms<Weight>);
            return run(texts, kind, data, rule, state);
        },
        "texts"_a, "norm"_a, "y"_a, "weight"_a.none(), "rule"_a, "W"_a.noconvert(), "U"_a.noconvert().none(),
        "G"_a.noconvert().none(), "last"_a.noconvert().none(), "outputs"_a.noconvert(), "clock"_a.noconvert(),
        "Lets a perceptron of two classes visit texts in their order, as if rows were made of them; returns "
        "a report.");
}

void bind_online_terms(nb::module_& module) {
    bind_run<float>(module);
    bind_run<double>(module);
}

}  // namespace lindy
