// fastText's matrices of float32, as they are in a file or as product quantisation has them.
//
//     dense        row i = values[i·dim …]
//     quantised    row i = norm_i · (centroid of its first code, of its second, …), each of dsub numbers; the last one
//                  of what is left over                                             (Jégou, Douze and Schmid 2011)
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace lindy::fasttext {

inline constexpr std::int64_t n_centroids = 256;

// Numbers that need not lie where numbers do: those of a file that is mapped.
struct Floats {
    const unsigned char* bytes = nullptr;
    float operator[](std::int64_t i) const {
        float value;
        std::memcpy(&value, bytes + i * static_cast<std::int64_t>(sizeof value), sizeof value);
        return value;
    }
};

struct Matrix {
    std::int64_t n_rows = 0, dim = 0;
    Floats values;                         // of a dense matrix
    const unsigned char* codes = nullptr;  // otherwise n_rows × n_parts
    std::int64_t dsub = 0;
    Floats centroids;
    const unsigned char* norm_codes = nullptr;  // n_rows, if rows have norms of their own
    Floats norms;

    std::int64_t n_parts() const { return (dim + dsub - 1) / dsub; }

    // x += row i
    void add_row(std::int64_t i, float* x) const {
        if (!codes) {
            const unsigned char* row = values.bytes + i * dim * static_cast<std::int64_t>(sizeof(float));
            for (std::int64_t d = 0; d < dim; ++d) x[d] += Floats{row}[d];
            return;
        }
        const float norm = norm_codes ? norms[norm_codes[i]] : 1.0f;
        const std::int64_t whole = dim / dsub, rest = dim - whole * dsub;
        const unsigned char* const code = codes + i * (whole + (rest > 0));
        if (dsub == 2)  // as usual
            add_parts(code, whole, std::integral_constant<std::int64_t, 2>{}, norm, x);
        else
            add_parts(code, whole, dsub, norm, x);
        for (std::int64_t d = 0; d < rest; ++d)  // of what is left over
            x[whole * dsub + d] += norm * centroids[whole * n_centroids * dsub + code[whole] * rest + d];
    }

  private:
    void add_parts(const unsigned char* code, std::int64_t n, auto size, float norm, float* x) const {
        for (std::int64_t part = 0; part < n; ++part)
            for (std::int64_t d = 0; d < size; ++d)
                x[part * size + d] += norm * centroids[(part * n_centroids + code[part]) * size + d];
    }
};

}  // namespace lindy::fasttext
