// Terms of several words: a tree in which a term is its parent, the term without the last word, and that
// word.
//
//   nodes    words have the numbers 0 … n_words − 1, and what is in slot s has the number n_words + s
//   starts   the children of node p are in the slots starts[p] … starts[p + 1] − 1; nodes from n_parents on
//            have none
//   slots    the last word of a node and its column, which may be none where a node is only the beginning of
//            longer terms; or empty
//   home     among the m slots of a family word w belongs into number ⌊(w · multiplier mod 2³²) · m / 2³²⌋,
//            or as many slots further, round the end, as are taken by words of an earlier home or of the same
//            home and a smaller number; these are fewer than `farthest`
//
// So there is one order of a family only, and whether it has that order is seen by reading it once. Model
// files hold starts and slots as they are: they are used where they are mapped.
#pragma once

#include <algorithm>
#include <bit>
#include <vector>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "core/radix.hpp"
#include "text/word_table.hpp"

namespace lindy {

struct PhraseSlot {
    std::uint32_t word = no_term, column = no_term;
};

// A tree that somebody else owns.
struct PhraseTree {
    static constexpr std::uint32_t farthest = 256;
    static constexpr std::uint32_t first_multiplier =
        0x9E3779B1;  // 2³² divided by the golden ratio, made odd

    const std::uint32_t* starts = nullptr;
    const PhraseSlot* slots = nullptr;
    std::size_t n_parents = 0, n_slots = 0, n_words = 0;
    std::uint32_t multiplier = first_multiplier;

    static constexpr std::uint32_t at_once = 4;

    // A bit for each of `at_once` slots that has the word.
    [[gnu::always_inline]] static std::uint32_t slots_with(std::uint32_t word, const PhraseSlot* slots) {
#if defined(__SSE2__)
        const auto* pairs = reinterpret_cast<const float*>(slots);
        const __m128 words = _mm_shuffle_ps(_mm_loadu_ps(pairs), _mm_loadu_ps(pairs + 4), 0b10001000);
        const __m128i same = _mm_cmpeq_epi32(_mm_castps_si128(words), _mm_set1_epi32(static_cast<int>(word)));
        return static_cast<std::uint32_t>(_mm_movemask_ps(_mm_castsi128_ps(same)));
#else
        std::uint32_t same = 0;
        for (std::uint32_t j = 0; j < at_once; ++j) same |= std::uint32_t{slots[j].word == word} << j;
        return same;
#endif
    }
    std::uint32_t home(std::uint32_t word, std::uint32_t size) const {
        return static_cast<std::uint32_t>(std::uint64_t{word * multiplier} * size >> 32);
    }
    // Inlined by force: the compiler takes a function that only fetches for one without effect, and drops it.
    // Fetches ahead of time where the children of a node are …
    [[gnu::always_inline]] void prefetch(std::uint32_t parent) const {
        __builtin_prefetch(starts + (parent < n_parents ? parent : 0));
    }
    // … and the slots in which one of them may be: those from its home on.
    struct Place {
        std::uint32_t first = 0;
        std::uint32_t n = 0;  // how many are compared at once; 0 if there are none
    };
    static constexpr std::uint32_t one_by_one = at_once + 1;  // for n, near the end of all slots
    [[gnu::always_inline]] Place fetch(std::uint32_t parent, std::uint32_t word) const {
        if (parent >= n_parents || word == no_term) return {};
        const std::uint32_t begin = starts[parent], size = starts[parent + 1] - begin;
        const std::uint32_t k = home(word, size), first = begin + k;
        __builtin_prefetch(slots + first);
        __builtin_prefetch(slots + first + at_once - 1);  // which may be in the next line
        return {first, std::size_t{first} + at_once <= n_slots ? std::min(at_once, size - k) : one_by_one};
    }
    // The node of a parent and one more word, or no_term. Slots are compared at once: how far a word is from
    // its home, and whether it is there, cannot be guessed.
    [[gnu::always_inline]] std::uint32_t find(Place place, std::uint32_t parent, std::uint32_t word) const {
        if (!place.n) return no_term;
        if (place.n == one_by_one) [[unlikely]]
            return find(parent, word);
        const std::uint32_t own = (1u << place.n) - 1;  // not of the next family
        const std::uint32_t there = slots_with(word, slots + place.first) & own;
        const std::uint32_t empty = slots_with(no_term, slots + place.first) & own;
        if (!(there | empty)) [[unlikely]]
            return find(parent, word);
        const auto j = static_cast<std::uint32_t>(std::countr_zero(there | 1u << at_once));
        return there ? static_cast<std::uint32_t>(n_words) + place.first + j : no_term;
    }
    // The same without a place.
    [[gnu::noinline]] std::uint32_t find(std::uint32_t parent, std::uint32_t word) const {
        if (parent >= n_parents || word == no_term) return no_term;
        const std::uint32_t begin = starts[parent], size = starts[parent + 1] - begin;
        std::uint32_t k = home(word, size);
        for (std::uint32_t left = std::min(size, farthest); left > 0; --left) {
            const PhraseSlot& slot = slots[begin + k];
            if (slot.word == word) return static_cast<std::uint32_t>(n_words) + begin + k;
            if (slot.word == no_term) return no_term;
            if (++k == size) k = 0;
        }
        return no_term;
    }
    // The column of a node, and of no_term none: read without a branch.
    [[gnu::always_inline]] std::uint32_t column(std::uint32_t node) const {
        static constexpr PhraseSlot none{};
        const PhraseSlot* slot = node == no_term ? &none : slots + (node - n_words);
        return slot->column;
    }

