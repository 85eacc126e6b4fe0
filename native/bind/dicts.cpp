// Rows out of Python dictionaries: names become columns, strings become one column per value.
#include "bind/names.hpp"
#include "features/dict_rows.hpp"

namespace lindy {

namespace {

struct Item {
    PyObject *name, *value;
    std::uint64_t hash;

    PyObject* string() const { return PyUnicode_CheckExact(value) ? value : nullptr; }
    // Whether no Python code can run while it is read.
    bool is_plain() const {
        return PyUnicode_CheckExact(name) && (PyLong_CheckExact(value) || PyFloat_CheckExact(value) ||
                                              PyUnicode_CheckExact(value) || PyBool_Check(value));
    }
};

// What a value is that is neither a plain number nor a string.
enum class Kind { number, mapping, strings, other };

}  // namespace

// Reads dictionaries in batches. Dictionaries of strings and plain numbers are read at once; all others item
// by item, with every object held while Python code may run.
class DictReader {
  public:
    // `convert` makes a value of the matrix's type; with `real`, plain numbers need no such call, and values
    // are doubles. `number`, `mapping` and `iterable` are Python's abstract classes of these names.
    DictReader(NameTable& names, nb::str separator, nb::object convert, nb::object number, nb::object mapping,
               nb::object iterable, bool real, bool fitting, bool with_values)
        : names_(names),
          separator_(std::move(separator)),
          convert_(std::move(convert)),
          items_(nb::borrow(reinterpret_cast<PyObject*>(&PyDict_Type)).attr("items")),
          number_(std::move(number)),
          mapping_(std::move(mapping)),
          iterable_(std::move(iterable)),
          real_(real),
          fitting_(fitting),
          with_values_(with_values) {
        rows_.indptr.push(0);
    }

    void read(const AnyList& examples) {
        for (std::size_t i = 0; i < examples.size(); ++i) {
            const nb::object example = examples[i];
            if (!holds_its_items(example))
                read_mapping(example);
            else if (!real_ || !read_plain(example.ptr()))
                read_dict(example.ptr());
            rows_.end_row();
        }
    }

    std::int64_t n_rows() const { return static_cast<std::int64_t>(rows_.indptr.size()) - 1; }

    // Rows in the order of columns, which are first renumbered if `rank` says so; entries of one column are
    // summed. Only for values that are doubles.
    SparseRows<double> take(std::optional<In<std::int32_t>> rank) {
        require(real_ && with_values_, "only rows of real numbers can be ordered here");
        const auto n_columns = static_cast<std::int32_t>(names_.size());
        if (rank) {
            require(rank->size() == static_cast<std::size_t>(n_columns), "there must be one rank per column");
            require_below(*rank, n_columns, "rank must hold column numbers");
        }
        released([&] { order_rows(rows_, data_or_null(rank)); });
        return std::move(rows_);
    }

    // Rows as they were read, values as a list.
    std::tuple<Buffer<std::int64_t>, Buffer<std::int32_t>, AnyList> take_objects() {
        return {std::move(rows_.indptr), std::move(rows_.indices), AnyList(objects_)};
    }

  private:
    // Whether a mapping's items are those that the dictionary itself holds, in its order.
    bool holds_its_items(const nb::object& example) {
        PyObject* x = example.ptr();
        if (PyDict_CheckExact(x)) return true;
        return PyDict_Check(x) && nb::object(example.type().attr("items")).is(items_);
    }

    // Reads a dictionary of plain items, and nothing of any other. Objects are scattered over the memory, so
    // each step asks for what the next one needs.
    bool read_plain(PyObject* dict) {
        plain_.clear();
        Item item{};
        for (Py_ssize_t at = 0; PyDict_Next(dict, &at, &item.name, &item.value);) {
            __builtin_prefetch(item.name);
            if (!PyList_CheckExact(item.value))
                plain_.push(item);
            else if (!push_strings(item.name, item.value))
                return false;
        }
        for (Item& i : plain_) {
            if (!i.is_plain()) return false;
            i.hash = NameTable::hash(i.name, i.string());
            names_.prefetch(i.hash);
        }
        for (const Item& i : plain_) {
            std::int32_t column = names_.find(i.hash, i.name, i.string());
            if (column == NameTable::unknown) column = look_up(i);
            if (column == NameTable::unknown || !with_values_) continue;
            rows_.push(column, i.string() ? 1.0 : plain_number(i.value));
        }
        return true;
    }

