// exp, log and log(1 + exp) with the same bits on every machine and at every vector width: additions,
// multiplications, one division and integer shifts in a fixed order, no libm.
//
// Every function takes a float, a double, or a GCC vector of either; all lanes are computed alike and without
// branches, so plain loops over arrays vectorise too. Arguments are finite.
#pragma once

#include <cstdint>
#include <type_traits>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace lindy {

namespace fastmath {

#include "core/fastmath.inl"

}  // namespace fastmath

// Denormals cost up to a hundred cycles each and carry nothing: flushed to zero while this object lives.
class FlushToZero {
  public:
#if defined(__x86_64__)
    FlushToZero() : saved_(_mm_getcsr()) { _mm_setcsr(static_cast<unsigned>(saved_) | 0x8040u); }
    ~FlushToZero() { _mm_setcsr(static_cast<unsigned>(saved_)); }
#elif defined(__aarch64__)
    FlushToZero() {
        asm volatile("mrs %0, fpcr" : "=r"(saved_));
        asm volatile("msr fpcr, %0" : : "r"(saved_ | (std::uint64_t{1} << 24)));
    }
    ~FlushToZero() { asm volatile("msr fpcr, %0" : : "r"(saved_)); }
#else
    FlushToZero() = default;
    ~FlushToZero() = default;
#endif
    FlushToZero(const FlushToZero&) = delete;
    FlushToZero& operator=(const FlushToZero&) = delete;

  private:
    std::uint64_t saved_ = 0;
};

}  // namespace lindy
