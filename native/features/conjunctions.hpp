// Conjunctions of features: x_i · x_j for pairs of columns that occur in one row.
#pragma once

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/buffer.hpp"
#include "core/csr.hpp"
#include "core/dictionary.hpp"
#include "core/minhash.hpp"
#include "core/sorted_row.hpp"
#include "core/sparse_rows.hpp"
#include "core/threads.hpp"

namespace lindy {

// Which pairs are wanted: columns belong to groups (−1: to none), and a template is a pair of groups. Within
// one group every pair is taken once, the smaller column first; between two groups all are taken.
struct PairTemplates {
    const std::int32_t* group;
    std::int32_t n_groups;
    std::vector<std::pair<std::int32_t, std::int32_t>> templates;
};

// The pairs of one row at a time; scratch memory of one thread.
template <class Value>
class RowPairs {
  public:
    explicit RowPairs(const PairTemplates& wanted)
        : wanted_(wanted), members_(static_cast<std::size_t>(wanted.n_groups)) {}

    // Calls visit(i, j, x_i · x_j) for every wanted pair of values that are not zero.
    template <class Visit>
    void operator()(Row<Value> x, Visit visit) {
        for (Buffer<Member>& group : members_) group.clear();
        for (std::ptrdiff_t k = 0; k < x.size; ++k) {
            const std::int32_t group = wanted_.group[x.index[k]];
            if (group >= 0 && x.value[k] != 0)
                members_[static_cast<std::size_t>(group)].push({x.index[k], x.value[k]});
        }
        for (Buffer<Member>& group : members_)
            std::sort(group.begin(), group.end(),
                      [](const Member& a, const Member& b) { return a.column < b.column; });
        for (const auto& [g, h] : wanted_.templates) {
            const Buffer<Member>& first = members_[static_cast<std::size_t>(g)];
            const Buffer<Member>& second = members_[static_cast<std::size_t>(h)];
            for (std::size_t a = 0; a < first.size(); ++a)
                for (std::size_t b = g == h ? a + 1 : 0; b < second.size(); ++b)
                    visit(first[a].column, second[b].column, first[a].value * second[b].value);
        }
    }

  private:
    struct Member {
        std::int32_t column;
        Value value;
    };

    const PairTemplates& wanted_;
    std::vector<Buffer<Member>> members_;
};

inline std::uint64_t pair_key(std::int32_t i, std::int32_t j) {
    return static_cast<std::uint64_t>(i) << 32 | static_cast<std::uint32_t>(j);
}

// Known pairs and their numbers.
class PairIndex {
  public:
    static constexpr std::int32_t unknown = -1;

    PairIndex() { allocate(64); }

    std::size_t size() const { return keys_.size(); }
    const Buffer<std::uint64_t>& keys() const { return keys_; }

    std::int32_t find(std::uint64_t key) const { return slots_[place(key)].number; }
    // The number of a pair, which is the next one if it is new.
    std::int32_t add(std::uint64_t key) {
        std::size_t i = place(key);
        if (slots_[i].number != unknown) return slots_[i].number;
        if (2 * (keys_.size() + 1) > slots_.size()) {
            allocate(4 * slots_.size());
            for (std::size_t n = 0; n < keys_.size(); ++n)
                slots_[place(keys_[n])] = {keys_[n], static_cast<std::int32_t>(n)};
            i = place(key);
        }
        if (keys_.size() == static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
            throw std::length_error("there can be at most 2^31 - 1 pairs");
        slots_[i] = {key, static_cast<std::int32_t>(keys_.size())};
        keys_.push(key);
        return slots_[i].number;
    }

  private:
    struct Slot {
        std::uint64_t key;
        std::int32_t number;
    };

    // Where a key is, or the free slot where it belongs.
    std::size_t place(std::uint64_t key) const {
        std::size_t i = fold_multiply(key ^ hash_key_.a, hash_key_.b) & (slots_.size() - 1);
        while (slots_[i].number != unknown && slots_[i].key != key) i = (i + 1) & (slots_.size() - 1);
        return i;
    }
    void allocate(std::size_t size) {
        slots_ = Buffer<Slot>(size);
        std::fill(slots_.begin(), slots_.end(), Slot{0, unknown});
    }

    const HashKey hash_key_ = HashKey::get();
    Buffer<Slot> slots_;
    Buffer<std::uint64_t> keys_;
};

// In how many rows each pair occurs; new pairs are added to the index.
template <class Value>
void count_pairs_of(CsrView<Value> x, const PairTemplates& wanted, PairIndex& index,
                    Buffer<std::int64_t>& rows_with) {
    RowPairs<Value> pairs(wanted);
    for (std::int64_t i = 0; i < x.n_rows; ++i)
        pairs(x.row(i), [&](std::int32_t a, std::int32_t b, Value) {
            const auto number = static_cast<std::size_t>(index.add(pair_key(a, b)));
            if (number == rows_with.size()) rows_with.push(0);
            ++rows_with[number];
        });
}

// A column and a sign for a pair of columns, without a list of pairs.
struct PairHash {
    std::uint64_t seed;
    std::uint32_t n_columns;

    std::pair<std::int32_t, bool> operator()(std::int32_t i, std::int32_t j) const {
        const std::uint64_t h = mixed(seed + mixed(pair_key(i, j) * 0x9E3779B97F4A7C15u));
        return {static_cast<std::int32_t>((h >> 32) % n_columns), h & 1};
    }
};

// The conjunctions of all rows: of known pairs with an index, of all pairs with a hash. Chunks of rows have
// their own memory, which is put together in their order.
template <class Value, class Columns>
SparseRows<Value> conjunctions(CsrView<Value> x, const PairTemplates& wanted, const Columns& columns,
                               int n_threads) {
    constexpr std::int64_t kRows = 256;
    const std::int64_t n_chunks = (x.n_rows + kRows - 1) / kRows;
    std::vector<SparseRows<Value>> parts(static_cast<std::size_t>(n_chunks));
    parallel_chunks(n_chunks, n_threads, [&](std::int64_t chunk) {
        SparseRows<Value>& part = parts[static_cast<std::size_t>(chunk)];
        RowPairs<Value> pairs(wanted);
        RowOrder<Value> order;
        const std::int64_t end = std::min((chunk + 1) * kRows, x.n_rows);
        for (std::int64_t i = chunk * kRows; i < end; ++i) {
            const std::size_t begin = part.indices.size();
            pairs(x.row(i), [&](std::int32_t a, std::int32_t b, Value product) {
                if constexpr (std::is_same_v<Columns, PairHash>) {
                    const auto [column, negative] = columns(a, b);
                    part.push(column, negative ? -product : product);
                } else {
                    const std::int32_t column = columns.find(pair_key(a, b));
                    if (column != PairIndex::unknown) part.push(column, product);
                }
            });
            if constexpr (std::is_same_v<Columns, PairHash>) {  // several pairs may share a column
                std::int32_t* own = part.indices.data() + begin;
                Value* values = part.values.data() + begin;
                const std::size_t left = order(own, values, part.indices.size() - begin, own, values);
                part.indices.resize(begin + left);
                part.values.resize(begin + left);
            }
            part.end_row();
        }
    });
    SparseRows<Value> all;
    all.indptr.push(0);
    for (const SparseRows<Value>& part : parts) {
        const auto before = static_cast<std::int64_t>(all.indices.size());
        for (const std::int64_t end : part.indptr) all.indptr.push(before + end);
        all.indices.append(part.indices.data(), part.indices.size());
        all.values.append(part.values.data(), part.values.size());
    }
    return all;
}

}  // namespace lindy
