// Kernels of bracketed trees, "(S (NP (D the) (N dog)) (VP (V barks)))", by the fragments they share (Collins
// and Duffy, 2002):
//
//     K(T, T') = Σ_{n ∈ T, n' ∈ T'} C(n, n'),     C = 0 if the productions at n and n' differ, otherwise
//     C(n, n') = λ·Π_j (σ + C(child_j of n, child_j of n'))        over the children that are not words,
//
// with σ = 1 for all fragments (subset trees: a child may be cut off) and σ = 0 for whole subtrees only.
#pragma once

#include <string>
#include <unordered_map>

#include "core/csr.hpp"
#include "kernels/source.hpp"

namespace lindy {

struct TreeNode {
    std::int32_t production;
    std::vector<std::int32_t> children;  // numbers of nodes that come before this one; words are no children
};

using Tree = std::vector<TreeNode>;  // children before parents

// Why a row is no tree, or an empty string; productions get the numbers of `known`, which grows.
class TreeReader {
  public:
    template <class Value>
    std::string read(Row<Value> row, Tree& tree) {
        struct Open {
            std::u32string label, production;
            std::vector<std::int32_t> children;
        };
        std::vector<Open> open;
        bool done = false;
        const auto symbol = [&](std::ptrdiff_t k) { return static_cast<char32_t>(row.value[k]) - 1; };
        const auto is_space = [](char32_t c) { return c == U' ' || (c >= U'\t' && c <= U'\r'); };
        const auto atom_at = [&](std::ptrdiff_t& k) {
            std::u32string atom;
            while (k < row.size && !is_space(symbol(k)) && symbol(k) != U'(' && symbol(k) != U')')
                atom.push_back(symbol(k++));
            return atom;
        };
        for (std::ptrdiff_t k = 0; k < row.size;) {
            const char32_t c = symbol(k);
            if (is_space(c)) {
                ++k;
            } else if (done) {
                return "something follows the tree";
            } else if (c == U'(') {
                ++k;
                while (k < row.size && is_space(symbol(k))) ++k;
                open.push_back({atom_at(k), {}, {}});
            } else if (open.empty()) {
                return "a tree begins with '('";
            } else if (c == U')') {
                ++k;
                Open closed = std::move(open.back());
                open.pop_back();
                const auto entry = known_.try_emplace(closed.label + U'\n' + closed.production,
                                                      static_cast<std::int32_t>(known_.size()));
                tree.push_back({entry.first->second, std::move(closed.children)});
                done = open.empty();
                if (!done) {
                    open.back().production += U'(' + closed.label + U'\n';
                    open.back().children.push_back(static_cast<std::int32_t>(tree.size()) - 1);
                }
            } else {
                open.back().production += atom_at(k) + U'\n';
            }
        }
        return done ? "" : open.empty() ? "there is no tree" : "a '(' is never closed";
    }

  private:
    std::unordered_map<std::u32string, std::int32_t> known_;
};

class TreeKernel final : public KernelSource {
  public:
    TreeKernel(std::vector<Tree> x, std::vector<Tree> z, double decay, double sigma)
        : KernelSource(static_cast<std::int64_t>(x.size()), static_cast<std::int64_t>(z.size())),
          x_(std::move(x)),
          z_(std::move(z)),
          decay_(decay),
          sigma_(sigma) {}

    void rows(const std::int64_t* ids, int count, Targets targets, double* out,
              std::int64_t stride) const override {
        std::vector<double> table;
        for (int r = 0; r < count; ++r)
            for (std::int64_t k = targets.begin; k < targets.end; ++k)
                out[r * stride + k - targets.begin] = shared(
                    x_[static_cast<std::size_t>(ids[r])], z_[static_cast<std::size_t>(targets.at(k))], table);
    }
    double self_row(std::int64_t i) const override { return self(x_[static_cast<std::size_t>(i)]); }
    double self_column(std::int64_t j) const override { return self(z_[static_cast<std::size_t>(j)]); }
    double cost() const override { return mean(x_) * mean(z_); }

  private:
    static double mean(const std::vector<Tree>& trees) {
        double sum = 0;
        for (const Tree& tree : trees) sum += static_cast<double>(tree.size());
        return sum / static_cast<double>(std::max<std::size_t>(trees.size(), 1));
    }

    double self(const Tree& tree) const {
        std::vector<double> table;
        return shared(tree, tree, table);
    }

    double shared(const Tree& a, const Tree& b, std::vector<double>& table) const {
        table.assign(a.size() * b.size(), 0.0);
        double sum = 0;
        for (std::size_t n = 0; n < a.size(); ++n)
            for (std::size_t m = 0; m < b.size(); ++m) {
                if (a[n].production != b[m].production) continue;
                double C = decay_;
                for (std::size_t j = 0; j < a[n].children.size(); ++j)
                    C *= sigma_ + table[static_cast<std::size_t>(a[n].children[j]) * b.size() +
                                        static_cast<std::size_t>(b[m].children[j])];
                table[n * b.size() + m] = C;
                sum += C;
            }
        return sum;
    }

    const std::vector<Tree> x_, z_;
    const double decay_, sigma_;
};

}  // namespace lindy
