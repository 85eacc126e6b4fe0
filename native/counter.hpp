// Learning a vocabulary and counting it, in one reading of the texts.
//
//   add       every thread has its own dictionary of words and counts its pieces of the texts. A term of n ≥
//   2 words is
//             the pair (its first n − 1 words, its last word); pairs are counted within their document and
//             then dealt into 256 buckets by a hash of their text.
//   number    words that occur in at least `low` documents are numbered; then, level by level and bucket by
//   bucket, so
//             that all memory stays in the cache, the pairs.
//   choose    which numbered terms are features (document frequency, or a mask), and their columns.
//   rows      the matrix; each row in the order in which its terms were first seen in the texts, as
//   scikit-learn has it.
//
// Nothing depends on which thread counted what: first-seen order is decided piece by piece at the end.
#pragma once

#include <atomic>

#include "count_chars.hpp"
#include "count_words.hpp"
#include "threads.hpp"

namespace lindy {

// What decides the columns: the alphabet, the first appearance in the texts, or the number of documents with
// a term (most first; equals by first appearance). Only the alphabet costs sorting.
enum class ColumnOrder { alphabet, seen, frequency };

class Counter {
  public:
    explicit Counter(const TextOptions& options) : options_(options) {}

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
        for (const Piece& piece : pieces_)
            for (std::size_t n = options_.first_level(); n < piece.levels.size(); ++n)
                if (piece.levels[n].counts.size()) return false;
        return true;
    }

    // Forgets everything but the vocabulary.
    void release() {
        pieces_.clear(), workers_.clear(), seen_.clear(), number_.clear();
        column_of_seen_ = {}, row_sizes_ = {};
    }

    // Numbers the terms that occur in at least `low` documents.
    void number(std::uint32_t low, ColumnOrder order, int n_threads) {
        low = std::max(low, 1u);
        order_ = order;
        number_words(low);
        for (std::size_t n = 1; n < options_.n_levels(); ++n) {
            number_pairs(n, low, n_threads);
            if (order_ == ColumnOrder::alphabet) vocabulary_.sort_level(n);
        }
        workers_.clear();
    }

    // How often each numbered term occurs that is in at most `high` documents, in the order of their columns.
    Buffer<std::int64_t> totals(std::uint32_t high, bool binary, int n_threads) {
        choose(high, nullptr, n_threads);
        Buffer<std::int64_t> totals(vocabulary_.n_columns);
        std::fill(totals.begin(), totals.end(), 0);
        for (const Piece& piece : pieces_)
            for (std::size_t n = 0; n < piece.levels.size(); ++n) {
                const PieceLevel& level = piece.levels[n];
                for (std::size_t i = 0; i < level.terms.size(); ++i) {
                    if (level.terms[i] == no_term) continue;
                    const std::uint32_t column = vocabulary_.levels[n].columns[level.terms[i]];
                    if (column != no_term) totals[column] += binary ? 1 : level.counts[i];
                }
            }
        return totals;
    }

    // Makes features of the numbered terms that are in at most `high` documents; `mask`, if given, says for
    // each of them, in the order of their columns, whether it stays.
    void choose(std::uint32_t high, const std::uint8_t* mask, int n_threads) {
        auto frequent = [&](std::size_t n, std::uint32_t t) {
            return n >= options_.first_level() && vocabulary_.levels[n].documents[t] <= high;
        };
        number_columns(frequent, n_threads);
        if (!mask) return;
        std::vector<Buffer<std::uint32_t>> columns;
        for (Level& level : vocabulary_.levels) columns.push_back(std::move(level.columns));
        auto stays = [&](std::size_t n, std::uint32_t t) {
            return columns[n][t] != no_term && mask[columns[n][t]];
        };
        number_columns(stays, n_threads);
    }

    // In how many documents each feature occurs.
    Buffer<std::int64_t> document_frequency() const {
        Buffer<std::int64_t> documents(vocabulary_.n_columns);
        for (const Level& level : vocabulary_.levels)
            for (std::size_t t = 0; t < level.size(); ++t)
                if (level.columns[t] != no_term) documents[level.columns[t]] = level.documents[t];
        return documents;
    }

