// Counting terms of several words in pieces of the texts, level by level.
//
//   deal     the pairs (term of n − 1 words, last word) are dealt into 256 buckets by their first word.
//   number   bucket by bucket, so that all memory stays in the cache, equal pairs get one number.
#pragma once

#include "pieces.hpp"
#include "radix.hpp"
#include "threads.hpp"

namespace lindy {

// What every token of a piece begins: a term (as its number, or no_term), a word, and that word's bucket.
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

// What numbering the terms of one level has to know of the words and places.
struct LevelContext {
    std::size_t n;                                          // the level has the terms of n + 1 words
    const std::vector<std::vector<std::uint32_t>>& joined;  // as in WordNumbers
    const std::vector<std::uint32_t>& ranks;
    const std::vector<std::uint64_t>& first_places;  // of the pieces
    std::uint32_t low;                               // in how many documents a term must be at least
    bool sorted;  // whether the children of a term are to be in the order of the alphabet
};

// Numbers the pairs of buckets; one per thread.
class BucketNumberer {
  public:
    // Numbers the pairs of bucket b, in the order of their first places.
    void operator()(std::vector<Piece>& pieces, const LevelContext& level, std::size_t b) {
        std::size_t entries = 0;
        for (const Piece& piece : pieces) {
            const PairEntries& pairs = piece.pairs[level.n - 1];
            entries += pairs.starts[b + 1] - pairs.starts[b];
        }
        begin(entries);
        for (std::size_t p = 0; p < pieces.size(); ++p) {
            if (p + 1 < pieces.size()) prefetch(pieces[p + 1].pairs[level.n - 1], b);
            number(pieces[p], level, p, b);
        }
        seen_entries_ += entries, seen_terms_ += keys_.size();
        order_.clear();
        for (std::uint32_t t = 0; t < keys_.size(); ++t)
            if (documents_[t] >= level.low) order_.push({ranked(keys_[t], level), t});
        if (level.sorted) radix_sort(order_, other_, 0, std::bit_width(level.ranks.size()));
    }

    // Appends the frequent terms of the bucket numbered last to their level, and where they are to `kept`.
    void append_to(Level& level) const {
        const auto first = static_cast<std::uint32_t>(level.size());
        std::uint32_t* kept =
            level.kept.resize(level.kept.size() + keys_.size()) + level.kept.size() - keys_.size();
        std::fill_n(kept, keys_.size(), no_term);
        for (std::uint32_t i = 0; i < order_.size(); ++i) {
            const std::uint32_t t = order_[i].number;
            level.parents.push(order_[i].key);
            level.documents.push(documents_[t]);
            level.places.push(places_[t]);
            kept[t] = first + i;
        }
    }

  private:
    static constexpr std::uint32_t none = ~0u;
    struct Slot {
        std::uint64_t key;
        std::uint32_t number;  // or none
        std::uint32_t last;    // the last entry with this key that has a count, among those of the bucket
    };

    static void prefetch(const PairEntries& pairs, std::size_t b) {
        const PairEntry* first = pairs.entries.data() + pairs.starts[b];
        __builtin_prefetch(first);
        __builtin_prefetch(first + 6);
    }

    // Room for as many terms as the buckets before let expect.
    void begin(std::size_t entries) {
        keys_.clear(), documents_.clear(), places_.clear();
        const double share =
            seen_entries_ ? 1.25 * static_cast<double>(seen_terms_) / static_cast<double>(seen_entries_)
                          : 0.4;
        resize(std::bit_ceil(static_cast<std::size_t>(2 * share * static_cast<double>(entries)) + 64));
        entry_ = 0;
    }
    void resize(std::size_t capacity) {
        slots_.resize(capacity);
        mask_ = capacity - 1;
        for (Slot& slot : slots_) slot.number = none;
    }

    Slot& find(std::uint64_t key) {
        std::size_t i = fold_multiply(key ^ hash_key_.a, hash_key_.b) & mask_;
        while (slots_[i].number != none && slots_[i].key != key) i = (i + 1) & mask_;
        return slots_[i];
    }

    [[gnu::noinline]] void grow() {
        slots_.swap(moved_);
        resize(2 * moved_.size());
        for (const Slot& slot : moved_)
            if (slot.number != none) find(slot.key) = slot;
    }

