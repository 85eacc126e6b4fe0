// Models of fastText: their files, the features of texts, and the scores of labels.
#include "bind/choices.hpp"
#include "bind/rows.hpp"
#include "bind/text.hpp"
#include "fasttext/model.hpp"
#include "fasttext/model_file.hpp"
#include "fasttext/utf8.hpp"

namespace lindy {

// Texts of one piece of work for a thread.
constexpr std::int64_t texts_at_once = 64;

using Parts = nb::typed<nb::dict, nb::str, nb::any>;

static nb::object piece(const fasttext::Piece& piece) {
    return nb::make_tuple(piece.at, piece.at + piece.size);
}

static Parts stored_matrix(const fasttext::StoredMatrix& matrix) {
    Parts made;
    made["rows"] = matrix.rows;
    made["dim"] = matrix.dim;
    if (!matrix.quantised) {
        made["values"] = piece(matrix.values);
        return made;
    }
    made["dsub"] = matrix.dsub;
    made["codes"] = piece(matrix.codes);
    made["centroids"] = piece(matrix.centroids);
    if (matrix.norm_codes.size) {
        made["norm_codes"] = piece(matrix.norm_codes);
        made["norms"] = piece(matrix.norms);
    }
    return made;
}

// What a model file holds; of matrices, from which byte to which their parts are.
static Parts read_model(In<std::uint8_t> file) {
    fasttext::StoredModel model =
        released([&] { return fasttext::ModelReader(file.data(), file.size()).read(); });
    Parts made;
    made["version"] = model.version;
    made["loss"] = model.loss;
    made["n_words"] = model.n_words;
    made["bucket"] = model.bucket;
    made["min_n"] = model.min_n;
    made["max_n"] = model.max_n;
    made["word_ngrams"] = model.word_ngrams;
    made["entries"] = std::move(model.entries);
    made["ends"] = std::move(model.ends);
    made["counts"] = std::move(model.counts);
    if (model.pruned) {
        made["kept"] = std::move(model.kept);
        made["kept_rows"] = std::move(model.kept_rows);
    }
    made["input"] = stored_matrix(model.input);
    made["output"] = stored_matrix(model.output);
    return made;
}

// A dictionary that keeps the arrays that it was made of.
struct HeldDictionary {
    In<std::uint8_t> entries;
    In<std::int64_t> ends;
    std::unique_ptr<fasttext::Dictionary> dictionary;

    HeldDictionary(In<std::uint8_t> own_entries, In<std::int64_t> own_ends, std::int32_t n_words,
                   std::uint32_t bucket, int min_n, int max_n, int word_ngrams,
                   std::optional<In<std::int32_t>> kept, std::optional<In<std::int32_t>> kept_rows,
                   bool first_line)
        : entries(own_entries), ends(own_ends) {
        require(n_words >= 0 && static_cast<std::size_t>(n_words) <= ends.size(),
                "there are fewer entries than words");
        std::int64_t before = 0;
        for (std::size_t i = 0; i < ends.size(); before = ends.data()[i++])
            require(ends.data()[i] >= before && ends.data()[i] <= length(entries),
                    "entries must end in their order");
        require(bucket > 0 || kept || (max_n <= 0 && word_ngrams <= 1),
                "subwords and word n-grams need buckets");
        require(bucket <= INT32_MAX - static_cast<std::uint32_t>(n_words), "there are too many buckets");
        require(kept.has_value() == kept_rows.has_value() && (!kept || kept->size() == kept_rows->size()),
                "every kept bucket needs a row");
        const std::string_view bytes(reinterpret_cast<const char*>(entries.data()), entries.size());
        const fasttext::Settings settings{n_words, bucket, min_n, max_n, word_ngrams, first_line};
        dictionary = std::make_unique<fasttext::Dictionary>(settings, bytes, ends.data(), ends.size());
        if (kept) dictionary->keep_only({bucket, kept->data(), kept_rows->data(), kept->size()});
    }

