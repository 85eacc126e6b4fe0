// Arrays of a size that is known when they are made, and that are given back one by one.
#pragma once

#include <memory>

#include "core/recycled_pages.hpp"

namespace lindy {

// An array in an arena.
template <class T>
class ArenaArray {
  public:
    ArenaArray() = default;
    ArenaArray(std::shared_ptr<const void> block, T* data, std::size_t size)
        : block_(std::move(block)), data_(data), size_(size) {}

    T* data() { return data_; }
    const T* data() const { return data_; }
    const T* begin() const { return data_; }
    const T* end() const { return data_ + size_; }
    std::size_t size() const { return size_; }
    T& operator[](std::size_t i) { return data_[i]; }
    const T& operator[](std::size_t i) const { return data_[i]; }

  private:
    std::shared_ptr<const void> block_;
    T* data_ = nullptr;
    std::size_t size_ = 0;
};

// Arrays lie side by side in large blocks, and a block goes back to the system with the last array in it:
// what is allocated array by array stays with the heap of its thread when it is freed. One per thread.
class Arena {
  public:
    // An array, to be written.
    template <class T>
    ArenaArray<T> make(std::size_t size) {
        static_assert(std::is_trivially_copyable_v<T>);
        used_ = (used_ + alignof(T) - 1) / alignof(T) * alignof(T);
        if (!block_ || used_ + size * sizeof(T) > block_->bytes) {
            block_bytes_ = std::min(2 * block_bytes_, most_bytes);
            block_ = std::make_shared<Block>(std::max(size * sizeof(T), block_bytes_));
            used_ = 0;
        }
        T* const place = reinterpret_cast<T*>(block_->data + used_);
        used_ += size * sizeof(T);
        return {block_, place, size};
    }

    template <class T>
    ArenaArray<T> put(const T* values, std::size_t size) {
        ArenaArray<T> array = make<T>(size);
        std::copy_n(values, size, array.data());
        return array;
    }

  private:
    struct Block {
        explicit Block(std::size_t size)
            : bytes(size), data(static_cast<unsigned char*>(memory::resize(nullptr, 0, size))) {}
        Block(const Block&) = delete;
        ~Block() { memory::RecycledPages::release(data, bytes); }

        const std::size_t bytes;
        unsigned char* const data;
    };

    static constexpr std::size_t most_bytes = std::size_t{1} << 22;

    std::size_t block_bytes_ = std::size_t{1} << 15, used_ = 0;
    std::shared_ptr<Block> block_;
};

}  // namespace lindy
