// From a few texts to the scores of a linear model in one call: for those who wait for one answer.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <cmath>

#include "bind/norm.hpp"
#include "bind/term_index.hpp"
#include "core/scores.hpp"
#include "evaluation/calibration.hpp"
#include "text/weighting.hpp"

namespace lindy {

// Texts so long that nobody waits for one of them, and their counts.
constexpr std::size_t longest = 1 << 14;
struct TooMany {};

// Some columns of a model: how their terms are found, and how what is found is weighed.
struct ScoredPart {
    nb::object held;  // keeps the index
    const TermIndex* index;
    bool binary;
    std::optional<In<float>> sublinear, scale;
    Norm norm;

    ScoredPart(nb::object term_index, bool binary_counts, std::optional<In<float>> table,
               std::optional<In<float>> scales, const std::string& norm_name)
        : held(term_index),
          index(nb::cast<const TermIndex*>(term_index)),
          binary(binary_counts),
          sublinear(table),
          scale(scales),
          norm(norm_named(norm_name)) {
        require(!scale || scale->size() == n_columns(), "scale must have one entry per column");
    }
    std::size_t n_columns() const { return index->n_columns(); }

    // The same steps, in the same order, as for a large batch: so the same bits. A term may be so frequent
    // that the table does not have its count.
    SparseRows<float> rows(const Texts& texts) const {
        TextRows<float> found;
        if (!sublinear) {
            found.floats = scale;
            found.norm = norm;
        }
        index->read(found, texts, binary, 1);
        SparseRows<float> rows = found.take();
        if (sublinear) {
            const CsrView<float> x{rows.indptr.data(), rows.indices.data(), rows.values.data(),
                                   static_cast<std::int64_t>(rows.indptr.size()) - 1,
                                   static_cast<std::int64_t>(n_columns())};
            const auto largest = largest_count(rows.values.data(), x.indptr[x.n_rows]);
            if (largest >= static_cast<std::int64_t>(sublinear->size())) throw TooMany();
            const SublinearTable<float> table{sublinear->data(),
                                              static_cast<std::int32_t>(sublinear->size())};
            tf_idf(x, table, scale ? scale->data() : nullptr, norm, rows.values.data(), 1);
        }
        return rows;
    }
};

// A linear model of texts whose parts have their columns side by side.
template <class Weight>
struct TextScores {
    std::vector<ScoredPart> parts;
    In2<Weight> weights;
    In<Weight> bias;

    TextScores(std::vector<ScoredPart> of_parts, In2<Weight> w, In<Weight> b)
        : parts(std::move(of_parts)), weights(w), bias(b) {
        std::size_t n_columns = 0;
        for (const ScoredPart& part : parts) n_columns += part.n_columns();
        require(weights.shape(0) == n_columns, "weights must have one row per column of the parts");
        require(bias.size() == weights.shape(1), "there must be one bias per column of the weights");
    }

    // The scores of the texts of a list and how many features each has, or None if one of its items is no
    // string, or they are long.
    nb::object operator()(nb::typed<nb::list, nb::any> items) const {
        return of_texts(items, [&](const Texts& texts) { return scores_of(texts); });
    }

    // The rows of the texts, or None where operator() has none.
    nb::object rows(nb::typed<nb::list, nb::any> items) const {
        return of_texts(items, [&](const Texts& texts) { return nb::cast(to_numpy(rows_of(texts))); });
    }

    // What the scores of the texts say, as Python has it: the number of each one's best class, a probability
    // (or without a calibration a score) for every class, and how many features it has. None where operator()
    // has none, and where a score is not finite.
    nb::object answer(nb::typed<nb::list, nb::any> items, const Calibration* calibration) const {
        const std::size_t n = weights.shape(1), n_classes = std::max<std::size_t>(n, 2);
        require(!calibration || calibration->n_scores == n,
                "the calibration must be of as many classes as the weights");
        const nb::object found = (*this)(items);
        if (found.is_none()) return found;
        const auto pair = nb::cast<std::pair<Scores, Array<std::int64_t>>>(found);
        nb::list best, values, known;
        std::vector<double> s(n_classes), p(n_classes);
        for (std::size_t i = 0; i < pair.first.shape(0); ++i) {
            const Weight* scores = pair.first.data() + i * n;
            for (std::size_t k = 0; k < n; ++k)
                if (!std::isfinite(scores[k])) return nb::none();
            best.append(calibration ? calibration->row(scores, s.data(), p.data()) : plain(scores, n, p));
            nb::list row;
            for (const double value : p) row.append(value);
            values.append(row);
            known.append(pair.second.data()[i]);
        }
        return nb::make_tuple(best, values, known);
    }

  private:
    using Scores = nb::ndarray<nb::numpy, Weight, nb::ndim<2>>;

