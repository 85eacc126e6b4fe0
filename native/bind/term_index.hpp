// Known terms as Python gives them, and the rows of texts over them.
#pragma once

#include <limits>

#include "bind/text.hpp"
#include "text/find_rows.hpp"
#include "text/finders.hpp"
#include "text/weighting.hpp"

namespace lindy {

// Terms as two arrays that Python owns, checked before they are trusted.
struct Terms {
    In<std::uint8_t> bytes;
    In<std::int64_t> offsets;

    Terms(In<std::uint8_t> text, In<std::int64_t> ends) : bytes(text), offsets(ends) {
        require(offsets.size() >= 1 && offsets.size() - 1 < no_term,
                "terms must have between 0 and 2^32 - 2 entries");
        const std::int64_t* at = offsets.data();
        const std::size_t n = offsets.size() - 1;
        require(at[0] == 0 && at[n] == length(bytes),
                "the terms' offsets must begin at 0 and end at the number of bytes");
        for (std::size_t i = 0; i < n; ++i)
            require(at[i] <= at[i + 1], "the terms' offsets must not decrease");
    }
    std::size_t size() const { return offsets.size() - 1; }
    StringList list() const { return {bytes.data(), offsets.data(), size()}; }
    std::string_view operator[](std::size_t i) const { return list()[i]; }

    // The first term that is not UTF-8, or −1.
    std::int64_t first_invalid() const {
        unsigned char high = 0;
        for (std::size_t k = 0; k < bytes.size(); ++k) high |= bytes.data()[k];
        if (high < 0x80) return -1;  // nothing but ASCII
        for (std::size_t i = 0; i < size(); ++i) {
            const std::int64_t begin = offsets.data()[i], end = offsets.data()[i + 1];
            const Utf8 text{bytes.data() + begin, static_cast<std::size_t>(end - begin)};
            try {
                for (std::size_t k = 0; k < text.size;) text.next(k);
            } catch (const BadText&) {
                return static_cast<std::int64_t>(i);
            }
        }
        return -1;
    }
};

// A term as a Python string (lone surrogates come back as they went in).
inline nb::object decoded_term(const std::uint8_t* bytes, std::int64_t size) {
    PyObject* text = PyUnicode_DecodeUTF8(reinterpret_cast<const char*>(bytes), static_cast<Py_ssize_t>(size),
                                          "surrogatepass");
    if (!text) throw nb::python_error();
    return nb::steal(text);
}

// A matrix that grows by the rows of texts, and what they are weighed by.
template <class Value>
struct TextRows : GrowingRows<Value> {
    std::optional<In<float>> floats;  // scales of the columns, of one type or the other
    std::optional<In<double>> doubles;
    Norm norm = Norm::none;
};

// Appends the rows of some texts to a matrix.
template <class MakeFinder, class Value>
void append_rows(MakeFinder make_finder, SpareCollector<FinderOf<MakeFinder>>* spare, std::size_t n_columns,
                 const Texts& texts, bool binary, int threads, TextRows<Value>& rows) {
    const auto find = [&](auto weigh) {
        read_unlocked(texts.position, [&] {
            find_rows(make_finder, spare, n_columns, texts.documents, binary, threads, rows, weigh);
        });
    };
    if constexpr (std::is_floating_point_v<Value>) {
        require(!rows.floats || rows.floats->size() == n_columns, "scale must have one entry per column");
        require(!rows.doubles || rows.doubles->size() == n_columns, "scale must have one entry per column");
        if (rows.floats)
            find(RowWeigher<Value, float>(rows.floats->data(), rows.norm));
        else
            find(RowWeigher<Value, double>(rows.doubles ? rows.doubles->data() : nullptr, rows.norm));
    } else {
        find([](const std::int32_t*, Value*, std::int64_t) {});
    }
}

// The tree of the terms of several words, as arrays that Python owns.
struct TreeArrays {
    In<std::uint32_t> word_columns, starts;
    In2<std::uint32_t> phrases;
    std::uint32_t multiplier;

