// Reading and writing tables of delimited text.
#include "data/delimited.hpp"

#include <nanobind/stl/array.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/variant.h>

#include "bind/text.hpp"
#include "data/lines.hpp"

namespace lindy {

using StringArrays = std::pair<Buffer<std::int64_t>, Buffer<std::uint8_t>>;  // offsets, UTF-8 bytes

static StringArrays take_column(DelimitedParser& parser, std::size_t k) {
    require(parser.has(k), "there is no such column, or it was taken before");
    StringColumn column = parser.take(k);
    return {std::move(column.offsets), std::move(column.bytes)};
}

static std::vector<StringArrays> drain_rows(DelimitedParser& parser) {
    std::vector<StringArrays> columns;
    for (StringColumn& column : parser.drain())
        columns.emplace_back(std::move(column.offsets), std::move(column.bytes));
    return columns;
}

using Words = std::pair<std::vector<std::string>, In<std::int64_t>>;  // codes: which word each row has

static nb::bytes delimited_lines(const std::vector<std::variant<Words, In<double>>>& given, char delimiter) {
    require(!given.empty(), "there must be a column");
    const auto size = [](const auto& column) {
        return std::holds_alternative<Words>(column) ? std::get<Words>(column).second.size()
                                                     : std::get<In<double>>(column).size();
    };
    const std::size_t n_rows = size(given.front());
    std::vector<LineColumn> columns;
    for (const auto& column : given) {
        require(size(column) == n_rows, "columns must have the same length");
        if (std::holds_alternative<In<double>>(column)) {
            columns.push_back({{}, nullptr, std::get<In<double>>(column).data()});
            continue;
        }
        const auto& [words, codes] = std::get<Words>(column);
        for (std::size_t i = 0; i < n_rows; ++i)
            require(-1 <= codes.data()[i] && codes.data()[i] < length(words),
                    "a code must be that of a word, or -1");
        columns.push_back({words, codes.data(), nullptr});
    }
    const std::string lines = released([&] { return lines_of(columns, n_rows, delimiter); });
    return nb::bytes(lines.data(), lines.size());
}

using AnyRow = std::tuple<std::size_t, std::vector<nb::bytes>, std::int64_t>;  // end, fields, open quote

static std::vector<AnyRow> delimited_rows(nb::bytes data, char delimiter, std::size_t start,
                                          std::size_t most) {
    const char *const begin = data.c_str(), *const end = begin + data.size();
    require(start <= data.size(), "there are not so many bytes");
    std::vector<AnyRow> rows;
    const char *p = begin + start, *open = nullptr;
    while (p < end && rows.size() < most) {
        StringColumn fields;
        fields.offsets.push(0);
        read_any_row(p, end, true, delimiter, &fields, open);
        std::vector<nb::bytes> texts;
        for (std::size_t k = 0; k + 1 < fields.offsets.size(); ++k)
            texts.emplace_back(fields.bytes.data() + fields.offsets[k],
                               static_cast<std::size_t>(fields.offsets[k + 1] - fields.offsets[k]));
        rows.emplace_back(static_cast<std::size_t>(p - begin), std::move(texts), open ? open - begin : -1);
    }
    return rows;
}

void bind_delimited(nb::module_& module) {
    module.def("delimited_lines", &delimited_lines, "columns"_a, "delimiter"_a = ',',
               "Lines of fields, in UTF-8; a column is (words, which word each row has; -1: none), or "
               "numbers, of which six digits are written (nothing for NaN). Words are written as they are.");
    module.def(
        "delimited_rows", &delimited_rows, "data"_a, "delimiter"_a, "start"_a, "most"_a,
        "Rows of any number of fields: where each ends, its fields, and where a field begins whose quote "
        "is never closed (-1: none).");
    nb::class_<DelimitedParser>(module, "DelimitedParser", "Rows of delimited text, as columns of strings.")
        .def(
            "__init__",
            [](DelimitedParser* parser, char delimiter, const std::vector<bool>& wanted, std::size_t expected,
               std::size_t longest, bool passes_over) {
                require(!wanted.empty(), "there must be a column");
                require(delimiter != '"' && delimiter != '\n' && delimiter != '\r',
                        "a delimiter must be neither a quote nor a line break");
                new (parser) DelimitedParser(delimiter, wanted, expected, longest, passes_over);
            },
            "delimiter"_a, "wanted"_a, "expected"_a, "longest"_a = SIZE_MAX, "passes_over"_a = false,
            "wanted: for each column, whether it is kept; expected: how many bytes will come, 0 if unknown; "
            "longest: how many bytes a row may have; passes_over: whether bad rows are left out.")
        .def(
            "feed",
            [](DelimitedParser& parser, nb::bytes data, bool at_once) {
                released([&] { parser.feed(data.c_str(), data.size(), at_once); });
                return !parser.failed();
            },
            "data"_a, "at_once"_a = false,
            "Reads more bytes; False once something is wrong. at_once: whatever there is of a long row.")
        .def("finish", unlocked([](DelimitedParser& parser) {
                 parser.finish();
                 return !parser.failed();
             }),
             "Reads what is left; False if something was wrong.")
        .def_prop_ro("n_rows", &DelimitedParser::n_rows)
        .def_prop_ro("n_bytes", &DelimitedParser::n_bytes, "Bytes of the rows that were read.")
        .def_prop_ro("is_too_long", &DelimitedParser::is_too_long, "Whether the next row is too long.")
        .def("bad_rows", &DelimitedParser::bad_rows,
             "Rows that were passed over since this was called, which is to be before they are drained: "
             "where each begins and ends, where reading went on, and how many rows stand before it.")
        .def("drain", &drain_rows,
             "Hands out (offsets, bytes) of every column, of the complete rows that were not handed out "
             "before.")
        .def("take", &take_column, "column"_a, "Hands out (offsets, bytes) of a column, once; after finish.");
}

}  // namespace lindy
