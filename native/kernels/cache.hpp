// The rows of a square kernel that were used last, in float or double, and no more of them than allowed.
//
// A learner that shrinks its problem wants rows of the remaining examples only. Rows made before are then cut
// to what remains when they are next wanted, so that the loops over a row never meet an example that is gone.
#pragma once

#include <cstring>
#include <list>
#include <numeric>

#include "core/buffer.hpp"
#include "kernels/source.hpp"

namespace lindy {

// Rows are as long as the next multiple of 8, filled up with zeros: loops over vectors have no rest.
inline constexpr std::size_t padded(std::size_t n) {
    return (n + 7) / 8 * 8;
}

template <class K>
class RowCache {
  public:
    RowCache(Source source, std::int64_t bytes)
        : source_(std::move(source)),
          budget_(bytes),
          slots_(static_cast<std::size_t>(source_->n_rows)),
          active_(static_cast<std::size_t>(source_->n_columns)) {
        std::iota(active_.begin(), active_.end(), 0);
        lists_.push_back(active_);
    }
    RowCache(const RowCache&) = delete;
    RowCache& operator=(const RowCache&) = delete;

    // κ(x_i, ·) over the active examples. A missing row is computed together with `companions`, which the
    // caller expects to want soon. The pointer lives until rows other than the two wanted last are asked for.
    const K* row(std::int64_t i, const std::vector<std::int64_t>& companions = {}) {
        Slot& slot = slots_[static_cast<std::size_t>(i)];
        if (!has(i)) {
            std::vector<std::int64_t> ids{i};
            ids.insert(ids.end(), companions.begin(), companions.end());
            compute(ids);
        } else if (slot.list != current()) {
            cut(slot);
        }
        touch(i);
        return slot.values.data();
    }

    // Whether row i is there, whole or with more than the active examples.
    bool has(std::int64_t i) const { return slots_[static_cast<std::size_t>(i)].list >= 0; }

    const std::vector<std::int32_t>& active() const { return active_; }
    const KernelSource& source() const { return *source_; }
    bool has_room_for(std::int64_t rows) const {
        return used_ + rows * static_cast<std::int64_t>(active_.size() * sizeof(K)) <= budget_;
    }

    // Only these examples, a part of those that were active, from now on.
    void shrink(std::vector<std::int32_t> active) {
        active_ = std::move(active);
        lists_.push_back(active_);
    }

    // All examples again. Rows that were cut are of no use any more.
    void restore() {
        active_ = lists_.front();
        for (std::size_t i = 0; i < slots_.size(); ++i)
            if (slots_[i].list > 0) drop(slots_[i]);
        lists_.resize(1);
    }

  private:
    struct Slot {
        Buffer<K> values;
        std::int32_t list = -1;  // number of the list of examples that the row holds; −1 if there is no row
        std::list<std::int64_t>::iterator place;
    };

    std::int32_t current() const { return static_cast<std::int32_t>(lists_.size()) - 1; }

    void touch(std::int64_t i) {
        Slot& slot = slots_[static_cast<std::size_t>(i)];
        used_last_.splice(used_last_.end(), used_last_, slot.place);
    }

    void compute(const std::vector<std::int64_t>& ids) {
        const auto n = static_cast<std::int64_t>(active_.size());
        scratch_.resize(ids.size() * active_.size());
        const bool whole = n == source_->n_columns;
        kernel_block(*source_, ids.data(), static_cast<std::int64_t>(ids.size()),
                     {whole ? nullptr : active_.data(), 0, n}, scratch_.data(), 1);
        for (std::size_t r = ids.size(); r-- > 0;) {  // the row that is wanted comes last and stays longest
            Slot& slot = slots_[static_cast<std::size_t>(ids[r])];
            make_room(n * static_cast<std::int64_t>(sizeof(K)));
            slot.values = Buffer<K>(padded(active_.size()));
            used_ += static_cast<std::int64_t>(slot.values.size() * sizeof(K));
            slot.list = current();
            slot.place = used_last_.insert(used_last_.end(), ids[r]);
            const double* from = scratch_.data() + r * active_.size();
            std::copy_n(from, n, slot.values.data());
            clear_tail(slot);
        }
    }

    // At least two rows always stay: a step needs two.
    void make_room(std::int64_t bytes) {
        while (used_last_.size() > 2 && used_ + bytes > budget_)
            drop(slots_[static_cast<std::size_t>(used_last_.front())]);
    }

    void drop(Slot& slot) {
        used_ -= static_cast<std::int64_t>(slot.values.size() * sizeof(K));
        slot.values = Buffer<K>();
        slot.list = -1;
        used_last_.erase(slot.place);
    }

    // Keeps the entries of the active examples; both lists are in rising order.
    void cut(Slot& slot) {
        const std::vector<std::int32_t>& had = lists_[static_cast<std::size_t>(slot.list)];
        K* values = slot.values.data();
        std::size_t from = 0;
        for (std::size_t k = 0; k < active_.size(); ++k, ++from) {
            while (had[from] != active_[k]) ++from;
            values[k] = values[from];
        }
        slot.list = current();
        clear_tail(slot);
    }

    void clear_tail(Slot& slot) {
        std::fill(slot.values.data() + active_.size(), slot.values.data() + padded(active_.size()), K{0});
    }

    const Source source_;
    const std::int64_t budget_;
    std::vector<Slot> slots_;
    std::vector<std::int32_t> active_;
    std::vector<std::vector<std::int32_t>> lists_;  // the active examples after each shrinking
    std::list<std::int64_t> used_last_;
    std::vector<double> scratch_;
    std::int64_t used_ = 0;
};

}  // namespace lindy
