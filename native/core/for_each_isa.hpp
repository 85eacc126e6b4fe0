// Includes the file named by LINDY_KERNELS three times: in namespace lindy::baseline, lindy::avx2 and
// lindy::avx512, each compiled for its level. The included file has no include guard, opens no namespace and
// includes nothing; its includer has included what it needs beforehand (so that the standard library's
// templates are compiled for the baseline only and no wide instruction leaks into shared code).
// No include guard: a file may name several kernel files. LINDY_BASELINE_ONLY: for coverage and fuzzing.
// LINDY_VECTOR_BYTES is the width of a level's vectors: g++ takes over no macro (__AVX2__, …) from a target
// pragma. Floating-point contraction is off for the whole build; "fma" is therefore left out on purpose.
// clang knows no target pragma, but gives an attribute to all functions of a region.
#if !defined(LINDY_KERNELS)
#error "define LINDY_KERNELS to the kernel file before including core/for_each_isa.hpp"
#endif

#define LINDY_VECTOR_BYTES 16
namespace lindy::baseline {
#include LINDY_KERNELS
}

#if defined(__x86_64__) && !defined(LINDY_BASELINE_ONLY)
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,bmi,bmi2,lzcnt,popcnt"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,bmi,bmi2,lzcnt,popcnt")
#endif
#undef LINDY_VECTOR_BYTES
#define LINDY_VECTOR_BYTES 32
namespace lindy::avx2 {
#include LINDY_KERNELS
}
#if defined(__clang__)
#pragma clang attribute pop
#pragma clang attribute push(                                                                 \
    __attribute__((target("avx512f,avx512vl,avx512dq,avx512bw,avx2,bmi,bmi2,lzcnt,popcnt"))), \
    apply_to = function)
#else
#pragma GCC pop_options
#pragma GCC push_options
#pragma GCC target("avx512f,avx512vl,avx512dq,avx512bw,avx2,bmi,bmi2,lzcnt,popcnt,prefer-vector-width=512")
#endif
#undef LINDY_VECTOR_BYTES
#define LINDY_VECTOR_BYTES 64
namespace lindy::avx512 {
#include LINDY_KERNELS
}
#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#else
namespace lindy::avx2 {
using namespace lindy::baseline;
}
namespace lindy::avx512 {
using namespace lindy::baseline;
}
#endif

#undef LINDY_VECTOR_BYTES
#undef LINDY_KERNELS
