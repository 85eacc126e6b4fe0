// The shape of a word as it is written: X for capitals, x for small letters, 9 for digits, a for other
// letters, each run once, between angle brackets that no word has: "McDonald" is <XxXx>, "mp3" is <x9>.
#pragma once

#include "text/analyze.hpp"

namespace lindy {

class ShapeReader {
  public:
    explicit ShapeReader(const TextOptions& options)
        : wanted_(options.shapes), splitter_(as_written(options)) {}

    // Calls shape(data, size) for every word of the document; 16 bytes at data can be read.
    template <class Shape>
    void operator()(const Document& document, Shape shape) {
        if (!wanted_) return;
        splitter_.fold(document);
        splitter_.each([&](const unsigned char* data, std::size_t size) {
            if (!starts_word(data)) return;  // a symbol, or the gap between words
            unsigned char written[longest + 18] = {'<'};
            std::size_t end = 1;
            for (std::size_t i = 0; i < size && end <= longest;) {
                const auto [c, bytes] = written_utf8(data + i);
                const unsigned char letter = shape_of(c);
                if (end == 1 || written[end - 1] != letter) written[end++] = letter;
                i += bytes;
            }
            written[end++] = '>';
            shape(written, end);
        });
    }

  private:
    static constexpr std::size_t longest = 12;  // letters; what comes after is cut off

    static bool starts_word(const unsigned char* data) {
        static const FoldTable plain = fold_table(false, Accents::keep);
        return plain.entry(written_utf8(data).first) & FoldTable::word;
    }

    static TextOptions as_written(TextOptions options) {
        options.lower = options.marks = false;
        options.accents = Accents::keep;
        return options;
    }

    bool wanted_;
    WordSplitter splitter_;
};

}  // namespace lindy