    // Numbers the entries of one piece.
    void number(Piece& piece, const LevelContext& level, std::size_t p, std::size_t b) {
        PairEntries& pairs = piece.pairs[level.n - 1];
        PairEntry* const first = pairs.entries.data() + pairs.starts[b];
        const std::uint32_t size = pairs.starts[b + 1] - pairs.starts[b], begin = entry_;
        const std::uint32_t* joined = level.joined.empty() ? nullptr : level.joined[piece.worker].data();
        const std::uint32_t* parents = level.n == 1 ? joined : nullptr;
        const int row_shift = piece.row_shift();
        for (std::uint32_t i = 0; i < size; ++i) {
            PairEntry& entry = first[i];
            const std::uint64_t parent = parents ? parents[entry.parent] : entry.parent;
            const std::uint64_t key = parent << 32 | (joined ? joined[entry.word] : entry.word);
            Slot& slot = find(key);
            entry.count = 1;
            if (slot.number == none) {
                slot.key = key, slot.number = static_cast<std::uint32_t>(keys_.size()), slot.last = begin + i;
                entry.term = slot.number;
                keys_.push(key);
                documents_.push(1);
                places_.push(place(piece, level, p, entry.where));
                if (2 * keys_.size() > mask_) [[unlikely]]
                    grow();
                continue;
            }
            entry.term = slot.number;
            if (slot.last >= begin &&
                std::uint64_t{first[slot.last - begin].where ^ entry.where} >> row_shift == 0) {
                ++first[slot.last - begin].count;
                entry.count = 0;
                continue;
            }
            slot.last = begin + i;
            ++documents_[slot.number];
        }
        entry_ += size;
    }

    // Where in all texts the term of an entry stands.
    static std::uint32_t place(const Piece& piece, const LevelContext& level, std::size_t p,
                               std::uint32_t where) {
        const std::uint32_t row = piece.row_of(where);
        return static_cast<std::uint32_t>(level.first_places[p]) + piece.pair_places[row] +
               static_cast<std::uint32_t>(level.n - 1) * piece.lengths[row] + piece.token_of(where);
    }

    // A key with the words' final numbers; a frequent term has only frequent words.
    static std::uint64_t ranked(std::uint64_t key, const LevelContext& level) {
        const std::uint64_t parent = level.n == 1 ? level.ranks[key >> 32] : key >> 32;
        return parent << 32 | level.ranks[static_cast<std::uint32_t>(key)];
    }

    const HashKey hash_key_ = HashKey::get();
    Buffer<Slot> slots_, moved_;
    std::size_t mask_ = 0;
    std::uint32_t entry_ = 0;  // entries of the bucket so far
    std::uint64_t seen_entries_ = 0, seen_terms_ = 0;
    Buffer<std::uint64_t> keys_;
    Buffer<std::uint32_t> documents_, places_;
    Buffer<Numbered> order_, other_;
};

// Counts level n of all pieces; the level below has been numbered.
inline Level number_level(std::vector<Piece>& pieces, const LevelContext& context, int n_threads) {
    Level level;
    in_turns(n_buckets, n_threads, [&](Turns& turns) {
        BucketNumberer number;
        for (std::size_t b; turns.take(b);) {
            number(pieces, context, b);
            if (!turns.wait(b)) return;
            number.append_to(level);
            level.bases[b + 1] = static_cast<std::uint32_t>(level.kept.size());
            turns.done(b);
        }
    });
    return level;
}

// Notes which term of the level begins at each token of a piece.
inline void note_terms(Piece& piece, const PairEntries& pairs, const Level& level) {
    piece.terms.resize(piece.tokens.size());
    std::fill(piece.terms.begin(), piece.terms.end(), no_term);
    for (std::size_t b = 0; b < n_buckets; ++b)
        for (std::size_t i = pairs.starts[b]; i < pairs.starts[b + 1]; ++i) {
            const PairEntry& entry = pairs.entries[i];
            piece.terms[piece.token_of(entry.where)] = level.kept[level.bases[b] + entry.term];
        }
}

// Replaces the numbers of terms in the entries of level n by other ones, which are given in the order of
// Level::kept; what becomes no_term gets the count 0. Bucket by bucket, so that these stay in the cache.
inline void renumber_entries(std::vector<Piece>& pieces, std::size_t n, const Level& level,
                             const Buffer<std::uint32_t>& numbers, int n_threads) {
    parallel_chunks(n_buckets, n_threads, [&](std::int64_t chunk) {
        const auto b = static_cast<std::size_t>(chunk);
        const std::uint32_t* number = numbers.data() + level.bases[b];
        for (Piece& piece : pieces) {
            PairEntries& pairs = piece.pairs[n - 1];
            for (std::size_t i = pairs.starts[b]; i < pairs.starts[b + 1]; ++i) {
                PairEntry& entry = pairs.entries[i];
                entry.term = number[entry.term];
                entry.count = entry.term == no_term ? 0 : entry.count;
            }
        }
    });
}

}  // namespace lindy
