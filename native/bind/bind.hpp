// What the bind_*.cpp files share: array types, checks of shape, one CSR argument.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/csr.hpp"

namespace lindy {

namespace nb = nanobind;

// Read-only and writable C-contiguous NumPy arrays; wrong dtype or layout is a TypeError, never a copy.
template <class T>
using In = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using In2 = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using Out = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Out2 = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

inline void require(bool holds, const char* message) {
    if (!holds) throw nb::value_error(message);
}

// A CsrView over three arrays. Index ranges were checked once, by check_csr, where the matrix entered Python.
template <class Value>
CsrView<Value> csr_view(const In<std::int64_t>& indptr, const In<std::int32_t>& indices,
                        const In<Value>& values, std::int64_t n_columns) {
    require(indptr.size() >= 1, "indptr must have one more entry than there are rows");
    require(indices.size() == values.size(), "indices and values must have the same length");
    const std::int64_t n_rows = static_cast<std::int64_t>(indptr.size()) - 1;
    require(indptr.data()[0] == 0 && indptr.data()[n_rows] == static_cast<std::int64_t>(indices.size()),
            "indptr must begin at 0 and end at the number of stored values");
    return {indptr.data(), indices.data(), values.data(), n_rows, n_columns};
}

// Hands a vector's memory to NumPy without a copy.
template <class T>
nb::ndarray<nb::numpy, T, nb::ndim<1>> to_numpy(std::vector<T>&& vector) {
    auto held = std::make_unique<std::vector<T>>(std::move(vector));
    T* data = held->data();
    const std::size_t size = held->size();
    nb::capsule owner(held.release(), [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return nb::ndarray<nb::numpy, T, nb::ndim<1>>(data, {size}, owner);
}

}  // namespace lindy
