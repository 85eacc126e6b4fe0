// Vectors that are written or read at random: in large pages, because with small ones most accesses wait for
// the page table, above all in virtual machines.
#pragma once

#include <cstddef>
#include <vector>

#include "core/memory.hpp"

namespace lindy {

template <class T>
struct HugePages {
    using value_type = T;

    HugePages() = default;
    template <class U>
    HugePages(const HugePages<U>&) {}

    T* allocate(std::size_t n) { return static_cast<T*>(memory::resize(nullptr, 0, n * sizeof(T))); }
    void deallocate(T* block, std::size_t n) { memory::release(block, n * sizeof(T)); }
    bool operator==(const HugePages&) const = default;
};

template <class T>
using HugeVector = std::vector<T, HugePages<T>>;

}  // namespace lindy