    // The columns of the features of texts, in their order, one text after the other: indptr and columns.
    auto columns(const Texts& texts, int threads) const {
        const auto n = static_cast<std::int64_t>(texts.documents.size());
        std::vector<Buffer<std::int32_t>> parts(
            static_cast<std::size_t>((n + texts_at_once - 1) / texts_at_once));
        Buffer<std::int64_t> indptr(static_cast<std::size_t>(n + 1));
        indptr[0] = 0;
        range_chunks(
            n, texts_at_once, threads, [&](std::int64_t first, std::int64_t last, std::int64_t chunk) {
                std::vector<unsigned char> room;
                fasttext::Dictionary::Room scratch;
                Buffer<std::int32_t>& own = parts[static_cast<std::size_t>(chunk)];
                for (std::int64_t i = first; i < last; ++i) {
                    const auto text = fasttext::bytes_of(texts.documents[static_cast<std::size_t>(i)], room);
                    const std::size_t before = own.size();
                    dictionary->features(
                        text, scratch,
                        [&](std::int32_t column, std::size_t, std::size_t, int) { own.push(column); });
                    indptr[static_cast<std::size_t>(i + 1)] = static_cast<std::int64_t>(own.size() - before);
                }
            });
        for (std::size_t i = 1; i < indptr.size(); ++i) indptr[i] += indptr[i - 1];
        Buffer<std::int32_t> all;
        for (const Buffer<std::int32_t>& part : parts) all.append(part.data(), part.size());
        return std::make_tuple(std::move(indptr), std::move(all));
    }

    // The columns of the features of one text, the bytes that each covers, and its marks (fasttext/dictionary.hpp).
    auto places(nb::bytes text) const {
        std::vector<std::int64_t> columns, begins, ends_of, marks;
        fasttext::Dictionary::Room scratch;
        dictionary->features({text.c_str(), text.size()}, scratch,
                             [&](std::int32_t column, std::size_t begin, std::size_t end, int mark) {
                                 columns.push_back(column);
                                 marks.push_back(mark);
                                 begins.push_back(static_cast<std::int64_t>(begin));
                                 ends_of.push_back(static_cast<std::int64_t>(end));
                             });
        return std::make_tuple(std::move(columns), std::move(begins), std::move(ends_of), std::move(marks));
    }
};

// A quantised output is unpacked; a code of a byte may stand for so many of its bytes where there are many.
constexpr std::int64_t most_unpacked = 64, always_unpacked = std::int64_t{1} << 26;

// A matrix that keeps the arrays that it was made of; numbers come as bytes, which need not lie where numbers do.
struct HeldMatrix {
    fasttext::Matrix matrix;
    std::vector<In<std::uint8_t>> held;

    HeldMatrix(std::int64_t n_rows, std::int64_t dim, In<std::uint8_t> values) : held{values} {
        require(
            n_rows >= 0 && dim >= 1 && n_rows <= INT64_MAX / 4 / dim && length(values) == n_rows * dim * 4,
            "a matrix needs a number for each row and dimension");
        matrix.n_rows = n_rows;
        matrix.dim = dim;
        matrix.values.bytes = values.data();
    }
    HeldMatrix(std::int64_t n_rows, std::int64_t dim, std::int64_t dsub, In<std::uint8_t> codes,
               In<std::uint8_t> centroids, std::optional<In<std::uint8_t>> norm_codes,
               std::optional<In<std::uint8_t>> norms)
        : held{codes, centroids} {
        require(n_rows >= 0 && dim >= 1 && dim <= INT32_MAX && dsub >= 1 && dsub <= dim,
                "a matrix has no such shape");
        matrix.n_rows = n_rows;
        matrix.dim = dim;
        matrix.dsub = dsub;
        require(n_rows <= INT64_MAX / dim && length(codes) == n_rows * matrix.n_parts(),
                "a quantised matrix needs a code for each row and part");
        require(length(centroids) == dim * fasttext::n_centroids * 4,
                "a quantised matrix needs 256 centroids");
        require(norm_codes.has_value() == norms.has_value(), "norms need codes");
        matrix.codes = codes.data();
        matrix.centroids.bytes = centroids.data();
        if (!norms) return;
        require(length(*norm_codes) == n_rows && length(*norms) == fasttext::n_centroids * 4,
                "norms need a code for each row and 256 centroids");
        matrix.norm_codes = norm_codes->data();
        matrix.norms.bytes = norms->data();
        held.insert(held.end(), {*norm_codes, *norms});
    }
};

struct HeldModel {
    nb::object held;  // keeps the input
    fasttext::Model model;

    HeldModel(nb::typed<nb::object, HeldMatrix> input, const HeldMatrix& output, bool hierarchical,
              In<std::int64_t> counts, In<std::int32_t> places)
        : held(input),
          model(nb::cast<const HeldMatrix&>(input).matrix, checked_output(output), hierarchical,
                checked_counts(output, counts), checked_places(output, places)) {
        require(model.dim() == output.matrix.dim, "input and output must have the same dimension");
    }

