// One pass of dual coordinate ascent with several outputs at once, and the audit of its duality gap.
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

template <class T>
inline T row_sum(const T* v, std::int64_t stride) {
    using Quad = typename Vectors<T>::Quad;
    Quad sum = load<Quad>(v);
    for (std::int64_t k = 4; k < stride; k += 4) sum += load<Quad>(v + k);
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

// Four lanes in double, for the certificate.
typedef double Doubles __attribute__((vector_size(32)));

template <class T>
inline Doubles doubles(const T* v) {
    return __builtin_convertvector(load<typename Vectors<T>::Quad>(v), Doubles);
}

inline double total(Doubles v) {
    return (v[0] + v[1]) + (v[2] + v[3]);
}

template <class T>
inline T row_max(const T* v, std::int64_t n) {
    T top = v[0];
    for (std::int64_t k = 1; k < n; ++k) top = v[k] > top ? v[k] : top;
    return top;
}

template <class T>
inline T row_min(const T* v, std::int64_t n) {
    T least = v[0];
    for (std::int64_t k = 1; k < n; ++k) least = v[k] < least ? v[k] : least;
    return least;
}

// o[0 … lanes) += Σ_j x_j·w[j·stride …) for Wides wide vectors and Quads quads, kept in registers. Weights of
// many outputs do not stay in the caches: they are called up ahead, those of the row that comes next too.
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
        for (; k + ahead + 2 <= x.size; k += 2) {
            prefetch<lanes>(w + x.index[k + ahead] * stride);
            prefetch<lanes>(w + x.index[k + ahead + 1] * stride);
            add(k, 0);
            add(k + 1, 1);
        }
        for (std::ptrdiff_t j = 0; j < std::min(ahead, next.size); ++j)
            prefetch<lanes>(w + next.index[j] * stride);
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

// w[j·stride …) += x_j·d for Wides wide vectors and Quads quads; two at a time, because no column comes
// twice.
template <int Wides, int Quads, class Value, class T>
void update_block(Row<Value> x, const T* d, std::int64_t stride, T* w) {
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
            to[c] = w + x.index[k + c] * stride;
            for (int i = 0; i < Wides; ++i)
                a[c][i] = load<typename Vec::Wide>(to[c] + i * Vec::lanes) + v * wide[i];
            for (int i = 0; i < Quads; ++i)
                q[c][i] = load<typename Vec::Quad>(to[c] + Wides * Vec::lanes + 4 * i) + v * quad[i];
        }
        for (int c = 0; c < n; ++c) {
            for (int i = 0; i < Wides; ++i) store(a[c][i], to[c] + i * Vec::lanes);
            for (int i = 0; i < Quads; ++i) store(q[c][i], to[c] + Wides * Vec::lanes + 4 * i);
        }
    };
    std::ptrdiff_t k = 0;
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
template <class Value, class T>
inline void row_update(Row<Value> x, const T* d, std::int64_t stride, T* w) {
    std::int64_t changed = 0;
    auto moved = [d](std::int64_t k) {
        return (d[k] != 0) | (d[k + 1] != 0) | (d[k + 2] != 0) | (d[k + 3] != 0);
    };
    for (std::int64_t k = 0; k < stride; k += 4) changed += moved(k);
    if (2 * changed > stride / 4) {
        in_blocks<T>(stride, [&](auto wides, auto quads, std::int64_t k) {
            update_block<decltype(wides)::value, decltype(quads)::value>(x, d + k, stride, w + k);
        });
    } else if (changed > 0) {
        for (std::int64_t k = 0; k < stride; k += 4)
            if (moved(k)) update_block<0, 1>(x, d + k, stride, w + k);
    }
}

// The scores b + lead·xᵀW of weights that have not seen all rows yet, from o = b + xᵀW.
template <class Value, class T>
inline void look_ahead(const DualPass<Value, T>& p, T* o) {
    const T lead = static_cast<T>(p.lead);
    if (lead == 1) return;
    for (std::int64_t k = 0; k < p.stride; ++k) o[k] = p.b[k] + lead * (o[k] - p.b[k]);
}

// What a pass needs besides the problem: a few rows of lanes.
template <class T>
struct Lanes {
    explicit Lanes(std::int64_t stride)
        : memory(static_cast<std::size_t>(6 * stride)),
          o(memory.data()),
          d(o + stride),
          gap(d + stride),
          sign(gap + stride),
          u(sign + stride),
          v(u + stride),
          wide(static_cast<std::size_t>(stride)) {}
    std::vector<T> memory;
    T *o, *d, *gap, *sign, *u, *v;
    std::vector<double> wide;
};

