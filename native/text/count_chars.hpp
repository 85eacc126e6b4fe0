// Counting character n-grams in pieces of the texts.
#pragma once

#include "text/chars.hpp"
#include "text/count_entries.hpp"

namespace lindy {

class CharWorker final : public Worker {
  public:
    explicit CharWorker(const TextOptions& options)
        : reader_(options, Number{&ngrams_, &states_, &HashKey::get()}) {}

    void stop(const unsigned char*, std::size_t) override {}

    void read(const Document* documents, Piece& piece, std::uint32_t piece_number) override {
        sizes_.clear(), terms_.clear(), counts_.clear();
        for (std::size_t i = 0; i < piece.n_rows; ++i) {
            const std::uint32_t row = static_cast<std::uint32_t>(piece.first_row + i);
            const std::size_t before = terms_.size();
            std::uint64_t total = 0;
            read_document(row, [&] {
                reader_(documents[i], [&](std::uint32_t id, std::uint32_t times) {
                    total += times;
                    count(id, times, row);
                });
            });
            sizes_.push(static_cast<std::uint32_t>(terms_.size() - before));
            piece.longest =
                std::max(piece.longest, static_cast<std::uint32_t>(std::min<std::uint64_t>(total, no_term)));
        }
        first_piece_.resize(ngrams_.size(), piece_number);
        piece.n_places = terms_.size();
        piece.words = shelved(sizes_, terms_, counts_);
    }

    const Strings& words() const override { return ngrams_.strings(); }
    std::vector<std::uint32_t> finish() override {
        std::vector<std::uint32_t> documents(ngrams_.size(), 0);
        for (std::size_t id = 0; id < states_.size(); ++id) documents[id] = states_[id].documents;
        ngrams_.keep_strings();
        states_ = {};
        reader_.forget();
        return documents;
    }

  private:
    struct State {
        std::uint32_t last_row, position, documents;
    };
    struct Hashed {
        ShortKey key;
        std::uint64_t hash;
    };
    struct Number {
        NgramDictionary* ngrams;
        const Buffer<State>* states;
        const HashKey* hash_key;

        using Prepared = Hashed;
        static constexpr std::size_t most_codes = 8 << 20;
        bool is_kept(std::uint32_t) const { return true; }
        void prepare(const unsigned char* data, std::size_t size, Hashed& hashed) const {
            const ShortKey key = make_short_key(data, size, *hash_key);
            hashed.key.low = key.low, hashed.key.high = key.high, hashed.hash = key.hash(*hash_key);
            ngrams->prefetch(hashed.hash);
        }
        std::uint32_t resolve(const Hashed& hashed, const unsigned char* data, std::size_t size) const {
            return ngrams->slot(data, size, hashed.key, hashed.hash).id;
        }
        void fetch(std::uint32_t id) const {
            if (id < states->size()) __builtin_prefetch(&(*states)[id]);
        }
    };

    void count(std::uint32_t id, std::uint32_t times, std::uint32_t row) {
        while (states_.size() <= id) states_.push({no_term, 0, 0}), first_place_.push(0);
        State& state = states_[id];
        if (state.last_row == row) {
            counts_[state.position] += times;
            return;
        }
        if (state.documents == 0) first_place_[id] = static_cast<std::uint32_t>(terms_.size());
        state = {row, static_cast<std::uint32_t>(terms_.size()), state.documents + 1};
        terms_.push(id);
        counts_.push(times);
    }

    NgramDictionary ngrams_;
    Buffer<State> states_;  // of each n-gram
    CharReader<Number> reader_;
    Buffer<std::uint32_t> sizes_, terms_, counts_;
};

}  // namespace lindy
