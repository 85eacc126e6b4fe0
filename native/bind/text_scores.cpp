// From texts to the scores of a linear model in one call: a few for who waits for one answer, or a batch.
#include <nanobind/stl/pair.h>

#include <cmath>

#include "bind/choices.hpp"
#include "bind/term_index.hpp"
#include "evaluation/calibration.hpp"
#include "text/score_texts.hpp"

namespace lindy {

// Texts so long that nobody waits for one of them, and their counts.
constexpr std::size_t longest = 1 << 14;

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

    PartReader reader() const {
        PartWeights weights{binary, {nullptr, 0}, data_or_null(scale), norm};
        if (sublinear) weights.sublinear = {sublinear->data(), static_cast<std::int32_t>(sublinear->size())};
        const auto columns = static_cast<std::uint32_t>(n_columns());
        if (index->has_words()) return {index->word_finder(), weights, columns, ColumnCounts(columns)};
        return {index->char_finder(), weights, columns, ColumnCounts(columns)};
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
        if (weights.shape(1) == 1) factors_ = factors();
    }

    // Scores, and how many features each text has; None where a text cannot be scored here.
    using Answer = std::optional<std::tuple<Matrix<Weight>, Buffer<std::int64_t>>>;

    // The scores of the texts of a list and how many features each has, or None if one of its items is no
    // string, or they are long.
    Answer operator()(nb::typed<nb::list, nb::any> items) const {
        Texts texts;
        return take_few(items, texts) ? batch(texts, 1) : std::nullopt;
    }

    // The same for any number of texts; None if a text has a term more often than can be weighed here.
    Answer batch(const Texts& texts, int threads) const {
        const std::size_t n = texts.documents.size(), n_scores = weights.shape(1);
        Buffer<Weight> out(n * n_scores);
        Buffer<std::int64_t> known(n);
        bool done = true;
        read_unlocked(texts.position, [&] {
            done = score_texts(
                texts.documents, static_cast<std::int64_t>(n_scores), threads, [&] { return take_scorer(); },
                [&](auto scorer) { spare_.give(std::move(scorer)); }, out.data(), known.data());
        });
        if (!done) return std::nullopt;
        return std::tuple(Matrix<Weight>{std::move(out), n, n_scores}, std::move(known));
    }

    // The rows of the texts, or None where operator() has none.
    std::optional<SparseRows<float>> rows(nb::typed<nb::list, nb::any> items) const {
        Texts texts;
        if (!take_few(items, texts)) return std::nullopt;
        SparseRows<float> all;
        all.indptr.push(0);
        bool done = true;
        read_unlocked(0, [&] {
            auto scorer = take_scorer();
            for (std::size_t i = 0; i < texts.documents.size(); ++i) {
                read_document(i, [&] { done = done && scorer->read(texts.documents[i]); });
                const SparseRows<float>& row = scorer->row();
                all.indices.append(row.indices.data(), row.indices.size());
                all.values.append(row.values.data(), row.values.size());
                all.end_row();
            }
            spare_.give(std::move(scorer));
        });
        if (!done) return std::nullopt;
        return all;
    }

    // What the scores of the texts say, as Python has it: the number of each one's best class, a probability
    // (or without a calibration a score) for every class, and how many features it has. None where operator()
    // has none, and where a score is not finite.
    nb::object answer(nb::typed<nb::list, nb::any> items, const Calibration* calibration) const {
        const std::size_t n = weights.shape(1);
        const std::size_t n_classes = calibration ? calibration->n_classes() : std::max<std::size_t>(n, 2);
        require(!calibration || calibration->n_scores == n,
                "the calibration must be of as many classes as the weights");
        const Answer found = (*this)(items);
        if (!found) return nb::none();
        const auto& [all_scores, all_known] = *found;
        nb::list best, values, known;
        std::vector<double> s(n_classes), p(n_classes);
        for (std::size_t i = 0; i < all_scores.n_rows; ++i) {
            const Weight* scores = all_scores.values.data() + i * n;
            for (std::size_t k = 0; k < n; ++k)
                if (!std::isfinite(scores[k])) return nb::none();
            best.append(calibration ? calibration->row(scores, s.data(), p.data()) : plain(scores, n, p));
            nb::list row;
            for (const double value : p) row.append(value);
            values.append(row);
            known.append(all_known[i]);
        }
        return nb::make_tuple(best, values, known);
    }

