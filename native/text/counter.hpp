// Learning a vocabulary and counting it, in one reading of the texts.
//
//   add       every thread has its own dictionary of words and counts its pieces of the texts.
//   number    words that are frequent enough are numbered; then, level by level, the terms of several words
//             (text/count_pairs.hpp).
//   choose    which numbered terms are features (document frequency, or a mask), and their columns.
//   rows      the matrix; each row in the order in which its terms were first seen in the texts, as
//             scikit-learn has it.
//
// Nothing depends on which thread counted what: first appearances are compared by their place in the texts.
#pragma once

#include <atomic>

#include "core/sparse_rows.hpp"
#include "core/threads.hpp"
#include "text/count_chars.hpp"
#include "text/count_pairs.hpp"
#include "text/count_rows.hpp"
#include "text/count_words.hpp"
#include "text/merge_vocabularies.hpp"
#include "text/weighting.hpp"

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
        const std::vector<std::size_t> cuts = cut(documents, piece_bytes(), Piece::max_rows);
        const std::size_t first = pieces_.size(), n_pieces = cuts.size() - 1;
        std::vector<Piece> pieces(n_pieces);
        const std::size_t n_workers = std::min(n_pieces, static_cast<std::size_t>(std::max(n_threads, 1)));
        while (workers_.size() < n_workers) add_worker();
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

    // Forgets everything but the vocabulary.
    void release() { pieces_.clear(), workers_.clear(), numbers_ = {}, ranks_ = PlaceRanks(); }

    // Numbers the terms that are frequent enough.
    void number(Frequent least, ColumnOrder order, int n_threads) {
        least.documents = std::max(least.documents, 1u);
        order_ = order;
        std::vector<std::uint64_t> first_places{0};
        for (const Piece& piece : pieces_) first_places.push_back(first_places.back() + piece.n_places);
        n_places_ = first_places.back();
        if (n_places_ >= no_term) throw std::length_error("the texts have more than 2^32 - 2 terms");
        const bool sorted = order == ColumnOrder::alphabet;
        numbers_ = WordJoiner(workers_, first_places, n_threads)
                       .number(least, occurrences(least, n_threads), sorted, vocabulary_);
        parallel_chunks(static_cast<std::int64_t>(workers_.size()), n_threads,
                        [&](std::int64_t w) { workers_[static_cast<std::size_t>(w)].reset(); });
        workers_.clear();
        PlaceNumbers below;
        for (std::size_t n = 1; n < options_.n_levels(); ++n) {
            const LevelContext context{
                n,     numbers_, vocabulary_.levels[0].size(), n > 1 ? &below : nullptr, first_places,
                least, sorted};
            vocabulary_.levels.push_back(count_level(pieces_, context, n_threads));
            if (n + 1 == options_.n_levels()) break;
            below = vocabulary_.levels[n].numbers_by_place(n_places_, n_threads);
            deal_next_level(n, below.ranks, n_threads);
        }
    }

    // How often each numbered term occurs that is in at most `high` documents, in the order of their columns.
    Buffer<std::int64_t> totals(std::uint32_t high, bool binary) {
        choose(high, nullptr);
        Buffer<std::int64_t> totals(vocabulary_.n_columns);
        std::fill(totals.begin(), totals.end(), 0);
        auto add = [&](std::uint32_t column, std::uint32_t count) {
            if (column != no_term) totals[column] += binary ? count > 0 : count;
        };
        const Buffer<std::uint32_t>& columns = vocabulary_.levels[0].columns;
        const PlaceNumbers pair_columns = vocabulary_.columns_by_place(1, n_places_, 1);
        for (const Piece& piece : pieces_) {
            SmallCounts::Cursor counts(piece.words.counts);
            for (const std::uint32_t word : piece.words.terms) {
                const std::uint32_t number = numbers_(piece.worker, word), count = counts.next();
                if (number != no_term) add(columns[number], count);
            }
            for (const PairEntries& pairs : piece.pairs)
                for (const PairEntry& entry : pairs.entries)
                    if (pair_columns.ranks.has(entry.place)) add(pair_columns(entry.place), entry.count);
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
    Buffer<std::int64_t> document_frequency(int n_threads) const {
        Buffer<std::int64_t> documents(vocabulary_.n_columns);
        for (const Level& level : vocabulary_.levels)
            parallel_elements(level.size(), n_threads, [&](std::size_t t) {
                if (level.columns[t] != no_term) documents[level.columns[t]] = level.documents[t];
            });
        return documents;
    }

    // The largest count in the matrix is at most this: a term of several words is no more frequent in a
    // document than its words.
    std::uint32_t largest_count() const {
        std::uint32_t largest = 0;
        for (const Piece& piece : pieces_) largest = std::max(largest, piece.words.counts.largest());
        return largest;
    }

    // The matrix, weighed while it is written; with the rows of others, whose columns come first, beside its
    // own. Called once, when the features have been chosen: the counted pieces are given back as they are
    // written.
    template <class Value>
    SparseRows<Value> rows(bool binary, const CountWeights<Value>& weights, int n_threads,
                           const CsrView<Value>* others = nullptr) {
        const RowTerms terms = row_terms(n_threads);
        const Buffer<Value> by_rank = scale_by_rank(weights.scale, terms.columns, n_threads);
        const Value* scale = by_rank.size() ? by_rank.data() : weights.scale;
        const std::size_t of_others = others ? static_cast<std::size_t>(others->indptr[n_rows_]) : 0;
        const std::size_t stored = n_stored() + of_others;
        SparseRows<Value> rows{Buffer<std::int64_t>(n_rows_ + 1), Buffer<std::int32_t>(stored),
                               Buffer<Value>(stored)};
        std::int64_t* starts = rows.indptr.data();
        std::int32_t* indices = rows.indices.data();
        Value* values = rows.values.data();
        const auto shift = static_cast<std::uint32_t>(others ? others->n_columns : 0);
        auto put = [=, &weights](std::int64_t k, std::uint32_t rank, std::uint32_t column,
                                 std::uint32_t count) {
            indices[k] = static_cast<std::int32_t>(column + shift);
            const std::uint32_t times = binary ? 1 : count;
            const Value tf =
                weights.sublinear.entries ? weights.sublinear.entries[times] : static_cast<Value>(times);
            values[k] = scale ? weighting::finite<Value>(tf * scale[rank]) : tf;
        };
        std::int64_t end = 0;
        starts[n_rows_] = static_cast<std::int64_t>(stored);
        in_turns(pieces_.size(), n_threads, [&](Turns& turns) {
            RowWriter writer;
            for (std::size_t p; turns.take(p);) {
                Piece& piece = pieces_[p];
                const auto size = static_cast<std::int64_t>(writer.read(piece, terms));
                if (!turns.wait(p)) return;
                const std::int64_t first = std::exchange(end, end + size);
                turns.done(p);
                writer.write(piece, terms, first, starts, others ? others->indptr : nullptr, put);
                for (std::size_t row = piece.first_row, k = 0; k < piece.n_rows; ++k, ++row) {
                    std::int64_t own = starts[row];
                    if (others) {
                        const Row<Value> other = others->row(static_cast<std::int64_t>(row));
                        std::copy_n(other.index, other.size, indices + own);
                        std::copy_n(other.value, other.size, values + own);
                        own += other.size;
                    }
                    normalize_row(weights.norm, values + own, writer.size(k));
                }
                piece = {};
            }
        });
        return rows;
    }

  private:
    // What the columns are scaled by, in the order of ranks; empty if that is the order of columns.
    template <class Value>
    static Buffer<Value> scale_by_rank(const Value* scale, const Buffer<std::uint32_t>& columns,
                                       int n_threads) {
        Buffer<Value> by_rank(scale ? columns.size() : 0);
        parallel_elements(by_rank.size(), n_threads, [&](std::size_t r) { by_rank[r] = scale[columns[r]]; });
        return by_rank;
    }

    // How often the words of every worker occur, if that decides.
    Occurrences occurrences(const Frequent& least, int n_threads) const {
        if (!least.by_occurrences()) return {};
        Occurrences times(workers_.size());
        parallel_chunks(static_cast<std::int64_t>(workers_.size()), n_threads, [&](std::int64_t worker) {
            const auto w = static_cast<std::size_t>(worker);
            times[w].assign(workers_[w]->words().size(), 0);
            for (const Piece& piece : pieces_) {
                if (piece.worker != w) continue;
                SmallCounts::Cursor counts(piece.words.counts);
                for (const std::uint32_t word : piece.words.terms) times[w][word] += counts.next();
            }
        });
        return times;
    }

    // How many entries the matrix has.
    std::size_t n_stored() const {
        std::size_t stored = 0;
        for (const Level& level : vocabulary_.levels)
            for (std::size_t t = 0; t < level.size(); ++t)
                if (level.columns[t] != no_term) stored += level.documents[t];
        return stored;
    }

    // A piece has as much text as makes its entries fit into a near cache when its rows are written.
    std::size_t piece_bytes() const {
        return options_.terms == TextOptions::Terms::words ? std::size_t{1} << 16 : std::size_t{1} << 15;
    }

    // Deals the terms of n + 2 words; those of n + 1 words have been numbered.
    void deal_next_level(std::size_t n, const PlaceRanks& level, int n_threads) {
        parallel_workers(static_cast<std::int64_t>(pieces_.size()), n_threads, [&](auto take) {
            for (std::int64_t p; take(p);) {
                Piece& piece = pieces_[static_cast<std::size_t>(p)];
                note_terms(piece, piece.pairs[n - 1], level);
                const Tokens tokens{piece.terms.data(), piece.tokens.data(), piece.buckets.data()};
                piece.pairs.push_back(deal_pairs(piece, n + 1, tokens));
                if (n + 2 == options_.n_levels()) piece.tokens = {}, piece.buckets = {}, piece.terms = {};
            }
        });
    }

    // Decides what stands for the features in rows.
    RowTerms row_terms(int n_threads) {
        PlaceNumbers columns{std::move(ranks_), {}};
        if (order_ != ColumnOrder::seen) columns = vocabulary_.columns_by_place(0, n_places_, n_threads);
        const bool by_place = vocabulary_.levels.size() > 1;
        const Level& level = vocabulary_.levels[0];
        Buffer<std::uint32_t> words(level.size());
        parallel_elements(level.size(), n_threads, [&](std::size_t t) {
            const std::uint32_t place = level.places[t];
            words[t] = level.columns[t] == no_term ? no_term : by_place ? place : columns.ranks.rank(place);
        });
        RowTerms terms{{},
                       by_place,
                       by_place ? n_places_ : vocabulary_.n_columns,
                       std::move(columns.ranks),
                       std::move(columns.numbers)};
        for (const Buffer<std::uint32_t>& numbers : numbers_.of_worker) {
            Buffer<std::uint32_t>& own = terms.words.emplace_back(numbers.size());
            parallel_elements(numbers.size(), n_threads, [&](std::size_t i) {
                own[i] = numbers[i] == no_term ? no_term : words[numbers[i]];
            });
        }
        return terms;
    }

    void add_worker() {
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

    template <class Chosen>
    void number_columns(Chosen chosen) {
        if (order_ == ColumnOrder::alphabet)
            vocabulary_.number_columns(chosen);
        else
            ranks_ = vocabulary_.number_columns_by_place(chosen, n_places_, order_ == ColumnOrder::frequency);
    }

    TextOptions options_;
    ColumnOrder order_ = ColumnOrder::alphabet;
    std::vector<std::string> stop_words_;
    std::vector<std::unique_ptr<Worker>> workers_;
    std::vector<Piece> pieces_;
    WordNumbers numbers_;
    std::size_t n_rows_ = 0;
    std::uint64_t n_places_ = 0;
    Vocabulary vocabulary_;
    PlaceRanks ranks_;  // of the features, unless their columns are in the order of the alphabet
};

}  // namespace lindy
