// Counting words in pieces of the texts.
#pragma once

#include "text/count_pairs.hpp"
#include "text/shapes.hpp"

namespace lindy {

class WordWorker final : public Worker {
  public:
    explicit WordWorker(const TextOptions& options)
        : splitter_(options),
          shapes_(options),
          first_level_(options.first_level()),
          n_levels_(static_cast<std::uint32_t>(options.max_n)) {
        if (options.unicode) stop(gap, 1);
    }

    void stop(const unsigned char* padded, std::size_t size) override {
        const Key key = make_key(padded, size, HashKey::get());
        words_.slot(padded, size, key, key.hash(HashKey::get())).position = stopped;
        first_piece_.resize(words_.size(), no_term);
        first_place_.resize(words_.size());
    }

    void read(const Document* documents, Piece& piece, std::uint32_t piece_number) override {
        sizes_.clear(), terms_.clear(), counts_.clear();
        ids_.clear(), buckets_.clear(), lengths_.clear(), pair_places_.clear();
        for (std::size_t i = 0; i < piece.n_rows; ++i) {
            const std::uint32_t row = static_cast<std::uint32_t>(piece.first_row + i);
            std::uint32_t tokens = 0, others = 0;  // others stand alone: no pairs
            const std::size_t before = terms_.size(), first_id = ids_.size();
            read_document(row, [&] {
                auto place = static_cast<std::uint32_t>(piece.n_places);
                tokens = read_words(documents[i], row, place);
                others = count_ngrams(row, place + tokens);
                others += read_shapes(documents[i], row, place + tokens + others);
            });
            sizes_.push(static_cast<std::uint32_t>(terms_.size() - before));
            const std::size_t length = ids_.size() - first_id;  // with gaps, which begin no pairs
            if (n_levels_ > 1) {
                lengths_.push(static_cast<std::uint32_t>(length));
                pair_places_.push(static_cast<std::uint32_t>(piece.n_places + tokens + others - first_id));
            }
            piece.longest = std::max(piece.longest, first_level_ == 0 ? tokens + others : longest_);
            piece.n_places += tokens + others + std::uint64_t{n_levels_ - 1} * length;
        }
        first_piece_.resize(words_.size(), piece_number);
        piece.words = copied(sizes_, terms_, counts_);
        if (n_levels_ < 2) return;
        piece.lengths = {lengths_.data(), lengths_.size()};
        piece.pair_places = {pair_places_.data(), pair_places_.size()};
        piece.pairs.push_back(deal_pairs(piece, 1, {ids_.data(), ids_.data(), buckets_.data()}));
        if (n_levels_ < 3) return;
        piece.tokens = {ids_.data(), ids_.size()};
        piece.buckets = {buckets_.data(), buckets_.size()};
    }

    const Strings& words() const override { return words_.strings(); }
    std::vector<std::uint32_t> finish() override {
        std::vector<std::uint32_t> documents(words_.size(), 0);
        words_.for_each([&](const Dictionary::Slot& slot) { documents[slot.id] = slot.documents; });
        words_.keep_strings();
        return documents;
    }

  private:
    static constexpr std::uint32_t stopped = ~0u;
    static constexpr unsigned char gap[16] = {' '};
    static constexpr std::size_t ahead = 12;  // how early a word's slot is fetched

    struct Token {
        Key key;
        std::uint64_t hash;
        const unsigned char* data;
        std::size_t size;
    };

    // Counts a word of the document; false for stop words.
    [[gnu::always_inline]] bool count(Dictionary::Slot& slot, std::uint32_t row, std::uint32_t place) {
        if (slot.last_row == row) {
            ++counts_[slot.position];
            return true;
        }
        if (slot.position == stopped) [[unlikely]]
            return false;
        slot.last_row = row;
        slot.position = static_cast<std::uint32_t>(terms_.size());
        if (slot.documents++ == 0) first_place_.push(place);
        terms_.push(slot.id);
        counts_.push(1);
        return true;
    }

    // Counts the words of a document whose first place is given; returns how many it has.
    std::uint32_t read_words(const Document& document, std::uint32_t row, std::uint32_t place) {
        const HashKey& hash_key = HashKey::get();
        std::uint32_t n_tokens = 0, after_gap = 0;
        longest_ = 0;
        tokens_.clear(), ngrams_.clear();
        splitter_.fold(document);
        const auto put_into = [&](Buffer<Token>& tokens) {
            return [&](const unsigned char* data, std::size_t size) __attribute__((always_inline)) {
                const Key key = make_key(data, size, hash_key);
                Token& token = tokens.next();
                token.key.low = key.low, token.key.high = key.high, token.hash = key.hash(hash_key);
                token.data = data, token.size = size;
            };
        };
        splitter_.each(put_into(tokens_), put_into(ngrams_));
        for (std::size_t t = 0; t < tokens_.size(); ++t) {
            if (t + ahead < tokens_.size()) words_.prefetch(tokens_[t + ahead].hash);
            const Token& token = tokens_[t];
            Dictionary::Slot& slot = words_.slot(token.data, token.size, token.key, token.hash);
            if (count(slot, row, place + n_tokens)) [[likely]]
                ++n_tokens;
            else if (is_gap(token.data))
                longest_ = std::max(longest_, n_tokens - std::exchange(after_gap, n_tokens));
            else
                continue;
            if (n_levels_ == 1) continue;
            ids_.push(slot.id);
            buckets_.push(static_cast<std::uint8_t>(token.hash >> 56));
        }
        longest_ = std::max(longest_, n_tokens - after_gap);
        return n_tokens;
    }

    // Counts the n-grams of the runs that read_words has found.
    std::uint32_t count_ngrams(std::uint32_t row, std::uint32_t place) {
        std::uint32_t n_ngrams = 0;
        for (std::size_t t = 0; t < ngrams_.size(); ++t) {
            if (t + ahead < ngrams_.size()) words_.prefetch(ngrams_[t + ahead].hash);
            const Token& ngram = ngrams_[t];
            n_ngrams +=
                count(words_.slot(ngram.data, ngram.size, ngram.key, ngram.hash), row, place + n_ngrams);
        }
        return n_ngrams;
    }

    // Counts the shapes of the words, if they are wanted.
    std::uint32_t read_shapes(const Document& document, std::uint32_t row, std::uint32_t place) {
        const HashKey& hash_key = HashKey::get();
        std::uint32_t n_shapes = 0;
        shapes_(document, [&](const unsigned char* data, std::size_t size) {
            const Key key = make_key(data, size, hash_key);
            n_shapes += count(words_.slot(data, size, key, key.hash(hash_key)), row, place + n_shapes);
        });
        return n_shapes;
    }

    WordSplitter splitter_;
    ShapeReader shapes_;
    std::size_t first_level_;
    std::uint32_t n_levels_;
    std::uint32_t longest_ = 0;  // most words without a gap in the document read last
    Dictionary words_;
    Buffer<Token> tokens_, ngrams_;
    Buffer<std::uint32_t> sizes_, terms_, counts_, ids_, lengths_, pair_places_;
    Buffer<std::uint8_t> buckets_;
};

}  // namespace lindy
