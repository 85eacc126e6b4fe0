// All kernels of dual coordinate ascent, and the choice among them by the loss.

namespace fastmath {
#include "core/fastmath.inl"
}
namespace losses {
#include "linear/losses.inl"
}
#include "core/prefetch.inl"
// what all passes need comes first
#include "linear/dual/one_output.inl"
// then the lanes of several outputs
#include "linear/dual/lanes.inl"
#include "linear/dual/outputs.inl"

template <class Value, class Weight>
DualKernels<Value, Weight> dual_kernels(LossName loss, bool one_output) {
    const auto several = [](auto form) -> DualKernels<Value, Weight> {
        using Form = decltype(form);
        return {outputs_pass<Form, Value, Weight>, outputs_audit<Form, Value, Weight>,
                outputs_rebuild<Form, Value, Weight>};
    };
    if (one_output)
        return losses::with_margin_loss(loss, [](auto l) -> DualKernels<Value, Weight> {
            using Loss = decltype(l);
            return {one_output_pass<Loss, Value, Weight>, one_output_audit<Loss, Value, Weight>,
                    one_output_rebuild<Value, Weight>};
        });
    if (!is_joint(loss))
        return losses::with_margin_loss(loss, [&](auto l) { return several(OneVsRest<decltype(l)>{}); });
    return losses::with_joint_loss(loss, [&](auto l) { return several(Joint<decltype(l)>{}); });
}
