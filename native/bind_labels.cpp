// Labels as numbers.
#include <nanobind/stl/tuple.h>

#include "bind.hpp"
#include "distinct.hpp"

namespace lindy {

using Codes = nb::ndarray<nb::numpy, std::int32_t, nb::ndim<1>>;
using Places = nb::ndarray<nb::numpy, std::int64_t, nb::ndim<1>>;

template <class Offset>
static std::tuple<Codes, Places> number_distinct_arrow(const In<Offset>& offsets,
                                                       const In<std::uint8_t>& data) {
    require(offsets.size() >= 1, "offsets must have one more entry than there are strings");
    const std::int64_t n = static_cast<std::int64_t>(offsets.size()) - 1;
    require(offsets.data()[0] >= 0 && static_cast<std::size_t>(offsets.data()[n]) <= data.size(),
            "offsets must lie within the data");
    for (std::int64_t i = 0; i < n; ++i)
        require(offsets.data()[i] <= offsets.data()[i + 1], "offsets must not decrease");
    std::vector<std::int32_t> codes(static_cast<std::size_t>(n));
    std::vector<std::int64_t> first;
    number_distinct(offsets.data(), reinterpret_cast<const char*>(data.data()), n, codes.data(), first);
    return {to_numpy(std::move(codes)), to_numpy(std::move(first))};
}

void bind_labels(nb::module_& module) {
    module.def("number_distinct", &number_distinct_arrow<std::int32_t>, nb::arg("offsets"), nb::arg("data"),
               "Numbers for strings in Arrow's layout by first appearance: (number of each, where each first "
               "stood).");
    module.def("number_distinct", &number_distinct_arrow<std::int64_t>, nb::arg("offsets"), nb::arg("data"));
}

}  // namespace lindy
