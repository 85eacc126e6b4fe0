// Finding the known terms in new texts.
#pragma once

#include "text/chars.hpp"
#include "text/lexicon.hpp"
#include "text/shapes.hpp"

namespace lindy {

// Looks documents up in a lexicon; one per thread.
class WordFinder {
  public:
    static constexpr std::size_t piece_bytes = 1 << 16;  // whose entries are sorted in the cache

    // Words that are no terms count as the column `unknown`, unless that is no_term.
    WordFinder(const TextOptions& options, const Lexicon& lexicon, const Lexicon& stop_words,
               std::uint32_t unknown)
        : splitter_(options),
          shapes_(options),
          lexicon_(lexicon),
          stop_words_(stop_words),
          unknown_(unknown),
          min_n_(static_cast<std::size_t>(options.min_n)),
          max_n_(static_cast<std::size_t>(options.max_n)) {}

    // Calls found(column, times), or found.all(columns, n, times) for several, for the known terms of a
    // document, in no particular order, perhaps several times.
    template <class Found>
    void operator()(const Document& document, Found found) {
        find_words(document);
        if (min_n_ == 1) found.all(columns_.data(), columns_.size(), 1u);
        find_ngrams(found);
        terms_.clear();
        terms_.append(numbers_.data(), numbers_.size());
        for (std::size_t n = 2; n <= max_n_ && n <= numbers_.size(); ++n) find_longer(n, found);
        shapes_(document, [&](const unsigned char* data, std::size_t size) {
            const std::uint32_t column = lexicon_.find(HashedWord(data, size, lexicon_.hash_key())).column;
            if (column != no_term) found(column, 1u);
        });
    }

  private:
    static constexpr std::size_t ahead = 16;  // how early slots are fetched

    // Notes the numbers and the columns of the words of a document that are no stop words.
    void find_words(const Document& document) {
        words_.clear(), ngrams_.clear();
        splitter_.fold(document);
        const HashKey hash_key = lexicon_.hash_key();
        const auto put_into = [hash_key](Buffer<HashedWord>& words) {
            return [hash_key, &words](const unsigned char* data, std::size_t size)
                       __attribute__((always_inline)) {
                           HashedWord& word = words.next();
                           const Key key = make_key(data, size, hash_key);
                           word.key.low = key.low, word.key.high = key.high, word.hash = key.hash(hash_key);
                           word.data = data, word.size = size;
                       };
        };
        splitter_.each(put_into(words_), put_into(ngrams_));
        const HashedWord* words = words_.data();
        const std::size_t size = words_.size();
        std::uint32_t *numbers = numbers_.resize(size), *columns = columns_.resize(size);
        const bool is_stopping = stop_words_.size(), is_parent = max_n_ > 1;
        std::size_t n = 0, n_columns = 0;
        for (std::size_t t = 0; t < std::min(ahead, size); ++t) lexicon_.prefetch(words[t]);
        for (std::size_t t = 0; t < size; ++t) {
            if (t + ahead < size) lexicon_.prefetch(words[t + ahead]);
            if (is_stopping && stop_words_.has(words[t])) continue;
            const auto [number, own_column] = lexicon_.find(words[t]);
            if (is_parent) lexicon_.prefetch(number);
            numbers[n++] = number;
            const std::uint32_t column = own_column == no_term ? unknown_ : own_column;
            columns[n_columns] = column;
            n_columns += column != no_term;
        }
        numbers_.resize(n), columns_.resize(n_columns);
    }

    // Finds the n-grams of the runs that find_words has noted.
    template <class Found>
    void find_ngrams(Found found) {
        for (std::size_t t = 0; min_n_ == 1 && t < ngrams_.size(); ++t) {
            if (t + ahead < ngrams_.size()) lexicon_.prefetch(ngrams_[t + ahead]);
            const std::uint32_t column = lexicon_.find(ngrams_[t]).column;
            if (column != no_term && !is_stopped(ngrams_[t])) found(column, 1u);
        }
    }
    bool is_stopped(const HashedWord& word) const { return stop_words_.size() && stop_words_.has(word); }

    // Finds the terms of n words; those of n − 1 words are in terms_.
    template <class Found>
    void find_longer(std::size_t n, Found found) {
        const std::size_t size = numbers_.size() - n + 1;
        const std::uint32_t* words = numbers_.data() + n - 1;
        std::uint32_t* terms = terms_.data();
        std::uint32_t* columns = columns_.resize(size);
        PhraseTree::Place places[ahead];
        for (std::size_t t = 0; t < std::min(ahead, size); ++t)
            places[t] = lexicon_.fetch(terms[t], words[t]);
        std::size_t n_found = 0;
        for (std::size_t t = 0; t < size; ++t) {
            PhraseTree::Place& place = places[t % ahead];
            terms[t] = lexicon_.find(place, terms[t], words[t]);
            if (t + ahead < size) place = lexicon_.fetch(terms[t + ahead], words[t + ahead]);
            if (n < max_n_) lexicon_.prefetch(terms[t]);
            const std::uint32_t column = lexicon_.phrase_column(terms[t]);
            columns[n_found] = column;
            n_found += column != no_term;  // no branch: it cannot be guessed
        }
        if (n >= min_n_) found.all(columns, n_found, 1u);
    }

    WordSplitter splitter_;
    ShapeReader shapes_;
    const Lexicon& lexicon_;
    const Lexicon& stop_words_;
    std::uint32_t unknown_;
    std::size_t min_n_, max_n_;
    Buffer<HashedWord> words_, ngrams_;
    Buffer<std::uint32_t> numbers_, terms_;  // of the words, and of the terms that begin with them
    Buffer<std::uint32_t> columns_;          // of the terms of n words
};

class CharFinder {
  public:
    static constexpr std::size_t piece_bytes = 1 << 14;  // whose entries are sorted in the cache

    CharFinder(const TextOptions& options, const Lexicon& lexicon) : reader_(options, Find{&lexicon}) {}

    template <class Found>
    void operator()(const Document& document, Found found) {
        reader_(document, found);
    }

  private:
    struct Find {
        const Lexicon* lexicon;
        using Prepared = HashedWord;
        static constexpr std::size_t most_codes = 1 << 20;  // finders are kept between texts
        bool is_kept(std::uint32_t column) const { return column != no_term; }
        void prepare(const unsigned char* data, std::size_t size, HashedWord& word) const {
            word = HashedWord(data, size, lexicon->hash_key());
            lexicon->prefetch(word);
        }
        std::uint32_t resolve(const HashedWord& word, const unsigned char*, std::size_t) const {
            return lexicon->find(word).column;
        }
    };
    CharReader<Find> reader_;
};

}  // namespace lindy
