// The CRC-32 of zip, gzip and PNG, at the speed of memory where the processor can multiply polynomials.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>

#include "core/isa.hpp"

#if defined(__x86_64__) && !defined(LINDY_BASELINE_ONLY)
#define LINDY_CRC32_FOLDS
#include <immintrin.h>
#endif

namespace lindy {

// Whether this machine multiplies polynomials (PCLMULQDQ); isa.cpp.
bool has_pclmul();

namespace crc {

// Polynomials over {0, 1} are written with the coefficient of x⁰ in the highest bit, as bytes are read.
inline constexpr std::uint32_t polynomial = 0xEDB88320;  // without its highest power, x³²

// x · p modulo the polynomial.
constexpr std::uint32_t shifted(std::uint32_t p) {
    return p & 1 ? p >> 1 ^ polynomial : p >> 1;
}

// tables[k][b]: what a byte b contributes when k more bytes follow it.
inline constexpr auto tables = [] {
    std::array<std::array<std::uint32_t, 256>, 8> made{};
    for (std::uint32_t b = 0; b < 256; ++b) {
        std::uint32_t p = b;
        for (int bit = 0; bit < 8; ++bit) p = shifted(p);
        made[0][b] = p;
    }
    for (std::size_t k = 1; k < made.size(); ++k)
        for (std::size_t b = 0; b < 256; ++b)
            made[k][b] = made[k - 1][b] >> 8 ^ made[0][made[k - 1][b] & 0xFF];
    return made;
}();

// Eight bytes at a time: what each contributes is looked up, and summed.
inline std::uint32_t by_table(const unsigned char* data, std::size_t size, std::uint32_t crc) {
    for (; size >= 8; data += 8, size -= 8) {
        std::uint64_t eight;
        std::memcpy(&eight, data, 8);
        eight ^= crc;
        crc = 0;
        for (std::size_t k = 0; k < 8; ++k) crc ^= tables[7 - k][eight >> 8 * k & 0xFF];
    }
    for (; size > 0; ++data, --size) crc = crc >> 8 ^ tables[0][(crc ^ *data) & 0xFF];
    return crc;
}

#if defined(LINDY_CRC32_FOLDS)

// xⁿ modulo the polynomial, as a factor: the product of two reflected numbers is one bit too low.
constexpr std::int64_t power(int n) {
    std::uint32_t p = 1u << 31;
    for (int i = 0; i < n; ++i) p = shifted(p);
    return static_cast<std::int64_t>(std::uint64_t{p} << 1);
}

// acc · xⁿ + next for 128 bits: the first 64 of them times xⁿ⁺³², the others times xⁿ⁻³², each of which has
// been reduced to 32 bits.
[[gnu::target("pclmul,sse4.1"), gnu::always_inline]] inline __m128i fold(__m128i acc, __m128i factors,
                                                                         __m128i next) {
    const __m128i low = _mm_clmulepi64_si128(acc, factors, 0x00);
    const __m128i high = _mm_clmulepi64_si128(acc, factors, 0x11);
    return _mm_xor_si128(_mm_xor_si128(low, high), next);
}

// Four lanes of 16 bytes are each folded onto what comes 64 bytes later, then onto each other; the last 16
// bytes, which have the remainder of all before them, go through the table. (Gopal et al., Fast CRC
// Computation for Generic Polynomials Using PCLMULQDQ Instruction, Intel 2009.)
[[gnu::target("pclmul,sse4.1")]] inline std::uint32_t by_folding(const unsigned char* data, std::size_t size,
                                                                 std::uint32_t crc) {
    const auto load = [](const unsigned char* at) __attribute__((target("pclmul,sse4.1"), always_inline)) {
        return _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    };
    const __m128i by_64 = _mm_set_epi64x(power(4 * 128 - 32), power(4 * 128 + 32));
    const __m128i by_16 = _mm_set_epi64x(power(128 - 32), power(128 + 32));
    __m128i lanes[4];
    for (int j = 0; j < 4; ++j) lanes[j] = load(data + 16 * j);
    lanes[0] = _mm_xor_si128(lanes[0], _mm_cvtsi32_si128(static_cast<int>(crc)));
    for (data += 64, size -= 64; size >= 64; data += 64, size -= 64)
        for (int j = 0; j < 4; ++j) lanes[j] = fold(lanes[j], by_64, load(data + 16 * j));
    __m128i all = lanes[0];
    for (int j = 1; j < 4; ++j) all = fold(all, by_16, lanes[j]);
    for (; size >= 16; data += 16, size -= 16) all = fold(all, by_16, load(data));
    unsigned char rest[16];
    _mm_storeu_si128(reinterpret_cast<__m128i*>(rest), all);
    return by_table(data, size, by_table(rest, sizeof rest, 0));
}

#endif

// Whether this processor multiplies polynomials. Otherwise zlib, which interleaves five tables, is faster.
inline bool can_fold() {
#if defined(LINDY_CRC32_FOLDS)
    static const bool can = isa() >= Isa::avx2 && has_pclmul();
    return can;
#else
    return false;
#endif
}

}  // namespace crc

// The CRC of what `before` is the CRC of (0 for nothing), followed by these bytes.
inline std::uint32_t crc32(const unsigned char* data, std::size_t size, std::uint32_t before) {
#if defined(LINDY_CRC32_FOLDS)
    if (size >= 64 && crc::can_fold()) return ~crc::by_folding(data, size, ~before);
#endif
    return ~crc::by_table(data, size, ~before);
}

}  // namespace lindy
