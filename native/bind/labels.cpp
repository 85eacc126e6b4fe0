// Columns of strings: labels as numbers, and fingerprints.
#include "bind/bind.hpp"
#include "core/fingerprint.hpp"
#include "core/number_strings.hpp"

namespace lindy {

// Returns how many strings there are in Arrow's layout, if they are.
template <class Offset>
static std::int64_t check_strings(const In<Offset>& offsets, const In<std::uint8_t>& data) {
    require(offsets.size() >= 1, "offsets must have one more entry than there are strings");
    const std::int64_t n = length(offsets) - 1;
    require(offsets.data()[0] >= 0 && static_cast<std::size_t>(offsets.data()[n]) <= data.size(),
            "offsets must lie within the data");
    for (std::int64_t i = 0; i < n; ++i)
        require(offsets.data()[i] <= offsets.data()[i + 1], "offsets must not decrease");
    return n;
}

template <class Offset>
static std::tuple<std::vector<std::int32_t>, std::vector<std::int64_t>> number_distinct_arrow(
    const In<Offset>& offsets, const In<std::uint8_t>& data) {
    const std::int64_t n = check_strings(offsets, data);
    std::vector<std::int32_t> codes(static_cast<std::size_t>(n));
    std::vector<std::int64_t> first;
    number_distinct(offsets.data(), reinterpret_cast<const char*>(data.data()), n, codes.data(), first);
    return {std::move(codes), std::move(first)};
}

template <class Offset>
static void add_strings(Fingerprint& fingerprint, const In<Offset>& offsets, const In<std::uint8_t>& data) {
    const std::int64_t n = check_strings(offsets, data);
    for (std::int64_t i = 0; i < n; ++i)
        fingerprint.add(data.data() + offsets.data()[i],
                        static_cast<std::size_t>(offsets.data()[i + 1] - offsets.data()[i]));
}

void bind_labels(nb::module_& module) {
    nb::class_<Fingerprint>(module, "Fingerprint", "A number of 128 bits that tells columns apart.")
        .def(nb::init<>())
        .def("add", unlocked(&add_strings<std::int32_t>), "offsets"_a, "data"_a,
             "Reads strings in Arrow's layout.")
        .def("add", unlocked(&add_strings<std::int64_t>), "offsets"_a, "data"_a)
        .def("end", &Fingerprint::end, "Ends a column.")
        .def_prop_ro("halves", [](const Fingerprint& fingerprint) {
            return std::tuple(fingerprint.first(), fingerprint.second());
        });
    module.def("number_distinct", unlocked(&number_distinct_arrow<std::int32_t>), "offsets"_a, "data"_a,
               "Numbers for strings in Arrow's layout by first appearance: (number of each, where each first "
               "stood).");
    module.def("number_distinct", unlocked(&number_distinct_arrow<std::int64_t>), "offsets"_a, "data"_a);
}

}  // namespace lindy
