// One numbering of the words that several threads have found.
//
//   deal     the words of every worker are dealt into bins by their first two bytes.
//   sort     bin by bin: bins in their order are the alphabet, and what several workers have found lies side
//            by side.
//   number   words that are frequent enough get numbers in the order of the alphabet.
#pragma once

#include "core/threads.hpp"
#include "text/count_entries.hpp"

namespace lindy {

// A worker's word → the number of the word in its level, or no_term.
struct WordNumbers {
    std::vector<Buffer<std::uint32_t>> of_worker;

    std::uint32_t operator()(std::size_t worker, std::uint32_t word) const { return of_worker[worker][word]; }
};

// What a term must reach to be numbered. A term of several words never has more than each of its words.
struct Frequent {
    std::uint32_t documents = 1;    // texts that have it
    std::uint32_t occurrences = 1;  // in all texts together

    // Whether the documents alone do not decide.
    bool by_occurrences() const { return occurrences > documents; }
};

// How often the words of every worker occur; empty if nobody asks.
using Occurrences = std::vector<std::vector<std::uint64_t>>;

// A word as one worker knows it.
struct FoundWord {
    std::uint64_t first, second;          // 16 bytes of its text, as numbers that sort like them
    std::uint32_t size : 8, worker : 24;  // bytes, at most `longer`
    std::uint32_t id;
    std::uint32_t documents, place;

    static constexpr std::uint32_t longer = 17;
};

class WordJoiner {
  public:
    WordJoiner(const std::vector<std::unique_ptr<Worker>>& workers,
               const std::vector<std::uint64_t>& first_places, int n_threads)
        : workers_(workers), n_threads_(n_threads) {
        deal(first_places);
        group();
    }

    // Makes the vocabulary's first level of the frequent words.
    WordNumbers number(const Frequent& least, const Occurrences& occurrences, bool sorted,
                       Vocabulary& vocabulary) {
        const auto rare = [&](std::size_t i, std::size_t stop, std::uint32_t documents) {
            if (documents < least.documents) return true;
            if (!least.by_occurrences()) return false;
            std::uint64_t times = 0;
            for (; i < stop; ++i) times += occurrences[words_[i].worker][words_[i].id];
            return times < least.occurrences;
        };
        std::vector<std::size_t> terms(groups_.size(), 0), bytes(groups_.size(), 0);  // before each group
        for_each_group([&](std::size_t g) {
            if (sorted || workers_.size() > 1) sort(g);
            for_each_word(g, [&](std::size_t i, std::size_t stop, std::uint32_t documents, std::uint32_t) {
                if (rare(i, stop, documents)) return;
                ++terms[g + 1];
                bytes[g + 1] += size_of(words_[i]);
            });
        });
        std::partial_sum(terms.begin(), terms.end(), terms.begin());
        std::partial_sum(bytes.begin(), bytes.end(), bytes.begin());
        Level level;
        level.documents.resize(terms.back()), level.places.resize(terms.back());
        vocabulary.words.ends.resize(terms.back()), vocabulary.words.bytes.resize(bytes.back());
        for_each_group([&](std::size_t g) {
            std::size_t term = terms[g], end = bytes[g];
            for_each_word(
                g, [&](std::size_t i, std::size_t stop, std::uint32_t documents, std::uint32_t place) {
                    if (rare(i, stop, documents)) return;
                    write_text(words_[i], vocabulary.words.bytes.data() + end);
                    vocabulary.words.ends[term] = end += size_of(words_[i]);
                    level.documents[term] = documents, level.places[term] = place;
                    for (; i < stop; ++i)
                        numbers_.of_worker[words_[i].worker][words_[i].id] = static_cast<std::uint32_t>(term);
                    ++term;
                });
        });
        vocabulary.levels.clear();
        vocabulary.levels.push_back(std::move(level));
        return std::move(numbers_);
    }

  private:
    static constexpr std::size_t group_words = 4096;  // about as many as are sorted in a near cache

    std::string_view text(const FoundWord& word) const { return workers_[word.worker]->words()[word.id]; }

    // Most words are known without looking into their worker's memory.
    std::size_t size_of(const FoundWord& word) const {
        return word.size < FoundWord::longer ? word.size : text(word).size();
    }
    void write_text(const FoundWord& word, unsigned char* to) const {
        if (word.size == FoundWord::longer) {
            std::copy_n(text(word).data(), text(word).size(), to);
            return;
        }
        const std::uint64_t bytes[2] = {__builtin_bswap64(word.first), __builtin_bswap64(word.second)};
        std::memcpy(to, bytes, word.size);
    }

    bool less(const FoundWord& a, const FoundWord& b) const {
        if (a.first != b.first) return a.first < b.first;
        if (a.second != b.second) return a.second < b.second;
        if (a.size != b.size) return a.size < b.size;
        return a.size == FoundWord::longer && text(a) < text(b);
    }
    bool equal(const FoundWord& a, const FoundWord& b) const {
        return a.first == b.first && a.second == b.second && a.size == b.size &&
               (a.size < FoundWord::longer || text(a) == text(b));
    }

    // A few words need no bins.
    std::size_t bin(std::string_view text) const {
        if (few_) return 0;
        const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
        return static_cast<std::size_t>(byte(0) << 8 | (text.size() > 1 ? byte(1) : 0));
    }

