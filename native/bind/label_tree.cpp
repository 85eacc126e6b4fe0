// Label trees: clusters of labels, weights in chunks, and the search for the most probable labels.
#include "bind/rows.hpp"
#include "linear/tree/label_clusters.hpp"
#include "linear/tree/search.hpp"

namespace lindy {

namespace {

// The weights and the labels of one tree, checked once, and kept as long as the object lives.
class BoundTree {
  public:
    BoundTree(const In<std::int64_t>& starts, const In<std::int64_t>& chunks,
              const In<std::int32_t>& features, const In<std::int64_t>& ends, const In<std::uint8_t>& outputs,
              const In<float>& values, const In<float>& bias, const In<std::int32_t>& labels,
              std::int64_t n_features, std::int64_t n_labels)
        : arrays_(starts, chunks, features, ends, outputs, values, bias, labels), n_labels_(n_labels) {
        const std::int64_t n_chunks = length(starts) - 1;
        require(n_chunks >= 1 && chunks.size() == starts.size(), "there must be a chunk for every node");
        view_ = {{starts.data(), chunks.data(), features.data(), ends.data(), outputs.data(), values.data(),
                  bias.data(), n_chunks, n_features},
                 labels.data()};
        rises(starts, length(bias)), rises(chunks, length(features)), rises(ends, length(values));
        require(length(ends) == length(features) + 1 && outputs.size() == values.size(),
                "features, ends, outputs and values must be of the same rows");
        require_below(features, n_features, "features must be below n_features");
        require_below(labels, n_labels, "labels must be below n_labels");
        require(length(labels) == length(bias) + 1 - n_chunks,
                "the last level must have an output per label");
        check_levels();
        check_rows();
    }

    const TreeView& view() const { return view_; }
    std::int64_t n_features() const { return view_.weights.n_features; }
    std::int64_t n_labels() const { return n_labels_; }

  private:
    static void rises(const In<std::int64_t>& ends, std::int64_t last) {
        const std::int64_t* const end = ends.data() + ends.size();
        require(
            ends.size() >= 1 && ends.data()[0] == 0 && end[-1] == last && std::is_sorted(ends.data(), end),
            "bounds must rise from 0 to the number of what they bound");
    }
    // Every node has children, whose numbers are above its own, and all labels are as deep.
    void check_levels() const {
        const std::int64_t *const starts = view_.weights.starts, n = view_.weights.n_chunks;
        for (std::int64_t node = 0; node < n; ++node)
            require(starts[node] >= node && view_.n_children(node) >= 1,
                    "every node must have children of higher numbers");
        constexpr int most_levels = 32;
        int level = 0;
        for (std::int64_t end = 1; end < n; ++level) {  // of the nodes of a level
            end = starts[end] + 1;
            require(end <= n && level < most_levels, "all labels must be on one of the first 32 levels");
        }
    }
    // In each chunk features rise, and outputs are those of the chunk.
    void check_rows() const {
        const ChunkView& w = view_.weights;
        for (std::int64_t c = 0; c < w.n_chunks; ++c)
            for (std::int64_t r = w.chunks[c]; r < w.chunks[c + 1]; ++r) {
                require(r == w.chunks[c] || w.features[r - 1] < w.features[r],
                        "the features of a chunk must rise");
                for (std::int64_t e = w.ends[r]; e < w.ends[r + 1]; ++e)
                    require(w.outputs[e] < view_.n_children(c), "outputs must be those of the chunk");
            }
    }

