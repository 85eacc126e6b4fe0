// Lines "label [qid:number] index:value … # comment" to sparse rows. The text is cut at line ends into pieces
// of a fixed size, each parsed by one thread; the first wrong line, if any, is what is reported.
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "core/threads.hpp"

namespace lindy {

enum class SvmlightFault {
    none,
    no_label,        // the first word of a line is already index:value
    no_colon,        // a word that is not index:value
    bad_index,       // not a whole number from the first index on
    large_index,     // beyond what a column number can hold, or beyond the number of columns
    bad_value,       // not a number
    not_finite,      // NaN, infinite, or beyond the range of the type
    not_increasing,  // columns unsorted or twice
    bad_query,       // qid: without a whole number
    no_query,        // some lines have a qid, this one has not (or the other way round)
    zero_byte,       // binary
};

struct SvmlightRules {
    std::int64_t first_index = 0;  // the smallest index that may occur
    std::int64_t last_index = std::numeric_limits<std::int32_t>::max() - 1;
};

template <class Value>
struct SvmlightRows {
    std::vector<std::int64_t> ends;     // of each row, in indices and values
    std::vector<std::int32_t> indices;  // as written
    std::vector<Value> values;
    std::vector<char> labels;
    std::vector<std::int64_t> label_ends;
    std::vector<std::int64_t> queries;  // one per row, or none at all
    std::int64_t lines = 0;
    std::int64_t first_row_line = 0;  // counted from 1
    SvmlightFault fault = SvmlightFault::none;
    std::string_view word;  // what was wrong
};

template <class Value>
class SvmlightParser {
  public:
    SvmlightParser(std::string_view text, const SvmlightRules& rules, SvmlightRows<Value>& out)
        : at_(text.data()), end_(text.data() + text.size()), rules_(rules), out_(out) {}

    void run() {
        // most rows need about this much; a wrong guess costs a copy
        out_.indices.reserve(static_cast<std::size_t>(end_ - at_) / 8);
        out_.values.reserve(static_cast<std::size_t>(end_ - at_) / 8);
        while (at_ != end_ && out_.fault == SvmlightFault::none) {
            ++out_.lines;
            line();
        }
    }

  private:
    static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

    bool fail(SvmlightFault fault, const char* begin) {
        const char* end = begin;
        while (end != end_ && !is_space(*end) && *end != '\n') ++end;
        out_.fault = fault;
        out_.word = {begin, static_cast<std::size_t>(end - begin)};
        return false;
    }

    // The begin of the next word of the line, or nullptr at its end, which is then passed.
    const char* word() {
        while (at_ != end_ && is_space(*at_)) ++at_;
        if (at_ != end_ && *at_ == '#') at_ = std::find(at_, end_, '\n');
        if (at_ == end_) return nullptr;
        if (*at_ == '\n') {
            ++at_;
            return nullptr;
        }
        return at_;
    }

    void line() {
        const char* begin = word();
        if (begin == nullptr) return;
        while (at_ != end_ && !is_space(*at_) && *at_ != '\n' && *at_ != '#') {
            if (*at_ == ':') return void(fail(SvmlightFault::no_label, begin));
            if (*at_ == '\0') return void(fail(SvmlightFault::zero_byte, begin));
            ++at_;
        }
        const std::string_view label(begin, static_cast<std::size_t>(at_ - begin));
        const bool first = out_.ends.empty();
        if (first) out_.first_row_line = out_.lines;
        std::int64_t previous = -1;
        begin = word();
        if (begin != nullptr && end_ - begin > 4 && std::string_view(begin, 4) == "qid:") {
            if (!first && out_.queries.empty()) return void(fail(SvmlightFault::no_query, begin));
            if (!query(begin)) return;
            begin = word();
        } else if (!out_.queries.empty()) {
            return void(fail(SvmlightFault::no_query, label.data()));
        }
        for (; begin != nullptr; begin = word())
            if (!pair(begin, previous)) return;
        out_.ends.push_back(static_cast<std::int64_t>(out_.indices.size()));
        out_.labels.insert(out_.labels.end(), label.begin(), label.end());
        out_.label_ends.push_back(static_cast<std::int64_t>(out_.labels.size()));
    }

    bool at_end_of_word() const { return at_ == end_ || is_space(*at_) || *at_ == '\n' || *at_ == '#'; }

