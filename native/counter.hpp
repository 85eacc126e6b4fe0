// Learning a vocabulary and counting it, in one reading of the texts.
//
//   add       every thread has its own dictionary of words and counts its pieces of the texts.
//   number    words that occur in at least `low` documents are numbered; then, level by level, the terms of
//             several words (count_pairs.hpp).
//   choose    which numbered terms are features (document frequency, or a mask), and their columns.
//   rows      the matrix; each row in the order in which its terms were first seen in the texts, as
//             scikit-learn has it.
//
// Nothing depends on which thread counted what: first appearances are compared by their place in the texts.
#pragma once

#include <atomic>

#include "count_chars.hpp"
#include "count_pairs.hpp"
#include "count_rows.hpp"
#include "count_words.hpp"
#include "number_words.hpp"
#include "threads.hpp"

namespace lindy {

// What decides the columns: the alphabet, the first appearance in the texts, or the number of documents with
// a term (most first; equals by first appearance). Only the alphabet costs sorting.
enum class ColumnOrder { alphabet, seen, frequency };

class Counter {
  public:
    explicit Counter(const TextOptions& options) : options_(options) {}
    Counter(const Counter&) = delete;

    void stop_word(std::string word) { stop_words_.push_back(std::move(word)); }

    std::size_t n_rows() const { return n_rows_; }
    Vocabulary& vocabulary() { return vocabulary_; }

    // Reads more documents. After an exception the counter is of no use.
    void add(const std::vector<Document>& documents, int n_threads) {
        const std::vector<std::size_t> cuts = cut(documents);
        const std::size_t first = pieces_.size(), n_pieces = cuts.size() - 1;
        std::vector<Piece> pieces(n_pieces);
        const std::size_t n_workers = std::min(n_pieces, static_cast<std::size_t>(std::max(n_threads, 1)));
        while (workers_.size() < n_workers) hire();
        std::atomic<std::size_t> next{0};
        parallel_chunks(static_cast<std::int64_t>(n_workers), static_cast<int>(n_workers),
                        [&](std::int64_t worker) {
                            for (std::size_t p; (p = next.fetch_add(1)) < n_pieces;) {
                                Piece& piece = pieces[p];
                                piece.worker = static_cast<std::size_t>(worker);
                                piece.first_row = n_rows_ + cuts[p];
                                piece.n_rows = cuts[p + 1] - cuts[p];
                                workers_[piece.worker]->read(documents.data() + cuts[p], piece,
                                                             static_cast<std::uint32_t>(first + p));
                            }
                        });
        for (Piece& piece : pieces) pieces_.push_back(std::move(piece));
        n_rows_ += documents.size();
    }

    // Whether the texts had no term at all.
    bool empty() const {
        return std::all_of(pieces_.begin(), pieces_.end(),
                           [&](const Piece& piece) { return piece.longest <= options_.first_level(); });
    }

    // The longest search for a word in the dictionaries, in slots, before the words are numbered.
    std::size_t longest_probe() const {
        std::size_t longest = 0;
        for (const auto& worker : workers_) longest = std::max(longest, worker->dictionary().longest_probe());
        return longest;
    }

    // Forgets everything but the vocabulary.
    void release() { pieces_.clear(), workers_.clear(); }

    // Numbers the terms that occur in at least `low` documents.
    void number(std::uint32_t low, ColumnOrder order, int n_threads) {
        low_ = std::max(low, 1u);
        order_ = order;
        std::vector<std::uint64_t> first_places{0};
        for (const Piece& piece : pieces_) first_places.push_back(first_places.back() + piece.n_places);
        n_places_ = first_places.back();
        if (n_places_ >= no_term) throw std::length_error("the texts have more than 2^32 - 2 terms");
        const bool sorted = order == ColumnOrder::alphabet;
        const WordNumbers numbers = number_words(workers_, first_places, low_, sorted, vocabulary_);
        workers_.clear();
        for_each_piece(n_threads, [&](Piece& piece) {
            const std::vector<std::uint32_t>& number = numbers.of_worker[piece.worker];
            for (std::uint32_t& term : piece.words.terms) term = number[term];
            for (std::uint32_t& token : piece.tokens) token = number[token];
        });
        for (std::size_t n = 1; n < options_.n_levels(); ++n) {
            for_each_piece(n_threads, [&](Piece& piece) {
                thread_local PairDealer own;
                PairDealer& deal = own;
                deal(piece, n, options_.n_levels(), vocabulary_.levels, numbers.bucket_of);
            });
            vocabulary_.levels.push_back(number_level(pieces_, first_places, n, low_, sorted, n_threads));
        }
    }

    // How often each numbered term occurs that is in at most `high` documents, in the order of their columns.
    Buffer<std::int64_t> totals(std::uint32_t high, bool binary) {
        choose(high, nullptr);
        Buffer<std::int64_t> totals(vocabulary_.n_columns);
        std::fill(totals.begin(), totals.end(), 0);
        for (const Piece& piece : pieces_) {
            RowReader reader(piece, vocabulary_.levels, false);
            for (std::size_t row = 0; row < piece.n_rows; ++row)
                reader.next([&](std::uint32_t column, std::uint32_t, std::uint32_t count) {
                    totals[column] += binary ? 1 : count;
                });
        }
        return totals;
    }