    // The beginning of each row; called once.
    Buffer<std::int64_t> row_starts(int n_threads) {
        if (order_ == ColumnOrder::alphabet) {
            see_all(n_threads);
            column_of_seen_ = Buffer<std::uint32_t>(vocabulary_.n_columns);
            for (std::size_t n = 0; n < seen_.size(); ++n)
                for (std::size_t t = 0; t < seen_[n].size(); ++t)
                    if (seen_[n][t].piece != no_term)
                        column_of_seen_[seen_[n][t].order] = vocabulary_.levels[n].columns[t];
        }
        Buffer<std::int64_t> starts(n_rows_ + 1);
        starts[0] = 0;
        for (std::size_t i = 0; i < n_rows_; ++i) starts[i + 1] = starts[i] + row_sizes_[i];
        return starts;
    }

    // Fills indices and values; weigh(values, indices, size) may change the values of a finished row.
    template <class Value, class Weigh>
    void rows(const std::int64_t* starts, std::int32_t* indices, Value* values, bool binary, Weigh weigh,
              int n_threads) {
        if (order_ != ColumnOrder::alphabet)
            return rows_as_read(starts, indices, values, binary, weigh, n_threads);
        parallel_chunks(static_cast<std::int64_t>(pieces_.size()), n_threads, [&](std::int64_t p) {
            thread_local RowSorter own;
            RowSorter& sorter = own;
            const Piece& piece = pieces_[static_cast<std::size_t>(p)];
            std::vector<std::size_t> at(piece.levels.size(), 0);
            const std::size_t group = piece.huge ? 1 : RowSorter::max_rows;
            for (std::size_t row = 0; row < piece.n_rows;) {
                const std::size_t end = collect(piece, row, std::min(piece.n_rows, row + group), at, sorter);
                std::array<std::int64_t, RowSorter::max_rows> cursor;
                for (std::size_t r = row; r < end; ++r) cursor[r - row] = starts[piece.first_row + r];
                sorter.deal(static_cast<std::uint32_t>(vocabulary_.n_columns), piece.huge,
                            [&](std::size_t r, std::uint32_t order, std::uint32_t count) {
                                const std::int64_t k = cursor[r]++;
                                indices[k] = static_cast<std::int32_t>(column_of_seen_[order]);
                                values[k] = binary ? Value{1} : static_cast<Value>(count);
                            });
                for (std::size_t r = piece.first_row + row; r < piece.first_row + end; ++r)
                    weigh(values + starts[r], indices + starts[r], starts[r + 1] - starts[r]);
                row = end;
            }
        });
    }

  private:
    // rows() without sorting: each row in the order in which its text has the terms.
    template <class Value, class Weigh>
    void rows_as_read(const std::int64_t* starts, std::int32_t* indices, Value* values, bool binary,
                      Weigh weigh, int n_threads) {
        parallel_chunks(static_cast<std::int64_t>(pieces_.size()), n_threads, [&](std::int64_t p) {
            const Piece& piece = pieces_[static_cast<std::size_t>(p)];
            std::vector<std::size_t> at(piece.levels.size(), 0);
            for (std::size_t row = 0; row < piece.n_rows; ++row) {
                const std::int64_t begin = starts[piece.first_row + row];
                std::int64_t k = begin;
                for (std::size_t n = 0; n < piece.levels.size(); ++n) {
                    const PieceLevel& level = piece.levels[n];
                    const Buffer<std::uint32_t>& columns = vocabulary_.levels[n].columns;
                    const std::size_t last = level.terms.size() - 1;
                    for (const std::size_t end = at[n] + level.sizes[row]; at[n] < end; ++at[n]) {
                        const std::uint32_t next = level.terms[std::min(at[n] + ahead, last)];
                        if (next != no_term) __builtin_prefetch(&columns[next]);
                        const std::uint32_t term = level.terms[at[n]];
                        if (term == no_term) continue;
                        indices[k] = static_cast<std::int32_t>(columns[term]);
                        values[k++] = binary ? Value{1} : static_cast<Value>(level.counts[at[n]]);
                    }
                }
                weigh(values + begin, indices + begin, k - begin);
            }
        });
    }

    template <class Chosen>
    void number_columns(Chosen chosen, int n_threads) {
        if (order_ == ColumnOrder::alphabet) return vocabulary_.number_columns(chosen);
        for (std::size_t n = 0; n < vocabulary_.levels.size(); ++n) {
            Level& level = vocabulary_.levels[n];
            level.columns = Buffer<std::uint32_t>(level.size());
            for (std::uint32_t t = 0; t < level.size(); ++t) level.columns[t] = chosen(n, t) ? 0 : no_term;
        }
        vocabulary_.n_columns = see_all(n_threads);
        Buffer<std::uint32_t> columns(vocabulary_.n_columns);  // by first appearance
        std::iota(columns.begin(), columns.end(), 0);
        if (order_ == ColumnOrder::frequency) columns = ranks_by_frequency();
        for (std::size_t n = 0; n < vocabulary_.levels.size(); ++n)
            for (std::size_t t = 0; t < seen_[n].size(); ++t)
                if (seen_[n][t].piece != no_term)
                    vocabulary_.levels[n].columns[t] = columns[seen_[n][t].order];
    }

