// Patterns of texts that words do not show: money, capitals, links, addresses, numbers, rows of marks.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "core/buffer.hpp"
#include "core/threads.hpp"
#include "text/unicode.hpp"

namespace lindy {

enum class Pattern : std::uint32_t {
    money,
    capitals,
    url,
    email,
    number,
    long_number,
    percent,
    time,
    repeated,
    exclamation,
    question,
    elongated,
    emoticon,
    hashtag,
    mention,
    mixed
};
inline constexpr std::array<const char*, 16> pattern_names = {
    "money",    "capitals",    "url",      "email",     "number",   "long_number", "percent", "time",
    "repeated", "exclamation", "question", "elongated", "emoticon", "hashtag",     "mention", "mixed"};

// Finds the patterns of one document at a time; scratch memory of one thread. A word is a longest run of
// letters, digits and underscores; what each pattern is, is said where it is found.
class PatternFinder {
  public:
    // Calls found(pattern, begin, end) with places in code points.
    template <class Found>
    void operator()(const Document& document, Found found) {
        decode(document);
        number_until_ = amount_until_ = time_until_ = url_until_ = 0;
        for (std::size_t i = margin; i < end_;) {
            if (is_word(i)) {
                const std::size_t end = word_end(i);
                read_word(i, end, found);
                i = end;
            } else {
                read_mark(i, found);
                ++i;
            }
        }
    }

  private:
    static constexpr std::size_t margin = 2;  // zeros before and behind the text, so that no read leaves it

    bool is_digit(std::size_t i) const { return shapes_[i] == '9'; }
    bool is_letter(std::size_t i) const {
        return shapes_[i] == 'x' || shapes_[i] == 'X' || shapes_[i] == 'a';
    }
    bool is_word(std::size_t i) const { return is_letter(i) || is_digit(i) || text_[i] == '_'; }
    bool is_space(std::size_t i) const { return plain_.entry(text_[i]) & FoldTable::space; }
    bool is_one_of(std::size_t i, std::u32string_view marks) const {
        return marks.find(text_[i]) != std::u32string_view::npos && text_[i] != 0;
    }
    std::size_t word_end(std::size_t i) const {
        while (is_word(i)) ++i;
        return i;
    }
    bool all_digits(std::size_t begin, std::size_t end) const {
        for (std::size_t i = begin; i < end; ++i)
            if (!is_digit(i)) return false;
        return begin < end;
    }
    // Whether the word at [begin, end) is this one, which is in small ASCII letters, in any case.
    bool spells(std::size_t begin, std::size_t end, std::string_view word) const {
        if (end - begin != word.size()) return false;
        for (std::size_t k = 0; k < word.size(); ++k)
            if ((text_[begin + k] | 0x20) != static_cast<unsigned char>(word[k])) return false;
        return true;
    }

    template <class Found>
    void read_word(std::size_t begin, std::size_t end, Found& found) {
        std::size_t digits = 0, letters = 0, capitals = 0;
        bool elongated = false;
        for (std::size_t i = begin; i < end; ++i) {
            digits += is_digit(i);
            letters += is_letter(i);
            capitals += shapes_[i] == 'X';
            elongated |= is_letter(i) && text_[i] == text_[i + 1] && text_[i] == text_[i + 2];
        }
        // two or more letters, all of them capitals
        if (capitals == end - begin && capitals >= 2) emit(found, Pattern::capitals, begin, end);
        // letters and digits in one word
        if (digits && letters) emit(found, Pattern::mixed, begin, end);
        // a word with a letter three times in a row
        if (elongated) emit(found, Pattern::elongated, begin, end);
        if (digits == end - begin)
            read_number(begin, end, found);
        else
            read_url(begin, end, found);
    }

