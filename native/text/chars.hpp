// Character n-grams: of whole texts, or within words with a space at both ends.
#pragma once

#include "text/analyze.hpp"
#include "text/vocabulary.hpp"
#include "text/word_table.hpp"

namespace lindy {

// Where each character of some text begins, and where the last ends.
inline void character_starts(const unsigned char* data, std::size_t size, Buffer<std::uint32_t>& starts) {
    starts.clear();
    for (std::size_t i = 0; i < size; ++i)
        if ((data[i] & 0xC0) != 0x80) starts.push(static_cast<std::uint32_t>(i));
    starts.push(static_cast<std::uint32_t>(size));
}

// Calls resolve(data, size), which gives every n-gram a code, and emit.all(codes, n, times) for the n-grams
// of a document, some at a time, in the order of scikit-learn's analysis, where an n-gram may come several
// times; resolve may leave codes out. Where emit has it, emit.fetch(codes, n) tells what comes soon. What a
// word resolves to is remembered: the words of a text repeat, and come in the next.
template <class Resolve>
class CharReader {
  public:
    CharReader(const TextOptions& options, Resolve resolve)
        : within_words_(options.terms == TextOptions::Terms::characters_in_words),
          min_n_(static_cast<std::size_t>(options.min_n)),
          max_n_(static_cast<std::size_t>(options.max_n)),
          fold_(options.lower, options.accents, within_words_ ? Keep::non_space : Keep::everything),
          resolve_(resolve) {}

    template <class Emit>
    void operator()(const Document& document, Emit emit) {
        if (document.size >= no_term / 8)
            throw std::length_error("a document of more than 512 million characters");
        fold_(document, text_);
        if (within_words_)
            read_words(emit);
        else
            read_text(emit);
    }

    // Whether the document read last had lone surrogates.
    bool has_surrogates() const { return text_.has_surrogates; }

    // Gives back the memory of the words.
    void forget() {
        known_ = Dictionary();
        codes_ = {};
        code_starts_ = {};
    }

  private:
    static constexpr std::size_t remembered = 64;  // bytes of the longest word that is
    static constexpr std::size_t most_waiting = 32;
    static constexpr std::size_t ahead = 12;       // how early a word's slot is fetched
    static constexpr std::size_t word_costs = 16;  // as many codes as a remembered word takes memory itself

    // One word of the document: its codes if it is remembered, otherwise its text.
    struct Word {
        std::uint32_t id, times;
        const unsigned char* data;
        std::size_t size;
    };

    struct Codes {
        const std::uint32_t *begin = nullptr, *end = nullptr;
        std::size_t size() const { return static_cast<std::size_t>(end - begin); }
    };

    template <class Emit>
    void read_words(Emit emit) {
        // memory stays bounded, and documents of one number apart
        if (codes_.size() + word_costs * known_.size() > Resolve::most_codes || ++row_ == no_term) {
            forget();
            row_ = 0;
        }
        find_words();
        code_starts_.push(codes_.size());
        const auto codes_of = [&](std::size_t w) {
            const std::uint32_t id = w < words_.size() ? words_[w].id : no_term;
            return id == no_term
                       ? Codes{}
                       : Codes{codes_.data() + code_starts_[id], codes_.data() + code_starts_[id + 1]};
        };
        for (std::size_t w = 0; w < words_.size(); ++w) {
            const Word& word = words_[w];
            if (const Codes later = codes_of(w + 4); later.begin) __builtin_prefetch(later.begin);
            if constexpr (requires { emit.fetch(codes_.data(), w); }) {
                if (const Codes next = codes_of(w + 2); next.begin) emit.fetch(next.begin, next.size());
            }
            if (word.id == no_term) {
                each_ngram(word.data, word.size, true, once(emit));
            } else {
                const Codes own = codes_of(w);
                emit.all(own.begin, own.size(), word.times);
            }
        }
        code_starts_.resize(code_starts_.size() - 1);
    }

