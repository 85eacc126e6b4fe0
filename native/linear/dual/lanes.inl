// Scores and updates of rows with several outputs, in vectors.
//
// Rows of w and dual have `stride` entries, a multiple of 4; those past n_outputs are padding and stay 0.
// Lanes are worked on in vectors of the machine's width and quads for the rest. No lane looks at another
// except through sums and maxima over the whole row, which are taken quad by quad at every width: the bits
// are the same.

inline constexpr int vector_bytes = LINDY_VECTOR_BYTES;

template <class T>
struct Vectors {
    static constexpr int lanes = vector_bytes / sizeof(T);
    typedef T Wide __attribute__((vector_size(vector_bytes)));
    typedef T Quad __attribute__((vector_size(4 * sizeof(T))));
};

template <class V, class T>
inline V load(const T* from) {
    V v;
    __builtin_memcpy(&v, from, sizeof(V));
    return v;
}

template <class V, class T>
inline void store(V v, T* to) {
    __builtin_memcpy(to, &v, sizeof(V));
}

// Calls body(V{}, offset) for every vector of a row of `stride` lanes: wide ones, then quads.
template <class T, class Body>
inline void each_vector(std::int64_t stride, Body body) {
    using Vec = Vectors<T>;
    std::int64_t k = 0;
    for (; k + Vec::lanes <= stride; k += Vec::lanes) body(typename Vec::Wide{}, k);
    for (; k < stride; k += 4) body(typename Vec::Quad{}, k);
}

// Weights of many outputs do not stay in the caches: they are called up ahead, into the second cache, which
// waits for more lines at once than the first, and from so far ahead that it has them.
constexpr std::ptrdiff_t far_ahead = 64;

template <int N, class Weight>
[[gnu::always_inline]] inline void prefetch_far(const Weight* row) {
    __builtin_prefetch(row, 0, 2);
    if constexpr (N * sizeof(Weight) > 32) __builtin_prefetch(row + N - 1, 0, 2);
}

// o[0 … lanes) += Σ_j x_j·w[j·stride …) for Wides wide vectors and Quads quads, kept in registers. The first
// weights of the row that comes next are called up, too.
template <int Wides, int Quads, class Value, class T>
void score_block(Row<Value> x, Row<Value> next, const T* w, std::int64_t stride, T* o) {
    using Vec = Vectors<T>;
    typename Vec::Wide wide[2][Wides + 1] = {};
    typename Vec::Quad quad[2][Quads + 1] = {};
    auto add = [&](std::ptrdiff_t k, int bank) {
        const T v = static_cast<T>(x.value[k]);
        const T* from = w + x.index[k] * stride;
        for (int i = 0; i < Wides; ++i) wide[bank][i] += v * load<typename Vec::Wide>(from + i * Vec::lanes);
        for (int i = 0; i < Quads; ++i)
            quad[bank][i] += v * load<typename Vec::Quad>(from + Wides * Vec::lanes + 4 * i);
    };
    std::ptrdiff_t k = 0;
    if constexpr (Wides > 0) {
        constexpr int lanes = Wides * Vec::lanes + 4 * Quads;
        for (; k + far_ahead + 2 <= x.size; k += 2) {
            prefetch_far<lanes>(w + x.index[k + far_ahead] * stride);
            prefetch_far<lanes>(w + x.index[k + far_ahead + 1] * stride);
            add(k, 0);
            add(k + 1, 1);
        }
        for (std::ptrdiff_t j = 0; j < std::min(far_ahead, next.size); ++j)
            prefetch_far<lanes>(w + next.index[j] * stride);
    }
    for (; k + 2 <= x.size; k += 2) {
        add(k, 0);
        add(k + 1, 1);
    }
    if (k < x.size) add(k, 0);
    for (int i = 0; i < Wides; ++i) {
        T* to = o + i * Vec::lanes;
        store(load<typename Vec::Wide>(to) + (wide[0][i] + wide[1][i]), to);
    }
    for (int i = 0; i < Quads; ++i) {
        T* to = o + Wides * Vec::lanes + 4 * i;
        store(load<typename Vec::Quad>(to) + (quad[0][i] + quad[1][i]), to);
    }
}

