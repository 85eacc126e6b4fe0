// Strings to numbers, in the order of their first appearance.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <string_view>

#include "buffer.hpp"

namespace lindy {

// Hashing with a key drawn once per process: nobody can choose words that collide. No result depends on it.
struct HashKey {
    std::uint64_t a, b, c;
    static const HashKey& get() {
        static const HashKey key = [] {
            std::random_device source;
            auto draw = [&] { return static_cast<std::uint64_t>(source()) << 32 | source() | 1; };
            return HashKey{draw(), draw(), draw()};
        }();
        return key;
    }
};

inline std::uint64_t fold_multiply(std::uint64_t x, std::uint64_t y) {
    const unsigned __int128 product = static_cast<unsigned __int128>(x) * y;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

// Up to 15 bytes are their own key, the sixteenth says how many; longer strings are represented by a hash.
struct Key {
    std::uint64_t low, high;
    bool operator==(const Key&) const = default;
    bool is_long() const { return high >> 56 == 0xFF; }
    std::uint64_t hash(const HashKey& key) const { return fold_multiply(low ^ key.a, high ^ key.b); }
};

inline std::uint64_t hash_bytes(const unsigned char* data, std::size_t size, const HashKey& key) {
    std::uint64_t state = key.c ^ size;
    for (; size > 16; data += 16, size -= 16) {
        std::uint64_t word[2];
        std::memcpy(word, data, 16);
        state = fold_multiply(word[0] ^ key.a ^ state, word[1] ^ key.b);
    }
    std::uint64_t word[2] = {0, 0};
    std::memcpy(word, data, size);
    return fold_multiply(word[0] ^ key.a ^ state, word[1] ^ key.b);
}

// Reads 16 bytes at data, whatever the size.
inline Key make_key(const unsigned char* data, std::size_t size, const HashKey& key) {
    if (size > 15) [[unlikely]]
        return {hash_bytes(data, size, key), 0xFFull << 56 | size};
    std::uint64_t low, high;
    std::memcpy(&low, data, 8);
    std::memcpy(&high, data + 8, 8);
    if (size < 8) {
        low &= (1ull << 8 * size) - 1;
        high = 0;
    } else {
        high &= (1ull << 8 * (size - 8)) - 1;
    }
    return {low, high | static_cast<std::uint64_t>(size) << 56};
}

// The bytes of many strings, one after the other.
struct Strings {
    Buffer<unsigned char> bytes;
    Buffer<std::uint64_t> ends;

    std::size_t size() const { return ends.size(); }
    std::string_view operator[](std::size_t i) const {
        const std::uint64_t begin = i ? ends[i - 1] : 0;
        return {reinterpret_cast<const char*>(bytes.data()) + begin, ends[i] - begin};
    }
    void push(const unsigned char* data, std::size_t size) {
        bytes.append(data, size);
        ends.push(bytes.size());
    }
};

// A hash table whose slot answers everything about a word at once, in half a cache line.
class Dictionary {
  public:
    static constexpr std::uint32_t none = ~0u;

    struct Slot {
        Key key;
        std::uint32_t id;
        std::uint32_t last_row;   // the last document that had the word …
        std::uint32_t position;   // … and where in that document's row
        std::uint32_t documents;  // how many documents had it
    };

    Dictionary() { rehash(1 << 10); }

    // The slot of a string, added if new. The slot is valid until the next call. 16 bytes at data must be
    // readable.
    [[gnu::always_inline]] Slot& slot(const unsigned char* data, std::size_t size, const Key& key,
                                      std::uint64_t hash) {
        Slot& first = slots_[hash & mask_];
        if (first.key.low == key.low && first.key.high == key.high && !key.is_long()) [[likely]]
            return first;
        return look_further(data, size, key, hash);
    }

    void prefetch(std::uint64_t hash) const { __builtin_prefetch(&slots_[hash & mask_]); }

    std::size_t size() const { return strings_.size(); }
    const Strings& strings() const { return strings_; }

    // How many slots the unluckiest word is away from where its hash says.
    std::size_t longest_probe() const {
        std::size_t longest = 0;
        for (std::size_t i = 0; i <= mask_; ++i)
            if (slots_[i].key.high)
                longest = std::max(longest, (i - slots_[i].key.hash(HashKey::get())) & mask_);
        return longest;
    }

    template <class Visit>
    void for_each(Visit visit) const {
        for (std::size_t i = 0; i <= mask_; ++i)
            if (slots_[i].key.high) visit(slots_[i]);
    }

  private:
    [[gnu::noinline]] Slot& look_further(const unsigned char* data, std::size_t size, const Key& key,
                                         std::uint64_t hash) {
        Slot* found = probe(data, size, key, hash);
        if (found->key.high) return *found;
        if (2 * (strings_.size() + 1) > mask_ + 1) {
            rehash(2 * (mask_ + 1));
            found = probe(data, size, key, hash);
        }
        *found = {key, static_cast<std::uint32_t>(strings_.size()), none, 0, 0};
        strings_.push(data, size);
        return *found;
    }

    Slot* probe(const unsigned char* data, std::size_t size, const Key& key, std::uint64_t hash) {
        for (std::size_t i = hash & mask_;; i = (i + 1) & mask_) {
            Slot& slot = slots_[i];
            if (slot.key == key) [[likely]] {
                if (!key.is_long() ||
                    strings_[slot.id] == std::string_view(reinterpret_cast<const char*>(data), size))
                    return &slot;
            } else if (!slot.key.high) {
                return &slot;
            }
        }
    }

    void rehash(std::size_t capacity) {
        auto old = std::move(slots_);
        const std::size_t old_size = old ? mask_ + 1 : 0;
        slots_ = std::make_unique<Slot[]>(capacity);
        mask_ = capacity - 1;
        for (std::size_t k = 0; k < old_size; ++k) {
            if (!old[k].key.high) continue;
            std::size_t i = old[k].key.hash(HashKey::get()) & mask_;
            while (slots_[i].key.high) i = (i + 1) & mask_;
            slots_[i] = old[k];
        }
    }

    std::unique_ptr<Slot[]> slots_;
    std::size_t mask_ = 0;
    Strings strings_;
};

}  // namespace lindy
