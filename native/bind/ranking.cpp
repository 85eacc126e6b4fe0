// Areas of rankings for many resamples of their rows, and counts of scores between cuts.
#include "evaluation/ranking.hpp"

#include "bind/bind.hpp"
#include "core/threads.hpp"
#include "evaluation/cut_counts.hpp"

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

static void score_counts(const In2<double>& scores, const In<double>& cuts, Out2<std::int64_t> counts) {
    require(cuts.size() > 0, "there must be a cut");
    require(counts.shape(0) == scores.shape(1) && counts.shape(1) == cuts.shape(0),
            "counts must be labels by cuts");
    count_between_cuts(scores.data(), height(scores), static_cast<std::int64_t>(scores.shape(1)), cuts.data(),
                       length(cuts), counts.data());
}

void bind_ranking(nb::module_& module) {
    module.def(
        "ranking_areas", unlocked(&ranking_areas), "order"_a, "marks"_a, "counts"_a, "areas"_a, "threads"_a,
        "ROC and precision-recall areas (resamples × 2) of a ranking; marks: 1 hit, 2 last of its score.");
    module.def("score_counts", unlocked(&score_counts), "scores"_a, "cuts"_a, "counts"_a,
               "Adds how many scores (rows × labels) lie from each of ascending cuts on: labels × cuts.");
}

}  // namespace lindy
