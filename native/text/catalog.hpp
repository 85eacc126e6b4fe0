// Terms of texts that are counted part by part: numbers that stay when further parts come.
//
//   add    the terms of a counted part are looked up by their text; new ones are numbered in the order in
//          which the part first has them, so that all numbers are in the order of first appearance in all
//          texts.
//   rows   of the part, in these numbers and sorted by them: the order in which a counter of all texts at
//          once would have written them.
#pragma once

#include "core/dictionary.hpp"
#include "core/radix.hpp"
#include "text/counter.hpp"

namespace lindy {

class TermCatalog {
  public:
    std::size_t size() const { return table_.size(); }
    const Strings& strings() const { return table_.strings(); }
    const Buffer<std::uint32_t>& documents() const { return documents_; }

    // The number of a term, which is added if it is new.
    std::uint32_t number(const unsigned char* data, std::size_t size) {
        unsigned char padded[32] = {};  // a key reads 16 bytes, whatever the size
        if (size <= 16) std::memcpy(padded, data, size), data = padded;
        const auto key = make_short_key(data, size, HashKey::get());
        const std::uint32_t found = table_.slot(data, size, key, key.hash(HashKey::get())).id;
        if (found == documents_.size()) documents_.push(0);
        return found;
    }

    // Takes terms in the order of their first appearance, and in how many texts each of them is.
    void add(const unsigned char* data, const std::int64_t* offsets, const std::uint32_t* documents,
             std::size_t size) {
        for (std::size_t i = 0; i < size; ++i) {
            const auto length = static_cast<std::size_t>(offsets[i + 1] - offsets[i]);
            documents_[number(data + offsets[i], length)] += documents[i];
        }
    }

    // Takes what a counter has counted; afterwards the counter is of no use.
    // Returns its rows: terms by their numbers here, and how often each occurs.
    SparseRows<std::uint32_t> add(Counter& counter, int n_threads) {
        counter.number({1, 1}, ColumnOrder::seen, n_threads);
        counter.choose(~0u, nullptr);
        const Buffer<std::uint32_t> numbers = number_terms(counter.vocabulary());
        if (size() > std::numeric_limits<std::int32_t>::max())
            throw std::length_error("the texts have more than 2^31 - 1 different terms");
        SparseRows<float> counted = counter.rows<float>(false, {}, n_threads);
        SparseRows<std::uint32_t> rows{std::move(counted.indptr), std::move(counted.indices),
                                       Buffer<std::uint32_t>(counted.values.size())};
        const auto n_rows = static_cast<std::int64_t>(rows.indptr.size()) - 1;
        constexpr std::int64_t at_once = 64;  // rows
        parallel_workers((n_rows + at_once - 1) / at_once, n_threads, [&](auto take) {
            Buffer<std::uint64_t> items, other;
            for (std::int64_t chunk; take(chunk);)
                for (std::int64_t i = chunk * at_once; i < std::min(n_rows, (chunk + 1) * at_once); ++i)
                    sort_row(rows, counted.values.data(), i, numbers, items, other);
        });
        return rows;
    }

  private:
    // The terms of a block, one after the other, with what the table finds them by.
    struct Block {
        static constexpr std::size_t most = 64;
        Buffer<unsigned char> text;
        std::size_t begins[most + 1];
        ShortKey keys[most];
        std::uint64_t hashes[most];
        std::uint32_t documents[most];
    };

    // The numbers of a part's terms, which are looked up in the order of their columns. They come in blocks:
    // the memory that a look-up reads is far away, and that of all terms of a block is asked for at once.
    Buffer<std::uint32_t> number_terms(const Vocabulary& vocabulary) {
        const Buffer<Vocabulary::Feature> features = vocabulary.features();
        Buffer<std::uint32_t> numbers(features.size());
        Block block;
        for (std::size_t first = 0; first < features.size(); first += Block::most) {
            const std::size_t size = std::min(Block::most, features.size() - first);
            read_block(vocabulary, features.data() + first, size, block);
            for (std::size_t i = 0; i < size; ++i) table_.prefetch_text(block.keys[i], block.hashes[i]);
            for (std::size_t i = 0; i < size; ++i) {
                const unsigned char* data = block.text.data() + block.begins[i];
                const std::size_t length = block.begins[i + 1] - block.begins[i];
                const std::uint32_t found = table_.slot(data, length, block.keys[i], block.hashes[i]).id;
                if (found == documents_.size()) documents_.push(0);
                documents_[found] += block.documents[i];
                numbers[first + i] = found;
            }
        }
        return numbers;
    }

    void read_block(const Vocabulary& vocabulary, const Vocabulary::Feature* features, std::size_t size,
                    Block& block) {
        block.text.clear();
        block.begins[0] = 0;
        for (std::size_t i = 0; i < size; ++i) {
            const auto& [level, term] = features[i];
            vocabulary.append_text(level, term, block.text);
            block.begins[i + 1] = block.text.size();
            block.documents[i] = vocabulary.levels[level].documents[term];
        }
        std::fill_n(block.text.resize(block.text.size() + 16) + block.begins[size], 16, 0);
        for (std::size_t i = 0; i < size; ++i) {
            const std::size_t length = block.begins[i + 1] - block.begins[i];
            block.keys[i] = make_short_key(block.text.data() + block.begins[i], length, HashKey::get());
            block.hashes[i] = block.keys[i].hash(HashKey::get());
            table_.prefetch(block.hashes[i]);
        }
    }

    // Gives row i the catalog's numbers, in their order.
    void sort_row(SparseRows<std::uint32_t>& rows, const float* counts, std::int64_t i,
                  const Buffer<std::uint32_t>& numbers, Buffer<std::uint64_t>& items,
                  Buffer<std::uint64_t>& other) const {
        const std::int64_t begin = rows.indptr[static_cast<std::size_t>(i)],
                           end = rows.indptr[static_cast<std::size_t>(i) + 1];
        items.resize(static_cast<std::size_t>(end - begin));
        for (std::int64_t k = begin; k < end; ++k) {
            const auto at = static_cast<std::size_t>(k);
            const std::uint64_t term = numbers[static_cast<std::size_t>(rows.indices[at])];
            items[static_cast<std::size_t>(k - begin)] = term << 32 | static_cast<std::uint32_t>(counts[at]);
        }
        if (items.size() < 64)
            std::sort(items.begin(), items.end());
        else
            radix_sort(items, other, 32, 32 + std::bit_width(size()));
        std::size_t at = static_cast<std::size_t>(begin);
        for (const std::uint64_t item : items) {
            rows.indices[at] = static_cast<std::int32_t>(item >> 32);
            rows.values[at++] = static_cast<std::uint32_t>(item);
        }
    }

    NgramDictionary table_;
    Buffer<std::uint32_t> documents_;  // in how many texts each term is
};

}  // namespace lindy
