// The features of a text as fastText's supervised models have them: words, subwords and word n-grams, as columns
// of its input matrix.
//
// Words are bytes between white space; the end of a text is a word, too: "</s>". Subwords are the n-grams of
// characters of <word>. They and word n-grams are hashed into `bucket` columns behind those of the words,
//
//     FNV-1a           h = (h xor byte, sign-extended) * 16777619     of a word; of a subword, mod bucket
//     word n-grams     h = h * 116049371 + hash of the next word       in 64 bits, of sign-extended hashes, mod bucket
//
// of which a pruned model has kept some. What begins with the prefix of labels is no feature.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace lindy::fasttext {

inline constexpr std::string_view end_of_text = "</s>", label_prefix = "__label__";
inline constexpr std::uint32_t fnv_start = 2166136261u;

inline std::uint32_t fnv(std::uint32_t h, char byte) {
    return (h ^ static_cast<std::uint32_t>(static_cast<signed char>(byte))) * 16777619u;
}
inline std::uint32_t fnv(std::string_view bytes) {
    std::uint32_t h = fnv_start;
    for (const char byte : bytes) h = fnv(h, byte);
    return h;
}
inline bool is_space(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r') || c == 0;
}
inline bool continues_character(char c) {
    return (c & 0xC0) == 0x80;
}

// a mod d by two multiplications (Lemire, Kaser and Kurz 2019); d is at least 1.
class Modulus {
  public:
    explicit Modulus(std::uint32_t d) : d_(d), inverse_(~std::uint64_t{0} / d + 1) {}
    std::uint32_t operator()(std::uint32_t a) const {
        return static_cast<std::uint32_t>(static_cast<unsigned __int128>(inverse_ * a) * d_ >> 64);
    }
    std::uint32_t operator()(std::uint64_t a) const { return static_cast<std::uint32_t>(a % d_); }

  private:
    std::uint32_t d_;
    std::uint64_t inverse_;
};

// Which buckets a pruned model has kept, and the place of each among them: bits, and how many are set before. Where
// there would be far more bits than kept buckets, these are searched.
class KeptBuckets {
  public:
    KeptBuckets(std::uint32_t bucket, const std::int32_t* kept, const std::int32_t* rows, std::size_t n)
        : blocks_(bucket / 64 < most_blocks + n ? bucket / 64 + 1 : 0),
          kept_(kept, kept + (blocks_.empty() ? n : 0)),
          rows_(rows, rows + n) {
        for (std::size_t i = 0; i < n; ++i) {
            if (kept[i] < 0 || static_cast<std::uint32_t>(kept[i]) >= bucket || (i && kept[i] <= kept[i - 1]))
                throw std::invalid_argument("kept buckets must ascend and be below the number of buckets");
            if (rows[i] < 0 || static_cast<std::size_t>(rows[i]) >= n)
                throw std::invalid_argument("a kept bucket has no row");
            if (!blocks_.empty())
                blocks_[static_cast<std::size_t>(kept[i]) / 64].bits |= std::uint64_t{1} << (kept[i] % 64);
        }
        std::uint32_t before = 0;
        for (Block& block : blocks_) {
            block.before = before;
            before += static_cast<std::uint32_t>(std::popcount(block.bits));
        }
    }
    // The row of a bucket; negative if it is not kept.
    std::int32_t row(std::uint32_t bucket) const {
        if (blocks_.empty()) return searched(static_cast<std::int32_t>(bucket));
        const Block& block = blocks_[bucket / 64];
        const std::uint64_t bit = std::uint64_t{1} << (bucket % 64);
        if (!(block.bits & bit)) return -1;
        return rows_[block.before + static_cast<std::uint32_t>(std::popcount(block.bits & (bit - 1)))];
    }
    std::size_t size() const { return rows_.size(); }

  private:
    struct Block {
        std::uint64_t bits = 0;
        std::uint32_t before = 0;
    };
    static constexpr std::size_t most_blocks = std::size_t{1} << 17;  // 2 MB

    std::int32_t searched(std::int32_t bucket) const {
        const auto at = std::lower_bound(kept_.begin(), kept_.end(), bucket);
        return at == kept_.end() || *at != bucket ? -1 : rows_[static_cast<std::size_t>(at - kept_.begin())];
    }

    std::vector<Block> blocks_;
    std::vector<std::int32_t> kept_;
    std::vector<std::int32_t> rows_;
};

struct Settings {
    std::int32_t n_words = 0;  // entries of the dictionary behind them are labels
    std::uint32_t bucket = 0;
    int min_n = 0, max_n = 0, word_ngrams = 1;
    bool first_line = false;  // whether a text ends with its first line; otherwise lines end as words do
};

class Dictionary {
  public:
    // The entries lie one after the other in `bytes`; ends[i] is where the i-th one does.
    Dictionary(const Settings& settings, std::string_view bytes, const std::int64_t* ends,
               std::size_t n_entries)
        : settings_(settings), modulus_(std::max(settings.bucket, 1u)), bytes_(bytes), ends_(ends) {
        table_.resize(std::bit_ceil(2 * n_entries + 2));
        for (std::size_t i = 0; i < n_entries; ++i) {
            const std::string_view own = entry(static_cast<std::int32_t>(i));
            const std::uint32_t h = fnv(own);
            Slot& slot = table_[place(own, h)];
            if (slot.entry >= 0) throw std::invalid_argument("an entry of the dictionary is there twice");
            slot = {h, static_cast<std::int32_t>(i)};
        }
        end_hash_ = fnv(end_of_text);
        end_entry_ = table_[place(end_of_text, end_hash_)].entry;
    }
    void keep_only(KeptBuckets kept) { kept_.emplace_back(std::move(kept)); }

