// Files that are mapped, the thread that gives their pages back when memory is short, and rows that are read
// from them without the map.
//
// What is read of a mapped file counts as memory of the process, though the system could take it back at any
// time. Above a limit the keeper tells the system that the pages of all maps are not needed; they stay in its
// cache of files as long as there is room. It is a thread, whose turn may come late: what reads fast asks
// itself, every few megabytes (Maps::keep_down). Where single rows are read at random, the system maps
// sixteen pages around each one: they are read with pread, which maps nothing.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>

#include "core/system.hpp"

namespace lindy {

// A place in a file.
struct FilePlace {
    system::File file = system::no_file;
    std::int64_t offset = 0;
};

// All maps of the process, by where they begin.
class Maps {
  public:
    static Maps& get() {
        static Maps* const maps = new Maps;  // outlives the threads of a process that ends
        return *maps;
    }
    void add(char* begin, std::size_t size, system::File file) {
        std::lock_guard guard(lock_);
        maps_[begin] = {size, file};
    }
    // Unmaps, so that nobody gives back the pages of what may be mapped there next.
    void remove(char* begin) {
        std::lock_guard guard(lock_);
        const auto found = maps_.find(begin);
        system::unmap_file(begin, found->second.size);
        system::close_file(found->second.file);
        maps_.erase(found);
    }
    // Gives back the pages of all maps if the process has more in memory than it may.
    void keep_down() {
        const std::int64_t limit = limit_.load(std::memory_order_relaxed);
        if (limit == no_limit ||
            system::resident_bytes() <= std::max(limit, least_.load(std::memory_order_relaxed)))
            return;
        std::lock_guard guard(lock_);
        for (const auto& [begin, map] : maps_) system::give_back(begin, map.size);
        // where the rest of the memory is above the limit alone, giving back all the time would gain nothing
        least_ = system::resident_bytes() + step;
    }
    // How many bytes the process may have in memory: the least of the limits that hold.
    void add_limit(std::int64_t limit) {
        std::lock_guard guard(lock_);
        limits_.insert(limit);
        limit_ = *limits_.begin();
        least_ = 0;
    }
    void remove_limit(std::int64_t limit) {
        std::lock_guard guard(lock_);
        limits_.erase(limits_.find(limit));
        limit_ = limits_.empty() ? no_limit : *limits_.begin();
    }
    // Where in a file some memory is, if all of it is mapped.
    FilePlace place(const void* data, std::size_t size) {
        std::lock_guard guard(lock_);
        auto* const begin = const_cast<char*>(static_cast<const char*>(data));
        auto found = maps_.upper_bound(begin);
        if (found == maps_.begin() || size == 0) return {};
        --found;
        if (begin + size > found->first + found->second.size) return {};
        return {found->second.file, begin - found->first};
    }

  private:
    struct Map {
        std::size_t size;
        system::File file;
    };
    static constexpr std::int64_t no_limit = std::numeric_limits<std::int64_t>::max();
    static constexpr std::int64_t step = 32 << 20;  // by which memory grows before pages are given back again
    std::mutex lock_;
    std::map<char*, Map> maps_;
    std::multiset<std::int64_t> limits_;
    std::atomic<std::int64_t> limit_{no_limit}, least_{0};
};

// Looks at the resident memory every few milliseconds, and gives back what is mapped when it is above the
// limit.
class PageKeeper {
  public:
    explicit PageKeeper(std::int64_t limit) : limit_(limit) {
        Maps::get().add_limit(limit);
        thread_ = std::jthread([this](std::stop_token stop) { work(stop); });
    }
    ~PageKeeper() { Maps::get().remove_limit(limit_); }

  private:
    void work(std::stop_token stop) {
        std::unique_lock guard(lock_);
        while (!stop.stop_requested()) {
            wake_.wait_for(guard, stop, std::chrono::milliseconds(2), [] { return false; });
            Maps::get().keep_down();
        }
    }

    std::int64_t limit_;
    std::mutex lock_;
    std::condition_variable_any wake_;
    std::jthread thread_;
};

// Memory that is a file, from its beginning; the file may be closed meanwhile.
class MappedFile {
  public:
    MappedFile(int file, std::size_t size) : size_(size) {
        const system::File own = system::duplicate(file);
        try {
            data_ = system::map_file(own, size);
        } catch (...) {
            system::close_file(own);
            throw;
        }
        Maps::get().add(data_, size, own);
    }
    MappedFile(const MappedFile&) = delete;
    ~MappedFile() { Maps::get().remove(data_); }

    char* data() { return data_; }
    std::size_t size() const { return size_; }

  private:
    char* data_;
    std::size_t size_;
};

// Reads bytes of a file.
inline void read_bytes(const FilePlace& place, std::int64_t offset, void* to, std::size_t size) {
    auto* out = static_cast<char*>(to);
    for (std::int64_t at = place.offset + offset; size > 0;) {
        const std::int64_t got = system::read_at(place.file, out, size, at);
        if (got <= 0)
            throw std::runtime_error("a file of the cache is shorter than it was, or cannot be read");
        out += got, at += got, size -= static_cast<std::size_t>(got);
    }
}

}  // namespace lindy
