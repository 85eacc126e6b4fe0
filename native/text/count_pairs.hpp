// Counting terms of several words in pieces of the texts, level by level.
//
//   deal     the pairs (term of n − 1 words, last word) are dealt into 256 buckets by their first word.
//   count    bucket by bucket, so that all memory stays in the cache, equal pairs become one term.
#pragma once

#include <atomic>

#include "core/radix.hpp"
#include "core/threads.hpp"
#include "text/count_entries.hpp"
#include "text/merge_vocabularies.hpp"

namespace lindy {

// What every token of a piece begins: a term (as in PairEntry, or no_term), a word, and that word's bucket.
struct Tokens {
    const std::uint32_t* terms;
    const std::uint32_t* words;
    const std::uint8_t* buckets;
};

// Deals the terms of n + 1 words of a piece.
inline PairEntries deal_pairs(const Piece& piece, std::size_t n, const Tokens& tokens) {
    PairEntries pairs;
    const auto each = [&](auto visit) {
        std::size_t begin = 0;
        for (std::size_t row = 0; row < piece.n_rows; ++row) {
            const std::size_t length = piece.lengths[row];
            for (std::size_t t = begin; t + n < begin + length; ++t)
                if (tokens.terms[t] != no_term) visit(row, t);
            begin += length;
        }
    };
    each([&](std::size_t, std::size_t t) { ++pairs.starts[tokens.buckets[t] + 1u]; });
    for (std::size_t b = 0; b < n_buckets; ++b) pairs.starts[b + 1] += pairs.starts[b];
    pairs.entries = Buffer<PairEntry>(pairs.starts[n_buckets]);
    auto cursors = pairs.starts;
    each([&](std::size_t row, std::size_t t) {
        PairEntry& entry = pairs.entries[cursors[tokens.buckets[t]]++];
        entry.parent = tokens.terms[t], entry.word = tokens.words[t + n], entry.where = piece.where(row, t);
    });
    return pairs;
}

// What counting the terms of one level has to know.
struct LevelContext {
    std::size_t n;  // the level has the terms of n + 1 words
    const WordNumbers& words;
    std::size_t n_words;
    const PlaceNumbers* below;                       // of the level below by place, if that is not the words
    const std::vector<std::uint64_t>& first_places;  // of the pieces
    const Frequent& least;
    bool sorted;  // whether the children of a term are to be in the order of the alphabet
};

// The entries of a level as its buckets are counted: bucket by bucket, and of each all pieces. What is asked
// of a piece lies side by side with what is asked of the next, because a bucket has few entries in each.
class LevelEntries {
  public:
    // What the entries of a piece have in common.
    struct InPiece {
        PairEntry* entries;
        const std::uint32_t* words;  // the numbers of its worker's words
        const std::uint32_t*
            places;  // per document: a term's first place in all texts, less its token's number
        int row_shift;
    };
    struct Span {
        PairEntry* first;
        std::uint32_t size;
    };

    LevelEntries(std::vector<Piece>& pieces, const LevelContext& level)
        : n_pieces_(pieces.size()), pieces_(n_pieces_), starts_((n_buckets + 1) * n_pieces_) {
        std::size_t n_rows = 0;
        for (const Piece& piece : pieces) n_rows += piece.n_rows;
        places_ = Buffer<std::uint32_t>(n_rows);
        std::uint32_t* places = places_.data();
        for (std::size_t p = 0; p < n_pieces_; ++p) {
            Piece& piece = pieces[p];
            PairEntries& pairs = piece.pairs[level.n - 1];
            pieces_[p] = {pairs.entries.data(), level.words.of_worker[piece.worker].data(), places,
                          piece.row_shift()};
            for (std::size_t b = 0; b <= n_buckets; ++b) starts_[b * n_pieces_ + p] = pairs.starts[b];
            for (std::size_t row = 0; row < piece.n_rows; ++row)
                *places++ = static_cast<std::uint32_t>(level.first_places[p]) + piece.pair_places[row] +
                            static_cast<std::uint32_t>(level.n - 1) * piece.lengths[row];
        }
    }