    // Each string of a list is an item of its own.
    bool push_strings(PyObject* name, PyObject* list) {
        for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list); ++i) {
            PyObject* string = PyList_GET_ITEM(list, i);
            if (!PyUnicode_CheckExact(string)) return false;
            plain_.push({name, string, 0});
        }
        return true;
    }

    void read_dict(PyObject* dict) {
        PyObject *name, *value;
        const Py_ssize_t size = PyDict_GET_SIZE(dict);
        for (Py_ssize_t at = 0; PyDict_Next(dict, &at, &name, &value);) {
            read_item(nb::borrow(name), nb::borrow(value));
            if (PyDict_GET_SIZE(dict) != size) {
                PyErr_SetString(PyExc_RuntimeError, "dictionary changed size during iteration");
                rethrow();
            }
        }
    }

    void read_mapping(const nb::object& example) {
        const nb::object items = example.attr("items")();
        for (nb::handle item : nb::iter(items)) {
            const nb::object pair = owned(PySequence_Tuple(item.ptr()));
            const Py_ssize_t size = PyTuple_GET_SIZE(pair.ptr());
            if (size != 2) {
                PyErr_Format(PyExc_ValueError, "an item of a mapping is a name and a value; got %zd objects",
                             size);
                rethrow();
            }
            // as a function: the macro reads beyond the one element that a tuple's type declares
            read_item(nb::borrow(PyTuple_GetItem(pair.ptr(), 0)), nb::borrow(PyTuple_GetItem(pair.ptr(), 1)));
        }
    }

    void read_item(const nb::object& name, const nb::object& value) {
        if (PyUnicode_Check(value.ptr()))
            push(column(name, value), nb::int_(1));
        else if (value.is_none() || PyFloat_Check(value.ptr()) || PyLong_Check(value.ptr()))
            push(column(name), value);
        else
            read_other(name, value);
    }

    void read_other(const nb::object& name, const nb::object& value) {
        const Kind kind = kind_of(value);
        if (kind == Kind::number) return push(column(name), value);
        if (kind != Kind::strings) refuse(name, value, kind);
        for (nb::handle item : nb::iter(value)) {
            if (!PyUnicode_Check(item.ptr())) {
                PyErr_Format(PyExc_TypeError,
                             "Unsupported type %S in iterable value. Only iterables of string are supported.",
                             item.type().ptr());
                rethrow();
            }
            push(column(name, nb::borrow(item)), nb::int_(1));
        }
    }

    [[noreturn]] void refuse(const nb::object& name, const nb::object& value, Kind kind) {
        PyObject* type = value.type().ptr();
        if (!with_values_ && kind == Kind::mapping)
            PyErr_Format(PyExc_TypeError,
                         "Unsupported value type %S for %S: %S.\nMapping objects are not supported.", type,
                         name.ptr(), value.ptr());
        else
            PyErr_Format(PyExc_TypeError,
                         "Unsupported value Type %S for %S: %S.\n%S objects are not supported.", type,
                         name.ptr(), value.ptr(), type);
        rethrow();
    }

    Kind kind_of(const nb::object& value) {
        const nb::handle type = value.type();
        if (type.is(latest_type_)) return latest_kind_;
        const auto is_a = [&](const nb::object& kind) {
            const int answer = PyObject_IsInstance(value.ptr(), kind.ptr());
            if (answer < 0) rethrow();
            return answer == 1;
        };
        const Kind kind = is_a(number_)     ? Kind::number
                          : is_a(mapping_)  ? Kind::mapping
                          : is_a(iterable_) ? Kind::strings
                                            : Kind::other;
        latest_type_ = nb::borrow(type);
        latest_kind_ = kind;
        return kind;
    }

    // None is no name, as in scikit-learn.
    std::int32_t column(const nb::object& name) {
        if (name.is_none()) return NameTable::unknown;
        return fitting_ ? names_.add(name) : names_.find(name);
    }

    std::int32_t column(const nb::object& name, const nb::object& string) {
        if (!PyUnicode_CheckExact(name.ptr()) || !PyUnicode_CheckExact(string.ptr()))
            return column(owned(PyUnicode_FromFormat("%S%U%S", name.ptr(), separator_.ptr(), string.ptr())));
        const Item item{name.ptr(), string.ptr(), NameTable::hash(name.ptr(), string.ptr())};
        const std::int32_t known = names_.find(item.hash, item.name, item.value);
        return known == NameTable::unknown ? look_up(item) : known;
    }

    // The column of a plain item that the table does not remember.
    std::int32_t look_up(const Item& item) {
        PyObject* string = item.string();
        if (!string) return fitting_ ? names_.add(nb::borrow(item.name)) : NameTable::unknown;
        const std::int32_t found =
            column(owned(PyUnicode_FromFormat("%U%U%U", item.name, separator_.ptr(), string)));
        if (found != NameTable::unknown) names_.insert(item.hash, item.name, string, found);
        return found;
    }

    void push(std::int32_t column, const nb::object& value) {
        if (column == NameTable::unknown || !with_values_) return;
        if (real_) return rows_.push(column, number(value));
        objects_.append(convert_(value));
        rows_.indices.push(column);
    }

    double number(const nb::object& value) {
        if (PyFloat_Check(value.ptr()) || PyLong_Check(value.ptr())) return plain_number(value.ptr());
        return plain_number(nb::object(convert_(value)).ptr());
    }

    static double plain_number(PyObject* value) {
        if (PyFloat_Check(value)) return PyFloat_AS_DOUBLE(value);
        const double real = PyLong_Check(value) ? PyLong_AsDouble(value) : PyFloat_AsDouble(value);
        if (real == -1.0 && PyErr_Occurred()) rethrow();
        return real;
    }

    NameTable& names_;
    nb::str separator_;
    nb::object convert_, items_, number_, mapping_, iterable_;
    bool real_, fitting_, with_values_;
    nb::object latest_type_;
    Kind latest_kind_ = Kind::other;
    Buffer<Item> plain_;
    SparseRows<double> rows_;
    nb::list objects_;  // instead of values, unless these are real
};