  private:
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

    // Puts the items of a list into `texts`; false if one of them is no string, or they are long.
    static bool take_few(const nb::typed<nb::list, nb::any>& items, Texts& texts) {
        for (nb::handle item : items) {
            if (!PyUnicode_CheckExact(item.ptr())) return false;
            texts.add(python_string(item.ptr()));
            texts.held.push_back(nb::borrow(item));
        }
        return texts.n_bytes <= longest;
    }
    auto take_scorer() const {
        if (auto scorer = spare_.take()) return scorer;
        std::vector<PartReader> readers;
        for (const ScoredPart& part : parts) readers.push_back(part.reader());
        const ScoreWeights<Weight> model{weights.data(), bias.data(), width(weights),
                                         factors_.size() ? factors_.data() : nullptr};
        return std::make_unique<TextScorer<Weight>>(std::move(readers), model);
    }
    // Scales and weights side by side.
    Buffer<ColumnFactors<Weight>> factors() const {
        Buffer<ColumnFactors<Weight>> all;
        all.reserve(weights.shape(0));
        for (const ScoredPart& part : parts)
            for (std::size_t j = 0; j < part.n_columns(); ++j)
                all.push({part.scale ? part.scale->data()[j] : 1.0f, weights.data()[all.size()]});
        return all;
    }

    Buffer<ColumnFactors<Weight>> factors_;  // if there is one score

    mutable Spares<TextScorer<Weight>, 8> spare_;
};

template <class Weight>
static void bind_scores_of(nb::module_& module, const char* name) {
    nb::class_<TextScores<Weight>>(module, name, "A linear model of texts that scores a few of them at once.")
        .def(nb::init<std::vector<ScoredPart>, In2<Weight>, In<Weight>>(), "parts"_a, "weights"_a, "bias"_a)
        .def("__call__", &TextScores<Weight>::operator(), "texts"_a,
             "Scores, texts × columns of the weights, and how many features each text has; None if an item "
             "of the list is no string, or the texts are long.")
        .def("batch", &TextScores<Weight>::batch, "texts"_a, "threads"_a,
             "The same for any number of texts; None if a text has a term so often that it cannot be weighed "
             "here.")
        .def("rows", &TextScores<Weight>::rows, "texts"_a,
             "The rows of the texts, indptr, indices and values; None as for a call.")
        .def("answer", &TextScores<Weight>::answer, "texts"_a, "calibration"_a.none(),
             "Lists of best classes, of probabilities or scores, and of numbers of features; None as for a "
             "call.");
}

// The distinct columns of some (column, how often) in ascending order, and their counts; as of one text that
// comes after another.
static std::pair<Buffer<std::uint32_t>, Buffer<std::int32_t>> counted_columns(In<std::uint32_t> columns,
                                                                              In<std::uint32_t> times,
                                                                              std::uint32_t n_columns) {
    require(columns.size() == times.size(), "there must be one number of times for each column");
    ColumnCounts counts(n_columns);
    std::size_t n = 0;
    for (int text = 0; text < 2; ++text) {
        for (std::size_t i = 0; i < columns.size(); ++i) {
            require(columns.data()[i] < n_columns, "a column is not below n_columns");
            counts.push(columns.data()[i], times.data()[i]);
        }
        n = counts.finish();
    }
    return {Buffer(counts.columns(), n), Buffer(counts.counts(), n)};
}

void bind_text_scores(nb::module_& module) {
    module.def("counted_columns", unlocked(&counted_columns), "columns"_a, "times"_a, "n_columns"_a,
               "The distinct columns in ascending order, and how often each is there in all.");
    nb::class_<ScoredPart>(module, "ScoredPart", "How some columns of a model are found and weighed.")
        .def(nb::init<nb::object, bool, std::optional<In<float>>, std::optional<In<float>>,
                      const std::string&>(),
             "index"_a, "binary"_a, "sublinear"_a, "scale"_a, "norm"_a);
    bind_scores_of<float>(module, "TextScoresF32");
    bind_scores_of<double>(module, "TextScoresF64");
}

}  // namespace lindy
