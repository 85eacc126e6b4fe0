// Terms to columns by a hash alone: no vocabulary to learn.
#pragma once

#include <cstdlib>

#include "text/chars.hpp"
#include "text/lexicon.hpp"
#include "text/murmur.hpp"
#include "text/shapes.hpp"

#define LINDY_KERNELS "text/plain_words.inl"
#include "core/for_each_isa.hpp"

namespace lindy {

// A term's column and sign. Without a key it is scikit-learn's; with one, choosing terms
// that share a column needs the key.
struct TermHash {
    std::uint32_t n_columns;
    bool signs;
    bool keyed;
    HashKey key;

    // column << 1 | (whether the sign is negative)
    std::uint32_t operator()(const unsigned char* data, std::size_t size) const {
        if (keyed) {
            const std::uint64_t h = make_key(data, size, key).hash(key);
            const auto column = static_cast<std::uint32_t>((h >> 32) * n_columns >> 32);
            return column << 1 | (signs ? static_cast<std::uint32_t>(h & 1) : 0);
        }
        std::uint32_t code = murmur3(data, size, 0);
        codes(&code, 1);
        return code;
    }

    // Hashes without a key become columns and signs.
    void codes(std::uint32_t* hashes, std::size_t n) const {
        const bool power_of_two = (n_columns & (n_columns - 1)) == 0;
        const std::uint32_t mask = n_columns - 1, sign = signs;
        for (std::size_t i = 0; power_of_two && i < n; ++i) {
            const std::uint32_t negative = hashes[i] >> 31;
            hashes[i] = (((hashes[i] ^ (0 - negative)) + negative) & mask) << 1 | (negative & sign);
        }
        for (std::size_t i = 0; !power_of_two && i < n; ++i) {
            const std::uint32_t negative = hashes[i] >> 31;
            hashes[i] = (((hashes[i] ^ (0 - negative)) + negative) % n_columns) << 1 | (negative & sign);
        }
    }
};

// The same for a reader of characters.
struct CharHash {
    TermHash hash;
    using Prepared = std::uint32_t;
    static constexpr std::size_t most_codes = 8 << 20;
    bool is_kept(std::uint32_t) const { return true; }
    void prepare(const unsigned char* data, std::size_t size, std::uint32_t& code) const {
        code = hash(data, size);
    }
    std::uint32_t resolve(std::uint32_t code, const unsigned char*, std::size_t) const { return code; }
};

// Hashes the word n-grams of documents.
class WordHasher {
  public:
    static constexpr std::size_t piece_bytes = 1 << 16;  // whose entries are sorted in the cache

    WordHasher(const TextOptions& options, const TermHash& hash, const Lexicon& stop_words)
        : splitter_(options),
          shapes_(options),
          hash_(hash),
          stop_words_(stop_words),
          min_n_(static_cast<std::size_t>(options.min_n)),
          max_n_(static_cast<std::size_t>(options.max_n)),
          least_(static_cast<std::size_t>(options.min_chars)),
          lengths_alone_(!options.marks && stop_words.size() == 0) {}

    // Calls found as RowCollector has it.
    template <class Found>
    void operator()(const Document& document, Found found) {
        const auto hash_one = [&](const unsigned char* data, std::size_t size) {
            const std::uint32_t code = hash_(data, size);
            found(code >> 1, 1u - 2u * (code & 1));
        };
        read(document, [&](const unsigned char* data, std::size_t size) {
            if (min_n_ == 1 && !is_stopped(data, size)) hash_one(data, size);
        });
        for (std::size_t g = 0; g <= gaps_.size(); ++g) {
            const std::size_t begin = g ? gaps_[g - 1] : 0;
            const std::size_t end = g < gaps_.size() ? gaps_[g] : starts_.size() - 1;
            hash_words(starts_.data() + begin, end - begin, found);
        }
        shapes_(document, hash_one);
    }

