// Documents out of Python lists and Arrow columns.
#include "bind/text.hpp"

namespace lindy {

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

using Lent = std::vector<std::shared_ptr<const LentBytes>>;

// The buffers of an Arrow array.
static Lent lend(const nb::typed<nb::list, nb::any>& buffers, std::size_t least) {
    require(buffers.size() >= least, "an Arrow array of texts needs more buffers");
    Lent lent;
    lent.reserve(buffers.size());
    for (const nb::handle buffer : buffers) lent.push_back(std::make_shared<const LentBytes>(buffer));
    return lent;
}

// The entries of a buffer from `first` on, of which there must be n and some more.
template <class Entry>
static const unsigned char* entries(const LentBytes& buffer, std::size_t first, std::size_t n,
                                    std::size_t more = 0) {
    const std::size_t size = buffer.size() / sizeof(Entry);
    require(first <= size && n <= size - first && more <= size - first - n,
            "an Arrow array must not leave its buffers");
    return buffer.data() + first * sizeof(Entry);
}

template <class Offset>
static std::size_t take_rows(Texts& texts, const LentBytes& offsets, const LentBytes& data, std::size_t first,
                             std::size_t n_rows, std::size_t bytes) {
    if (n_rows == 0) return 0;
    const unsigned char* const ends = entries<Offset>(offsets, first, n_rows, 1) + sizeof(Offset);
    const auto limit = length(data);
    const auto end_of = [&](std::size_t i) -> std::int64_t {
        Offset end;  // which need not lie where numbers do
        std::memcpy(&end, ends + i * sizeof(Offset), sizeof(Offset));
        return end;
    };
    std::int64_t start = end_of(std::size_t(-1));
    require(start >= 0, "offsets must not be negative");
    std::size_t i = 0;
    for (; i < n_rows && texts.n_bytes < bytes; ++i) {
        const std::int64_t end = end_of(i);
        require(start <= end && end <= limit, "offsets must not decrease nor leave the data");
        texts.add({data.data() + start, static_cast<std::size_t>(end - start), Document::Units::utf8});
        start = end;
    }
    return i;
}

// Takes up to n_rows rows of an Arrow array of strings, from `first` on, until the batch has `bytes`; returns
// how many. Its buffers: which are missing (not looked at), where each ends, and the text.
static std::size_t take_strings_of(Texts& texts, nb::typed<nb::list, nb::any> buffers, bool large,
                                   std::size_t first, std::size_t n_rows, std::size_t bytes) {
    const Lent lent = lend(buffers, 3);
    const std::size_t taken = large
                                  ? take_rows<std::int64_t>(texts, *lent[1], *lent[2], first, n_rows, bytes)
                                  : take_rows<std::int32_t>(texts, *lent[1], *lent[2], first, n_rows, bytes);
    texts.lent.push_back(lent[2]);
    return taken;
}

// One entry of an Arrow column of views: up to 12 bytes of text inside it, or where longer text lies.
struct View {
    std::int32_t size, prefix, buffer, offset;
    static constexpr std::int32_t longest_inside = 12;
};

// The same of an array of string views; its buffers: which are missing (not looked at), the views, and all
// text.
static std::size_t take_views(Texts& texts, nb::typed<nb::list, nb::any> buffers, std::size_t first,
                              std::size_t n_rows, std::size_t bytes) {
    const Lent lent = lend(buffers, 2);
    const unsigned char* at = entries<View>(*lent[1], first, n_rows);
    std::size_t i = 0;
    for (; i < n_rows && texts.n_bytes < bytes; ++i, at += sizeof(View)) {
        View view;
        std::memcpy(&view, at, sizeof(View));
        require(view.size >= 0, "a view's size must not be negative");
        const unsigned char* text = at + sizeof(view.size);
        if (view.size > View::longest_inside) {
            require(0 <= view.buffer && static_cast<std::size_t>(view.buffer) < lent.size() - 2,
                    "a view must lie in one of the buffers");
            const LentBytes& buffer = *lent[static_cast<std::size_t>(view.buffer) + 2];
            require(view.offset >= 0 && static_cast<std::int64_t>(view.offset) + view.size <= length(buffer),
                    "a view must not leave its buffer");
            text = buffer.data() + view.offset;
        }
        texts.add({text, static_cast<std::size_t>(view.size), Document::Units::utf8});
    }
    texts.lent.insert(texts.lent.end(), lent.begin() + 1, lent.end());
    return i;
}

void bind_texts(nb::module_& module) {
    nb::class_<Texts>(module, "Texts", "A batch of documents, borrowed from where they are.")
        .def(
            "__init__",
            [](Texts* texts, std::size_t position) {
                new (texts) Texts();
                texts->position = position;
            },
            "position"_a = 0)
        .def("__len__", [](const Texts& texts) { return texts.documents.size(); })
        .def_ro("n_bytes", &Texts::n_bytes, "How long the documents are, each counted as one longer.")
        .def("take_strings", &take_strings, "items"_a, "begin"_a, "bytes"_a,
             "Adds strings from items[begin] on until the batch has `bytes` or an item is none; returns how "
             "many.")
        .def("take_arrow", &take_strings_of, "buffers"_a, "large"_a, "first"_a, "n_rows"_a, "bytes"_a,
             "Adds up to n_rows rows of an Arrow array of (large) strings, given as its buffers, from row "
             "`first` of them on; returns how many.")
        .def("take_views", &take_views, "buffers"_a, "first"_a, "n_rows"_a, "bytes"_a,
             "The same of an Arrow array of string views.");
}

}  // namespace lindy
