// From documents to tokens.
#pragma once

#include "core/buffer.hpp"
#include "core/dictionary.hpp"
#include "text/byte_pairs.hpp"
#include "text/fold.hpp"

namespace lindy {

struct TextOptions {
    enum class Terms { words, characters, characters_in_words };
    Terms terms = Terms::words;
    bool lower = true;
    Accents accents = Accents::keep;
    bool marks = false;    // punctuation characters are tokens too
    bool shapes = false;   // the shapes of words are terms too
    bool unicode = false;  // words of all scripts (text/unicode_words.hpp)
    int min_chars = 2;     // shortest word, in code points
    int min_n = 1, max_n = 1;
    bool whole_runs = false;                  // runs of scripts without spaces are words (unicode only)
    std::shared_ptr<const BytePairs> pieces;  // words are cut into these; none: words are whole

    // Terms of n words form level n − 1; terms of characters are all on one level.
    std::size_t n_levels() const { return terms == Terms::words ? static_cast<std::size_t>(max_n) : 1; }
    std::size_t first_level() const {
        return terms == Terms::words ? static_cast<std::size_t>(min_n) - 1 : 0;
    }
};

// Boundaries of pieces of about `bytes` of text and at most max_rows documents; long ones are pieces of their
// own.
inline std::vector<std::size_t> cut(const std::vector<Document>& documents, std::size_t bytes,
                                    std::size_t max_rows) {
    std::vector<std::size_t> cuts{0};
    std::size_t size = 0;
    for (std::size_t i = 0; i < documents.size(); ++i) {
        if (i > cuts.back() && (size + documents[i].size > bytes || i - cuts.back() == max_rows)) {
            cuts.push_back(i);
            size = 0;
        }
        size += documents[i].size;
    }
    if (!documents.empty()) cuts.push_back(documents.size());
    return cuts;
}

// Whether a token stands for the runs between two words.
inline bool is_gap(const unsigned char* data) {
    return *data == ' ';
}

// Whether a token has at least `least` code points.
inline bool has_chars(const unsigned char* data, std::size_t size, int least) {
    // what can be guessed first: lengths cannot
    if (least <= 1 || (least == 2 && size >= 2 && data[0] < 0x80)) [[likely]]
        return true;
    if (size >= 4 * static_cast<std::size_t>(least)) return true;
    int chars = 0;
    for (std::size_t i = 0; i < size; ++i) chars += (data[i] & 0xC0) != 0x80;
    return chars >= least;
}

// Cuts documents into words: each(token) calls token(data, size) for the words of the document folded last.
class WordSplitter {
  public:
    explicit WordSplitter(const TextOptions& options)
        : fold_(options.lower, options.accents, keep(options)),
          unicode_(options.unicode),
          marks_(options.marks),
          whole_runs_(options.whole_runs),
          min_chars_(options.min_chars) {
        if (options.pieces) writer_ = std::make_unique<PieceWriter>(options.pieces);
    }

    // The folded text of a document, whose words each() then visits.
    const Folded& fold(const Document& document) {
        fold_(document, text_);
        return writer_ ? cut_words() : text_;
    }

    // The words alone …
    template <class Token>
    void each(Token token) {
        each(token, [](const unsigned char*, std::size_t) {});
    }
    // … or also ngram(data, size) for the n-grams of runs; where runs are between words, a space is the
    // token.
    template <class Token, class Ngram>
    void each(Token token, Ngram ngram) {
        if (whole_runs_) [[unlikely]]
            return each_whole_or_piece({&token, [](void* own, const unsigned char* data, std::size_t size) {
                                            (*static_cast<Token*>(own))(data, size);
                                        }});
        if (!unicode_)
            return split(text_, [&](const unsigned char* data, std::size_t size) {
                if (has_chars(data, size, min_chars_) || (marks_ && is_mark(data, size))) token(data, size);
            });
        bool after_word = false, after_run = false;
        split(text_, [&](const unsigned char* data, std::size_t size) {
            if (runs_.is_run(data)) [[unlikely]] {
                after_run = true;
                return runs_(data, size, ngram);
            }
            if (!has_chars(data, size, min_chars_) && runs_.is_word(data)) return;
            if (after_word && after_run) [[unlikely]]
                token(data - 1, 1);
            after_word = true, after_run = false;
            token(data, size);
        });
    }

  private:
    static Keep keep(const TextOptions& options) {
        if (options.unicode) return options.marks ? Keep::unicode_words_and_marks : Keep::unicode_words;
        return options.marks ? Keep::words_and_marks : Keep::words;
    }
    // A token's function behind a pointer, so that what subwords need is compiled once and apart from the
    // loops over words.
    struct TokenRef {
        void* own;
        void (*call)(void*, const unsigned char*, std::size_t);
        void operator()(const unsigned char* data, std::size_t size) const { call(own, data, size); }
    };
    [[gnu::noinline]] void each_whole_or_piece(TokenRef token) {
        if (writer_)
            split(*pieces_, token);
        else
            each_whole(token);
    }
    // Words, runs, symbols and marks alike.
    template <class Token>
    void each_whole(Token token) {
        split(text_, [&](const unsigned char* data, std::size_t size) {
            if (has_chars(data, size, min_chars_) || !runs_.is_word(data)) token(data, size);
        });
    }
    [[gnu::noinline]] const Folded& cut_words() {
        writer_->begin();
        each_whole([&](const unsigned char* data, std::size_t size) { writer_->write(data, size); });
        pieces_ = &writer_->finish();
        return *pieces_;
    }
    static bool is_mark(const unsigned char* data, std::size_t size) {
        static const FoldTable plain = fold_table(false, Accents::keep);
        const auto [c, bytes] = written_utf8(data);
        return bytes == size && !(plain.entry(c) & FoldTable::word);
    }

    Folder fold_;
    bool unicode_, marks_, whole_runs_;
    int min_chars_;
    Folded text_;
    std::unique_ptr<PieceWriter> writer_;  // if words are cut into pieces
    const Folded* pieces_ = nullptr;
    RunReader runs_;
};

}  // namespace lindy
