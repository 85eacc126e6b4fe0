// Finding the known terms in new texts.
#pragma once

#include "chars.hpp"
#include "shapes.hpp"

namespace lindy {

inline std::uint64_t join_hash(std::uint64_t parent, std::uint64_t word, const HashKey& key) {
    return fold_multiply(parent ^ key.c, word + key.a);
}

// A fixed list of terms. A term's hash is that of its words, joined one by one, so that texts can be looked
// up without writing out their n-grams; what is found is compared letter by letter.
class Lexicon {
  public:
    // Borrows the text: term i is bytes[offsets[i] … offsets[i+1]).
    Lexicon(const unsigned char* bytes, const std::int64_t* offsets, std::size_t n_terms, bool of_words)
        : bytes_(bytes), offsets_(offsets), n_terms_(n_terms), of_words_(of_words) {
        const std::size_t capacity = std::bit_ceil(2 * n_terms + 2);
        slots_ = Buffer<Slot>(capacity);
        std::memset(static_cast<void*>(slots_.data()), 0, capacity * sizeof(Slot));
        mask_ = capacity - 1;
        Buffer<std::uint64_t> hashes(n_terms);
        constexpr std::size_t ahead = 16;
        for (std::size_t i = 0; i < n_terms + ahead; ++i) {
            if (i < n_terms) {
                hashes[i] = hash_term(text(i));
                __builtin_prefetch(&slots_[hashes[i] & mask_], 1);
            }
            if (i >= ahead) insert(static_cast<std::uint32_t>(i - ahead), hashes[i - ahead]);
        }
    }

    std::size_t size() const { return n_terms_; }
    // The first term that another one before it equals, or no_term.
    std::uint32_t duplicate() const { return duplicate_; }
    std::string_view text(std::size_t i) const {
        return {reinterpret_cast<const char*>(bytes_) + offsets_[i],
                static_cast<std::size_t>(offsets_[i + 1] - offsets_[i])};
    }

    void prefetch(std::uint64_t hash) const { __builtin_prefetch(&slots_[hash & mask_]); }

    // The term with this hash that equals(text), or no_term.
    template <class Equals>
    std::uint32_t find(std::uint64_t hash, Equals equals) const {
        for (std::size_t i = hash & mask_; slots_[i].term; i = (i + 1) & mask_)
            if (slots_[i].tag == tag(hash) && equals(text(slots_[i].term - 1))) return slots_[i].term - 1;
        return no_term;
    }

    static std::uint64_t hash_word(const unsigned char* data, std::size_t size) {
        return make_key(data, size, HashKey::get()).hash(HashKey::get());
    }

  private:
    struct Slot {
        std::uint32_t tag, term;  // term + 1; 0 is an empty slot
    };

    static std::uint32_t tag(std::uint64_t hash) { return static_cast<std::uint32_t>(hash >> 32); }

    // Also of texts at the very end of the bytes, where reading 16 of them would go too far.
    static std::uint64_t hash_near_end(std::string_view word) {
        unsigned char padded[16] = {};
        std::memcpy(padded, word.data(), std::min<std::size_t>(word.size(), 15));
        return hash_word(padded, word.size());
    }

    std::uint64_t hash_term(std::string_view term) const {
        const char* end = reinterpret_cast<const char*>(bytes_) + offsets_[n_terms_];
        std::uint64_t hash = 0;
        for (bool first = true;; first = false) {
            const std::size_t space = of_words_ ? term.find(' ') : std::string_view::npos;
            const std::string_view word = term.substr(0, space);
            const bool inside = word.data() + 16 <= end || word.size() > 15;
            const std::uint64_t h =
                inside ? hash_word(reinterpret_cast<const unsigned char*>(word.data()), word.size())
                       : hash_near_end(word);
            hash = first ? h : join_hash(hash, h, HashKey::get());
            if (space == std::string_view::npos) return hash;
            term.remove_prefix(space + 1);
        }
    }

    void insert(std::uint32_t term, std::uint64_t hash) {
        std::size_t i = hash & mask_;
        for (; slots_[i].term; i = (i + 1) & mask_)
            if (slots_[i].tag == tag(hash) && text(slots_[i].term - 1) == text(term)) {
                duplicate_ = std::min(duplicate_, term);
                return;
            }
        slots_[i] = {tag(hash), term + 1};
    }

