// Class-wise sums of rows: what every counting model is estimated from.
#pragma once

#include "csr.hpp"

namespace lindy {

// counts[j·K + y_i] += weight_i · x_ij over all stored values; totals[y_i] += weight_i.
template <class Value>
void class_counts(CsrView<Value> x, const std::int32_t* y, const double* weight, std::int64_t n_classes,
                  double* counts, double* totals) {
    for (std::int64_t i = 0; i < x.n_rows; ++i) {
        const Row<Value> row = x.row(i);
        const double w = weight ? weight[i] : 1.0;
        double* column = counts + y[i];
        totals[y[i]] += w;
        for (std::ptrdiff_t k = 0; k < row.size; ++k) column[row.index[k] * n_classes] += w * row.value[k];
    }
}

}  // namespace lindy
