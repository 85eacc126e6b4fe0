// Kernels of sparse rows: linear, polynomial, RBF, cosine and histogram intersection.
//
// One x_i is laid out densely and every z_j is read once; 16 of them are laid out side by side, so that one
// reading of z_j serves all. Rows of ones in few columns become bits, whose products are counts. Every
// product is one sum in the order of z_j's values, whichever way it is computed.
#pragma once

#include "core/csr.hpp"
#include "core/fastmath.hpp"
#include "core/isa.hpp"
#include "kernels/source.hpp"

namespace lindy {

template <class Element>
struct SumOfProducts {
    using Value = Element;
    static constexpr bool of_minima = false;
};

template <class Element>
struct SumOfMinima {
    using Value = Element;
    static constexpr bool of_minima = true;
};

}  // namespace lindy

#define LINDY_KERNELS "kernels/row_kernels.inl"
#include "core/for_each_isa.hpp"

namespace lindy {

enum class RowKernel { linear, polynomial, rbf, cosine, intersection };

struct RowKernelOptions {
    RowKernel kind;
    double gamma;
    double coef0;
    int degree;
};

// Memory of a thread that is all zeros whenever nobody uses it.
inline double* zeroed_scratch(std::size_t size) {
    struct alignas(64) Line {
        double values[8];
    };
    thread_local std::vector<Line> scratch;
    if (scratch.size() * 8 < size) scratch.assign((size + 7) / 8, Line{});
    return scratch.data()->values;
}

template <class Value>
class CsrKernel final : public KernelSource {
  public:
    CsrKernel(CsrView<Value> x, CsrView<Value> z, RowKernelOptions options)
        : KernelSource(x.n_rows, z.n_rows),
          x_(x),
          z_(z),
          options_(options),
          squares_x_(squares(x)),
          squares_z_(squares(z)) {
        words_ = (x.n_columns + 63) / 64;
        const std::int64_t stored = z.indptr[z.n_rows];
        // bits pay where a row has fewer words than values
        if (options.kind == RowKernel::intersection || words_ * z.n_rows > stored || !ones(x) || !ones(z))
            words_ = 0;
        if (words_) bits_x_ = bits(x), bits_z_ = bits(z);
    }

    void rows(const std::int64_t* ids, int count, Targets targets, double* out,
              std::int64_t stride) const override {
        products(ids, count, targets, out, stride);
        for (int r = 0; r < count; ++r) finish(ids[r], targets, out + r * stride);
    }
    double self_row(std::int64_t i) const override { return self(x_.row(i)); }
    double self_column(std::int64_t j) const override { return self(z_.row(j)); }
    bool shares_reading() const override { return words_ == 0 && !wide(); }
    double cost() const override {
        return 5 + 0.1 * static_cast<double>(z_.indptr[z_.n_rows]) /
                       static_cast<double>(std::max<std::int64_t>(z_.n_rows, 1));
    }

  private:
    // Sixteen rows side by side would take more memory than the caches have.
    bool wide() const { return x_.n_columns > 1 << 17; }

    static std::vector<double> squares(CsrView<Value> x) {
        std::vector<double> square(static_cast<std::size_t>(x.n_rows));
        for (std::int64_t i = 0; i < x.n_rows; ++i) square[static_cast<std::size_t>(i)] = product(x.row(i));
        return square;
    }

    // ‖x‖², added as all products are, so that the distance of a row to itself is exactly 0
    static double product(Row<Value> row) {
        double sum = 0;
        for (std::ptrdiff_t a = 0; a < row.size; ++a)
            sum += static_cast<double>(row.value[a]) * static_cast<double>(row.value[a]);
        return sum;
    }

    static bool ones(CsrView<Value> x) {
        return std::all_of(x.values, x.values + x.indptr[x.n_rows], [](Value v) { return v == 1; });
    }

