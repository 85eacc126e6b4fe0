// The most probable labels of texts, by a beam search through label trees.
//
// Nodes are numbered level by level, the root is 0, and node c scores its children with chunk c of the
// weights: output p of the last level is the label labels[p + 1 − nodes], any other output the node p + 1.
//
//     log P(p | x) = log P(parent | x) − log(1 + e^−d),   d = ℓ(−s) − ℓ(s)
//
// for the score s of output p and the loss ℓ that it was trained with: the probability that the loss implies,
// which for the log loss is σ(s). On each level the `beam` most probable nodes of a text are opened; several
// trees are averaged, a label that a tree did not reach having the probability 0 in it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

#include "core/csr.hpp"
#include "core/isa.hpp"
#include "core/threads.hpp"
#include "linear/losses.hpp"
#include "linear/tree/chunks.hpp"

#define LINDY_KERNELS "linear/tree/log_probabilities.inl"
#include "core/for_each_isa.hpp"

namespace lindy {

struct TreeView {
    ChunkView weights;
    const std::int32_t* labels;  // of the outputs of the last level

    std::int64_t n_outputs() const { return weights.starts[weights.n_chunks]; }
    std::int64_t n_children(std::int64_t node) const {
        return weights.starts[node + 1] - weights.starts[node];
    }
};

// A text on its way: at a node, with the logarithm of its probability. `begin` is where its children's go.
struct Visit {
    std::int32_t row, node;
    float log_p;
    std::size_t begin;
};

struct Found {
    std::int32_t label;
    float p;
};

template <class Value>
class TreeSearch {
  public:
    TreeSearch(CsrView<Value> x, std::span<const TreeView> trees, LossName loss, std::int64_t beam,
               std::int64_t n_labels)
        : x_(x),
          trees_(trees),
          loss_(loss),
          to_logs_(LINDY_SELECT(log_probabilities)),
          beam_(static_cast<std::size_t>(beam)),
          sums_(static_cast<std::size_t>(n_labels)) {
        for (const TreeView& tree : trees) rows_.emplace_back(tree.weights);
    }

    // The `most` most probable labels of the rows from first to last, in falling order; missing ones are −1.
    void operator()(std::int64_t first, std::int64_t last, std::int64_t most, std::int32_t* labels,
                    double* probabilities) {
        const auto n = static_cast<std::size_t>(last - first);
        found_.resize(n);
        for (auto& own : found_) own.clear();
        for (std::size_t t = 0; t < trees_.size(); ++t) descend(trees_[t], rows_[t], first, last);
        for (std::size_t i = 0; i < n; ++i, labels += most, probabilities += most)
            rank(found_[i], most, labels, probabilities);
    }

  private:
    void descend(const TreeView& tree, ChunkRows& rows, std::int64_t first, std::int64_t last) {
        visits_.clear();
        for (std::int64_t i = first; i < last; ++i)
            visits_.push_back({static_cast<std::int32_t>(i), 0, 0, 0});
        while (true) {
            score(tree, rows);
            // all nodes of a level have children on the next, or none has
            if (tree.weights.starts[visits_[0].node] + 1 >= tree.weights.n_chunks) break;
            choose(tree);
        }
        for (const Visit& visit : visits_) {
            const std::int64_t output = tree.weights.starts[visit.node] + 1 - tree.weights.n_chunks;
            auto& own = found_[static_cast<std::size_t>(visit.row - first)];
            for (std::int64_t k = 0; k < tree.n_children(visit.node); ++k)
                own.push_back({tree.labels[output + k], logs_[visit.begin + static_cast<std::size_t>(k)]});
        }
    }

