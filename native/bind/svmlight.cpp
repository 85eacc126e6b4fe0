// Reading lines of index:value pairs.
#include "data/svmlight.hpp"

#include <algorithm>
#include <unordered_map>

#include "bind/bind.hpp"

namespace lindy {

// In the order of SvmlightFault.
static constexpr const char* fault_names[] = {"none",        "no_label",  "no_colon",   "bad_index",
                                              "large_index", "bad_value", "not_finite", "not_increasing",
                                              "bad_query",   "no_query",  "zero_byte"};

template <class T>
static void append(std::vector<T>& all, const std::vector<T>& part) {
    all.insert(all.end(), part.begin(), part.end());
}

static void append_ends(std::vector<std::int64_t>& all, const std::vector<std::int64_t>& ends) {
    const std::int64_t before = all.back();
    for (const std::int64_t end : ends) all.push_back(before + end);
}

// The label of each row as a number, and what the numbers stand for, in order of appearance.
struct LabelCodes {
    std::vector<std::int32_t> codes;
    std::vector<std::string_view> words;

    LabelCodes(const std::vector<char>& text, const std::vector<std::int64_t>& ends) {
        std::unordered_map<std::string_view, std::int32_t> known;
        codes.reserve(ends.size() - 1);
        for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
            const std::string_view word(text.data() + ends[i],
                                        static_cast<std::size_t>(ends[i + 1] - ends[i]));
            const auto [place, is_new] = known.try_emplace(word, static_cast<std::int32_t>(words.size()));
            if (is_new) words.push_back(word);
            codes.push_back(place->second);
        }
    }
};

// All rows of a text, or the first line that is wrong, counted from 1, and its first wrong word.
template <class Value>
static nb::object svmlight_rows(nb::bytes text, std::int64_t first_index, std::int64_t last_index,
                                std::optional<bool> queries, int threads) {
    const SvmlightRules rules{first_index, last_index};
    require(0 <= first_index && first_index <= last_index, "indices must be from 0 on");
    require(last_index < std::numeric_limits<std::int32_t>::max(), "indices must fit into 31 bits");
    SvmlightRows<Value> all;
    all.ends = all.label_ends = {0};
    std::optional<LabelCodes> labels;
    {
        nb::gil_scoped_release released;
        for (SvmlightRows<Value>& part : parse_svmlight<Value>({text.c_str(), text.size()}, rules, threads)) {
            if (!part.ends.empty()) {
                const bool has = !part.queries.empty();
                if (queries.value_or(has) != has) {
                    all.fault = SvmlightFault::no_query;
                    all.lines += part.first_row_line;
                    break;
                }
                queries = has;
            }
            all.lines += part.lines;
            if (part.fault != SvmlightFault::none) {
                all.fault = part.fault;
                all.word = part.word;
                break;
            }
            append_ends(all.ends, part.ends);
            append_ends(all.label_ends, part.label_ends);
            append(all.indices, part.indices);
            append(all.values, part.values);
            append(all.labels, part.labels);
            append(all.queries, part.queries);
            part = {};
        }
        labels.emplace(all.labels, all.label_ends);
    }
    if (all.fault != SvmlightFault::none)
        return nb::make_tuple(fault_names[static_cast<int>(all.fault)], all.lines,
                              nb::bytes(all.word.data(), std::min<std::size_t>(all.word.size(), 40)));
    nb::list words;
    for (const std::string_view word : labels->words) words.append(nb::bytes(word.data(), word.size()));
    return nb::make_tuple(to_numpy(std::move(all.ends)), to_numpy(std::move(all.indices)),
                          to_numpy(std::move(all.values)), to_numpy(std::move(labels->codes)), words,
                          to_numpy(std::move(all.queries)), all.lines);
}

template <class Value>
static void bind_rows(nb::module_& module, const char* name) {
    module.def(name, &svmlight_rows<Value>, "text"_a, "first_index"_a, "last_index"_a, "queries"_a.none(),
               "threads"_a,
               "indptr, indices, values, numbers of the labels, the labels, queries, lines; or what is "
               "wrong, in which line, and the word.");
}

void bind_svmlight(nb::module_& module) {
    bind_rows<float>(module, "svmlight_rows_f32");
    bind_rows<double>(module, "svmlight_rows_f64");
}

}  // namespace lindy