    // The scores of texts, and how many features each has beside its end.
    auto scores(const HeldDictionary& features, const Texts& texts, int threads) const {
        const fasttext::Dictionary& dictionary = *features.dictionary;
        require(dictionary.n_columns() == model.input().n_rows, "the input needs a row for each feature");
        const auto n = static_cast<std::int64_t>(texts.documents.size());
        Buffer<float> out(static_cast<std::size_t>(n * model.n_labels()));
        Buffer<std::int64_t> known(static_cast<std::size_t>(n));
        range_chunks(n, texts_at_once, threads, [&](std::int64_t first, std::int64_t last, std::int64_t) {
            fasttext::Model::Scorer scorer(model);
            std::vector<unsigned char> room;
            fasttext::Dictionary::Room scratch;
            Buffer<std::int32_t> columns;
            for (std::int64_t i = first; i < last; ++i) {
                const auto text = fasttext::bytes_of(texts.documents[static_cast<std::size_t>(i)], room);
                std::int64_t of_end = 0;
                columns.clear();
                dictionary.features(text, scratch,
                                    [&](std::int32_t column, std::size_t begin, std::size_t end, int) {
                                        columns.push(column);
                                        of_end += begin == end;
                                    });
                known[static_cast<std::size_t>(i)] = static_cast<std::int64_t>(columns.size()) - of_end;
                scorer.features(columns.data(), columns.size(), out.data() + i * model.n_labels());
            }
        });
        return std::make_tuple(Matrix<float>{std::move(out), texts.documents.size(), n_labels()},
                               std::move(known));
    }

    // The scores of rows of features.
    auto of_rows(const Rows<float>& rows, int threads) const {
        require(rows.n_columns == model.input().n_rows, "rows must have a column for each row of the input");
        Buffer<float> out(static_cast<std::size_t>(rows.n_rows * model.n_labels()));
        range_chunks(rows.n_rows, texts_at_once, threads,
                     [&](std::int64_t first, std::int64_t last, std::int64_t) {
                         fasttext::Model::Scorer scorer(model);
                         for (std::int64_t i = first; i < last; ++i) {
                             const auto row = rows.row(i);
                             scorer.weighted(row.index, row.value, static_cast<std::size_t>(row.size),
                                             out.data() + i * model.n_labels());
                         }
                     });
        return Matrix<float>{std::move(out), static_cast<std::size_t>(rows.n_rows), n_labels()};
    }

    // What features add to each label's score: features × labels.
    auto weights(In<std::int64_t> columns) const {
        require_below(columns, model.input().n_rows, "a feature has no row in the input");
        Buffer<float> out(columns.size() * static_cast<std::size_t>(model.n_labels()));
        fasttext::Model::Scorer scorer(model);
        for (std::size_t i = 0; i < columns.size(); ++i)
            scorer.weights(static_cast<std::int32_t>(columns.data()[i]),
                           out.data() + static_cast<std::int64_t>(i) * model.n_labels());
        return Matrix<float>{std::move(out), columns.size(), n_labels()};
    }

  private:
    std::size_t n_labels() const { return static_cast<std::size_t>(model.n_labels()); }

