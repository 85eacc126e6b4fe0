// What the bindings of online learners share: the arrays of a run as the kernels take them.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <span>
#include <tuple>
#include <type_traits>

#include "bind/rows.hpp"
#include "core/isa.hpp"
#include "linear/online/online.hpp"
#include "linear/online/rows.hpp"

#define LINDY_KERNELS "linear/online/directions.inl"
#include "core/for_each_isa.hpp"
#define LINDY_KERNELS "linear/online/lanes.inl"
#include "core/for_each_isa.hpp"
#define LINDY_KERNELS "linear/online/adagrad.inl"
#include "core/for_each_isa.hpp"
#define LINDY_KERNELS "linear/online/pass.inl"
#include "core/for_each_isa.hpp"

namespace lindy {

// The arrays of a run: W, U and G with their slack, last per feature, the numbers per output and
// the sums over visits in the order of `_OUTPUTS` and `_CLOCK` of optimizers/online_state.py.
template <class Weight>
OnlineState<Weight> state_view(std::int64_t n_features, const OnlineRule& rule, const OnlineData& data,
                               Out<Weight>& W, std::optional<Out<Weight>>& U, std::optional<Out<Weight>>& G,
                               std::optional<Out<double>>& last, Out2<double>& outputs, Out<double>& clock) {
    const std::int64_t K = data.n_outputs();
    const std::int64_t needed = n_features * K + OnlineState<Weight>::slack;
    require(n_features >= 0 && length(W) >= needed && (!U || length(*U) >= needed) &&
                (!G || length(*G) >= needed),
            "W, U and G must have features × outputs entries and the slack");
    require(!last || length(*last) >= n_features, "last must have one entry per feature");
    require(outputs.shape(0) == 6 && width(outputs) == K, "outputs must be 6 × K");
    require(clock.size() == 3, "clock must have 3 entries");
    require(rule.batch >= 1 && rule.k >= 1, "batch and k must be at least 1");
    require(rule.step != OnlineStep::adagrad || G, "AdaGrad needs G");
    require(rule.l1 == 0 || last, "an L1 penalty needs last");
    require(rule.step == OnlineStep::adagrad || !last || !rule.cumulative || G,
            "the cumulative penalty needs G");
    double *o = outputs.data(), *c = clock.data();
    return {.n_features = n_features,
            .W = W.data(),
            .U = data_or_null(U),
            .sums = nullptr,
            .G = data_or_null(G),
            .last = data_or_null(last),
            .bias = o,
            .bias_sum = o + K,
            .bias_G = o + 2 * K,
            .scale = o + 3 * K,
            .A = o + 4 * K,
            .sq_norm = o + 5 * K,
            .time = c,
            .averaged = c + 1,
            .penalty = c + 2};
}

inline OnlineData data_view(const In<std::int32_t>& y, const std::optional<In<double>>& weight,
                            const In<double>& sq_norm, const std::optional<In2<double>>& cost, int n_classes,
                            const std::optional<In<std::int64_t>>& label_ends) {
    const std::int64_t n = length(sq_norm);
    require(n_classes >= (label_ends ? 1 : 2), "there must be at least two classes");
    if (label_ends) {
        const std::int64_t* const ends = label_ends->data();
        require(length(*label_ends) == n + 1 && ends[0] == 0 && ends[n] == length(y) &&
                    std::is_sorted(ends, ends + n + 1),
                "label_ends must be where the labels of each row end in y");
    }
    require((label_ends || length(y) == n) && (!weight || length(*weight) == n),
            "y, weight and sq_norm must have one entry per row");
    require(
        !cost || (cost->shape(0) == cost->shape(1) && cost->shape(0) == static_cast<std::size_t>(n_classes)),
        "cost must be classes × classes");
    require_below(y, n_classes, "y must hold class numbers");
    return {y.data(),  data_or_null(weight),    sq_norm.data(), data_or_null(cost),
            n_classes, data_or_null(label_ends)};
}

}  // namespace lindy
