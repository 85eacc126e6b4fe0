// Rows as Python has them: an object with the arrays of lindy.core.csr.Csr becomes a view that kernels take.
#pragma once

#include "bind/bind.hpp"
#include "core/csr.hpp"

namespace lindy {

// A view that keeps its arrays. Types and lengths are checked where Python hands it over; the ranges of
// indices were checked once, by check_csr, where the matrix entered Python.
template <class Value>
struct Rows : CsrView<Value> {
    In<std::int64_t> indptr_array;
    In<std::int32_t> indices_array;
    In<Value> values_array;

    std::int64_t stored() const { return this->indptr[this->n_rows]; }

    void check_lengths() const {
        require(indptr_array.size() >= 1, "indptr must have one more entry than there are rows");
        require(this->dense()
                    ? length(indices_array) == this->n_columns && stored() == this->n_rows * this->n_columns
                    : indices_array.size() == values_array.size(),
                "indices and values must have the same length");
        require(this->indptr[0] == 0 && stored() == length(values_array),
                "indptr must begin at 0 and end at the number of stored values");
    }
};

}  // namespace lindy

namespace nanobind::detail {

// An attribute by its interned name; nothing, and no error, if there is none.
inline object attribute(handle object_, PyObject* name) {
    PyObject* found = PyObject_GetAttr(object_.ptr(), name);
    if (!found) PyErr_Clear();
    return steal(found);
}

template <class Value>
struct type_caster<lindy::Rows<Value>> {
    using Rows = lindy::Rows<Value>;
    static constexpr auto Name = const_name("lindy.core.rows.Rows");
    template <class T>
    using Cast = movable_cast_t<T>;
    template <class T>
    static constexpr bool can_cast() {
        return true;
    }

    // None, where a binding allows it, is a null pointer.
    // Arrays of other types are not converted; the values come first, since overloads differ by their type.
    bool from_python(handle source, std::uint32_t, cleanup_list* cleanup) noexcept {
        if ((absent_ = source.is_none())) return true;
        static PyObject* const names[] = {
            PyUnicode_InternFromString("values"), PyUnicode_InternFromString("indices"),
            PyUnicode_InternFromString("indptr"), PyUnicode_InternFromString("n_columns"),
            PyUnicode_InternFromString("dense_columns")};
        const auto take = [&](PyObject* name, auto& to, std::uint32_t flags = 0) {
            make_caster<std::remove_reference_t<decltype(to)>> caster;
            const object found = attribute(source, name);
            if (!found || !caster.from_python(found, flags, cleanup)) return false;
            to = std::move(caster.value);
            return true;
        };
        const object shared = attribute(source, names[4]);
        rows_.own_indices = !shared || shared.is_none() ? -1 : 0;
        if (!take(names[0], rows_.values_array) ||
            !take(rows_.dense() ? names[4] : names[1], rows_.indices_array) ||
            !take(names[2], rows_.indptr_array) || !take(names[3], rows_.n_columns, cast_flags::convert))
            return false;
        rows_.indptr = rows_.indptr_array.data();
        rows_.indices = rows_.indices_array.data();
        rows_.values = rows_.values_array.data();
        rows_.n_rows = lindy::length(rows_.indptr_array) - 1;
        return true;
    }

    explicit operator Rows*() { return absent_ ? nullptr : &checked(); }
    explicit operator Rows&() { return checked(); }
    explicit operator Rows&&() { return std::move(checked()); }

  private:
    Rows& checked() {
        if (absent_) throw next_overload();
        rows_.check_lengths();
        return rows_;
    }

    Rows rows_{};
    bool absent_ = false;
};

}  // namespace nanobind::detail
