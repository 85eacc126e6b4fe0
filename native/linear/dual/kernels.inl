// All kernels of dual coordinate ascent, and the choice among them by the name of the loss.

namespace fastmath {
#include "core/fastmath.inl"
}
#include "core/prefetch.inl"
#include "linear/dual/steps.inl"
// the steps first: all others use them
#include "linear/dual/binary.inl"
#include "linear/dual/lanes.inl"
// what needs the lanes
#include "linear/dual/crammer_singer.inl"
#include "linear/dual/quads.inl"
#include "linear/dual/softmax.inl"
// last what is made of several
#include "linear/dual/pairs.inl"

template <class Value, class Weight>
DualKernels<Value, Weight> dual_kernels(const std::string& loss, bool one_output) {
    const auto binary = [](auto l) -> DualKernels<Value, Weight> {
        using Loss = decltype(l);
        return {binary_pass<Loss, Value, Weight>, binary_audit<Loss, Value, Weight>,
                binary_rebuild<Value, Weight>};
    };
    const auto pairs = [](auto pair, auto l) -> DualKernels<Value, Weight> {
        using Loss = decltype(l);
        return {pairs_pass<decltype(pair), Loss, Value, Weight>,
                pairs_audit<decltype(pair), Loss, Value, Weight>, lanes_rebuild<Loss, Value, Weight>};
    };
    if (one_output) {
        if (loss == "hinge" || loss == "multiclass_hinge") return binary(Hinge{});
        if (loss == "squared_hinge") return binary(SquaredHinge{});
        if (loss == "log" || loss == "log_ovr") return binary(Log{});
        return {};
    }
    if (loss == "hinge") return pairs(SeparatePair<Hinge>{}, OneVsRest<Hinge>{});
    if (loss == "squared_hinge") return pairs(SeparatePair<SquaredHinge>{}, OneVsRest<SquaredHinge>{});
    if (loss == "log_ovr") return pairs(SeparatePair<Log>{}, OneVsRest<Log>{});
    if (loss == "multiclass_hinge") return pairs(MulticlassHingePair{}, MulticlassHinge{});
    if (loss == "log") return pairs(SoftmaxPair{}, Softmax{});
    return {};
}