    std::vector<std::uint64_t> bits(CsrView<Value> x) const {
        std::vector<std::uint64_t> table(static_cast<std::size_t>(x.n_rows * words_));
        for (std::int64_t i = 0; i < x.n_rows; ++i) {
            const Row<Value> row = x.row(i);
            for (std::ptrdiff_t a = 0; a < row.size; ++a)
                table[static_cast<std::size_t>(i * words_ + row.index[a] / 64)] |= std::uint64_t{1}
                                                                                   << (row.index[a] % 64);
        }
        return table;
    }

    void products(const std::int64_t* ids, int count, Targets targets, double* out,
                  std::int64_t stride) const {
        if (words_) {
            for (int r = 0; r < count; ++r) LINDY_SELECT(products_of_bits)
            (bits_x_.data() + ids[r] * words_, bits_z_.data(), words_, targets, out + r * stride);
            return;
        }
        const int width = wide() ? 1 : kernel_lanes;
        for (int first = 0; first < count; first += width)
            lanes(ids + first, std::min(width, count - first), targets, out + first * stride, stride);
    }

    void lanes(const std::int64_t* ids, int count, Targets targets, double* out, std::int64_t stride) const {
        const int width = count == 1 ? 1 : kernel_lanes;
        double* dense =
            zeroed_scratch(static_cast<std::size_t>(std::max<std::int64_t>(x_.n_columns, 1) * width));
        const auto lay = [&](bool clear) {
            for (int r = 0; r < count; ++r) {
                const Row<Value> row = x_.row(ids[r]);
                for (std::ptrdiff_t a = 0; a < row.size; ++a)
                    dense[row.index[a] * width + r] = clear ? 0 : static_cast<double>(row.value[a]);
            }
        };
        lay(false);
        const bool least = options_.kind == RowKernel::intersection;
        if (count == 1) {
            const auto kernel = least ? LINDY_SELECT(products_of_one<SumOfMinima<Value>>)
                                      : LINDY_SELECT(products_of_one<SumOfProducts<Value>>);
            kernel(z_, targets, dense, out);
        } else {
            const auto kernel = least ? LINDY_SELECT(products_of_lanes<SumOfMinima<Value>>)
                                      : LINDY_SELECT(products_of_lanes<SumOfProducts<Value>>);
            kernel(z_, targets, dense, count, out, stride);
        }
        lay(true);
    }

    void finish(std::int64_t i, Targets targets, double* out) const {
        const double square = squares_x_[static_cast<std::size_t>(i)];
        switch (options_.kind) {
            case RowKernel::polynomial:
                LINDY_SELECT(power_of_products)
                (out, targets.size(), options_.gamma, options_.coef0, options_.degree);
                return;
            case RowKernel::rbf:
                LINDY_SELECT(rbf_of_products)(out, targets, square, squares_z_.data(), options_.gamma);
                return;
            case RowKernel::cosine:
                for (std::int64_t k = 0; k < targets.size(); ++k) {
                    const double other = squares_z_[static_cast<std::size_t>(targets.at(targets.begin + k))];
                    out[k] = square > 0 && other > 0 ? out[k] / (std::sqrt(square) * std::sqrt(other)) : 0;
                }
                return;
            default:
                return;
        }
    }

    double self(Row<Value> row) const {
        const double square = product(row);
        switch (options_.kind) {
            case RowKernel::polynomial: {
                double power = square;
                LINDY_SELECT(power_of_products)(&power, 1, options_.gamma, options_.coef0, options_.degree);
                return power;
            }
            case RowKernel::rbf:
                return 1;
            case RowKernel::cosine:
                return square > 0 ? 1 : 0;
            case RowKernel::intersection: {
                double sum = 0;
                for (std::ptrdiff_t a = 0; a < row.size; ++a) sum += static_cast<double>(row.value[a]);
                return sum;
            }
            default:
                return square;
        }
    }

    const CsrView<Value> x_, z_;
    const RowKernelOptions options_;
    const std::vector<double> squares_x_, squares_z_;
    std::int64_t words_ = 0;  // of a row of bits; 0 where rows are no bits
    std::vector<std::uint64_t> bits_x_, bits_z_;
};

}  // namespace lindy
