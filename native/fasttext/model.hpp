// A supervised fastText model (Joulin et al. 2017): the mean of the input rows of a text's features, then a linear layer.
//
//     h = Σ rows / n          s_k = h · o_k
//
//     softmax, one-vs-all, negative sampling    the score of label k is s_k
//     hierarchical softmax                      log P(k) = Σ log(σ(±s_j) + ε) over the turns j on the way to label k
//                                               in the Huffman tree of the labels' counts
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "core/buffer.hpp"
#include "core/fastmath.hpp"
#include "core/isa.hpp"
#include "core/threads.hpp"
#include "fasttext/dictionary.hpp"
#include "fasttext/matrix.hpp"

namespace lindy::fasttext {

inline constexpr float tiny = 1e-5f;  // ε, which fastText adds before it takes a logarithm

}  // namespace lindy::fasttext

#define LINDY_KERNELS "fasttext/scores.inl"
#include "core/for_each_isa.hpp"

namespace lindy::fasttext {

// The inner nodes of the Huffman tree, from the deepest to the root; nodes below `n_labels` are the labels.
struct Turns {
    struct Node {
        std::int32_t left, right;
    };
    std::vector<Node> nodes;

    // Joins the two rarest nodes until there is one. Counts descend; of equal ones, nodes that were joined come first.
    explicit Turns(const std::vector<std::int64_t>& counts) {
        const auto n = static_cast<std::int32_t>(counts.size());
        constexpr std::int64_t unknown = 1'000'000'000'000'000;
        std::vector<std::int64_t> joined;
        std::int32_t leaf = n - 1;
        std::size_t inner = 0;
        const auto rarest = [&](std::int64_t& count) {
            const std::int64_t other = inner < joined.size() ? joined[inner] : unknown;
            if (leaf >= 0 && counts[static_cast<std::size_t>(leaf)] < other) {
                count += counts[static_cast<std::size_t>(leaf)];
                return leaf--;
            }
            count += other;
            return n + static_cast<std::int32_t>(inner++);
        };
        for (std::int32_t i = 0; i + 1 < n; ++i) {
            std::int64_t count = 0;
            const std::int32_t left = rarest(count), right = rarest(count);
            nodes.push_back({left, right});
            joined.push_back(count);
        }
    }
};

class Model {
  public:
    // The i-th label of the file, which has counts[i] examples, is the output places[i].
    Model(const Matrix& input, const Matrix& output, bool hierarchical,
          const std::vector<std::int64_t>& counts, std::vector<std::int32_t> places)
        : input_(input),
          places_(std::move(places)),
          n_labels_(output.n_rows),
          width_((output.n_rows + 15) / 16 * 16),
          columns_(static_cast<std::size_t>(width_ * output.dim)),
          turns_(hierarchical ? counts : std::vector<std::int64_t>{}),
          hierarchical_(hierarchical) {
        std::fill(columns_.begin(), columns_.end(), 0.0f);
        Matrix directions = output;  // rows without their norms
        directions.norm_codes = nullptr;
        if (output.norm_codes) norms_.resize(static_cast<std::size_t>(width_));
        std::vector<float> row(static_cast<std::size_t>(output.dim));
        for (std::int64_t k = 0; k < n_labels_; ++k) {
            std::fill(row.begin(), row.end(), 0.0f);
            directions.add_row(k, row.data());
            const std::int64_t at = hierarchical ? k : places_[static_cast<std::size_t>(k)];
            if (output.norm_codes) norms_[static_cast<std::size_t>(at)] = output.norms[output.norm_codes[k]];
            for (std::int64_t d = 0; d < output.dim; ++d)
                columns_[static_cast<std::size_t>(d * width_ + at)] = row[static_cast<std::size_t>(d)];
        }
    }

    std::int64_t n_labels() const { return n_labels_; }
    std::int64_t dim() const { return input_.dim; }
    const Matrix& input() const { return input_; }

    // Scores texts one after the other; every thread has its own.
    class Scorer {
      public:
        explicit Scorer(const Model& model)
            : model_(model),
              hidden_(static_cast<std::size_t>(model.dim())),
              products_(static_cast<std::size_t>(model.width_)),
              second_(static_cast<std::size_t>(model.width_)),
              logs_(static_cast<std::size_t>(2 * model.n_labels_)) {}

        // The scores of a text with these features.
        void features(const std::int32_t* columns, std::size_t n, float* out) {
            LINDY_SELECT(mean_rows)(model_.input_, columns, n, hidden_.data());
            hidden(out);
        }
        // The same of weighted features, Σ value · row.
        void weighted(const std::int32_t* columns, const float* values, std::size_t n, float* out) {
            std::fill(hidden_.begin(), hidden_.end(), 0.0f);
            std::vector<float> row(hidden_.size());
            for (std::size_t i = 0; i < n; ++i) {
                std::fill(row.begin(), row.end(), 0.0f);
                model_.input_.add_row(columns[i], row.data());
                for (std::size_t d = 0; d < row.size(); ++d) hidden_[d] += values[i] * row[d];
            }
            hidden(out);
        }
        // What one feature adds to each label's score: of a hierarchical softmax, to the sum of its turns' scores.
        void weights(std::int32_t column, float* out) {
            std::fill(hidden_.begin(), hidden_.end(), 0.0f);
            model_.input_.add_row(column, hidden_.data());
            multiply();
            if (!model_.hierarchical_) {
                std::copy_n(products_.begin(), model_.n_labels_, out);
                return;
            }
            for (std::size_t k = 0; k < products_.size(); ++k) second_[k] = products_[k];
            for (float& product : products_) product = -product;
            descend(out);
        }

