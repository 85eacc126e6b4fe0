// The terms that counting found, as a tree: a term of n words is a term of n − 1 words and one more word.
// Every level keeps its terms' parents, so no text is stored but the words'.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>

#include "core/buffer.hpp"
#include "core/dictionary.hpp"
#include "core/threads.hpp"
#include "text/place_ranks.hpp"

namespace lindy {

inline constexpr std::uint32_t no_term = ~0u;

inline constexpr std::size_t n_buckets = 256;

// The terms of one level; if columns are to be in the order of the alphabet, then so are the children of a
// term.
struct Level {
    Buffer<std::uint64_t> parents;  // parent term << 32 | last word; empty for level 1
    Buffer<std::uint32_t> documents;
    Buffer<std::uint32_t> places;   // the first in the texts
    Buffer<std::uint32_t> columns;  // the feature that a term is, or no_term

    std::size_t size() const { return documents.size(); }
    PlaceNumbers numbers_by_place(std::uint64_t n_places, int n_threads) const {
        PlaceNumbers by_place{PlaceRanks(n_places), {}};
        for (const std::uint32_t place : places) by_place.ranks.add(place);
        by_place.numbers.resize(by_place.ranks.finish());
        by_place.ranks.for_each_rank(places, n_threads, [&](std::size_t t, std::uint32_t rank) {
            by_place.numbers[rank] = static_cast<std::uint32_t>(t);
        });
        return by_place;
    }
    // All but the columns.
    void resize(std::size_t size) { parents.resize(size), documents.resize(size), places.resize(size); }
};

class Vocabulary {
  public:
    std::vector<Level> levels;  // levels[n − 1] has the terms of n words
    Strings words;              // of level 1
    std::size_t n_columns = 0;

    // Numbers the chosen terms of all levels in the order of the alphabet. A space sorts before every
    // character of a word, so a term comes right before its children: the order of the tree, from the root.
    template <class Chosen>
    void number_columns(Chosen chosen) {
        const std::size_t last = levels.size() - 1;
        std::vector<Buffer<std::uint32_t>> weight(last);  // chosen terms at or below each term
        for (std::size_t n = last; n-- > 0;) {
            weight[n] = Buffer<std::uint32_t>(levels[n].size());
            for (std::uint32_t t = 0; t < levels[n].size(); ++t) weight[n][t] = chosen(n, t) ? 1 : 0;
            for (std::uint32_t t = 0; t < levels[n + 1].size(); ++t)
                weight[n][levels[n + 1].parents[t] >> 32] +=
                    n + 1 == last ? std::uint32_t{chosen(n + 1, t)} : weight[n + 1][t];
        }
        std::uint32_t next = 0;
        Buffer<std::uint32_t> parent_cursor;  // where the next child of each term starts
        for (std::size_t n = 0; n <= last; ++n) {
            Level& level = levels[n];
            Buffer<std::uint32_t> cursor(n == last ? 0 : level.size());
            level.columns = Buffer<std::uint32_t>(level.size());
            for (std::uint32_t t = 0; t < level.size(); ++t) {
                std::uint32_t& start = n == 0 ? next : parent_cursor[level.parents[t] >> 32];
                const std::uint32_t is_feature = chosen(n, t) ? 1 : 0;
                level.columns[t] = is_feature ? start : no_term;
                if (n < last) cursor[t] = start + is_feature;
                start += n < last ? weight[n][t] : is_feature;
            }
            parent_cursor = std::move(cursor);
        }
        n_columns = next;
    }

