// Counting and finding terms.
#include "bind_text.hpp"

#include <limits>

#include "counter.hpp"
#include "find_rows.hpp"

namespace lindy {

static WordOptions word_options(bool lower, int accents, bool marks, int min_chars, int min_n, int max_n) {
    require(0 <= accents && accents <= 2, "accents must be 0, 1 or 2");
    require(min_chars >= 1, "min_chars must be at least 1");
    require(1 <= min_n && min_n <= max_n, "n-grams must be from at least 1 to at least as many words");
    return {lower, static_cast<Accents>(accents), marks, min_chars, min_n, max_n};
}

// Runs body without the interpreter's lock; invalid UTF-8 becomes a ValueError that names the document.
template <class Body>
static void unlocked(std::size_t position, Body body) {
    try {
        nb::gil_scoped_release released;
        body();
    } catch (const InvalidUtf8& error) {
        throw nb::value_error(
            ("document " + std::to_string(position + error.document) + " is not valid UTF-8").c_str());
    }
}

static TermArrays terms(Counter& counter) {
    Buffer<unsigned char> bytes;
    Buffer<std::int64_t> offsets;
    {
        nb::gil_scoped_release released;
        offsets.push(0);
        const Vocabulary& vocabulary = counter.vocabulary();
        vocabulary.for_each_column([&](std::size_t n, std::uint32_t term) {
            vocabulary.append_text(n, term, bytes);
            offsets.push(static_cast<std::int64_t>(bytes.size()));
        });
    }
    return {to_numpy(std::move(bytes)), to_numpy(std::move(offsets))};
}

template <class Value>
static RowArrays<Value> counted_rows(Counter& counter, bool binary, int threads) {
    Buffer<std::int64_t> starts;
    Buffer<std::int32_t> indices;
    Buffer<Value> values;
    {
        nb::gil_scoped_release released;
        starts = counter.row_starts(threads);
        const auto stored = static_cast<std::size_t>(starts[counter.n_rows()]);
        indices = Buffer<std::int32_t>(stored);
        values = Buffer<Value>(stored);
        counter.rows(
            starts.data(), indices.data(), values.data(), binary,
            [](Value*, const std::int32_t*, std::int64_t) {}, threads);
    }
    return {to_numpy(std::move(starts)), to_numpy(std::move(indices)), to_numpy(std::move(values))};
}

static void bind_counter(nb::module_& module) {
    nb::class_<Counter>(module, "WordCounter", "Learns a vocabulary of word n-grams and counts it.")
        .def(nb::init<const WordOptions&>(), nb::arg("options"))
        .def(
            "stop_word",
            [](Counter& counter, nb::bytes word) {
                if (word.size()) counter.stop_word(std::string(word.c_str(), word.size()));
            },
            nb::arg("word"), "Leaves a word (in UTF-8) out; before the first add.")
        .def(
            "add",
            [](Counter& counter, const Texts& texts, int threads) {
                unlocked(0, [&] { counter.add(texts.documents, threads); });
            },
            nb::arg("texts"), nb::arg("threads"), "Reads more documents.")
        .def_prop_ro("n_rows", &Counter::n_rows)
        .def_prop_ro("n_columns", [](Counter& counter) { return counter.vocabulary().n_columns; })
        .def_prop_ro("empty", &Counter::empty, "Whether the texts had no term at all.")
        .def("release", &Counter::release, "Forgets everything but the vocabulary.")
        .def("number", &Counter::number, nb::arg("low"), nb::arg("threads"),
             nb::call_guard<nb::gil_scoped_release>(),
             "Numbers the terms that occur in at least `low` documents.")
        .def(
            "totals",
            [](Counter& counter, std::uint32_t high, bool binary) {
                return to_numpy(counter.totals(high, binary));
            },
            nb::arg("high"), nb::arg("binary"),
            "How often each numbered term in at most `high` documents occurs, in alphabetic order.")
        .def(
            "choose",
            [](Counter& counter, std::uint32_t high, std::optional<In<std::uint8_t>> mask) {
                if (mask) {
                    counter.choose(high, nullptr);
                    require(mask->size() == counter.vocabulary().n_columns,
                            "mask must have one entry per term");
                }
                counter.choose(high, mask ? mask->data() : nullptr);
                require(counter.vocabulary().n_columns <= std::numeric_limits<std::int32_t>::max(),
                        "more than 2^31 - 1 features");
            },
            nb::arg("high"), nb::arg("mask").none(), "Makes features of terms in at most `high` documents.")
        .def("document_frequency",
             [](const Counter& counter) { return to_numpy(counter.document_frequency()); })
        .def("terms", &terms, "The features' text in alphabetic order: UTF-8 bytes and offsets.")
        .def("rows_f32", &counted_rows<float>, nb::arg("binary"), nb::arg("threads"))
        .def("rows_f64", &counted_rows<double>, nb::arg("binary"), nb::arg("threads"))
        .def("rows_i64", &counted_rows<std::int64_t>, nb::arg("binary"), nb::arg("threads"));
}

// Terms as two arrays that Python owns, checked before they are trusted.
struct Terms {
    In<std::uint8_t> bytes;
    In<std::int64_t> offsets;

