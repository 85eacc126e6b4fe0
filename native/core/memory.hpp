// Blocks of memory that can grow: large ones are mapped, and in large pages where the system has them.
//
// The first touch of a fresh page is most of the cost of writing to it, and a large page is touched once
// where small ones are touched 512 times; memory that is read at random waits less for the page table.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace lindy::memory {

// Blocks from this size on are mapped: they grow by being moved in the page table, not by being copied, and
// go back to the system when they are freed, not when the whole heap is.
inline constexpr std::size_t mapped_from = std::size_t{1} << 20;

#if defined(__linux__)

inline constexpr std::size_t large_page = std::size_t{1} << 21;
inline constexpr std::size_t large_from = 2 * large_page;  // as NumPy has it

// How much is mapped for a block.
inline std::size_t mapped_bytes(std::size_t bytes) {
    return bytes < large_from ? bytes : (bytes + large_page - 1) / large_page * large_page;
}

inline void* map(std::size_t bytes) {
    void* block = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (block == MAP_FAILED) throw std::bad_alloc();
    return block;
}

// A mapping that begins where a large page does, which not every kernel gives by itself.
inline void* map_large(std::size_t bytes) {
    auto* const block = static_cast<char*>(map(bytes + large_page));
    const std::size_t ahead = -reinterpret_cast<std::uintptr_t>(block) % large_page;
    if (ahead) munmap(block, ahead);
    munmap(block + ahead + bytes, large_page - ahead);
    madvise(block + ahead, bytes, MADV_HUGEPAGE);  // a wish: without large pages nothing changes
    return block + ahead;
}

inline void* map_block(std::size_t bytes) {
    return bytes < large_from ? map(bytes) : map_large(mapped_bytes(bytes));
}

// Another size for a mapped block, which keeps its pages. A large one stays where it is if there is room, or
// moves to where a large page begins.
inline void* remap(void* block, std::size_t bytes, std::size_t wanted) {
    const std::size_t before = mapped_bytes(bytes), after = mapped_bytes(wanted);
    void* moved = MAP_FAILED;
    if (after <= before || wanted < large_from) {
        moved = mremap(block, before, after, MREMAP_MAYMOVE);
    } else {
        if (before >= large_from) moved = mremap(block, before, after, 0);
        if (moved == MAP_FAILED) {
            void* const target = map_large(after);
            moved = mremap(block, before, after, MREMAP_MAYMOVE | MREMAP_FIXED, target);
            if (moved == MAP_FAILED) munmap(target, after);
        }
        if (moved != MAP_FAILED) madvise(moved, after, MADV_HUGEPAGE);
    }
    if (moved == MAP_FAILED) throw std::bad_alloc();
    return moved;
}

inline void release(void* block, std::size_t bytes) {
    if (bytes < mapped_from)
        std::free(block);
    else
        munmap(block, mapped_bytes(bytes));
}

// A block of another size with the old content as far as it fits; bytes is the old size, 0 if there is none.
inline void* resize(void* block, std::size_t bytes, std::size_t wanted) {
    if (bytes < mapped_from && wanted < mapped_from) {
        void* const moved = std::realloc(block, std::max<std::size_t>(wanted, 1));
        if (!moved) throw std::bad_alloc();
        return moved;
    }
    if (bytes >= mapped_from && wanted >= mapped_from) return remap(block, bytes, wanted);
    void* const moved =
        wanted < mapped_from ? std::malloc(std::max<std::size_t>(wanted, 1)) : map_block(wanted);
    if (!moved) throw std::bad_alloc();
    if (block) {
        std::memcpy(moved, block, std::min(bytes, wanted));
        release(block, bytes);
    }
    return moved;
}

#else

inline void release(void* block, std::size_t) {
    std::free(block);
}

inline void* resize(void* block, std::size_t, std::size_t wanted) {
    void* const moved = std::realloc(block, std::max<std::size_t>(wanted, 1));
    if (!moved) throw std::bad_alloc();
    return moved;
}

#endif

}  // namespace lindy::memory