  private:
    // Hashes the n-grams of words that follow one another; there is one more start, after the last.
    template <class Found>
    void hash_words(const std::uint32_t* starts, std::size_t n_words, Found found) {
        for (std::size_t n = min_n_; n <= max_n_ && n <= n_words; ++n) {
            const std::size_t n_terms = n_words + 1 - n;
            const bool both = !hash_.keyed && n < max_n_;  // n-grams of one more word, too
            std::size_t n_codes = n_terms;
            std::uint32_t* codes = codes_.resize(2 * n_terms);
            if (hash_.keyed) {
                for (std::size_t i = 0; i < n_terms; ++i)
                    codes[i] = hash_(text_.data() + starts[i], starts[i + n] - 1 - starts[i]);
            } else if (!both) {
                murmur3_of_terms(text_.data(), starts, n_terms, n, codes);
            } else {
                murmur3_of_terms(text_.data(), starts, n_terms - 1, n, codes, codes + n_terms);
                murmur3_of_terms(text_.data(), starts + n_terms - 1, 1, n, codes + n_terms - 1);
                n_codes += n_terms - 1;
                ++n;
            }
            if (!hash_.keyed) hash_.codes(codes, n_codes);
            found.codes(codes, n_codes);
        }
    }

    bool is_stopped(const unsigned char* data, std::size_t size) const {
        return stop_words_.size() && stop_words_.has(HashedWord(data, size, stop_words_.hash_key()));
    }

    // The words with single spaces between, so that every n-gram is a stretch of it; ngram(data, size) is
    // called for the n-grams of runs between them.
    template <class Ngram>
    void read(const Document& document, Ngram ngram) {
        starts_.clear(), gaps_.clear();
        const Folded& folded = splitter_.fold(document);
        const std::size_t size = folded.size();
        if (size >= no_term - 2 * murmur_margin)
            throw std::length_error("a document of more than four billion bytes");
        unsigned char* const begin = text_.resize(size + 2 * murmur_margin);
        if (lengths_alone_) {
            std::uint32_t* const starts = starts_.resize(size / 2 + 2);
            const std::int64_t n = LINDY_SELECT(copy_plain_words)(folded.data(), size, least_, begin, starts);
            starts_.resize(static_cast<std::size_t>(n + 1));
            if (n >= 0) return;
        }
        unsigned char* to = begin;
        const auto put = [&](const unsigned char* data, std::size_t word_size) {
            if (is_stopped(data, word_size)) return;
            if (is_gap(data)) return gaps_.push(static_cast<std::uint32_t>(starts_.size()));
            starts_.push(static_cast<std::uint32_t>(to - begin));
            if (word_size <= 16)
                std::memcpy(to, data, 16);
            else
                std::memcpy(to, data, word_size);
            to += word_size;
            *to++ = ' ';
        };
        splitter_.each(put, ngram);
        starts_.push(static_cast<std::uint32_t>(to - begin));
    }

    WordSplitter splitter_;
    ShapeReader shapes_;
    TermHash hash_;
    const Lexicon& stop_words_;
    std::size_t min_n_, max_n_, least_;
    bool lengths_alone_;  // whether a word of ASCII is a token by its length alone
    Buffer<unsigned char> text_;
    Buffer<std::uint32_t> starts_, gaps_, codes_;  // gaps: the words that come after one
};

class CharHasher {
  public:
    static constexpr std::size_t piece_bytes = 1 << 14;  // whose entries are sorted in the cache

    CharHasher(const TextOptions& options, const TermHash& hash) : reader_(options, CharHash{hash}) {}

    template <class Found>
    void operator()(const Document& document, Found found) {
        reader_(document, Emit<Found>{found});
        if (reader_.has_surrogates()) throw BadText(true);
    }

  private:
    template <class Found>
    struct Emit {
        Found& found;
        void all(const std::uint32_t* codes, std::size_t n, std::uint32_t times) const {
            for (std::size_t k = 0; k < n; ++k) found(codes[k] >> 1, codes[k] & 1 ? 0u - times : times);
        }
    };
    CharReader<CharHash> reader_;
};

}  // namespace lindy