    // Calls body(parent, first, last) for the slots of each node that has children.
    template <class Body>
    void each_family(Body body) const {
        for (std::size_t p = 0; p < n_parents; ++p)
            if (starts[p] < starts[p + 1]) body(static_cast<std::uint32_t>(p), starts[p], starts[p + 1]);
    }

    // The bytes of the text of each slot (of empty ones 0), and of all. Stops when these are more than
    // `most`.
    std::uint64_t lengths(const StringList& words, std::uint64_t most, Buffer<std::uint64_t>& length) const {
        length.resize(n_slots);
        std::uint64_t total = 0;
        for (std::size_t p = 0; p < n_parents && total <= most; ++p) {
            const std::uint64_t before = p < n_words ? words.length(p) : length[p - n_words];
            for (std::size_t s = starts[p]; s < starts[p + 1]; ++s) {
                length[s] = slots[s].word == no_term ? 0 : before + 1 + words.length(slots[s].word);
                total += length[s];
            }
        }
        return total;
    }
    // Whether the text of all nodes has at most so many bytes; where the longest word says so, no word is
    // looked at.
    bool is_at_most(std::uint64_t most, const StringList& words) const {
        std::uint64_t longest = 0, n_levels = 1;
        for (std::size_t i = 0; i < n_words; ++i) longest = std::max<std::uint64_t>(longest, words.length(i));
        std::size_t end = 0;  // of the nodes up to a level
        for (std::size_t next = n_words; next > end; ++n_levels)
            end = std::exchange(next, n_words + starts[std::min(next, n_parents)]);
        if (most / (longest + 1) / n_levels >= n_slots) return true;
        Buffer<std::uint64_t> length;
        return lengths(words, most, length) <= most;
    }
};

// Sequences of words, which become a tree.
class PhraseBuilder {
  public:
    // A term: the numbers of its words, of which there are at least two, are put one after the other.
    void begin(std::uint32_t column) {
        columns_.push(column);
        sizes_.push(0);
    }
    void put(std::uint32_t word) {
        words_.push(word);
        ++sizes_[sizes_.size() - 1];
    }

    // Makes the tree; the first multiplier with which no node is far from its home is taken. Returns the
    // first column whose term another one before it equals, or no_term.
    std::uint32_t build(std::size_t n_words) {
        n_words_ = n_words;
        multiplier_ = PhraseTree::first_multiplier;
        while (!build_levels()) multiplier_ *= PhraseTree::first_multiplier;
        words_ = {}, nodes_ = {}, entries_ = {}, other_ = {};
        return duplicate_;
    }
    // Makes the tree of terms of two words, no two of which are equal: each_pair(visit) calls visit(first
    // word, second word, column) for all of them, in any order, because a family has one order only.
    template <class EachPair>
    void build_pairs(std::size_t n_words, EachPair each_pair) {
        n_words_ = n_words;
        starts_.resize(n_words + 1);
        std::fill(starts_.begin(), starts_.end(), 0);
        each_pair([&](std::uint32_t first, std::uint32_t, std::uint32_t) { ++starts_[first]; });
        std::size_t end = 0;
        for (std::uint32_t& start : starts_) {
            const std::size_t n = std::exchange(start, static_cast<std::uint32_t>(end));
            end += family_size(n);
            if (n_words_ + end >= no_term) throw std::length_error("more than 2^32 - 2 terms and words");
        }
        slots_.resize(end);
        bool placed = false;
        for (multiplier_ = PhraseTree::first_multiplier; !placed;
             multiplier_ *= placed ? 1 : PhraseTree::first_multiplier) {
            std::fill(slots_.begin(), slots_.end(), PhraseSlot{});
            placed = true;
            each_pair([&](std::uint32_t first, std::uint32_t second, std::uint32_t column) {
                const std::uint32_t begin = starts_[first], size = starts_[first + 1] - begin;
                placed = placed && place_one({second, column}, slots_.data() + begin, size);
            });
        }
    }
    PhraseTree tree() const {
        return {starts_.data(), slots_.data(), starts_.size() - 1, slots_.size(), n_words_, multiplier_};
    }

