// Arrays that are written before they are read: no initialisation, no second touch of their pages.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace lindy {

template <class T>
class Buffer {
    static_assert(std::is_trivially_copyable_v<T>);

  public:
    Buffer() = default;
    explicit Buffer(std::size_t size) : data_(allocate(nullptr, size)), size_(size), capacity_(size) {}
    Buffer(const T* data, std::size_t size) : Buffer(size) { std::copy_n(data, size, data_.get()); }
    Buffer(Buffer&& other) noexcept { *this = std::move(other); }
    Buffer& operator=(Buffer&& other) noexcept {
        data_ = std::move(other.data_);
        size_ = std::exchange(other.size_, 0);
        capacity_ = std::exchange(other.capacity_, 0);
        return *this;
    }

    T* data() { return data_.get(); }
    const T* data() const { return data_.get(); }
    T* begin() { return data(); }
    T* end() { return data() + size_; }
    const T* begin() const { return data(); }
    const T* end() const { return data() + size_; }
    std::size_t size() const { return size_; }
    T& operator[](std::size_t i) { return data_[i]; }
    const T& operator[](std::size_t i) const { return data_[i]; }

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
    void append(const T* values, std::size_t count) {
        const std::size_t before = size_;
        resize(size_ + count);
        std::copy_n(values, count, data() + before);
    }
    // The memory, no larger than needed, for who calls std::free.
    T* release() {
        if (size_ < capacity_) data_.reset(allocate(data_.release(), size_));
        size_ = capacity_ = 0;
        return data_.release();
    }

  private:
    struct Free {
        void operator()(T* data) const { std::free(data); }
    };

    // Large blocks grow by being moved in the page table, not by being copied.
    static T* allocate(T* old, std::size_t count) {
        if (count > std::numeric_limits<std::size_t>::max() / 2 / sizeof(T)) throw std::bad_alloc();
        void* data = std::realloc(static_cast<void*>(old), std::max<std::size_t>(count * sizeof(T), 1));
        if (!data) {
            std::free(old);
            throw std::bad_alloc();
        }
        return static_cast<T*>(data);
    }
    [[gnu::noinline]] void grow(std::size_t least) {
        const std::size_t capacity = std::max({least, 2 * capacity_, std::size_t{64}});
        data_.reset(allocate(data_.release(), capacity));
        capacity_ = capacity;
    }

    std::unique_ptr<T[], Free> data_;
    std::size_t size_ = 0, capacity_ = 0;
};

}  // namespace lindy
