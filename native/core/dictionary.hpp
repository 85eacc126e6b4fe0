// Strings to numbers, in the order of their first appearance.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <random>
#include <string_view>

#include "core/buffer.hpp"
#include "core/huge_pages.hpp"

namespace lindy {

// Hashing with a key drawn once per process: words cannot be chosen to collide. No result depends on it.
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

// Both halves of a product, so that every bit of the factors reaches every bit of the result.
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
    // no branch, because lengths of words cannot be guessed: whole bytes of ones up to the size
    static constexpr auto ones = [] {
        std::array<std::array<std::uint64_t, 2>, 16> masks{};
        for (int n = 0; n < 16; ++n)
            for (int k = 0; k < n; ++k) masks[n][k / 8] |= 0xFFull << 8 * (k % 8);
        return masks;
    }();
    std::uint64_t low, high;
    std::memcpy(&low, data, 8);
    std::memcpy(&high, data + 8, 8);
    low &= ones[size][0], high &= ones[size][1];
    return {low, high | static_cast<std::uint64_t>(size) << 56};
}

// The same in fewer bytes: up to 11 are their own key.
struct ShortKey {
    std::uint64_t low;
    std::uint32_t high;
    bool is_long() const { return high >> 24 == 0xFF; }
    std::uint64_t hash(const HashKey& key) const { return fold_multiply(low ^ key.a, high ^ key.b); }
};

inline ShortKey make_short_key(const unsigned char* data, std::size_t size, const HashKey& key) {
    if (size > 11) [[unlikely]]
        return {hash_bytes(data, size, key), 0xFFu << 24 | static_cast<std::uint32_t>(size & 0xFFFFFF)};
    std::uint64_t low;
    std::uint32_t high;
    std::memcpy(&low, data, 8);
    std::memcpy(&high, data + 8, 4);
    if (size < 8) {
        low &= (1ull << 8 * size) - 1;
        high = 0;
    } else {
        high &= (1u << 8 * (size - 8)) - 1;
    }
    return {low, high | static_cast<std::uint32_t>(size) << 24};
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
    void push(std::string_view text) {
        push(reinterpret_cast<const unsigned char*>(text.data()), text.size());
    }
};

// What a dictionary knows about a word: everything at once, in half a cache line.
struct WordSlot {
    using Key = lindy::Key;
    static constexpr std::uint32_t none = ~0u;
    static constexpr std::size_t fullest = 4;  // eighths of a table that are taken before it grows

    Key own_key;
    std::uint32_t id;
    std::uint32_t last_row;   // the last document that had the word …
    std::uint32_t position;   // … and where in that document's row
    std::uint32_t documents;  // how many documents had it

    static WordSlot make(const Key& key, std::uint32_t id) { return {key, id, none, 0, 0}; }
    Key key() const { return own_key; }
    bool has(const Key& key) const { return own_key == key; }
    bool is_taken() const { return own_key.high; }
};

// A number alone, in as little memory as can be: there are many more n-grams of characters than words.
struct NgramSlot {
    using Key = ShortKey;
    static constexpr std::size_t fullest = 6;

    std::uint64_t low;
    std::uint32_t high;
    std::uint32_t id;

    static NgramSlot make(const Key& key, std::uint32_t id) { return {key.low, key.high, id}; }
    Key key() const { return {low, high}; }
    bool has(const Key& key) const { return low == key.low && high == key.high; }
    bool is_taken() const { return high; }
};

// A hash table of strings.
template <class SlotOfString>
class StringTable {
  public:
    using Slot = SlotOfString;
    using Key = typename Slot::Key;

    StringTable() { rehash(1 << 10); }

    // The slot of a string, added if new. The slot is valid until the next call. 16 bytes at data must be
    // readable.
    [[gnu::always_inline]] Slot& slot(const unsigned char* data, std::size_t size, const Key& key,
                                      std::uint64_t hash) {
        Slot& first = slots_[hash & mask_];
        if (first.has(key) && !key.is_long()) [[likely]]
            return first;
        return look_further(data, size, key, hash);
    }

    void prefetch(std::uint64_t hash) const { __builtin_prefetch(&slots_[hash & mask_]); }

    // The same for the text of what stands there, which a key of a long string is compared with.
    void prefetch_text(const Key& key, std::uint64_t hash) const {
        const Slot& first = slots_[hash & mask_];
        if (!key.is_long() || !first.has(key)) return;
        const std::uint64_t* const end = strings_.ends.data() + first.id;
        __builtin_prefetch(strings_.bytes.data() + (first.id ? end[-1] : 0));
    }

    std::size_t size() const { return strings_.size(); }
    const Strings& strings() const { return strings_; }

    template <class Visit>
    void for_each(Visit visit) const {
        for (const Slot& slot : slots_)
            if (slot.is_taken()) visit(slot);
    }

    // Gives back the memory of everything but the strings; nothing can be looked up any more.
    void keep_strings() { slots_ = {}; }

  private:
    [[gnu::noinline]] Slot& look_further(const unsigned char* data, std::size_t size, const Key& key,
                                         std::uint64_t hash) {
        Slot* found = probe(data, size, key, hash);
        if (found->is_taken()) return *found;
        if (8 * (strings_.size() + 1) > Slot::fullest * (mask_ + 1)) {
            rehash(2 * (mask_ + 1));
            found = probe(data, size, key, hash);
        }
        *found = Slot::make(key, static_cast<std::uint32_t>(strings_.size()));
        strings_.push(data, size);
        return *found;
    }

    Slot* probe(const unsigned char* data, std::size_t size, const Key& key, std::uint64_t hash) {
        for (std::size_t i = hash & mask_;; i = (i + 1) & mask_) {
            Slot& slot = slots_[i];
            if (slot.has(key)) [[likely]] {
                if (!key.is_long() ||
                    strings_[slot.id] == std::string_view(reinterpret_cast<const char*>(data), size))
                    return &slot;
            } else if (!slot.is_taken()) {
                return &slot;
            }
        }
    }

    void rehash(std::size_t capacity) {
        const HugeVector<Slot> old = std::exchange(slots_, HugeVector<Slot>(capacity));
        mask_ = capacity - 1;
        for (const Slot& slot : old) {
            if (!slot.is_taken()) continue;
            std::size_t i = slot.key().hash(HashKey::get()) & mask_;
            while (slots_[i].is_taken()) i = (i + 1) & mask_;
            slots_[i] = slot;
        }
    }

    HugeVector<Slot> slots_;
    std::size_t mask_ = 0;
    Strings strings_;
};

using Dictionary = StringTable<WordSlot>;
using NgramDictionary = StringTable<NgramSlot>;

}  // namespace lindy
