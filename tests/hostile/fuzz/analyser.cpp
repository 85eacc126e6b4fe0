// Any texts through the analyser: what is counted is found again, and hashing reads the same texts.
// Input: four bytes of options; the documents, with 0xFF between them (which no UTF-8 has).
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "text/counter.hpp"
#include "text/find_rows.hpp"
#include "text/finders.hpp"
#include "text/hashing.hpp"

using namespace lindy;

static void check(bool holds) {
    if (!holds) __builtin_trap();
}

// Documents as Python would hold them: UTF-8 of a column, or a string in the narrowest of its forms.
struct Batch {
    std::vector<std::vector<unsigned char>> held;
    std::vector<Document> documents;

    void add(const unsigned char* data, std::size_t size, std::size_t bytes_per_character) {
        if (bytes_per_character == 0) {
            held.emplace_back(data, data + size);
            documents.push_back({nullptr, size, Document::Units::utf8});
            return;
        }
        std::vector<char32_t> text;
        for (std::size_t i = 0; i + bytes_per_character <= size; i += bytes_per_character) {
            char32_t c = 0;
            for (std::size_t k = bytes_per_character; k-- > 0;) c = c << 8 | data[i + k];
            text.push_back(c % 0x110000);
        }
        const char32_t most = text.empty() ? 0 : *std::max_element(text.begin(), text.end());
        if (most < 0x80)
            put<unsigned char>(text, Document::Units::ascii);
        else if (most < 0x100)
            put<unsigned char>(text, Document::Units::latin1);
        else if (most < 0x10000)
            put<char16_t>(text, Document::Units::ucs2);
        else
            put<char32_t>(text, Document::Units::ucs4);
    }
    void finish() {
        for (std::size_t i = 0; i < held.size(); ++i) documents[i].data = held[i].data();
    }

  private:
    template <class Unit>
    void put(const std::vector<char32_t>& text, Document::Units units) {
        const std::vector<Unit> narrow(text.begin(), text.end());
        const auto* bytes = reinterpret_cast<const unsigned char*>(narrow.data());
        held.emplace_back(bytes, bytes + narrow.size() * sizeof(Unit));
        documents.push_back({nullptr, text.size(), units});
    }
};

static TextOptions options_of(const unsigned char* data) {
    TextOptions options;
    const unsigned terms = data[0] % 4u, flags = data[1], sizes = data[2];
    options.unicode = terms == 1;
    options.terms = terms == 2   ? TextOptions::Terms::characters
                    : terms == 3 ? TextOptions::Terms::characters_in_words
                                 : TextOptions::Terms::words;
    options.lower = flags & 1;
    options.accents = static_cast<Accents>(flags / 8u % 3u);
    options.min_n = static_cast<int>(sizes % 3u) + 1;
    options.max_n = options.min_n + static_cast<int>(sizes / 3u % 3u);
    if (terms < 2) {
        options.marks = flags & 2;
        options.shapes = (flags & 4) && options.min_n == 1;
        options.min_chars = terms == 0 && sizes & 128 ? 1 : 2;
    }
    return options;
}

static const char* const stop_words[] = {"word", "a", "\xe6\x97\xa5\xe6\x9c\xac"};

struct TermText {
    Buffer<unsigned char> bytes;
    Buffer<std::int64_t> offsets;

    TermText() { offsets.push(0); }
    void end() { offsets.push(static_cast<std::int64_t>(bytes.size())); }
    Lexicon lexicon(bool of_words) const {
        return {StringList{bytes.data(), offsets.data(), offsets.size() - 1}, of_words};
    }
};

static void check_same(const SparseRows<double>& a, const SparseRows<double>& b) {
    check(std::equal(a.indptr.begin(), a.indptr.end(), b.indptr.begin(), b.indptr.end()));
    for (std::size_t row = 0; row + 1 < a.indptr.size(); ++row) {
        std::map<std::int32_t, double> entries;
        for (auto k = static_cast<std::size_t>(a.indptr[row]);
             k < static_cast<std::size_t>(a.indptr[row + 1]); ++k) {
            check(entries.emplace(a.indices[k], a.values[k]).second && a.values[k] >= 1);
            check(b.values[k] >= 1);
        }
        for (auto k = static_cast<std::size_t>(a.indptr[row]);
             k < static_cast<std::size_t>(a.indptr[row + 1]); ++k) {
            const auto found = entries.find(b.indices[k]);
            check(found != entries.end() && found->second == b.values[k]);
        }
    }
}

template <class MakeFinder>
static SparseRows<double> find(MakeFinder make, std::size_t n_columns,
                               const std::vector<Document>& documents) {
    GrowingRows<double> rows;
    find_rows(make, nullptr, n_columns, documents, false, 1, rows,
              [](const std::int32_t*, double*, std::int64_t) {});
    return rows.take();
}

static void run(const TextOptions& options, bool stop, ColumnOrder order,
                const std::vector<Document>& documents) {
    const bool of_words = options.terms == TextOptions::Terms::words;
    Counter counter(options);
    TermText stopped;
    if (stop && of_words)
        for (const char* word : stop_words) {
            counter.stop_word(word);
            stopped.bytes.append(reinterpret_cast<const unsigned char*>(word), std::strlen(word));
            stopped.end();
        }
    counter.add(documents, 1);
    counter.number({1, 1}, order, 1);
    counter.choose(~0u, nullptr);
    TermText terms;
    const Vocabulary& vocabulary = counter.vocabulary();
    for (const auto& [level, term] : vocabulary.features()) {
        vocabulary.append_text(level, term, terms.bytes);
        terms.end();
    }
    const std::size_t n_columns = vocabulary.n_columns;
    check(terms.offsets.size() == n_columns + 1);
    const SparseRows<double> counted = counter.rows<double>(false, {}, 1);
    check(counted.indptr.size() == documents.size() + 1);
    const Lexicon lexicon = terms.lexicon(of_words), stops = stopped.lexicon(true);
    check(lexicon.duplicate() == no_term);
    const TermHash hash{64, true, stop, HashKey{1, 2, 3}};
    if (of_words) {
        check_same(counted,
                   find([&] { return WordFinder(options, lexicon, stops, no_term); }, n_columns, documents));
        find([&] { return WordHasher(options, hash, stops); }, hash.n_columns, documents);
    } else {
        check_same(counted, find([&] { return CharFinder(options, lexicon); }, n_columns, documents));
        find([&] { return CharHasher(options, hash); }, hash.n_columns, documents);
    }
}

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
    if (size < 4) return -1;
    Batch batch;
    const unsigned char *at = data + 4, *const end = data + size;
    for (const unsigned char* stop; at <= end; at = stop + 1) {
        stop = std::find(at, end, 0xFF);
        batch.add(at, static_cast<std::size_t>(stop - at), data[3] % 4u);
    }
    batch.finish();
    try {
        run(options_of(data), data[1] & 128, static_cast<ColumnOrder>(data[3] / 4u % 3u), batch.documents);
    } catch (const BadText&) {
        return 0;
    }
    return 0;
}
