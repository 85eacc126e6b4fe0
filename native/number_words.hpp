// One numbering of the words that several threads have found.
#pragma once

#include "pieces.hpp"

namespace lindy {

struct WordNumbers {
    std::vector<std::vector<std::uint32_t>> of_worker;  // a worker's word → its number, or no_term
    Buffer<std::uint8_t> bucket_of;                     // of each numbered word, for the pairs it begins
};

// The words of all workers together.
class JoinedWords {
  public:
    JoinedWords(const std::vector<std::unique_ptr<Worker>>& workers,
                const std::vector<std::uint64_t>& first_places) {
        for (std::size_t w = 0; w < workers.size(); ++w) {
            const Strings& own = workers[w]->words();
            std::vector<std::uint32_t> numbers(own.size());
            if (w == 0 && workers.size() == 1) {
                std::iota(numbers.begin(), numbers.end(), 0);
                strings_ = &own;
            } else {
                for (std::size_t i = 0; i < own.size(); ++i) numbers[i] = find(own[i]);
                strings_ = &all_.strings();
            }
            add(*workers[w], numbers, first_places);
            of_worker.push_back(std::move(numbers));
        }
    }

    const Strings& strings() const { return *strings_; }

    std::vector<std::vector<std::uint32_t>> of_worker;  // a worker's word → its number here
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
    std::uint64_t total = 0;
    for (std::uint32_t i = 0; i < words.documents.size(); ++i)
        if (words.documents[i] >= low) {
            frequent.push_back(i);
            total += words.documents[i];
        }
    if (sorted) frequent = alphabetic(words.strings(), frequent);
    std::vector<std::uint32_t> number(words.documents.size(), no_term);
    Level level;
    WordNumbers numbers;
    std::uint64_t before = 0;
    for (const std::uint32_t i : frequent) {
        number[i] = static_cast<std::uint32_t>(level.documents.size());
        level.documents.push(words.documents[i]);
        level.places.push(words.places[i]);
        // about as many entries in each bucket
        numbers.bucket_of.push(static_cast<std::uint8_t>(before * n_buckets / total));
        before += words.documents[i];
        const std::string_view text = words.strings()[i];
        vocabulary.words.push(reinterpret_cast<const unsigned char*>(text.data()), text.size());
    }
    vocabulary.levels.clear();
    vocabulary.levels.push_back(std::move(level));
    numbers.of_worker = std::move(words.of_worker);
    for (std::vector<std::uint32_t>& of_worker : numbers.of_worker)
        for (std::uint32_t& i : of_worker) i = number[i];
    return numbers;
}

}  // namespace lindy
