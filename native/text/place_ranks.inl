// Kernels of text/place_ranks.hpp, compiled once per instruction set, of which most count bits by themselves.

inline std::uint32_t count_bits(std::uint64_t x) {
#if LINDY_VECTOR_BYTES > 16
    return static_cast<std::uint32_t>(__builtin_popcountll(x));
#else
    x -= x >> 1 & 0x5555555555555555;
    x = (x & 0x3333333333333333) + (x >> 2 & 0x3333333333333333);
    x = (x + (x >> 4)) & 0x0F0F0F0F0F0F0F0F;
    return static_cast<std::uint32_t>(x * 0x0101010101010101 >> 56);
#endif
}

inline std::uint32_t rank_of(const PlaceWord* words, std::uint32_t place) {
    const PlaceWord& word = words[place / 64];
    return word.before + count_bits(word.bits & ((std::uint64_t{1} << place % 64) - 1));
}

// ranks[i] = the rank of places[i].
inline void find_ranks(const PlaceWord* words, const std::uint32_t* places, std::size_t n,
                       std::uint32_t* ranks) {
    for (std::size_t i = 0; i < n; ++i) ranks[i] = rank_of(words, places[i]);
}

// Items have a place in their upper half, which becomes its rank; items whose place has none are left out.
// Returns how many stay.
inline std::size_t keep_ranked(const PlaceWord* words, std::uint64_t* items, std::size_t n) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const auto place = static_cast<std::uint32_t>(items[i] >> 32);
        items[kept] = std::uint64_t{rank_of(words, place)} << 32 | static_cast<std::uint32_t>(items[i]);
        kept += words[place / 64].bits >> place % 64 & 1;
    }
    return kept;
}
