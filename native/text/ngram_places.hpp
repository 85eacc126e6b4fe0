// Where the known n-grams of characters are in a text.
#pragma once

#include "text/chars.hpp"
#include "text/lexicon.hpp"

namespace lindy {

// Calls found(column, first character, n) for every n-gram of the text that is a term, short ones first, those
// of one length from the text's beginning to its end.
template <class Found>
void find_ngram_places(const Lexicon& lexicon, std::string_view text, std::size_t min_n, std::size_t max_n,
                       Found found) {
    const auto* data = reinterpret_cast<const unsigned char*>(text.data());
    Buffer<std::uint32_t> starts;
    character_starts(data, text.size(), starts);
    for (std::size_t n = min_n; n <= max_n && n < starts.size(); ++n)
        for (std::size_t i = 0; i + n < starts.size(); ++i) {
            const std::string_view ngram = text.substr(starts[i], starts[i + n] - starts[i]);
            const std::uint32_t column =
                lexicon.find(HashedWord::before(data + text.size(), ngram, lexicon.hash_key()));
            if (column != no_term) found(column, i, n);
        }
}

}  // namespace lindy
