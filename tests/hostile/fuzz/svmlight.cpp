// Any bytes as svmlight lines: in one piece or cut at line ends, as float or double, the same rows or a
// refusal. Input: the rules about indices; the text.
#include "data/svmlight.hpp"

#include <string_view>
#include <vector>

using namespace lindy;

static void check(bool holds) {
    if (!holds) __builtin_trap();
}

template <class Value>
static SvmlightRows<Value> parse(std::string_view text, const SvmlightRules& rules) {
    SvmlightRows<Value> rows;
    SvmlightParser<Value>(text, rules, rows).run();
    if (rows.fault == SvmlightFault::none) {
        check(rows.indices.size() == rows.values.size() && rows.ends.size() == rows.label_ends.size());
        check(rows.queries.empty() || rows.queries.size() == rows.ends.size());
        std::int64_t begin = 0;
        for (const std::int64_t end : rows.ends) {
            for (std::int64_t k = begin; k < end; ++k) {
                const auto at = static_cast<std::size_t>(k);
                check(rules.first_index <= rows.indices[at] && rows.indices[at] <= rules.last_index);
                check(std::isfinite(rows.values[at]));
                check(k == begin || rows.indices[at - 1] < rows.indices[at]);
            }
            begin = end;
        }
        check(begin == static_cast<std::int64_t>(rows.indices.size()));
    }
    return rows;
}

// The same lines, a few at a time; nothing is said about those behind a piece that is refused, nor where some
// lines have a query and others have none, which is a matter of several lines.
static void check_pieces(std::string_view text, const SvmlightRules& rules,
                         const SvmlightRows<double>& whole) {
    if (whole.fault == SvmlightFault::no_query) return;
    SvmlightRows<double> joined;
    bool refused = false;
    for (const std::string_view piece : cut_lines(text, 8)) {
        const SvmlightRows<double> part = parse<double>(piece, rules);
        joined.lines += part.lines;
        refused = part.fault != SvmlightFault::none;
        if (refused) {
            check(part.fault == whole.fault && joined.lines == whole.lines);
            break;
        }
        joined.indices.insert(joined.indices.end(), part.indices.begin(), part.indices.end());
        joined.values.insert(joined.values.end(), part.values.begin(), part.values.end());
        joined.labels.insert(joined.labels.end(), part.labels.begin(), part.labels.end());
    }
    check(refused == (whole.fault != SvmlightFault::none));
    if (refused) return;
    check(joined.lines == whole.lines && joined.indices == whole.indices && joined.values == whole.values);
    check(joined.labels == whole.labels);
}

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
    if (size < 1) return -1;
    SvmlightRules rules;
    rules.first_index = data[0] & 1;
    if (data[0] & 2) rules.last_index = 9;
    const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
    const SvmlightRows<double> wide = parse<double>(text, rules);
    const SvmlightRows<float> narrow = parse<float>(text, rules);
    // a number may be too large for a float, which ends the reading earlier
    const bool too_large = narrow.fault == SvmlightFault::not_finite;
    check(too_large ? narrow.lines <= wide.lines : narrow.fault == wide.fault && narrow.lines == wide.lines);
    if (!too_large) check(narrow.indices == wide.indices && narrow.labels == wide.labels);
    check_pieces(text, rules, wide);
    return 0;
}