      private:
        void multiply() {
            LINDY_SELECT(products)(model_.columns_.data(), model_.width_, model_.dim(), hidden_.data(),
                                   products_.data());
            for (std::size_t k = 0; k < model_.norms_.size(); ++k) products_[k] *= model_.norms_[k];
        }
        void hidden(float* out) {
            multiply();
            if (!model_.hierarchical_) {
                std::copy_n(products_.begin(), model_.n_labels_, out);
                return;
            }
            LINDY_SELECT(log_turns)(products_.data(), second_.data(), model_.width_);
            descend(out);
        }
        // out_k = the sum of what the turns on the way to label k have: to the left in products_, to the right in second_.
        void descend(float* out) {
            const auto n = static_cast<std::size_t>(model_.n_labels_);
            const std::vector<Turns::Node>& nodes = model_.turns_.nodes;
            logs_[n + nodes.size() - 1] = 0;
            for (std::size_t j = nodes.size(); j-- > 0;) {
                logs_[static_cast<std::size_t>(nodes[j].left)] = logs_[n + j] + products_[j];
                logs_[static_cast<std::size_t>(nodes[j].right)] = logs_[n + j] + second_[j];
            }
            for (std::size_t k = 0; k < n; ++k) out[model_.places_[k]] = logs_[k];
        }

        const Model& model_;
        std::vector<float> hidden_, products_, second_, logs_;
    };

  private:
    Matrix input_;
    std::vector<std::int32_t> places_;
    std::int64_t n_labels_, width_;
    Buffer<float> columns_;     // of the output matrix: dim × width
    std::vector<float> norms_;  // by which products are multiplied, if output rows have norms of their own
    Turns turns_;
    bool hierarchical_;
};

// Scores of labels become probabilities as fastText has them, none above 1 unless `strict`.
//
//     softmax                 e^s_k / Σ e^s_j + ε           hierarchical softmax   e^log P(k)
//     one-vs-all, negative    σ(s) + ε, of a table of 512 steps between −8 and 8
//
// The best label is that of the greatest logarithm in 32 bits; of equal ones, the last of the file, whose labels are
// numbered by `of_file`.
enum class Link { softmax, sigmoid, exponential };

class Probabilities {
  public:
    Probabilities(Link link, std::int64_t n_labels, bool strict)
        : link_(link), n_(n_labels), most_(strict ? INFINITY : 1.0f) {
        for (int i = 0; i <= steps; ++i)
            table_[i] = fastmath::sigmoid(static_cast<float>(i * 2 * edge) / steps - edge);
    }
    // Returns the best label.
    std::int64_t operator()(float* s, const std::int32_t* of_file) const {
        std::int64_t best = 0;
        if (link_ == Link::sigmoid) {
            for (std::int64_t k = 0; k < n_; ++k) s[k] = sigmoid(s[k]);
            best = last_of_best(s, of_file);
        } else if (link_ == Link::exponential) {
            best = last_of_best(s, of_file);
            LINDY_SELECT(exponentials)(s, n_);
        } else {
            best = softmax(s, of_file);
        }
        if (link_ != Link::exponential)
            for (std::int64_t k = 0; k < n_; ++k) s[k] += tiny;
        for (std::int64_t k = 0; k < n_; ++k) s[k] = std::min(s[k], most_);
        return best;
    }

  private:
    static constexpr int steps = 512, edge = 8;
    static constexpr float hardly = 1e-4f;  // scores that differ less may have the same logarithm of P
    float sigmoid(float s) const {
        if (s < -edge) return 0;
        if (s > edge) return 1;
        return table_[static_cast<int>((s + edge) * steps / edge / 2)];
    }
    std::int64_t softmax(float* s, const std::int32_t* of_file) const {
        const std::int64_t first = std::max_element(s, s + n_) - s;
        const float top = s[first];
        for (std::int64_t k = 0; k < n_; ++k) s[k] -= top;
        const auto near = std::count_if(s, s + n_, [](float score) { return score > -hardly; });
        const std::int64_t best = near > 1 ? best_logarithm(s, of_file) : first;
        LINDY_SELECT(exponentials)(s, n_);
        float total = 0;
        for (std::int64_t k = 0; k < n_; ++k) total += s[k];
        for (std::int64_t k = 0; k < n_; ++k) s[k] /= total;
        return best;
    }
    // Of scores of which the greatest is 0: in the precision and the order of fastText's sums.
    std::int64_t best_logarithm(const float* s, const std::int32_t* of_file) const {
        const auto n = static_cast<std::size_t>(n_);
        std::vector<float> in_file(n), logarithms(n, -INFINITY);
        for (std::size_t k = 0; k < n; ++k)
            in_file[static_cast<std::size_t>(of_file[k])] =
                static_cast<float>(fastmath::exp(static_cast<double>(s[k])));
        float total = 0;
        for (const float e : in_file) total += e;
        for (std::size_t k = 0; k < n; ++k) {
            if (s[k] <= -hardly) continue;
            const float p = in_file[static_cast<std::size_t>(of_file[k])] / total;
            logarithms[k] = static_cast<float>(fastmath::log(static_cast<double>(p) + 1e-5));
        }
        return last_of_best(logarithms.data(), of_file);
    }
    std::int64_t last_of_best(const float* p, const std::int32_t* of_file) const {
        std::int64_t best = 0;
        for (std::int64_t k = 1; k < n_; ++k)
            if (p[k] > p[best] || (p[k] == p[best] && of_file[k] > of_file[best])) best = k;
        return best;
    }

    Link link_;
    std::int64_t n_;
    float most_;
    float table_[steps + 1];
};

}  // namespace lindy::fasttext
