// One row as it was written down, put into the order of its columns.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/buffer.hpp"

namespace lindy {

// Sorts a row by column and sums the values of one column, in the order in which they came; scratch memory of
// one thread.
template <class Value>
class RowOrder {
  public:
    // Writes to `to_columns` and `to_values`, which may be where the row is, and returns how many are left.
    std::size_t operator()(const std::int32_t* columns, const Value* values, std::size_t size,
                           std::int32_t* to_columns, Value* to_values) {
        order_.clear();
        bool ascending = true;
        std::uint64_t before = 0;
        for (std::size_t k = 0; k < size; ++k) {
            const std::uint64_t entry = static_cast<std::uint64_t>(columns[k]) << 32 | k;
            ascending &= before <= entry;
            before = entry;
            order_.push(entry);
        }
        if (!ascending) std::sort(order_.begin(), order_.end());
        values_.clear();
        values_.append(values, size);
        std::size_t to = 0;
        for (const std::uint64_t entry : order_) {
            const auto column = static_cast<std::int32_t>(entry >> 32);
            const Value value = values_[entry & 0xFFFFFFFFu];
            if (to && to_columns[to - 1] == column) {
                to_values[to - 1] += value;
                continue;
            }
            to_columns[to] = column;
            to_values[to++] = value;
        }
        return to;
    }

  private:
    Buffer<std::uint64_t> order_;  // column, then place
    Buffer<Value> values_;
};

}  // namespace lindy
