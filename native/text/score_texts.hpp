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
#include "core/short_sort.hpp"
#include "core/sparse_rows.hpp"
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

// The columns that were found in one text, put in order and counted.
class ColumnCounts {
  public:
    [[gnu::always_inline]] void push(std::uint32_t column, std::uint32_t times) {
        entries_.push(std::uint64_t{column} << 32 | times);
    }
    void push_all(const std::uint32_t* columns, std::size_t n, std::uint32_t times) {
        const std::size_t before = entries_.size();
        std::uint64_t* to = entries_.resize(before + n) + before;
        for (std::size_t i = 0; i < n; ++i) to[i] = std::uint64_t{columns[i]} << 32 | times;
    }
    // Appends columns in ascending order and their counts to a row, and begins anew; returns the largest
    // count.
    std::int32_t append_to(SparseRows<float>& row, std::uint32_t n_columns, bool binary) {
        sort_by_key(entries_, other_, n_columns);
        const std::size_t before = row.indices.size(), n_entries = entries_.size();
        const std::uint64_t* entries = entries_.data();
        std::int32_t* columns = row.indices.resize(before + n_entries) + before;
        std::int32_t* counts = counts_.resize(n_entries);
        std::uint64_t last = ~std::uint64_t{0};
        std::int32_t count = 0;
        std::size_t n = 0;
        for (std::size_t i = 0; i < n_entries; ++i) {
            // without a branch: whether a column comes again cannot be guessed
            const std::uint64_t column = entries[i] >> 32;
            const std::int32_t again = column == last;
            n -= static_cast<std::size_t>(again);
            count = (count & -again) + static_cast<std::int32_t>(entries[i]);
            columns[n] = static_cast<std::int32_t>(column);
            counts[n++] = count;
            last = column;
        }
        entries_.clear();
        row.indices.resize(before + n);
        float* values = row.values.resize(before + n) + before;
        if (binary) return std::fill_n(values, n, 1.0f), 1;
        std::int32_t largest = 0;
        for (std::size_t k = 0; k < n; ++k) largest = std::max(largest, counts[k]);
        for (std::size_t k = 0; k < n; ++k) values[k] = static_cast<float>(counts[k]);
        return largest;
    }

  private:
    Buffer<std::uint64_t> entries_, other_;  // column << 32 | how often
    Buffer<std::int32_t> counts_;
};

// Some columns of a model: what finds their terms, and what is made of their counts.
struct PartReader {
    std::variant<WordFinder, CharFinder> finder;
    PartWeights weights;
    std::uint32_t n_columns;
};

// Scores texts; one per thread.
template <class Weight>
class TextScorer {
  public:
    TextScorer(std::vector<PartReader> parts, const Weight* weights, const Weight* bias,
               std::int64_t n_scores)
        : parts_(std::move(parts)), weights_(weights), bias_(bias), n_scores_(n_scores) {}

    // Writes the scores of a document. False if a term is so frequent that the table does not have its count.
    bool score(const Document& document, Weight* out) {
        if (!read(document)) return false;
        const SparseRows<float>& row = row_;
        score_row(Row<float>{row.indices.data(), row.values.data(), size()}, weights_, bias_, n_scores_, out);
        return true;
    }
    // Reads the row of a document; false as above.
    bool read(const Document& document) {
        row_.indices.clear(), row_.values.clear();
        std::int32_t first_column = 0;
        for (PartReader& part : parts_) {
            if (!std::visit([&](auto& finder) { return read(document, finder, part, first_column); },
                            part.finder))
                return false;
            first_column += static_cast<std::int32_t>(part.n_columns);
        }
        return true;
    }
    // Of the document read last.
    const SparseRows<float>& row() const { return row_; }
    std::ptrdiff_t size() const { return static_cast<std::ptrdiff_t>(row_.indices.size()); }

  private:
    // What a finder tells: columns, whose scales and weights are fetched while they are put in order.
    struct Found {
        ColumnCounts& counts;
        const float* scale;
        const Weight* weights;
        std::int64_t n_scores;

        [[gnu::always_inline]] void operator()(std::uint32_t column, std::uint32_t times) const {
            fetch(column);
            counts.push(column, times);
        }
        void all(const std::uint32_t* columns, std::size_t n, std::uint32_t times) const {
            for (std::size_t i = 0; i < n; ++i) fetch(columns[i]);
            counts.push_all(columns, n, times);
        }
        [[gnu::always_inline]] void fetch(std::uint32_t column) const {
            if (scale) __builtin_prefetch(scale + column);
            __builtin_prefetch(weights + column * n_scores);
        }
    };

    template <class Finder>
    bool read(const Document& document, Finder& finder, const PartReader& part, std::int32_t first_column) {
        const PartWeights& how = part.weights;
        finder(document, Found{counts_, how.scale, weights_ + first_column * n_scores_, n_scores_});
        const std::size_t before = row_.indices.size();
        const std::int32_t largest = counts_.append_to(row_, part.n_columns, how.binary);
        const std::size_t n = row_.indices.size() - before;
        std::int32_t* columns = row_.indices.data() + before;
        float* values = row_.values.data() + before;
        const Row<float> x{columns, values, static_cast<std::ptrdiff_t>(n)};
        scratch_.resize(n);
        const float* table = how.sublinear.entries;
        if (table && largest >= how.sublinear.size) return false;
        const auto entry = [table](float count) { return table[static_cast<std::int32_t>(count)]; };
        with_norm(how.norm, [&]<Norm norm>() {
            if (table)
                weighting::weigh_row<norm>(x, entry, how.scale, scratch_.data(), values);
            else if (norm != Norm::none || how.scale)
                weighting::weigh_row<norm>(x, std::identity{}, how.scale, scratch_.data(), values);
        });
        for (std::size_t k = 0; k < n; ++k) columns[k] += first_column;
        return true;
    }

    std::vector<PartReader> parts_;
    const Weight* weights_;
    const Weight* bias_;
    std::int64_t n_scores_;
    ColumnCounts counts_;
    SparseRows<float> row_;
    Buffer<float> scratch_;
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
