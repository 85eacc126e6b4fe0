// Learning over groups of candidate rows.
#include "linear/joint.hpp"

#include <nanobind/stl/tuple.h>

#include "bind/choices.hpp"

namespace lindy {

template <class Value>
static Candidates<Value> candidates(const CsrView<Value>& rows, const In<std::int64_t>& starts,
                                    const In<std::int64_t>& gold, const In<double>& cost) {
    require(starts.size() == gold.size() + 1, "there must be one start more than examples");
    require(static_cast<std::int64_t>(cost.size()) == rows.n_rows, "there must be one cost per row");
    require(starts.data()[0] == 0 && starts.data()[gold.size()] == rows.n_rows,
            "starts must begin at 0 and end at the number of rows");
    for (std::size_t i = 0; i < gold.size(); ++i)
        require(starts.data()[i] <= gold.data()[i] && gold.data()[i] < starts.data()[i + 1],
                "the gold row must be a row of its example");
    return {rows, starts.data(), gold.data(), cost.data()};
}

static void require_order(const In<std::int64_t>& order, std::size_t n_examples) {
    for (std::size_t t = 0; t < order.size(); ++t)
        require(order.data()[t] >= 0 && order.data()[t] < static_cast<std::int64_t>(n_examples),
                "order must name examples");
}

template <class Value>
static void bind_joint_of(nb::module_& module) {
    module.def(
        "joint_online",
        [](const In<std::int64_t>& indptr, const In<std::int32_t>& indices, const In<Value>& values,
           const In<std::int64_t>& starts, const In<std::int64_t>& gold, const In<double>& cost,
           const In<std::int64_t>& order, bool passive_aggressive, double eta, double C,
           const std::string& variant, const std::string& constraints, std::int64_t k, Out<double> w,
           Out<double> late, std::int64_t step) {
            const auto rows = csr_view(indptr, indices, values, static_cast<std::int64_t>(w.size()));
            const auto data = candidates(rows, starts, gold, cost);
            require_order(order, gold.size());
            require(late.size() == w.size(), "late must be as long as w");
            require(k >= 1, "k must be at least 1");
            const JointRule rule{passive_aggressive,
                                 eta,
                                 C,
                                 choose<Aggression>(variant, aggression_names),
                                 choose<Constraints>(constraints, constraint_names),
                                 k};
            JointOnline<Value> learner{data, rule, w.data(), late.data(), step};
            {
                nb::gil_scoped_release released;
                learner.run(order.data(), static_cast<std::int64_t>(order.size()));
            }
            return std::make_tuple(learner.mistakes, learner.impossible);
        },
        nb::arg("indptr"), nb::arg("indices"), nb::arg("values"), nb::arg("starts"), nb::arg("gold"),
        nb::arg("cost"), nb::arg("order"), nb::arg("passive_aggressive"), nb::arg("eta"), nb::arg("C"),
        nb::arg("variant"), nb::arg("constraints"), nb::arg("k"), nb::arg("w").noconvert(),
        nb::arg("late").noconvert(), nb::arg("step"),
        "Visit examples in order; returns the mistakes, and the example whose constraints cannot be met, or "
        "-1.");
    module.def(
        "joint_dual",
        [](const In<std::int64_t>& indptr, const In<std::int32_t>& indices, const In<Value>& values,
           const In<std::int64_t>& starts, const In<std::int64_t>& gold, const In<double>& cost,
           const In<std::int64_t>& order, double scale, Out<double> alpha, Out<double> w, int moves) {
            const auto rows = csr_view(indptr, indices, values, static_cast<std::int64_t>(w.size()));
            const auto data = candidates(rows, starts, gold, cost);
            require_order(order, gold.size());
            require(static_cast<std::int64_t>(alpha.size()) == rows.n_rows,
                    "there must be one alpha per row");
            for (std::size_t i = 0; i < gold.size(); ++i) {  // a group without weight has nothing to move
                bool some = false;
                for (std::int64_t c = starts.data()[i]; c < starts.data()[i + 1]; ++c)
                    some |= alpha.data()[c] > 0;
                require(some, "every example must have a positive alpha");
            }
            nb::gil_scoped_release released;
            joint_dual(data, scale, order.data(), static_cast<std::int64_t>(order.size()), alpha.data(),
                       w.data(), moves);
        },
        nb::arg("indptr"), nb::arg("indices"), nb::arg("values"), nb::arg("starts"), nb::arg("gold"),
        nb::arg("cost"), nb::arg("order"), nb::arg("scale"), nb::arg("alpha").noconvert(),
        nb::arg("w").noconvert(), nb::arg("moves"), "One pass of dual ascent for the joint hinge loss.");
    module.def(
        "sum_rows",
        [](const In<std::int64_t>& indptr, const In<std::int32_t>& indices, const In<Value>& values,
           const In<double>& share, Out<double> out) {
            const auto rows = csr_view(indptr, indices, values, static_cast<std::int64_t>(out.size()));
            require(static_cast<std::int64_t>(share.size()) == rows.n_rows,
                    "there must be one share per row");
            nb::gil_scoped_release released;
            sum_rows(rows, share.data(), out.data());
        },
        nb::arg("indptr"), nb::arg("indices"), nb::arg("values"), nb::arg("share"),
        nb::arg("out").noconvert(), "out += sum of share times row.");
}

void bind_joint(nb::module_& module) {
    bind_joint_of<float>(module);
    bind_joint_of<double>(module);
}

}  // namespace lindy
