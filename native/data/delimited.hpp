// Tables of delimited text (RFC 4180): rows of fields, which may stand between double quotes.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "core/buffer.hpp"
#include "text/unicode.hpp"

namespace lindy {

// Strings in Arrow's layout: string i is bytes[offsets[i] … offsets[i+1]).
struct StringColumn {
    Buffer<unsigned char> bytes;
    Buffer<std::int64_t> offsets;

    void append(const char* begin, const char* end) {
        bytes.append(reinterpret_cast<const unsigned char*>(begin), static_cast<std::size_t>(end - begin));
    }
    void end_string() { offsets.push(static_cast<std::int64_t>(bytes.size())); }
    // Forgets what follows the first n strings.
    void cut(std::size_t n) {
        offsets.resize(n + 1);
        bytes.resize(static_cast<std::size_t>(offsets[n]));
    }
};

// The first of three characters from p on, or end; eight bytes at a time: x − 1 borrows into the high bit of
// a byte that is zero, and only the lowest such bit is looked at, below which no borrow can have come from.
inline const char* find_any(const char* p, const char* end, char a, char b, char c) {
    constexpr std::uint64_t ones = 0x0101010101010101, highs = 0x8080808080808080;
    const auto zeros = [](std::uint64_t x) { return (x - ones) & ~x; };
    const auto each = [](char x) { return ones * static_cast<unsigned char>(x); };
    if constexpr (std::endian::native == std::endian::little)
        for (std::uint64_t word; end - p >= 8; p += 8) {
            std::memcpy(&word, p, 8);
            const std::uint64_t found =
                (zeros(word ^ each(a)) | zeros(word ^ each(b)) | zeros(word ^ each(c))) & highs;
            if (found) return p + std::countr_zero(found) / 8;
        }
    while (p < end && *p != a && *p != b && *p != c) ++p;
    return p;
}

// Whether the bytes are UTF-8 without NUL.
inline bool is_text(const char* begin, const char* end) {
    if (std::memchr(begin, 0, static_cast<std::size_t>(end - begin))) return false;
    const Utf8 text{reinterpret_cast<const unsigned char*>(begin), static_cast<std::size_t>(end - begin)};
    try {
        for (std::size_t i = 0; i < text.size;) {
            std::uint64_t words[4] = {};
            for (; text.size - i >= sizeof words; i += sizeof words) {
                std::memcpy(words, text.data + i, sizeof words);
                if ((words[0] | words[1] | words[2] | words[3]) & 0x8080808080808080) break;
            }
            for (const std::size_t stop = std::min(text.size, i + sizeof words); i < stop;) text.next(i);
        }
    } catch (const BadText&) {
        return false;
    }
    return true;
}

// What was found at a place of delimited text; end: it may go on behind the end.
enum class Found { row, end, fault };

// Moves p behind a line break, if it is not at the end.
inline Found end_row(const char*& p, const char* end, bool is_last) {
    if (p == end) return Found::row;
    if (*p == '\r' && p + 1 == end && !is_last) return Found::end;  // \n may follow
    p += *p == '\r' && p + 1 < end && p[1] == '\n' ? 2 : 1;
    return Found::row;
}

// Reads one field and moves p to what ends it; a quote that is never closed is a fault, and p behind it.
inline Found read_field(const char*& p, const char* end, bool is_last, char delimiter, StringColumn* column) {
    if (p < end && *p == '"')
        for (bool closed = false; !closed;) {
            const char* from = ++p;
            const void* quote = std::memchr(p, '"', static_cast<std::size_t>(end - p));
            if (!quote) return is_last ? Found::fault : Found::end;
            p = static_cast<const char*>(quote) + 1;
            if (p == end && !is_last) return Found::end;  // another quote may follow
            closed = p == end || *p != '"';
            if (column) column->append(from, p - closed);
        }
    const char* stop = find_any(p, end, delimiter, '\n', '\r');
    if (stop == end && !is_last) return Found::end;
    if (column) {
        column->append(p, stop);
        column->end_string();
    }
    p = stop;
    return Found::row;
}

// Reads a row of any number of fields and moves p behind it: of headers, and for messages. Where a quote is
// never closed, the rest is its field, and open is where that begins.
inline Found read_any_row(const char*& p, const char* end, bool is_last, char delimiter, StringColumn* fields,
                          const char*& open) {
    for (bool more = true; more;) {
        const char* const begin = p;
        const Found found = read_field(p, end, is_last, delimiter, fields);
        if (found == Found::end) return found;
        if (found == Found::fault) {
            if (fields) {
                fields->append(p, end);
                fields->end_string();
            }
            open = begin;
            p = end;
        }
        more = p < end && *p == delimiter;
        p += more;
    }
    return end_row(p, end, is_last);
}

// Rows that come in blocks, field by field into columns. A quote opens only at the start of a field; what
// follows its closing quote up to the delimiter is kept; rows end in \n, \r\n or \r. A blank line is a row
// only if there is a single column. Anything else than rows of as many fields as there are columns, in UTF-8,
// is a fault, and so is a longer row than is allowed; after a fault nothing is read any more, unless bad rows
// are passed over.
class DelimitedParser {
  public:
    // A row that was passed over: where it begins and ends, where reading went on (behind a quote that is never
    // closed, in the next line), and how many of the rows that were not drained stand before it.
    using BadRow = std::array<std::size_t, 4>;

