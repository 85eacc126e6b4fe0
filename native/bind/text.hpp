// What the bindings of the text kernels share: documents as they come from Python.
#pragma once

#include "bind/bind.hpp"
#include "core/dictionary.hpp"
#include "text/unicode.hpp"

namespace lindy {

// The bytes of a Python object that has the buffer protocol (of None: no bytes), as long as this lives.
class LentBytes {
  public:
    explicit LentBytes(nb::handle object) {
        if (!object.is_none() && PyObject_GetBuffer(object.ptr(), &view_, PyBUF_SIMPLE) != 0)
            throw nb::python_error();
    }
    LentBytes(const LentBytes&) = delete;
    ~LentBytes() { PyBuffer_Release(&view_); }

    const unsigned char* data() const { return static_cast<const unsigned char*>(view_.buf); }
    std::size_t size() const { return static_cast<std::size_t>(view_.len); }

  private:
    Py_buffer view_{};
};

// The characters of a Python string, where they are.
inline Document python_string(PyObject* text) {
    const auto size = static_cast<std::size_t>(PyUnicode_GET_LENGTH(text));
    if (PyUnicode_IS_ASCII(text)) return {PyUnicode_DATA(text), size, Document::Units::ascii};
    switch (PyUnicode_KIND(text)) {
        case PyUnicode_1BYTE_KIND:
            return {PyUnicode_DATA(text), size, Document::Units::latin1};
        case PyUnicode_2BYTE_KIND:
            return {PyUnicode_DATA(text), size, Document::Units::ucs2};
        default:
            return {PyUnicode_DATA(text), size, Document::Units::ucs4};
    }
}

// Strings from one number on, as Python has them: UTF-8 bytes, and offsets that begin at 0.
using TermArrays = std::tuple<Buffer<std::uint8_t>, Buffer<std::int64_t>>;
inline TermArrays term_arrays(const Strings& strings, std::size_t first = 0) {
    const std::uint64_t begin = first ? strings.ends[first - 1] : 0;
    Buffer<std::int64_t> offsets(strings.size() - first + 1);
    offsets[0] = 0;
    for (std::size_t i = first; i < strings.size(); ++i)
        offsets[i - first + 1] = static_cast<std::int64_t>(strings.ends[i] - begin);
    return {Buffer(strings.bytes.data() + begin, strings.bytes.size() - begin), std::move(offsets)};
}

// Documents of one batch; holds what they are borrowed from.
struct Texts {
    std::vector<Document> documents;
    std::vector<nb::object> held;
    std::vector<std::shared_ptr<const LentBytes>> lent;
    std::size_t position = 0;  // of the first document, for messages
    std::size_t n_bytes = 0;   // (units of Python strings); each document counts as one more

    void add(const Document& document) {
        documents.push_back(document);
        n_bytes += document.size + 1;
    }
};

struct LoneSurrogate : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Runs body without the interpreter's lock; invalid UTF-8 becomes a ValueError that names the document.
template <class Body>
void read_unlocked(std::size_t position, Body body) {
    try {
        released(body);
    } catch (const BadText& error) {
        const std::string document = "document " + std::to_string(position + error.document);
        if (error.is_surrogate) throw LoneSurrogate(document + " holds a lone surrogate");
        throw nb::value_error((document + " is not valid UTF-8").c_str());
    }
}

void bind_texts(nb::module_& module);

}  // namespace lindy
