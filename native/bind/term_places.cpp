// What explanations ask about a few terms: where they are in a text, and what they are called.
#include "bind/term_index.hpp"
#include "text/ngram_places.hpp"

namespace lindy {

using Places = std::tuple<Array<std::int64_t>, Array<std::int64_t>, Array<std::int64_t>>;

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
    {
        nb::gil_scoped_release released;
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
    }
    return {to_numpy(std::move(columns)), to_numpy(std::move(firsts)), to_numpy(std::move(lasts))};
}

static nb::typed<nb::list, nb::str> strings_at(In<std::uint8_t> bytes, In<std::int64_t> offsets,
                                               In<std::int64_t> numbers) {
    const auto n_terms = static_cast<std::int64_t>(offsets.size()) - 1;
    nb::typed<nb::list, nb::str> list;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        const std::int64_t number = numbers.data()[i];
        require(0 <= number && number < n_terms, "there is no term of such a number");
        const std::int64_t begin = offsets.data()[number], end = offsets.data()[number + 1];
        require(0 <= begin && begin <= end && end <= static_cast<std::int64_t>(bytes.size()),
                "a term lies outside of the bytes");
        list.append(decoded_term(bytes.data() + begin, end - begin));
    }
    return list;
}

void bind_term_places(nb::module_& module) {
    module.def("ngram_places", &ngram_places, nb::arg("index"), nb::arg("text"),
               "Where terms of characters are in a folded text: their columns, and their first and last "
               "characters, short ones first.");
    module.def("strings_at", &strings_at, nb::arg("bytes"), nb::arg("offsets"), nb::arg("numbers"),
               "The terms of some numbers as Python strings.");
}

}  // namespace lindy
