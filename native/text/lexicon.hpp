// Known terms: from words, and from known terms and one more word each, to their numbers.
#pragma once

#include <string_view>
#include <vector>

#include "core/radix.hpp"
#include "text/vocabulary.hpp"

namespace lindy {

// Keys to numbers: slot by slot from where the hash says, until an empty one. At most two thirds of the slots
// are used, which is known when they are made, or they are dealt again.
template <class Slot>
class NumberTable {
  public:
    void reserve(std::size_t n) {
        Buffer<Slot> old = std::move(slots_);
        slots_ = Buffer<Slot>(n + n / 2 + 1);
        std::memset(static_cast<void*>(slots_.data()), 0, slots_.size() * sizeof(Slot));
        for (const Slot& slot : old)
            if (slot.number_plus_1) place(slot.hash(), [](const Slot&) { return false; }) = slot;
    }

    void prefetch(std::uint64_t hash) const { __builtin_prefetch(&slots_[index(hash)]); }

    // The number of the key that is(slot), or no_term.
    template <class Is>
    [[gnu::always_inline]] std::uint32_t find(std::uint64_t hash, Is is) const {
        for (std::size_t i = index(hash);; i = next(i))
            if (slots_[i].number_plus_1 == 0 || is(slots_[i])) return slots_[i].number_plus_1 - 1;
    }

    // The same, added with the given number if it is new.
    template <class Is>
    std::uint32_t add(std::uint64_t hash, Is is, const Slot& added) {
        Slot& slot = place(hash, is);
        if (slot.number_plus_1) return slot.number_plus_1 - 1;
        slot = added;
        if (3 * ++used_ > 2 * slots_.size()) reserve(2 * used_);
        return added.number_plus_1 - 1;
    }

  private:
    std::size_t index(std::uint64_t hash) const {
        return static_cast<std::size_t>(static_cast<unsigned __int128>(hash) * slots_.size() >> 64);
    }
    std::size_t next(std::size_t i) const { return i + 1 < slots_.size() ? i + 1 : 0; }
    template <class Is>
    Slot& place(std::uint64_t hash, Is is) {
        std::size_t i = index(hash);
        while (slots_[i].number_plus_1 && !is(slots_[i])) i = next(i);
        return slots_[i];
    }

    Buffer<Slot> slots_;
    std::size_t used_ = 0;
};

// A word with what it is looked up by.
struct HashedWord {
    Key key;
    std::uint64_t hash;
    const unsigned char* data;
    std::size_t size;

    // 16 bytes at data must be readable, whatever the size.
    HashedWord(const unsigned char* word, std::size_t bytes, const HashKey& hash_key)
        : key(make_key(word, bytes, hash_key)), hash(key.hash(hash_key)), data(word), size(bytes) {}
    HashedWord() = default;
    std::string_view text() const { return {reinterpret_cast<const char*>(data), size}; }
};

// A fixed list of terms, which are words with spaces between, or any strings. The number of a term is its
// place in the list. Words, and beginnings of terms, that are no terms themselves have numbers after those.
class Lexicon {
  public:
    // Borrows the text: term i is bytes[offsets[i] … offsets[i+1]).
    Lexicon(const unsigned char* bytes, const std::int64_t* offsets, std::size_t n_terms, bool of_words)
        : bytes_(bytes), offsets_(offsets), n_terms_(n_terms), n_numbers_(n_terms) {
        Buffer<Numbered> longer, other;  // terms of several words, by the number of their spaces
        for (std::uint32_t i = 0; of_words && i < n_terms; ++i) {
            const std::string_view term = text(i);
            const auto spaces = std::count(term.begin(), term.end(), ' ');
            if (spaces) longer.push({static_cast<std::uint64_t>(spaces), i});
        }
        words_.reserve(n_terms - longer.size());
        pairs_.reserve(longer.size());
        add_words(of_words);
        // shorter ones first: so what is added as the beginning of a term is none itself
        radix_sort(longer, other);
        for (std::size_t i = 0, n; i < longer.size(); i += n) {
            for (n = 1; n < block && i + n < longer.size() && longer[i + n].key == longer[i].key;) ++n;
            add_longer(longer.data() + i, n, longer[i].key);
        }
    }

    std::size_t size() const { return n_terms_; }
    // The first term that another one before it equals, or no_term.
    std::uint32_t duplicate() const { return duplicate_; }
    std::string_view text(std::size_t i) const {
        return {reinterpret_cast<const char*>(bytes_) + offsets_[i],
                static_cast<std::size_t>(offsets_[i + 1] - offsets_[i])};
    }
    bool is_term(std::uint32_t number) const { return number < n_terms_; }
    const HashKey& hash_key() const { return hash_key_; }

    void prefetch(const HashedWord& word) const { words_.prefetch(word.hash); }
    // The number of a word, or no_term.
    [[gnu::always_inline]] std::uint32_t find(const HashedWord& word) const {
        return words_.find(word.hash, [&](const WordSlot& slot) { return is(slot, word); });
    }

    // The number of a term and one more word, which are numbers themselves, or no_term.
    std::uint32_t find(std::uint32_t parent, std::uint32_t word) const {
        const std::uint64_t key = std::uint64_t{parent} << 32 | word;
        return pairs_.find(pair_hash(key), [&](const PairSlot& slot) { return slot.key == key; });
    }
    void prefetch(std::uint32_t parent, std::uint32_t word) const {
        pairs_.prefetch(pair_hash(std::uint64_t{parent} << 32 | word));
    }

