// The counted entries of a piece of the texts.
//
// A place is where a term stands in the texts, such that places are in the order of scikit-learn's analysis:
// document by document, all single words (and their shapes), then all pairs, then all triples.
#pragma once

#include <array>

#include "analyze.hpp"
#include "vocabulary.hpp"

namespace lindy {

// Terms of one word (or character n-grams): one entry per document that has the term.
struct WordEntries {
    Buffer<std::uint32_t> sizes;  // entries per document
    Buffer<std::uint32_t> terms;  // the worker's own numbers, until the words are numbered
    Buffer<std::uint32_t> counts;
};

// Terms of several words. Each is a pair: the term without its last word, and that word.
struct PairEntries {
    Buffer<std::uint32_t> sizes;   // entries per document
    Buffer<std::uint32_t> counts;  // in the order of the texts
    Buffer<std::uint8_t> buckets;  // in the order of the texts
    Buffer<std::uint64_t> keys;  // by bucket: term << 32 | last word; when numbered: place << 32 | number in
                                 // the bucket, where place is the term's first in all texts
    Buffer<std::uint32_t> places;  // by bucket, within the piece
    std::array<std::uint32_t, n_buckets + 1> starts{};
};

struct Piece {
    std::size_t worker = 0;
    std::size_t first_row = 0, n_rows = 0;
    std::uint64_t n_places = 0;
    std::uint32_t longest = 0;  // most words (or n-grams) in a document
    WordEntries words;
    std::vector<PairEntries> pairs;        // of two words, of three …
    Buffer<std::uint32_t> tokens;          // all words in the order of the texts, if pairs are wanted
    Buffer<std::uint32_t> lengths;         // words per document
    Buffer<std::uint32_t> pair_places;     // the place of each document's first pair, within the piece
    Buffer<std::uint32_t> entry_of_token;  // of the longest terms so far: the one that begins here
};

// What one thread knows and reuses: a dictionary, and the way from documents to entries.
class Worker {
  public:
    virtual ~Worker() = default;
    // Leaves a word out; 16 bytes at `padded` can be read.
    virtual void stop(const unsigned char* padded, std::size_t size) = 0;
    virtual void read(const Document* documents, Piece& piece, std::uint32_t piece_number) = 0;
    virtual const Dictionary& dictionary() const = 0;
    const Strings& words() const { return dictionary().strings(); }
    virtual std::vector<std::uint32_t> documents_with() const = 0;  // each word
    // The piece that first had a word, and the place in it.
    const std::vector<std::uint32_t>& first_piece() const { return first_piece_; }
    const Buffer<std::uint32_t>& first_place() const { return first_place_; }

  protected:
    std::vector<std::uint32_t> first_piece_;
    Buffer<std::uint32_t> first_place_;
};

// Reads the features of a piece, row by row.
class RowReader {
  public:
    // placed: whether the pairs' numbers have been replaced by columns.
    RowReader(const Piece& piece, const std::vector<Level>& levels, bool placed)
        : piece_(piece), levels_(levels), placed_(placed) {
        for (const PairEntries& pairs : piece.pairs) at_.push_back({0, pairs.starts});
    }

    // Calls visit(column, first place, count) for the features of the next row.
    template <class Visit>
    void next(Visit visit) {
        const WordEntries& words = piece_.words;
        const Level& level = levels_[0];
        for (const std::size_t end = word_ + words.sizes[row_]; word_ < end; ++word_) {
            const std::uint32_t term = words.terms[word_];
            if (term == no_term) continue;
            const std::uint32_t column = level.columns[term];
            if (column != no_term) visit(column, level.places[term], words.counts[word_]);
        }
        for (std::size_t n = 0; n < at_.size(); ++n) next_pairs(n, visit);
        ++row_;
    }

  private:
    struct At {
        std::size_t entry;
        std::array<std::uint32_t, n_buckets + 1> cursors;
    };

    template <class Visit>
    void next_pairs(std::size_t n, Visit& visit) {
        const PairEntries& pairs = piece_.pairs[n];
        At& at = at_[n];
        for (const std::size_t end = at.entry + pairs.sizes[row_]; at.entry < end; ++at.entry) {
            const std::uint8_t bucket = pairs.buckets[at.entry];
            const std::uint64_t key = pairs.keys[at.cursors[bucket]++];
            auto column = static_cast<std::uint32_t>(key);
            if (!placed_ && column != no_term) {
                const Level& level = levels_[n + 1];
                column = level.columns[level.bases[bucket] + column];
            }
            if (column != no_term)
                visit(column, static_cast<std::uint32_t>(key >> 32), pairs.counts[at.entry]);
        }
    }

    const Piece& piece_;
    const std::vector<Level>& levels_;
    const bool placed_;
    std::size_t row_ = 0, word_ = 0;
    std::vector<At> at_;
};

}  // namespace lindy
