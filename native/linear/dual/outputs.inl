// One pass of dual coordinate ascent with several outputs at once, and the audit of its duality gap.

using Labels = std::span<const std::int32_t>;  // of one row

// What a pass needs besides the problem.
template <class T>
struct Room {
    Room(std::int64_t n, std::int64_t stride)
        : memory(static_cast<std::size_t>(8 * stride)),
          lanes{n, stride, at(0), at(1), at(2), at(3), at(4), at(5)},
          change(at(6)),
          diagonal(at(7)) {
        std::fill(at(5), at(5) + n, T{1});
    }
    std::vector<T> memory;
    losses::Lanes<T> lanes;
    T* change;    // of the row's coefficients in W
    T* diagonal;  // of the row's outputs

  private:
    T* at(std::int64_t k) { return memory.data() + k * static_cast<std::int64_t>(memory.size()) / 8; }
};

// A margin loss for every output: s = +1 for the row's label or labels, −1 for the others.
template <class Loss>
struct OneVsRest {
    static constexpr bool has_cost = false;

    template <class T>
    static T step(T* dual, const losses::DualRow<T>& row, Labels labels, Room<T>& room) {
        losses::Lanes<T>& l = room.lanes;
        for (std::int64_t k = 0; k < l.stride; ++k) l.v[k] = -l.exists[k];
        for (const std::int32_t y : labels) l.v[y] = 1;
        each_vector<T>(l.stride, [&](auto vector, std::int64_t k) {
            using V = decltype(vector);
            const V sign = load<V>(l.v + k), alpha = load<V>(dual + k), zero{};
            const losses::DualRow<V> rows{load<V>(room.diagonal + k), zero + row.c, zero + T{1},
                                          row.stiffness};
            const V m = sign * load<V>(l.o + k);
            const auto step = Loss::step(m, alpha, rows);
            const V next = sign != zero ? step.alpha : zero;
            store(sign * (next - alpha), room.change + k);
            store(sign != zero ? step.gap : zero, l.work + k);
            store(next == alpha ? Loss::settled(m, next, rows) : zero, l.u + k);
            store(next, dual + k);
        });
        T settled = l.u[0];
        for (std::int64_t k = 1; k < l.n; ++k) settled = l.u[k] < settled ? l.u[k] : settled;
        return settled > 0 ? -settled : l.sum(l.work);
    }
    static losses::Terms terms(const double* o, const double* alpha, double c, std::int64_t n, Labels labels,
                               double* sign, double* output_gap) {
        const losses::DualRow<double> row{0, c, 1, 0};
        losses::Terms sum{0, 0};
        std::fill_n(sign, n, -1.0);
        for (const std::int32_t y : labels) sign[y] = 1;
        for (std::int64_t k = 0; k < n; ++k) {
            const double m = sign[k] * o[k], gap = Loss::gap(m, alpha[k], row);
            sum.loss += c * Loss::at(m, 1.0).value;
            sum.gap += gap;
            output_gap[k] += gap;
        }
        return sum;
    }
    template <class T>
    static T coefficient(T alpha, bool own, T) {
        return own ? alpha : -alpha;
    }
};

// A loss of all outputs together.
template <class Loss>
struct Joint : Loss {
    template <class T>
    static T step(T* z, const losses::DualRow<T>& row, Labels, Room<T>& room) {
        losses::Lanes<T>& l = room.lanes;
        const T gap = Loss::step(z, row, l);
        for (std::int64_t k = 0; k < l.stride; ++k) {
            room.change[k] = z[k] - l.next[k];
            z[k] = l.next[k];
        }
        return gap;
    }
    static losses::Terms terms(const double* o, const double* z, double c, std::int64_t n, Labels labels,
                               double* work, double*) {
        return Loss::terms(o, z, c, n, labels[0], work);
    }
    template <class T>
    static T coefficient(T z, bool own, T c) {
        return own ? c - z : -z;
    }
};

template <class Form, class Pass, class Score>
inline void add_cost(const Pass& p, std::int64_t i, Score* o) {
    if constexpr (Form::has_cost)
        for (std::int64_t k = 0; k < p.n_outputs; ++k)
            o[k] += static_cast<Score>(p.cost[p.y[i] * p.n_outputs + k]);
}

