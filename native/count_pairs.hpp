// Counting terms of several words in pieces of the texts, level by level.
//
//   deal     the pairs (term of n − 1 words, last word) are counted within their document and dealt into 256
//            buckets by their first word, so that every bucket is a stretch of the alphabet.
//   number   bucket by bucket, so that all memory stays in the cache, equal pairs get one number.
#pragma once

#include "pieces.hpp"
#include "radix.hpp"
#include "threads.hpp"

namespace lindy {

// Deals the pairs of pieces; one per thread. Level n has the terms of n + 1 words.
class PairDealer {
  public:
    // bucket_of has the bucket of each word; the piece's tokens are numbers of words, or no_term.
    void operator()(Piece& piece, std::size_t n, std::size_t n_levels, const std::vector<Level>& levels,
                    const Buffer<std::uint8_t>& bucket_of) {
        keys_.clear(), places_.clear(), counts_.clear(), buckets_.clear(), sizes_.clear();
        const bool last_level = n + 1 == n_levels;
        if (n > 1) read_terms(piece.pairs[n - 2], levels[n - 1]);
        if (n == 1 && !last_level) piece.entry_of_token = Buffer<std::uint32_t>(piece.tokens.size());
        std::uint32_t token = 0;
        for (std::size_t row = 0; row < piece.n_rows; ++row) {
            const std::uint32_t length = piece.lengths[row];
            const std::size_t before = keys_.size();
            if (length > n) {
                const std::uint32_t place =
                    piece.pair_places[row] + static_cast<std::uint32_t>(n - 1) * length;
                deal_document(piece, n, token, length, place, last_level, bucket_of);
            }
            sizes_.push(static_cast<std::uint32_t>(keys_.size() - before));
            token += length;
        }
        piece.pairs.push_back(finish());
        if (last_level)
            piece.tokens = {}, piece.entry_of_token = {}, piece.lengths = {}, piece.pair_places = {};
    }

  private:
    void deal_document(Piece& piece, std::size_t n, std::uint32_t token, std::uint32_t length,
                       std::uint32_t place, bool last_level, const Buffer<std::uint8_t>& bucket_of) {
        const std::size_t before = keys_.size();
        const std::uint32_t* words = piece.tokens.data() + token;
        std::uint32_t* entries = last_level ? nullptr : piece.entry_of_token.data() + token;
        table_.begin(length - n);
        for (std::uint32_t i = 0; i + n < length; ++i) {
            const std::uint32_t parent = n == 1 ? words[i] : entry_term(piece.entry_of_token[token + i]);
            const std::uint32_t last = words[i + n];
            if (parent == no_term || last == no_term) {
                if (entries) entries[i] = no_term;
                continue;
            }
            const std::uint64_t key = static_cast<std::uint64_t>(parent) << 32 | last;
            const auto [number, is_new] = table_.number(key);
            if (is_new) {
                keys_.push(key);
                places_.push(place + i);
                buckets_.push(bucket_of[words[i]]);
                counts_.push(1);
            } else {
                ++counts_[before + number];
            }
            if (entries) entries[i] = static_cast<std::uint32_t>(before + number);
        }
        for (std::size_t i = length - n; entries && i < length; ++i) entries[i] = no_term;
    }

    std::uint32_t entry_term(std::uint32_t entry) const { return entry == no_term ? no_term : terms_[entry]; }

    // The numbered terms of the level below, in the order of the texts.
    void read_terms(const PairEntries& below, const Level& level) {
        auto cursors = below.starts;
        terms_.resize(below.buckets.size());
        for (std::size_t i = 0; i < terms_.size(); ++i) {
            const std::uint8_t bucket = below.buckets[i];
            const auto number = static_cast<std::uint32_t>(below.keys[cursors[bucket]++]);
            terms_[i] = number == no_term ? no_term : level.bases[bucket] + number;
        }
    }

    // Arrays of just the right size, keys and places by bucket.
    PairEntries finish() const {
        PairEntries pairs;
        pairs.sizes = {sizes_.data(), sizes_.size()};
        pairs.counts = {counts_.data(), counts_.size()};
        pairs.buckets = {buckets_.data(), buckets_.size()};
        pairs.keys = Buffer<std::uint64_t>(keys_.size());
        pairs.places = Buffer<std::uint32_t>(keys_.size());
        for (const std::uint8_t bucket : buckets_) ++pairs.starts[bucket + 1u];
        for (std::size_t b = 0; b < n_buckets; ++b) pairs.starts[b + 1] += pairs.starts[b];
        auto cursors = pairs.starts;
        for (std::size_t i = 0; i < keys_.size(); ++i) {
            const std::uint32_t to = cursors[buckets_[i]]++;
            pairs.keys[to] = keys_[i];
            pairs.places[to] = places_[i];
        }
        return pairs;
    }

