// Kernels of text/column_counts.hpp, compiled once per instruction set, of which most count bits by
// themselves. Uses those of text/place_ranks.inl.

// Appends the numbers of the bits that are set in one of many words to `to`, and a few more, which are
// overwritten: how many bits a word has cannot be guessed.
template <int usual>
[[gnu::always_inline]] inline std::uint32_t* put_bits(std::uint64_t bits, std::uint32_t word,
                                                      std::uint32_t* to) {
    std::uint32_t* const end = to + count_bits(bits);
    for (int j = 0; j < usual; ++j, bits &= bits - 1)
        *to++ = word * 64 + static_cast<std::uint32_t>(std::countr_zero(bits));
    for (; bits; bits &= bits - 1) [[unlikely]]
        *to++ = word * 64 + static_cast<std::uint32_t>(std::countr_zero(bits));
    return end;
}

// The distinct upper halves of n entries in ascending order, and the sums of their lower halves; returns how
// many. `words` have a bit for every column and `summary` one for every word, all zero before and afterwards.
// `columns`, `counts` and `touched` have room for n + 4 numbers.
inline std::size_t count_columns(const std::uint64_t* entries, std::size_t n, PlaceWord* words,
                                 std::uint64_t* summary, std::size_t n_summary, std::uint32_t* touched,
                                 std::uint32_t* columns, std::int32_t* counts) {
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint64_t column = entries[i] >> 32, word = column / 64;
        words[word].bits |= std::uint64_t{1} << column % 64;
        summary[word / 64] |= std::uint64_t{1} << word % 64;
    }
    std::uint32_t* end = touched;
    for (std::size_t s = 0; s < n_summary; ++s) {
        end = put_bits<4>(summary[s], static_cast<std::uint32_t>(s), end);
        summary[s] = 0;
    }
    std::uint32_t* to = columns;
    for (const std::uint32_t* word = touched; word < end; ++word) {
        words[*word].before = static_cast<std::uint32_t>(to - columns);
        to = put_bits<2>(words[*word].bits, *word, to);
    }
    const auto n_columns = static_cast<std::size_t>(to - columns);
    std::fill_n(counts, n_columns, 0);
    for (std::size_t i = 0; i < n; ++i)
        counts[rank_of(words, static_cast<std::uint32_t>(entries[i] >> 32))] +=
            static_cast<std::int32_t>(entries[i]);
    for (const std::uint32_t* word = touched; word < end; ++word) words[*word].bits = 0;
    return n_columns;
}