// Fills the diagonals of a row's outputs; returns the largest.
template <class Value, class T>
inline T fill_diagonals(const DualPass<Value, T>& p, std::int64_t i, T* diagonal) {
    T largest = diagonal[0] = p.diagonal(i);
    for (std::int64_t k = 1; k < p.stride; ++k) {
        diagonal[k] = p.scale ? p.diagonal(i, k) : largest;
        largest = diagonal[k] > largest ? diagonal[k] : largest;
    }
    return largest;
}

template <class Form, class Value, class T>
void outputs_pass(const DualPass<Value, T>& p, const std::int32_t* order, std::int64_t n) {
    const FlushToZero guard;
    Room<T> room(p.n_outputs, p.stride);
    T* o = room.lanes.o;
    const T lead = static_cast<T>(p.lead), bias_step = static_cast<T>(p.bias_step);
    for (std::int64_t t = 0; t < n; ++t) {
        const std::int64_t i = order[t];
        const Row<Value> x = p.x.row(i), next = t + 1 < n ? p.x.row(order[t + 1]) : Row<Value>{};
        prefetch_rows(p, order, t, n);
        row_scores(x, next, p.w, p.b, p.stride, o);
        if (lead != 1)
            for (std::int64_t k = 0; k < p.stride; ++k) o[k] = p.b[k] + lead * (o[k] - p.b[k]);
        add_cost<Form>(p, i, o);
        const T q = fill_diagonals(p, i, room.diagonal), c = static_cast<T>(p.c[i]);
        p.gap[i] =
            Form::step(p.dual + i * p.stride, {q, c, T{1}, static_cast<double>(q) * c}, p.labels(i), room);
        row_update(p, x, room.change);
        for (std::int64_t k = 0; k < p.stride; ++k) p.b[k] += bias_step * room.change[k];
    }
}

// The scores of a few rows first, then their terms: these are long chains of operations, and those of
// neighbouring rows overlap when nothing lies between them.
template <class Form, class Value, class T>
void outputs_audit(const DualPass<Value, T>& p, std::int64_t begin, std::int64_t end, double* output_gap) {
    constexpr std::int64_t block = 16;
    const auto size = static_cast<std::size_t>(p.stride);
    std::vector<T> scores(block * size);
    std::vector<double> o(size), dual(size), work(size);
    for (std::int64_t first = begin; first < end; first += block) {
        const std::int64_t last = std::min(first + block, end);
        for (std::int64_t i = first; i < last; ++i) {
            const Row<Value> next = i + 1 < end ? p.x.row(i + 1) : Row<Value>{};
            row_scores(p.x.row(i), next, p.w, p.b, p.stride, scores.data() + (i - first) * p.stride);
        }
        for (std::int64_t i = first; i < last; ++i) {
            p.loss[i] = p.gap[i] = 0;
            if (p.c[i] == 0) continue;
            std::copy_n(scores.data() + (i - first) * p.stride, p.stride, o.data());
            std::copy_n(p.dual + i * p.stride, p.stride, dual.data());
            add_cost<Form>(p, i, o.data());
            const auto terms =
                Form::terms(o.data(), dual.data(), p.c[i], p.n_outputs, p.labels(i), work.data(), output_gap);
            p.loss[i] = terms.loss;
            p.gap[i] = terms.gap;
        }
    }
}

// W = Σ_i x_i·(the row's coefficients)ᵀ, added to what is there.
template <class Form, class Value, class T>
void outputs_rebuild(const DualPass<Value, T>& p) {
    const FlushToZero guard;
    std::vector<T> change(static_cast<std::size_t>(p.stride));
    for (std::int64_t i = 0; i < p.x.n_rows; ++i) {
        for (std::int64_t k = 0; k < p.n_outputs; ++k)
            change[static_cast<std::size_t>(k)] =
                Form::coefficient(p.dual[i * p.stride + k], p.has_label(i, k), static_cast<T>(p.c[i]));
        row_update(p, p.x.row(i), change.data());
    }
}
