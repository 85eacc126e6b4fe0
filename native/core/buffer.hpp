// Arrays that are written before they are read: no initialisation, no second touch of their pages.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <limits>
#include <new>
#include <type_traits>
#include <utility>

#include "core/memory.hpp"

namespace lindy {

template <class T>
class Buffer {
    static_assert(std::is_trivially_copyable_v<T>);

  public:
    Buffer() = default;
    explicit Buffer(std::size_t size) : size_(size) { reallocate(size); }
    Buffer(const T* data, std::size_t size) : Buffer(size) { std::copy_n(data, size, data_); }
    Buffer(Buffer&& other) noexcept { swap(other); }
    Buffer& operator=(Buffer&& other) noexcept {
        Buffer old(std::move(other));
        swap(old);
        return *this;
    }
    ~Buffer() { memory::release(data_, capacity_ * sizeof(T)); }

    T* data() { return data_; }
    const T* data() const { return data_; }
    T* begin() { return data(); }
    T* end() { return data() + size_; }
    const T* begin() const { return data(); }
    const T* end() const { return data() + size_; }
    std::size_t size() const { return size_; }
    T& operator[](std::size_t i) { return data_[i]; }
    const T& operator[](std::size_t i) const { return data_[i]; }

    void swap(Buffer& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        std::swap(capacity_, other.capacity_);
    }
    void clear() { size_ = 0; }
    [[gnu::always_inline]] void push(const T& value) { next() = value; }
    // One more element, to be written field by field: copying a struct right after writing it would stall.
    [[gnu::always_inline]] T& next() {
        if (size_ == capacity_) [[unlikely]]
            grow(size_ + 1);
        return data_[size_++];
    }
    // Makes room for `size` elements, whatever they hold; what was there before stays.
    T* resize(std::size_t size) {
        if (size > capacity_) grow(size);
        size_ = size;
        return data();
    }
    // Makes room for `size` elements in all, which come later.
    void reserve(std::size_t size) {
        if (size > capacity_) reallocate(size);
    }
    void append(const T* values, std::size_t count) {
        const std::size_t before = size_;
        resize(size_ + count);
        std::copy_n(values, count, data() + before);
    }
    // Gives back the memory that is not needed.
    void shrink() {
        if (size_ < capacity_) reallocate(size_);
    }

  private:
    [[gnu::noinline]] void grow(std::size_t least) {
        reallocate(std::max({least, 2 * capacity_, std::size_t{64}}));
    }
    void reallocate(std::size_t capacity) {
        if (capacity > std::numeric_limits<std::size_t>::max() / 2 / sizeof(T)) throw std::bad_alloc();
        data_ = static_cast<T*>(memory::resize(data_, capacity_ * sizeof(T), capacity * sizeof(T)));
        capacity_ = capacity;
    }

    T* data_ = nullptr;
    std::size_t size_ = 0, capacity_ = 0;
};

}  // namespace lindy
