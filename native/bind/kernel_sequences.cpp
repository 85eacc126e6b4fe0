// Kernels of texts and of bracketed trees.
#include <nanobind/stl/shared_ptr.h>

#include "bind/kernels.hpp"
#include "kernels/sequences.hpp"
#include "kernels/trees.hpp"

namespace lindy {

namespace {

// Symbols are small whole numbers from 1 on: anything else would not survive the way through char32_t.
CsrView<float> symbols(const In<std::int64_t>& indptr, const In<std::int32_t>& indices,
                       const In<float>& values) {
    const auto view = csr_view(indptr, indices, values, 0);
    for (std::int64_t i = 0; i < view.n_rows; ++i)
        require(view.indptr[i] <= view.indptr[i + 1], "indptr must not decrease");
    for (std::size_t k = 0; k < values.size(); ++k) {
        const float v = values.data()[k];
        require(v >= 1 && v <= 1114112 && v == static_cast<float>(static_cast<std::int32_t>(v)),
                "a sequence holds characters only");
    }
    return view;
}

std::vector<Tree> trees(CsrView<float> view, TreeReader& reader) {
    std::vector<Tree> all(static_cast<std::size_t>(view.n_rows));
    for (std::int64_t i = 0; i < view.n_rows; ++i) {
        const std::string problem = reader.read(view.row(i), all[static_cast<std::size_t>(i)]);
        if (!problem.empty())
            throw nb::value_error(
                ("text " + std::to_string(i) + " is no bracketed tree: " + problem).c_str());
    }
    return all;
}

}  // namespace

void bind_kernel_sequences(nb::module_& module) {
    module.def(
        "subsequence_kernel",
        [](In<std::int64_t> xp, In<std::int32_t> xi, In<float> xv, In<std::int64_t> zp, In<std::int32_t> zi,
           In<float> zv, int length, double decay) -> Kernel {
            require(length >= 1 && length <= 64, "length must lie in 1..64");
            return std::make_shared<SubsequenceKernel>(Sequences(symbols(xp, xi, xv)),
                                                       Sequences(symbols(zp, zi, zv)), length, decay);
        },
        "x_indptr"_a, "x_indices"_a, "x_values"_a, "z_indptr"_a, "z_indices"_a, "z_values"_a, "length"_a,
        "decay"_a, "The kernel of subsequences of `length` symbols, with gaps.");
    module.def(
        "mismatch_kernel",
        [](In<std::int64_t> xp, In<std::int32_t> xi, In<float> xv, In<std::int64_t> zp, In<std::int32_t> zi,
           In<float> zv, int length, In<double> common) -> Kernel {
            require(length >= 1 && length <= 64, "length must lie in 1..64");
            require(static_cast<int>(common.size()) == length + 1, "common must have length + 1 entries");
            return std::make_shared<MismatchKernel>(
                Sequences(symbols(xp, xi, xv)), Sequences(symbols(zp, zi, zv)), length,
                std::vector<double>(common.data(), common.data() + common.size()));
        },
        "x_indptr"_a, "x_indices"_a, "x_values"_a, "z_indptr"_a, "z_indices"_a, "z_values"_a, "length"_a,
        "common"_a, "The kernel of substrings up to some mismatches; common[d] is N(d).");
    module.def(
        "tree_kernel",
        [](In<std::int64_t> xp, In<std::int32_t> xi, In<float> xv, In<std::int64_t> zp, In<std::int32_t> zi,
           In<float> zv, double decay, double sigma) -> Kernel {
            TreeReader reader;
            auto x = trees(symbols(xp, xi, xv), reader);
            auto z = trees(symbols(zp, zi, zv), reader);
            return std::make_shared<TreeKernel>(std::move(x), std::move(z), decay, sigma);
        },
        "x_indptr"_a, "x_indices"_a, "x_values"_a, "z_indptr"_a, "z_indices"_a, "z_values"_a, "decay"_a,
        "sigma"_a, "The kernel of bracketed trees by shared fragments (sigma 1) or subtrees (sigma 0).");
}

}  // namespace lindy
