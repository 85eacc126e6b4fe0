// Memory that one pass over the data gives back while it fills another block.
//
// The first touch of a fresh page costs more than everything else that is done with it. Where a pass reads
// blocks, gives them back one by one and writes a large array meanwhile, the pages of the former become those
// of the latter: they are moved in the page table, which costs as much for a large page as for a small one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "core/memory.hpp"

namespace lindy::memory {

#if defined(__linux__)

class RecycledPages {
  public:
    // While one of these exists, blocks that are given back are kept for others.
    class Scope {
      public:
        Scope() { change(1); }
        ~Scope() { change(-1); }
        Scope(const Scope&) = delete;

      private:
        static void change(int by) {
            RecycledPages& pages = get();
            const std::lock_guard lock(pages.mutex_);
            pages.scopes_ += by;
            if (pages.scopes_) return;
            for (const Extent& extent : pages.extents_) munmap(extent.data, extent.bytes);
            pages.extents_.clear();
        }
    };

    // Gives back a block of memory::resize.
    static void release(void* block, std::size_t bytes) {
        if (bytes >= large_from) {
            RecycledPages& pages = get();
            const std::lock_guard lock(pages.mutex_);
            if (pages.scopes_) {
                pages.extents_.push_back({static_cast<char*>(block), mapped_bytes(bytes)});
                return;
            }
        }
        memory::release(block, bytes);
    }

  private:
    friend class BlockPages;

    struct Extent {
        char* data;
        std::size_t bytes;
    };

    static RecycledPages& get() {
        static RecycledPages pages;
        return pages;
    }

    // Moves pages to where none have been touched; if there are not enough, the system has others.
    void fill(char* begin, char* end) {
        const std::lock_guard lock(mutex_);
        while (begin < end && !extents_.empty()) {
            Extent& extent = extents_.back();
            const std::size_t bytes = std::min(extent.bytes, static_cast<std::size_t>(end - begin));
            char* const from = extent.data + extent.bytes - bytes;
            if (mremap(from, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, begin) == MAP_FAILED)
                return map_again(begin, end);
            extent.bytes -= bytes;
            begin += bytes;
            if (!extent.bytes) extents_.pop_back();
        }
    }

    // A move that fails may have taken away what was to be replaced.
    static void map_again(char* begin, char* end) {
        const auto bytes = static_cast<std::size_t>(end - begin);
        if (mmap(begin, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) ==
            MAP_FAILED)
            throw std::bad_alloc();
    }

    std::mutex mutex_;
    std::vector<Extent> extents_;
    int scopes_ = 0;
};

// The pages of one block that is written from its beginning to its end, and that never grows: a block of
// pages from several places cannot.
class BlockPages {
  public:
    BlockPages(void* block, std::size_t bytes)
        : next_(static_cast<char*>(block)), end_(next_ + (bytes < large_from ? 0 : mapped_bytes(bytes))) {}

    // To be called before anything is written beyond what was reached last.
    void reach(const void* place) {
        const auto* const to = static_cast<const char*>(place);
        if (to <= next_ || next_ == end_) return;
        const auto bytes = static_cast<std::size_t>(to - next_);
        char* const stop = std::min(end_, next_ + (bytes + large_page - 1) / large_page * large_page);
        RecycledPages::get().fill(next_, stop);
        next_ = stop;
    }

  private:
    char *next_, *end_;
};

#else

struct RecycledPages {
    struct Scope {
        Scope() {}
        ~Scope() {}
    };
    static void release(void* block, std::size_t bytes) { memory::release(block, bytes); }
};

struct BlockPages {
    BlockPages(void*, std::size_t) {}
    void reach(const void*) {}
};

#endif

}  // namespace lindy::memory
