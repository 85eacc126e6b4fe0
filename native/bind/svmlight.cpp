// Reading lines of index:value pairs.
#include "data/svmlight.hpp"

#include "bind/bind.hpp"
#include "core/number_strings.hpp"

namespace lindy {

// In the order of SvmlightFault.
static constexpr const char* fault_names[] = {"none",        "no_label",  "no_colon",   "bad_index",
                                              "large_index", "bad_value", "not_finite", "not_increasing",
                                              "bad_query",   "no_query",  "zero_byte"};

// All rows of a text, or the first line that is wrong, counted from 1, and its first wrong word.
template <class Value>
static nb::object svmlight_rows(nb::bytes text, std::int64_t first_index, std::int64_t last_index,
                                std::optional<bool> queries, int threads) {
    const SvmlightRules rules{first_index, last_index};
    require(0 <= first_index && first_index <= last_index, "indices must be from 0 on");
    require(last_index < std::numeric_limits<std::int32_t>::max(), "indices must fit into 31 bits");
    SvmlightRows<Value> all;
    std::vector<std::int32_t> codes;
    std::vector<std::int64_t> first;  // the row that has a label first
    released([&] {
        all = parse_svmlight<Value>({text.c_str(), text.size()}, rules, queries, threads);
        codes.resize(all.label_ends.size() - 1);
        number_distinct(all.label_ends.data(), all.labels.data(), length(codes), codes.data(), first);
    });
    if (all.fault != SvmlightFault::none)
        return nb::make_tuple(fault_names[static_cast<int>(all.fault)], all.lines,
                              nb::bytes(all.word.data(), std::min<std::size_t>(all.word.size(), 40)));
    nb::list words;
    for (const std::int64_t row : first) {
        const std::int64_t* const ends = &all.label_ends[static_cast<std::size_t>(row)];
        words.append(nb::bytes(all.labels.data() + ends[0], static_cast<std::size_t>(ends[1] - ends[0])));
    }
    return nb::make_tuple(std::move(all.ends), std::move(all.indices), std::move(all.values),
                          std::move(codes), words, std::move(all.queries), all.lines);
}

template <class Value>
static void bind_rows(nb::module_& module, const char* name) {
    module.def(name, &svmlight_rows<Value>, "text"_a, "first_index"_a, "last_index"_a, "queries"_a,
               "threads"_a,
               "indptr, indices, values, numbers of the labels, the labels, queries, lines; or what is "
               "wrong, in which line, and the word.");
}

void bind_svmlight(nb::module_& module) {
    bind_rows<float>(module, "svmlight_rows_f32");
    bind_rows<double>(module, "svmlight_rows_f64");
}

}  // namespace lindy
