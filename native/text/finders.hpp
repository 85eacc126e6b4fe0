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

    // Calls found(column, times) for the known terms of a document, in no particular order, perhaps several
    // times.
    template <class Found>
    void operator()(const Document& document, Found found) {
        find_words(document);
        if (min_n_ == 1)
            for (const std::uint32_t word : numbers_) {
                const std::uint32_t own = lexicon_.word_column(word);
                const std::uint32_t column = own == no_term ? unknown_ : own;
                if (column != no_term) found(column, 1u);
            }
        find_ngrams(found);
        terms_.clear();
        terms_.append(numbers_.data(), numbers_.size());
        for (std::size_t n = 2; n <= max_n_ && n <= numbers_.size(); ++n) find_longer(n, found);
        shapes_(document, [&](const unsigned char* data, std::size_t size) {
            const std::uint32_t word = lexicon_.find(HashedWord(data, size, lexicon_.hash_key()));
            const std::uint32_t column = lexicon_.word_column(word);
            if (column != no_term) found(column, 1u);
        });
    }

  private:
    static constexpr std::size_t ahead = 12;  // how early slots are fetched

    // Notes the numbers of the words of a document that are no stop words.
    void find_words(const Document& document) {
        words_.clear(), ngrams_.clear();
        splitter_.fold(document);
        const auto put_into = [&](Buffer<HashedWord>& words) {
            return [&](const unsigned char* data, std::size_t size) {
                HashedWord& word = words.next();
                const Key key = make_key(data, size, lexicon_.hash_key());
                word.key.low = key.low, word.key.high = key.high, word.hash = key.hash(lexicon_.hash_key());
                word.data = data, word.size = size;
            };
        };
        splitter_.each(put_into(words_), put_into(ngrams_));
        numbers_.clear();
        for (std::size_t t = 0; t < std::min(ahead, words_.size()); ++t) lexicon_.prefetch(words_[t]);
        for (std::size_t t = 0; t < words_.size(); ++t) {
            if (t + ahead < words_.size()) lexicon_.prefetch(words_[t + ahead]);
            if (is_stopped(words_[t])) continue;
            numbers_.push(lexicon_.find(words_[t]));
            if (max_n_ > 1) lexicon_.prefetch(numbers_[numbers_.size() - 1]);
        }
    }

    // Finds the n-grams of the runs that find_words has noted.
    template <class Found>
    void find_ngrams(Found found) {
        for (std::size_t t = 0; min_n_ == 1 && t < ngrams_.size(); ++t) {
            if (t + ahead < ngrams_.size()) lexicon_.prefetch(ngrams_[t + ahead]);
            const std::uint32_t column = lexicon_.word_column(lexicon_.find(ngrams_[t]));
            if (column != no_term && !is_stopped(ngrams_[t])) found(column, 1u);
        }
    }
    bool is_stopped(const HashedWord& word) const { return stop_words_.size() && stop_words_.has(word); }

    // Finds the terms of n words; those of n − 1 words are in terms_.
    template <class Found>
    void find_longer(std::size_t n, Found found) {
        const std::size_t size = numbers_.size() - n + 1;
        const auto are_known = [&](std::size_t t) {
            return terms_[t] != no_term && numbers_[t + n - 1] != no_term;
        };
        for (std::size_t t = 0; t < size; ++t) {
            if (t + ahead < size && are_known(t + ahead))
                lexicon_.prefetch(terms_[t + ahead], numbers_[t + ahead + n - 1]);
            terms_[t] = are_known(t) ? lexicon_.find(terms_[t], numbers_[t + n - 1]) : no_term;
            if (n < max_n_) lexicon_.prefetch(terms_[t]);
            const std::uint32_t column = lexicon_.phrase_column(terms_[t]);
            if (n >= min_n_ && column != no_term) found(column, 1u);
        }
    }

    WordSplitter splitter_;
    ShapeReader shapes_;
    const Lexicon& lexicon_;
    const Lexicon& stop_words_;
    std::uint32_t unknown_;
    std::size_t min_n_, max_n_;
    Buffer<HashedWord> words_, ngrams_;
    Buffer<std::uint32_t> numbers_, terms_;  // of the words, and of the terms that begin with them
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
            return lexicon->find(word);
        }
        void fetch(std::uint32_t) const {}
    };
    CharReader<Find> reader_;
};

}  // namespace lindy