  private:
    bool build_levels() {
        starts_.clear(), slots_.clear();
        nodes_.resize(columns_.size());
        std::size_t first = 0;
        for (std::size_t i = 0; i < columns_.size(); first += sizes_[i++]) nodes_[i] = words_[first];
        std::size_t begin = 0, end = n_words_;  // of the nodes that may have children
        for (std::uint32_t level = 1; collect(level); ++level) {
            const std::size_t next = n_words_ + slots_.size();
            if (!place(begin, end)) return false;
            begin = next, end = n_words_ + slots_.size();
            starts_.push(static_cast<std::uint32_t>(slots_.size()));
            descend(level);
            starts_.resize(starts_.size() - 1);
        }
        starts_.push(static_cast<std::uint32_t>(slots_.size()));
        return true;
    }

    // Collects the nodes of level + 1 words: terms, and beginnings of longer ones; each once, by parent and
    // word.
    bool collect(std::uint32_t level) {
        entries_.clear();
        std::size_t first = 0;
        for (std::size_t i = 0; i < columns_.size(); first += sizes_[i++])
            if (sizes_[i] > level)
                entries_.push({std::uint64_t{nodes_[i]} << 32 | words_[first + level],
                               sizes_[i] == level + 1 ? columns_[i] : no_term});
        radix_sort(entries_, other_);
        std::size_t to = 0;
        for (const Numbered& entry : entries_) {
            if (!to || entries_[to - 1].key != entry.key) {
                entries_[to++] = entry;
            } else if (entries_[to - 1].number == no_term) {
                entries_[to - 1].number = entry.number;
            } else if (entry.number != no_term) {
                duplicate_ = std::min(duplicate_, std::max(entry.number, entries_[to - 1].number));
            }
        }
        entries_.resize(to);
        return to > 0;
    }

    // Gives the collected nodes their slots; false if one is too far from home.
    bool place(std::size_t begin, std::size_t end) {
        const Numbered* entry = entries_.data();
        for (std::size_t parent = begin; parent < end; ++parent) {
            const std::size_t first = slots_.size();
            starts_.push(static_cast<std::uint32_t>(first));
            const Numbered* last = entry;
            while (last < entries_.end() && last->key >> 32 == parent) ++last;
            const std::size_t size = family_size(static_cast<std::size_t>(last - entry));
            if (n_words_ + first + size >= no_term)
                throw std::length_error("more than 2^32 - 2 terms and words");
            slots_.resize(first + size);
            std::fill_n(slots_.data() + first, size, PhraseSlot{});
            for (; entry < last; ++entry)
                if (!place_one({static_cast<std::uint32_t>(entry->key), entry->number}, slots_.data() + first,
                               static_cast<std::uint32_t>(size)))
                    return false;
        }
        return true;
    }
    static std::size_t family_size(std::size_t n) { return n + n / 2; }
    bool place_one(PhraseSlot moving, PhraseSlot* slots, std::uint32_t size) const {
        const PhraseTree tree{.multiplier = multiplier_};
        const auto away = [&](std::uint32_t word, std::uint32_t k) {
            const std::uint32_t home = tree.home(word, size);
            return k < home ? k + size - home : k - home;
        };
        std::uint32_t k = tree.home(moving.word, size), moved = 0;
        for (; slots[k].word != no_term; ++moved) {
            const std::uint32_t there = away(slots[k].word, k);
            if (moved > there || (moved == there && moving.word < slots[k].word)) {
                std::swap(moving, slots[k]);
                moved = there;
            }
            if (++k == size) k = 0;
            if (moved + 1 >= PhraseTree::farthest) return false;
        }
        slots[k] = moving;
        return true;
    }