    // The place of each feature (in the order of first appearance) when the most frequent come first.
    Buffer<std::uint32_t> ranks_by_frequency() const {
        Buffer<std::uint64_t> rarity(vocabulary_.n_columns);
        for (std::size_t n = 0; n < seen_.size(); ++n)
            for (std::size_t t = 0; t < seen_[n].size(); ++t)
                if (seen_[n][t].piece != no_term)
                    rarity[seen_[n][t].order] = n_rows_ - vocabulary_.levels[n].documents[t];
        const Buffer<std::uint32_t> sorted = sorted_order(rarity);
        Buffer<std::uint32_t> ranks(sorted.size());
        for (std::size_t i = 0; i < sorted.size(); ++i) ranks[sorted[i]] = static_cast<std::uint32_t>(i);
        return ranks;
    }

    static constexpr std::size_t piece_bytes = 1 << 20;
    static constexpr std::size_t group_entries = 1 << 15;
    static constexpr std::size_t ahead = 16;  // how early memory is fetched

    struct Seen {
        std::uint32_t piece;  // the first piece with the term; no_term if it is no feature
        std::uint32_t order;  // among all features, by first appearance (within the piece, at first)
    };

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

    // Joins the threads' dictionaries; words in fewer than `low` documents get no number.
    void number_words(std::uint32_t low) {
        Dictionary all;
        std::vector<std::vector<std::uint32_t>> joined(
            workers_.size());  // a worker's number → number in `all`
        std::vector<std::uint32_t> documents, first_piece;
        for (std::size_t w = 0; w < workers_.size(); ++w) {
            const Strings& strings = workers_[w]->words();
            std::vector<std::uint32_t>& number = joined[w];
            number.resize(strings.size());
            if (w == 0)
                std::iota(number.begin(), number.end(), 0);
            else
                for (std::size_t i = 0; i < strings.size(); ++i) number[i] = find(all, strings[i]);
            if (w == 0 && workers_.size() > 1)
                for (std::size_t i = 0; i < strings.size(); ++i) find(all, strings[i]);
            documents.resize(std::max(all.size(), strings.size()), 0);
            first_piece.resize(documents.size(), no_term);
            const std::vector<std::uint32_t> own = workers_[w]->documents_with();
            for (std::size_t i = 0; i < own.size(); ++i) documents[number[i]] += own[i];
            for (std::size_t i = 0; i < strings.size(); ++i)
                first_piece[number[i]] = std::min(first_piece[number[i]], workers_[w]->first_piece()[i]);
        }
        const Strings none;
        const Strings& strings = workers_.empty()      ? none
                                 : workers_.size() > 1 ? all.strings()
                                                       : workers_[0]->words();
        std::vector<std::uint32_t> frequent;
        for (std::uint32_t i = 0; i < documents.size(); ++i)
            if (documents[i] >= low) frequent.push_back(i);
        const std::vector<std::uint32_t> sorted =
            order_ == ColumnOrder::alphabet ? alphabetic(strings, frequent) : frequent;
        std::vector<std::uint32_t> number(documents.size(), no_term);
        Level level;
        for (const std::uint32_t i : sorted) {
            number[i] = static_cast<std::uint32_t>(level.order.size());
            level.order.push(number[i]);
            level.documents.push(documents[i]);
            level.first_piece.push(first_piece[i]);
            vocabulary_.words.push(reinterpret_cast<const unsigned char*>(strings[i].data()),
                                   strings[i].size());
        }
        vocabulary_.levels.clear();
        vocabulary_.levels.push_back(std::move(level));
        number_.clear();
        for (auto& map : joined) {
            for (std::uint32_t& i : map) i = number[i];
            number_.push_back(std::move(map));
        }
        for (Piece& piece : pieces_)
            for (std::uint32_t& term : piece.levels[0].terms) term = number_[piece.worker][term];
    }

