// Subword units by byte-pair encoding (Sennrich, Haddow and Birch 2016), on characters.
//
//   learn   every word is a sequence of characters; N times, the most frequent pair of neighbours becomes one
//   piece
//           everywhere. Of equally frequent pairs the first in the order of the alphabet (left piece, then
//           right one). Ends early when no pair occurs twice.
//   cut     the merges, applied to a word in the order in which they were learned, each from left to right.
//
// A piece that does not begin its word is marked: "unhappy" is "un ##happy". lindy.textbook.byte_pairs has
// the same in a screen; here both keep the pieces as a linked list, so that no merge costs more than the
// places it changes.
#pragma once

#include <memory>
#include <queue>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/dictionary.hpp"
#include "text/fold.hpp"

namespace lindy {

namespace pieces {

constexpr std::string_view mark = "##";
constexpr std::uint32_t none = ~0u;

using Pair = std::uint64_t;
inline Pair pair_of(std::uint32_t left, std::uint32_t right) {
    return Pair{left} << 32 | right;
}

// The bytes of the character that begins at text[i], which is UTF-8 as put_utf8 writes it.
inline std::size_t char_size(std::string_view text, std::size_t i) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const std::size_t size = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    return std::min(size, text.size() - i);
}

// What two pieces become: the mark of the right one is left out.
inline std::string joined(std::string_view left, std::string_view right) {
    return std::string(left) += right.substr(mark.size());
}

// Pieces by their numbers.
class Numbers {
  public:
    std::uint32_t add(std::string_view piece) {
        const auto [at, is_new] = numbers_.try_emplace(std::string(piece), size());
        if (is_new) names_.push_back(at->first);
        return at->second;
    }
    std::uint32_t find(const std::string& piece) const {
        const auto at = numbers_.find(piece);
        return at == numbers_.end() ? none : at->second;
    }
    std::string_view operator[](std::uint32_t number) const { return names_[number]; }
    std::uint32_t size() const { return static_cast<std::uint32_t>(names_.size()); }

  private:
    std::unordered_map<std::string, std::uint32_t> numbers_;
    std::vector<std::string_view> names_;  // nodes of the map stay where they are
};

// The character at text[i] of a word as a piece.
inline std::string character(std::string_view text, std::size_t i) {
    return std::string(i ? mark : std::string_view()) += text.substr(i, char_size(text, i));
}

}  // namespace pieces

// Learned merges, which cut words into pieces. Threads share it: nothing changes after the constructor.
class BytePairs {
  public:
    using Merge = std::pair<std::string, std::string>;  // the left and the right piece

    explicit BytePairs(std::vector<Merge> merges) : merges_(std::move(merges)) {
        for (const auto& [left, right] : merges_) {
            const std::uint32_t l = numbers_.add(left), r = numbers_.add(right);
            ranks_[pieces::pair_of(l, r)].push_back(static_cast<std::uint32_t>(steps_.size()));
            steps_.push_back({l, r, numbers_.add(pieces::joined(left, right))});
        }
    }

    const std::vector<Merge>& merges() const { return merges_; }

    // Calls piece(begin, end) for the pieces of a word, from left to right.
    template <class Piece>
    void cut(std::string_view word, Piece piece) const {
        std::vector<Symbol> symbols;
        for (std::size_t i = 0; i < word.size(); i += pieces::char_size(word, i)) {
            const auto at = static_cast<std::uint32_t>(symbols.size());
            symbols.push_back({numbers_.find(pieces::character(word, i)), at - 1, at + 1, i});
        }
        merge(symbols);
        for (std::size_t at = 0; at < symbols.size(); at = symbols[at].next) {
            const std::size_t next = symbols[at].next;
            piece(symbols[at].begin, next < symbols.size() ? symbols[next].begin : word.size());
        }
    }

