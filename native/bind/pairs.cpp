// Pairs of columns, and texts as sequences of numbered tokens.
#include "bind/rows.hpp"
#include "bind/text.hpp"
#include "features/conjunctions.hpp"
#include "text/analyze.hpp"

namespace lindy {

using PairArrays = std::tuple<Buffer<std::int32_t>, Buffer<std::int32_t>>;  // the two columns of each pair

// Which pairs are wanted; holds the arrays that say so.
struct PairChoice {
    In<std::int32_t> group;
    PairTemplates wanted;

    PairChoice(In<std::int32_t> groups, In2<std::int32_t> templates)
        : group(groups), wanted{groups.data(), 0, {}} {
        for (std::size_t i = 0; i < group.size(); ++i)
            wanted.n_groups = std::max(wanted.n_groups, group.data()[i] + 1);
        require(templates.shape(1) == 2, "a template is a pair of groups");
        for (std::size_t i = 0; i < templates.shape(0); ++i) {
            const std::int32_t g = templates.data()[2 * i], h = templates.data()[2 * i + 1];
            require(g >= 0 && h >= 0, "a template must name groups");
            wanted.n_groups = std::max({wanted.n_groups, g + 1, h + 1});
            wanted.templates.emplace_back(g, h);
        }
        require(wanted.n_groups <= 1 << 16, "there are too many groups");
    }
    template <class Value>
    void check(const Rows<Value>& x) const {
        require(length(group) == x.n_columns, "every column must have a group");
    }
};

// Counts pairs, or finds known ones.
struct PairTable {
    PairIndex index;
    Buffer<std::int64_t> rows_with;

    void add(In<std::int32_t> first, In<std::int32_t> second) {
        require(first.size() == second.size(), "a pair has two columns");
        for (std::size_t i = 0; i < first.size(); ++i) {
            const std::size_t before = index.size();
            index.add(pair_key(first.data()[i], second.data()[i]));
            require(index.size() > before, "a pair occurs a second time");
        }
    }
    PairArrays pairs() const {
        Buffer<std::int32_t> first(index.size()), second(index.size());
        for (std::size_t i = 0; i < index.size(); ++i) {
            first[i] = static_cast<std::int32_t>(index.keys()[i] >> 32);
            second[i] = static_cast<std::int32_t>(index.keys()[i]);
        }
        return {std::move(first), std::move(second)};
    }
};

static void bind_pairs_of_rows(nb::class_<PairTable>& table, nb::module_& module) {
    def_floats(
        table, "count",
        []<class Value>(PairTable& self, const PairChoice& choice, const Rows<Value>& x) {
            choice.check(x);
            count_pairs_of<Value>(x, choice.wanted, self.index, self.rows_with);
        },
        "choice"_a, "X"_a, "Counts in how many rows each pair occurs.");
    def_floats(
        table, "rows",
        []<class Value>(const PairTable& self, const PairChoice& choice, const Rows<Value>& x, int threads) {
            choice.check(x);
            return conjunctions<Value>(x, choice.wanted, self.index, threads);
        },
        "choice"_a, "X"_a, "threads"_a, "The known pairs of every row.");
    def_floats(
        module, "hashed_pairs",
        []<class Value>(const PairChoice& choice, const Rows<Value>& x, std::uint32_t n_columns,
                        std::uint64_t seed, int threads) {
            require(1 <= n_columns && n_columns <= 0x7FFFFFFFu,
                    "the number of columns must be between 1 and 2^31 - 1");
            choice.check(x);
            const PairHash hash{seed, n_columns};
            return conjunctions<Value>(x, choice.wanted, hash, threads);
        },
        "choice"_a, "X"_a, "n_columns"_a, "seed"_a, "threads"_a,
        "All pairs of every row, in columns chosen by a hash.");
}

// Texts as sequences of words, numbered in the order of their first appearance.
class TokenReader {
  public:
    explicit TokenReader(const TextOptions& options) : splitter_(options) {
        require(options.terms == TextOptions::Terms::words, "only texts of words are sequences of tokens");
        indptr_.push(0);
    }

    void read(const Texts& texts) {
        read_unlocked(texts.position, [&] {
            for (std::size_t i = 0; i < texts.documents.size(); ++i)
                read_document(i, [&] { read(texts.documents[i]); });
        });
    }
    std::tuple<Buffer<std::int64_t>, Buffer<std::int32_t>> take() {
        return {std::move(indptr_), std::move(ids_)};
    }
    TermArrays words() const { return term_arrays(words_.strings()); }

  private:
    void read(const Document& document) {
        splitter_.fold(document);
        splitter_.each([&](const unsigned char* data, std::size_t size) {
            const Key key = make_key(data, size, HashKey::get());
            ids_.push(static_cast<std::int32_t>(words_.slot(data, size, key, key.hash(HashKey::get())).id));
        });
        indptr_.push(length(ids_));
    }

    WordSplitter splitter_;
    Dictionary words_;
    Buffer<std::int64_t> indptr_;
    Buffer<std::int32_t> ids_;
};

void bind_pairs(nb::module_& module) {
    nb::class_<PairChoice>(module, "PairChoice", "Groups of columns, and which groups are paired.")
        .def(nb::init<In<std::int32_t>, In2<std::int32_t>>(), "group"_a, "templates"_a);
    nb::class_<PairTable> table(module, "PairTable", "Pairs of columns and their numbers.");
    table.def(nb::init<>())
        .def("__len__", [](const PairTable& self) { return self.index.size(); })
        .def("add", &PairTable::add, "first"_a, "second"_a, "Numbers these pairs next.")
        .def("pairs", &PairTable::pairs, "The two columns of each pair.")
        .def(
            "rows_with", [](const PairTable& self) -> const auto& { return self.rows_with; },
            "In how many counted rows each pair occurred.");
    bind_pairs_of_rows(table, module);
    nb::class_<TokenReader>(module, "TokenReader", "Texts as sequences of numbered words.")
        .def(nb::init<const TextOptions&>(), "options"_a)
        .def("read", nb::overload_cast<const Texts&>(&TokenReader::read), "texts"_a, "Reads more documents.")
        .def("take", &TokenReader::take, "Where each document begins, and the numbers of its words.")
        .def("words", &TokenReader::words, "The words in the order of their numbers.");
}

}  // namespace lindy
