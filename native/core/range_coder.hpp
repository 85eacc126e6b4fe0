// Bytes in as few bits as the bytes before them allow: an adaptive binary range coder.
//
//   decisions   a byte is its eight bits, the highest first; each has a probability p of being 1, in units of 2^-16,
//               that belongs to the context (a byte, such as the one before) and to the bits of this byte so far
//   learning    p moves to 2^16 - 512 after a 1, to 512 after a 0: half of the way at first, at last 1/64
//   coding      [low, high] is cut at low + floor((high - low) p / 2^16), the lower part is a 1; leading bytes that low
//               and high share are written, and at the end the four of low
//
// What is coded has at least one byte for 16 that it stands for (zeros at the end), so that a forged file cannot ask
// for much more memory than it has bytes.
#pragma once

#include <array>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "core/buffer.hpp"

namespace lindy {

// What bytes are told by: the probabilities of all decisions, by context.
class ByteModel {
  public:
    struct Decision {
        std::uint16_t p = 1 << 15;
        std::uint16_t seen = 0;

        void learn(bool bit) {
            const int wanted = bit ? (1 << 16) - 512 : 512;
            if (seen < 6) ++seen;
            p = static_cast<std::uint16_t>(p + ((wanted - p) >> seen));
        }
    };
    ByteModel() : decisions_(256 * 256) {}

    Decision* of(std::uint8_t context) { return decisions_.data() + 256 * context; }

  private:
    std::vector<Decision> decisions_;
};

struct RangeInterval {
    std::uint32_t low = 0, high = UINT32_MAX;

    std::uint32_t cut(std::uint16_t p) const {
        return low + static_cast<std::uint32_t>((std::uint64_t{high - low} * p) >> 16);
    }
    void take(bool bit, std::uint32_t middle) { bit ? high = middle : low = middle + 1; }
    bool shares_byte() const { return (low ^ high) >> 24 == 0; }
    void shift() {
        low <<= 8;
        high = high << 8 | 0xFF;
    }
};

inline constexpr std::size_t most_per_byte = 16;

class RangeEncoder {
  public:
    void byte(ByteModel& model, std::uint8_t context, std::uint8_t value) {
        ByteModel::Decision* const decisions = model.of(context);
        ++n_bytes_;
        for (unsigned node = 1, shift = 8; shift-- > 0;) {
            const bool bit = value >> shift & 1;
            interval_.take(bit, interval_.cut(decisions[node].p));
            decisions[node].learn(bit);
            node = 2 * node + bit;
            for (; interval_.shares_byte(); interval_.shift()) write();
        }
    }
    // All bytes, and as many zeros as make them `least`.
    Buffer<std::uint8_t> finish(std::size_t least = 0) {
        for (int i = 0; i < 4; ++i, interval_.shift()) write();
        least = std::max(least, (n_bytes_ + most_per_byte - 1) / most_per_byte);
        while (bytes_.size() < least) bytes_.push(0);
        return std::move(bytes_);
    }

  private:
    void write() { bytes_.push(static_cast<std::uint8_t>(interval_.low >> 24)); }

    RangeInterval interval_;
    std::size_t n_bytes_ = 0;
    Buffer<std::uint8_t> bytes_;
};

struct BadCode : std::runtime_error {
    using std::runtime_error::runtime_error;
};

class RangeDecoder {
  public:
    RangeDecoder(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {
        for (int i = 0; i < 4; ++i) read();
    }

    std::uint8_t byte(ByteModel& model, std::uint8_t context) {
        ByteModel::Decision* const decisions = model.of(context);
        if (n_bytes_++ / most_per_byte >= size_) throw BadCode("it stands for more than it has bytes for");
        unsigned node = 1;
        while (node < 256) {
            const std::uint32_t middle = interval_.cut(decisions[node].p);
            const bool bit = code_ <= middle;
            interval_.take(bit, middle);
            decisions[node].learn(bit);
            node = 2 * node + bit;
            for (; interval_.shares_byte(); interval_.shift()) read();
        }
        return static_cast<std::uint8_t>(node);
    }
    // Throws BadCode unless everything was read that `finish` wrote.
    void finish(std::size_t least = 0) {
        least = std::max({least, (n_bytes_ + most_per_byte - 1) / most_per_byte, position_});
        bool zeros = least == size_;
        for (; zeros && position_ < size_; ++position_) zeros = data_[position_] == 0;
        if (!zeros) throw BadCode("it does not end where it should");
    }

  private:
    void read() {
        code_ = code_ << 8 | (position_ < size_ ? data_[position_] : 0);
        ++position_;
    }

    const std::uint8_t* data_;
    std::size_t size_, position_ = 0, n_bytes_ = 0;
    RangeInterval interval_;
    std::uint32_t code_ = 0;
};

}  // namespace lindy
