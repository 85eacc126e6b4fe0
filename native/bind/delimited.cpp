// Reading and writing tables of delimited text.
#include "data/delimited.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include "bind/text.hpp"
#include "data/lines.hpp"

namespace lindy {

using StringArrays = std::pair<Array<std::int64_t>, Array<std::uint8_t>>;  // offsets, UTF-8 bytes

static StringArrays arrays_of(StringColumn column) {
    return {to_numpy(std::move(column.offsets)), to_numpy(std::move(column.bytes))};
}

static StringArrays take_column(DelimitedParser& parser, std::size_t k) {
    require(parser.has(k), "there is no such column, or it was taken before");
    return arrays_of(parser.take(k));
}

// An array whose memory goes back to where it came from.
template <class T>
static Array<T> lent(Buffer<T>&& buffer, std::shared_ptr<SpareBuffers<T>> home) {
    struct Held {
        Buffer<T> buffer;
        std::shared_ptr<SpareBuffers<T>> home;
    };
    std::unique_ptr<Held> held(new Held{std::move(buffer), std::move(home)});
    T* const data = held->buffer.data();
    const std::size_t size = held->buffer.size();
    nb::capsule owner(held.release(), [](void* p) noexcept {
        const std::unique_ptr<Held> done(static_cast<Held*>(p));
        done->home->give(std::move(done->buffer));
    });
    return Array<T>(data, {size}, owner);
}

static std::vector<StringArrays> drain_rows(DelimitedParser& parser) {
    std::vector<StringColumn> rows = parser.drain();
    std::vector<StringArrays> columns;
    for (std::size_t k = 0; k < rows.size(); ++k) {
        const std::shared_ptr<SpareColumn>& spare = parser.spare(k);
        columns.emplace_back(lent(std::move(rows[k].offsets), {spare, &spare->offsets}),
                             lent(std::move(rows[k].bytes), {spare, &spare->bytes}));
    }
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
    std::string lines;
    {
        nb::gil_scoped_release released;
        lines = lines_of(columns, n_rows, delimiter);
    }
    return nb::bytes(lines.data(), lines.size());
}

void bind_delimited(nb::module_& module) {
    module.def("delimited_lines", &delimited_lines, "columns"_a, "delimiter"_a = ',',
               "Lines of fields, in UTF-8; a column is (words, which word each row has; -1: none), or "
               "numbers, of which six digits are written (nothing for NaN). Words are written as they are.");
    nb::class_<DelimitedParser>(module, "DelimitedParser", "Rows of delimited text, as columns of strings.")
        .def(
            "__init__",
            [](DelimitedParser* parser, char delimiter, const std::vector<bool>& wanted, std::size_t expected,
               std::size_t longest) {
                require(!wanted.empty(), "there must be a column");
                require(delimiter != '"' && delimiter != '\n' && delimiter != '\r',
                        "a delimiter must be neither a quote nor a line break");
                new (parser) DelimitedParser(delimiter, wanted, expected, longest);
            },
            "delimiter"_a, "wanted"_a, "expected"_a, "longest"_a = SIZE_MAX,
            "wanted: for each column, whether it is kept; expected: how many bytes will come, 0 if unknown; "
            "longest: how many bytes a row may have.")
        .def(
            "feed",
            [](DelimitedParser& parser, nb::bytes data) {
                nb::gil_scoped_release released;
                parser.feed(data.c_str(), data.size());
                return !parser.failed();
            },
            "data"_a, "Reads more bytes; False once something is wrong.")
        .def(
            "finish",
            [](DelimitedParser& parser) {
                nb::gil_scoped_release released;
                parser.finish();
                return !parser.failed();
            },
            "Reads what is left; False if something was wrong.")
        .def_prop_ro("n_rows", &DelimitedParser::n_rows)
        .def_prop_ro("n_bytes", &DelimitedParser::n_bytes, "Bytes of the rows that were read.")
        .def_prop_ro("is_too_long", &DelimitedParser::is_too_long, "Whether the next row is too long.")
        .def("drain", &drain_rows,
             "Hands out (offsets, bytes) of every column, of the complete rows that were not handed out "
             "before.")
        .def("take", &take_column, "column"_a, "Hands out (offsets, bytes) of a column, once; after finish.");
}

}  // namespace lindy