    // wanted[k]: whether column k is kept; expected: how many bytes will come, 0 if that is not known;
    // longest: how many bytes a row may have; passes_over: whether bad rows, unless too long, are left out.
    DelimitedParser(char delimiter, const std::vector<bool>& wanted, std::size_t expected,
                    std::size_t longest, bool passes_over = false)
        : delimiter_(delimiter),
          wanted_(wanted),
          columns_(wanted.size()),
          expected_(expected),
          longest_(longest),
          passes_over_(passes_over) {
        for (StringColumn& column : columns_) column.offsets.push(0);
    }

    bool failed() const { return failed_; }
    // Whether the fault is a row that is too long; it begins behind n_bytes.
    bool is_too_long() const { return is_too_long_; }
    std::size_t n_bytes() const { return read_; }
    std::size_t n_rows() const { return n_rows_; }
    bool has(std::size_t k) const { return k < columns_.size() && columns_[k].offsets.size() > 0; }
    // The complete rows that were not drained before, column by column; reading goes on behind them.
    std::vector<StringColumn> drain() {
        std::vector<StringColumn> rows(columns_.size());
        for (StringColumn& column : rows) column.offsets.push(0);
        cut_to_rows();
        rows.swap(columns_);
        drained_ = n_rows_;
        return rows;
    }
    // The rows that were passed over since this was asked for, which is to be before rows are drained.
    std::vector<BadRow> bad_rows() { return std::exchange(bad_rows_, {}); }
    // Column k, which the parser then has no more; nothing can be read after it.
    StringColumn take(std::size_t k) {
        failed_ = true;
        return std::move(columns_[k]);
    }

    // Reads more bytes; a row that they may not complete waits for the next ones. at_once: a long row is not
    // left until there is much more of it, as that may not come soon.
    void feed(const char* data, std::size_t size, bool at_once = false) {
        if (failed_ || size == 0) return;
        fed_ = std::max(fed_, size);
        std::memcpy(block_.resize(block_.size() + size) + block_.size() - size, data, size);
        if (at_once || block_.size() >= enough_) parse(false);
    }
    // Reads what is left.
    void finish() {
        if (!failed_ && block_.size()) parse(true);
    }

  private:
    void parse(bool is_last) {
        const char *const begin = block_.data(), *const end = begin + block_.size();
        const std::size_t n_rows = n_rows_, n_bad = bad_rows_.size();
        const char* p = read_rows(begin, end, is_last, false);
        if (!failed_ && !is_text(begin, p)) {
            failed_ = !passes_over_;
            if (passes_over_) {  // again, to see which rows it is
                n_rows_ = n_rows;
                bad_rows_.resize(n_bad);
                cut_to_rows();
                p = read_rows(begin, end, is_last, true);
            }
        }
        if (read_ == 0 && !failed_) reserve(static_cast<std::size_t>(p - begin));
        read_ += static_cast<std::size_t>(p - begin);
        const auto left = static_cast<std::size_t>(end - p);
        std::memmove(block_.data(), p, left);
        block_.resize(left);
        // A long row is gone over again only when there is twice as much of it, or too much; counted as by
        // who begins to read at this row, so that rows are completed by the same bytes.
        enough_ = 0;
        for (std::size_t n = left % fed_ ? left % fed_ : std::min(left, fed_); n && n <= left; n += fed_)
            if (n >= enough_) enough_ = std::min(2 * n, std::max(n, longest_) + 1);
    }

