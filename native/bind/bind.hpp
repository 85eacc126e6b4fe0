// Shared by all bindings: array types, checks of shape, work without the interpreter's lock, arrays for NumPy.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/buffer.hpp"
#include "core/sparse_rows.hpp"

namespace lindy {

namespace nb = nanobind;
using namespace nanobind::literals;

// Read-only and writable C-contiguous NumPy arrays; of those that are written, none is converted.
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

// Sizes as kernels count them.
inline std::int64_t length(const auto& array) {
    return static_cast<std::int64_t>(array.size());
}
inline std::int64_t height(const auto& matrix) {
    return static_cast<std::int64_t>(matrix.shape(0));
}
inline std::int64_t width(const auto& matrix) {
    return static_cast<std::int64_t>(matrix.shape(1));
}
inline bool has_shape(const auto& matrix, std::int64_t n_rows, std::int64_t n_columns) {
    return height(matrix) == n_rows && width(matrix) == n_columns;
}
inline auto data_or_null(const auto& optional) {
    return optional ? optional->data() : nullptr;
}

// Every number must be one from 0 to below n.
inline void require_below(const auto& numbers, std::int64_t n, const char* message) {
    bool inside = true;
    for (std::size_t i = 0; i < numbers.size(); ++i)
        inside &= numbers.data()[i] >= 0 && static_cast<std::int64_t>(numbers.data()[i]) < n;
    require(inside, message);
}

// Returns what work returns, done without the interpreter's lock.
inline decltype(auto) unlocked(auto&& work) {
    nb::gil_scoped_release released;
    return work();
}

// Binds a function template, given as a lambda, once for each type of values, under one name.
template <class Function, class Result, class... Args>
auto instance(Result (Function::*call)(Args...) const) {
    return [call](Args... args) -> Result { return (Function{}.*call)(std::forward<Args>(args)...); };
}
template <class Function, class... Extra>
void def_floats(auto& scope, const char* name, Function, const Extra&... extra) {
    scope.def(name, instance(&Function::template operator()<float>), extra...);
    scope.def(name, instance(&Function::template operator()<double>), extra...);
}
// The same for two types, of values and of weights.
template <class Function, class... Extra>
void def_float_pairs(auto& scope, const char* name, Function, const Extra&... extra) {
    scope.def(name, instance(&Function::template operator()<float, float>), extra...);
    scope.def(name, instance(&Function::template operator()<float, double>), extra...);
    scope.def(name, instance(&Function::template operator()<double, float>), extra...);
    scope.def(name, instance(&Function::template operator()<double, double>), extra...);
}

template <class T>
using Array = nb::ndarray<nb::numpy, T, nb::ndim<1>>;
template <class T>
using Array2 = nb::ndarray<nb::numpy, T, nb::ndim<2>>;
template <class Value>
using RowArrays =
    std::tuple<Array<std::int64_t>, Array<std::int32_t>, Array<Value>>;   // indptr, indices, values
using TermArrays = std::tuple<Array<std::uint8_t>, Array<std::int64_t>>;  // UTF-8 bytes, offsets

// Hand the memory of a vector or buffer to NumPy without a copy.
template <class Memory>
nb::capsule owner_of(std::unique_ptr<Memory> held) {
    return nb::capsule(held.release(), [](void* p) noexcept { delete static_cast<Memory*>(p); });
}
template <class T>
Array<T> to_numpy(std::vector<T>&& vector) {
    auto held = std::make_unique<std::vector<T>>(std::move(vector));
    T* const data = held->data();
    const std::size_t size = held->size();
    return Array<T>(data, {size}, owner_of(std::move(held)));
}
template <class T>
Array<T> to_numpy(Buffer<T>&& buffer) {
    auto held = std::make_unique<Buffer<T>>(std::move(buffer));
    held->shrink();
    T* const data = held->data();
    const std::size_t size = held->size();
    return Array<T>(data, {size}, owner_of(std::move(held)));
}
template <class T>
Array2<T> to_numpy(Buffer<T>&& buffer, std::size_t n_columns) {
    auto held = std::make_unique<Buffer<T>>(std::move(buffer));
    T* const data = held->data();
    const std::size_t n_rows = n_columns ? held->size() / n_columns : 0;
    return Array2<T>(data, {n_rows, n_columns}, owner_of(std::move(held)));
}
template <class Value>
RowArrays<Value> to_numpy(SparseRows<Value>&& rows) {
    return {to_numpy(std::move(rows.indptr)), to_numpy(std::move(rows.indices)),
            to_numpy(std::move(rows.values))};
}

}  // namespace lindy
