// Memory for large arrays that are written or read at random: in large pages where the system has them,
// because with small ones most accesses wait for the page table, above all in virtual machines.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace lindy {

// Asks for large pages; if the system has none, nothing changes.
inline void wish_huge_pages([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) {
#if defined(__linux__)
    constexpr std::size_t small_page = 4096;
    const std::size_t ahead = -reinterpret_cast<std::size_t>(memory) % small_page;
    if (bytes > ahead) madvise(static_cast<char*>(memory) + ahead, bytes - ahead, MADV_HUGEPAGE);
#endif
}

template <class T>
struct HugePages {
    using value_type = T;
    static constexpr std::size_t page = std::size_t{1} << 21;

    HugePages() = default;
    template <class U>
    HugePages(const HugePages<U>&) {}

    T* allocate(std::size_t n) {
        const std::size_t bytes = n * sizeof(T);
        if (bytes < 2 * page) return static_cast<T*>(::operator new(bytes));
        void* memory = std::aligned_alloc(page, (bytes + page - 1) / page * page);
        if (!memory) throw std::bad_alloc();
        wish_huge_pages(memory, bytes);
        return static_cast<T*>(memory);
    }
    void deallocate(T* memory, std::size_t n) {
        if (n * sizeof(T) < 2 * page)
            ::operator delete(memory);
        else
            std::free(memory);
    }
    bool operator==(const HugePages&) const = default;
};

template <class T>
using HugeVector = std::vector<T, HugePages<T>>;

}  // namespace lindy
