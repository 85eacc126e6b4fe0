// Counting character n-grams in pieces of the texts.
#pragma once

#include "text/chars.hpp"
#include "text/count_entries.hpp"

namespace lindy {

class CharWorker final : public Worker {
  public:
    explicit CharWorker(const TextOptions& options) : reader_(options, Number{&ngrams_, &HashKey::get()}) {}

    void stop(const unsigned char*, std::size_t) override {}

    void read(const Document* documents, Piece& piece, std::uint32_t piece_number) override {
        sizes_.clear(), terms_.clear(), counts_.clear();
        for (std::size_t i = 0; i < piece.n_rows; ++i) {
            const std::uint32_t row = static_cast<std::uint32_t>(piece.first_row + i);
            const std::size_t before = terms_.size();
            std::uint64_t total = 0;
            read_document(row, [&] { reader_(documents[i], Count{*this, row, total}); });
            sizes_.push(static_cast<std::uint32_t>(terms_.size() - before));
            piece.longest =
                std::max(piece.longest, static_cast<std::uint32_t>(std::min<std::uint64_t>(total, no_term)));
        }
        first_piece_.resize(ngrams_.size(), piece_number);
        piece.n_places = terms_.size();
        piece.words = copied(sizes_, terms_, counts_);
    }

    const Strings& words() const override { return ngrams_.strings(); }
    std::vector<std::uint32_t> finish() override {
        std::vector<std::uint32_t> documents(ngrams_.size(), 0);
        first_place_.resize(ngrams_.size());
        for (std::size_t id = 0; id < states_.size(); ++id)
            documents[id] = states_[id].documents, first_place_[id] = states_[id].first_place;
        ngrams_.keep_strings();
        states_ = {};
        reader_.forget();
        return documents;
    }

  private:
    // What is known of an n-gram; its position is that of its entry in the piece, if the document has one.
    struct State {
        std::uint32_t last_row, position, documents, first_place;
    };
    struct Hashed {
        ShortKey key;
        std::uint64_t hash;
    };
    struct Number {
        NgramDictionary* ngrams;
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
    };

    // Counts the n-grams of a document.
    struct Count {
        CharWorker& worker;
        std::uint32_t row;
        std::uint64_t& total;

        void fetch(const std::uint32_t* ids, std::size_t n) const {
            const State* states = worker.all_states();
            for (std::size_t k = 0; k < n; ++k) __builtin_prefetch(states + ids[k], 1);
        }
        // Whether a document has had an n-gram cannot be guessed: an entry is written in any case, and stays
        // if it is the first.
        void all(const std::uint32_t* ids, std::size_t n, std::uint32_t times) const {
            State* states = worker.all_states();
            std::size_t size = worker.terms_.size();
            std::uint32_t* terms = worker.terms_.resize(size + n);
            std::uint32_t* counts = worker.counts_.resize(size + n);
            for (std::size_t k = 0; k < n; ++k) {
                State& state = states[ids[k]];
                const auto end = static_cast<std::uint32_t>(size);
                const bool is_first = state.last_row != row;
                const std::uint32_t again = std::uint32_t{is_first} - 1;  // all bits, or none
                const std::uint32_t position = end + (again & (state.position - end));
                terms[end] = ids[k], counts[end] = 0;
                counts[position] += times;
                state.first_place = state.documents ? state.first_place : end;
                state.last_row = row, state.position = position, state.documents += is_first;
                size += is_first;
            }
            worker.terms_.resize(size), worker.counts_.resize(size);
            total += std::uint64_t{times} * n;
        }
    };

    // The states of all n-grams so far.
    [[gnu::always_inline]] State* all_states() {
        const std::size_t known = states_.size(), now = ngrams_.size();
        if (known == now) [[likely]]
            return states_.data();
        states_.resize(now);
        for (std::size_t id = known; id < now; ++id) states_[id] = {no_term, 0, 0, 0};
        return states_.data();
    }

    NgramDictionary ngrams_;
    Buffer<State> states_;  // of each n-gram
    CharReader<Number> reader_;
    Buffer<std::uint32_t> sizes_, terms_, counts_;
};

}  // namespace lindy