    KeyTable table_;
    Buffer<std::uint64_t> keys_;
    Buffer<std::uint32_t> places_, counts_, sizes_, terms_;
    Buffer<std::uint8_t> buckets_;
};

// The terms of one bucket of one level.
struct Bucket {
    Buffer<std::uint64_t> keys;
    Buffer<std::uint32_t> documents, places;
};

// Numbers the pairs of buckets; one per thread.
class BucketNumberer {
  public:
    // Numbers the pairs of bucket b that occur in at least `low` documents, sorted by key if that is wanted;
    // entries get their term's number and first place. first_places has the first place of each piece.
    Bucket operator()(std::vector<Piece>& pieces, const std::vector<std::uint64_t>& first_places,
                      std::size_t n, std::size_t b, std::uint32_t low, bool sorted) {
        std::size_t entries = 0;
        for (const Piece& piece : pieces)
            entries += piece.pairs[n - 1].starts[b + 1] - piece.pairs[n - 1].starts[b];
        table_.begin(entries / 4);  // most terms occur several times
        keys_.clear(), documents_.clear(), places_.clear();
        for (std::size_t p = 0; p < pieces.size(); ++p) {
            PairEntries& pairs = pieces[p].pairs[n - 1];
            for (std::size_t i = pairs.starts[b]; i < pairs.starts[b + 1]; ++i) {
                const std::uint64_t key = pairs.keys[i];
                const auto [number, is_new] = table_.number(key);
                if (is_new) {
                    keys_.push(key);
                    documents_.push(0);
                    places_.push(static_cast<std::uint32_t>(first_places[p] + pairs.places[i]));
                }
                ++documents_[number];
                pairs.keys[i] = number;
            }
        }
        Bucket bucket = keep(low, sorted);
        for (Piece& piece : pieces) {
            PairEntries& pairs = piece.pairs[n - 1];
            for (std::size_t i = pairs.starts[b]; i < pairs.starts[b + 1]; ++i)
                pairs.keys[i] = numbered_[pairs.keys[i]];
        }
        return bucket;
    }

  private:
    // The frequent terms with their final numbers; numbered_ has what the entries of each term become.
    Bucket keep(std::uint32_t low, bool sorted) {
        order_.clear();
        for (std::uint32_t t = 0; t < keys_.size(); ++t)
            if (documents_[t] >= low) order_.push({keys_[t], t});
        if (sorted) radix_sort(order_, other_);
        Bucket bucket{Buffer<std::uint64_t>(order_.size()), Buffer<std::uint32_t>(order_.size()),
                      Buffer<std::uint32_t>(order_.size())};
        numbered_.resize(keys_.size());
        std::fill(numbered_.begin(), numbered_.end(), std::uint64_t{no_term});
        for (std::uint32_t i = 0; i < order_.size(); ++i) {
            const std::uint32_t t = order_[i].number;
            bucket.keys[i] = order_[i].key;
            bucket.documents[i] = documents_[t];
            bucket.places[i] = places_[t];
            numbered_[t] = static_cast<std::uint64_t>(places_[t]) << 32 | i;
        }
        return bucket;
    }

    KeyTable table_;
    Buffer<std::uint64_t> keys_, numbered_;
    Buffer<std::uint32_t> documents_, places_;
    Buffer<Numbered> order_, other_;
};

// Counts level n of all pieces; the level below has been numbered.
inline Level number_level(std::vector<Piece>& pieces, const std::vector<std::uint64_t>& first_places,
                          std::size_t n, std::uint32_t low, bool sorted, int n_threads) {
    std::array<Bucket, n_buckets> buckets;
    parallel_chunks(n_buckets, n_threads, [&](std::int64_t b) {
        thread_local BucketNumberer own;
        BucketNumberer& number = own;
        const auto bucket = static_cast<std::size_t>(b);
        buckets[bucket] = number(pieces, first_places, n, bucket, low, sorted);
    });
    Level level;
    for (std::size_t b = 0; b < n_buckets; ++b)
        level.bases[b + 1] = level.bases[b] + static_cast<std::uint32_t>(buckets[b].keys.size());
    level.parents = Buffer<std::uint64_t>(level.bases[n_buckets]);
    level.documents = Buffer<std::uint32_t>(level.bases[n_buckets]);
    level.places = Buffer<std::uint32_t>(level.bases[n_buckets]);
    parallel_chunks(n_buckets, n_threads, [&](std::int64_t b) {
        Bucket& bucket = buckets[static_cast<std::size_t>(b)];
        const std::uint32_t base = level.bases[static_cast<std::size_t>(b)];
        std::copy(bucket.keys.begin(), bucket.keys.end(), level.parents.data() + base);
        std::copy(bucket.documents.begin(), bucket.documents.end(), level.documents.data() + base);
        std::copy(bucket.places.begin(), bucket.places.end(), level.places.data() + base);
        bucket = {};
    });
    return level;
}

// Replaces the numbers of pairs by their columns, bucket by bucket, so that a bucket's columns stay in the
// cache.
inline void place_columns(std::vector<Piece>& pieces, const std::vector<Level>& levels, int n_threads) {
    if (levels.size() < 2) return;
    parallel_chunks(n_buckets, n_threads, [&](std::int64_t b) {
        const auto bucket = static_cast<std::size_t>(b);
        for (std::size_t n = 1; n < levels.size(); ++n) {
            const std::uint32_t* columns = levels[n].columns.data() + levels[n].bases[bucket];
            for (Piece& piece : pieces) {
                PairEntries& pairs = piece.pairs[n - 1];
                for (std::size_t i = pairs.starts[bucket]; i < pairs.starts[bucket + 1]; ++i) {
                    const auto number = static_cast<std::uint32_t>(pairs.keys[i]);
                    const std::uint32_t column = number == no_term ? no_term : columns[number];
                    pairs.keys[i] = pairs.keys[i] >> 32 << 32 | column;
                }
            }
        }
    });
}

}  // namespace lindy