    // Writes a score for every class, of a single one −s and s, and returns the class of the highest.
    static std::int64_t plain(const Weight* scores, std::size_t n, std::vector<double>& out) {
        if (n == 1) {
            out[1] = static_cast<double>(scores[0]);
            out[0] = -out[1];
            return scores[0] >= 0;
        }
        for (std::size_t k = 0; k < n; ++k) out[k] = static_cast<double>(scores[k]);
        return std::max_element(out.begin(), out.end()) - out.begin();
    }

    template <class Make>
    static nb::object of_texts(const nb::typed<nb::list, nb::any>& items, Make make) {
        Texts texts;
        for (nb::handle item : items) {
            if (!PyUnicode_CheckExact(item.ptr())) return nb::none();
            texts.add(python_string(item.ptr()));
            texts.held.push_back(nb::borrow(item));
        }
        if (texts.n_bytes > longest) return nb::none();
        try {
            return make(texts);
        } catch (const TooMany&) {
            return nb::none();
        }
    }
    nb::object scores_of(const Texts& texts) const {
        const std::size_t n = texts.documents.size(), n_scores = weights.shape(1);
        Buffer<Weight> out(n * n_scores);
        Buffer<std::int64_t> known(n);
        const SparseRows<float> rows = rows_of(texts);
        score(rows, out.data());
        for (std::size_t i = 0; i < n; ++i) known[i] = rows.indptr[i + 1] - rows.indptr[i];
        auto held = std::make_unique<Buffer<Weight>>(std::move(out));
        Weight* data = held->data();
        nb::capsule owner(held.release(), [](void* p) noexcept { delete static_cast<Buffer<Weight>*>(p); });
        return nb::make_tuple(nb::ndarray<nb::numpy, Weight, nb::ndim<2>>(data, {n, n_scores}, owner),
                              to_numpy(std::move(known)));
    }
    SparseRows<float> rows_of(const Texts& texts) const {
        if (parts.size() == 1) return parts[0].rows(texts);
        std::vector<SparseRows<float>> found;
        for (const ScoredPart& part : parts) found.push_back(part.rows(texts));
        return side_by_side(found, texts.documents.size());
    }
    SparseRows<float> side_by_side(const std::vector<SparseRows<float>>& found, std::size_t n) const {
        SparseRows<float> all;
        all.indptr.push(0);
        for (std::size_t i = 0; i < n; ++i) {
            std::int32_t first_column = 0;
            for (std::size_t p = 0; p < found.size(); ++p) {
                const auto begin = static_cast<std::size_t>(found[p].indptr[i]);
                const auto end = static_cast<std::size_t>(found[p].indptr[i + 1]);
                for (std::size_t k = begin; k < end; ++k)
                    all.push(found[p].indices[k] + first_column, found[p].values[k]);
                first_column += static_cast<std::int32_t>(parts[p].n_columns());
            }
            all.end_row();
        }
        return all;
    }
    void score(const SparseRows<float>& rows, Weight* out) const {
        const CsrView<float> x{rows.indptr.data(), rows.indices.data(), rows.values.data(),
                               static_cast<std::int64_t>(rows.indptr.size()) - 1,
                               static_cast<std::int64_t>(weights.shape(0))};
        scores(x, weights.data(), bias.data(), static_cast<std::int64_t>(weights.shape(1)), out, 1);
    }
};

template <class Weight>
static void bind_scores_of(nb::module_& module, const char* name) {
    nb::class_<TextScores<Weight>>(module, name, "A linear model of texts that scores a few of them at once.")
        .def(nb::init<std::vector<ScoredPart>, In2<Weight>, In<Weight>>(), nb::arg("parts"),
             nb::arg("weights"), nb::arg("bias"))
        .def("__call__", &TextScores<Weight>::operator(), nb::arg("texts"),
             "Scores, texts × columns of the weights, and how many features each text has; None if an item "
             "of the list is no string, or the texts are long.")
        .def("rows", &TextScores<Weight>::rows, nb::arg("texts"),
             "The rows of the texts, indptr, indices and values; None as for a call.")
        .def("answer", &TextScores<Weight>::answer, nb::arg("texts"), nb::arg("calibration").none(),
             "Lists of best classes, of probabilities or scores, and of numbers of features; None as for a "
             "call.");
}

void bind_text_scores(nb::module_& module) {
    nb::class_<ScoredPart>(module, "ScoredPart", "How some columns of a model are found and weighed.")
        .def(nb::init<nb::object, bool, std::optional<In<float>>, std::optional<In<float>>,
                      const std::string&>(),
             nb::arg("index"), nb::arg("binary"), nb::arg("sublinear").none(), nb::arg("scale").none(),
             nb::arg("norm"));
    bind_scores_of<float>(module, "TextScoresF32");
    bind_scores_of<double>(module, "TextScoresF64");
}

}  // namespace lindy
