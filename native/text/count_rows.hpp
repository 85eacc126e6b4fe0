// The matrix of counted texts.
#pragma once

#include "core/radix.hpp"
#include "text/count_entries.hpp"

namespace lindy {

// What stands for the features while rows are made. Either ranks, by their first places in the texts: rows
// are sorted by them, as scikit-learn has it. Or columns: rows are as the texts have them, first all words,
// then all pairs …
struct RowTerms {
    bool sorted;
    std::vector<Buffer<std::uint32_t>> words;  // of each worker's words; no_term if they are no features
    PlaceNumbers columns;                      // of the features, by their first places
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
        sizes_.fill(0);
        std::uint64_t* to = begin;
        if (terms.sorted) {
            for_each_row(piece, terms, to, [](std::size_t, std::uint64_t) {});
            read_pairs(piece, terms.columns.ranks, to);
        } else {
            place_pairs(piece, terms.columns);
            for_each_row(piece, terms, to, [&](std::size_t row, std::uint64_t row_bits) {
                read_placed(piece, row, row_bits, to);
            });
        }
        items_.resize(static_cast<std::size_t>(to - begin));
        if (terms.sorted) radix_sort(items_, other_, 32, 32 + std::bit_width(terms.columns.numbers.size()));
        return items_.size();
    }

    // Writes what was read: put(k, column, count) for the entry at position k of the matrix, of which the
    // first is given; starts gets the beginnings of the rows.
    template <class Put>
    void write(const Piece& piece, const RowTerms& terms, std::int64_t first, std::int64_t* starts, Put put) {
        std::array<std::int64_t, Piece::max_rows> cursors;
        for (std::size_t row = 0; row < piece.n_rows; ++row) {
            starts[piece.first_row + row] = cursors[row] = first;
            first += sizes_[row];
        }
        const int shift = piece.row_shift();
        const auto mask = static_cast<std::uint32_t>((std::uint64_t{1} << shift) - 1);
        const std::uint32_t* columns = terms.sorted ? terms.columns.numbers.data() : nullptr;
        for (const std::uint64_t item : items_) {
            const auto low = static_cast<std::uint32_t>(item), term = static_cast<std::uint32_t>(item >> 32);
            put(cursors[std::uint64_t{low} >> shift]++, columns ? columns[term] : term, low & mask);
        }
    }

  private:
    // Term, row of the piece and count in one number: documents that share a piece have small counts.
    static std::uint64_t item(std::uint32_t term, std::uint64_t row_bits, std::uint32_t count) {
        return static_cast<std::uint64_t>(term) << 32 | row_bits | count;
    }

    // Reads the words of each row, and calls after(row, its bits in items).
    template <class After>
    void for_each_row(const Piece& piece, const RowTerms& terms, std::uint64_t*& to, After after) {
        const std::uint32_t* term_of = terms.words[piece.worker].data();
        const std::uint32_t* word = piece.words.terms.data();
        SmallCounts::Cursor counts(piece.words.counts);
        for (std::size_t row = 0; row < piece.n_rows; ++row) {
            const std::uint64_t row_bits = row << Piece::row_shift_of_many;
            std::uint64_t* end = to;
            for (const std::uint32_t* stop = word + piece.words.sizes[row]; word < stop;) {
                const std::uint32_t term = term_of[*word++];
                *end = item(term, row_bits, counts.next());
                end += term != no_term;
            }
            sizes_[row] += end - to;
            to = end;
            after(row, row_bits);
        }
    }

    void read_pairs(const Piece& piece, const PlaceRanks& features, std::uint64_t*& to) {
        const int shift = piece.row_shift();
        std::uint64_t* end = to;
        for (const PairEntries& pairs : piece.pairs)
            for (const PairEntry& entry : pairs.entries) {
                const std::uint64_t row = std::uint64_t{entry.where} >> shift;
                const bool counts = (entry.count != 0) & features.has(entry.place);
                *end = item(features.rank(entry.place), row << Piece::row_shift_of_many, entry.count);
                end += counts;
                sizes_[row] += counts;
            }
        to = end;
    }

    // Puts entries of pairs back to the tokens that begin them: at_token_ has 0 where no feature begins.
    void place_pairs(const Piece& piece, const PlaceNumbers& columns) {
        n_tokens_ = 0, token_ = 0;
        for (const std::uint32_t length : piece.lengths) n_tokens_ += length;
        at_token_.resize(piece.pairs.size() * n_tokens_);
        std::fill(at_token_.begin(), at_token_.end(), 0);
        for (std::size_t n = 0; n < piece.pairs.size(); ++n)
            for (const PairEntry& entry : piece.pairs[n].entries)
                if (entry.count && columns.ranks.has(entry.place))
                    at_token_[n * n_tokens_ + piece.token_of(entry.where)] =
                        item(columns(entry.place), 0, entry.count);
    }

    // Reads the pairs of the next row.
    void read_placed(const Piece& piece, std::size_t row, std::uint64_t row_bits, std::uint64_t*& to) {
        if (piece.pairs.empty()) return;
        std::uint64_t* end = to;
        for (std::size_t n = 0; n < piece.pairs.size(); ++n)
            for (std::size_t t = token_; t < token_ + piece.lengths[row]; ++t) {
                const std::uint64_t found = at_token_[n * n_tokens_ + t];
                *end = found | row_bits;
                end += found != 0;
            }
        token_ += piece.lengths[row];
        sizes_[row] += end - to;
        to = end;
    }

    Buffer<std::uint64_t> items_, other_, at_token_;
    std::size_t n_tokens_ = 0, token_ = 0;
    std::array<std::int64_t, Piece::max_rows> sizes_;
};

}  // namespace lindy
