// Pairs of columns, and texts as sequences of numbered tokens.
#include "bind/text.hpp"
#include "features/conjunctions.hpp"
#include "text/analyze.hpp"

namespace lindy {

using PairArrays = std::tuple<Array<std::int32_t>, Array<std::int32_t>>;  // the two columns of each pair

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
    CsrView<Value> view(const In<std::int64_t>& indptr, const In<std::int32_t>& indices,
                        const In<Value>& values) const {
        return csr_view(indptr, indices, values, static_cast<std::int64_t>(group.size()));
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
        return {to_numpy(std::move(first)), to_numpy(std::move(second))};
    }
};

template <class Value>
static void bind_values(nb::class_<PairTable>& table, nb::module_& module, const std::string& type) {
    table
        .def(
            "count",
            [](PairTable& self, const PairChoice& choice, In<std::int64_t> indptr, In<std::int32_t> indices,
               In<Value> values) {
                const auto x = choice.view(indptr, indices, values);
                nb::gil_scoped_release released;
                count_pairs_of(x, choice.wanted, self.index, self.rows_with);
            },
            nb::arg("choice"), nb::arg("indptr"), nb::arg("indices"), nb::arg("values"),
            "Counts in how many rows each pair occurs.")
        .def(("rows_" + type).c_str(),
             [](const PairTable& self, const PairChoice& choice, In<std::int64_t> indptr,
                In<std::int32_t> indices, In<Value> values, int threads) {
                 const auto x = choice.view(indptr, indices, values);
                 SparseRows<Value> rows;
                 {
                     nb::gil_scoped_release released;
                     rows = conjunctions(x, choice.wanted, self.index, threads);
                 }
                 return to_numpy(std::move(rows));
             },
             nb::arg("choice"), nb::arg("indptr"), nb::arg("indices"), nb::arg("values"), nb::arg("threads"),
             "The known pairs of every row.");
    module.def(("hashed_pairs_" + type).c_str(),
               [](const PairChoice& choice, In<std::int64_t> indptr, In<std::int32_t> indices,
                  In<Value> values, std::uint32_t n_columns, std::uint64_t seed, int threads) {
                   require(1 <= n_columns && n_columns <= 0x7FFFFFFFu,
                           "the number of columns must be between 1 and 2^31 - 1");
                   const auto x = choice.view(indptr, indices, values);
                   SparseRows<Value> rows;
                   {
                       nb::gil_scoped_release released;
                       rows = conjunctions(x, choice.wanted, PairHash{seed, n_columns}, threads);
                   }
                   return to_numpy(std::move(rows));
               },
               nb::arg("choice"), nb::arg("indptr"), nb::arg("indices"), nb::arg("values"),
               nb::arg("n_columns"), nb::arg("seed"), nb::arg("threads"),
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
    std::tuple<Array<std::int64_t>, Array<std::int32_t>> take() {
        return {to_numpy(std::move(indptr_)), to_numpy(std::move(ids_))};
    }
    TermArrays words() const {
        Buffer<std::uint8_t> bytes(words_.strings().bytes.data(), words_.strings().bytes.size());
        Buffer<std::int64_t> offsets;
        offsets.push(0);
        for (const std::uint64_t end : words_.strings().ends) offsets.push(static_cast<std::int64_t>(end));
        return {to_numpy(std::move(bytes)), to_numpy(std::move(offsets))};
    }

  private:
    void read(const Document& document) {
        splitter_.fold(document);
        splitter_.each([&](const unsigned char* data, std::size_t size) {
            const Key key = make_key(data, size, HashKey::get());
            ids_.push(static_cast<std::int32_t>(words_.slot(data, size, key, key.hash(HashKey::get())).id));
        });
        indptr_.push(static_cast<std::int64_t>(ids_.size()));
    }

    WordSplitter splitter_;
    Dictionary words_;
    Buffer<std::int64_t> indptr_;
    Buffer<std::int32_t> ids_;
};

void bind_pairs(nb::module_& module) {
    nb::class_<PairChoice>(module, "PairChoice", "Groups of columns, and which groups are paired.")
        .def(nb::init<In<std::int32_t>, In2<std::int32_t>>(), nb::arg("group"), nb::arg("templates"));
    nb::class_<PairTable> table(module, "PairTable", "Pairs of columns and their numbers.");
    table.def(nb::init<>())
        .def("__len__", [](const PairTable& self) { return self.index.size(); })
        .def("add", &PairTable::add, nb::arg("first"), nb::arg("second"), "Numbers these pairs next.")
        .def("pairs", &PairTable::pairs, "The two columns of each pair.")
        .def(
            "rows_with",
            [](const PairTable& self) {
                return to_numpy(Buffer<std::int64_t>(self.rows_with.data(), self.rows_with.size()));
            },
            "In how many counted rows each pair occurred.");
    bind_values<float>(table, module, "f32");
    bind_values<double>(table, module, "f64");
    nb::class_<TokenReader>(module, "TokenReader", "Texts as sequences of numbered words.")
        .def(nb::init<const TextOptions&>(), nb::arg("options"))
        .def("read", nb::overload_cast<const Texts&>(&TokenReader::read), nb::arg("texts"),
             "Reads more documents.")
        .def("take", &TokenReader::take, "Where each document begins, and the numbers of its words.")
        .def("words", &TokenReader::words, "The words in the order of their numbers.");
}

}  // namespace lindy