    // Notes the first 16 bytes of a word, whatever follows it in its worker's memory.
    static void note_text(const Strings& words, std::string_view text, FoundWord& word) {
        const auto* data = reinterpret_cast<const unsigned char*>(text.data());
        unsigned char padded[16] = {};
        if (data + 16 > words.bytes.end()) {
            std::memcpy(padded, data, std::min<std::size_t>(text.size(), 16));
            data = padded;
        }
        std::uint64_t low, high;
        std::memcpy(&low, data, 8);
        std::memcpy(&high, data + 8, 8);
        const std::size_t size = text.size();
        const auto cut = [](std::uint64_t bytes, std::size_t n) {
            return n < 8 ? bytes & ((1ull << 8 * n) - 1) : bytes;
        };
        word.first = __builtin_bswap64(cut(low, size));
        word.second = size > 8 ? __builtin_bswap64(cut(high, size - 8)) : 0;
        word.size = static_cast<std::uint32_t>(std::min<std::size_t>(size, FoundWord::longer));
    }

    void deal(const std::vector<std::uint64_t>& first_places) {
        std::size_t n_words = 0;
        for (const auto& worker : workers_) n_words += worker->words().size();
        few_ = n_words <= group_words;
        const std::size_t n_bins = few_ ? 1 : std::size_t{1} << 16;
        std::vector<std::vector<std::uint32_t>> documents(workers_.size()), starts(workers_.size());
        numbers_.of_worker.resize(workers_.size());
        const auto for_each_worker = [&](auto body) {
            parallel_chunks(static_cast<std::int64_t>(workers_.size()), n_threads_,
                            [&](std::int64_t w) { body(static_cast<std::size_t>(w)); });
        };
        for_each_worker([&](std::size_t w) {
            documents[w] = workers_[w]->finish();
            starts[w].assign(n_bins, 0);
            const Strings& words = workers_[w]->words();
            Buffer<std::uint32_t>& numbers = numbers_.of_worker[w];
            numbers.resize(words.size());
            std::fill(numbers.begin(), numbers.end(), no_term);
            for (std::size_t i = 0; i < words.size(); ++i)
                if (documents[w][i]) ++starts[w][bin(words[i])];  // a stop word has none
        });
        ends_.resize(n_bins);
        std::uint32_t sum = 0;
        for (std::size_t b = 0; b < n_bins; ++b) {
            for (std::size_t w = 0; w < workers_.size(); ++w) sum += std::exchange(starts[w][b], sum);
            ends_[b] = sum;
        }
        words_.resize(sum);
        for_each_worker([&](std::size_t w) {
            const Worker& worker = *workers_[w];
            for (std::uint32_t i = 0; i < documents[w].size(); ++i) {
                if (!documents[w][i]) continue;
                const std::string_view text = worker.words()[i];
                FoundWord& word = words_[starts[w][bin(text)]++];
                note_text(worker.words(), text, word);
                word.worker = static_cast<std::uint32_t>(w), word.id = i;
                word.documents = documents[w][i];
                word.place = static_cast<std::uint32_t>(first_places[worker.first_piece()[i]] +
                                                        worker.first_place()[i]);
            }
        });
    }

    // Makes groups of bins, each with enough words for a call.
    void group() {
        groups_.push_back(0);
        for (std::size_t b = 0, begin = 0; b < ends_.size(); ++b)
            if (ends_[b] - begin >= group_words || b + 1 == ends_.size()) {
                groups_.push_back(b + 1);
                begin = ends_[b];
            }
    }
    template <class Body>
    void for_each_group(Body body) {
        parallel_chunks(static_cast<std::int64_t>(groups_.size()) - 1, n_threads_,
                        [&](std::int64_t g) { body(static_cast<std::size_t>(g)); });
    }
    std::size_t begin_of(std::size_t b) const { return b ? ends_[b - 1] : 0; }

    void sort(std::size_t g) {
        for (std::size_t b = groups_[g]; b < groups_[g + 1]; ++b)
            std::sort(words_.data() + begin_of(b), words_.data() + ends_[b],
                      [&](const FoundWord& a, const FoundWord& b) { return less(a, b); });
    }

    // Calls visit(i, stop, documents, place) for the words of a group, each found by the workers of
    // words_[i … stop).
    template <class Visit>
    void for_each_word(std::size_t g, Visit visit) const {
        const std::size_t end = begin_of(groups_[g + 1]);
        for (std::size_t i = begin_of(groups_[g]), stop; i < end; i = stop) {
            std::uint32_t documents = words_[i].documents, place = words_[i].place;
            for (stop = i + 1; stop < end && equal(words_[i], words_[stop]); ++stop) {
                documents += words_[stop].documents;
                place = std::min(place, words_[stop].place);
            }
            visit(i, stop, documents, place);
        }
    }

    const std::vector<std::unique_ptr<Worker>>& workers_;
    const int n_threads_;
    bool few_ = false;
    Buffer<FoundWord> words_;
    std::vector<std::uint32_t> ends_;  // of the bins in words_
    std::vector<std::size_t> groups_;  // where groups of bins begin, and where the last ends
    WordNumbers numbers_;
};

}  // namespace lindy
