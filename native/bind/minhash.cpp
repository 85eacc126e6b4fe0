// Sketches of rows, and how much two rows share.
#include "core/minhash.hpp"

#include "bind/bind.hpp"

namespace lindy {

static void require_rows(const In<std::int64_t>& indptr, const In<std::int32_t>& indices) {
    require(indptr.size() >= 1, "indptr must have one more entry than there are rows");
    const std::size_t n_rows = indptr.size() - 1;
    require(indptr.data()[0] == 0 && indptr.data()[n_rows] == length(indices),
            "indptr must begin at 0 and end at the number of stored values");
    for (std::size_t i = 0; i < n_rows; ++i)
        require(indptr.data()[i] <= indptr.data()[i + 1], "indptr must not decrease");
}

static void minhash(const In<std::int64_t>& indptr, const In<std::int32_t>& indices, std::uint64_t seed,
                    Out2<std::uint32_t> sketches, int threads) {
    require_rows(indptr, indices);
    const std::size_t bins = sketches.shape(1);
    require(sketches.shape(0) == indptr.size() - 1, "there must be one sketch per row");
    require(bins >= 1 && bins <= 4096 && (bins & (bins - 1)) == 0,
            "the bins must be a power of two up to 4096");
    minhash_rows(indptr.data(), indices.data(), length(indptr) - 1, seed, static_cast<int>(bins),
                 sketches.data(), threads);
}

static void jaccard(const In<std::int64_t>& indptr, const In<std::int32_t>& indices,
                    const In<std::int64_t>& first, const In<std::int64_t>& second, Out<double> similarity) {
    require_rows(indptr, indices);
    require(first.size() == second.size() && first.size() == similarity.size(),
            "first, second and similarity must have the same length");
    const std::int64_t n_rows = length(indptr) - 1;
    require_below(first, n_rows, "pairs must name rows");
    require_below(second, n_rows, "pairs must name rows");
    const std::int64_t* p = indptr.data();
    for (std::size_t k = 0; k < first.size(); ++k) {
        const std::int64_t a = first.data()[k], b = second.data()[k];
        const std::int64_t n_a = p[a + 1] - p[a], n_b = p[b + 1] - p[b];
        const std::int64_t shared = shared_members(indices.data() + p[a], n_a, indices.data() + p[b], n_b);
        const std::int64_t all = n_a + n_b - shared;
        similarity.data()[k] = all ? static_cast<double>(shared) / static_cast<double>(all) : 1.0;
    }
}

void bind_minhash(nb::module_& module) {
    module.def("minhash", unlocked(&minhash), "indptr"_a, "indices"_a, "seed"_a, "sketches"_a, "threads"_a,
               "One-permutation MinHash sketches (rows × bins) of the columns that rows store.");
    module.def("jaccard", unlocked(&jaccard), "indptr"_a, "indices"_a, "first"_a, "second"_a, "similarity"_a,
               "|A ∩ B| / |A ∪ B| of the stored columns of pairs of rows, whose columns ascend; 1 for two "
               "empty rows.");
}

}  // namespace lindy
