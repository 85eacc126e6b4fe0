// The bytes of a document, as fastText reads them.
#pragma once

#include <string_view>
#include <vector>

#include "text/unicode.hpp"

namespace lindy::fasttext {

template <class Unit>
std::string_view encoded(const Document& document, std::vector<unsigned char>& room) {
    const Unit* const units = static_cast<const Unit*>(document.data);
    room.resize(document.size * 4);
    unsigned char* out = room.data();
    for (std::size_t i = 0; i < document.size; ++i) {
        const auto c = static_cast<char32_t>(units[i]);
        if (c >= 0xDC80 && c <= 0xDCFF)  // a byte that was no UTF-8, as Python's surrogateescape has it
            *out++ = static_cast<unsigned char>(c);
        else
            out = put_utf8(out, c);
    }
    return {reinterpret_cast<const char*>(room.data()), static_cast<std::size_t>(out - room.data())};
}

// UTF-8 as it is, valid or not; other documents are encoded into `room`.
inline std::string_view bytes_of(const Document& document, std::vector<unsigned char>& room) {
    switch (document.units) {
        case Document::Units::latin1:
            return encoded<unsigned char>(document, room);
        case Document::Units::ucs2:
            return encoded<char16_t>(document, room);
        case Document::Units::ucs4:
            return encoded<char32_t>(document, room);
        default:
            return {static_cast<const char*>(document.data), document.size};
    }
}

}  // namespace lindy::fasttext
