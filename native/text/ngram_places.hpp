// Where the known n-grams of characters are in a text whose letters are folded.
#pragma once

#include "text/chars.hpp"
#include "text/lexicon.hpp"

namespace lindy {

// Characters in UTF-8, and the place in a text to which each of them belongs.
struct PlacedCharacters {
    Buffer<unsigned char> bytes;
    Buffer<std::uint32_t> starts, places;

    void push(char32_t c, std::size_t place) {
        starts.push(static_cast<std::uint32_t>(bytes.size()));
        places.push(static_cast<std::uint32_t>(place));
        unsigned char utf8[4];
        bytes.append(utf8, static_cast<std::size_t>(put_utf8(utf8, c) - utf8));
    }
    std::size_t size() const { return starts.size(); }
};

// The words of n characters, each with a space before and after, which belong to its first and last
// character.
template <class At, class IsSpace>
PlacedCharacters padded_words(std::size_t n, At at, IsSpace is_space) {
    PlacedCharacters words;
    for (std::size_t i = 0; i < n; ++i) {
        if (is_space(at(i))) continue;
        if (i == 0 || is_space(at(i - 1))) words.push(U' ', i);
        words.push(at(i), i);
        if (i + 1 == n || is_space(at(i + 1))) words.push(U' ', i);
    }
    return words;
}

// Calls found(column, first place, last place) for every n-gram of the characters that is a term, short ones
// first, those of one length from the beginning to the end.
template <class Found>
void find_ngram_places(const Lexicon& lexicon, PlacedCharacters& text, std::size_t min_n, std::size_t max_n,
                       Found found) {
    const std::size_t n_characters = text.size();
    text.starts.push(static_cast<std::uint32_t>(text.bytes.size()));
    const unsigned char* data = text.bytes.data();
    const unsigned char* end = data + text.bytes.size();
    for (std::size_t n = min_n; n <= max_n && n <= n_characters; ++n)
        for (std::size_t i = 0; i + n <= n_characters; ++i) {
            const std::string_view ngram(reinterpret_cast<const char*>(data) + text.starts[i],
                                         text.starts[i + n] - text.starts[i]);
            const std::uint32_t column =
                lexicon.find(HashedWord::before(end, ngram, lexicon.hash_key())).column;
            if (column != no_term) found(column, text.places[i], text.places[i + n - 1]);
        }
}

}  // namespace lindy