    std::tuple<In<std::int64_t>, In<std::int64_t>, In<std::int32_t>, In<std::int64_t>, In<std::uint8_t>,
               In<float>, In<float>, In<std::int32_t>>
        arrays_;
    TreeView view_{};
    std::int64_t n_labels_;
};

}  // namespace

void bind_label_tree(nb::module_& module) {
    nb::class_<BoundTree>(module, "LabelTree", "A tree of labels: the weights of its nodes, in chunks.")
        .def(nb::init<const In<std::int64_t>&, const In<std::int64_t>&, const In<std::int32_t>&,
                      const In<std::int64_t>&, const In<std::uint8_t>&, const In<float>&, const In<float>&,
                      const In<std::int32_t>&, std::int64_t, std::int64_t>(),
             "starts"_a, "chunks"_a, "features"_a, "ends"_a, "outputs"_a, "values"_a, "bias"_a, "labels"_a,
             "n_features"_a, "n_labels"_a);
    def_floats(
        module, "cluster_labels",
        []<class Value>(const Rows<Value>& x, const In<std::int64_t>& ends, const In<std::int32_t>& rows,
                        std::int64_t most, int depth, std::uint64_t seed, int threads) {
            const std::int64_t n = length(ends) - 1;
            require(n >= 1 && ends.data()[0] == 0 && ends.data()[n] == length(rows) &&
                        std::is_sorted(ends.data(), ends.data() + n + 1),
                    "ends must be where the rows of each label end");
            require(depth >= 0 && depth < 31 && (std::int64_t{1} << depth) <= n && most > 0,
                    "there must be a label for every cluster");
            require_below(rows, x.n_rows, "rows must be row numbers");
            const SparseRows<float> means =
                label_means<Value>(x, ends.data(), rows.data(), n, static_cast<std::size_t>(most));
            Buffer<std::int32_t> labels(static_cast<std::size_t>(n));
            std::vector<std::int64_t> clusters = cluster_labels(
                {means.indptr.data(), means.indices.data(), means.values.data(), n, x.n_columns}, depth, seed,
                labels.data(), threads);
            return std::tuple(std::move(labels), std::move(clusters));
        },
        "X"_a, nb::kw_only(), "ends"_a, "rows"_a, "most"_a, "depth"_a, "seed"_a, "threads"_a,
        "Halve the labels depth times by the mean features of their rows: all labels, and where clusters "
        "end.");
    module.def(
        "make_chunk", unlocked([](const In2<float>& w, const In<std::int32_t>& columns, double share) {
            require(height(w) == length(columns), "there must be a column for every row of w");
            require(width(w) <= 256, "a chunk has at most 256 outputs");
            require(share >= 0 && share < 1, "share must be from 0 to below 1");
            Chunk made = make_chunk(w.data(), columns.data(), height(w), width(w), share);
            return std::tuple(std::move(made.features), std::move(made.ends), std::move(made.outputs),
                              std::move(made.values), std::move(made.dropped));
        }),
        "w"_a, nb::kw_only(), "columns"_a, "share"_a,
        "Features, ends, outputs and values of the weights but for the smallest, and ‖what was dropped‖.");
    def_floats(
        module, "search_trees",
        []<class Value>(const Rows<Value>& x, const std::vector<BoundTree*>& trees, const std::string& loss,
                        std::int64_t beam, Out2<std::int32_t> labels, Out2<double> probabilities,
                        int threads) {
            const std::int64_t most = width(labels);
            require(!trees.empty() && beam >= 1, "there must be a tree, and beam must be at least 1");
            require(has_shape(labels, x.n_rows, most) && has_shape(probabilities, x.n_rows, most),
                    "labels and probabilities must have a row for every row of X");
            std::vector<TreeView> views;
            for (const BoundTree* tree : trees) {
                require(tree->n_features() == x.n_columns && tree->n_labels() == trees[0]->n_labels(),
                        "trees and X must be of the same features and labels");
                views.push_back(tree->view());
            }
            const LossName name = loss_named(loss);
            require(!is_joint(name), "the loss must give every label a margin of its own");
            search_trees<Value>(x, views, name, beam, trees[0]->n_labels(), most, labels.data(),
                                probabilities.data(), threads);
        },
        "X"_a, nb::kw_only(), "trees"_a, "loss"_a, "beam"_a, "labels"_a, "probabilities"_a, "threads"_a,
        "Fill labels and probabilities with the most probable ones of each row; -1 where there are no more.");
}

}  // namespace lindy