    // A word of digits.
    template <class Found>
    void read_number(std::size_t begin, std::size_t end, Found& found) {
        if (begin >= number_until_) {  // words of digits with a point or a comma between them are one number
            number_until_ = end;
            while (is_one_of(number_until_, U".,") &&
                   all_digits(number_until_ + 1, word_end(number_until_ + 1)))
                number_until_ = word_end(number_until_ + 1);
            emit(found, Pattern::number, begin, number_until_);
        }
        // five digits or more
        if (end - begin >= 5) emit(found, Pattern::long_number, begin, end);
        const std::size_t next = end + (text_[end] == ' ');
        // digits, perhaps a space, a percent sign
        if (text_[next] == '%') emit(found, Pattern::percent, begin, next + 1);
        // digits, perhaps a space, a currency's sign or name; not if a sign came before
        const std::size_t name_end = word_end(next);
        const bool sign = is_one_of(next, currencies) && !is_digit(next + 1);
        if (begin >= amount_until_ && (sign || is_currency(next, name_end)))
            emit(found, Pattern::money, begin, sign ? next + 1 : name_end);
        // one or two digits, a colon, two digits; these are not the first half of another time
        const bool is_time = begin >= time_until_ && end - begin <= 2 && text_[end] == ':' &&
                             word_end(end + 1) == end + 3 && all_digits(end + 1, end + 3);
        if (is_time) {
            emit(found, Pattern::time, begin, end + 3);
            time_until_ = end + 3;
        }
    }

    bool is_currency(std::size_t begin, std::size_t end) const {
        for (const char* name :
             {"dollar", "dollars", "euro", "euros", "pound", "pounds", "usd", "eur", "gbp"})
            if (spells(begin, end, name)) return true;
        return false;
    }

    // http://, https:// or www. and something behind, up to the next white space
    template <class Found>
    void read_url(std::size_t begin, std::size_t end, Found& found) {
        const bool scheme = (spells(begin, end, "http") || spells(begin, end, "https")) &&
                            text_[end] == ':' && text_[end + 1] == '/' && text_[end + 2] == '/';
        const bool host = spells(begin, end, "www") && text_[end] == '.';
        if ((!scheme && !host) || begin < url_until_) return;
        const std::size_t first = end + (scheme ? 3 : 1);
        std::size_t last = first;
        while (last < end_ && !is_space(last)) ++last;
        if (last > first) emit(found, Pattern::url, begin, last);
        url_until_ = last;
    }

    template <class Found>
    void read_mark(std::size_t i, Found& found) {
        switch (text_[i]) {
            case '!':
            case '?':
                emit(found, text_[i] == '!' ? Pattern::exclamation : Pattern::question, i, i + 1);
                read_run(i, U"!?", 2, found);
                break;
            case '.':
                read_run(i, U".", 3, found);
                break;
            case '@':
                read_at(i, found);
                break;
            case '#':  // with a word behind, and none before
                if (!is_word(i - 1) && is_word(i + 1)) emit(found, Pattern::hashtag, i, word_end(i + 1));
                break;
            case ':':
            case ';':
            case '=':
                read_emoticon(i, found);
                break;
            default:
                if (is_one_of(i, currencies)) read_amount(i, found);
        }
    }

    // A longest run of such marks.
    template <class Found>
    void read_run(std::size_t i, std::u32string_view marks, std::size_t least, Found& found) {
        if (is_one_of(i - 1, marks)) return;
        std::size_t end = i;
        while (is_one_of(end, marks)) ++end;
        if (end - i >= least) emit(found, Pattern::repeated, i, end);
    }

    // name@host.more, or @name
    template <class Found>
    void read_at(std::size_t i, Found& found) {
        const auto is_local = [&](std::size_t k) { return is_word(k) || is_one_of(k, U".+%-"); };
        const auto is_host = [&](std::size_t k) { return is_word(k) || text_[k] == '-'; };
        if (!is_local(i - 1)) {
            if (is_word(i + 1)) emit(found, Pattern::mention, i, word_end(i + 1));
            return;
        }
        std::size_t begin = i, end = i + 1;
        while (is_host(end)) ++end;
        if (end == i + 1 || text_[end] != '.' || !is_host(end + 1)) return;
        while (is_local(begin - 1)) --begin;
        while (is_host(end) || (text_[end] == '.' && is_host(end + 1))) ++end;
        emit(found, Pattern::email, begin, end);
    }

