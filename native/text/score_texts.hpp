// From texts to the scores of a linear model, one text at a time: what is found in a text stays in the
// nearest cache until its scores are known, and no matrix is written.
//
//   s = Σ_j W_j · x_j + b,   x the weighed rows of all parts side by side
//
// Every step is the one of a matrix (core/sort_rows.hpp, text/weighting.hpp, core/scores.hpp), in the same
// order: the same bits.
#pragma once

#include <memory>
#include <variant>

#include "core/scores.hpp"
#include "core/sparse_rows.hpp"
#include "text/column_counts.hpp"
#include "text/finders.hpp"
#include "text/weighting.hpp"

namespace lindy {

// How the counts of some columns become a row.
struct PartWeights {
    bool binary = false;
    SublinearTable<float> sublinear{nullptr, 0};
    const float* scale = nullptr;  // null: all 1
    Norm norm = Norm::none;
};

// Some columns of a model: what finds their terms, and what is made of their counts.
struct PartReader {
    std::variant<WordFinder, CharFinder> finder;
    PartWeights weights;
    std::uint32_t n_columns;
    ColumnCounts counts;  // of the text that is read
};

// What a column is multiplied by, its scale and its one weight, side by side: one access to memory finds
// both.
template <class Weight>
struct ColumnFactors {
    float scale;
    Weight weight;
};

// The weights of a linear model; `factors` have them again, with all scales, if there is one score.
template <class Weight>
struct ScoreWeights {
    const Weight* weights;
    const Weight* bias;
    std::int64_t n_scores;
    const ColumnFactors<Weight>* factors;  // or null
};

// Scores texts; one per thread.
template <class Weight>
class TextScorer {
  public:
    TextScorer(std::vector<PartReader> parts, const ScoreWeights<Weight>& model)
        : parts_(std::move(parts)), model_(model) {}

    // Writes the scores of a document. False if a term is so frequent that the table does not have its count.
    bool score(const Document& document, Weight* out) {
        if (!read<true>(document)) return false;
        const float* values = row_.values.data();
        if (model_.factors)
            out[0] = dense_dot(values, gathered_.data(), size()) + model_.bias[0];
        else
            score_row(Row<float>{row_.indices.data(), values, size()}, model_.weights, model_.bias,
                      model_.n_scores, out);
        return true;
    }
    // Reads the row of a document; false as above.
    bool read(const Document& document) { return read<false>(document); }
    // Of the document read last.
    const SparseRows<float>& row() const { return row_; }
    std::ptrdiff_t size() const { return static_cast<std::ptrdiff_t>(row_.values.size()); }

  private:
    // What a finder tells: columns, whose scales and weights are fetched while they are put in order. Those
    // of all words of a text, or of several scores, go into the second cache: the first has no room for them
    // beside what puts them in order, and waits for fewer at once.
    struct Found {
        ColumnCounts& counts;
        const float* scale;
        const Weight* weights;
        std::int64_t n_scores;
        const ColumnFactors<Weight>* factors;

        [[gnu::always_inline]] void operator()(std::uint32_t column, std::uint32_t times) const {
            fetch(column);
            counts.push(column, times);
        }
        void all(const std::uint32_t* columns, std::size_t n, std::uint32_t times) const {
            if (factors)
                for (std::size_t i = 0; i < n; ++i) __builtin_prefetch(factors + columns[i], 0, 2);
            else
                for (std::size_t i = 0; i < n; ++i) fetch(columns[i]);
            counts.push_all(columns, n, times);
        }
        [[gnu::always_inline]] void fetch(std::uint32_t column) const {
            if (factors) return __builtin_prefetch(factors + column);
            if (scale) __builtin_prefetch(scale + column);
            const Weight* const own = weights + column * n_scores;
            __builtin_prefetch(own, 0, 2);
            __builtin_prefetch(own + n_scores - 1, 0, 2);
        }
    };