    static std::uint32_t find(Dictionary& dictionary, std::string_view text) {
        unsigned char padded[32] = {};
        const unsigned char* data = reinterpret_cast<const unsigned char*>(text.data());
        if (text.size() <= 16) {
            std::memcpy(padded, data, text.size());
            data = padded;
        }
        const Key key = make_key(data, text.size(), HashKey::get());
        return dictionary.slot(data, text.size(), key, key.hash(HashKey::get())).id;
    }

    // One bucket of one level: its terms, numbered from 0.
    struct Bucket {
        Buffer<std::uint64_t> parents;
        Buffer<std::uint32_t> documents, first_piece;
    };

    void number_pairs(std::size_t n, std::uint32_t low, int n_threads) {
        std::array<Bucket, n_buckets> buckets;
        parallel_chunks(n_buckets, n_threads, [&](std::int64_t b) {
            number_bucket(n, static_cast<std::size_t>(b), low, buckets[static_cast<std::size_t>(b)]);
        });
        std::array<std::uint32_t, n_buckets> bases;
        Level level;
        for (std::size_t b = 0; b < n_buckets; ++b) {
            bases[b] = static_cast<std::uint32_t>(level.documents.size());
            level.parents.append(buckets[b].parents.data(), buckets[b].parents.size());
            level.documents.append(buckets[b].documents.data(), buckets[b].documents.size());
            level.first_piece.append(buckets[b].first_piece.data(), buckets[b].first_piece.size());
        }
        vocabulary_.levels.push_back(std::move(level));
        parallel_chunks(static_cast<std::int64_t>(pieces_.size()), n_threads, [&](std::int64_t p) {
            PieceLevel& entries = pieces_[static_cast<std::size_t>(p)].levels[n];
            auto cursor = entries.starts;
            thread_local Buffer<std::uint32_t> own;
            Buffer<std::uint32_t>& terms = own;
            terms.resize(entries.counts.size());
            for (std::size_t i = 0; i < terms.size(); ++i) {
                const std::uint8_t b = entries.buckets[i];
                const std::uint32_t term = entries.pairs[2 * cursor[b]++];
                terms[i] = term == no_term ? no_term : bases[b] + term;
            }
            // in the memory of the pairs, which has been touched already
            std::copy_n(terms.data(), terms.size(), entries.pairs.data());
            entries.pairs.resize(terms.size());
            entries.terms = std::move(entries.pairs);
            entries.buckets = {};
        });
    }

    // Numbers the pairs of one bucket; writes the numbers in place of the pairs' parents.
    void number_bucket(std::size_t n, std::size_t b, std::uint32_t low, Bucket& bucket) {
        thread_local DocumentTable own;
        DocumentTable& table = own;
        std::size_t entries = 0;
        for (const Piece& piece : pieces_)
            entries += piece.levels[n].starts[b + 1] - piece.levels[n].starts[b];
        table.begin(entries);
        for (std::size_t p = 0; p < pieces_.size(); ++p) {
            PieceLevel& level = pieces_[p].levels[n];
            const std::vector<std::uint32_t>& word = number_[pieces_[p].worker];
            const std::uint32_t* below = n > 1 ? pieces_[p].levels[n - 1].terms.data() : nullptr;
            for (std::size_t i = level.starts[b]; i < level.starts[b + 1]; ++i) {
                std::uint32_t& entry = level.pairs[2 * i];
                const std::uint32_t last = word[level.pairs[2 * i + 1]];
                const std::uint32_t parent = n > 1 ? below[entry] : word[entry];
                if (parent == no_term || last == no_term) {
                    entry = no_term;
                    continue;
                }
                const std::uint64_t key = static_cast<std::uint64_t>(parent) << 32 | last;
                const auto [number, is_new] = table.number(key);
                if (is_new) {
                    bucket.parents.push(key);
                    bucket.documents.push(0);
                    bucket.first_piece.push(static_cast<std::uint32_t>(p));
                }
                ++bucket.documents[number];
                entry = number;
            }
        }
        if (low > 1) drop_rare(n, b, low, bucket);
    }

    void drop_rare(std::size_t n, std::size_t b, std::uint32_t low, Bucket& bucket) {
        Buffer<std::uint32_t> kept(bucket.documents.size());
        std::uint32_t next = 0;
        for (std::size_t t = 0; t < kept.size(); ++t) {
            kept[t] = bucket.documents[t] < low ? no_term : next++;
            if (kept[t] == no_term) continue;
            bucket.parents[kept[t]] = bucket.parents[t];
            bucket.documents[kept[t]] = bucket.documents[t];
            bucket.first_piece[kept[t]] = bucket.first_piece[t];
        }
        bucket.parents.resize(next), bucket.documents.resize(next), bucket.first_piece.resize(next);
        for (Piece& piece : pieces_) {
            PieceLevel& level = piece.levels[n];
            for (std::size_t i = level.starts[b]; i < level.starts[b + 1]; ++i)
                if (level.pairs[2 * i] != no_term) level.pairs[2 * i] = kept[level.pairs[2 * i]];
        }
    }

