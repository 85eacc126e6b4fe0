// Documents out of Python lists and Arrow columns.
#include "bind_text.hpp"

namespace lindy {

static Document python_string(PyObject* text) {
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

// Takes items[begin …] until the batch has `bytes` units or one is not a string; returns the number of items
// taken.
static std::size_t take_strings(Texts& texts, nb::typed<nb::list, nb::any> items, std::size_t begin,
                                std::size_t bytes) {
    std::size_t i = begin;
    for (; i < items.size() && texts.n_bytes < bytes; ++i) {
        nb::object item = items[i];
        if (!PyUnicode_Check(item.ptr())) break;
        texts.add(python_string(item.ptr()));
        texts.held.push_back(std::move(item));
    }
    return i - begin;
}

// Takes rows begin … of an Arrow string column (one more offset than rows) until the batch has `bytes`.
template <class Offset>
static std::size_t take_arrow(Texts& texts, In<Offset> offsets, In<std::uint8_t> data, std::size_t begin,
                              std::size_t bytes) {
    require(offsets.size() >= 1, "offsets must have one more entry than there are rows");
    const std::size_t n = offsets.size() - 1;
    if (begin >= n) return 0;
    const auto limit = static_cast<std::int64_t>(data.size());
    const Offset* const ends = offsets.data() + 1;
    const unsigned char* const text = data.data();
    std::int64_t start = offsets.data()[begin];
    require(start >= 0, "offsets must not be negative");
    std::size_t i = begin;
    for (; i < n && texts.n_bytes < bytes; ++i) {
        const std::int64_t end = ends[i];
        require(start <= end && end <= limit, "offsets must not decrease nor leave the data");
        texts.add({text + start, static_cast<std::size_t>(end - start), Document::Units::utf8});
        start = end;
    }
    texts.held.push_back(nb::cast(data));
    return i - begin;
}

// One entry of an Arrow column of views: up to 12 bytes of text inside it, or where longer text lies.
struct View {
    std::int32_t size, prefix, buffer, offset;
    static constexpr std::int32_t longest_inside = 12;
};

// Takes views begin … of an Arrow string-view column until the batch has `bytes`.
static std::size_t take_views(Texts& texts, In<std::uint8_t> views,
                              const std::vector<In<std::uint8_t>>& buffers, std::size_t begin,
                              std::size_t bytes) {
    require(views.size() % sizeof(View) == 0, "views must be 16 bytes each");
    const std::size_t n = views.size() / sizeof(View);
    const unsigned char* const first = views.data();
    std::size_t i = begin;
    for (; i < n && texts.n_bytes < bytes; ++i) {
        const unsigned char* at = first + i * sizeof(View);
        View view;
        std::memcpy(&view, at, sizeof(View));
        require(view.size >= 0, "a view's size must not be negative");
        const unsigned char* text = at + sizeof(view.size);
        if (view.size > View::longest_inside) {
            require(0 <= view.buffer && static_cast<std::size_t>(view.buffer) < buffers.size(),
                    "a view must lie in one of the buffers");
            const In<std::uint8_t>& buffer = buffers[static_cast<std::size_t>(view.buffer)];
            require(view.offset >= 0 && static_cast<std::int64_t>(view.offset) + view.size <=
                                            static_cast<std::int64_t>(buffer.size()),
                    "a view must not leave its buffer");
            text = buffer.data() + view.offset;
        }
        const auto size = static_cast<std::size_t>(view.size);
        texts.add({text, size, Document::Units::utf8});
    }
    texts.held.push_back(nb::cast(views));
    for (const In<std::uint8_t>& buffer : buffers) texts.held.push_back(nb::cast(buffer));
    return i - begin;
}

void bind_texts(nb::module_& module) {
    nb::class_<Texts>(module, "Texts", "A batch of documents, borrowed from where they are.")
        .def(
            "__init__",
            [](Texts* texts, std::size_t position) {
                new (texts) Texts();
                texts->position = position;
            },
            nb::arg("position") = 0)
        .def("__len__", [](const Texts& texts) { return texts.documents.size(); })
        .def_ro("n_bytes", &Texts::n_bytes, "How long the documents are, each counted as one longer.")
        .def("take_strings", &take_strings, nb::arg("items"), nb::arg("begin"), nb::arg("bytes"),
             "Adds strings from items[begin] on until the batch has `bytes` or an item is none; "
             "returns how many.")
        .def("take_arrow", &take_arrow<std::int32_t>, nb::arg("offsets"), nb::arg("data"), nb::arg("begin"),
             nb::arg("bytes"), "Adds rows of an Arrow string column from `begin` on; returns how many.")
        .def("take_arrow", &take_arrow<std::int64_t>, nb::arg("offsets"), nb::arg("data"), nb::arg("begin"),
             nb::arg("bytes"))
        .def("take_views", &take_views, nb::arg("views"), nb::arg("buffers"), nb::arg("begin"),
             nb::arg("bytes"), "Adds rows of an Arrow string-view column from `begin` on; returns how many.");
}

}  // namespace lindy
