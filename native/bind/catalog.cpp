// Terms that are counted part by part.
#include "text/catalog.hpp"

#include "bind/text.hpp"

namespace lindy {

// Rows of terms and counts: indptr, terms, counts.
using NumberedArrays = std::tuple<Array<std::int64_t>, Array<std::int32_t>, Array<std::uint32_t>>;

static NumberedArrays add_counted(TermCatalog& catalog, Counter& counter, int threads) {
    NumberedRows rows;
    {
        nb::gil_scoped_release released;
        rows = catalog.add(counter, threads);
    }
    return {to_numpy(std::move(rows.indptr)), to_numpy(std::move(rows.terms)),
            to_numpy(std::move(rows.counts))};
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

// The terms from one number on, with offsets that begin at 0.
static TermArrays terms_from(const TermCatalog& catalog, std::size_t first) {
    const Strings& strings = catalog.strings();
    require(first <= strings.size(), "there are not so many terms");
    const std::uint64_t begin = first ? strings.ends[first - 1] : 0;
    Buffer<unsigned char> bytes(strings.bytes.data() + begin, strings.bytes.size() - begin);
    Buffer<std::int64_t> offsets(strings.size() - first + 1);
    offsets[0] = 0;
    for (std::size_t i = first; i < strings.size(); ++i)
        offsets[i - first + 1] = static_cast<std::int64_t>(strings.ends[i] - begin);
    return {to_numpy(std::move(bytes)), to_numpy(std::move(offsets))};
}

void bind_catalog(nb::module_& module) {
    nb::class_<TermCatalog>(module, "TermCatalog", "Terms of texts that are counted part by part.")
        .def(nb::init<>())
        .def("__len__", &TermCatalog::size)
        .def("add", &add_counted, "counter"_a, "threads"_a,
             "Takes a counted part; returns its rows: indptr, numbers of terms in their order, counts.")
        .def("add_terms", &add_terms, "bytes"_a, "offsets"_a, "documents"_a,
             "Takes terms and in how many texts each of them is.")
        .def("terms", &terms_from, "first"_a = 0, "The terms from a number on: UTF-8 bytes and offsets.")
        .def(
            "documents",
            [](const TermCatalog& catalog) {
                const Buffer<std::uint32_t>& documents = catalog.documents();
                return to_numpy(Buffer<std::uint32_t>(documents.data(), documents.size()));
            },
            "In how many texts each term is.");
}

}  // namespace lindy
