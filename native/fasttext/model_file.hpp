// A fastText model file (.bin, .ftz; versions 11 and 12) taken apart: settings, dictionary, and where its matrices lie.
// Nothing in it is trusted: every size is compared with what the file has left before anything is read or allocated.
#pragma once

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace lindy::fasttext {

// Of one label; the sums of the Huffman tree must not overflow.
inline constexpr std::int64_t most_examples = 1'000'000'000'000;

struct BadModelFile : std::runtime_error {
    using std::runtime_error::runtime_error;
};
struct NotSupervised : BadModelFile {
    using BadModelFile::BadModelFile;
};

// Where a piece of the file lies.
struct Piece {
    std::size_t at = 0, size = 0;
};

struct StoredMatrix {
    std::int64_t rows = 0, dim = 0, dsub = 0;
    bool quantised = false;
    Piece values, codes, centroids, norm_codes, norms;  // those that there are
};

struct StoredModel {
    std::int32_t version = 0, loss = 0, bucket = 0, min_n = 0, max_n = 0, word_ngrams = 0, dim = 0;
    std::int32_t n_words = 0, n_labels = 0;
    std::vector<unsigned char> entries;  // one after the other
    std::vector<std::int64_t> ends, counts;
    bool pruned = false;
    std::vector<std::int32_t> kept, kept_rows;
    StoredMatrix input, output;
};

class ModelReader {
  public:
    ModelReader(const unsigned char* data, std::size_t size) : data_(data), size_(size) {}

    StoredModel read() {
        StoredModel model;
        if (number<std::int32_t>() != magic) fail("it does not begin as one");
        model.version = number<std::int32_t>();
        if (model.version != 11 && model.version != 12)
            fail("it has version " + std::to_string(model.version) +
                 " of the format, and 11 and 12 are known");
        settings(model);
        dictionary(model);
        matrices(model);
        if (at_ != size_) fail("it goes on behind its end");
        return model;
    }

  private:
    static constexpr std::int32_t magic = 793712314;
    static constexpr std::int32_t longest_ngram = 64, most_columns = 1 << 20;

    [[noreturn]] static void fail(const std::string& why) { throw BadModelFile(why); }

    Piece take(std::uint64_t count, std::size_t width, const char* what) {
        if (count > (size_ - at_) / width) fail(std::string("it ends within ") + what);
        const Piece piece{at_, static_cast<std::size_t>(count) * width};
        at_ += piece.size;
        return piece;
    }
    template <class T>
    T number() {
        T value;
        std::memcpy(&value, data_ + take(1, sizeof value, "a number").at, sizeof value);
        return value;
    }
    template <class T>
    T number_of(const char* what, std::int64_t least, std::int64_t most) {
        const T value = number<T>();
        if (value < least || value > most) fail(std::string(what) + " cannot be " + std::to_string(value));
        return value;
    }
    bool flag(const char* what) { return number_of<std::uint8_t>(what, 0, 1) == 1; }

    void settings(StoredModel& model) {
        constexpr std::int64_t any = INT32_MAX;
        model.dim = number_of<std::int32_t>("the dimension", 1, most_columns);
        for (int ignored = 0; ignored < 4; ++ignored)
            number<std::int32_t>();  // window, epochs, least count, negatives
        model.word_ngrams = number_of<std::int32_t>("the length of word n-grams", 0, longest_ngram);
        model.loss = number_of<std::int32_t>("the loss", 1, 4);
        const auto kind = number_of<std::int32_t>("the kind of model", 1, 3);
        model.bucket = number_of<std::int32_t>("the number of buckets", 0, any);
        model.min_n = number_of<std::int32_t>("the shortest subword", 0, any);
        model.max_n = number_of<std::int32_t>("the longest subword", 0, longest_ngram);
        number<std::int32_t>();  // how often the learning rate changed
        number<double>();        // the sampling threshold
        if (kind != 3)
            throw NotSupervised("it holds word vectors (" + std::string(kind == 1 ? "CBOW" : "skip-gram") +
                                ") and no classifier");
        if (model.version == 11) model.max_n = 0;  // classifiers had no subwords
    }

    void dictionary(StoredModel& model) {
        const auto size = number_of<std::int32_t>("the size of the dictionary", 0, INT32_MAX);
        model.n_words = number_of<std::int32_t>("the number of words", 0, size);
        model.n_labels = number_of<std::int32_t>("the number of labels", 1, INT32_MAX);
        if (model.n_words != size - model.n_labels)
            fail("words and labels are not all entries of its dictionary");
        number<std::int64_t>();  // tokens that were read
        const auto kept = number<std::int64_t>();
        if (kept < -1) fail("the number of kept buckets cannot be " + std::to_string(kept));
        for (std::int32_t i = 0; i < size; ++i) entry(model, i >= model.n_words);
        model.pruned = kept >= 0;
        for (std::int64_t i = 0; i < kept; ++i) {
            model.kept.push_back(number<std::int32_t>());
            model.kept_rows.push_back(number<std::int32_t>());
        }
    }
    void entry(StoredModel& model, bool is_label) {
        const unsigned char* const begin = data_ + at_;
        const void* const end = at_ < size_ ? std::memchr(begin, 0, size_ - at_) : nullptr;
        if (!end) fail("it ends within its dictionary");
        const auto length = static_cast<std::size_t>(static_cast<const unsigned char*>(end) - begin);
        model.entries.insert(model.entries.end(), begin, begin + length);
        model.ends.push_back(static_cast<std::int64_t>(model.entries.size()));
        at_ += length + 1;
        const auto count =
            number_of<std::int64_t>("the count of an entry", 0, is_label ? most_examples : INT64_MAX);
        if (is_label) model.counts.push_back(count);
        if ((number_of<std::int8_t>("the kind of an entry", 0, 1) == 1) != is_label)
            fail("words and labels of its dictionary are mixed");
    }

    void matrices(StoredModel& model) {
        const bool quantised = flag("whether a matrix is quantised");
        const std::int64_t hashed =
            model.pruned ? static_cast<std::int64_t>(model.kept.size()) : model.bucket;
        if (model.pruned && !quantised) fail("its dictionary is pruned and its matrix is not quantised");
        matrix(model.input, quantised, model.n_words + hashed, model.dim);
        const bool both = flag("whether the output is quantised");
        matrix(model.output, quantised && both, model.n_labels, model.dim);
    }
    void matrix(StoredMatrix& matrix, bool quantised, std::int64_t rows, std::int64_t dim) {
        matrix.quantised = quantised;
        const bool has_norms = quantised && flag("whether a matrix has norms");
        matrix.rows = number<std::int64_t>();
        matrix.dim = number<std::int64_t>();
        if (matrix.rows != rows || matrix.dim != dim)
            fail("a matrix has " + std::to_string(matrix.rows) + " × " + std::to_string(matrix.dim) +
                 " numbers, and its dictionary needs " + std::to_string(rows) + " × " + std::to_string(dim));
        if (!quantised) {
            if (rows > INT64_MAX / dim) fail("a matrix is too large");
            matrix.values = take(static_cast<std::uint64_t>(rows * dim), sizeof(float), "a matrix");
            return;
        }
        const auto n_codes = number_of<std::int32_t>("the number of codes", 0, INT32_MAX);
        matrix.codes = take(static_cast<std::uint64_t>(n_codes), 1, "a matrix");
        matrix.dsub = quantiser(dim, matrix.centroids);
        if (n_codes != rows * ((dim + matrix.dsub - 1) / matrix.dsub))
            fail("a quantised matrix has too few or many codes");
        if (!has_norms) return;
        matrix.norm_codes = take(static_cast<std::uint64_t>(rows), 1, "the norms of a matrix");
        quantiser(1, matrix.norms);
    }
    // Returns how many numbers a code stands for.
    std::int64_t quantiser(std::int64_t dim, Piece& centroids) {
        const auto own = number<std::int32_t>(), parts = number<std::int32_t>(),
                   dsub = number<std::int32_t>(), last = number<std::int32_t>();
        const bool sound = own == dim && dsub >= 1 && dsub <= dim && parts == (dim + dsub - 1) / dsub &&
                           last == dim - (parts - 1) * std::int64_t{dsub};
        if (!sound) fail("a quantiser does not fit its matrix");
        centroids = take(static_cast<std::uint64_t>(dim) * 256, sizeof(float), "a quantiser");
        return dsub;
    }

    const unsigned char* data_;
    std::size_t size_, at_ = 0;
};

}  // namespace lindy::fasttext
