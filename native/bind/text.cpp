// Counting and finding terms.
#include <nanobind/stl/shared_ptr.h>

#include "bind/choices.hpp"
#include "bind/rows.hpp"
#include "bind/term_index.hpp"
#include "text/counter.hpp"
#include "text/hashing.hpp"

namespace lindy {

static TextOptions text_options(const std::string& terms, bool lower, int accents, bool marks, int min_chars,
                                int min_n, int max_n, bool shapes, std::shared_ptr<BytePairs> pieces) {
    using Terms = TextOptions::Terms;
    const bool subwords = terms == "bpe", unicode = terms == "unicode_words" || subwords;
    require(terms == "word" || terms == "char" || terms == "char_wb" || unicode,
            "terms must be word, unicode_words, bpe, char or char_wb");
    require(subwords || !pieces, "only terms of subwords have pieces");
    require(!subwords || !shapes, "subwords have no shapes");
    require(0 <= accents && accents <= 2, "accents must be 0, 1 or 2");
    require(min_chars >= 1, "min_chars must be at least 1");
    require(1 <= min_n && min_n <= max_n, "n-grams must be from at least 1 to at least as many words");
    const Terms kind = terms == "char"      ? Terms::characters
                       : terms == "char_wb" ? Terms::characters_in_words
                                            : Terms::words;
    return {kind,     lower, static_cast<Accents>(accents), marks, shapes, unicode, min_chars, min_n, max_n,
            subwords, pieces};
}

static void bind_byte_pairs(nb::module_& module) {
    nb::class_<BytePairs>(module, "BytePairs", "Merges that cut words into subwords, in their order.")
        .def(
            "__init__",
            [](BytePairs* pairs, In<std::uint8_t> bytes, In<std::int64_t> offsets) {
                const Terms terms(bytes, offsets);
                require(terms.size() % 2 == 0, "merges must be pairs of pieces");
                require(terms.first_invalid() < 0, "a piece of a merge is not valid UTF-8");
                std::vector<BytePairs::Merge> merges;
                for (std::size_t i = 0; i < terms.size(); i += 2) {
                    const std::string_view left = terms[i], right = terms[i + 1];
                    require(!left.empty() && right.size() > pieces::mark.size() &&
                                right.starts_with(pieces::mark),
                            "the right piece of a merge must begin with ##, and no piece may be empty");
                    merges.emplace_back(left, right);
                }
                new (pairs) BytePairs(std::move(merges));
            },
            "bytes"_a, "offsets"_a, "Left and right pieces in turn, in UTF-8.")
        .def("__len__", [](const BytePairs& pairs) { return pairs.merges().size(); })
        .def(
            "cut",
            [](const BytePairs& pairs, nb::bytes word) {
                const std::string_view text(word.c_str(), word.size());
                nb::typed<nb::list, int> ends;
                int chars = 0;
                pairs.cut(text, [&](std::size_t begin, std::size_t end) {
                    for (; begin < end; begin += pieces::char_size(text, begin)) ++chars;
                    ends.append(chars);
                });
                return ends;
            },
            "word"_a, "Where the pieces of a word (in UTF-8) end, in characters.");
    module.def(
        "learn_byte_pairs",
        unlocked([](In<std::uint8_t> bytes, In<std::int64_t> offsets, In<double> times, std::size_t most) {
            const Terms terms(bytes, offsets);
            require(times.size() == terms.size(), "times must have one entry per word");
            PairLearner learner;
            for (std::size_t i = 0; i < terms.size(); ++i) learner.add(terms[i], times.data()[i]);
            Strings pieces;
            for (const auto& [left, right] : learner.learn(most)) pieces.push(left), pieces.push(right);
            return term_arrays(pieces);
        }),
        "bytes"_a, "offsets"_a, "times"_a, "most"_a,
        "The merges of words that occur so many times: left and right pieces in turn.");
}

static TermArrays terms(Counter& counter) {
    Buffer<unsigned char> bytes;
    Buffer<std::int64_t> offsets;
    offsets.push(0);
    const Vocabulary& vocabulary = counter.vocabulary();
    for (const auto& [level, term] : vocabulary.features()) {
        vocabulary.append_text(level, term, bytes);
        offsets.push(length(bytes));
    }
    return {std::move(bytes), std::move(offsets)};
}

template <class Value>
static SparseRows<Value> weighed_rows(Counter& counter, bool binary, std::optional<In<Value>> sublinear,
                                      std::optional<In<Value>> scale, const std::string& norm, int threads,
                                      const Rows<Value>* others) {
    CountWeights<Value> weights;
    weights.norm = norm_named(norm);
    if (scale) {
        require(scale->size() == counter.vocabulary().n_columns, "scale must have one entry per column");
        weights.scale = scale->data();
    }
    if (sublinear) {
        require(sublinear->size() > counter.largest_count() && sublinear->size() <= 1 << 24,
                "sublinear must have an entry for every count");
        weights.sublinear = {sublinear->data(), static_cast<std::int32_t>(sublinear->size())};
    }
    if (others) {
        require(static_cast<std::size_t>(others->n_rows) == counter.n_rows(),
                "the others must have as many rows");
        require(
            others->n_columns >= 0 &&
                others->n_columns + static_cast<std::int64_t>(counter.vocabulary().n_columns) <= INT32_MAX,
            "the parts have more than 2^31 - 1 columns together");
    }
    return counter.rows<Value>(binary, weights, threads, others);
}

template <class Value, class Class>
static void bind_weighed_rows(Class& counter, const char* name) {
    counter.def(name, unlocked(&weighed_rows<Value>), "binary"_a, "sublinear"_a, "scale"_a, "norm"_a,
                "threads"_a, "others"_a.none() = nb::none(),
                "The matrix: sublinear[count] (or the count) · scale[column], each row divided by its norm; "
                "beside the rows of others, which come first.");
}

static void bind_counter(nb::module_& module) {
    nb::class_<Counter> counter(module, "TermCounter", "Learns a vocabulary of n-grams and counts it.");
    counter.def(nb::init<const TextOptions&>(), "options"_a)
        .def(
            "stop_word",
            [](Counter& counter, nb::bytes word) {
                if (word.size()) counter.stop_word(std::string(word.c_str(), word.size()));
            },
            "word"_a, "Leaves a word (in UTF-8) out; before the first add.")
        .def(
            "add",
            [](Counter& counter, const Texts& texts, int threads) {
                read_unlocked(0, [&] { counter.add(texts.documents, threads); });
            },
            "texts"_a, "threads"_a, "Reads more documents.")
        .def_prop_ro("n_rows", &Counter::n_rows)
        .def_prop_ro("n_columns", [](Counter& counter) { return counter.vocabulary().n_columns; })
        .def_prop_ro("empty", &Counter::empty, "Whether the texts had no term at all.")
        .def("release", &Counter::release, "Forgets everything but the vocabulary.")
        .def("number",
             unlocked([](Counter& counter, std::uint32_t documents, std::uint32_t occurrences,
                         const std::string& order, int threads) {
                 const auto columns = choose<ColumnOrder>("order", order, {"alphabet", "seen", "frequency"});
                 counter.number({documents, occurrences}, columns, threads);
             }),
             "documents"_a, "occurrences"_a, "order"_a, "threads"_a,
             "Numbers the terms that are in at least so many documents and occur at least so often; columns "
             "are to be in the order of the alphabet, of first appearance (seen) or of document frequency, "
             "most first (frequency).")
        .def("totals", unlocked(&Counter::totals), "high"_a, "binary"_a,
             "How often each numbered term in at most `high` documents occurs, in the order of columns.")
        .def("choose",
             unlocked([](Counter& counter, std::uint32_t high, std::optional<In<std::uint8_t>> mask) {
                 if (mask) {
                     counter.choose(high, nullptr);
                     require(mask->size() == counter.vocabulary().n_columns,
                             "mask must have one entry per term");
                 }
                 counter.choose(high, data_or_null(mask));
                 require(counter.vocabulary().n_columns <= std::numeric_limits<std::int32_t>::max(),
                         "more than 2^31 - 1 features");
             }),
             "high"_a, "mask"_a, "Makes features of terms in at most `high` documents.")
        .def("document_frequency", unlocked(&Counter::document_frequency), "threads"_a)
        .def_prop_ro(
            "has_phrases", [](Counter& counter) { return counter.vocabulary().has_phrases(); },
            "Whether a feature has several words.")
        .def("terms", unlocked(&terms),
             "The features' text in the order of columns: UTF-8 bytes and offsets.")
        .def_prop_ro("largest_count", &Counter::largest_count, "No count in the matrix is larger.")
        .def("rows_i64", unlocked([](Counter& counter, bool binary, int threads) {
                 return counter.rows<std::int64_t>(binary, {}, threads);
             }),
             "binary"_a, "threads"_a, "The matrix of counts.");
    bind_weighed_rows<float>(counter, "rows_f32");
    bind_weighed_rows<double>(counter, "rows_f64");
}

template <class Value>
static void bind_text_rows(nb::module_& module, const char* name) {
    nb::class_<TextRows<Value>> rows(module, name, "A matrix that grows by the rows of texts.");
    if constexpr (std::is_floating_point_v<Value>)
        rows.def(
                "weigh_by",
                [](TextRows<Value>& rows, std::optional<In<double>> scale, const std::string& norm) {
                    rows.doubles = scale, rows.norm = norm_named(norm);
                },
                "scale"_a, "norm"_a,
                "Multiplies the rows to come by scale[column], if given, and divides each by its norm.")
            .def(
                "weigh_by",
                [](TextRows<Value>& rows, In<float> scale, const std::string& norm) {
                    rows.floats = scale, rows.norm = norm_named(norm);
                },
                "scale"_a, "norm"_a);
    rows.def(nb::init<>())
        .def("take", &TextRows<Value>::take, "Hands out indptr, indices and values, and begins anew.");
}

// Terms to columns without a vocabulary.
struct TermHasher {
    TextOptions options;
    TermHash hash;
    Terms stop_terms;
    Lexicon stop_words;
    mutable SpareCollector<WordHasher> spare;