    Terms(In<std::uint8_t> text, In<std::int64_t> ends) : bytes(text), offsets(ends) {
        require(offsets.size() >= 1 && offsets.size() - 1 < no_term,
                "terms must have between 0 and 2^32 - 2 entries");
        const std::int64_t* at = offsets.data();
        const std::size_t n = offsets.size() - 1;
        require(at[0] == 0 && at[n] == static_cast<std::int64_t>(bytes.size()),
                "the terms' offsets must begin at 0 and end at the number of bytes");
        for (std::size_t i = 0; i < n; ++i)
            require(at[i] <= at[i + 1], "the terms' offsets must not decrease");
    }
    std::size_t size() const { return offsets.size() - 1; }
    Lexicon lexicon() const { return {bytes.data(), offsets.data(), size()}; }

    // The first term that is not UTF-8, or −1.
    std::int64_t first_invalid() const {
        for (std::size_t i = 0; i < size(); ++i) {
            const std::int64_t begin = offsets.data()[i], end = offsets.data()[i + 1];
            const Utf8 text{bytes.data() + begin, static_cast<std::size_t>(end - begin)};
            try {
                for (std::size_t k = 0; k < text.size;) text.next(k);
            } catch (const InvalidUtf8&) {
                return static_cast<std::int64_t>(i);
            }
        }
        return -1;
    }
};

// Known words and stop words, ready to be looked up.
struct WordIndex {
    WordOptions options;
    Terms terms, stop_terms;
    Lexicon lexicon, stop_words;

    WordIndex(const WordOptions& o, In<std::uint8_t> bytes, In<std::int64_t> offsets,
              In<std::uint8_t> stop_bytes, In<std::int64_t> stop_offsets)
        : options(o),
          terms(bytes, offsets),
          stop_terms(stop_bytes, stop_offsets),
          lexicon(terms.lexicon()),
          stop_words(stop_terms.lexicon()) {
        require(terms.size() <= std::numeric_limits<std::int32_t>::max(), "more than 2^31 - 1 terms");
    }
    std::int64_t duplicate() const {
        return lexicon.duplicate() == no_term ? -1 : static_cast<std::int64_t>(lexicon.duplicate());
    }
};

template <class Value>
static RowArrays<Value> found_rows(const WordIndex& index, const Texts& texts, bool binary, int threads) {
    const std::size_t n = texts.documents.size();
    Buffer<std::int64_t> starts(n + 1);
    Buffer<std::int32_t> indices;
    Buffer<Value> values;
    unlocked(texts.position, [&] {
        std::vector<FoundRows> pieces;
        find_rows([&] { return WordFinder(index.options, index.lexicon, index.stop_words); },
                  index.terms.size(), texts.documents, threads, pieces);
        starts[0] = 0;
        std::size_t row = 0, at = 0;
        for (const FoundRows& piece : pieces)
            for (const std::uint32_t size : piece.sizes) starts[row + 1] = starts[row] + size, ++row;
        indices = Buffer<std::int32_t>(static_cast<std::size_t>(starts[n]));
        values = Buffer<Value>(static_cast<std::size_t>(starts[n]));
        for (const FoundRows& piece : pieces)
            for (std::size_t k = 0; k < piece.columns.size(); ++k, ++at) {
                indices[at] = static_cast<std::int32_t>(piece.columns[k]);
                values[at] = binary ? Value{1} : static_cast<Value>(piece.counts[k]);
            }
    });
    return {to_numpy(std::move(starts)), to_numpy(std::move(indices)), to_numpy(std::move(values))};
}

static void bind_index(nb::module_& module) {
    nb::class_<WordIndex>(module, "WordIndex", "Finds known word n-grams in texts.")
        .def(nb::init<const WordOptions&, In<std::uint8_t>, In<std::int64_t>, In<std::uint8_t>,
                      In<std::int64_t>>(),
             nb::arg("options"), nb::arg("bytes"), nb::arg("offsets"), nb::arg("stop_bytes"),
             nb::arg("stop_offsets"))
        .def_prop_ro(
            "first_invalid", [](const WordIndex& index) { return index.terms.first_invalid(); },
            "The first term that is not UTF-8, or -1.")
        .def_prop_ro("duplicate", &WordIndex::duplicate, "The first term that occurs a second time, or -1.")
        .def("rows_f32", &found_rows<float>, nb::arg("texts"), nb::arg("binary"), nb::arg("threads"))
        .def("rows_f64", &found_rows<double>, nb::arg("texts"), nb::arg("binary"), nb::arg("threads"))
        .def("rows_i64", &found_rows<std::int64_t>, nb::arg("texts"), nb::arg("binary"), nb::arg("threads"));
}

// The terms as Python strings (lone surrogates come back as they went in).
static nb::typed<nb::list, nb::str> strings(In<std::uint8_t> bytes, In<std::int64_t> offsets) {
    const Terms terms(bytes, offsets);
    nb::typed<nb::list, nb::str> list;
    for (std::size_t i = 0; i < terms.size(); ++i) {
        const std::int64_t begin = offsets.data()[i];
        PyObject* text =
            PyUnicode_DecodeUTF8(reinterpret_cast<const char*>(bytes.data()) + begin,
                                 static_cast<Py_ssize_t>(offsets.data()[i + 1] - begin), "surrogatepass");
        if (!text) throw nb::python_error();
        list.append(nb::steal(text));
    }
    return list;
}

void bind_text(nb::module_& module) {
    module.def("strings", &strings, nb::arg("bytes"), nb::arg("offsets"), "The terms as Python strings.");
    nb::class_<WordOptions>(module, "WordOptions", "How texts are cut into words.")
        .def_static("make", &word_options, nb::arg("lower"), nb::arg("accents"), nb::arg("marks"),
                    nb::arg("min_chars"), nb::arg("min_n"), nb::arg("max_n"));
    bind_texts(module);
    bind_counter(module);
    bind_index(module);
}

}  // namespace lindy
