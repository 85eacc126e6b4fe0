// Terms to columns by a hash alone: no vocabulary to learn.
#pragma once

#include <cstdlib>

#include "lexicon.hpp"

namespace lindy {

// Sixteen bytes at data are read, and three after its end. MurmurHash3 (x86, 32 bits) by Austin Appleby,
// which he placed in the public domain: the hash of scikit-learn.
inline std::uint32_t murmur3(const unsigned char* data, std::size_t size, std::uint32_t seed) {
    const std::uint32_t c1 = 0xCC9E2D51, c2 = 0x1B873593;
    auto rotate = [](std::uint32_t x, int r) { return x << r | x >> (32 - r); };
    auto mixed = [&](std::uint32_t h, std::size_t i) {
        std::uint32_t k;
        std::memcpy(&k, data + i, 4);
        return rotate(h ^ rotate(k * c1, 15) * c2, 13) * 5 + 0xE6546B64;
    };
    std::uint32_t h = seed;
    if (size <= 16) {  // nearly always; without a branch on the length, which nothing could foresee
        for (std::size_t i = 0; i < 16; i += 4) {
            const std::uint32_t next = mixed(h, i);
            h = i + 4 <= size ? next : h;
        }
    } else {
        for (std::size_t i = 0; i + 4 <= size; i += 4) h = mixed(h, i);
    }
    std::uint32_t k;  // the rest; the bytes after it are cut off
    std::memcpy(&k, data + (size & ~std::size_t{3}), 4);
    k &= (1u << 8 * (size & 3)) - 1;
    h ^= rotate(k * c1, 15) * c2;
    h ^= static_cast<std::uint32_t>(size);
    h = (h ^ h >> 16) * 0x85EBCA6B;
    h = (h ^ h >> 13) * 0xC2B2AE35;
    return h ^ h >> 16;
}

// A term's column and sign. Without a key it is scikit-learn's; with one, nobody who does not know it can
// choose terms that share a column.
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
        const auto h = static_cast<std::int32_t>(murmur3(data, size, 0));
        const std::uint32_t magnitude =
            h < 0 ? 0u - static_cast<std::uint32_t>(h) : static_cast<std::uint32_t>(h);
        const std::uint32_t column =
            n_columns & (n_columns - 1) ? magnitude % n_columns : magnitude & (n_columns - 1);
        return column << 1 | (signs && h < 0 ? 1u : 0u);
    }
};

// The same for a reader of characters.
struct CharHash {
    TermHash hash;
    using Prepared = std::uint32_t;
    void prepare(const unsigned char* data, std::size_t size, std::uint32_t& code) const {
        code = hash(data, size);
    }
    std::uint32_t resolve(std::uint32_t code, const unsigned char*, std::size_t) const { return code; }
    void fetch(std::uint32_t) const {}
};

// Hashes the word n-grams of documents.
class WordHasher {
  public:
    WordHasher(const TextOptions& options, const TermHash& hash, const Lexicon& stop_words)
        : splitter_(options),
          shapes_(options),
          hash_(hash),
          stop_words_(stop_words),
          min_n_(static_cast<std::size_t>(options.min_n)),
          max_n_(static_cast<std::size_t>(options.max_n)) {}

    // Calls found(column, times); times is negative (modulo 2^32) for a negative sign.
    template <class Found>
    void operator()(const Document& document, Found found) {
        read(document);
        for (std::size_t n = min_n_; n <= max_n_ && n < starts_.size(); ++n)
            for (std::size_t i = 0; i + n < starts_.size(); ++i) {
                const unsigned char* data = text_.data() + starts_[i];
                const std::size_t size = starts_[i + n] - 1 - starts_[i];
                const std::uint32_t code = hash_(data, size);
                found(code >> 1, 1u - 2u * (code & 1));
            }
        shapes_(document, [&](const unsigned char* data, std::size_t size) {
            const std::uint32_t code = hash_(data, size);
            found(code >> 1, 1u - 2u * (code & 1));
        });
    }

  private:
    // The words with single spaces between, so that every n-gram is a stretch of it.
    void read(const Document& document) {
        starts_.clear();
        unsigned char* const begin = text_.resize(splitter_.fold(document).size() + 32);
        unsigned char* to = begin;
        splitter_.each([&](const unsigned char* data, std::size_t size) {
            if (stop_words_.size()) {
                const std::string_view word(reinterpret_cast<const char*>(data), size);
                auto equals = [&](std::string_view stop) { return stop == word; };
                if (stop_words_.find(Lexicon::hash_word(data, size), equals) != no_term) return;
            }
            starts_.push(static_cast<std::size_t>(to - begin));
            if (size <= 16)
                std::memcpy(to, data, 16);
            else
                std::memcpy(to, data, size);
            to += size;
            *to++ = ' ';
        });
        starts_.push(static_cast<std::size_t>(to - begin));
    }

    WordSplitter splitter_;
    ShapeReader shapes_;
    TermHash hash_;
    const Lexicon& stop_words_;
    std::size_t min_n_, max_n_;
    Buffer<unsigned char> text_;
    Buffer<std::size_t> starts_;
};

class CharHasher {
  public:
    CharHasher(const TextOptions& options, const TermHash& hash) : reader_(options, CharHash{hash}) {}

    template <class Found>
    void operator()(const Document& document, Found found) {
        reader_(document, [&](std::uint32_t code, std::uint32_t times) {
            found(code >> 1, code & 1 ? 0u - times : times);
        });
        if (reader_.has_surrogates()) throw BadText(true);
    }

  private:
    CharReader<CharHash> reader_;
};

}  // namespace lindy
