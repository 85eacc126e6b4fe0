// Memory of buffers that are no longer needed, for those that come next: the first touch of fresh pages costs
// more than what is done with them.
#pragma once

#include <mutex>
#include <vector>

#include "core/buffer.hpp"

namespace lindy {

// Any thread may take and give.
template <class T>
class SpareBuffers {
  public:
    // Keeps up to n_buffers, none of which has more than most_entries.
    SpareBuffers(std::size_t n_buffers, std::size_t most_entries)
        : n_buffers_(n_buffers), most_entries_(most_entries) {}

    // An empty buffer, with the memory of another one if there is any.
    Buffer<T> take() {
        const std::lock_guard guard(lock_);
        if (spare_.empty()) return {};
        Buffer<T> buffer = std::move(spare_.back());
        spare_.pop_back();
        buffer.clear();
        return buffer;
    }
    void give(Buffer<T> buffer) {
        const std::lock_guard guard(lock_);
        if (spare_.size() < n_buffers_ && buffer.size() <= most_entries_) spare_.push_back(std::move(buffer));
    }

  private:
    const std::size_t n_buffers_, most_entries_;
    std::mutex lock_;
    std::vector<Buffer<T>> spare_;
};

}  // namespace lindy
