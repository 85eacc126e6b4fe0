// A list of terms in as few bytes as possible: each begins as the one before it, and the rest is coded.
//
//   shared    the bytes that a term has in common with the one before, at most 255; context: the same of that one
//   length    of the rest; 255 stands for 255 and more, which follow; context: shared
//   rest      context: the byte before, also where that is a shared one; of the first of all, 0
//
// The terms have at most 64 bytes for each of the code (zeros at the end).
#pragma once

#include <algorithm>
#include <string_view>
#include <utility>

#include "core/range_coder.hpp"

namespace lindy {

inline constexpr std::size_t most_text_per_byte = 64;

struct TermModels {
    ByteModel shared, length, rest;
};

Buffer<std::uint8_t> encode_terms(const auto& terms) {
    RangeEncoder coder;
    TermModels models;
    std::string_view before;
    std::size_t last_shared = 0, n_text = 0;
    for (std::size_t i = 0; i < terms.size(); ++i) {
        const std::string_view term = terms[i];
        const std::size_t most = std::min({term.size(), before.size(), std::size_t{255}});
        std::size_t shared = 0;
        while (shared < most && term[shared] == before[shared]) ++shared;
        coder.byte(models.shared, static_cast<std::uint8_t>(last_shared), static_cast<std::uint8_t>(shared));
        for (std::size_t left = term.size() - shared;; left -= 255) {
            const std::size_t step = std::min(left, std::size_t{255});
            coder.byte(models.length, static_cast<std::uint8_t>(shared), static_cast<std::uint8_t>(step));
            if (step < 255) break;
        }
        for (std::size_t k = shared; k < term.size(); ++k)
            coder.byte(models.rest, k ? static_cast<std::uint8_t>(term[k - 1]) : std::uint8_t{0},
                       static_cast<std::uint8_t>(term[k]));
        before = term, last_shared = shared, n_text += term.size();
    }
    return coder.finish((n_text + most_text_per_byte - 1) / most_text_per_byte);
}

// The bytes and the offsets of so many terms; throws BadCode for what encode_terms does not make.
inline std::pair<Buffer<std::uint8_t>, Buffer<std::int64_t>> decode_terms(const std::uint8_t* data,
                                                                          std::size_t size, std::size_t n) {
    RangeDecoder coder(data, size);
    TermModels models;
    Buffer<std::uint8_t> text;
    Buffer<std::int64_t> offsets;
    offsets.push(0);
    std::size_t begin = 0, last_shared = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const std::size_t last_size = text.size() - begin;
        const std::size_t shared = coder.byte(models.shared, static_cast<std::uint8_t>(last_shared));
        if (shared > last_size) throw BadCode("a term shares more than the one before it has");
        std::size_t length = 0, step = 255;
        while (step == 255) {
            step = coder.byte(models.length, static_cast<std::uint8_t>(shared));
            length += step;
        }
        if (text.size() + shared + length > most_text_per_byte * size)
            throw BadCode("its terms are longer than it has bytes for");
        const std::size_t own = text.size();
        text.resize(own + shared + length);
        std::copy_n(text.data() + begin, shared, text.data() + own);
        for (std::size_t k = own + shared; k < text.size(); ++k)
            text[k] = coder.byte(models.rest, k > own ? text[k - 1] : std::uint8_t{0});
        offsets.push(static_cast<std::int64_t>(text.size()));
        begin = own, last_shared = shared;
    }
    coder.finish((text.size() + most_text_per_byte - 1) / most_text_per_byte);
    return {std::move(text), std::move(offsets)};
}

}  // namespace lindy