    bool query(const char* begin) {
        std::int64_t number = 0;
        const auto [stop, error] = std::from_chars(begin + 4, end_, number);
        at_ = stop;
        if (error != std::errc() || !at_end_of_word()) return fail(SvmlightFault::bad_query, begin);
        out_.queries.push_back(number);
        return true;
    }

    bool pair(const char* begin, std::int64_t& previous) {
        std::int64_t index = 0;
        while (at_ != end_ && '0' <= *at_ && *at_ <= '9') {
            if (index <= rules_.last_index) index = 10 * index + (*at_ - '0');
            ++at_;
        }
        if (at_ == begin || at_ == end_ || *at_ != ':') return fail(index_fault(begin), begin);
        if (index < rules_.first_index) return fail(SvmlightFault::bad_index, begin);
        if (index > rules_.last_index) return fail(SvmlightFault::large_index, begin);
        if (index <= previous) return fail(SvmlightFault::not_increasing, begin);
        previous = index;
        ++at_;
        Value value = 0;
        if (!number(begin, value)) return false;
        out_.indices.push_back(static_cast<std::int32_t>(index));
        out_.values.push_back(value);
        return true;
    }

    SvmlightFault index_fault(const char* begin) const {
        for (const char* c = begin; c != end_ && !is_space(*c) && *c != '\n'; ++c) {
            if (*c == '\0') return SvmlightFault::zero_byte;
            if (*c == ':') return SvmlightFault::bad_index;
        }
        return SvmlightFault::no_colon;
    }

    bool number(const char* begin, Value& value) {
        const char digit = at_ == end_ ? '\0' : *at_;
        if ('0' <= digit && digit <= '9' && (at_ + 1 == end_ || is_space(at_[1]) || at_[1] == '\n')) {
            value = static_cast<Value>(digit - '0');  // counts and indicators: most files hold nothing else
            ++at_;
            return true;
        }
        const char* from = at_;
        if (from != end_ && *from == '+' && from + 1 != end_ && from[1] != '-') ++from;
        const auto [stop, error] = std::from_chars(from, end_, value);
        at_ = stop;
        if (error == std::errc::invalid_argument || !at_end_of_word())
            return fail(SvmlightFault::bad_value, begin);
        if (error == std::errc::result_out_of_range) {
            // also for numbers too near to zero, which are zero
            const std::string_view text(from, static_cast<std::size_t>(stop - from));
            double wide = 0;
            const auto again = std::from_chars(from, stop, wide);
            const bool tiny = again.ec == std::errc()
                                  ? std::abs(wide) < 1
                                  : text.find("e-") != text.npos || text.find("E-") != text.npos;
            if (!tiny) return fail(SvmlightFault::not_finite, begin);
            value = 0;
        }
        if (!std::isfinite(value)) return fail(SvmlightFault::not_finite, begin);
        return true;
    }

    const char* at_;
    const char* end_;
    const SvmlightRules& rules_;
    SvmlightRows<Value>& out_;
};

// Cuts text after a line end every so many bytes, whatever the number of threads.
inline std::vector<std::string_view> cut_lines(std::string_view text, std::size_t size = 1 << 20) {
    std::vector<std::string_view> pieces;
    while (!text.empty()) {
        const std::size_t stop = size < text.size() ? text.find('\n', size - 1) : text.npos;
        const std::size_t length = stop == text.npos ? text.size() : stop + 1;
        pieces.push_back(text.substr(0, length));
        text.remove_prefix(length);
    }
    return pieces;
}

template <class Value>
SvmlightRows<Value> parse_svmlight(std::string_view text, const SvmlightRules& rules,
                                   std::optional<bool> queries, int threads) {
    const auto pieces = cut_lines(text);
    std::vector<SvmlightRows<Value>> parts(pieces.size());
    parallel_chunks(static_cast<std::int64_t>(pieces.size()), threads, [&](std::int64_t i) {
        SvmlightParser<Value>(pieces[static_cast<std::size_t>(i)], rules, parts[static_cast<std::size_t>(i)])
            .run();
    });
    SvmlightRows<Value> all;
    all.ends = all.label_ends = {0};
    const auto append = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
    const auto append_ends = [](auto& to, const auto& from) {
        for (const std::int64_t before = to.back(); const std::int64_t end : from) to.push_back(before + end);
    };
    for (SvmlightRows<Value>& part : parts) {
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
    return all;
}

}  // namespace lindy
