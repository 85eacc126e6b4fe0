// Shared by all bindings: array types, checks of shape, work without the interpreter's lock, arrays for NumPy.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <functional>
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

// Read-only C-contiguous NumPy arrays.
template <class T>
using In = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using In2 = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// Those that are written: never a converted copy, in which what is written would be lost.
template <class T, int n_dim>
struct Written : nb::ndarray<T, nb::ndim<n_dim>, nb::c_contig, nb::device::cpu> {};
template <class T>
using Out = Written<T, 1>;
template <class T>
using Out2 = Written<T, 2>;

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
template <class T>
std::vector<T> vector_of(const In<T>& array) {
    return {array.data(), array.data() + array.size()};
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
inline decltype(auto) released(auto&& work) {
    nb::gil_scoped_release lock;
    return work();
}

// Makes a function that runs without the interpreter's lock: it may read and write arrays, but must not touch
// other objects of Python. Its arguments and what it returns are converted with the lock.
template <class Result, class... Args>
auto without_lock(auto call) {
    return [call](Args... args) -> Result {
        nb::gil_scoped_release released;
        return std::invoke(call, args...);  // copied, so that no last reference to an array is given up here
    };
}
template <class Result, class... Args>
auto unlocked(Result (*function)(Args...)) {
    return without_lock<Result, Args...>(function);
}
template <class Class, class Result, class... Args>
auto unlocked(Result (Class::*method)(Args...)) {
    return without_lock<Result, Class&, Args...>(method);
}
template <class Class, class Result, class... Args>
auto unlocked(Result (Class::*method)(Args...) const) {
    return without_lock<Result, const Class&, Args...>(method);
}
auto unlocked(auto lambda) {
    return unlocked(+lambda);
}

// Binds a function template, given as a lambda, once for each type of values, under one name, unlocked.
template <class Function, class Result, class... Args>
auto instance(Result (Function::*call)(Args...) const) {
    return without_lock<Result, Args...>([call](auto&... args) { return (Function{}.*call)(args...); });
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

// Rows × columns of numbers that are returned.
template <class T>
struct Matrix {
    Buffer<T> values;
    std::size_t n_rows, n_columns;
};

// The memory of a vector or buffer as NumPy's, without a copy.
template <class T>
using Array = nb::ndarray<nb::numpy, T, nb::ndim<1>>;
template <class Memory>
nb::capsule owner_of(std::unique_ptr<Memory> held) {
    return nb::capsule(held.release(), [](void* p) noexcept { delete static_cast<Memory*>(p); });
}
template <class Array, class Memory, class... Sizes>
Array to_numpy(Memory&& memory, Sizes... sizes) {
    auto held = std::make_unique<Memory>(std::move(memory));
    auto* const data = held->data();
    return Array(data, {sizes...}, owner_of(std::move(held)));
}

}  // namespace lindy

// What functions return becomes arrays: buffers, vectors of numbers, matrices, and the three arrays of rows.
namespace nanobind::detail {

template <class T, int n_dim>
struct type_caster<lindy::Written<T, n_dim>> {
    using Array = ndarray<T, ndim<n_dim>, c_contig, device::cpu>;
    using Written = lindy::Written<T, n_dim>;
    NB_TYPE_CASTER(Written, make_caster<Array>::Name)

    bool from_python(handle source, std::uint32_t flags, cleanup_list* cleanup) noexcept {
        make_caster<Array> caster;
        if (!caster.from_python(source, flags & ~std::uint32_t{cast_flags::convert}, cleanup)) return false;
        value = {std::move(caster.value)};
        return true;
    }
};

template <class Memory>
struct memory_caster {
    using Array = lindy::Array<std::remove_pointer_t<decltype(std::declval<Memory&>().data())>>;
    static constexpr auto Name = make_caster<Array>::Name;

    static handle from_cpp(Memory&& memory, rv_policy, cleanup_list* cleanup) noexcept {
        if constexpr (requires { memory.shrink(); }) memory.shrink();
        const std::size_t size = memory.size();
        return make_caster<Array>::from_cpp(lindy::to_numpy<Array>(std::move(memory), size),
                                            rv_policy::automatic, cleanup);
    }
    static handle from_cpp(const Memory& memory, rv_policy, cleanup_list* cleanup) noexcept {
        const Array view(const_cast<Memory&>(memory).data(), {memory.size()});
        return make_caster<Array>::from_cpp(view, rv_policy::copy, cleanup);
    }
};
template <class T>
struct type_caster<lindy::Buffer<T>> : memory_caster<lindy::Buffer<T>> {};
template <class T>
    requires(std::is_arithmetic_v<T> && !std::is_same_v<T, bool>)
struct type_caster<std::vector<T>> : memory_caster<std::vector<T>> {};

template <class T>
struct type_caster<lindy::Matrix<T>> {
    using Array = ndarray<numpy, T, ndim<2>>;
    static constexpr auto Name = make_caster<Array>::Name;

    static handle from_cpp(lindy::Matrix<T>&& matrix, rv_policy, cleanup_list* cleanup) noexcept {
        return make_caster<Array>::from_cpp(
            lindy::to_numpy<Array>(std::move(matrix.values), matrix.n_rows, matrix.n_columns),
            rv_policy::automatic, cleanup);
    }
};

template <class Value>
struct type_caster<lindy::SparseRows<Value>> {
    using Arrays = std::tuple<lindy::Buffer<std::int64_t>, lindy::Buffer<std::int32_t>, lindy::Buffer<Value>>;
    static constexpr auto Name = make_caster<Arrays>::Name;

    static handle from_cpp(lindy::SparseRows<Value>&& rows, rv_policy policy,
                           cleanup_list* cleanup) noexcept {
        return make_caster<Arrays>::from_cpp(
            Arrays(std::move(rows.indptr), std::move(rows.indices), std::move(rows.values)), policy, cleanup);
    }
};

}  // namespace nanobind::detail
