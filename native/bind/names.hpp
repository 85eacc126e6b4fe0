// Columns by name: what feature names of any kind, as Python has them, are numbered with.
#pragma once

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <utility>

#include "bind/text.hpp"

namespace lindy {

[[noreturn]] inline void rethrow() {
    throw nb::python_error();
}

inline nb::object owned(PyObject* made) {
    if (!made) rethrow();
    return nb::steal(made);
}

inline bool equal_strings(PyObject* a, PyObject* b) {
    if (a == b) return true;
    const Py_ssize_t length = PyUnicode_GET_LENGTH(a);
    const auto kind = PyUnicode_KIND(a);
    return length == PyUnicode_GET_LENGTH(b) && kind == PyUnicode_KIND(b) &&
           std::memcmp(PyUnicode_DATA(a), PyUnicode_DATA(b), static_cast<std::size_t>(length) * kind) == 0;
}

using AnyList = nb::typed<nb::list, nb::any>;

// Names and their columns. Strings are found by their content in a table of our own, everything else by
// Python's equality in a dictionary. The table also remembers pairs of a name and a string value, so that no
// "name=value" is written out twice. Hashes are Python's, which are keyed and kept in the string.
class NameTable {
  public:
    static constexpr std::int32_t unknown = -1;

    explicit NameTable(const AnyList& names) : slots_(64), mask_(63) {
        clear_slots();
        for (std::size_t i = 0; i < names.size(); ++i) add(nb::object(names[i]));
    }
    NameTable(const NameTable&) = delete;
    NameTable& operator=(const NameTable&) = delete;
    ~NameTable() {
        for (const Slot& slot : slots_)
            if (slot.name) {
                Py_DECREF(slot.name);
                Py_XDECREF(slot.value);
            }
    }

    std::size_t size() const { return nb::len(names_); }
    AnyList names() const { return AnyList(names_); }

    static std::uint64_t hash(PyObject* name, PyObject* value) {
        auto mixed = static_cast<std::uint64_t>(PyObject_Hash(name)) * 0x9E3779B97F4A7C15u;
        if (value)
            mixed =
                std::rotl(mixed ^ static_cast<std::uint64_t>(PyObject_Hash(value)), 29) * 0xD6E8FEB86659FD93u;
        return mixed ^ mixed >> 32;
    }
    void prefetch(std::uint64_t hash) const { __builtin_prefetch(&slots_[hash & mask_]); }

    // The column of an exact string, or of a pair of them.
    std::int32_t find(std::uint64_t hash, PyObject* name, PyObject* value) const {
        for (std::size_t i = hash & mask_; slots_[i].name; i = (i + 1) & mask_) {
            const Slot& slot = slots_[i];
            if (slot.hash == static_cast<std::uint32_t>(hash >> 32) && !slot.value == !value &&
                equal_strings(slot.name, name) && (!value || equal_strings(slot.value, value)))
                return slot.column;
        }
        return unknown;
    }

    // Remembers the column of a pair.
    void insert(std::uint64_t hash, PyObject* name, PyObject* value, std::int32_t column) {
        if (2 * ++used_ > slots_.size()) grow();
        Py_INCREF(name);
        Py_XINCREF(value);
        place(hash, {name, value, static_cast<std::uint32_t>(hash >> 32), column});
    }

    // The column of any name; Python code may run.
    std::int32_t find(const nb::object& name) const {
        if (PyUnicode_Check(name.ptr())) {
            const nb::object exact = owned(PyUnicode_FromObject(name.ptr()));
            return find(hash(exact.ptr(), nullptr), exact.ptr(), nullptr);
        }
        PyObject* column = PyDict_GetItemWithError(others_.ptr(), name.ptr());
        if (!column && PyErr_Occurred()) rethrow();
        return column ? static_cast<std::int32_t>(PyLong_AsLong(column)) : unknown;
    }