    TermHasher(const TextOptions& o, std::int64_t n_columns, bool signs, std::optional<In<std::uint64_t>> key,
               In<std::uint8_t> stop_bytes, In<std::int64_t> stop_offsets)
        : options(o), stop_terms(stop_bytes, stop_offsets), stop_words(stop_terms.list(), true) {
        require(1 <= n_columns && n_columns <= std::numeric_limits<std::int32_t>::max(),
                "the number of columns must be between 1 and 2^31 - 1");
        require(!key || key->size() == 3, "a key has three numbers");
        hash = {static_cast<std::uint32_t>(n_columns), signs, key.has_value(),
                key ? HashKey{key->data()[0], key->data()[1], key->data()[2]} : HashKey{0, 0, 0}};
    }
    template <class Value>
    void read(TextRows<Value>& rows, const Texts& texts, bool binary, int threads) const {
        if (options.terms != TextOptions::Terms::words)
            return append_rows([&] { return CharHasher(options, hash); }, nullptr, hash.n_columns, texts,
                               binary, threads, rows);
        append_rows([&] { return WordHasher(options, hash, stop_words); }, &spare, hash.n_columns, texts,
                    binary, threads, rows);
    }
    // The column of each term, doubled, plus one if its sign is negative.
    Buffer<std::uint32_t> codes(In<std::uint8_t> bytes, In<std::int64_t> offsets) const {
        const Terms terms(bytes, offsets);
        Buffer<std::uint32_t> codes(terms.size());
        Buffer<unsigned char> padded;
        for (std::size_t i = 0; i < terms.size(); ++i) {
            const auto size = static_cast<std::size_t>(offsets.data()[i + 1] - offsets.data()[i]);
            padded.resize(size + 16);
            std::copy_n(bytes.data() + offsets.data()[i], size, padded.data());
            codes[i] = hash(padded.data(), size);
        }
        return codes;
    }
};

// Reading into a matrix of any type of value.
template <class... Values, class Reader>
static void bind_read(nb::class_<Reader>& reader) {
    (reader.def("read", &Reader::template read<Values>, "rows"_a, "texts"_a, "binary"_a, "threads"_a,
                "Appends the rows of the texts to a growing matrix."),
     ...);
}

// The text of the terms of an index that was made of a tree.
static TermArrays tree_terms(const TermIndex& index) {
    require(index.tree.has_value(), "the terms are where they came from");
    Buffer<unsigned char> bytes;
    Buffer<std::int64_t> offsets;
    index.lexicon.append_texts(bytes, offsets);
    return {std::move(bytes), std::move(offsets)};
}

// Arrays of a tree and the words below it, in the memory of the index that owns them; None where terms are
// kept as they are.
static std::optional<std::tuple<nb::typed<nb::dict, nb::str, nb::any>, std::uint32_t>> tree_arrays(
    nb::handle_t<TermIndex> self) {
    StoredTerms stored;
    if (!nb::cast<const TermIndex&>(self).lexicon.stored(stored)) return {};
    const auto array = [&]<class T>(const T* data, std::size_t size) {
        return nb::ndarray<nb::numpy, const T, nb::ndim<1>>(data, {size}, self);
    };
    const StringList& words = stored.words;
    const PhraseTree& tree = stored.phrases;
    nb::typed<nb::dict, nb::str, nb::any> arrays;
    arrays["words"] = array(words.bytes, static_cast<std::size_t>(words.offsets[words.n]));
    arrays["word_offsets"] = array(words.offsets, words.n + 1);
    arrays["word_columns"] = array(stored.word_columns, stored.n_word_columns);
    arrays["starts"] = array(tree.starts, tree.n_parents + 1);
    arrays["phrases"] = nb::ndarray<nb::numpy, const std::uint32_t, nb::ndim<2>>(
        reinterpret_cast<const std::uint32_t*>(tree.slots), {tree.n_slots, 2}, self);
    return std::make_tuple(arrays, tree.multiplier);
}

static void bind_index(nb::module_& module) {
    bind_text_rows<float>(module, "RowsF32");
    bind_text_rows<double>(module, "RowsF64");
    bind_text_rows<std::int64_t>(module, "RowsI64");
    nb::class_<TreeArrays>(module, "TermTree", "The tree of the terms of several words.")
        .def(nb::init<In<std::uint32_t>, In<std::uint32_t>, In2<std::uint32_t>, std::uint32_t>(),
             "word_columns"_a, "starts"_a, "phrases"_a, "multiplier"_a);
    nb::class_<TermIndex> index(module, "TermIndex", "Finds known n-grams in texts.");
    index
        .def(nb::init<const TextOptions&, In<std::uint8_t>, In<std::int64_t>, In<std::uint8_t>,
                      In<std::int64_t>, bool>(),
             "options"_a, "bytes"_a, "offsets"_a, "stop_bytes"_a, "stop_offsets"_a, "unknown"_a)
        .def(nb::init<const TextOptions&, In<std::uint8_t>, In<std::int64_t>, const TreeArrays&,
                      In<std::uint8_t>, In<std::int64_t>>(),
             "options"_a, "words"_a, "word_offsets"_a, "tree"_a, "stop_bytes"_a, "stop_offsets"_a,
             "Takes the terms from a tree, which is checked and used where it is.")
        .def(
            "__init__",
            [](TermIndex* index, const TextOptions& options, Counter& counter, In<std::uint8_t> stop_bytes,
               In<std::int64_t> stop_offsets) {
                new (index) TermIndex(options, counter.vocabulary(), stop_bytes, stop_offsets);
            },
            "options"_a, "counter"_a, "stop_bytes"_a, "stop_offsets"_a,
            "Takes the features of a counter whose terms have several words.")
        .def_prop_ro("n_columns", &TermIndex::n_columns)
        .def("terms", unlocked(&tree_terms), "The text of the terms of a tree: UTF-8 bytes and offsets.")
        .def(
            "tree", &tree_arrays,
            "The terms as a tree of words: its arrays by name, and its multiplier; None if they are no tree.")
        .def_prop_ro(
            "first_invalid",
            [](const TermIndex& index) { return index.terms ? index.terms->first_invalid() : -1; },
            "The first term (of a tree, the first word) that is not UTF-8, or -1.")
        .def_prop_ro("duplicate", &TermIndex::duplicate, "The first term that occurs a second time, or -1.");
    bind_read<float, double, std::int64_t>(index);
    nb::class_<TermHasher> hasher(module, "TermHasher", "Hashes the n-grams of texts to columns.");
    hasher
        .def(nb::init<const TextOptions&, std::int64_t, bool, std::optional<In<std::uint64_t>>,
                      In<std::uint8_t>, In<std::int64_t>>(),
             "options"_a, "n_columns"_a, "signs"_a, "key"_a, "stop_bytes"_a, "stop_offsets"_a)
        .def("codes", unlocked(&TermHasher::codes), "bytes"_a, "offsets"_a,
             "The column of each term, doubled, plus one if its sign is negative.");
    bind_read<float, double, std::int64_t>(hasher);
}

// Two sorted lists of terms as one, and where the terms of each are in it.
static std::tuple<Buffer<std::uint8_t>, Buffer<std::int64_t>, Buffer<std::int64_t>, Buffer<std::int64_t>>
merge_terms(In<std::uint8_t> bytes, In<std::int64_t> offsets, In<std::uint8_t> other_bytes,
            In<std::int64_t> other_offsets) {
    const Terms a(bytes, offsets), b(other_bytes, other_offsets);
    Buffer<std::uint8_t> merged;
    Buffer<std::int64_t> ends, from_a(a.size()), from_b(b.size());
    ends.push(0);
    for (std::size_t i = 0, j = 0; i < a.size() || j < b.size();) {
        const int order = i == a.size() ? 1 : j == b.size() ? -1 : a[i].compare(b[j]);
        const std::string_view text = order <= 0 ? a[i] : b[j];
        merged.append(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
        const auto position = length(ends) - 1;
        if (order <= 0) from_a[i++] = position;
        if (order >= 0) from_b[j++] = position;
        ends.push(length(merged));
    }
    return {std::move(merged), std::move(ends), std::move(from_a), std::move(from_b)};
}

// The terms as Python strings.
static nb::typed<nb::list, nb::str> strings(In<std::uint8_t> bytes, In<std::int64_t> offsets) {
    const Terms terms(bytes, offsets);
    nb::typed<nb::list, nb::str> list;
    for (std::size_t i = 0; i < terms.size(); ++i) {
        const std::int64_t begin = offsets.data()[i];
        list.append(decoded_term(bytes.data() + begin, offsets.data()[i + 1] - begin));
    }
    return list;
}

void bind_text(nb::module_& module) {
    nb::exception<LoneSurrogate>(module, "SurrogateError", PyExc_ValueError);
    module.def("merge_terms", unlocked(&merge_terms), "bytes"_a, "offsets"_a, "other_bytes"_a,
               "other_offsets"_a, "Two sorted lists of terms as one, and where the terms of each are in it.");
    module.def("strings", &strings, "bytes"_a, "offsets"_a, "The terms as Python strings.");
    nb::class_<TextOptions>(module, "TextOptions", "The options of terms, and of cutting texts into them.")
        .def_static("make", &text_options, "terms"_a, "lower"_a, "accents"_a, "marks"_a, "min_chars"_a,
                    "min_n"_a, "max_n"_a, "shapes"_a = false, "pieces"_a.none() = nb::none());
    bind_byte_pairs(module);
    bind_texts(module);
    bind_counter(module);
    bind_index(module);
}

}  // namespace lindy