// Losses that treat every output on its own: s = +1 for the row's class, −1 for the others, 0 for padding.
template <class Loss>
struct OneVsRest {
    template <class Value, class T>
    static void prepare(const DualPass<Value, T>& p, Lanes<T>& l) {
        for (std::int64_t k = 0; k < p.stride; ++k) l.sign[k] = k < p.n_outputs ? T{-1} : T{0};
    }
    template <class Value, class T>
    static void step(const DualPass<Value, T>& p, std::int64_t i, Lanes<T>& l) {
        const T q = static_cast<T>(fastmath::max(p.q[i] + p.bias_step, 1e-30));
        const T c = static_cast<T>(p.c[i]);
        const double widest = static_cast<double>(q) * c;
        T* dual = p.dual + i * p.stride;
        l.sign[p.y[i]] = 1;
        each_vector<T>(p.stride, [&](auto vector, std::int64_t k) {
            using V = decltype(vector);
            const V sign = load<V>(l.sign + k), alpha = load<V>(dual + k), zero = V{};
            const V m = sign * load<V>(l.o + k);
            const Step<V> step = Loss::step(m, alpha, zero + q, zero + c, zero + T{1}, widest);
            const V next = sign != zero ? step.alpha : zero;
            store(sign * (next - alpha), l.d + k);
            store(sign != zero ? step.gap : zero, l.gap + k);
            store(next == alpha ? Loss::settled(m, next, zero + c, zero + T{1}) : zero, l.u + k);
            store(next, dual + k);
        });
        l.sign[p.y[i]] = -1;
        const T rest = row_min(l.u, p.n_outputs);
        p.gap[i] = rest > 0 ? -rest : row_sum(l.gap, p.stride);
    }
    template <class Value, class T>
    static void audit(const DualPass<Value, T>& p, std::int64_t i, Lanes<T>& l) {
        Doubles loss{}, gap{};
        const Doubles zero{}, one = zero + 1.0, c = zero + p.c[i];
        l.sign[p.y[i]] = 1;
        for (std::int64_t k = 0; k < p.stride; k += 4) {
            const Doubles sign = doubles(l.sign + k);
            const auto [lost, term] =
                Loss::terms(sign * doubles(l.o + k), doubles(p.dual + i * p.stride + k), c, one);
            loss += sign != zero ? lost : zero;
            gap += sign != zero ? term : zero;
        }
        l.sign[p.y[i]] = -1;
        p.loss[i] = p.c[i] * total(loss);
        p.gap[i] = total(gap);
    }
    template <class Value, class T>
    static T coefficient(const DualPass<Value, T>& p, std::int64_t i, std::int64_t k) {
        const T alpha = p.dual[i * p.stride + k];
        return k == p.y[i] ? alpha : -alpha;
    }
};

template <class Loss, class Value, class T>
void lanes_pass(const DualPass<Value, T>& p, const std::int32_t* order, std::int64_t n) {
    const FlushToZero guard;
    Lanes<T> lanes(p.stride);
    Loss::prepare(p, lanes);
    const T bias_step = static_cast<T>(p.bias_step);
    for (std::int64_t t = 0; t < n; ++t) {
        const Row<Value> row = p.x.row(order[t]), next = t + 1 < n ? p.x.row(order[t + 1]) : Row<Value>{};
        prefetch_rows(p, order, t, n);
        row_scores(row, next, p.w, p.b, p.stride, lanes.o);
        look_ahead(p, lanes.o);
        Loss::step(p, order[t], lanes);
        row_update(row, lanes.d, p.stride, p.w);
        if (bias_step > 0)
            for (std::int64_t k = 0; k < p.stride; ++k) p.b[k] += bias_step * lanes.d[k];
    }
}

// W = Σ_i x_i·(the row's dual coefficients)ᵀ, added to what is there.
template <class Loss, class Value, class T>
void lanes_rebuild(const DualPass<Value, T>& p) {
    const FlushToZero guard;
    Lanes<T> lanes(p.stride);
    for (std::int64_t i = 0; i < p.x.n_rows; ++i) {
        for (std::int64_t k = 0; k < p.stride; ++k)
            lanes.d[k] = k < p.n_outputs ? Loss::coefficient(p, i, k) : T{0};
        row_update(p.x.row(i), lanes.d, p.stride, p.w);
    }
}

// The scores of a few rows first, then their terms: these are long chains of operations, and those of
// neighbouring rows overlap when nothing lies between them.
template <class Loss, class Value, class T>
void lanes_audit(const DualPass<Value, T>& p, std::int64_t begin, std::int64_t end) {
    constexpr std::int64_t block = 16;
    Lanes<T> lanes(p.stride);
    std::vector<T> scores(static_cast<std::size_t>(block * p.stride));
    Loss::prepare(p, lanes);
    for (std::int64_t first = begin; first < end; first += block) {
        const std::int64_t last = std::min(first + block, end);
        for (std::int64_t i = first; i < last; ++i) {
            const Row<Value> next = i + 1 < end ? p.x.row(i + 1) : Row<Value>{};
            row_scores(p.x.row(i), next, p.w, p.b, p.stride, scores.data() + (i - first) * p.stride);
        }
        for (std::int64_t i = first; i < last; ++i) {
            lanes.o = scores.data() + (i - first) * p.stride;
            if (p.c[i] > 0)
                Loss::audit(p, i, lanes);
            else
                p.loss[i] = p.gap[i] = 0;
        }
    }
}
