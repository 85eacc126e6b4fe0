// Files that are mapped as arrays.
#include "bind/rows.hpp"
#include "core/row_files.hpp"

namespace lindy {

static Array<std::uint8_t> map_file(int file, std::size_t size) {
    const std::int64_t there = system::file_size(file);
    require(size > 0 && there >= 0 && static_cast<std::uint64_t>(there) >= size,
            "there must be so many bytes in the file");
    auto held = std::make_unique<MappedFile>(file, size);
    char* const data = held->data();
    return {reinterpret_cast<std::uint8_t*>(data), {size}, owner_of(std::move(held))};
}

// Some strings of a column whose bytes are in a file; nothing if they are not.
static std::optional<std::tuple<Buffer<std::int64_t>, Buffer<std::uint8_t>>> file_texts(
    const In<std::int64_t>& offsets, const In<std::uint8_t>& data, const In<std::int64_t>& rows) {
    const FilePlace place = Maps::get().place(data.data(), data.size());
    if (place.file == system::no_file) return {};
    const auto n_bytes = length(data);
    Buffer<std::int64_t> ends(rows.size() + 1);
    Buffer<std::uint8_t> bytes;
    ends[0] = 0;
    for (std::size_t k = 0; k < rows.size(); ++k) {
        const std::int64_t row = rows.data()[k];
        require(0 <= row && row + 1 < length(offsets), "rows must hold row numbers");
        const std::int64_t begin = offsets.data()[row], end = offsets.data()[row + 1];
        require(0 <= begin && begin <= end && end <= n_bytes, "offsets must ascend within the data");
        const auto size = static_cast<std::size_t>(end - begin), before = bytes.size();
        read_bytes(place, begin, bytes.resize(before + size) + before, size);
        ends[k + 1] = static_cast<std::int64_t>(before + size);
    }
    return std::tuple{std::move(ends), std::move(bytes)};
}

void bind_mapped(nb::module_& module) {
    nb::class_<PageKeeper>(module, "PageKeeper",
                           "Gives back the pages of all maps when more bytes are in memory, while it lives.")
        .def(nb::init<std::int64_t>(), "limit"_a);
    module.def("map_file", &map_file, "file"_a, "size"_a,
               "The first bytes of an open file (its number), as memory that may be written.");
    def_floats(
        module, "file_rows",
        []<class Value>(const Rows<Value>& x,
                        const In<std::int32_t>& rows) -> std::optional<SparseRows<Value>> {
            require_below(rows, x.n_rows, "rows must hold row numbers");
            RowFiles<Value> files(x);
            if (!files) return {};
            files.read(rows.data(), length(rows));
            return std::optional<SparseRows<Value>>(std::move(files));
        },
        "X"_a, "rows"_a,
        "Copies of some rows of a matrix whose arrays are mapped files; None of another one.");
    module.def("file_texts", unlocked(&file_texts), "offsets"_a, "data"_a, "rows"_a,
               "Copies of some strings of a column in a mapped file, as a column; None of another one.");
    module.def("resident_bytes", &system::resident_bytes,
               "How many bytes of this process are in memory; 0 where the system does not tell.");
    module.def("available_bytes", &system::available_bytes,
               "How many bytes of the machine's memory nobody has; 0 where the core does not ask.");
}

}  // namespace lindy
