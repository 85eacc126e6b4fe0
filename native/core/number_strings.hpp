// Numbers for strings: equal strings get equal numbers, in order of first appearance.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace lindy {

// Strings laid out as Arrow has them: string i is data[offsets[i] … offsets[i+1]).
template <class Offset>
void number_distinct(const Offset* offsets, const char* data, std::int64_t n, std::int32_t* codes,
                     std::vector<std::int64_t>& first) {
    std::unordered_map<std::string_view, std::int32_t> numbers;
    for (std::int64_t i = 0; i < n; ++i) {
        const std::string_view value(data + offsets[i],
                                     static_cast<std::size_t>(offsets[i + 1] - offsets[i]));
        const auto [place, is_new] = numbers.try_emplace(value, static_cast<std::int32_t>(numbers.size()));
        if (is_new) first.push_back(i);
        codes[i] = place->second;
    }
}

}  // namespace lindy