    const Settings& settings() const { return settings_; }
    std::int64_t n_columns() const {
        return settings_.n_words +
               (kept_.empty() ? std::int64_t{settings_.bucket} : std::int64_t(kept_[0].size()));
    }
    std::string_view entry(std::int32_t i) const {
        const std::int64_t begin = i ? ends_[i - 1] : 0;
        return bytes_.substr(static_cast<std::size_t>(begin), static_cast<std::size_t>(ends_[i] - begin));
    }

    struct Word {
        std::int32_t hash;
        std::size_t begin, end;  // in the text
    };
    // Scratch memory of a thread: the words of a text, and one of them between < and >.
    struct Room {
        std::vector<Word> words;
        std::string padded;
    };

    // Calls emit(column, begin, end, marks) for every feature of a text, in fastText's order, with the bytes that it covers,
    // and as marks 1 for a subword that begins with <, plus 2 for one that ends with >;
    // `room` is scratch memory.
    template <class Emit>
    void features(std::string_view text, Room& room, Emit emit) const {
        std::vector<Word>& words = room.words;
        words.clear();
        std::size_t at = 0;
        while (true) {
            while (at < text.size() && is_space(text[at]) && !ends_text(text[at])) ++at;
            if (at == text.size() || ends_text(text[at])) break;
            const std::size_t begin = at;
            std::uint32_t h = fnv_start;
            for (; at < text.size() && !is_space(text[at]); ++at) h = fnv(h, text[at]);
            const std::string_view word = text.substr(begin, at - begin);
            if (word == end_of_text) break;
            add_word(word, h, begin, room, emit);
        }
        if (end_entry_ >= 0 && end_entry_ < settings_.n_words) emit(end_entry_, text.size(), text.size(), 0);
        words.push_back({static_cast<std::int32_t>(end_hash_), text.size(), text.size()});
        if (settings_.word_ngrams > 1) add_ngrams(words, emit);
    }

  private:
    struct Slot {
        std::uint32_t hash = 0;
        std::int32_t entry = -1;
    };

    bool ends_text(char c) const { return settings_.first_line && c == '\n'; }

    std::size_t place(std::string_view word, std::uint32_t h) const {
        const std::size_t mask = table_.size() - 1;
        std::size_t at = h & mask;
        while (table_[at].entry >= 0 && (table_[at].hash != h || entry(table_[at].entry) != word))
            at = (at + 1) & mask;
        return at;
    }

    template <class Emit>
    void add_word(std::string_view word, std::uint32_t h, std::size_t begin, Room& room, Emit& emit) const {
        const std::int32_t known = table_[place(word, h)].entry;
        if (known >= settings_.n_words || (known < 0 && word.starts_with(label_prefix))) return;
        if (known >= 0) emit(known, begin, begin + word.size(), 0);
        if (settings_.max_n > 0) add_subwords(word, begin, room, emit);
        room.words.push_back({static_cast<std::int32_t>(h), begin, begin + word.size()});
    }

    // The n-grams of the characters of <word>; its first and last character alone are none.
    template <class Emit>
    void add_subwords(std::string_view word, std::size_t begin, Room& room, Emit& emit) const {
        std::string& padded = room.padded;
        padded.assign(1, '<').append(word).append(1, '>');
        const std::size_t size = padded.size();
        padded.push_back('\0');  // which continues no character
        const char* const bytes = padded.data();
        for (std::size_t i = 0; i < size; ++i) {
            if (continues_character(bytes[i])) continue;
            std::uint32_t h = fnv_start;
            std::size_t j = i;
            for (int n = 1; j < size && n <= settings_.max_n; ++n) {
                do h = fnv(h, bytes[j++]);
                while (continues_character(bytes[j]));
                if (n < settings_.min_n || (n == 1 && (i == 0 || j == size))) continue;
                const std::int32_t row = row_of(modulus_(h));
                if (row >= 0) [[unlikely]]
                    emit(settings_.n_words + row, begin + i - (i > 0), begin + j - 1 - (j == size),
                         (i == 0) + 2 * (j == size));
            }
        }
    }

    template <class Emit>
    void add_ngrams(const std::vector<Word>& words, Emit& emit) const {
        for (std::size_t i = 0; i < words.size(); ++i) {
            auto h = static_cast<std::uint64_t>(std::int64_t{words[i].hash});
            const std::size_t stop =
                std::min(words.size(), i + static_cast<std::size_t>(settings_.word_ngrams));
            for (std::size_t j = i + 1; j < stop; ++j) {
                h = h * 116049371u + static_cast<std::uint64_t>(std::int64_t{words[j].hash});
                const std::int32_t row = row_of(modulus_(h));
                if (row >= 0) emit(settings_.n_words + row, words[i].begin, words[j].end, 0);
            }
        }
    }

    std::int32_t row_of(std::uint32_t bucket) const {
        return kept_.empty() ? static_cast<std::int32_t>(bucket) : kept_[0].row(bucket);
    }

    Settings settings_;
    Modulus modulus_;
    std::string_view bytes_;
    const std::int64_t* ends_;
    std::vector<Slot> table_;
    std::vector<KeptBuckets> kept_;  // one, or none where all buckets are there
    std::uint32_t end_hash_ = 0;
    std::int32_t end_entry_ = -1;
};

}  // namespace lindy::fasttext