    TreeArrays(In<std::uint32_t> columns_of_words, In<std::uint32_t> starts_of_children,
               In2<std::uint32_t> slots, std::uint32_t factor)
        : word_columns(columns_of_words), starts(starts_of_children), phrases(slots), multiplier(factor) {}

    StoredTerms of(const Terms& words) const {
        require(starts.size() >= 1 && phrases.shape(1) == 2, "the tree of terms has arrays of another shape");
        const auto* slots = reinterpret_cast<const PhraseSlot*>(phrases.data());
        const PhraseTree tree{starts.data(),    slots,        starts.size() - 1,
                              phrases.shape(0), words.size(), multiplier};
        return {words.list(), word_columns.data(), word_columns.size(), tree};
    }
};

// Known terms and stop words, ready to be looked up.
struct TermIndex {
    TextOptions options;
    std::optional<Terms> terms;      // unless they were counted; if there is a tree, the words of the terms
    std::optional<TreeArrays> tree;  // the one that is not made here
    Terms stop_terms;
    Lexicon lexicon, stop_words;
    bool unknown;  // whether one more column counts the unknown words
    mutable SpareCollector<WordFinder> spare;

    TermIndex(const TextOptions& o, In<std::uint8_t> bytes, In<std::int64_t> offsets,
              In<std::uint8_t> stop_bytes, In<std::int64_t> stop_offsets, bool count_unknown)
        : options(o),
          terms(Terms(bytes, offsets)),
          stop_terms(stop_bytes, stop_offsets),
          lexicon(terms->list(), o.terms == TextOptions::Terms::words),
          stop_words(stop_terms.list(), true),
          unknown(count_unknown) {
        require_few();
    }
    TermIndex(const TextOptions& o, In<std::uint8_t> words, In<std::int64_t> offsets,
              const TreeArrays& arrays, In<std::uint8_t> stop_bytes, In<std::int64_t> stop_offsets)
        : options(o),
          terms(Terms(words, offsets)),
          tree(arrays),
          stop_terms(stop_bytes, stop_offsets),
          lexicon(arrays.of(*terms)),
          stop_words(stop_terms.list(), true),
          unknown(false) {
        require(o.terms == TextOptions::Terms::words, "only terms of words can be a tree");
        require_few();
    }
    TermIndex(const TextOptions& o, const Vocabulary& counted, In<std::uint8_t> stop_bytes,
              In<std::int64_t> stop_offsets)
        : options(o),
          stop_terms(stop_bytes, stop_offsets),
          lexicon(counted),
          stop_words(stop_terms.list(), true),
          unknown(false) {
        require(counted.has_phrases(), "only terms of several words can be a tree");
        require_few();
    }
    void require_few() const {
        require(lexicon.size() < std::numeric_limits<std::int32_t>::max(), "more than 2^31 - 2 terms");
    }
    std::size_t n_columns() const { return lexicon.size() + unknown; }
    std::int64_t duplicate() const {
        return lexicon.duplicate() == no_term ? -1 : static_cast<std::int64_t>(lexicon.duplicate());
    }
    bool has_words() const { return options.terms == TextOptions::Terms::words; }
    WordFinder word_finder() const {
        const std::uint32_t column = unknown ? static_cast<std::uint32_t>(lexicon.size()) : no_term;
        return {options, lexicon, stop_words, column};
    }
    CharFinder char_finder() const { return {options, lexicon}; }

    template <class Value>
    void read(TextRows<Value>& rows, const Texts& texts, bool binary, int threads) const {
        if (has_words())
            append_rows([&] { return word_finder(); }, &spare, n_columns(), texts, binary, threads, rows);
        else
            append_rows([&] { return char_finder(); }, nullptr, n_columns(), texts, binary, threads, rows);
    }
};

}  // namespace lindy
