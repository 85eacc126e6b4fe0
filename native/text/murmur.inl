// MurmurHash3 of many strings at once, one in each lane; eight at most, because the longest string of all
// lanes says how long they take.

constexpr std::size_t lane_bytes = LINDY_VECTOR_BYTES < 32 ? LINDY_VECTOR_BYTES : 32;
typedef std::uint32_t Lanes __attribute__((vector_size(lane_bytes)));
constexpr std::size_t n_lanes = lane_bytes / sizeof(std::uint32_t);

inline Lanes murmur_lanes_at(const std::uint32_t* numbers) {
    Lanes lanes;
    std::memcpy(&lanes, numbers, sizeof(lanes));
    return lanes;
}

inline Lanes murmur_block(Lanes k) {
    k *= 0xCC9E2D51;
    return (k << 15 | k >> 17) * 0x1B873593;
}

// Four bytes of each string, which begins at its own offset. They are collected in memory first: compilers
// would put them into the lanes one by one, which takes longer.
inline Lanes murmur_load(const unsigned char* text, Lanes offsets) {
    std::uint32_t collected[n_lanes];
    for (std::size_t l = 0; l < n_lanes; ++l) std::memcpy(collected + l, text + offsets[l], 4);
#if defined(__GNUC__)
    asm("" : "+m"(collected));
#endif
    return murmur_lanes_at(collected);
}

inline Lanes murmur_end(const unsigned char* text, Lanes begins, Lanes sizes, Lanes h) {
    const Lanes rest = murmur_load(text, begins + (sizes & ~3u)) & (((Lanes{} + 1) << (sizes & 3) * 8) - 1);
    h ^= murmur_block(rest) ^ sizes;
    h = (h ^ h >> 16) * 0x85EBCA6B;
    h = (h ^ h >> 13) * 0xC2B2AE35;
    return h ^ h >> 16;
}

// The hashes of strings, and of strings that go on behind them.
struct TwoLanes {
    Lanes shorter, longer;
};
inline TwoLanes murmur_lanes(const unsigned char* text, Lanes begins, Lanes sizes, Lanes longer,
                             std::uint32_t longest) {
    TwoLanes h = {};
    for (std::uint32_t at = 0; at + 4 <= longest; at += 4) {
        Lanes next = h.longer ^ murmur_block(murmur_load(text, begins + at));
        next = (next << 13 | next >> 19) * 5 + 0xE6546B64;
        h.longer = longer >= at + 4 ? next : h.longer;  // shorter strings have ended
        h.shorter = sizes >= at + 4 ? next : h.shorter;
    }
    return {murmur_end(text, begins, sizes, h.shorter), murmur_end(text, begins, longer, h.longer)};
}

// The hashes of the terms of n words, and with `longer` those of n + 1; see text/murmur.hpp.
inline void murmur3_of_terms(const unsigned char* text, const std::uint32_t* starts, std::size_t n_terms,
                             std::size_t n, std::uint32_t* hashes, std::uint32_t* longer) {
    const std::size_t words = longer ? n + 1 : n;
    const auto size_of = [&](std::size_t i, std::size_t k) { return starts[i + k] - 1 - starts[i]; };
    const auto one_by_one = [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            hashes[i] = murmur3(text + starts[i], size_of(i, n), 0);
            if (longer) longer[i] = murmur3(text + starts[i], size_of(i, words), 0);
        }
    };
    std::size_t i = 0;
    for (; i + n_lanes <= n_terms; i += n_lanes) {
        std::uint32_t longest = 0;
        for (std::size_t l = 0; l < n_lanes; ++l) longest = std::max(longest, size_of(i + l, words));
        if (longest > murmur_margin) {
            one_by_one(i, i + n_lanes);
            continue;
        }
        const Lanes begins = murmur_lanes_at(starts + i);
        const Lanes sizes = murmur_lanes_at(starts + i + n) - 1 - begins;
        if (longer) {
            const Lanes further = murmur_lanes_at(starts + i + words) - 1 - begins;
            const TwoLanes h = murmur_lanes(text, begins, sizes, further, longest);
            std::memcpy(hashes + i, &h.shorter, sizeof(Lanes));
            std::memcpy(longer + i, &h.longer, sizeof(Lanes));
        } else {
            const Lanes h = murmur_lanes(text, begins, Lanes{}, sizes, longest).longer;
            std::memcpy(hashes + i, &h, sizeof(h));
        }
    }
    one_by_one(i, n_terms);
}
