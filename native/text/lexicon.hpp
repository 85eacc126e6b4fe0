// Known terms: from words, and from known terms and one more word each, to their columns.
#pragma once

#include "text/phrases.hpp"

namespace lindy {

// Terms as words and the tree of those that have several; as model files have them.
struct StoredTerms {
    StringList words;
    const std::uint32_t* word_columns;  // of the first words; the others are no terms
    std::size_t n_word_columns;
    PhraseTree phrases;

    std::size_t n_columns() const {
        std::size_t n = n_word_columns;
        for (std::size_t s = 0; s < phrases.n_slots; ++s) n += phrases.slots[s].column != no_term;
        return n;
    }
    std::size_t n_bytes() const {
        return static_cast<std::size_t>(words.offsets[words.n]) + 8 * words.n + 4 * n_word_columns +
               4 * phrases.n_parents + sizeof(PhraseSlot) * phrases.n_slots;
    }
};

// A fixed list of terms, which are words with spaces between, or any strings. The column of a term is its
// place in the list. Terms, and words and beginnings of terms that are none themselves, have numbers.
class Lexicon {
  public:
    // How many times the bytes of stored terms their text may be: a short file cannot claim long texts.
    static constexpr std::uint64_t most_expansion = 64;

    // Borrows the text.
    Lexicon(const StringList& terms, bool of_words) : n_terms_(terms.size()), words_(terms) {
        Buffer<std::uint32_t> longer;  // terms of several words
        for (std::uint32_t i = 0; of_words && i < n_terms_; ++i)
            if (terms[i].find(' ') != std::string_view::npos) longer.push(i);
        if (longer.size() == 0)
            add_words();
        else
            cut_into_words(terms, longer);
    }

    // The features of a vocabulary, some of which have several words: equal to the lexicon of their text.
    explicit Lexicon(const Vocabulary& vocabulary) : n_terms_(vocabulary.n_columns) {
        Buffer<std::uint32_t> numbers(vocabulary.words.size());  // of the vocabulary's words
        std::fill(numbers.begin(), numbers.end(), no_term);
        own_offsets_.push(0);
        const auto number = [&](std::uint32_t word) {
            if (numbers[word] == no_term) {
                numbers[word] = static_cast<std::uint32_t>(own_offsets_.size() - 1);
                const std::string_view text = vocabulary.words[word];
                own_bytes_.append(reinterpret_cast<const unsigned char*>(text.data()), text.size());
                own_offsets_.push(static_cast<std::int64_t>(own_bytes_.size()));
            }
            return numbers[word];
        };
        if (vocabulary.levels.size() == 2)
            take_pairs(vocabulary, numbers, number);
        else
            take_phrases(vocabulary, number);
        add_words();
    }

    // Borrows everything; throws std::invalid_argument where it contradicts itself.
    explicit Lexicon(const StoredTerms& stored)
        : n_terms_(stored.n_columns()),
          words_(stored.words),
          is_tree_(true),
          word_columns_(stored.word_columns),
          n_term_words_(stored.n_word_columns),
          phrases_(stored.phrases) {
        const auto demand = [](bool holds, const char* problem) {
            if (!holds) throw std::invalid_argument(problem);
        };
        demand(n_term_words_ <= words_.size(), "there are more columns of words than words");
        Buffer<std::uint64_t> seen(n_terms_ / 64 + 1);
        std::fill(seen.begin(), seen.end(), 0);
        for (std::size_t i = 0; i < n_term_words_; ++i) {
            const std::uint32_t column = word_columns_[i];
            demand(column < n_terms_ && !(seen[column / 64] >> column % 64 & 1), "two words have one column");
            seen[column / 64] |= std::uint64_t{1} << column % 64;
        }
        // as many columns as terms, and none twice: so each once
        const char* problem = unsound(phrases_, n_terms_, seen);
        demand(!problem, problem);
        for (std::size_t i = 0; i < words_.size(); ++i)
            demand(words_[i].find(' ') == std::string_view::npos, "a word has a space in it");
        demand(phrases_.is_at_most(most_expansion * stored.n_bytes(), words_),
               "its terms are longer than can be");
        add_words();
        demand(duplicate_ == no_term, "a word occurs a second time");
    }

    std::size_t size() const { return n_terms_; }
    // The first term that another one before it equals, or no_term.
    std::uint32_t duplicate() const { return duplicate_; }
    const HashKey& hash_key() const { return hash_key_; }

    // The terms as a model file can hold them; none if they are single words or any strings, which need no
    // tree, or if their text would be too long for it.
    bool stored(StoredTerms& out) const {
        if (!is_tree_ || duplicate_ != no_term) return false;
        out = {words_, word_columns_, n_term_words_, phrases_};
        return phrases_.is_at_most(most_expansion * out.n_bytes(), words_);
    }

