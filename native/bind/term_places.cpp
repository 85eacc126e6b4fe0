// What explanations ask: where terms are in a text, what they are called, what each character gets of them.
#include "bind/term_index.hpp"
#include "text/attribution.hpp"
#include "text/ngram_places.hpp"

namespace lindy {

using Places = std::tuple<Buffer<std::int64_t>, Buffer<std::int64_t>, Buffer<std::int64_t>>;

static Places ngram_places(const TermIndex& index, nb::str text) {
    const TextOptions& options = index.options;
    require(options.terms != TextOptions::Terms::words, "the terms must be n-grams of characters");
    const auto n = static_cast<std::size_t>(PyUnicode_GET_LENGTH(text.ptr()));
    require(n < no_term / 8, "a text of more than 512 million characters");
    const auto width = PyUnicode_KIND(text.ptr());
    const void* data = PyUnicode_DATA(text.ptr());
    const auto at = [&](std::size_t i) { return static_cast<char32_t>(PyUnicode_READ(width, data, i)); };
    const bool in_words = options.terms == TextOptions::Terms::characters_in_words;
    // a word that is shorter than the shortest n-gram is one, with its two spaces
    const int shortest = in_words ? std::min(options.min_n, 3) : options.min_n;
    Buffer<std::int64_t> columns, firsts, lasts;
    released([&] {
        PlacedCharacters characters;
        if (in_words)
            characters = padded_words(n, at, [](char32_t c) { return Py_UNICODE_ISSPACE(c) != 0; });
        else
            for (std::size_t i = 0; i < n; ++i) characters.push(at(i), i);
        find_ngram_places(index.lexicon, characters, static_cast<std::size_t>(shortest),
                          static_cast<std::size_t>(options.max_n),
                          [&](std::uint32_t column, std::uint32_t first, std::uint32_t last) {
                              columns.push(column);
                              firsts.push(first);
                              lasts.push(last);
                          });
    });
    return {std::move(columns), std::move(firsts), std::move(lasts)};
}

static nb::typed<nb::list, nb::str> strings_at(In<std::uint8_t> bytes, In<std::int64_t> offsets,
                                               In<std::int64_t> numbers) {
    const auto n_terms = length(offsets) - 1;
    nb::typed<nb::list, nb::str> list;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        const std::int64_t number = numbers.data()[i];
        require(0 <= number && number < n_terms, "there is no term of such a number");
        const std::int64_t begin = offsets.data()[number], end = offsets.data()[number + 1];
        require(0 <= begin && begin <= end && end <= length(bytes), "a term lies outside of the bytes");
        list.append(decoded_term(bytes.data() + begin, end - begin));
    }
    return list;
}

static Buffer<double> credit_of(In<double> part, In<std::int64_t> first, In<std::int64_t> last,
                                In2<std::int64_t> spans, std::size_t n_characters) {
    const std::size_t n_units = spans.shape(0), n = part.size();
    require(first.size() == n && last.size() == n, "part, first and last must have the same length");
    require(n_units == 0 || spans.shape(1) == 2, "spans must have two columns");
    for (std::size_t i = 0; i < n; ++i)
        require(0 <= first.data()[i] && first.data()[i] < last.data()[i] &&
                    last.data()[i] <= static_cast<std::int64_t>(n_units),
                "an occurrence must cover units that there are");
    for (std::size_t u = 0; u < n_units; ++u)
        require(0 <= spans.data()[2 * u] && spans.data()[2 * u] <= spans.data()[2 * u + 1] &&
                    spans.data()[2 * u + 1] <= static_cast<std::int64_t>(n_characters),
                "a unit must lie in the text");
    Buffer<double> credit(n_characters);
    spread_credit({part.data(), first.data(), last.data(), n}, spans.data(), n_units, n_characters,
                  credit.data());
    return credit;
}

void bind_term_places(nb::module_& module) {
    module.def("ngram_places", &ngram_places, "index"_a, "text"_a,
               "Where terms of characters are in a folded text: their columns, and their first and last "
               "characters, short ones first.");
    module.def("strings_at", &strings_at, "bytes"_a, "offsets"_a, "numbers"_a,
               "The terms of some numbers as Python strings.");
    module.def("spread_credit", unlocked(&credit_of), "part"_a, "first"_a, "last"_a, "spans"_a,
               "n_characters"_a,
               "What each character of a text gets of the parts of occurrences, which cover units of it.");
}

}  // namespace lindy
