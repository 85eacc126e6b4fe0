// The counted entries of a piece of the texts.
//
// A place is where a term stands in the texts, such that places are in the order of scikit-learn's analysis:
// document by document, all single words (and their shapes), then all pairs, then all triples.
#pragma once

#include <array>

#include "text/analyze.hpp"
#include "text/vocabulary.hpp"

namespace lindy {

// Counts in one byte each, nearly always; the few larger ones lie apart, in the same order.
class SmallCounts {
  public:
    SmallCounts() = default;
    explicit SmallCounts(const Buffer<std::uint32_t>& counts) : bytes_(counts.size()) {
        for (std::size_t i = 0; i < counts.size(); ++i) {
            bytes_[i] = static_cast<std::uint8_t>(std::min(counts[i], large));
            largest_ = std::max(largest_, counts[i]);
            if (counts[i] >= large) [[unlikely]]
                large_.push(counts[i]);
        }
    }

    std::uint32_t largest() const { return largest_; }

    // Reads the counts one by one.
    class Cursor {
      public:
        explicit Cursor(const SmallCounts& counts)
            : byte_(counts.bytes_.data()), large_(counts.large_.data()) {}
        std::uint32_t next() {
            const std::uint32_t count = *byte_++;
            return count < large ? count : *large_++;
        }

      private:
        const std::uint8_t* byte_;
        const std::uint32_t* large_;
    };

  private:
    static constexpr std::uint32_t large = 255;
    Buffer<std::uint8_t> bytes_;
    Buffer<std::uint32_t> large_;
    std::uint32_t largest_ = 0;
};

// Terms of one word (or character n-grams): one entry per document that has the term.
struct WordEntries {
    Buffer<std::uint32_t> sizes;  // entries per document
    Buffer<std::uint32_t> terms;  // the worker's own numbers
    SmallCounts counts;
};

// A token and the n words after it, which is a term: the term without its last word, and that word. When
// terms have been counted: the term's first place in all texts, and how often the document has it, which is 0
// in all entries of the document but the first. An entry of a term that is too rare may have a place of its
// own.
struct PairEntry {
    union {
        std::uint32_t parent, place;  // of a word its worker's number, of a longer term its first place
    };
    union {
        std::uint32_t word, count;
    };
    std::uint32_t where;  // row and token in the piece

    std::uint64_t key() const { return std::uint64_t{parent} << 32 | word; }
};

// Terms of several words, by the bucket of their first word.
struct PairEntries {
    Buffer<PairEntry> entries;
    std::array<std::uint32_t, n_buckets + 1> starts{};
};

struct Piece {
    static constexpr std::size_t max_rows = 256;
    static constexpr int row_shift_of_many = 24;

    std::size_t worker = 0;
    std::size_t first_row = 0, n_rows = 0;
    std::uint64_t n_places = 0;
    std::uint32_t longest = 0;  // most words (or n-grams) in a document
    WordEntries words;
    std::vector<PairEntries> pairs;  // of two words, of three …
    Buffer<std::uint32_t> lengths;   // words per document, if pairs are wanted
    Buffer<std::uint32_t>
        pair_places;               // per document: a pair's place, less the number of its token (modulo 2³²)
    Buffer<std::uint32_t> tokens;  // all words in the order of the texts, if more than pairs are wanted
    Buffer<std::uint8_t> buckets;  // … and the bucket of each
    Buffer<std::uint32_t> terms;   // … and the longest term so far that begins there, as its first place

    // Row and token in one number: a document too long for that is a piece of its own.
    int row_shift() const { return n_rows > 1 ? row_shift_of_many : 32; }
    std::uint32_t row_of(std::uint32_t where) const {
        return static_cast<std::uint32_t>(std::uint64_t{where} >> row_shift());
    }
    std::uint32_t token_of(std::uint32_t where) const {
        return where & static_cast<std::uint32_t>((std::uint64_t{1} << row_shift()) - 1);
    }
    std::uint32_t where(std::size_t row, std::size_t token) const {
        return static_cast<std::uint32_t>(static_cast<std::uint64_t>(row) << row_shift() | token);
    }
};

// What one thread knows and reuses: a dictionary, and the way from documents to entries.
class Worker {
  public:
    virtual ~Worker() = default;
    // Leaves a word out; 16 bytes at `padded` can be read.
    virtual void stop(const unsigned char* padded, std::size_t size) = 0;
    virtual void read(const Document* documents, Piece& piece, std::uint32_t piece_number) = 0;
    virtual const Strings& words() const = 0;
    // The number of documents with each word. Gives back what only reading needs: nothing can be read any
    // more.
    virtual std::vector<std::uint32_t> finish() = 0;
    // The piece that first had a word, and the place in it.
    const std::vector<std::uint32_t>& first_piece() const { return first_piece_; }
    const Buffer<std::uint32_t>& first_place() const { return first_place_; }

  protected:
    // Copies of the size they have; what has grown stays for the next piece.
    static WordEntries copied(const Buffer<std::uint32_t>& sizes, const Buffer<std::uint32_t>& terms,
                              const Buffer<std::uint32_t>& counts) {
        return {{sizes.data(), sizes.size()}, {terms.data(), terms.size()}, SmallCounts(counts)};
    }

    std::vector<std::uint32_t> first_piece_;
    Buffer<std::uint32_t> first_place_;
};

}  // namespace lindy