    // Makes features of the numbered terms that are in at most `high` documents; `mask`, if given, says for
    // each of them, in the order of their columns, whether it stays.
    void choose(std::uint32_t high, const std::uint8_t* mask) {
        auto frequent = [&](std::size_t n, std::uint32_t t) {
            return n >= options_.first_level() && vocabulary_.levels[n].documents[t] <= high;
        };
        number_columns(frequent);
        if (!mask) return;
        std::vector<Buffer<std::uint32_t>> columns;
        for (Level& level : vocabulary_.levels) columns.push_back(std::move(level.columns));
        auto stays = [&](std::size_t n, std::uint32_t t) {
            return columns[n][t] != no_term && mask[columns[n][t]];
        };
        number_columns(stays);
    }

    // In how many documents each feature occurs.
    Buffer<std::int64_t> document_frequency() const {
        Buffer<std::int64_t> documents(vocabulary_.n_columns);
        for (const Level& level : vocabulary_.levels)
            for (std::size_t t = 0; t < level.size(); ++t)
                if (level.columns[t] != no_term) documents[level.columns[t]] = level.documents[t];
        return documents;
    }

    // The beginning of each row; called once, when the features have been chosen.
    Buffer<std::int64_t> row_starts(int n_threads) {
        place_columns(pieces_, vocabulary_.levels, n_threads);
        Buffer<std::int64_t> starts(n_rows_ + 1);
        starts[0] = 0;
        const bool all = low_ == 1 && options_.first_level() == 0 && vocabulary_.all_are_columns();
        for_each_piece(n_threads, [&](Piece& piece) {
            if (all)
                copy_sizes(piece, starts.data() + 1);
            else
                count_sizes(piece, vocabulary_.levels, starts.data() + 1);
        });
        for (std::size_t i = 0; i < n_rows_; ++i) starts[i + 1] += starts[i];
        return starts;
    }

    // Fills indices and values; weigh(values, indices, size) may change the values of a finished row. Called
    // once: the counted pieces are given back as they are written.
    template <class Value, class Weigh>
    void rows(const std::int64_t* starts, std::int32_t* indices, Value* values, bool binary, Weigh weigh,
              int n_threads) {
        auto put = [=](std::int64_t k, std::uint32_t column, std::uint32_t count) {
            indices[k] = static_cast<std::int32_t>(column);
            values[k] = binary ? Value{1} : static_cast<Value>(count);
        };
        auto finish = [=](std::size_t row) {
            weigh(values + starts[row], indices + starts[row], starts[row + 1] - starts[row]);
        };
        for_each_piece(n_threads, [&](Piece& piece) {
            if (order_ == ColumnOrder::alphabet)
                write_sorted_rows(piece, vocabulary_.levels, n_places_, starts, put, finish);
            else
                write_rows(piece, vocabulary_.levels, starts, put, finish);
            piece.words = {}, piece.pairs.clear();
        });
    }

  private:
    static constexpr std::size_t piece_bytes = 1 << 20;

    // Boundaries of pieces of about a megabyte.
    static std::vector<std::size_t> cut(const std::vector<Document>& documents) {
        std::vector<std::size_t> cuts{0};
        std::size_t bytes = 0;
        for (std::size_t i = 0; i < documents.size(); ++i) {
            bytes += documents[i].size;
            if (bytes < piece_bytes && i + 1 < documents.size()) continue;
            cuts.push_back(i + 1);
            bytes = 0;
        }
        return cuts;
    }

    void hire() {
        if (options_.terms == TextOptions::Terms::words)
            workers_.push_back(std::make_unique<WordWorker>(options_));
        else
            workers_.push_back(std::make_unique<CharWorker>(options_));
        for (std::string word : stop_words_) {
            const std::size_t size = word.size();
            word.resize(size + 16);
            workers_.back()->stop(reinterpret_cast<const unsigned char*>(word.data()), size);
        }
    }

    template <class Body>
    void for_each_piece(int n_threads, Body body) {
        parallel_chunks(static_cast<std::int64_t>(pieces_.size()), n_threads,
                        [&](std::int64_t p) { body(pieces_[static_cast<std::size_t>(p)]); });
    }

    template <class Chosen>
    void number_columns(Chosen chosen) {
        if (order_ == ColumnOrder::alphabet)
            vocabulary_.number_columns(chosen);
        else
            vocabulary_.number_columns_by_place(chosen, n_places_, order_ == ColumnOrder::frequency);
    }

    TextOptions options_;
    ColumnOrder order_ = ColumnOrder::alphabet;
    std::vector<std::string> stop_words_;
    std::vector<std::unique_ptr<Worker>> workers_;
    std::vector<Piece> pieces_;
    std::size_t n_rows_ = 0;
    std::uint64_t n_places_ = 0;
    std::uint32_t low_ = 1;
    Vocabulary vocabulary_;
};

}  // namespace lindy
