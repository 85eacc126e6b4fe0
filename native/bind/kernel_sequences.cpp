// Kernels of texts and of bracketed trees.
#include "bind/kernels.hpp"
#include "kernels/sequences.hpp"
#include "kernels/trees.hpp"

namespace lindy {

namespace {

// Symbols are small whole numbers from 1 on: anything else would not survive the way through char32_t.
const Rows<float>& symbols(const Rows<float>& x) {
    for (std::int64_t i = 0; i < x.n_rows; ++i)
        require(x.indptr[i] <= x.indptr[i + 1], "indptr must not decrease");
    for (std::int64_t k = 0; k < x.stored(); ++k) {
        const float v = x.values[k];
        require(v >= 1 && v <= 1114112 && v == static_cast<float>(static_cast<std::int32_t>(v)),
                "a sequence holds characters only");
    }
    return x;
}

std::vector<Tree> trees(const Rows<float>& view, TreeReader& reader) {
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
    module.def("subsequence_kernel",
               unlocked([](const Rows<float>& x, const Rows<float>& z, int length, double decay) -> Kernel {
                   require(length >= 1 && length <= 64, "length must lie in 1..64");
                   return std::make_shared<SubsequenceKernel>(Sequences(symbols(x)), Sequences(symbols(z)),
                                                              length, decay);
               }),
               "X"_a, "Z"_a, "length"_a, "decay"_a,
               "The kernel of subsequences of `length` symbols, with gaps.");
    module.def(
        "mismatch_kernel",
        unlocked([](const Rows<float>& x, const Rows<float>& z, int length, In<double> common) -> Kernel {
            require(length >= 1 && length <= 64, "length must lie in 1..64");
            require(static_cast<int>(common.size()) == length + 1, "common must have length + 1 entries");
            return std::make_shared<MismatchKernel>(Sequences(symbols(x)), Sequences(symbols(z)), length,
                                                    vector_of(common));
        }),
        "X"_a, "Z"_a, "length"_a, "common"_a,
        "The kernel of substrings up to some mismatches; common[d] is N(d).");
    module.def("tree_kernel",
               unlocked([](const Rows<float>& x, const Rows<float>& z, double decay, double sigma) -> Kernel {
                   TreeReader reader;
                   auto left = trees(symbols(x), reader), right = trees(symbols(z), reader);
                   return std::make_shared<TreeKernel>(std::move(left), std::move(right), decay, sigma);
               }),
               "X"_a, "Z"_a, "decay"_a, "sigma"_a,
               "The kernel of bracketed trees by shared fragments (sigma 1) or subtrees (sigma 0).");
}

}  // namespace lindy