    [[gnu::always_inline]] void prefetch(const HashedWord& word) const { table_.prefetch(word); }
    [[gnu::always_inline]] KnownWord find(const HashedWord& word) const { return table_.find(word, words_); }
    // The number of a term and one more word, which are numbers themselves or no_term; no_term if it is none.
    [[gnu::always_inline]] std::uint32_t find(PhraseTree::Place place, std::uint32_t parent,
                                              std::uint32_t word) const {
        return phrases_.find(place, parent, word);
    }
    [[gnu::always_inline]] void prefetch(std::uint32_t parent) const { phrases_.prefetch(parent); }
    [[gnu::always_inline]] PhraseTree::Place fetch(std::uint32_t parent, std::uint32_t word) const {
        return phrases_.fetch(parent, word);
    }

    // The column of a term of several words; no_term if it is none.
    [[gnu::always_inline]] std::uint32_t phrase_column(std::uint32_t node) const {
        return phrases_.column(node);
    }
    bool has(const HashedWord& word) const { return find(word).column != no_term; }

    // The text of all terms in the order of their columns, and where each begins and ends.
    void append_texts(Buffer<unsigned char>& bytes, Buffer<std::int64_t>& offsets) const {
        Buffer<std::uint32_t> nodes(n_terms_), parents(phrases_.n_slots);
        for (std::uint32_t i = 0; i < n_term_words_; ++i) nodes[word_columns_[i]] = i;
        const auto n_words = static_cast<std::uint32_t>(words_.size());
        phrases_.each_family([&](std::uint32_t parent, std::uint32_t first, std::uint32_t last) {
            for (std::uint32_t s = first; s < last; ++s) {
                parents[s] = parent;
                if (phrases_.slots[s].column != no_term) nodes[phrases_.slots[s].column] = n_words + s;
            }
        });
        Buffer<std::uint64_t> length;
        phrases_.lengths(words_, ~std::uint64_t{0}, length);
        std::uint64_t end = 0;
        offsets.push(0);
        for (const std::uint32_t node : nodes) {
            end += node < n_words ? words_.length(node) : length[node - n_words];
            offsets.push(static_cast<std::int64_t>(end));
        }
        bytes.resize(end);
        for (std::size_t i = 0; i < n_terms_; ++i) {
            unsigned char* to = bytes.data() + offsets[i + 1];
            std::uint32_t node = nodes[i];
            for (; node >= n_words; node = parents[node - n_words]) {
                to = put_before(to, phrases_.slots[node - n_words].word);
                *--to = ' ';
            }
            put_before(to, node);
        }
    }

  private:
    static constexpr std::size_t block = 32;  // words that are added together, while their memory comes

    unsigned char* put_before(unsigned char* end, std::uint32_t word) const {
        const std::size_t size = words_.length(word);
        return std::copy_n(words_.bytes + words_.offsets[word], size, end - size) - size;
    }

    // Numbers the words of a vocabulary, first of those that are terms, and makes the tree of the others.
    template <class Number>
    void take_phrases(const Vocabulary& vocabulary, Number number) {
        const Buffer<Vocabulary::Feature> features = vocabulary.features();
        for (std::uint32_t i = 0; i < n_terms_; ++i)
            if (features[i].level == 0) number(features[i].term), own_columns_.push(i);
        for (std::uint32_t i = 0; i < n_terms_; ++i) {
            if (features[i].level == 0) continue;
            builder_.begin(i);
            vocabulary.for_each_word(features[i].level, features[i].term,
                                     [&](std::uint32_t word) { builder_.put(number(word)); });
        }
        words_ = own_words();
        become_tree();
    }
    // The same where no term has more than two words, with less memory: of pairs only those are put in the
    // order of their columns that have a word which is no term.
    template <class Number>
    void take_pairs(const Vocabulary& vocabulary, const Buffer<std::uint32_t>& numbers, Number number) {
        const Level &single = vocabulary.levels[0], &pairs = vocabulary.levels[1];
        const auto first = [&](std::uint32_t t) {
            return static_cast<std::uint32_t>(pairs.parents[t] >> 32);
        };
        const auto second = [&](std::uint32_t t) { return static_cast<std::uint32_t>(pairs.parents[t]); };
        Buffer<Numbered> found, other;
        const auto in_order = [&](const Level& level, auto is_wanted) -> const Buffer<Numbered>& {
            found.clear();
            for (std::uint32_t t = 0; t < level.size(); ++t)
                if (level.columns[t] != no_term && is_wanted(t)) found.push({level.columns[t], t});
            radix_sort(found, other);
            return found;
        };
        for (const auto& [column, word] : in_order(single, [](std::uint32_t) { return true; }))
            number(word), own_columns_.push(static_cast<std::uint32_t>(column));
        const auto is_new = [&](std::uint32_t t) {
            return numbers[first(t)] == no_term || numbers[second(t)] == no_term;
        };
        for (const auto& [column, t] : in_order(pairs, is_new)) number(first(t)), number(second(t));
        words_ = own_words();
        builder_.build_pairs(words_.size(), [&](auto visit) {
            for (std::uint32_t t = 0; t < pairs.size(); ++t)
                if (pairs.columns[t] != no_term)
                    visit(numbers[first(t)], numbers[second(t)], pairs.columns[t]);
        });
        use_tree();
    }