    static void fetch(const Buffer<Seen>& seen, std::uint32_t term) {
        if (term != no_term) __builtin_prefetch(&seen[term]);
    }

    // Puts the features in the order in which the texts have them; returns their number.
    std::size_t see_all(int n_threads) {
        seen_.clear();
        for (Level& level : vocabulary_.levels) {
            Buffer<Seen> seen(level.size());
            for (std::size_t t = 0; t < level.size(); ++t)
                seen[t] = {level.columns[t] == no_term ? no_term : level.first_piece[t], no_term};
            seen_.push_back(std::move(seen));
        }
        row_sizes_ = Buffer<std::uint32_t>(n_rows_);
        std::vector<std::uint32_t> bases(pieces_.size() + 1, 0);
        parallel_chunks(static_cast<std::int64_t>(pieces_.size()), n_threads, [&](std::int64_t p) {
            bases[static_cast<std::size_t>(p) + 1] = see(static_cast<std::size_t>(p));
        });
        for (std::size_t p = 0; p < pieces_.size(); ++p) bases[p + 1] += bases[p];
        for (Buffer<Seen>& level : seen_)
            for (Seen& seen : level)
                if (seen.piece != no_term) seen.order += bases[seen.piece];
        return bases.back();
    }

    // Gives features first seen in piece p their order within it and removes the entries of terms that are
    // none.
    std::uint32_t see(std::size_t p) {
        Piece& piece = pieces_[p];
        std::vector<std::size_t> at(piece.levels.size(), 0);
        std::uint32_t next = 0;
        for (std::size_t row = 0; row < piece.n_rows; ++row) {
            std::uint32_t stored = 0;
            for (std::size_t n = 0; n < piece.levels.size(); ++n) {
                PieceLevel& level = piece.levels[n];
                const std::size_t last = level.terms.size() - 1;
                for (const std::size_t end = at[n] + level.sizes[row]; at[n] < end; ++at[n]) {
                    fetch(seen_[n], level.terms[std::min(at[n] + ahead, last)]);
                    std::uint32_t& term = level.terms[at[n]];
                    if (term == no_term) continue;
                    Seen& seen = seen_[n][term];
                    if (seen.piece == no_term) {
                        term = no_term;
                        continue;
                    }
                    if (seen.piece == p && seen.order == no_term) seen.order = next++;
                    ++stored;
                }
            }
            row_sizes_[piece.first_row + row] = stored;
        }
        return next;
    }

    // Hands entries of rows from `row` on to the sorter, as many rows as fit its caches; returns the end.
    std::size_t collect(const Piece& piece, std::size_t row, std::size_t end, std::vector<std::size_t>& at,
                        RowSorter& sorter) const {
        sorter.clear();
        const std::size_t first = row;
        for (; row < end && sorter.size() < group_entries; ++row)
            for (std::size_t n = 0; n < piece.levels.size(); ++n) {
                const PieceLevel& level = piece.levels[n];
                const std::size_t last = level.terms.size() - 1;
                for (const std::size_t stop = at[n] + level.sizes[row]; at[n] < stop; ++at[n]) {
                    fetch(seen_[n], level.terms[std::min(at[n] + ahead, last)]);
                    if (level.terms[at[n]] != no_term)
                        sorter.push(seen_[n][level.terms[at[n]]].order,
                                    static_cast<std::uint32_t>(row - first), level.counts[at[n]]);
                }
            }
        return row;
    }

    TextOptions options_;
    ColumnOrder order_ = ColumnOrder::alphabet;
    std::vector<std::string> stop_words_;
    std::vector<std::unique_ptr<Worker>> workers_;
    std::vector<Piece> pieces_;
    std::size_t n_rows_ = 0;
    std::vector<std::vector<std::uint32_t>> number_;  // a worker's word → its number in the vocabulary
    Vocabulary vocabulary_;
    std::vector<Buffer<Seen>> seen_;
    Buffer<std::uint32_t> row_sizes_;
    Buffer<std::uint32_t> column_of_seen_;
};

}  // namespace lindy
