// Counting words and word n-grams in pieces of the texts.
#pragma once

#include "pieces.hpp"
#include "shapes.hpp"

namespace lindy {

// Words, and terms of several words as pairs.
class WordWorker final : public Worker {
  public:
    explicit WordWorker(const TextOptions& options)
        : splitter_(options),
          shapes_(options),
          max_n_(options.max_n),
          levels_(static_cast<std::size_t>(options.max_n)) {}

    void stop(const unsigned char* padded, std::size_t size) override {
        const Key key = make_key(padded, size, HashKey::get());
        words_.slot(padded, size, key, key.hash(HashKey::get())).position = stopped;
        first_piece_.resize(words_.size(), no_term);
    }

    void read(const Document* documents, Piece& piece, std::uint32_t piece_number) override {
        for (Scratch& level : levels_) level.clear();
        for (std::size_t i = 0; i < piece.n_rows; ++i) {
            const std::uint32_t row = static_cast<std::uint32_t>(piece.first_row + i);
            std::size_t tokens = 0;
            read_document(row, [&] { tokens = read_words(documents[i], row); });
            for (std::size_t n = 1; n < levels_.size(); ++n) read_pairs(n, tokens);
            piece.huge |= std::max(tokens, documents[i].size) > RowSorter::max_count;
        }
        first_piece_.resize(words_.size(), piece_number);
        for (Scratch& level : levels_) piece.levels.push_back(level.finish());
    }

    const Strings& words() const override { return words_.strings(); }
    std::vector<std::uint32_t> documents_with() const override {
        std::vector<std::uint32_t> documents(words_.size(), 0);
        words_.for_each([&](const Dictionary::Slot& slot) { documents[slot.id] = slot.documents; });
        return documents;
    }

  private:
    static constexpr std::uint32_t stopped = ~0u;
    static constexpr std::size_t ahead = 12;  // how early a word's slot is fetched

    struct Token {
        Key key;
        std::uint64_t hash;
        const unsigned char* data;
        std::size_t size;
    };

    struct Pair {
        std::uint32_t parent, last;
    };
    struct Scratch {
        Buffer<std::uint32_t> sizes, terms, counts;
        Buffer<Pair> pairs;
        Buffer<std::uint8_t> buckets;

        void clear() { sizes.clear(), terms.clear(), counts.clear(), pairs.clear(), buckets.clear(); }
        // Copies to arrays of just the right size; deals pairs into their buckets.
        PieceLevel finish() const {
            PieceLevel level;
            level.sizes = Buffer<std::uint32_t>(sizes.data(), sizes.size());
            level.counts = Buffer<std::uint32_t>(counts.data(), counts.size());
            level.terms = Buffer<std::uint32_t>(terms.data(), terms.size());
            level.buckets = Buffer<std::uint8_t>(buckets.data(), buckets.size());
            level.pairs = Buffer<std::uint32_t>(2 * pairs.size());
            for (const std::uint8_t bucket : buckets) ++level.starts[bucket + 1u];
            for (std::size_t b = 0; b < n_buckets; ++b) level.starts[b + 1] += level.starts[b];
            auto cursor = level.starts;
            for (std::size_t i = 0; i < pairs.size(); ++i)
                std::memcpy(level.pairs.data() + 2 * cursor[buckets[i]]++, &pairs[i], sizeof(Pair));
            return level;
        }
    };

    // Counts a word of the document; false for stop words.
    [[gnu::always_inline]] bool count(Dictionary::Slot& slot, std::uint32_t row) {
        Scratch& level = levels_[0];
        if (slot.last_row == row) {
            ++level.counts[slot.position];
            return true;
        }
        if (slot.position == stopped) [[unlikely]]
            return false;
        slot.last_row = row;
        slot.position = static_cast<std::uint32_t>(level.terms.size());
        ++slot.documents;
        level.terms.push(slot.id);
        level.counts.push(1);
        return true;
    }

    std::size_t read_words(const Document& document, std::uint32_t row) {
        Scratch& level = levels_[0];
        const HashKey& hash_key = HashKey::get();
        const std::size_t before = level.terms.size();
        std::size_t tokens = 0;
        parents_.clear(), hashes_.clear(), ids_.clear(), tokens_.clear();
        splitter_.fold(document);
        splitter_.each([&](const unsigned char* data, std::size_t size) {
            const Key key = make_key(data, size, hash_key);
            Token& token = tokens_.next();
            token.key.low = key.low, token.key.high = key.high, token.hash = key.hash(hash_key);
            token.data = data, token.size = size;
        });
        for (std::size_t t = 0; t < tokens_.size(); ++t) {
            if (t + ahead < tokens_.size()) words_.prefetch(tokens_[t + ahead].hash);
            const Token& token = tokens_[t];
            Dictionary::Slot& slot = words_.slot(token.data, token.size, token.key, token.hash);
            if (!count(slot, row)) continue;
            ++tokens;
            if (max_n_ > 1) {
                ids_.push(slot.id);
                hashes_.push(static_cast<std::uint32_t>(token.hash >> 32));
            }
        }
        shapes_(document, [&](const unsigned char* data, std::size_t size) {
            const Key key = make_key(data, size, hash_key);
            count(words_.slot(data, size, key, key.hash(hash_key)), row);
        });
        level.sizes.push(static_cast<std::uint32_t>(level.terms.size() - before));
        if (max_n_ > 1) {
            parents_.append(ids_.data(), ids_.size());
            parent_hashes_.clear();
            parent_hashes_.append(hashes_.data(), hashes_.size());
        }
        return tokens;
    }

    // Counts the terms of n + 1 words; parents_[i] is then the entry of the one that begins at word i.
    void read_pairs(std::size_t n, std::size_t tokens) {
        Scratch& level = levels_[n];
        const std::size_t before = level.counts.size();
        const std::size_t terms = tokens > n ? tokens - n : 0;
        table_.begin(terms);
        for (std::size_t i = 0; i < terms; ++i) {
            const std::uint32_t parent = parents_[i], last = ids_[i + n];
            const std::uint32_t hash = (parent_hashes_[i] * 0x9E3779B1u ^ hashes_[i + n]) * 0x85EBCA6Bu;
            const auto [number, is_new] = table_.number(static_cast<std::uint64_t>(parent) << 32 | last);
            const std::size_t entry = before + number;
            if (is_new) {
                Pair& pair = level.pairs.next();
                pair.parent = parent, pair.last = last;
                level.buckets.push(static_cast<std::uint8_t>(hash >> 24));
                level.counts.push(1);
            } else {
                ++level.counts[entry];
            }
            parents_[i] = static_cast<std::uint32_t>(entry);
            parent_hashes_[i] = hash;
        }
        level.sizes.push(static_cast<std::uint32_t>(level.counts.size() - before));
    }

    WordSplitter splitter_;
    ShapeReader shapes_;
    int max_n_;
    Dictionary words_;
    std::vector<Scratch> levels_;
    Buffer<Token> tokens_;
    Buffer<std::uint32_t> ids_, hashes_, parents_, parent_hashes_;  // per word of the current document
    DocumentTable table_;
};

}  // namespace lindy
