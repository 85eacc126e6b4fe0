// The matrix of new texts over known terms: each row sorted by column.
#pragma once

#include <array>
#include <atomic>

#include "analyze.hpp"
#include "rows.hpp"
#include "threads.hpp"

namespace lindy {

// The rows of some documents: columns with their counts (which may be negative), sorted by column.
struct FoundRows {
    Buffer<std::uint32_t> sizes, columns;
    Buffer<std::int32_t> counts;
};

// Counts columns document by document.
class RowCollector {
  public:
    explicit RowCollector(std::size_t n_columns) : n_columns_(static_cast<std::uint32_t>(n_columns)) {}

    template <class Finder>
    FoundRows operator()(Finder& find, const Document* documents, std::size_t n, std::size_t first_row) {
        FoundRows rows;
        first_row_ = first_row;
        for (std::size_t i = 0; i < n;) i = group(find, documents, i, n, rows);
        return rows;
    }

  private:
    static constexpr std::size_t group_entries = 1 << 15;

    template <class Finder>
    std::size_t group(Finder& find, const Document* documents, std::size_t begin, std::size_t n,
                      FoundRows& rows) {
        sorter_.clear();
        std::size_t i = begin;
        const std::size_t first_entry = rows.columns.size();
        bool one_row = false;
        std::array<std::size_t, RowSorter::max_rows> cursor;
        for (; i < n && i - begin < RowSorter::max_rows && sorter_.size() < group_entries && !one_row; ++i) {
            std::uint32_t largest = 0;
            read_document(first_row_ + i, [&] { largest = count(find, documents[i]); });
            if (largest > RowSorter::max_count / 2) {
                if (i > begin) break;  // read again, as a group of its own
                one_row = true;
            }
            cursor[i - begin] = first_entry + sorter_.size();
            for (std::size_t k = 0; k < columns_.size(); ++k)
                sorter_.push(columns_[k], static_cast<std::uint32_t>(i - begin),
                             one_row ? counts_[k] : counts_[k] & RowSorter::max_count);
            rows.sizes.push(static_cast<std::uint32_t>(columns_.size()));
        }
        rows.columns.resize(first_entry + sorter_.size());
        rows.counts.resize(first_entry + sorter_.size());
        sorter_.deal(n_columns_, one_row, [&](std::size_t row, std::uint32_t column, std::uint32_t count) {
            rows.columns[cursor[row]] = column;
            // 24 bits with their sign, unless the row had all 32
            rows.counts[cursor[row]++] =
                one_row ? static_cast<std::int32_t>(count) : static_cast<std::int32_t>(count << 8) >> 8;
        });
        return i;
    }

    // The distinct columns of one document and their counts; returns the largest count.
    template <class Finder>
    std::uint32_t count(Finder& find, const Document& document) {
        found_.clear(), columns_.clear(), counts_.clear();
        find(document, [&](std::uint32_t column, std::uint32_t times) { found_.push({column, times}); });
        table_.begin(found_.size());
        std::uint32_t largest = 0;
        for (const auto& [column, times] : found_) {
            const auto [number, is_new] = table_.number(column);
            if (is_new) {
                columns_.push(column);
                counts_.push(0);
            }
            counts_[number] += times;
            largest = std::max(largest, magnitude(counts_[number]));
        }
        return largest;
    }

    static std::uint32_t magnitude(std::uint32_t count) { return std::min(count, 0u - count); }

    std::uint32_t n_columns_;
    std::size_t first_row_ = 0;  // of the documents at hand, for messages
    Buffer<std::pair<std::uint32_t, std::uint32_t>> found_;
    Buffer<std::uint32_t> columns_, counts_;  // counts modulo 2^32
    DocumentTable table_;
    RowSorter sorter_;
};

// Reads batches of documents with several threads and puts their rows together.
template <class MakeFinder>
void find_rows(MakeFinder make_finder, std::size_t n_columns, const std::vector<Document>& documents,
               int n_threads, std::vector<FoundRows>& rows) {
    constexpr std::size_t piece_bytes = 1 << 18;
    std::vector<std::size_t> cuts{0};
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < documents.size(); ++i) {
        bytes += documents[i].size;
        if (bytes < piece_bytes && i + 1 < documents.size()) continue;
        cuts.push_back(i + 1);
        bytes = 0;
    }
    const std::size_t before = rows.size(), n_pieces = cuts.size() - 1;
    rows.resize(before + n_pieces);
    const std::int64_t workers =
        std::min(static_cast<std::int64_t>(n_pieces), static_cast<std::int64_t>(std::max(n_threads, 1)));
    std::atomic<std::size_t> next{0};
    parallel_chunks(workers, n_threads, [&](std::int64_t) {
        auto find = make_finder();
        RowCollector collect(n_columns);
        for (std::size_t p; (p = next.fetch_add(1)) < n_pieces;)
            rows[before + p] = collect(find, documents.data() + cuts[p], cuts[p + 1] - cuts[p], cuts[p]);
    });
}

}  // namespace lindy
