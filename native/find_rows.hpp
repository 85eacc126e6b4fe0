// The matrix of new texts over known terms: each row sorted by column.
#pragma once

#include <array>

#include "analyze.hpp"
#include "csr.hpp"
#include "rows.hpp"
#include "threads.hpp"

namespace lindy {

// The rows of some documents: columns with their counts (which may be negative), sorted by column.
struct FoundRows {
    Buffer<std::uint32_t> sizes, columns;
    Buffer<std::int32_t> counts;

    void clear() { sizes.clear(), columns.clear(), counts.clear(); }
};

// A matrix that grows row by row.
template <class Value>
struct GrowingRows {
    Buffer<std::int64_t> starts;  // and the end of the last
    Buffer<std::int32_t> indices;
    Buffer<Value> values;
    std::size_t n_columns = 0;

    GrowingRows() { starts.push(0); }

    CsrView<Value> view() const {
        return {starts.data(), indices.data(), values.data(), static_cast<std::int64_t>(starts.size()) - 1,
                static_cast<std::int64_t>(n_columns)};
    }

    void append(const FoundRows& rows, bool binary) {
        for (const std::uint32_t size : rows.sizes) starts.push(starts[starts.size() - 1] + size);
        const std::size_t at = indices.size(), more = rows.columns.size();
        indices.resize(at + more);
        values.resize(at + more);
        for (std::size_t k = 0; k < more; ++k) indices[at + k] = static_cast<std::int32_t>(rows.columns[k]);
        for (std::size_t k = 0; k < more; ++k)
            values[at + k] = binary ? Value{1} : static_cast<Value>(rows.counts[k]);
    }
};

// Counts columns document by document.
class RowCollector {
  public:
    explicit RowCollector(std::size_t n_columns) : n_columns_(static_cast<std::uint32_t>(n_columns)) {}

    template <class Finder>
    const FoundRows& operator()(Finder& find, const Document* documents, std::size_t n,
                                std::size_t first_row) {
        rows_.clear();
        first_row_ = first_row;
        for (std::size_t i = 0; i < n;) i = group(find, documents, i, n, rows_);
        return rows_;
    }

  private:
    static constexpr std::size_t group_entries = 1 << 15;

    template <class Finder>
    std::size_t group(Finder& find, const Document* documents, std::size_t begin, std::size_t n,
                      FoundRows& rows) {
        sorter_.clear();
        std::size_t i = begin, limit = 2 * group_entries;
        for (; i < n && i - begin < RowSorter::max_rows && sorter_.size() < group_entries; ++i) {
            const auto row = static_cast<std::uint32_t>(i - begin);
            read_document(first_row_ + i, [&] {
                find(documents[i], [&](std::uint32_t column, std::uint32_t times) {
                    sorter_.push_signed(column, row, static_cast<std::int32_t>(times));
                    if (sorter_.size() < limit) [[likely]]
                        return;
                    sorter_.combine(n_columns_);
                    limit = std::max(limit, 2 * sorter_.size());
                });
            });
        }
        sorter_.combine(n_columns_);
        std::array<std::size_t, RowSorter::max_rows> cursor{};
        sorter_.for_each_sum([&](std::size_t row, std::uint32_t, std::int32_t) { ++cursor[row]; });
        std::size_t end = rows.columns.size();
        for (std::size_t row = 0; row < i - begin; ++row) {
            rows.sizes.push(static_cast<std::uint32_t>(cursor[row]));
            end += std::exchange(cursor[row], end);
        }
        rows.columns.resize(end);
        rows.counts.resize(end);
        sorter_.for_each_sum([&](std::size_t row, std::uint32_t column, std::int32_t sum) {
            rows.columns[cursor[row]] = column;
            rows.counts[cursor[row]++] = sum;
        });
        return i;
    }

    std::uint32_t n_columns_;
    std::size_t first_row_ = 0;  // of the documents at hand, for messages
    RowSorter sorter_;
    FoundRows rows_;
};

// Reads a batch of documents with several threads and appends their rows.
template <class MakeFinder, class Value>
void find_rows(MakeFinder make_finder, std::size_t n_columns, const std::vector<Document>& documents,
               bool binary, int n_threads, GrowingRows<Value>& rows) {
    constexpr std::size_t piece_bytes = 1 << 18;
    rows.n_columns = n_columns;
    std::vector<std::size_t> cuts{0};
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < documents.size(); ++i) {
        bytes += documents[i].size;
        if (bytes < piece_bytes && i + 1 < documents.size()) continue;
        cuts.push_back(i + 1);
        bytes = 0;
    }
    const std::size_t n_pieces = cuts.size() - 1;
    in_turns(n_pieces, n_threads, [&](Turns& turns) {
        auto find = make_finder();
        RowCollector collect(n_columns);
        for (std::size_t p; turns.take(p);) {
            const FoundRows& found =
                collect(find, documents.data() + cuts[p], cuts[p + 1] - cuts[p], cuts[p]);
            if (!turns.wait(p)) return;
            rows.append(found, binary);
            turns.done(p);
        }
    });
}

}  // namespace lindy
