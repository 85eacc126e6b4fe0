// Patterns of texts.
#include "bind/text.hpp"
#include "features/text_patterns.hpp"

namespace lindy {

using Counts = nb::ndarray<nb::numpy, std::uint32_t, nb::ndim<2>>;
using Places = std::tuple<Array<std::uint32_t>, Array<std::int64_t>, Array<std::int64_t>>;

// Runs body without the interpreter's lock; invalid UTF-8 becomes a ValueError that names the document.
template <class Body>
static void reading(const Texts& texts, Body body) {
    try {
        nb::gil_scoped_release released;
        body();
    } catch (const BadText& error) {
        const std::string number = std::to_string(texts.position + error.document);
        throw nb::value_error(("document " + number + " is not valid UTF-8").c_str());
    }
}

static Counts counts_of(const Texts& texts, int threads) {
    const std::size_t n = texts.documents.size();
    auto held = std::make_unique<Buffer<std::uint32_t>>(n * pattern_names.size());
    reading(texts, [&] { count_patterns(texts.documents, held->data(), threads); });
    std::uint32_t* data = held->data();
    nb::capsule owner(held.release(),
                      [](void* p) noexcept { delete static_cast<Buffer<std::uint32_t>*>(p); });
    return Counts(data, {n, pattern_names.size()}, owner);
}

static Places places_of(const Texts& texts) {
    require(texts.documents.size() == 1, "places are found in one text at a time");
    Buffer<std::uint32_t> patterns;
    Buffer<std::int64_t> begins, ends;
    reading(texts, [&] {
        PatternFinder find;
        find(texts.documents[0], [&](Pattern pattern, std::size_t begin, std::size_t end) {
            patterns.push(static_cast<std::uint32_t>(pattern));
            begins.push(static_cast<std::int64_t>(begin));
            ends.push(static_cast<std::int64_t>(end));
        });
    });
    return {to_numpy(std::move(patterns)), to_numpy(std::move(begins)), to_numpy(std::move(ends))};
}

void bind_patterns(nb::module_& module) {
    module.def(
        "pattern_names", [] { return std::vector<std::string>(pattern_names.begin(), pattern_names.end()); },
        "The patterns, in the order of their numbers.");
    module.def("count_patterns", &counts_of, nb::arg("texts"), nb::arg("threads"),
               "How often each pattern occurs, texts × patterns.");
    module.def("pattern_places", &places_of, nb::arg("texts"),
               "Of one text: the patterns' numbers, where each begins and ends.");
}

}  // namespace lindy
