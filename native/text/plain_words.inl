// The words of folded ASCII, where nothing but their lengths has to be looked at.

// Copies the words of `least` bytes and more, with a space after each, and notes where they begin, and where
// one more would; returns how many there are, or −1 if not all is ASCII. `data` has `size` bytes and spaces
// behind them, `to` room for 32 bytes more than it gets. Without a branch on what cannot be foreseen: all
// edges of 64 bytes are found first, and short words are written over by the next.
inline std::int64_t copy_plain_words(const unsigned char* data, std::size_t size, std::size_t least,
                                     unsigned char* const to, std::uint32_t* starts) {
    constexpr int at_once = 8;
    std::uint32_t edges[1 + 64 + at_once];  // where words begin and end; of a word that goes on, the first
    std::size_t n_edges = 0, end = 0, n_words = 0;
    std::uint64_t outside = 1;  // whether the byte before was a space
    for (std::size_t base = 0; base <= size; base += 64) {
        std::uint64_t others = 0;
        for (int k = 0; k < 8; ++k) {
            std::uint64_t eight;
            std::memcpy(&eight, data + base + 8 * k, sizeof eight);
            others |= eight;
        }
        if (others & 0x8080808080808080) return -1;
        const std::uint64_t spaces = space_mask(data + base);
        std::uint64_t found = spaces ^ (spaces << 1 | outside);
        outside = spaces >> 63;
        const int n_found = std::popcount(found);
        for (int k = 0; k < n_found; k += at_once)
            for (int j = 0; j < at_once; ++j, found &= found - 1)
                edges[n_edges + k + j] = static_cast<std::uint32_t>(base) + std::countr_zero(found);
        n_edges += n_found;
        for (std::size_t k = 0; k + 1 < n_edges; k += 2) {
            const unsigned char* const word = data + edges[k];
            const std::size_t length = edges[k + 1] - edges[k];
            starts[n_words] = static_cast<std::uint32_t>(end);
            std::memcpy(to + end, word, 16);
            if (length > 16) [[unlikely]]
                std::memcpy(to + end + 16, word + 16, length - 16);
            to[end + length] = ' ';
            n_words += length >= least;
            end += length >= least ? length + 1 : 0;
        }
        edges[0] = edges[n_edges - (n_edges > 0)];
        n_edges %= 2;
    }
    starts[n_words] = static_cast<std::uint32_t>(end);
    return static_cast<std::int64_t>(n_words);
}