    // The column of a name, which is a new one if it was not known.
    std::int32_t add(const nb::object& name) {
        if (const std::int32_t known = find(name); known != unknown) return known;
        require(size() < static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()),
                "there can be at most 2^31 - 1 names");
        const auto column = static_cast<std::int32_t>(size());
        if (PyUnicode_Check(name.ptr())) {
            const nb::object exact = owned(PyUnicode_FromObject(name.ptr()));
            insert(hash(exact.ptr(), nullptr), exact.ptr(), nullptr, column);
        } else {
            others_[name] = nb::int_(column);
        }
        names_.append(name);
        return column;
    }

    // The columns in the order of their names, if these are all strings.
    std::optional<std::vector<std::int32_t>> order() const {
        if (nb::len(others_)) return std::nullopt;
        std::vector<Prefix> sorted(size());
        for (std::size_t i = 0; i < size(); ++i) {
            PyObject* name = PyList_GET_ITEM(names_.ptr(), static_cast<Py_ssize_t>(i));
            sorted[i] = {prefix(name), name, static_cast<std::int32_t>(i)};
        }
        std::sort(sorted.begin(), sorted.end(), [](const Prefix& a, const Prefix& b) {
            return a.text != b.text ? a.text < b.text : PyUnicode_Compare(a.name, b.name) < 0;
        });
        std::vector<std::int32_t> order(size());
        std::transform(sorted.begin(), sorted.end(), order.begin(), [](const Prefix& p) { return p.column; });
        return order;
    }

    // Gives the names other columns: the n-th in the new order is the one that had column order[n].
    void reorder(const In<std::int32_t>& order) {
        require(order.size() == size(), "there must be one place per column");
        std::vector<std::int32_t> rank(size(), unknown);
        nb::list names;
        for (std::size_t i = 0; i < order.size(); ++i) {
            const std::int32_t column = order.data()[i];
            require(0 <= column && static_cast<std::size_t>(column) < size() && rank[column] == unknown,
                    "every column must have one place");
            rank[column] = static_cast<std::int32_t>(i);
            names.append(names_[column]);
        }
        for (Slot& slot : slots_)
            if (slot.name) slot.column = rank[slot.column];
        for (auto [name, column] : others_) others_[name] = nb::int_(rank[nb::cast<std::int32_t>(column)]);
        names_ = std::move(names);
    }

  private:
    struct Slot {
        PyObject *name, *value;  // no name: an empty slot; no value: the name alone
        std::uint32_t hash;
        std::int32_t column;
    };
    struct Prefix {
        std::uint64_t text;
        PyObject* name;
        std::int32_t column;
    };

    // The first eight bytes of a string's UTF-8, which has the order of its characters.
    static std::uint64_t prefix(PyObject* text) {
        const Py_ssize_t length = PyUnicode_GET_LENGTH(text);
        std::uint64_t bytes = 0;
        int n = 0;
        const auto push = [&](Py_UCS4 byte) { bytes = n++ < 8 ? bytes << 8 | byte : bytes; };
        for (Py_ssize_t i = 0; i < length && n < 8; ++i) {
            const Py_UCS4 c = PyUnicode_READ_CHAR(text, i);
            const int more = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
            push(more == 0 ? c : (0xF00u >> more & 0xFFu) | c >> 6 * more);
            for (int k = more - 1; k >= 0; --k) push(0x80u | (c >> 6 * k & 0x3Fu));
        }
        return 0 < n && n < 8 ? bytes << 8 * (8 - n) : bytes;
    }

    void clear_slots() { std::memset(static_cast<void*>(slots_.data()), 0, slots_.size() * sizeof(Slot)); }
    void place(std::uint64_t hash, const Slot& slot) {
        std::size_t i = hash & mask_;
        while (slots_[i].name) i = (i + 1) & mask_;
        slots_[i] = slot;
    }
    void grow() {
        Buffer<Slot> old = std::move(slots_);
        slots_ = Buffer<Slot>(4 * old.size());
        clear_slots();
        mask_ = slots_.size() - 1;
        for (const Slot& slot : old)
            if (slot.name) place(hash(slot.name, slot.value), slot);
    }

    nb::list names_;
    nb::dict others_;
    Buffer<Slot> slots_;
    std::size_t mask_, used_ = 0;
};

}  // namespace lindy