    // Reads rows up to the end, or a fault, and returns where; each: whether the bytes of each row are looked at.
    const char* read_rows(const char* p, const char* end, bool is_last, bool each) {
        Found found = Found::row;
        for (const char* next = p; p < end; p = next) {
            const std::size_t n_rows = n_rows_;
            found = read_row(next, end, is_last);
            if (each && found == Found::row && !is_text(p, next)) {
                n_rows_ = n_rows;
                found = Found::fault;
            }
            if (passes_over_ && found == Found::fault) found = pass_over(p, next, end, is_last);
            if (found != Found::row || (is_too_long_ = static_cast<std::size_t>(next - p) > longest_)) break;
        }
        is_too_long_ = is_too_long_ || (found == Found::end && static_cast<std::size_t>(end - p) > longest_);
        if (found == Found::end) cut_to_rows();
        failed_ = is_too_long_ || found == Found::fault;
        return p;
    }

    // Moves next behind a bad row that begins at p, and keeps where it is.
    Found pass_over(const char* p, const char*& next, const char* end, bool is_last) {
        const char* open = nullptr;
        const Found found = read_any_row(next = p, end, is_last, delimiter_, nullptr, open);
        if (found != Found::row) return found;
        cut_to_rows();
        const auto place = [&](const char* at) {
            return read_ + static_cast<std::size_t>(at - block_.data());
        };
        const char* const row_end = next;
        if (open) next = std::min(std::find(p, end, '\n'), end - 1) + 1;
        bad_rows_.push_back({place(p), place(row_end), place(next), n_rows_ - drained_});
        return found;
    }

    // Forgets the fields of a row that is not complete; columns that are not kept have none.
    void cut_to_rows() {
        for (StringColumn& column : columns_)
            column.cut(std::min(n_rows_ - drained_, column.offsets.size() - 1));
    }

    // Makes room for all rows, going by those in the first bytes: writing to fresh memory costs more than
    // all the rest here, the less so the larger its pages are.
    void reserve(std::size_t first) {
        for (StringColumn& column : columns_) {
            const double share = static_cast<double>(column.bytes.size()) / static_cast<double>(first + 1);
            const auto room = static_cast<std::size_t>(1.02 * share * static_cast<double>(expected_));
            if (room < memory::mapped_from) continue;
            column.bytes.reserve(room);
        }
    }

    // Reads one row and moves p behind it; end: the row may go on behind the end.
    Found read_row(const char*& p, const char* end, bool is_last) {
        if (columns_.size() > 1 && (*p == '\n' || *p == '\r')) return end_row(p, end, is_last);
        for (std::size_t k = 0; k < columns_.size(); ++k) {
            const Found found = read_field(p, end, is_last, delimiter_, wanted_[k] ? &columns_[k] : nullptr);
            if (found != Found::row) return found;
            const bool more = p < end && *p == delimiter_;
            if (more != (k + 1 < columns_.size())) return Found::fault;
            p += more;
        }
        const Found found = end_row(p, end, is_last);
        n_rows_ += found == Found::row;
        return found;
    }

    const char delimiter_;
    const std::vector<bool> wanted_;
    std::vector<StringColumn> columns_;
    Buffer<char> block_;
    const std::size_t expected_, longest_;
    std::size_t read_ = 0, n_rows_ = 0, drained_ = 0, enough_ = 0, fed_ = 0;
    const bool passes_over_;
    std::vector<BadRow> bad_rows_;
    bool failed_ = false, is_too_long_ = false;
};

}  // namespace lindy
