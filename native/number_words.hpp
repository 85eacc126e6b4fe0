// One numbering of the words that several threads have found.
#pragma once

#include "pieces.hpp"

namespace lindy {

struct WordNumbers {
    // A worker's word → a number that all workers share; empty for a single worker, whose own they are.
    std::vector<std::vector<std::uint32_t>> joined;
    std::vector<std::uint32_t> ranks;  // of those: the number of the word in its level, or no_term

    std::uint32_t operator()(std::size_t worker, std::uint32_t word) const {
        return ranks[joined.empty() ? word : joined[worker][word]];
    }
};

// The words of all workers together.
class JoinedWords {
  public:
    JoinedWords(const std::vector<std::unique_ptr<Worker>>& workers,
                const std::vector<std::uint64_t>& first_places) {
        for (std::size_t w = 0; w < workers.size(); ++w) {
            const Strings& own = workers[w]->words();
            std::vector<std::uint32_t> numbers(own.size());
            if (workers.size() == 1) {
                std::iota(numbers.begin(), numbers.end(), 0);
                strings_ = &own;
            } else {
                for (std::size_t i = 0; i < own.size(); ++i) numbers[i] = find(own[i]);
                strings_ = &all_.strings();
            }
            add(*workers[w], numbers, first_places);
            if (workers.size() > 1) of_worker.push_back(std::move(numbers));
        }
    }

    const Strings& strings() const { return *strings_; }

    std::vector<std::vector<std::uint32_t>> of_worker;  // as WordNumbers::joined
    std::vector<std::uint32_t> documents, places;

  private:
    std::uint32_t find(std::string_view text) {
        unsigned char padded[32] = {};
        const unsigned char* data = reinterpret_cast<const unsigned char*>(text.data());
        if (text.size() <= 16) {
            std::memcpy(padded, data, text.size());
            data = padded;
        }
        const Key key = make_key(data, text.size(), HashKey::get());
        return all_.slot(data, text.size(), key, key.hash(HashKey::get())).id;
    }

    void add(const Worker& worker, const std::vector<std::uint32_t>& numbers,
             const std::vector<std::uint64_t>& first_places) {
        documents.resize(strings_->size(), 0);
        places.resize(strings_->size(), no_term);
        const std::vector<std::uint32_t> own = worker.documents_with();
        for (std::size_t i = 0; i < own.size(); ++i) {
            if (own[i] == 0) continue;  // a stop word
            documents[numbers[i]] += own[i];
            const auto place =
                static_cast<std::uint32_t>(first_places[worker.first_piece()[i]] + worker.first_place()[i]);
            places[numbers[i]] = std::min(places[numbers[i]], place);
        }
    }

    const Strings none_;
    const Strings* strings_ = &none_;
    Dictionary all_;
};

// Makes the vocabulary's first level of the words that occur in at least `low` documents.
inline WordNumbers number_words(const std::vector<std::unique_ptr<Worker>>& workers,
                                const std::vector<std::uint64_t>& first_places, std::uint32_t low,
                                bool sorted, Vocabulary& vocabulary) {
    JoinedWords words(workers, first_places);
    std::vector<std::uint32_t> frequent;
    for (std::uint32_t i = 0; i < words.documents.size(); ++i)
        if (words.documents[i] >= low) frequent.push_back(i);
    if (sorted) frequent = alphabetic(words.strings(), frequent);
    WordNumbers numbers{std::move(words.of_worker), std::vector(words.documents.size(), no_term)};
    Level level;
    for (const std::uint32_t i : frequent) {
        numbers.ranks[i] = static_cast<std::uint32_t>(level.documents.size());
        level.documents.push(words.documents[i]);
        level.places.push(words.places[i]);
        const std::string_view text = words.strings()[i];
        vocabulary.words.push(reinterpret_cast<const unsigned char*>(text.data()), text.size());
    }
    vocabulary.levels.clear();
    vocabulary.levels.push_back(std::move(level));
    return numbers;
}

}  // namespace lindy