    // Notes the words of the document, each once, and resolves those that are new.
    void find_words() {
        const HashKey& hash_key = HashKey::get();
        words_.clear(), tokens_.clear();
        split(text_, [&](const unsigned char* data, std::size_t size) __attribute__((always_inline)) {
            HashedWord& token = tokens_.next();
            const Key key = size > remembered ? Key{} : make_key(data, size, hash_key);
            token.key.low = key.low, token.key.high = key.high, token.hash = key.hash(hash_key);
            token.data = data, token.size = size;
        });
        for (std::size_t t = 0; t < tokens_.size(); ++t) {
            if (t + ahead < tokens_.size()) known_.prefetch(tokens_[t + ahead].hash);
            const auto& [key, hash, data, size] = tokens_[t];
            if (size > remembered) {
                words_.push({no_term, 1, data - 1, size + 2});
                continue;
            }
            Dictionary::Slot& slot = known_.slot(data, size, key, hash);
            if (slot.last_row == row_) {
                ++words_[slot.position].times;
                continue;
            }
            slot.last_row = row_;
            slot.position = static_cast<std::uint32_t>(words_.size());
            words_.push({slot.id, 1, nullptr, 0});
            if (slot.id + 1 == known_.size() && code_starts_.size() == slot.id) {
                code_starts_.push(codes_.size());
                each_ngram(data - 1, size + 2, true,
                           [&](const std::uint32_t* codes, std::size_t n) { codes_.append(codes, n); });
            }
        }
    }

    template <class Emit>
    void read_text(Emit emit) {
        join_spaces();
        each_ngram(text_.data(), text_.size(), false, once(emit));
    }

    template <class Emit>
    static auto once(Emit& emit) {
        return [&emit](const std::uint32_t* codes, std::size_t n) { emit.all(codes, n, 1u); };
    }

    // Two or more characters of white space become one space.
    void join_spaces() {
        static const FoldTable plain = fold_table(false, Accents::keep);
        unsigned char* data = text_.data();
        std::size_t to = 0;
        for (std::size_t i = 0; i < text_.size();) {
            const auto [c, size] = written_utf8(data + i);
            std::size_t end = i + size;
            if (plain.entry(c) & FoldTable::space) {
                std::size_t last = end, run = 1;
                while (last < text_.size()) {
                    const auto [next, bytes] = written_utf8(data + last);
                    if (!(plain.entry(next) & FoldTable::space)) break;
                    last += bytes;
                    ++run;
                }
                if (run > 1) {
                    data[to++] = ' ';
                    i = last;
                    continue;
                }
            }
            std::memmove(data + to, data + i, size);
            to += size;
            i = end;
        }
        text_.finish(to);
    }

    // Calls put(codes, n) for the n-grams of some text. A word shorter than n gives its whole self, once.
    template <class Put>
    void each_ngram(const unsigned char* data, std::size_t size, bool is_word, Put put) {
        std::size_t non_ascii = 0;
        for (std::size_t i = 0; i < size; ++i) non_ascii += data[i] >> 7;
        std::size_t characters = size;
        if (non_ascii) {
            character_starts(data, size, starts_);
            characters = starts_.size() - 1;
        }
        for (std::size_t n = min_n_; n <= max_n_; ++n) {
            if (n >= characters) {
                if (is_word || n == characters) wait(data, size, put);
                break;
            }
            if (!non_ascii)
                for (std::size_t i = 0; i + n <= characters; ++i) wait(data + i, n, put);
            else
                for (std::size_t i = 0; i + n <= characters; ++i)
                    wait(data + starts_[i], starts_[i + n] - starts_[i], put);
        }
        flush(put);
    }

    // N-grams wait a little between being prepared and being resolved, while their memory comes.
    template <class Put>
    void wait(const unsigned char* data, std::size_t size, Put put) {
        Waiting& waiting = waiting_[n_waiting_++];
        resolve_.prepare(data, size, waiting.prepared);
        waiting.data = data, waiting.size = size;
        if (n_waiting_ == most_waiting) flush(put);
    }
    template <class Put>
    void flush(Put put) {
        std::uint32_t codes[most_waiting];
        std::size_t n = 0;
        for (std::size_t k = 0; k < n_waiting_; ++k) {
            codes[n] = resolve_.resolve(waiting_[k].prepared, waiting_[k].data, waiting_[k].size);
            n += resolve_.is_kept(codes[n]);
        }
        n_waiting_ = 0;
        put(codes, n);
    }

    struct Waiting {
        typename Resolve::Prepared prepared;
        const unsigned char* data;
        std::size_t size;
    };

    bool within_words_;
    std::size_t min_n_, max_n_;
    Folder fold_;
    Resolve resolve_;
    std::size_t n_waiting_ = 0;
    Waiting waiting_[most_waiting];
    Folded text_;
    Buffer<std::uint32_t> starts_;
    Dictionary known_;
    std::uint32_t row_ = 0;
    Buffer<HashedWord> tokens_;
    Buffer<Word> words_;
    Buffer<std::uint32_t> codes_;
    Buffer<std::uint64_t> code_starts_;
};

}  // namespace lindy
