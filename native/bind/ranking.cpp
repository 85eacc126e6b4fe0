// Areas of rankings for many resamples of their rows.
#include "evaluation/ranking.hpp"

#include "bind/bind.hpp"
#include "core/threads.hpp"

namespace lindy {

static void ranking_areas(const In<std::int32_t>& order, const In<std::uint8_t>& marks,
                          const In2<std::int32_t>& counts, Out2<double> areas, int threads) {
    const auto n = length(order);
    require(marks.size() == order.size() && counts.shape(1) == order.size(),
            "order, marks and counts must be of the same rows");
    require(areas.shape(0) == counts.shape(0) && areas.shape(1) == 2, "there must be two areas per resample");
    require_below(order, n, "order must name rows");
    parallel_chunks(height(counts), threads, [&](std::int64_t resample) {
        const auto [roc, precision_recall] =
            ranked_areas(order.data(), marks.data(), n, counts.data() + resample * n);
        areas.data()[2 * resample] = roc;
        areas.data()[2 * resample + 1] = precision_recall;
    });
}

void bind_ranking(nb::module_& module) {
    module.def(
        "ranking_areas", unlocked(&ranking_areas), "order"_a, "marks"_a, "counts"_a, "areas"_a, "threads"_a,
        "ROC and precision-recall areas (resamples × 2) of a ranking; marks: 1 hit, 2 last of its score.");
}

}  // namespace lindy
