// Numbers for some of the places 0 … n−1, in their order.
#pragma once

#include <cstdint>

#include "core/buffer.hpp"
#include "core/huge_pages.hpp"
#include "core/isa.hpp"
#include "core/threads.hpp"

namespace lindy {

// Which of 64 places have a rank, and how many places before them have one.
struct PlaceWord {
    std::uint64_t bits;
    std::uint32_t before;
};

}  // namespace lindy

#define LINDY_KERNELS "text/place_ranks.inl"
#include "core/for_each_isa.hpp"

namespace lindy {

class PlaceRanks {
  public:
    explicit PlaceRanks(std::uint64_t n = 0) : words_(n / 64 + 1, {0, 0}) {}
    void add(std::uint32_t place) { words_[place / 64].bits |= std::uint64_t{1} << place % 64; }
    // To be called between add and what follows; returns the number of ranks.
    std::uint32_t finish() {
        std::uint32_t sum = 0;
        for (PlaceWord& word : words_) {
            word.before = sum;
            sum += baseline::count_bits(word.bits);
        }
        return sum;
    }
    bool has(std::uint32_t place) const { return words_[place / 64].bits >> place % 64 & 1; }
    std::uint32_t rank(std::uint32_t place) const { return baseline::rank_of(words_.data(), place); }

    // Calls visit(i, rank of places[i]) for all i.
    template <class Visit>
    void for_each_rank(const Buffer<std::uint32_t>& places, int n_threads, Visit visit) const {
        constexpr std::int64_t block = 1 << 11;
        const auto kernel = LINDY_SELECT(find_ranks);
        range_chunks(static_cast<std::int64_t>(places.size()), block, n_threads,
                     [&](std::int64_t first, std::int64_t last, std::int64_t) {
                         std::uint32_t ranks[block];
                         kernel(words_.data(), places.data() + first, static_cast<std::size_t>(last - first),
                                ranks);
                         for (std::int64_t i = first; i < last; ++i)
                             visit(static_cast<std::size_t>(i), ranks[i - first]);
                     });
    }
    // Puts ranks in the place of places, which are the upper halves of items; those that have none are left
    // out.
    void keep_ranked(Buffer<std::uint64_t>& items) const {
        items.resize(LINDY_SELECT(keep_ranked)(words_.data(), items.data(), items.size()));
    }

  private:
    HugeVector<PlaceWord> words_;
};

// A number for each of some places.
struct PlaceNumbers {
    PlaceRanks ranks;
    Buffer<std::uint32_t> numbers;  // by rank

    std::uint32_t operator()(std::uint32_t place) const { return numbers[ranks.rank(place)]; }
};

}  // namespace lindy