    static const fasttext::Matrix& checked_output(const HeldMatrix& output) {
        const fasttext::Matrix& own = output.matrix;
        require(!own.codes ||
                    own.n_rows * own.dim * 4 <= always_unpacked + most_unpacked * own.n_rows * own.n_parts(),
                "a quantised output would take far more memory than its codes");
        return own;
    }
    static std::vector<std::int64_t> checked_counts(const HeldMatrix& output, In<std::int64_t> counts) {
        require(length(counts) == output.matrix.n_rows && length(counts) >= 1, "every label needs a count");
        std::vector<std::int64_t> all = vector_of(counts);
        for (const std::int64_t count : all)
            require(count >= 0 && count <= fasttext::most_examples, "a label has no such count");
        return all;
    }
    static std::vector<std::int32_t> checked_places(const HeldMatrix& output, In<std::int32_t> places) {
        require(length(places) == output.matrix.n_rows, "every label needs a place");
        require_below(places, output.matrix.n_rows, "a label has no such place");
        std::vector<std::int32_t> all = vector_of(places);
        std::vector<bool> taken(all.size());
        for (const std::int32_t place : all) {
            require(!taken[static_cast<std::size_t>(place)], "two labels have the same place");
            taken[static_cast<std::size_t>(place)] = true;
        }
        return all;
    }
};

// Returns the best label of each row: of equal ones, the one that comes last in the model's file.
static auto to_probabilities(Out2<float> scores, const std::string& link, In<std::int32_t> of_file,
                             bool strict, int threads) {
    require(length(of_file) == width(scores), "every label needs a number");
    require_below(of_file, width(scores), "a label has no such number");
    const auto kind = choose<fasttext::Link>("link", link, {"softmax", "sigmoid", "exponential"});
    const fasttext::Probabilities probabilities(kind, width(scores), strict);
    Buffer<std::int64_t> best(static_cast<std::size_t>(height(scores)));
    range_chunks(height(scores), 256, threads, [&](std::int64_t first, std::int64_t last, std::int64_t) {
        for (std::int64_t i = first; i < last; ++i) {
            float* const row = scores.data() + i * width(scores);
            best[static_cast<std::size_t>(i)] = probabilities(row, of_file.data());
        }
    });
    return best;
}

void bind_fasttext(nb::module_& module) {
    nb::exception<fasttext::BadModelFile>(module, "FasttextFileError", PyExc_ValueError);
    nb::exception<fasttext::NotSupervised>(module, "NotSupervisedError", module.attr("FasttextFileError"));
    module.def("read_fasttext", &read_model, "file"_a,
               "What a fastText model file holds; of matrices, from which byte to which their parts are.");
    nb::class_<HeldDictionary>(module, "FasttextDictionary", "The features of texts as fastText has them.")
        .def(nb::init<In<std::uint8_t>, In<std::int64_t>, std::int32_t, std::uint32_t, int, int, int,
                      std::optional<In<std::int32_t>>, std::optional<In<std::int32_t>>, bool>(),
             "entries"_a, "ends"_a, "n_words"_a, "bucket"_a, "min_n"_a, "max_n"_a, "word_ngrams"_a, "kept"_a,
             "kept_rows"_a, "first_line"_a)
        .def_prop_ro("n_columns", [](const HeldDictionary& held) { return held.dictionary->n_columns(); })
        .def("columns", unlocked(&HeldDictionary::columns), "texts"_a, "threads"_a,
             "The columns of the features of texts, in their order: indptr and columns.")
        .def("places", &HeldDictionary::places, "text"_a,
             "The columns of the features of a text, the first and last byte that each covers, and 1 if its "
             "term begins "
             "with <, plus 2 if it ends with >.");
    nb::class_<HeldMatrix>(module, "FasttextMatrix", "A matrix of fastText, dense or quantised, as bytes.")
        .def(nb::init<std::int64_t, std::int64_t, In<std::uint8_t>>(), "rows"_a, "dim"_a, "values"_a)
        .def(nb::init<std::int64_t, std::int64_t, std::int64_t, In<std::uint8_t>, In<std::uint8_t>,
                      std::optional<In<std::uint8_t>>, std::optional<In<std::uint8_t>>>(),
             "rows"_a, "dim"_a, "dsub"_a, "codes"_a, "centroids"_a, "norm_codes"_a = nb::none(),
             "norms"_a = nb::none());
    nb::class_<HeldModel>(module, "FasttextModel", "A supervised fastText model.")
        .def(nb::init<nb::typed<nb::object, HeldMatrix>, const HeldMatrix&, bool, In<std::int64_t>,
                      In<std::int32_t>>(),
             "input"_a, "output"_a, "hierarchical"_a, "counts"_a, "places"_a)
        .def("scores", unlocked(&HeldModel::scores), "dictionary"_a, "texts"_a, "threads"_a,
             "The scores of texts, texts × labels, and how many features each has beside its end.")
        .def("of_rows", unlocked(&HeldModel::of_rows), "rows"_a, "threads"_a,
             "The scores of rows of features.")
        .def("weights", unlocked(&HeldModel::weights), "columns"_a,
             "What features add to the scores: features × labels.");
    module.def("fasttext_probabilities", unlocked(&to_probabilities), "scores"_a, "link"_a, "of_file"_a,
               "strict"_a, "threads"_a,
               "Scores, rows × labels, become probabilities in place; returns each row's best label.");
}

}  // namespace lindy