// w[j·stride …) += x_j·d (times the scales there) for Wides wide vectors and Quads quads; two at a time,
// because no column comes twice. Scores have called up the weights, but not their scales.
template <int Wides, int Quads, bool Scaled, class Value, class T>
void update_block(Row<Value> x, const T* d, std::int64_t stride, T* w, const T* scale) {
    using Vec = Vectors<T>;
    typename Vec::Wide wide[Wides + 1];
    typename Vec::Quad quad[Quads + 1];
    for (int i = 0; i < Wides; ++i) wide[i] = load<typename Vec::Wide>(d + i * Vec::lanes);
    for (int i = 0; i < Quads; ++i) quad[i] = load<typename Vec::Quad>(d + Wides * Vec::lanes + 4 * i);
    auto add = [&](std::ptrdiff_t k, auto count) {
        constexpr int n = decltype(count)::value;
        typename Vec::Wide a[n][Wides + 1];
        typename Vec::Quad q[n][Quads + 1];
        T* to[n];
        for (int c = 0; c < n; ++c) {
            const T v = static_cast<T>(x.value[k + c]);
            const std::int64_t at = x.index[k + c] * stride;
            to[c] = w + at;
            for (int i = 0; i < Wides; ++i) {
                typename Vec::Wide step = v * wide[i];
                if constexpr (Scaled) step *= load<typename Vec::Wide>(scale + at + i * Vec::lanes);
                a[c][i] = load<typename Vec::Wide>(to[c] + i * Vec::lanes) + step;
            }
            for (int i = 0; i < Quads; ++i) {
                const std::int64_t offset = Wides * Vec::lanes + 4 * i;
                typename Vec::Quad step = v * quad[i];
                if constexpr (Scaled) step *= load<typename Vec::Quad>(scale + at + offset);
                q[c][i] = load<typename Vec::Quad>(to[c] + offset) + step;
            }
        }
        for (int c = 0; c < n; ++c) {
            for (int i = 0; i < Wides; ++i) store(a[c][i], to[c] + i * Vec::lanes);
            for (int i = 0; i < Quads; ++i) store(q[c][i], to[c] + Wides * Vec::lanes + 4 * i);
        }
    };
    constexpr int lanes = Wides * Vec::lanes + 4 * Quads;
    std::ptrdiff_t k = 0;
    if constexpr (Scaled)
        for (; k + far_ahead + 2 <= x.size; k += 2) {
            prefetch_far<lanes>(scale + x.index[k + far_ahead] * stride);
            prefetch_far<lanes>(scale + x.index[k + far_ahead + 1] * stride);
            add(k, std::integral_constant<int, 2>{});
        }
    for (; k + 2 <= x.size; k += 2) add(k, std::integral_constant<int, 2>{});
    if (k < x.size) add(k, std::integral_constant<int, 1>{});
}

// Runs a block function over `lanes` lanes: sixteen at a time, and the last 4 to 28 with what is left of
// them.
template <class T, class Block>
inline void in_blocks(std::int64_t lanes, Block block) {
    constexpr int sixteen = 16 / Vectors<T>::lanes;
    using std::integral_constant;
    std::int64_t k = 0;
    for (; lanes - k >= 32; k += 16) block(integral_constant<int, sixteen>{}, integral_constant<int, 0>{}, k);
    const bool wide = lanes - k >= 16;
    const std::int64_t quads = (lanes - k - (wide ? 16 : 0)) / 4;
    auto tail = [&](auto w) {
        switch (quads) {
            case 0:
                return block(w, integral_constant<int, 0>{}, k);
            case 1:
                return block(w, integral_constant<int, 1>{}, k);
            case 2:
                return block(w, integral_constant<int, 2>{}, k);
            default:
                return block(w, integral_constant<int, 3>{}, k);
        }
    };
    if (wide)
        tail(integral_constant<int, sixteen>{});
    else
        tail(integral_constant<int, 0>{});
}

// o = b + xᵀW for all lanes.
template <class Value, class T>
inline void row_scores(Row<Value> x, Row<Value> next, const T* w, const T* b, std::int64_t stride, T* o) {
    for (std::int64_t k = 0; k < stride; ++k) o[k] = b[k];
    in_blocks<T>(stride, [&](auto wides, auto quads, std::int64_t k) {
        score_block<decltype(wides)::value, decltype(quads)::value>(x, next, w + k, stride, o + k);
    });
}

// W += x·dᵀ, only where d is not 0: whole blocks when most quads changed, single quads otherwise.
template <bool Scaled, class Value, class T>
inline void update_lanes(Row<Value> x, const T* d, std::int64_t stride, T* w, const T* scale) {
    std::int64_t changed = 0;
    auto moved = [d](std::int64_t k) {
        return (d[k] != 0) | (d[k + 1] != 0) | (d[k + 2] != 0) | (d[k + 3] != 0);
    };
    for (std::int64_t k = 0; k < stride; k += 4) changed += moved(k);
    if (2 * changed > stride / 4) {
        in_blocks<T>(stride, [&](auto wides, auto quads, std::int64_t k) {
            update_block<decltype(wides)::value, decltype(quads)::value, Scaled>(x, d + k, stride, w + k,
                                                                                 scale + k);
        });
    } else if (changed > 0) {
        for (std::int64_t k = 0; k < stride; k += 4)
            if (moved(k)) update_block<0, 1, Scaled>(x, d + k, stride, w + k, scale + k);
    }
}

template <class Value, class T>
inline void row_update(const DualPass<Value, T>& p, Row<Value> x, const T* d) {
    if (p.scale)
        update_lanes<true>(x, d, p.stride, p.w, p.scale);
    else
        update_lanes<false>(x, d, p.stride, p.w, p.w);  // no scales: nothing is read there
}