  private:
    struct Step {
        std::uint32_t left, right, whole;
    };
    struct Symbol {
        std::uint32_t number, previous, next;
        std::size_t begin;
    };
    using Due = std::pair<std::uint32_t, std::uint32_t>;  // rank of a merge, and where it may be done
    using Queue = std::priority_queue<Due, std::vector<Due>, std::greater<>>;

    // Notes the first merge behind `after` of the pair at a place.
    void note(const std::vector<Symbol>& symbols, std::uint32_t at, std::int64_t after, Queue& due) const {
        const std::uint32_t next = symbols[at].next;
        if (next >= symbols.size()) return;
        const auto found = ranks_.find(pieces::pair_of(symbols[at].number, symbols[next].number));
        if (found == ranks_.end()) return;
        for (const std::uint32_t rank : found->second)
            if (rank > after) return due.emplace(rank, at);
    }

    void merge(std::vector<Symbol>& symbols) const {
        Queue due;
        for (std::uint32_t at = 0; at < symbols.size(); ++at) note(symbols, at, -1, due);
        while (!due.empty()) {
            const auto [rank, at] = due.top();
            due.pop();
            const Step& step = steps_[rank];
            const std::uint32_t next = symbols[at].next;
            if (symbols[at].number != step.left || next >= symbols.size() ||
                symbols[next].number != step.right)
                continue;  // one of the two has become part of another piece
            symbols[at].number = step.whole;
            symbols[at].next = symbols[next].next;
            symbols[next].number = pieces::none;
            if (symbols[at].next < symbols.size()) symbols[symbols[at].next].previous = at;
            if (at) note(symbols, symbols[at].previous, rank, due);
            note(symbols, at, rank, due);
        }
    }

    std::vector<Merge> merges_;
    pieces::Numbers numbers_;
    std::unordered_map<pieces::Pair, std::vector<std::uint32_t>> ranks_;
    std::vector<Step> steps_;
};

// Learns merges from words and how often each occurs.
class PairLearner {
  public:
    void add(std::string_view word, double times) {
        std::uint32_t before = pieces::none;
        for (std::size_t i = 0; i < word.size(); i += pieces::char_size(word, i)) {
            const auto at = static_cast<std::uint32_t>(symbols_.size());
            symbols_.push_back({numbers_.add(pieces::character(word, i)), before, pieces::none, times});
            if (before != pieces::none) {
                symbols_[before].next = at;
                count(before, times);
            }
            before = at;
        }
    }

    std::vector<BytePairs::Merge> learn(std::size_t most) {
        for (const auto& [pair, own] : pairs_) offer(pair, own.times);
        std::vector<BytePairs::Merge> merges;
        while (merges.size() < most && !offers_.empty()) {
            const Offer best = offers_.top();
            offers_.pop();
            const double times = pairs_[best.pair].times;
            if (times != best.times) {
                offer(best.pair, times);  // has become rarer since
                continue;
            }
            if (times < 2) break;
            merges.emplace_back(best.left, best.right);
            merge(best);
        }
        return merges;
    }

  private:
    struct Symbol {
        std::uint32_t number, previous, next;
        double times;  // of the word
    };
    struct Places {
        double times = 0;
        std::vector<std::uint32_t> at;  // of the left piece; perhaps also where the pair is no more
    };
    struct Offer {
        double times;
        std::string_view left, right;
        pieces::Pair pair;
        bool operator<(const Offer& other) const {
            if (times != other.times) return times < other.times;
            return left != other.left ? left > other.left : right > other.right;
        }
    };

    pieces::Pair pair_at(std::uint32_t at) const {
        return pieces::pair_of(symbols_[at].number, symbols_[symbols_[at].next].number);
    }
    void offer(pieces::Pair pair, double times) {
        const auto left = static_cast<std::uint32_t>(pair >> 32), right = static_cast<std::uint32_t>(pair);
        if (times > 0) offers_.push({times, numbers_[left], numbers_[right], pair});
    }
    // The pair at a place is there, and no longer there.
    void count(std::uint32_t at, double times) {
        Places& own = pairs_[pair_at(at)];
        own.times += times;
        own.at.push_back(at);
    }
    void discount(std::uint32_t at) { pairs_[pair_at(at)].times -= symbols_[at].times; }

