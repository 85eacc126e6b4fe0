// Patterns of texts.
#include "bind/text.hpp"
#include "features/text_patterns.hpp"

namespace lindy {

using Places = std::tuple<Buffer<std::uint32_t>, Buffer<std::int64_t>, Buffer<std::int64_t>>;

static Buffer<std::uint32_t> counts_of(const Texts& texts, int threads) {
    Buffer<std::uint32_t> counts(texts.documents.size() * pattern_names.size());
    read_unlocked(texts.position, [&] { count_patterns(texts.documents, counts.data(), threads); });
    return counts;
}

static Places places_of(const Texts& texts) {
    require(texts.documents.size() == 1, "places are found in one text at a time");
    Buffer<std::uint32_t> patterns;
    Buffer<std::int64_t> begins, ends;
    read_unlocked(texts.position, [&] {
        PatternFinder find;
        find(texts.documents[0], [&](Pattern pattern, std::size_t begin, std::size_t end) {
            patterns.push(static_cast<std::uint32_t>(pattern));
            begins.push(static_cast<std::int64_t>(begin));
            ends.push(static_cast<std::int64_t>(end));
        });
    });
    return {std::move(patterns), std::move(begins), std::move(ends)};
}

void bind_patterns(nb::module_& module) {
    module.def(
        "pattern_names", [] { return std::vector<std::string>(pattern_names.begin(), pattern_names.end()); },
        "The patterns, in the order of their numbers.");
    module.def("count_patterns", &counts_of, "texts"_a, "threads"_a,
               "How often each pattern occurs, text by text.");
    module.def("pattern_places", &places_of, "texts"_a,
               "Of one text: the patterns' numbers, where each begins and ends.");
}

}  // namespace lindy
