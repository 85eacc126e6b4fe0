// The terms of texts as their columns alone, in the order in which they are met: what is left of a text when
// no row is made of it.
#pragma once

#include <memory>
#include <vector>

#include "core/sort_rows.hpp"
#include "core/spare_buffers.hpp"
#include "text/hashing.hpp"
#include "text/weighting.hpp"

namespace lindy {

// For the codes of the next batch.
struct SpareCodes : SpareBuffers<std::uint32_t> {
    SpareCodes() : SpareBuffers(64, std::size_t{1} << 20) {}
};

// Text i has codes[starts[i]] to codes[starts[i + 1] - 1], each of them column << 1 | (whether its sign is
// negative).
struct TermCodes {
    std::uint32_t n_columns;
    std::shared_ptr<SpareCodes> spare;
    Buffer<std::uint32_t> codes;
    Buffer<std::int64_t> starts;

    TermCodes(std::uint32_t columns, std::shared_ptr<SpareCodes> spare_codes)
        : n_columns(columns), spare(std::move(spare_codes)), codes(spare->take()) {
        starts.push(0);
    }
    TermCodes(TermCodes&&) = default;
    ~TermCodes() {
        if (spare) spare->give(std::move(codes));
    }

    std::size_t size() const { return starts.size() - 1; }

    // Adds texts; `find` is a WordHasher or a CharHasher.
    template <class Finder>
    void read(Finder& find, const std::vector<Document>& documents) {
        starts.reserve(starts.size() + documents.size());
        for (std::size_t i = 0; i < documents.size(); ++i) {
            read_document(i, [&] { find(documents[i], Found{codes}); });
            starts.push(static_cast<std::int64_t>(codes.size()));
        }
    }

  private:
    struct Found {
        Buffer<std::uint32_t>& found;
        // times is negative (modulo 2³²) for a negative sign.
        void operator()(std::uint32_t column, std::uint32_t times) const {
            const bool negative = static_cast<std::int32_t>(times) < 0;
            for (std::uint32_t left = negative ? 0 - times : times; left > 0; --left)
                found.push(column << 1 | std::uint32_t{negative});
        }
        void codes(const std::uint32_t* codes, std::size_t n) const { found.append(codes, n); }
    };
};

// Makes the row of one text from its codes: the same bits as find_rows has.
class TermRow {
  public:
    TermRow(std::uint32_t n_columns, Norm norm) : n_columns_(n_columns), weigh_(nullptr, norm) {}

    Row<float> operator()(const std::uint32_t* codes, std::size_t n) {
        sorter_.clear(n_columns_);
        sorter_.push_codes(codes, n, 0);
        const std::size_t size = sorter_.finish()[0];
        indices_.resize(size), values_.resize(size);
        std::size_t k = 0;
        sorter_.for_each_sum([&](std::size_t, std::uint32_t column, std::int32_t sum) {
            indices_[k] = static_cast<std::int32_t>(column);
            values_[k++] = static_cast<float>(sum);
        });
        weigh_(indices_.data(), values_.data(), static_cast<std::int64_t>(size));
        return {indices_.data(), values_.data(), static_cast<std::ptrdiff_t>(size)};
    }

  private:
    std::uint32_t n_columns_;
    RowWeigher<float, double> weigh_;
    RowSorter sorter_;
    Buffer<std::int32_t> indices_;
    Buffer<float> values_;
};

}  // namespace lindy