    // Fills logs_ with those of the children of all visited nodes, node by node.
    void score(const TreeView& tree, ChunkRows& rows) {
        std::size_t size = 0;
        for (Visit& visit : visits_) {
            visit.begin = size;
            size += static_cast<std::size_t>(tree.n_children(visit.node));
        }
        logs_.resize(size);
        order_.resize(visits_.size());
        for (std::size_t v = 0; v < order_.size(); ++v) order_[v] = v;
        std::stable_sort(order_.begin(), order_.end(),
                         [&](std::size_t a, std::size_t b) { return visits_[a].node < visits_[b].node; });
        for (std::size_t begin = 0, end; begin < order_.size(); begin = end) {
            const std::int32_t node = visits_[order_[begin]].node;
            std::int64_t asked = 0;
            for (end = begin; end < order_.size() && visits_[order_[end]].node == node; ++end)
                asked += x_.row(visits_[order_[end]].row).size;
            rows.open(node, asked);
            for (std::size_t v = begin; v < end; ++v) {
                const Visit& visit = visits_[order_[v]];
                score_chunk(tree.weights, rows, node, x_.row(visit.row), logs_.data() + visit.begin);
                to_logs_(loss_, logs_.data() + visit.begin, tree.n_children(node), visit.log_p);
            }
            rows.close();
        }
    }

    // Opens the most probable children of each text, of equals the one of the lower number.
    void choose(const TreeView& tree) {
        next_.clear();
        for (std::size_t begin = 0, end; begin < visits_.size(); begin = end) {
            children_.clear();
            for (end = begin; end < visits_.size() && visits_[end].row == visits_[begin].row; ++end)
                for (std::int64_t k = 0; k < tree.n_children(visits_[end].node); ++k)
                    children_.push_back(
                        {static_cast<std::int32_t>(tree.weights.starts[visits_[end].node] + k + 1),
                         logs_[visits_[end].begin + static_cast<std::size_t>(k)]});
            keep_best(children_, beam_);
            for (const Found& child : children_)
                next_.push_back({visits_[begin].row, child.label, child.p, 0});
        }
        visits_.swap(next_);
    }

    static void keep_best(std::vector<Found>& found, std::size_t most) {
        const auto before = [](const Found& a, const Found& b) {
            return a.p != b.p ? a.p > b.p : a.label < b.label;
        };
        most = std::min(most, found.size());
        std::partial_sort(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(most), found.end(),
                          before);
        found.resize(most);
    }

    // Adds up what the trees found of one text.
    void rank(std::vector<Found>& found, std::int64_t most, std::int32_t* labels, double* probabilities) {
        if (trees_.size() > 1) {
            for (Found& own : found) own.p = fastmath::exp(own.p);
            const float share = 1.0f / static_cast<float>(trees_.size());
            for (const Found& own : found) sums_[static_cast<std::size_t>(own.label)] += own.p;
            std::size_t kept = 0;
            for (const Found& own : found)
                if (float& sum = sums_[static_cast<std::size_t>(own.label)]; sum > 0) {
                    found[kept++] = {own.label, sum * share};
                    sum = 0;
                }
            found.resize(kept);
        }
        keep_best(found, static_cast<std::size_t>(most));
        if (trees_.size() == 1)
            for (Found& own : found) own.p = fastmath::exp(own.p);
        for (std::size_t k = 0; k < static_cast<std::size_t>(most); ++k) {
            labels[k] = k < found.size() ? found[k].label : -1;
            probabilities[k] = k < found.size() ? found[k].p : 0;
        }
    }

    CsrView<Value> x_;
    std::span<const TreeView> trees_;
    LossName loss_;
    void (*to_logs_)(LossName, float*, std::int64_t, float);
    std::size_t beam_;
    std::vector<float> sums_;  // of the probabilities of a text's labels; 0 in between
    std::vector<ChunkRows> rows_;
    std::vector<Visit> visits_, next_;  // a text's side by side
    std::vector<std::size_t> order_;
    std::vector<float> logs_;
    std::vector<Found> children_;
    std::vector<std::vector<Found>> found_;
};

template <class Value>
void search_trees(CsrView<Value> x, std::span<const TreeView> trees, LossName loss, std::int64_t beam,
                  std::int64_t n_labels, std::int64_t most, std::int32_t* labels, double* probabilities,
                  int threads) {
    constexpr std::int64_t block = 2048;  // texts that go through the trees together
    parallel_workers((x.n_rows + block - 1) / block, threads, [&](auto take) {
        TreeSearch<Value> search(x, trees, loss, beam, n_labels);
        for (std::int64_t part; take(part);) {
            const std::int64_t first = part * block, last = std::min(x.n_rows, first + block);
            search(first, last, most, labels + first * most, probabilities + first * most);
        }
    });
}

}  // namespace lindy