  private:
    static constexpr std::size_t block = 32;  // terms that are added together, while their memory comes

    struct WordSlot {
        Key key;
        std::uint32_t number_plus_1;
        std::uint64_t hash() const { return key.hash(HashKey::get()); }
    };
    struct PairSlot {
        std::uint64_t key;
        std::uint32_t number_plus_1;
        std::uint64_t hash() const { return pair_hash_with(HashKey::get(), key); }
    };

    static std::uint64_t pair_hash_with(const HashKey& hash_key, std::uint64_t key) {
        return fold_multiply(key ^ hash_key.a, hash_key.b);
    }
    std::uint64_t pair_hash(std::uint64_t key) const { return pair_hash_with(hash_key_, key); }

    bool is(const WordSlot& slot, const HashedWord& word) const {
        return slot.key == word.key &&
               (!word.key.is_long() || word_text(slot.number_plus_1 - 1) == word.text());
    }
    std::string_view word_text(std::uint32_t number) const {
        return is_term(number) ? text(number) : beginnings_[number - n_terms_];
    }

    // Also of texts at the very end of the bytes, where reading 16 of them would go too far.
    HashedWord hashed(std::string_view word) const {
        const auto* data = reinterpret_cast<const unsigned char*>(word.data());
        if (word.size() > 15 || data + 16 <= bytes_ + offsets_[n_terms_])
            return {data, word.size(), hash_key_};
        unsigned char padded[16] = {};
        std::copy_n(data, word.size(), padded);
        HashedWord near_end(padded, word.size(), hash_key_);
        near_end.data = data;
        return near_end;
    }

    std::uint32_t add(const HashedWord& word, std::size_t number) {
        return words_.add(word.hash, [&](const WordSlot& slot) { return is(slot, word); },
                          {word.key, static_cast<std::uint32_t>(number) + 1});
    }
    std::uint32_t add(std::uint32_t parent, std::uint32_t word, std::size_t number) {
        const std::uint64_t key = std::uint64_t{parent} << 32 | word;
        return pairs_.add(pair_hash(key), [&](const PairSlot& slot) { return slot.key == key; },
                          {key, static_cast<std::uint32_t>(number) + 1});
    }

    // Adds the terms that are single words, or all.
    void add_words(bool of_words) {
        HashedWord waiting[block];
        for (std::size_t i = 0; i < n_terms_ + block; ++i) {
            HashedWord& word = waiting[i % block];
            if (i >= block && word.data) note(add(word, i - block), i - block);
            word.data = nullptr;
            if (i >= n_terms_ || (of_words && text(i).find(' ') != std::string_view::npos)) continue;
            word = hashed(text(i));
            prefetch(word);
        }
    }

    // Adds some terms of so many words and one more.
    void add_longer(const Numbered* terms, std::size_t n, std::uint64_t spaces) {
        struct Open {
            std::string_view rest, text;  // what has not been read, and the word read last
            HashedWord hashed;
            std::uint32_t word, number;  // of that word, and of all that has been read
        } open[block];
        for (std::size_t i = 0; i < n; ++i) open[i].rest = text(terms[i].number);
        for (std::uint64_t k = 0; k <= spaces; ++k) {
            for (std::size_t i = 0; i < n; ++i) {
                open[i].text = open[i].rest.substr(0, open[i].rest.find(' '));
                open[i].rest.remove_prefix(std::min(open[i].text.size() + 1, open[i].rest.size()));
                open[i].hashed = hashed(open[i].text);
                prefetch(open[i].hashed);
            }
            for (std::size_t i = 0; i < n; ++i) {
                open[i].word = known(add(open[i].hashed, n_numbers_), open[i].text);
                if (k == 0)
                    open[i].number = open[i].word;
                else
                    prefetch(open[i].number, open[i].word);
            }
            for (std::size_t i = 0; k > 0 && i < n; ++i)
                if (k < spaces)
                    open[i].number = known(add(open[i].number, open[i].word, n_numbers_), {});
                else
                    note(add(open[i].number, open[i].word, terms[i].number), terms[i].number);
        }
    }
    // A number, which may have just been given to a word or a beginning.
    std::uint32_t known(std::uint32_t number, std::string_view word) {
        if (number == n_numbers_) {
            if (++n_numbers_ >= no_term) throw std::length_error("more than 2^32 - 2 terms and words");
            beginnings_.push_back(word);
        }
        return number;
    }
    // Remembers the first term that had already been added with another number.
    void note(std::uint32_t number, std::size_t term) {
        if (number != term) duplicate_ = std::min(duplicate_, static_cast<std::uint32_t>(term));
    }

    const HashKey hash_key_ = HashKey::get();
    const unsigned char* bytes_;
    const std::int64_t* offsets_;
    std::size_t n_terms_, n_numbers_;
    NumberTable<WordSlot> words_;
    NumberTable<PairSlot> pairs_;
    std::vector<std::string_view> beginnings_;  // words that are no terms; empty for beginnings of several
    std::uint32_t duplicate_ = no_term;
};

}  // namespace lindy
