// Learning over groups of candidate rows.
#include "linear/joint.hpp"

#include "bind/choices.hpp"
#include "bind/rows.hpp"

namespace lindy {

template <class Value>
static Candidates<Value> candidates(const Rows<Value>& rows, const In<std::int64_t>& starts,
                                    const In<std::int64_t>& gold, const In<double>& cost,
                                    const In<std::int64_t>& order, const Out<double>& w) {
    require(length(w) == rows.n_columns, "w must have one entry per column");
    require(starts.size() == gold.size() + 1, "there must be one start more than examples");
    require(length(cost) == rows.n_rows, "there must be one cost per row");
    require(starts.data()[0] == 0 && starts.data()[gold.size()] == rows.n_rows,
            "starts must begin at 0 and end at the number of rows");
    for (std::size_t i = 0; i < gold.size(); ++i)
        require(starts.data()[i] <= gold.data()[i] && gold.data()[i] < starts.data()[i + 1],
                "the gold row must be a row of its example");
    require_below(order, length(gold), "order must name examples");
    return {rows, starts.data(), gold.data(), cost.data()};
}

void bind_joint(nb::module_& module) {
    def_floats(
        module, "joint_online",
        []<class Value>(const Rows<Value>& rows, const In<std::int64_t>& starts, const In<std::int64_t>& gold,
                        const In<double>& cost, const In<std::int64_t>& order, bool passive_aggressive,
                        double eta, double C, const std::string& variant, const std::string& constraints,
                        std::int64_t k, Out<double> w, Out<double> late, std::int64_t step) {
            const auto data = candidates(rows, starts, gold, cost, order, w);
            require(late.size() == w.size(), "late must be as long as w");
            require(k >= 1, "k must be at least 1");
            const auto aggression = choose<Aggression>("variant", variant, aggressions);
            const auto constrained = choose<Constraints>("constraints", constraints, constraint_sets);
            const JointRule rule{passive_aggressive, eta, C, aggression, constrained, k};
            JointOnline<Value> learner{data, rule, w.data(), late.data(), step};
            learner.run(order.data(), length(order));
            return std::make_tuple(learner.mistakes, learner.impossible);
        },
        "X"_a, "starts"_a, "gold"_a, "cost"_a, "order"_a, "passive_aggressive"_a, "eta"_a, "C"_a, "variant"_a,
        "constraints"_a, "k"_a, "w"_a, "late"_a, "step"_a,
        "Visit examples in order; returns the mistakes, and the example whose constraints cannot be met, or "
        "-1.");
    def_floats(
        module, "joint_dual",
        []<class Value>(const Rows<Value>& rows, const In<std::int64_t>& starts, const In<std::int64_t>& gold,
                        const In<double>& cost, const In<std::int64_t>& order, double scale,
                        Out<double> alpha, Out<double> w, int moves) {
            const auto data = candidates(rows, starts, gold, cost, order, w);
            require(length(alpha) == rows.n_rows, "there must be one alpha per row");
            for (std::size_t i = 0; i < gold.size(); ++i) {  // a group without weight has nothing to move
                bool some = false;
                for (std::int64_t c = starts.data()[i]; c < starts.data()[i + 1]; ++c)
                    some |= alpha.data()[c] > 0;
                require(some, "every example must have a positive alpha");
            }
            joint_dual(data, scale, order.data(), length(order), alpha.data(), w.data(), moves);
        },
        "X"_a, "starts"_a, "gold"_a, "cost"_a, "order"_a, "scale"_a, "alpha"_a, "w"_a, "moves"_a,
        "One pass of dual ascent for the joint hinge loss.");
    def_floats(
        module, "sum_rows",
        []<class Value>(const Rows<Value>& rows, const In<double>& share, Out<double> out) {
            require(length(out) == rows.n_columns, "out must have one entry per column");
            require(length(share) == rows.n_rows, "there must be one share per row");
            sum_rows<Value>(rows, share.data(), out.data());
        },
        "X"_a, "share"_a, "out"_a, "out += sum of share times row.");
}

}  // namespace lindy
