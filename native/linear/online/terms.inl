// A perceptron of two classes over texts whose rows are made only where they may matter.
//
// It changes nothing unless the sign of  o = z + b,  z = xᵀw,  is wrong. Of a row x = c/d, the counts of the
// text's terms over their norm, d·z is the sum S of ±w over all terms, in any order. With m terms and
// A = Σ|w|, neither sum of floats is further from the true one than m roundings of A: S as it is added here
// and d·z as it is added over a row differ by at most
//     E = 4·(m + 1)·2⁻²⁴·A + 2⁻⁸⁰     (m ≤ 2²⁰; 2⁻⁸⁰ for what underflows)
// The sign of o is that of S + b·d wherever that is further from 0. Where b agrees with S, d is not needed;
// otherwise bounds of it, or it is counted, which takes less than making the row. Whatever is not certain is
// visited as a row: the weights are those of all rows, to the last bit.
template <class Weight>
struct TermPass {
    static constexpr std::size_t lanes = 8, most_terms = 1 << 20;
    typedef Weight Vector __attribute__((vector_size(lanes * sizeof(Weight))));
    typedef std::int32_t Codes __attribute__((vector_size(lanes * sizeof(std::int32_t))));

    const TermCodes& texts;
    Norm norm;
    const OnlineData& data;
    OnlineState<Weight>& state;
    OnlinePass<float, Weight> pass;
    TermRow row_of;
    TermCounts counts;

    TermPass(const TermCodes& texts_, Norm norm_, const OnlineData& data_, const OnlineRule& rule,
             OnlineState<Weight>& state_)
        : texts(texts_),
          norm(norm_),
          data(data_),
          state(state_),
          pass({nullptr, nullptr, nullptr, 0, 0}, data_, rule, state_, nullptr),
          row_of(texts_.n_columns, norm_) {}

    OnlineReport run() {
        for (std::size_t i = 0; i < texts.size(); ++i) {
            const double c = data.weight ? data.weight[i] : 1.0;
            if (c <= 0) continue;
            const std::uint32_t* codes = texts.codes.data() + texts.starts[i];
            const auto n = static_cast<std::size_t>(texts.starts[i + 1] - texts.starts[i]);
            if (is_right(codes, n, data.y[i] == 1)) {
                pass.example_without_loss(c);
            } else {
                const Row<float> row = row_of(codes, n);
                pass.example(static_cast<std::int64_t>(i), row, sq_norm_in_parts(row), {});
                ++pass.report.made;
            }
        }
        pass.report.consumed = static_cast<std::int64_t>(texts.size());
        return pass.report;
    }

    // Whether the text is certain to get its label.
    bool is_right(const std::uint32_t* codes, std::size_t n, bool positive) {
        if (n > most_terms) return false;
        const auto [sum, absolute] = sums(codes, n);
        const double error = 4 * static_cast<double>(n + 1) * 0x1p-24 * absolute + 0x1p-80;
        const double sign = positive ? 1 : -1, score = sign * sum, bias = sign * state.bias[0];
        if (!(bias > 0 || score > error)) return false;  // not a number is not certain
        constexpr double rounding = 0x1p-20;  // of the norm, which a row has from sums of floats, and of this
        const auto is_certain = [&](double d) {
            return d > 0 && score + bias * d > error + rounding * std::abs(bias) * d;
        };
        if (bias <= 0 && is_certain(static_cast<double>(n + 1))) return true;  // no norm is larger
        if (bias >= 0 && score > error) return true;
        const auto [least, most] = counts.bounds(norm, codes, n);
        return is_certain(bias > 0 ? least : most) || is_certain(counts.norm(norm, codes, n));
    }

    struct Sums {
        double sum, absolute;
    };

    // Σ ±w and Σ|w|, eight terms at a time.
    Sums sums(const std::uint32_t* codes, std::size_t n) const {
        Vector sum{}, absolute{};
        std::size_t k = 0;
        for (; k + lanes <= n; k += lanes) add(codes + k, lanes, sum, absolute);
        if (k < n) {
            std::uint32_t last[lanes] = {};
            std::copy(codes + k, codes + n, last);
            add(last, n - k, sum, absolute);
        }
        Sums total{0, 0};
        for (std::size_t l = 0; l < lanes; ++l) {
            total.sum += static_cast<double>(sum[l]);
            total.absolute += static_cast<double>(absolute[l]);
        }
        return total;
    }

    // Adds the first n of eight terms. Weights are collected in memory first: compilers would put them into
    // the lanes one by one, which takes longer.
    [[gnu::always_inline]] void add(const std::uint32_t* codes, std::size_t n, Vector& sum,
                                    Vector& absolute) const {
        Weight collected[lanes];
        for (std::size_t l = 0; l < lanes; ++l) collected[l] = l < n ? state.W[codes[l] >> 1] : 0;
#if defined(__GNUC__)
        asm("" : "+m"(collected));
#endif
        Vector w;
        Codes code;
        std::memcpy(&w, collected, sizeof w);
        std::memcpy(&code, codes, sizeof code);
        sum += w * __builtin_convertvector(1 - 2 * (code & 1), Vector);
        absolute += w < 0 ? -w : w;
    }
};

// Visits all texts in their order; see above.
template <class Weight>
OnlineReport online_terms(const TermCodes& texts, Norm norm, const OnlineData& data, const OnlineRule& rule,
                          OnlineState<Weight>& state) {
    return TermPass<Weight>(texts, norm, data, rule, state).run();
}
