// The matrix of counted texts.
#pragma once

#include "core/radix.hpp"
#include "text/count_entries.hpp"

namespace lindy {

// What stands for the features while rows are made: numbers in the order of their first places in the texts,
// by which rows are sorted, as scikit-learn has it. Single words have their ranks at hand; where there are
// pairs, everything has its first place until it has been sorted, because ranks are then looked up in their
// order.
struct RowTerms {
    std::vector<Buffer<std::uint32_t>> words;  // of each worker's words; no_term if they are no features
    bool by_place;
    std::uint64_t n_numbers;        // they are smaller
    PlaceRanks ranks;               // of the features, by their first places
    Buffer<std::uint32_t> columns;  // by rank; empty if they are the ranks
};

// Reads the features of pieces and writes their rows; one per thread.
class RowWriter {
  public:
    // Reads a piece; returns how many entries its rows have.
    std::size_t read(const Piece& piece, const RowTerms& terms) {
        std::size_t most = piece.words.terms.size();
        for (const PairEntries& pairs : piece.pairs) most += pairs.entries.size();
        std::uint64_t* const begin =
            items_.resize(most + 1);  // what is no feature is written, then overwritten
        std::uint64_t* end = read_words(piece, terms.words[piece.worker].data(), begin);
        end = read_pairs(piece, end);
        items_.resize(static_cast<std::size_t>(end - begin));
        radix_sort(items_, other_, 32, 32 + std::bit_width(terms.n_numbers));
        if (terms.by_place) terms.ranks.keep_ranked(items_);
        sizes_.fill(0);
        const int shift = piece.row_shift();
        for (const std::uint64_t item : items_) ++sizes_[(item & 0xFFFFFFFF) >> shift];
        return items_.size();
    }

    // Writes what was read: put(k, rank, column, count) for the entry at position k of the matrix, of which
    // the first is given; starts gets the beginnings of the rows. Where every row has entries of others
    // before its own, `others` says where those of all rows begin, and the last end.
    template <class Put>
    void write(const Piece& piece, const RowTerms& terms, std::int64_t first, std::int64_t* starts,
               const std::int64_t* others, Put put) {
        std::array<std::int64_t, Piece::max_rows> cursors;
        for (std::size_t row = 0; row < piece.n_rows; ++row) {
            const std::size_t i = piece.first_row + row;
            starts[i] = first + (others ? others[i] : 0);
            cursors[row] = first + (others ? others[i + 1] : 0);
            first += sizes_[row];
        }
        const int shift = piece.row_shift();
        const auto mask = static_cast<std::uint32_t>((std::uint64_t{1} << shift) - 1);
        const std::uint32_t* columns = terms.columns.size() ? terms.columns.data() : nullptr;
        for (const std::uint64_t item : items_) {
            const auto low = static_cast<std::uint32_t>(item), rank = static_cast<std::uint32_t>(item >> 32);
            put(cursors[std::uint64_t{low} >> shift]++, rank, columns ? columns[rank] : rank, low & mask);
        }
    }

    // How many entries a row of the piece has.
    std::int64_t size(std::size_t row) const { return sizes_[row]; }

  private:
    // Term, row of the piece and count in one number: documents that share a piece have small counts.
    static std::uint64_t item(std::uint32_t term, std::uint64_t row, std::uint32_t count) {
        return static_cast<std::uint64_t>(term) << 32 | row << Piece::row_shift_of_many | count;
    }

    static std::uint64_t* read_words(const Piece& piece, const std::uint32_t* term_of, std::uint64_t* to) {
        const std::uint32_t* word = piece.words.terms.data();
        SmallCounts::Cursor counts(piece.words.counts);
        for (std::size_t row = 0; row < piece.n_rows; ++row)
            for (const std::uint32_t* stop = word + piece.words.sizes[row]; word < stop;) {
                const std::uint32_t term = term_of[*word++];
                *to = item(term, row, counts.next());
                to += term != no_term;
            }
        return to;
    }

    static std::uint64_t* read_pairs(const Piece& piece, std::uint64_t* to) {
        const int shift = piece.row_shift();
        for (const PairEntries& pairs : piece.pairs)
            for (const PairEntry& entry : pairs.entries) {
                *to = item(entry.place, std::uint64_t{entry.where} >> shift, entry.count);
                to += entry.count != 0;
            }
        return to;
    }

    Buffer<std::uint64_t> items_, other_;
    std::array<std::int64_t, Piece::max_rows> sizes_;
};

}  // namespace lindy
