// A number of 128 bits that tells sequences of strings apart, at the speed of memory. It is no protection
// against a search for two sequences with the same number.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>

#include "core/dictionary.hpp"

namespace lindy {

// The first fractional bits of π, made odd.
inline constexpr std::array<std::uint64_t, 8> fingerprint_keys = {
    0x243F6A8885A308D3, 0x13198A2E03707345, 0xA4093822299F31D1, 0x082EFA98EC4E6C89,
    0x452821E638D01377, 0xBE5466CF34E90C6D, 0xC0AC29B7C97C50DD, 0x3F84D5B5B5470917};

class Fingerprint {
  public:
    // Reads a string: four lanes take a word of eight bytes each in turn (the last ones filled up with
    // zeros), s_j ← fold_multiply(s_j ⊕ w_j, key_j), and meet at the end.
    void add(const unsigned char* text, std::size_t size) {
        std::array<std::uint64_t, 4> s = {1, 2, 3, 4};
        std::array<std::uint64_t, 4> words;
        const auto step = [&] {
            for (std::size_t j = 0; j < 4; ++j) s[j] = fold_multiply(s[j] ^ words[j], fingerprint_keys[j]);
        };
        std::size_t i = 0;
        for (; size - i >= sizeof words; i += sizeof words) {
            std::memcpy(words.data(), text + i, sizeof words);
            step();
        }
        if (i < size) {
            words.fill(0);
            std::memcpy(words.data(), text + i, size - i);
            step();
        }
        mix(fold_multiply(s[0] ^ size, s[1] ^ fingerprint_keys[6]),
            fold_multiply(s[2], s[3] ^ fingerprint_keys[7]));
    }
    // Ends a sequence, so that [a], [b] is not [a, b].
    void end() { mix(~std::uint64_t{0}, ~std::uint64_t{0}); }

    std::uint64_t first() const { return first_; }
    std::uint64_t second() const { return second_; }

  private:
    void mix(std::uint64_t a, std::uint64_t b) {
        first_ = fold_multiply(first_ ^ a, fingerprint_keys[4] ^ b);
        second_ = fold_multiply(second_ ^ b, fingerprint_keys[5] ^ a);
    }
    std::uint64_t first_ = 5, second_ = 6;
};

}  // namespace lindy