    StringList own_words() const { return {own_bytes_.data(), own_offsets_.data(), own_offsets_.size() - 1}; }

    HashedWord hashed(std::string_view word, const StringList& within) const {
        return HashedWord::before(within.bytes + within.offsets[within.n], word, hash_key_);
    }

    // The column of a word by its number.
    std::uint32_t word_column(std::uint32_t number) const {
        if (!is_tree_) return number;
        return number < n_term_words_ ? word_columns_[number] : no_term;
    }

    // Adds all words of words_.
    void add_words() {
        table_.reserve(words_.size());
        HashedWord waiting[block];
        for (std::size_t i = 0; i < words_.size() + block; ++i) {
            HashedWord& word = waiting[i % block];
            if (i >= block) {
                const auto number = static_cast<std::uint32_t>(i - block);
                if (table_.add(word, {number, word_column(number)}, words_) != number)
                    duplicate_ = std::min(duplicate_, number);
            }
            if (i >= words_.size()) continue;
            word = hashed(words_[i], words_);
            table_.prefetch(word);
        }
    }

    // Makes words of the terms, first of those that are words themselves, and a tree of the others.
    void cut_into_words(const StringList& terms, const Buffer<std::uint32_t>& longer) {
        own_columns_.reserve(n_terms_ - longer.size());
        own_offsets_.push(0);
        table_.reserve(n_terms_ - longer.size());
        const std::uint32_t* next_longer = longer.begin();
        for (std::uint32_t i = 0; i < n_terms_; ++i) {
            if (next_longer < longer.end() && *next_longer == i) {
                ++next_longer;
                continue;
            }
            const auto number = static_cast<std::uint32_t>(own_columns_.size());
            if (known(hashed(terms[i], terms), i) == number)
                own_columns_.push(i);
            else
                duplicate_ = std::min(duplicate_, i);
        }
        read_longer(terms, longer);
        become_tree();
    }
    void become_tree() {
        duplicate_ = std::min(duplicate_, builder_.build(words_.size()));
        use_tree();
    }
    void use_tree() {
        is_tree_ = true;
        word_columns_ = own_columns_.data();
        n_term_words_ = own_columns_.size();
        phrases_ = builder_.tree();
    }
    void read_longer(const StringList& terms, const Buffer<std::uint32_t>& longer) {
        struct Waiting {
            HashedWord word;
            std::uint32_t begins;  // the term that it is the first word of, or no_term
        } waiting[block];
        std::size_t n = 0;
        const auto take = [&](const Waiting& next) {
            if (next.begins != no_term) builder_.begin(next.begins);
            builder_.put(known(next.word, no_term));
        };
        for (const std::uint32_t i : longer) {
            std::string_view rest = terms[i];
            for (std::uint32_t begins = i;; begins = no_term, ++n) {
                const std::size_t size = std::min(rest.find(' '), rest.size());
                Waiting& place = waiting[n % block];
                if (n >= block) take(place);
                place = {hashed(rest.substr(0, size), terms), begins};
                table_.prefetch(place.word);
                if (size == rest.size()) break;
                rest.remove_prefix(size + 1);
            }
            ++n;
        }
        for (std::size_t i = n < block ? 0 : n - block; i < n; ++i) take(waiting[i % block]);
    }
    // The number of a word, which is kept if it is new.
    std::uint32_t known(const HashedWord& word, std::uint32_t column) {
        const auto number = static_cast<std::uint32_t>(own_offsets_.size() - 1);
        words_ = {own_bytes_.data(), own_offsets_.data(), number};
        const std::uint32_t found = table_.add(word, {number, column}, words_);
        if (found == number) {
            if (number + 1 >= no_term) throw std::length_error("more than 2^32 - 2 words");
            own_bytes_.append(word.data, word.size);
            own_offsets_.push(static_cast<std::int64_t>(own_bytes_.size()));
            words_ = own_words();
        }
        return found;
    }

    const HashKey hash_key_ = HashKey::get();
    std::size_t n_terms_;
    StringList words_;
    bool is_tree_ = false;  // or the numbers of words are their columns
    const std::uint32_t* word_columns_ = nullptr;
    std::size_t n_term_words_ = 0;
    PhraseTree phrases_;
    WordTable table_;
    std::uint32_t duplicate_ = no_term;
    // what is not borrowed
    Buffer<unsigned char> own_bytes_;
    Buffer<std::int64_t> own_offsets_;
    Buffer<std::uint32_t> own_columns_;
    PhraseBuilder builder_;
};

}  // namespace lindy