    // Numbers the chosen terms in the order in which the texts first have them or, most frequent first, by
    // the documents that have them, equals by their first place. Returns the ranks of their first places.
    template <class Chosen>
    PlaceRanks number_columns_by_place(Chosen chosen, std::uint64_t n_places, bool by_frequency) {
        PlaceRanks ranks(n_places);
        for (std::size_t n = 0; n < levels.size(); ++n)
            for (std::uint32_t t = 0; t < levels[n].size(); ++t)
                if (chosen(n, t)) ranks.add(levels[n].places[t]);
        n_columns = ranks.finish();
        for (std::size_t n = 0; n < levels.size(); ++n) {
            levels[n].columns = Buffer<std::uint32_t>(levels[n].size());
            ranks.for_each_rank(levels[n].places, 1, [&](std::size_t t, std::uint32_t rank) {
                levels[n].columns[t] = chosen(n, static_cast<std::uint32_t>(t)) ? rank : no_term;
            });
        }
        if (by_frequency) sort_columns_by_frequency();
        return ranks;
    }

    // The columns of the features from some level on, by their first places.
    PlaceNumbers columns_by_place(std::size_t first_level, std::uint64_t n_places, int n_threads) const {
        PlaceNumbers by_place{PlaceRanks(n_places), {}};
        for (std::size_t n = first_level; n < levels.size(); ++n)
            for (std::size_t t = 0; t < levels[n].size(); ++t)
                if (levels[n].columns[t] != no_term) by_place.ranks.add(levels[n].places[t]);
        by_place.numbers.resize(by_place.ranks.finish());
        for (std::size_t n = first_level; n < levels.size(); ++n) {
            const Level& level = levels[n];
            by_place.ranks.for_each_rank(level.places, n_threads, [&](std::size_t t, std::uint32_t rank) {
                if (level.columns[t] != no_term) by_place.numbers[rank] = level.columns[t];
            });
        }
        return by_place;
    }

    // Whether a feature has several words.
    bool has_phrases() const {
        for (std::size_t n = 1; n < levels.size(); ++n)
            for (const std::uint32_t column : levels[n].columns)
                if (column != no_term) return true;
        return false;
    }

    // The features in the order of their columns.
    struct Feature {
        std::uint32_t level, term;
    };
    Buffer<Feature> features() const {
        Buffer<Feature> features(n_columns);
        for (std::uint32_t n = 0; n < levels.size(); ++n)
            for (std::uint32_t t = 0; t < levels[n].size(); ++t)
                if (levels[n].columns[t] != no_term) features[levels[n].columns[t]] = {n, t};
        return features;
    }

    // Calls put(word) for the words of one term, in their order.
    template <class Put>
    void for_each_word(std::size_t n, std::uint32_t term, Put put) const {
        if (n == 0) return put(term);
        const std::uint64_t parents = levels[n].parents[term];
        for_each_word(n - 1, static_cast<std::uint32_t>(parents >> 32), put);
        put(static_cast<std::uint32_t>(parents));
    }

    // The text of one term: its words with a space between.
    void append_text(std::size_t n, std::uint32_t term, Buffer<unsigned char>& out) const {
        bool more = false;
        for_each_word(n, term, [&](std::uint32_t word) {
            if (std::exchange(more, true)) out.push(' ');
            const std::string_view text = words[word];
            out.append(reinterpret_cast<const unsigned char*>(text.data()), text.size());
        });
    }

  private:
    // Columns, now in some order, most frequent first; equals stay in that order.
    void sort_columns_by_frequency() {
        Buffer<std::uint32_t> documents(n_columns);
        std::uint32_t most = 0;
        for (const Level& level : levels)
            for (std::size_t t = 0; t < level.size(); ++t)
                if (level.columns[t] != no_term) {
                    documents[level.columns[t]] = level.documents[t];
                    most = std::max(most, level.documents[t]);
                }
        std::vector<std::uint32_t> starts(most + 2, 0);  // by how much rarer than the most frequent
        for (const std::uint32_t count : documents) ++starts[most - count + 1];
        for (std::size_t i = 1; i < starts.size(); ++i) starts[i] += starts[i - 1];
        for (std::uint32_t& count : documents) count = starts[most - count]++;
        for (Level& level : levels)
            for (std::uint32_t& column : level.columns)
                if (column != no_term) column = documents[column];
    }
};

}  // namespace lindy