    void merge(const Offer& best) {
        const std::uint32_t whole = numbers_.add(pieces::joined(best.left, best.right));
        std::vector<std::uint32_t> places = std::move(pairs_[best.pair].at);
        std::sort(places.begin(), places.end());
        std::vector<std::uint32_t> changed;
        for (const std::uint32_t at : places) {
            const std::uint32_t next = symbols_[at].next;
            if (next == pieces::none || pair_at(at) != best.pair) continue;
            const std::uint32_t previous = symbols_[at].previous, after = symbols_[next].next;
            if (previous != pieces::none) discount(previous);
            discount(at);
            if (after != pieces::none) discount(next);
            symbols_[at].number = whole;
            symbols_[at].next = after;
            symbols_[next].number = symbols_[next].next = pieces::none;
            if (previous != pieces::none) {
                count(previous, symbols_[at].times);
                changed.push_back(previous);
            }
            if (after != pieces::none) {
                symbols_[after].previous = at;
                count(at, symbols_[at].times);
                changed.push_back(at);
            }
        }
        // each new pair is offered once, when all its places are known
        std::vector<pieces::Pair> offered;
        for (const std::uint32_t at : changed)
            if (symbols_[at].next != pieces::none) offered.push_back(pair_at(at));
        std::sort(offered.begin(), offered.end());
        offered.erase(std::unique(offered.begin(), offered.end()), offered.end());
        for (const pieces::Pair pair : offered) offer(pair, pairs_[pair].times);
    }

    pieces::Numbers numbers_;
    std::vector<Symbol> symbols_;
    std::unordered_map<pieces::Pair, Places> pairs_;
    std::priority_queue<Offer> offers_;
};

// Writes folded texts again with a space between the pieces of their words. One per thread: pieces of short
// words are remembered.
class PieceWriter {
  public:
    explicit PieceWriter(std::shared_ptr<const BytePairs> pairs) : pairs_(std::move(pairs)) {}

    void begin() { used_ = 0; }
    void write(const unsigned char* data, std::size_t size) {
        if (size > longest_remembered) return cut(data, size, [&](auto own, auto n) { put(own, n); });
        if (words_.size() >= most_remembered) words_ = {}, pieces_ = {};
        const Key key = make_key(data, size, HashKey::get());
        const std::uint32_t id = words_.slot(data, size, key, key.hash(HashKey::get())).id;
        if (id == pieces_.size()) {
            line_.clear();
            cut(data, size, [&](const unsigned char* own, std::size_t n) { line_.append(own, n); });
            pieces_.push(line_.data(), line_.size());
        }
        const std::string_view line = pieces_[id];
        put(reinterpret_cast<const unsigned char*>(line.data()), line.size());
    }
    const Folded& finish() {
        text_.finish(used_);
        return text_;
    }

  private:
    static constexpr std::size_t longest_remembered = 64;  // bytes of a word
    static constexpr std::size_t most_remembered = std::size_t{1} << 16;

    template <class Put>
    void cut(const unsigned char* data, std::size_t size, Put put) const {
        static constexpr unsigned char mark[] = {' ', '#', '#'};
        pairs_->cut({reinterpret_cast<const char*>(data), size}, [&](std::size_t begin, std::size_t end) {
            put(mark, begin ? sizeof mark : 1);
            put(data + begin, end - begin);
        });
    }
    void put(const unsigned char* data, std::size_t size) {
        std::memcpy(text_.reserve(used_, size), data, size);
        used_ += size;
    }

    std::shared_ptr<const BytePairs> pairs_;
    Dictionary words_;
    Strings pieces_;  // of each word: every piece with a space before it
    Buffer<unsigned char> line_;
    Folded text_;
    std::size_t used_ = 0;
};

}  // namespace lindy
