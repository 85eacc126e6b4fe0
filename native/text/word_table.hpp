// Strings to numbers: the words that are known before any text is read.
#pragma once

#include <string_view>

#include "core/dictionary.hpp"
#include "text/vocabulary.hpp"

namespace lindy {

// Strings one after the other, which somebody else owns.
struct StringList {
    const unsigned char* bytes = nullptr;
    const std::int64_t* offsets = nullptr;
    std::size_t n = 0;

    std::size_t size() const { return n; }
    std::string_view operator[](std::size_t i) const {
        return {reinterpret_cast<const char*>(bytes) + offsets[i], length(i)};
    }
    std::size_t length(std::size_t i) const { return static_cast<std::size_t>(offsets[i + 1] - offsets[i]); }
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

    // Of a word that may be near the `end` of readable memory.
    static HashedWord before(const unsigned char* end, std::string_view word, const HashKey& hash_key) {
        const auto* data = reinterpret_cast<const unsigned char*>(word.data());
        if (word.size() > 15 || end - data >= 16) return {data, word.size(), hash_key};
        unsigned char padded[16] = {};
        std::copy_n(data, word.size(), padded);
        HashedWord near_end(padded, word.size(), hash_key);
        near_end.data = data;
        return near_end;
    }
};

// The number of a word and the column that it is; no_term where there is none.
struct KnownWord {
    std::uint32_t number, column;
};

// Numbers and columns of words: slot by slot from where the hash says, until an empty one. At most two thirds
// of the slots are used, which is known when they are made, or they are dealt again. The hash has a key that
// is drawn for each process: no words can be chosen to collide.
class WordTable {
  public:
    void reserve(std::size_t n) {
        Buffer<Slot> old = std::move(slots_);
        slots_ = Buffer<Slot>(n + n / 2 + 1);
        std::memset(static_cast<void*>(slots_.data()), 0, slots_.size() * sizeof(Slot));
        for (const Slot& slot : old)
            if (slot.number_plus_1) {
                std::size_t i = index(slot.key.hash(HashKey::get()));
                while (slots_[i].number_plus_1) i = next(i);
                slots_[i] = slot;
            }
    }

    [[gnu::always_inline]] void prefetch(const HashedWord& word) const {
        __builtin_prefetch(&slots_[index(word.hash)]);
    }

    // `words` are those that were added, in the order of their numbers.
    [[gnu::always_inline]] KnownWord find(const HashedWord& word, const StringList& words) const {
        const Slot& slot = slots_[place(word, words)];
        return {slot.number_plus_1 - 1, slot.column_plus_1 - 1};
    }
    // The number of a word, added with the given one and its column if it is new.
    std::uint32_t add(const HashedWord& word, KnownWord as, const StringList& words) {
        Slot& slot = slots_[place(word, words)];
        if (slot.number_plus_1) return slot.number_plus_1 - 1;
        slot = {word.key, as.number + 1, as.column + 1};
        if (3 * ++used_ > 2 * slots_.size()) reserve(2 * used_);
        return as.number;
    }

  private:
    struct Slot {
        Key key;
        std::uint32_t number_plus_1, column_plus_1;  // so that zeros are none
    };
    std::size_t index(std::uint64_t hash) const {
        return static_cast<std::size_t>(static_cast<unsigned __int128>(hash) * slots_.size() >> 64);
    }
    std::size_t next(std::size_t i) const { return i + 1 < slots_.size() ? i + 1 : 0; }
    [[gnu::always_inline]] std::size_t place(const HashedWord& word, const StringList& words) const {
        std::size_t i = index(word.hash);
        while (slots_[i].number_plus_1 && !is(slots_[i], word, words)) i = next(i);
        return i;
    }
    [[gnu::always_inline]] static bool is(const Slot& slot, const HashedWord& word, const StringList& words) {
        return slot.key == word.key && (!word.key.is_long() || words[slot.number_plus_1 - 1] == word.text());
    }

    Buffer<Slot> slots_;
    std::size_t used_ = 0;
};

}  // namespace lindy