    std::size_t n_pieces() const { return n_pieces_; }
    const InPiece& piece(std::size_t p) const { return pieces_[p]; }
    // The entries of bucket b in piece p, and how many the bucket has in all.
    Span span(std::size_t b, std::size_t p) const {
        const std::uint32_t begin = starts_[b * n_pieces_ + p];
        return {pieces_[p].entries + begin, starts_[(b + 1) * n_pieces_ + p] - begin};
    }
    std::size_t size(std::size_t b) const {
        std::size_t size = 0;
        for (std::size_t p = 0; p < n_pieces_; ++p) size += span(b, p).size;
        return size;
    }

  private:
    std::size_t n_pieces_;
    std::vector<InPiece> pieces_;
    Buffer<std::uint32_t> starts_, places_;
};

// Counts the pairs of buckets; one per thread.
class BucketCounter {
  public:
    // Counts the pairs of bucket b, which has so many entries; returns how many terms are frequent.
    std::size_t count(const LevelEntries& all, const LevelContext& level, std::size_t b,
                      std::size_t entries) {
        begin(entries);
        for (std::size_t p = 0; p < all.n_pieces(); ++p) {
            if (p + ahead < all.n_pieces()) prefetch(all.span(b, p + ahead));
            count(all.span(b, p), all.piece(p), level);
        }
        seen_entries_ += entries, seen_terms_ += terms_.size();
        order_.clear();
        for (std::uint32_t t = 0; t < terms_.size(); ++t)
            if (frequent(t, level.least)) order_.push({numbered(terms_[t].key, level), t});
        if (level.sorted) radix_sort(order_, other_, 0, std::bit_width(level.n_words));
        return order_.size();
    }

    // Writes the frequent terms of the bucket counted last into their level, from number `first` on.
    void write(Level& level, std::size_t first) const {
        for (std::size_t i = 0; i < order_.size(); ++i) {
            const Term& term = terms_[order_[i].number];
            level.parents[first + i] = order_[i].key;
            level.documents[first + i] = term.documents;
            level.places[first + i] = term.place;
        }
    }

  private:
    static constexpr std::uint32_t none = ~0u;
    struct Slot {
        std::uint64_t key;
        std::uint32_t term;  // or none
        std::uint32_t last;  // the last entry with this key that has a count, among those of the bucket
    };
    struct Term {
        std::uint64_t key;
        std::uint32_t documents, place;
    };

    static constexpr std::size_t ahead = 2;  // how many pieces early entries are fetched
    static void prefetch(LevelEntries::Span span) {
        constexpr std::uint32_t line = 64, most = 16;  // the processor itself fetches what follows
        const auto* first = reinterpret_cast<const char*>(span.first);
        const std::uint32_t bytes = span.size * static_cast<std::uint32_t>(sizeof(PairEntry));
        for (std::uint32_t at = 0; at < bytes && at < most * line; at += line)
            __builtin_prefetch(first + at, 1);
    }

    bool frequent(std::uint32_t t, const Frequent& least) const {
        const std::uint32_t documents = terms_[t].documents;
        if (documents < least.documents) return false;
        return !least.by_occurrences() || std::uint64_t{documents} + repeats_[t] >= least.occurrences;
    }

    // Room for as many terms as the buckets before let expect.
    void begin(std::size_t entries) {
        terms_.clear(), repeats_.clear();
        const double share =
            seen_entries_ ? 1.25 * static_cast<double>(seen_terms_) / static_cast<double>(seen_entries_)
                          : 0.4;
        resize(std::bit_ceil(static_cast<std::size_t>(2 * share * static_cast<double>(entries)) + 64));
        entry_ = 0;
    }
    void resize(std::size_t capacity) {
        slots_.resize(capacity);
        mask_ = capacity - 1;
        for (Slot& slot : slots_) slot.term = none;
    }

    std::size_t index(std::uint64_t key) const {
        return fold_multiply(key ^ hash_key_.a, hash_key_.b) & mask_;
    }
    Slot& find(std::uint64_t key) {
        std::size_t i = index(key);
        while (slots_[i].term != none && slots_[i].key != key) i = (i + 1) & mask_;
        return slots_[i];
    }

    [[gnu::noinline]] void grow() {
        slots_.swap(moved_);
        resize(2 * moved_.size());
        for (const Slot& slot : moved_)
            if (slot.term != none) find(slot.key) = slot;
    }

