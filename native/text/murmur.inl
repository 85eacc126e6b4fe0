// MurmurHash3 of many strings at once, one in each lane.

typedef std::uint32_t Lanes __attribute__((vector_size(LINDY_VECTOR_BYTES)));
constexpr std::size_t n_lanes = LINDY_VECTOR_BYTES / sizeof(std::uint32_t);

inline Lanes murmur_block(Lanes k) {
    k *= 0xCC9E2D51;
    return (k << 15 | k >> 17) * 0x1B873593;
}

// Four bytes of each string at its own offset.
inline Lanes murmur_load(const unsigned char* const* strings, Lanes offsets) {
    Lanes k;
    for (std::size_t l = 0; l < n_lanes; ++l) {
        std::uint32_t bytes;
        std::memcpy(&bytes, strings[l] + offsets[l], sizeof(bytes));
        k[l] = bytes;
    }
    return k;
}

inline Lanes murmur_lanes(const unsigned char* const* strings, Lanes sizes, std::size_t longest) {
    Lanes h = {};
    for (std::uint32_t at = 0; at + 4 <= longest; at += 4) {
        Lanes next = h ^ murmur_block(murmur_load(strings, Lanes{} + at));
        next = (next << 13 | next >> 19) * 5 + 0xE6546B64;
        h = sizes >= at + 4 ? next : h;  // shorter strings have ended
    }
    const Lanes rest = murmur_load(strings, sizes & ~3u) & (((Lanes{} + 1) << (sizes & 3) * 8) - 1);
    h ^= murmur_block(rest) ^ sizes;
    h = (h ^ h >> 16) * 0x85EBCA6B;
    h = (h ^ h >> 13) * 0xC2B2AE35;
    return h ^ h >> 16;
}

// The hashes of the terms of n words; see text/murmur.hpp.
inline void murmur3_of_terms(const unsigned char* text, const std::uint32_t* starts, std::size_t n_terms,
                             std::size_t n, std::uint32_t* hashes) {
    std::size_t i = 0;
    for (; i + n_lanes <= n_terms; i += n_lanes) {
        const unsigned char* strings[n_lanes];
        Lanes sizes;
        std::uint32_t longest = 0;
        for (std::size_t l = 0; l < n_lanes; ++l) {
            strings[l] = text + starts[i + l];
            sizes[l] = starts[i + l + n] - 1 - starts[i + l];
            longest = sizes[l] > longest ? sizes[l] : longest;
        }
        if (longest <= murmur_margin) {
            const Lanes h = murmur_lanes(strings, sizes, longest);
            std::memcpy(hashes + i, &h, sizeof(h));
        } else {
            for (std::size_t l = 0; l < n_lanes; ++l) hashes[i + l] = murmur3(strings[l], sizes[l], 0);
        }
    }
    for (; i < n_terms; ++i) hashes[i] = murmur3(text + starts[i], starts[i + n] - 1 - starts[i], 0);
}
