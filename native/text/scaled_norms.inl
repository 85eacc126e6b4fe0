// Kernels of text/scaled_norms.hpp, compiled once per instruction set.

// sum[k] = Σ_j (x_j·(floor + |r_jk|)·unit)² for Quads·4 classes from r on, kept in registers: every other
// entry in a sum of its own, so that none waits for the one before.
template <int Quads, class Value, class Ratio>
void scaled_squares(Row<Value> row, const Ratio* r, std::int64_t n_classes, double floor, double unit,
                    double* sum) {
    typedef Ratio Raw __attribute__((vector_size(4 * sizeof(Ratio))));
    typedef double Quad __attribute__((vector_size(4 * sizeof(double))));
    constexpr std::ptrdiff_t ahead = 24;  // how many entries early the ratios of a column are fetched
    Quad squares[2][Quads] = {};
    const auto add = [&](std::ptrdiff_t k, int bank) {
        const Ratio* from = r + row.index[k] * n_classes;
        const double v = static_cast<double>(row.value[k]) * unit;
        for (int q = 0; q < Quads; ++q) {
            Raw raw;
            __builtin_memcpy(&raw, from + 4 * q, sizeof raw);
            const Quad scaled = v * (floor + __builtin_convertvector(raw < 0 ? -raw : raw, Quad));
            squares[bank][q] += scaled * scaled;
        }
    };
    std::ptrdiff_t k = 0;
    for (; k + 2 <= row.size; k += 2) {
        if (k + ahead + 2 <= row.size) {
            __builtin_prefetch(r + row.index[k + ahead] * n_classes);
            __builtin_prefetch(r + row.index[k + ahead + 1] * n_classes);
        }
        add(k, 0);
        add(k + 1, 1);
    }
    if (k < row.size) add(k, 0);
    for (int q = 0; q < Quads; ++q) squares[0][q] += squares[1][q];
    __builtin_memcpy(sum, squares[0], sizeof squares[0]);
}

// The same for a single class.
template <class Value, class Ratio>
double scaled_square(Row<Value> row, const Ratio* r, std::int64_t n_classes, double floor, double unit) {
    double sum = 0;
    for (std::ptrdiff_t k = 0; k < row.size; ++k) {
        const double v = static_cast<double>(row.value[k]) * unit;
        const double scaled = v * (floor + static_cast<double>(std::abs(r[row.index[k] * n_classes])));
        sum += scaled * scaled;
    }
    return sum;
}

// The lengths of the rows begin … end−1.
template <class Value, class Ratio>
void scaled_norms_of_rows(CsrView<Value> x, const Ratio* ratios, std::int64_t n_classes, double floor,
                          double* out, std::int64_t begin, std::int64_t end) {
    constexpr double smallest = 1e-30;  // a value whose square is still an ordinary number
    for (std::int64_t i = begin; i < end; ++i) {
        const Row<Value> row = x.row(i);
        double* sum = out + i * n_classes;
        Value top = 0;
        for (std::ptrdiff_t k = 0; k < row.size; ++k) top = std::max(top, std::abs(row.value[k]));
        std::fill(sum, sum + n_classes, 0.0);
        if (top == 0) continue;
        // far from 1, in units of the largest value, so that no square leaves the range of the numbers
        const bool near = top > smallest && top < 1 / smallest;
        const double unit = near ? 1.0 : 1 / std::max(static_cast<double>(top), 1e-300);
        std::int64_t c = 0;
        for (; c + 16 <= n_classes; c += 16)
            scaled_squares<4>(row, ratios + c, n_classes, floor, unit, sum + c);
        for (; c + 4 <= n_classes; c += 4)
            scaled_squares<1>(row, ratios + c, n_classes, floor, unit, sum + c);
        for (; c < n_classes; ++c) sum[c] = scaled_square(row, ratios + c, n_classes, floor, unit);
        for (c = 0; c < n_classes; ++c)
            sum[c] = std::min(std::sqrt(sum[c]) / unit, std::numeric_limits<double>::max());
    }
}