    const unsigned char* bytes_;
    const std::int64_t* offsets_;
    std::size_t n_terms_;
    bool of_words_;  // terms are words with spaces between
    Buffer<Slot> slots_;
    std::size_t mask_ = 0;
    std::uint32_t duplicate_ = no_term;
};

// Looks documents up in a lexicon; one per thread.
class WordFinder {
  public:
    static constexpr std::size_t piece_bytes = 1 << 16;  // whose entries are sorted in the cache
    static constexpr bool spared = true;                 // holds little memory when it is done

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
        words_.clear(), hashes_.clear(), joined_.clear();
        splitter_.fold(document);
        splitter_.each([&](const unsigned char* data, std::size_t size) {
            const std::uint64_t hash = Lexicon::hash_word(data, size);
            const Word word{reinterpret_cast<const char*>(data), size};
            if (stop_words_.size() &&
                stop_words_.find(hash, [&](std::string_view s) { return s == word; }) != no_term)
                return;
            if (min_n_ == 1) lexicon_.prefetch(hash);
            words_.push(word);
            hashes_.push(hash);
        });
        joined_.append(hashes_.data(), hashes_.size());
        for (std::size_t n = 1; n <= max_n_ && n <= words_.size(); ++n) {
            const std::size_t terms = words_.size() - n + 1;
            if (n > 1)
                for (std::size_t i = 0; i < terms; ++i) {
                    joined_[i] = join_hash(joined_[i], hashes_[i + n - 1], HashKey::get());
                    lexicon_.prefetch(joined_[i]);
                }
            if (n < min_n_) continue;
            for (std::size_t i = 0; i < terms; ++i) {
                std::uint32_t column =
                    lexicon_.find(joined_[i], [&](std::string_view term) { return matches(term, i, n); });
                if (column == no_term && n == 1) column = unknown_;
                if (column != no_term) found(column, 1u);
            }
        }
        shapes_(document, [&](const unsigned char* data, std::size_t size) {
            const Word shape{reinterpret_cast<const char*>(data), size};
            const std::uint32_t column = lexicon_.find(Lexicon::hash_word(data, size),
                                                       [&](std::string_view term) { return term == shape; });
            if (column != no_term) found(column, 1u);
        });
    }

  private:
    using Word = std::string_view;

    bool matches(std::string_view term, std::size_t first, std::size_t n) const {
        for (std::size_t k = 0; k < n; ++k) {
            const Word word = words_[first + k];
            if (!term.starts_with(word)) return false;
            term.remove_prefix(word.size());
            if (k + 1 == n) return term.empty();
            if (term.empty() || term[0] != ' ') return false;
            term.remove_prefix(1);
        }
        return false;
    }

    WordSplitter splitter_;
    ShapeReader shapes_;
    const Lexicon& lexicon_;
    const Lexicon& stop_words_;
    std::uint32_t unknown_;
    std::size_t min_n_, max_n_;
    Buffer<Word> words_;
    Buffer<std::uint64_t> hashes_, joined_;
};

class CharFinder {
  public:
    static constexpr std::size_t piece_bytes = 1 << 14;  // whose entries are sorted in the cache
    static constexpr bool spared = false;                // remembers many words

    CharFinder(const TextOptions& options, const Lexicon& lexicon) : reader_(options, Find{&lexicon}) {}

    template <class Found>
    void operator()(const Document& document, Found found) {
        reader_(document, [&](std::uint32_t column, std::uint32_t times) {
            if (column != no_term) found(column, times);
        });
    }

  private:
    struct Find {
        const Lexicon* lexicon;
        using Prepared = std::uint64_t;
        void prepare(const unsigned char* data, std::size_t size, std::uint64_t& hash) const {
            hash = Lexicon::hash_word(data, size);
            lexicon->prefetch(hash);
        }
        std::uint32_t resolve(std::uint64_t hash, const unsigned char* data, std::size_t size) const {
            const std::string_view text(reinterpret_cast<const char*>(data), size);
            return lexicon->find(hash, [&](std::string_view term) { return term == text; });
        }
        void fetch(std::uint32_t) const {}
    };
    CharReader<Find> reader_;
};

}  // namespace lindy