void bind_dicts(nb::module_& module) {
    nb::class_<NameTable>(module, "NameTable", "Feature names of any kind and their columns.")
        .def(nb::init<const AnyList&>(), "names"_a)
        .def("__len__", &NameTable::size)
        .def_prop_ro("names", &NameTable::names, "In the order of their columns.")
        .def("order", &NameTable::order,
             "The columns in the order of their names; None if not all names are strings.")
        .def("reorder", &NameTable::reorder, "order"_a, "Number the names in this order.");
    nb::class_<DictReader>(module, "DictReader", "Reads dictionaries of features into rows.")
        .def(
            nb::init<NameTable&, nb::str, nb::object, nb::object, nb::object, nb::object, bool, bool, bool>(),
            nb::keep_alive<1, 2>(), "names"_a, "separator"_a, "convert"_a, "number"_a, "mapping"_a,
            "iterable"_a, "real"_a, "fitting"_a, "with_values"_a)
        .def("read", &DictReader::read, "examples"_a, "Append one row per dictionary.")
        .def_prop_ro("n_rows", &DictReader::n_rows)
        .def("take", &DictReader::take, "rank"_a,
             "indptr, indices and values of rows sorted by column; the reader is used up.")
        .def("take_objects", &DictReader::take_objects,
             "indptr, indices and a list of values, as they were read; the reader is used up.");
}

}  // namespace lindy