    // eyes, perhaps a nose, a mouth; no word before or behind
    template <class Found>
    void read_emoticon(std::size_t i, Found& found) {
        const std::size_t mouth = i + 1 + is_one_of(i + 1, U"'-");
        if (!is_word(i - 1) && is_one_of(mouth, U")(DPpO/|\\") && !is_word(mouth + 1))
            emit(found, Pattern::emoticon, i, mouth + 1);
    }

    // a currency's sign, perhaps a space, digits
    template <class Found>
    void read_amount(std::size_t i, Found& found) {
        std::size_t end = i + 1 + (text_[i + 1] == ' ');
        if (!is_digit(end)) return;
        while (is_digit(end) || (is_one_of(end, U".,") && is_digit(end + 1))) ++end;
        amount_until_ = end;
        emit(found, Pattern::money, i, end);
    }

    template <class Found>
    static void emit(Found& found, Pattern pattern, std::size_t begin, std::size_t end) {
        found(pattern, begin - margin, end - margin);
    }

    void decode(const Document& document) {
        text_.resize(document.size + 2 * margin + 2);
        shapes_.resize(document.size + 2 * margin + 2);
        std::fill_n(text_.data(), margin, 0);
        end_ = margin;
        using Kind = Document::Units;
        switch (document.units) {
            case Kind::utf8:
                read(Utf8{static_cast<const unsigned char*>(document.data), document.size});
                break;
            case Kind::ascii:
            case Kind::latin1:
                read(Units<std::uint8_t>{static_cast<const std::uint8_t*>(document.data), document.size});
                break;
            case Kind::ucs2:
                read(Units<std::uint16_t>{static_cast<const std::uint16_t*>(document.data), document.size});
                break;
            default:
                read(Units<std::uint32_t>{static_cast<const std::uint32_t*>(document.data), document.size});
        }
        std::fill_n(text_.data() + end_, margin + 2, 0);
        std::fill_n(shapes_.data(), margin, 0);
        std::fill_n(shapes_.data() + end_, margin + 2, 0);
    }
    template <class Text>
    void read(const Text& text) {
        for (std::size_t i = 0; i < text.size;) {
            const char32_t c = text.next(i);
            text_[end_] = c;
            shapes_[end_++] = plain_.entry(c) & FoldTable::word ? shape_of(c) : 0;
        }
    }

    static constexpr std::u32string_view currencies = U"$£€¥";
    const FoldTable plain_ = fold_table(false, Accents::keep);
    Buffer<char32_t> text_;
    Buffer<unsigned char> shapes_;
    std::size_t end_ = 0;
    // up to where the latest of each reaches
    std::size_t number_until_ = 0, amount_until_ = 0, time_until_ = 0, url_until_ = 0;
};

// counts: documents × patterns.
inline void count_patterns(const std::vector<Document>& documents, std::uint32_t* counts, int n_threads) {
    constexpr std::size_t kDocuments = 64;
    const auto n_chunks = static_cast<std::int64_t>((documents.size() + kDocuments - 1) / kDocuments);
    parallel_chunks(n_chunks, n_threads, [&](std::int64_t chunk) {
        PatternFinder find;
        const std::size_t begin = static_cast<std::size_t>(chunk) * kDocuments;
        for (std::size_t i = begin; i < std::min(begin + kDocuments, documents.size()); ++i) {
            std::uint32_t* own = counts + i * pattern_names.size();
            std::fill_n(own, pattern_names.size(), 0);
            read_document(i, [&] {
                find(documents[i], [&](Pattern pattern, std::size_t, std::size_t) {
                    ++own[static_cast<std::size_t>(pattern)];
                });
            });
        }
    });
}

}  // namespace lindy