    // Counts the entries of one piece.
    void count(LevelEntries::Span span, const LevelEntries::InPiece& piece, const LevelContext& level) {
        PairEntry* const first = span.first;
        const std::uint32_t size = span.size, begin = entry_;
        const std::uint32_t* words = piece.words;
        const bool of_words = level.n == 1, repeats = level.least.by_occurrences();
        const int row_shift = piece.row_shift;
        const auto place = [&](std::uint32_t where) {
            const std::uint64_t row = std::uint64_t{where} >> row_shift;
            return piece.places[row] + static_cast<std::uint32_t>(where - (row << row_shift));
        };
        // all slots are prefetched first, so that their cache misses overlap
        for (std::uint32_t i = 0; i < size; ++i) {
            PairEntry& entry = first[i];
            entry.parent = of_words ? words[entry.parent] : entry.parent;
            entry.word = words[entry.word];
            __builtin_prefetch(&slots_[index(entry.key())], 1);
        }
        for (std::uint32_t i = 0; i < size; ++i) {
            PairEntry& entry = first[i];
            if (entry.parent == no_term || entry.word == no_term) [[unlikely]] {
                entry.place = place(entry.where), entry.count = 0;
                continue;
            }
            const std::uint64_t key = entry.key();
            Slot& slot = find(key);
            entry.count = 1;
            if (slot.term == none) {
                slot.key = key, slot.term = static_cast<std::uint32_t>(terms_.size()), slot.last = begin + i;
                entry.place = place(entry.where);
                Term& term = terms_.next();
                term.key = key, term.documents = 1, term.place = entry.place;
                if (repeats) repeats_.push(0);
                if (2 * terms_.size() > mask_) [[unlikely]]
                    grow();
                continue;
            }
            Term& term = terms_[slot.term];
            entry.place = term.place;
            if (slot.last >= begin &&
                std::uint64_t{first[slot.last - begin].where ^ entry.where} >> row_shift == 0) {
                ++first[slot.last - begin].count;
                entry.count = 0;
                if (repeats) ++repeats_[slot.term];
                continue;
            }
            slot.last = begin + i;
            ++term.documents;
        }
        entry_ += size;
    }

    // A key with the parent's number instead of its place.
    static std::uint64_t numbered(std::uint64_t key, const LevelContext& level) {
        if (!level.below) return key;
        const std::uint64_t parent = (*level.below)(static_cast<std::uint32_t>(key >> 32));
        return parent << 32 | static_cast<std::uint32_t>(key);
    }

    const HashKey hash_key_ = HashKey::get();
    Buffer<Slot> slots_, moved_;
    std::size_t mask_ = 0;
    std::uint32_t entry_ = 0;  // entries of the bucket so far
    std::uint64_t seen_entries_ = 0, seen_terms_ = 0;
    Buffer<Term> terms_;             // in the order of their first places
    Buffer<std::uint32_t> repeats_;  // of each, beyond the first in a document; only if they decide
    Buffer<Numbered> order_, other_;
};

// Counts level n of all pieces; the level below has been numbered. Which numbers its terms get depends on the
// threads, the order of the children of a term does not.
inline Level count_level(std::vector<Piece>& pieces, const LevelContext& context, int n_threads) {
    const LevelEntries all(pieces, context);
    std::array<std::size_t, n_buckets> entries, buckets;
    for (std::size_t b = 0; b < n_buckets; ++b) entries[b] = all.size(b);
    std::iota(buckets.begin(), buckets.end(), 0);
    std::sort(buckets.begin(), buckets.end(),  // the largest first, so that threads end together
              [&](std::size_t a, std::size_t b) { return entries[a] > entries[b]; });
    Level level;
    level.resize(std::reduce(entries.begin(), entries.end()));  // at most; what is not written costs nothing
    std::atomic<std::size_t> n_terms{0};
    parallel_workers(n_buckets, n_threads, [&](auto take) {
        BucketCounter counter;
        for (std::int64_t chunk; take(chunk);) {
            const std::size_t b = buckets[static_cast<std::size_t>(chunk)];
            const std::size_t n = counter.count(all, context, b, entries[b]);
            counter.write(level, n_terms.fetch_add(n));
        }
    });
    level.resize(n_terms);
    return level;
}

// Notes which term of the level begins at each token of a piece.
inline void note_terms(Piece& piece, const PairEntries& pairs, const PlaceRanks& level) {
    piece.terms.resize(piece.tokens.size());
    std::fill(piece.terms.begin(), piece.terms.end(), no_term);
    for (const PairEntry& entry : pairs.entries)
        if (level.has(entry.place)) piece.terms[piece.token_of(entry.where)] = entry.place;
}

}  // namespace lindy
