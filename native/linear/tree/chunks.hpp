// Weights of many outputs as chunks: an output has weights for a small part of all features only, and outputs
// that are scored together have the same part.
//
//     chunk c     outputs starts[c] … starts[c + 1] − 1, rows of features chunks[c] … chunks[c + 1] − 1
//     row r       the weights of features[r]: entries ends[r] … ends[r + 1] − 1, each of an output of the
//                 chunk, outputs[e] from its first one, with values[e]
//
// A text meets a feature's row once for all outputs of the chunk (masked sparse chunk multiplication: Etter
// et al., Enterprise-scale search, 2022).
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "core/buffer.hpp"
#include "core/csr.hpp"

namespace lindy {

struct ChunkView {
    const std::int64_t* starts;
    const std::int64_t* chunks;
    const std::int32_t* features;
    const std::int64_t* ends;
    const std::uint8_t* outputs;
    const float* values;
    const float* bias;  // of every output
    std::int64_t n_chunks;
    std::int64_t n_features;
};

// One chunk, as it is made.
struct Chunk {
    Buffer<std::int32_t> features;
    Buffer<std::int64_t> ends;
    Buffer<std::uint8_t> outputs;
    Buffer<float> values;
    std::vector<double> dropped;  // ‖what was dropped‖ of every output
};

// Keeps the weights (columns × n_outputs) but for the smallest of each output, whose length together is at
// most `share` of the length of all; columns[r] is the feature of row r. Weights are dropped by their size up
// to half an octave, so that one pass finds where to cut.
inline Chunk make_chunk(const float* w, const std::int32_t* columns, std::int64_t n_rows,
                        std::int64_t n_outputs, double share) {
    constexpr std::int32_t n_sizes = 64;  // half octaves below share·‖w‖; what is smaller counts as the last
    const auto size_of = [](float value) {
        return static_cast<std::int32_t>(std::bit_cast<std::uint32_t>(std::abs(value)) >> 22);
    };
    const auto K = static_cast<std::size_t>(n_outputs);
    std::vector<double> total(K), squares(K * n_sizes);
    for (std::int64_t r = 0; r < n_rows; ++r)
        for (std::size_t k = 0; k < K; ++k) {
            const double value = w[static_cast<std::size_t>(r) * K + k];
            total[k] += value * value;
        }
    std::vector<std::int32_t> first(K), least(K);  // the smallest size that is counted, and that stays
    for (std::size_t k = 0; k < K; ++k)
        first[k] = size_of(static_cast<float>(share * std::sqrt(total[k]))) + 1 - n_sizes;
    for (std::int64_t r = 0; r < n_rows; ++r)
        for (std::size_t k = 0; k < K; ++k) {
            const float value = w[static_cast<std::size_t>(r) * K + k];
            const std::int32_t size = std::max(size_of(value) - first[k], 0);
            if (size < n_sizes)
                squares[k * n_sizes + static_cast<std::size_t>(size)] +=
                    static_cast<double>(value) * static_cast<double>(value);
        }
    Chunk made;
    made.dropped.resize(K);
    for (std::size_t k = 0; k < K; ++k) {
        const double* own = squares.data() + k * n_sizes;
        double dropped = 0;
        std::int32_t size = 0;
        for (; size < n_sizes && dropped + own[size] <= share * share * total[k]; ++size)
            dropped += own[size];
        least[k] = size == 0 ? 0 : first[k] + size;
        made.dropped[k] = std::sqrt(dropped);
    }
    made.ends.push(0);
    for (std::int64_t r = 0; r < n_rows; ++r) {
        const std::size_t before = made.values.size();
        std::uint8_t* const outputs = made.outputs.resize(before + K) + before;
        float* const values = made.values.resize(before + K) + before;
        std::size_t n = 0;
        for (std::size_t k = 0; k < K; ++k) {
            const float value = w[static_cast<std::size_t>(r) * K + k];
            outputs[n] = static_cast<std::uint8_t>(k);
            values[n] = value;
            n += (value != 0) & (size_of(value) >= least[k]);
        }
        made.outputs.resize(before + n);
        made.values.resize(before + n);
        if (n == 0) continue;
        made.features.push(columns[r]);
        made.ends.push(static_cast<std::int64_t>(before + n));
    }
    return made;
}

// Finds the rows of one chunk's features: by a table where many texts ask, otherwise by halving.
class ChunkRows {
  public:
    explicit ChunkRows(const ChunkView& w) : w_(w) {}

    void open(std::int64_t chunk, std::int64_t n_asked) {
        begin_ = w_.chunks[chunk], end_ = w_.chunks[chunk + 1];
        const auto rows = static_cast<std::uint64_t>(end_ - begin_);
        // writing and clearing a row of the table costs about two steps of a search
        has_table_ = static_cast<std::uint64_t>(n_asked) * std::bit_width(rows) > 2 * rows;
        if (!has_table_) return;
        table_.resize(static_cast<std::size_t>(w_.n_features), -1);
        for (std::int64_t r = begin_; r < end_; ++r) table_[at(r)] = static_cast<std::int32_t>(r - begin_);
    }
    void close() {
        if (!has_table_) return;
        for (std::int64_t r = begin_; r < end_; ++r) table_[at(r)] = -1;
    }
    // The row of a feature, or −1.
    std::int64_t find(std::int32_t feature) const {
        if (has_table_) {
            const std::int32_t place = table_[static_cast<std::size_t>(feature)];
            return place < 0 ? -1 : begin_ + place;
        }
        const std::int32_t* const last = w_.features + end_;
        const std::int32_t* const found = std::lower_bound(w_.features + begin_, last, feature);
        return found != last && *found == feature ? found - w_.features : -1;
    }

  private:
    std::size_t at(std::int64_t r) const { return static_cast<std::size_t>(w_.features[r]); }

    const ChunkView& w_;
    std::int64_t begin_ = 0, end_ = 0;
    bool has_table_ = false;
    std::vector<std::int32_t> table_;
};

// score[k] = b_k + Σ_j x_j·w_jk for the outputs of a chunk.
template <class Value>
void score_chunk(const ChunkView& w, const ChunkRows& rows, std::int64_t chunk, Row<Value> x, float* score) {
    const std::int64_t first = w.starts[chunk];
    std::copy(w.bias + first, w.bias + w.starts[chunk + 1], score);
    for (std::ptrdiff_t j = 0; j < x.size; ++j) {
        const std::int64_t r = rows.find(x.index[j]);
        if (r < 0) continue;
        const float value = static_cast<float>(x.value[j]);
        for (std::int64_t e = w.ends[r]; e < w.ends[r + 1]; ++e) score[w.outputs[e]] += value * w.values[e];
    }
}

}  // namespace lindy
