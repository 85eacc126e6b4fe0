// The arrays of a matrix in compressed sparse rows, while they are written.
#pragma once

#include <cstdint>

#include "core/buffer.hpp"

namespace lindy {

template <class Value>
struct SparseRows {
    Buffer<std::int64_t> indptr;  // where each row begins, and the last one ends
    Buffer<std::int32_t> indices;
    Buffer<Value> values;

    void push(std::int32_t column, Value value) {
        indices.push(column);
        values.push(value);
    }
    void end_row() { indptr.push(static_cast<std::int64_t>(indices.size())); }
};

}  // namespace lindy