    template <bool is_scored>
    bool read(const Document& document) {
        row_.indices.clear(), row_.values.clear(), gathered_.clear();
        std::int32_t first_column = 0;
        for (PartReader& part : parts_) {
            const Found found{part.counts, part.weights.scale,
                              model_.weights + first_column * model_.n_scores, model_.n_scores,
                              is_scored && model_.factors ? model_.factors + first_column : nullptr};
            std::visit([&](auto& finder) { finder(document, found); }, part.finder);
            if (!weigh(part, first_column, found.factors)) return false;
            first_column += static_cast<std::int32_t>(part.n_columns);
        }
        return true;
    }

    // Appends what was found of a part to the row. The weights of its columns are gathered with their scales
    // if these are side by side.
    bool weigh(PartReader& part, std::int32_t first_column, const ColumnFactors<Weight>* factors) {
        const PartWeights& how = part.weights;
        const std::size_t before = row_.values.size(), n = part.counts.finish();
        const std::uint32_t* columns = part.counts.columns();
        const std::int32_t* counts = part.counts.counts();
        const float* table = how.binary ? nullptr : how.sublinear.entries;
        std::int32_t largest = 0;
        for (std::size_t k = 0; k < n; ++k) largest = std::max(largest, counts[k]);
        if (table && largest >= how.sublinear.size) return false;
        float* values = row_.values.resize(before + n) + before;
        float* scales = scratch_.resize(n);
        if (factors) {
            Weight* weights = gathered_.resize(before + n) + before;
            for (std::size_t k = 0; k < n; ++k) {
                const ColumnFactors<Weight>& own = factors[columns[k]];
                scales[k] = own.scale, weights[k] = own.weight;
            }
        } else if (how.scale) {
            for (std::size_t k = 0; k < n; ++k) scales[k] = how.scale[columns[k]];
        } else {
            scales = nullptr;
        }
        with_norm(how.norm, [&]<Norm norm>() {
            const auto weigh = [&](auto term) {
                weighting::weigh_values<norm>(counts, static_cast<std::ptrdiff_t>(n), term, scales, values);
            };
            if (how.binary)
                weigh([=](std::int32_t) { return 1.0f; });
            else if (table)
                weigh([=](std::int32_t count) { return table[count]; });
            else
                weigh([](std::int32_t count) { return static_cast<float>(count); });
        });
        if (factors) return true;
        std::int32_t* indices = row_.indices.resize(before + n) + before;
        for (std::size_t k = 0; k < n; ++k) indices[k] = static_cast<std::int32_t>(columns[k]) + first_column;
        return true;
    }

    std::vector<PartReader> parts_;
    ScoreWeights<Weight> model_;
    SparseRows<float> row_;
    Buffer<float> scratch_;
    Buffer<Weight> gathered_;  // of the columns of the row
};

// Scores a batch of documents with several threads: writes n_scores numbers for each to `out`, and how many
// features it has to `known`. take() hands out a scorer, give(scorer) takes it back. False as for one.
template <class Weight, class Take, class Give>
bool score_texts(const std::vector<Document>& documents, std::int64_t n_scores, int n_threads, Take take,
                 Give give, Weight* out, std::int64_t* known) {
    constexpr std::size_t piece_bytes = 1 << 16, piece_rows = 256;
    const std::vector<std::size_t> cuts = cut(documents, piece_bytes, piece_rows);
    std::atomic<bool> done{true};
    parallel_workers(static_cast<std::int64_t>(cuts.size()) - 1, n_threads, [&](auto next) {
        auto scorer = take();
        for (std::int64_t piece; done && next(piece);)
            for (std::size_t i = cuts[static_cast<std::size_t>(piece)],
                             end = cuts[static_cast<std::size_t>(piece) + 1];
                 i < end; ++i) {
                bool is_scored = true;
                read_document(i, [&] {
                    is_scored = scorer->score(documents[i], out + static_cast<std::int64_t>(i) * n_scores);
                });
                if (!is_scored) done = false;
                known[i] = scorer->size();
            }
        give(std::move(scorer));
    });
    return done;
}

}  // namespace lindy
