// What explanations ask about a few terms: where they are in a text, and what they are called.
#include "bind/term_index.hpp"
#include "text/ngram_places.hpp"

namespace lindy {

using Places = std::tuple<Array<std::int64_t>, Array<std::int64_t>, Array<std::int64_t>>;

static Places ngram_places(const TermIndex& index, nb::bytes text) {
    require(index.options.terms != TextOptions::Terms::words, "the terms must be n-grams of characters");
    require(text.size() < no_term, "a text of more than 4 GB");
    // a word that is shorter than the shortest n-gram is one, with its two spaces
    const bool whole = index.options.terms == TextOptions::Terms::characters_in_words;
    const int shortest = whole ? std::min(index.options.min_n, 3) : index.options.min_n;
    Buffer<std::int64_t> columns, begins, lengths;
    {
        nb::gil_scoped_release released;
        find_ngram_places(index.lexicon, {text.c_str(), text.size()}, static_cast<std::size_t>(shortest),
                          static_cast<std::size_t>(index.options.max_n),
                          [&](std::uint32_t column, std::size_t begin, std::size_t n) {
                              columns.push(column);
                              begins.push(static_cast<std::int64_t>(begin));
                              lengths.push(static_cast<std::int64_t>(n));
                          });
    }
    return {to_numpy(std::move(columns)), to_numpy(std::move(begins)), to_numpy(std::move(lengths))};
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
               "Where terms of characters are in a text in UTF-8, with its spaces as the terms have them: their "
               "columns, first characters and lengths in characters, short ones first.");
    module.def("strings_at", &strings_at, nb::arg("bytes"), nb::arg("offsets"), nb::arg("numbers"),
               "The terms of some numbers as Python strings.");
}

}  // namespace lindy
