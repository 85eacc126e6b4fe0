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

#include "core/radix.hpp"
#include "core/scores.hpp"
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
class TermCounts {
  public:
    void clear() { entries_.clear(); }
    [[gnu::always_inline]] void push(std::uint32_t column, std::uint32_t times) {
        entries_.push(std::uint64_t{column} << 32 | times);
    }
    // Appends columns in ascending order and their counts to a row; returns the largest count.
    std::uint32_t append_to(SparseRows<float>& row, std::uint32_t n_columns, bool binary) {
        sort(n_columns);
        const std::size_t before = row.indices.size();
        std::int32_t* columns = row.indices.resize(before + entries_.size()) + before;
        float* values = row.values.resize(before + entries_.size()) + before;
        std::uint32_t largest = 0;
        std::size_t n = 0;
        for (std::size_t i = 0; i < entries_.size(); ++n) {
            const std::uint64_t column = entries_[i] >> 32;
            std::uint32_t count = 0;
            do count += static_cast<std::uint32_t>(entries_[i]);
            while (++i < entries_.size() && entries_[i] >> 32 == column);
            if (binary) count = 1;
            columns[n] = static_cast<std::int32_t>(column);
            values[n] = static_cast<float>(static_cast<std::int32_t>(count));
            largest = std::max(largest, count);
        }
        row.indices.resize(before + n), row.values.resize(before + n);
        return largest;
    }

  private:
    void sort(std::uint32_t n_columns) {
        if (entries_.size() < 48)
            std::sort(entries_.begin(), entries_.end());
        else
            radix_sort(entries_, other_, 32, 32 + std::bit_width(n_columns > 0 ? n_columns - 1 : 0));
    }
    Buffer<std::uint64_t> entries_, other_;  // column << 32 | how often
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
    template <class Finder>
    bool read(const Document& document, Finder& finder, const PartReader& part, std::int32_t first_column) {
        const PartWeights& how = part.weights;
        const Weight* weights = weights_ + first_column * n_scores_;
        counts_.clear();
        finder(document, [&](std::uint32_t column, std::uint32_t times) {
            if (how.scale) __builtin_prefetch(how.scale + column);
            __builtin_prefetch(weights + column * n_scores_);
            counts_.push(column, times);
        });
        const std::size_t before = row_.indices.size();
        const std::uint32_t largest = counts_.append_to(row_, part.n_columns, how.binary);
        const std::size_t n = row_.indices.size() - before;
        std::int32_t* columns = row_.indices.data() + before;
        float* values = row_.values.data() + before;
        const Row<float> x{columns, values, static_cast<std::ptrdiff_t>(n)};
        scratch_.resize(n);
        bool in_table = true;
        with_norm(how.norm, [&]<Norm norm>() {
            if (how.sublinear.entries) {
                in_table = largest < static_cast<std::uint32_t>(how.sublinear.size);
                weighting::weigh_row<norm>(x, how.sublinear, how.scale, scratch_.data(), values);
            } else if (norm != Norm::none || how.scale) {
                weighting::weigh_row<norm>(x, std::identity{}, how.scale, scratch_.data(), values);
            }
        });
        for (std::size_t k = 0; k < n; ++k) columns[k] += first_column;
        return in_table;
    }

    std::vector<PartReader> parts_;
    const Weight* weights_;
    const Weight* bias_;
    std::int64_t n_scores_;
    TermCounts counts_;
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
