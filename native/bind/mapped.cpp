// Files that are mapped as arrays.
#include <sys/stat.h>

#include "bind/text.hpp"
#include "core/row_files.hpp"

namespace lindy {

static nb::ndarray<nb::numpy, std::uint8_t, nb::ndim<1>> map_file(int file, std::size_t size) {
    struct stat about{};
    require(size > 0 && fstat(file, &about) == 0 && static_cast<std::size_t>(about.st_size) >= size,
            "there must be so many bytes in the file");
    auto held = std::make_unique<MappedFile>(file, size);
    char* const data = held->data();
    nb::capsule owner(held.release(), [](void* p) noexcept { delete static_cast<MappedFile*>(p); });
    return {reinterpret_cast<std::uint8_t*>(data), {size}, owner};
}

// Some rows of a matrix in files; nothing if it is not.
template <class Value>
static std::optional<RowArrays<Value>> file_rows(const In<std::int64_t>& indptr,
                                                 const In<std::int32_t>& indices, const In<Value>& values,
                                                 const In<std::int32_t>& rows) {
    const auto x = csr_view(indptr, indices, values, 0);
    for (std::size_t k = 0; k < rows.size(); ++k)
        require(0 <= rows.data()[k] && rows.data()[k] < x.n_rows, "rows must hold row numbers");
    RowFiles<Value> files(x);
    if (!files) return {};
    {
        nb::gil_scoped_release released;
        files.read(rows.data(), static_cast<std::int64_t>(rows.size()));
    }
    return RowArrays<Value>{to_numpy(std::move(files.indptr)), to_numpy(std::move(files.indices)),
                            to_numpy(std::move(files.values))};
}

template <class Value>
static void bind_file_rows(nb::module_& module, const char* name) {
    module.def(name, &file_rows<Value>, nb::arg("indptr"), nb::arg("indices"), nb::arg("values"),
               nb::arg("rows"),
               "Copies of some rows of a matrix whose arrays are mapped files; None of another one.");
}

void bind_mapped(nb::module_& module) {
    nb::class_<PageKeeper>(module, "PageKeeper",
                           "Gives back the pages of all maps when more bytes are in memory, while it lives.")
        .def(nb::init<std::int64_t>(), nb::arg("limit"));
    module.def("map_file", &map_file, nb::arg("file"), nb::arg("size"),
               "The first bytes of an open file (its number), as memory that may be written.");
    bind_file_rows<float>(module, "file_rows_f32");
    bind_file_rows<double>(module, "file_rows_f64");
    module.def("resident_bytes", &resident_bytes,
               "How many bytes of this process are in memory; 0 where the system does not tell.");
}

}  // namespace lindy
