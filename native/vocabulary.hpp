// The terms that counting found, as a tree: a term of n words is a term of n − 1 words and one more word.
// Level 1 is numbered in the order of the alphabet; every level keeps its terms' parents, so no text is
// stored but the words'.
#pragma once

#include <algorithm>
#include <bit>
#include <numeric>

#include "buffer.hpp"
#include "dictionary.hpp"

namespace lindy {

inline constexpr std::uint32_t no_term = ~0u;

// The numbers 0 … keys.size()−1 in the order of their keys (stable).
inline Buffer<std::uint32_t> sorted_order(const Buffer<std::uint64_t>& keys) {
    std::uint64_t differing = 0;
    for (const std::uint64_t key : keys) differing |= key ^ keys[0];
    struct Item {
        std::uint64_t key;
        std::uint32_t number;
    };
    Buffer<Item> items(keys.size()), other(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) items[i] = {keys[i], static_cast<std::uint32_t>(i)};
    for (int shift = 0; shift < 64; shift += 11) {
        if (!(differing >> shift & 2047)) continue;
        std::uint32_t starts[2048] = {};
        for (const Item& item : items) ++starts[item.key >> shift & 2047];
        std::uint32_t sum = 0;
        for (std::uint32_t& start : starts) sum += std::exchange(start, sum);
        for (const Item& item : items) other[starts[item.key >> shift & 2047]++] = item;
        std::swap(items, other);
    }
    Buffer<std::uint32_t> order(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) order[i] = items[i].number;
    return order;
}

// The first eight bytes of a string as a number that sorts like them.
inline std::uint64_t sort_prefix(std::string_view text) {
    std::uint64_t prefix = 0;
    std::memcpy(&prefix, text.data(), std::min<std::size_t>(text.size(), 8));
    return __builtin_bswap64(prefix);
}

// The numbers of the given strings in the order of the alphabet (of code points, which is that of UTF-8
// bytes).
inline std::vector<std::uint32_t> alphabetic(const Strings& strings,
                                             const std::vector<std::uint32_t>& numbers) {
    std::vector<std::pair<std::uint64_t, std::uint32_t>> items;
    items.reserve(numbers.size());
    for (const std::uint32_t number : numbers) items.emplace_back(sort_prefix(strings[number]), number);
    std::sort(items.begin(), items.end(), [&](const auto& a, const auto& b) {
        return a.first != b.first ? a.first < b.first : strings[a.second] < strings[b.second];
    });
    std::vector<std::uint32_t> sorted;
    sorted.reserve(items.size());
    for (const auto& [prefix, number] : items) sorted.push_back(number);
    return sorted;
}

struct Level {
    Buffer<std::uint64_t> parents;  // parent term << 32 | last word; empty for level 1
    Buffer<std::uint32_t> order;    // the terms in the order of the alphabet
    Buffer<std::uint32_t> documents;
    Buffer<std::uint32_t> first_piece;
    Buffer<std::uint32_t> columns;  // the feature that a term is, or no_term

    std::size_t size() const { return documents.size(); }
};

class Vocabulary {
  public:
    std::vector<Level> levels;  // levels[n − 1] has the terms of n words
    Strings words;              // of level 1
    std::size_t n_columns = 0;

    // Alphabetic order of one level, after that of the level below.
    void sort_level(std::size_t n) {
        Level& level = levels[n];
        Buffer<std::uint32_t> rank(levels[n - 1].size());
        for (std::size_t i = 0; i < rank.size(); ++i)
            rank[levels[n - 1].order[i]] = static_cast<std::uint32_t>(i);
        Buffer<std::uint64_t> keys(level.size());
        for (std::size_t t = 0; t < level.size(); ++t)
            keys[t] = rank[level.parents[t] >> 32] * static_cast<std::uint64_t>(words.size()) +
                      static_cast<std::uint32_t>(level.parents[t]);
        level.order = sorted_order(keys);
    }

    // Numbers the chosen terms of all levels in the order of the alphabet. A space sorts before every
    // character of a word, so a term comes right before its children: the order of the tree, from the root.
    template <class Chosen>
    void number_columns(Chosen chosen) {
        std::vector<Buffer<std::uint32_t>> weight(levels.size());
        for (std::size_t n = levels.size(); n-- > 0;) {
            weight[n] = Buffer<std::uint32_t>(levels[n].size());
            for (std::size_t t = 0; t < levels[n].size(); ++t)
                weight[n][t] = chosen(n, static_cast<std::uint32_t>(t)) ? 1 : 0;
        }
        for (std::size_t n = levels.size(); n-- > 1;)
            for (std::size_t t = 0; t < levels[n].size(); ++t)
                weight[n - 1][levels[n].parents[t] >> 32] += weight[n][t];
        std::uint32_t next = 0;
        Buffer<std::uint32_t> cursor, parent_cursor;  // where the next child of each term starts
        for (std::size_t n = 0; n < levels.size(); ++n) {
            Level& level = levels[n];
            cursor = Buffer<std::uint32_t>(level.size());
            level.columns = Buffer<std::uint32_t>(level.size());
            for (const std::uint32_t t : level.order) {
                std::uint32_t& start = n == 0 ? next : parent_cursor[level.parents[t] >> 32];
                const bool is_feature = chosen(n, t);
                level.columns[t] = is_feature ? start : no_term;
                cursor[t] = start + (is_feature ? 1 : 0);
                start += weight[n][t];
            }
            parent_cursor = std::move(cursor);
        }
        n_columns = next;
    }

    // Calls visit(level, term) for every feature in the order of its column.
    template <class Visit>
    void for_each_column(Visit visit) const {
        std::vector<std::pair<std::uint32_t, std::uint32_t>> features(n_columns);
        for (std::size_t n = 0; n < levels.size(); ++n)
            for (std::size_t t = 0; t < levels[n].size(); ++t)
                if (levels[n].columns[t] != no_term)
                    features[levels[n].columns[t]] = {static_cast<std::uint32_t>(n),
                                                      static_cast<std::uint32_t>(t)};
        for (const auto& [n, t] : features) visit(n, t);
    }

    // The text of one term: its words with a space between.
    void append_text(std::size_t n, std::uint32_t term, Buffer<unsigned char>& out) const {
        std::uint32_t last = term;
        if (n > 0) {
            append_text(n - 1, static_cast<std::uint32_t>(levels[n].parents[term] >> 32), out);
            out.push(' ');
            last = static_cast<std::uint32_t>(levels[n].parents[term]);
        }
        const std::string_view word = words[last];
        out.append(reinterpret_cast<const unsigned char*>(word.data()), word.size());
    }
};

}  // namespace lindy
