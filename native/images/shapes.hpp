// Shapes in pictures of ink and paper: pieces of ink, loops of paper inside it, and the box around it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/threads.hpp"

namespace lindy {

struct ImageShape {
    std::int32_t components;     // pieces of ink, which hold together over edges and corners
    std::int32_t loops;          // pieces of paper, which hold together over edges, that no way leads out of
    std::int32_t height, width;  // of the smallest box with all ink; 0 without ink
};

// Measures one picture after the other; the frame of paper around each joins all paper that touches its edge.
class ShapeMeter {
  public:
    ShapeMeter(std::int32_t height, std::int32_t width)
        : height_(height), width_(width), line_(width + 2), cells_(line_ * (height + 2)) {
        waiting_.reserve(cells_.size());
    }

    // ink: height × width, nonzero where there is ink.
    ImageShape operator()(const std::uint8_t* ink) {
        ImageShape shape{0, 0, 0, 0};
        std::int32_t top = height_, bottom = -1, left = width_, right = -1;
        std::fill(cells_.begin(), cells_.end(), kPaper);
        for (std::int32_t i = 0; i < height_; ++i)
            for (std::int32_t j = 0; j < width_; ++j) {
                if (!ink[static_cast<std::int64_t>(i) * width_ + j]) continue;
                cells_[(i + 1) * line_ + j + 1] = kInk;
                top = std::min(top, i);
                bottom = i;
                left = std::min(left, j);
                right = std::max(right, j);
            }
        if (bottom < 0) return shape;
        shape.height = bottom - top + 1;
        shape.width = right - left + 1;
        clear(0, kPaper, 4);
        for (std::size_t cell = 0; cell < cells_.size(); ++cell) {
            if (cells_[cell] == kInk) {
                ++shape.components;
                clear(cell, kInk, 8);
            } else if (cells_[cell] == kPaper) {
                ++shape.loops;
                clear(cell, kPaper, 4);
            }
        }
        return shape;
    }

  private:
    enum Cell : std::uint8_t { kSeen, kInk, kPaper };

    // Marks the piece that holds together with a cell as seen: over its first n_neighbours, edges before
    // corners.
    void clear(std::size_t start, Cell kind, int n_neighbours) {
        const auto line = static_cast<std::ptrdiff_t>(line_);
        const std::ptrdiff_t steps[] = {1, -1, line, -line, line + 1, line - 1, -line + 1, -line - 1};
        cells_[start] = kSeen;
        waiting_.assign(1, start);
        while (!waiting_.empty()) {
            const auto at = static_cast<std::ptrdiff_t>(waiting_.back());
            waiting_.pop_back();
            for (int k = 0; k < n_neighbours; ++k) {
                // paper reaches the frame, whose neighbours may lie outside; ink never does
                const auto next = static_cast<std::size_t>(at + steps[k]);
                if (next >= cells_.size() || cells_[next] != kind) continue;
                cells_[next] = kSeen;
                waiting_.push_back(next);
            }
        }
    }

    std::int32_t height_, width_;
    std::size_t line_;
    std::vector<Cell> cells_;
    std::vector<std::size_t> waiting_;
};

// images: n_images × height × width; shapes: n_images × 4, the fields of ImageShape in their order.
inline void measure_images(const std::uint8_t* images, std::int64_t n_images, std::int32_t height,
                           std::int32_t width, std::int32_t* shapes, int n_threads) {
    constexpr std::int64_t kImages = 256;
    const std::int64_t size = static_cast<std::int64_t>(height) * width;
    parallel_chunks((n_images + kImages - 1) / kImages, n_threads, [=](std::int64_t chunk) {
        ShapeMeter meter(height, width);
        const std::int64_t end = std::min((chunk + 1) * kImages, n_images);
        for (std::int64_t i = chunk * kImages; i < end; ++i) {
            const ImageShape shape = meter(images + i * size);
            std::int32_t* out = shapes + i * 4;
            out[0] = shape.components;
            out[1] = shape.loops;
            out[2] = shape.height;
            out[3] = shape.width;
        }
    });
}

}  // namespace lindy