    // Finds the nodes with which longer terms begin, one word further.
    void descend(std::uint32_t level) {
        constexpr std::size_t ahead = 16;
        const PhraseTree placed = tree();
        std::size_t first = 0, later = 0;
        for (std::size_t i = 0, j = 0; i < columns_.size(); first += sizes_[i++]) {
            for (; j < std::min(i + ahead, columns_.size()); later += sizes_[j++])
                if (sizes_[j] > level + 1) placed.fetch(nodes_[j], words_[later + level]);
            if (sizes_[i] > level + 1) nodes_[i] = placed.find(nodes_[i], words_[first + level]);
        }
    }

    Buffer<std::uint32_t> columns_, sizes_, words_;  // of the terms; the words of all, one after the other
    Buffer<std::uint32_t> nodes_;                    // the beginning of each term that has been placed
    Buffer<Numbered> entries_, other_;
    Buffer<std::uint32_t> starts_;
    Buffer<PhraseSlot> slots_;
    std::size_t n_words_ = 0;
    std::uint32_t multiplier_ = PhraseTree::first_multiplier, duplicate_ = no_term;
};

// Whether the slots of a family are in their one order: read from after an empty slot round to it, every word
// is at its home or comes after words that belong before it.
inline bool is_in_order(const PhraseTree& tree, std::uint32_t first, std::uint32_t last) {
    const PhraseSlot* slots = tree.slots + first;
    const std::uint32_t size = last - first;
    std::uint32_t empty = 0;
    while (empty < size && slots[empty].word != no_term) ++empty;
    if (empty == size) return size == 1;
    bool sound = true;
    std::uint64_t least = 1ull << 32;  // of home, as if the slots began with the empty one, and word
    const auto read = [&](std::uint32_t k, std::uint32_t place) {
        const std::uint32_t word = slots[k].word, home = tree.home(word, size);
        const std::uint32_t from = home < empty ? home + size - empty : home - empty;
        const std::uint64_t order = std::uint64_t{from} << 32 | word;
        const bool is_empty = word == no_term;
        sound &= is_empty | ((order >= least) & (from <= place) & (place - from < PhraseTree::farthest));
        least = is_empty ? std::uint64_t{place + 1} << 32 : order + 1;
    };
    for (std::uint32_t k = empty + 1; k < size; ++k) read(k, k - empty);
    for (std::uint32_t k = 0; k < empty; ++k) read(k, k + size - empty);
    return sound;
}

// Why a tree from elsewhere cannot be used, or null. Columns are below n_columns; `seen` has a bit for each
// of them, which is set for those of words and, afterwards, for all that the tree has.
inline const char* unsound(const PhraseTree& tree, std::size_t n_columns, Buffer<std::uint64_t>& seen) {
    const auto n_parents = tree.n_parents, n_words = tree.n_words;
    if (n_words + tree.n_slots >= no_term || n_parents > n_words + tree.n_slots)
        return "the tree of terms has too many nodes";
    if (tree.starts[0] != 0 || tree.starts[n_parents] != tree.n_slots)
        return "the tree's starts must begin at 0 and end at the number of slots";
    for (std::size_t p = 0; p < n_parents; ++p)
        if (tree.starts[p] > tree.starts[p + 1] || (p >= n_words && tree.starts[p] <= p - n_words))
            return "the tree's starts must not decrease, and children must come after their parents";
    bool in_order = true, has_parents = true;
    tree.each_family([&](std::uint32_t parent, std::uint32_t first, std::uint32_t last) {
        has_parents &= parent < n_words || tree.slots[parent - n_words].word != no_term;
        in_order &= is_in_order(tree, first, last);
    });
    if (!has_parents) return "an empty slot of the tree has children";
    if (!in_order) return "a term of the tree is twice there, or not where it is looked for";
    bool of_words = true, once = true;
    for (std::size_t s = 0; s < tree.n_slots; ++s) {
        const auto [word, column] = tree.slots[s];
        of_words &= word < n_words || (word == no_term && column == no_term);
        // a column that is none sets no bit, of the last number
        const bool is_none = column == no_term, is_known = column < n_columns;
        const std::size_t place = is_known ? column : n_columns;
        const std::uint64_t bit = std::uint64_t{is_known} << place % 64;
        once &= (is_none | is_known) & !(seen[place / 64] & bit);
        seen[place / 64] |= bit;
    }
    if (!of_words) return "a term of the tree has a word that does not exist";
    return once ? nullptr : "two terms of the tree have one column, or one has a column that does not exist";
}

}  // namespace lindy
