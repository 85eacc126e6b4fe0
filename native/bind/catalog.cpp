// Terms that are counted part by part.
#include "text/catalog.hpp"

#include "bind/text.hpp"

namespace lindy {

static SparseRows<std::uint32_t> add_counted(TermCatalog& catalog, Counter& counter, int threads) {
    return catalog.add(counter, threads);
}

static void add_terms(TermCatalog& catalog, In<std::uint8_t> bytes, In<std::int64_t> offsets,
                      In<std::uint32_t> documents) {
    require(offsets.size() == documents.size() + 1, "there must be a number of documents for each term");
    const std::int64_t* const ends = offsets.data();
    for (std::size_t i = 0; i < documents.size(); ++i)
        require(
            0 <= ends[i] && ends[i] <= ends[i + 1] && static_cast<std::size_t>(ends[i + 1]) <= bytes.size(),
            "offsets must lie within the data and not decrease");
    catalog.add(bytes.data(), ends, documents.data(), documents.size());
}

void bind_catalog(nb::module_& module) {
    nb::class_<TermCatalog>(module, "TermCatalog", "Terms of texts that are counted part by part.")
        .def(nb::init<>())
        .def("__len__", &TermCatalog::size)
        .def("add", unlocked(&add_counted), "counter"_a, "threads"_a,
             "Takes a counted part; returns its rows: indptr, numbers of terms in their order, counts.")
        .def("add_terms", unlocked(&add_terms), "bytes"_a, "offsets"_a, "documents"_a,
             "Takes terms and in how many texts each of them is.")
        .def(
            "terms",
            [](const TermCatalog& catalog, std::size_t first) {
                require(first <= catalog.size(), "there are not so many terms");
                return term_arrays(catalog.strings(), first);
            },
            "first"_a = 0, "The terms from a number on: UTF-8 bytes and offsets.")
        .def(
            "documents",
            [](const TermCatalog& catalog) -> const Buffer<std::uint32_t>& { return catalog.documents(); },
            "In how many texts each term is.");
}

}  // namespace lindy
