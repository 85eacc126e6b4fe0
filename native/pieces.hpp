// The counted entries of a piece of the texts.
#pragma once

#include <array>

#include "analyze.hpp"
#include "rows.hpp"
#include "vocabulary.hpp"

namespace lindy {

inline constexpr std::size_t n_buckets = 256;

// The entries of one level in one piece of the texts: a term and its count in a document.
struct PieceLevel {
    Buffer<std::uint32_t> sizes;  // entries per document
    Buffer<std::uint32_t> terms;  // level 1: the thread's own numbers, until `number` replaces them
    Buffer<std::uint32_t> counts;
    Buffer<std::uint32_t>
        pairs;  // by bucket: a word, or an entry of the level below in this piece; then the last word
    Buffer<std::uint8_t> buckets;
    std::array<std::uint32_t, n_buckets + 1> starts{};
};

struct Piece {
    std::size_t worker = 0;
    std::size_t first_row = 0, n_rows = 0;
    bool huge = false;  // some document may have counts beyond RowSorter::max_count
    std::vector<PieceLevel> levels;
};

// What one thread knows and reuses: a dictionary, and the way from documents to entries.
class Worker {
  public:
    virtual ~Worker() = default;
    // Leaves a word out; 16 bytes at `padded` can be read.
    virtual void stop(const unsigned char* padded, std::size_t size) = 0;
    virtual void read(const Document* documents, Piece& piece, std::uint32_t piece_number) = 0;
    virtual const Strings& words() const = 0;
    virtual std::vector<std::uint32_t> documents_with() const = 0;  // each word
    const std::vector<std::uint32_t>& first_piece() const { return first_piece_; }

  protected:
    std::vector<std::uint32_t> first_piece_;
};

}  // namespace lindy
