#include "core/isa.hpp"

#include <cstdlib>
#include <cstring>

#include "core/crc32.hpp"

#if defined(__x86_64__) && defined(_WIN32)
#include <cpuid.h>
#endif

namespace lindy {

namespace {

struct Processor {
    bool avx2 = false, avx512 = false, pclmul = false;
};

#if defined(__x86_64__) && defined(_WIN32)

// Microsoft's linker has no library for the compiler's own question (__builtin_cpu_supports), so the bits are
// read here: what the processor has, and whether the system keeps the wide registers of each thread.
Processor look() {
    unsigned a, b, c, d, low = 0, high;
    Processor found;
    if (!__get_cpuid(1, &a, &b, &c, &d)) return found;
    found.pclmul = c & bit_PCLMUL;
    if (c & bit_OSXSAVE) __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    constexpr unsigned ymm = 0x6, zmm = 0xE6;
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d)) return found;
    constexpr unsigned wide = bit_AVX512F | bit_AVX512VL | bit_AVX512DQ | bit_AVX512BW;
    found.avx2 = (low & ymm) == ymm && (b & bit_AVX2);
    found.avx512 = (low & zmm) == zmm && (b & wide) == wide;
    return found;
}

#elif defined(__x86_64__)

Processor look() {
    __builtin_cpu_init();
    return {static_cast<bool>(__builtin_cpu_supports("avx2")),
            __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw"),
            static_cast<bool>(__builtin_cpu_supports("pclmul"))};
}

#else

Processor look() {
    return {};
}

#endif

const Processor& processor() {
    static const Processor found = look();
    return found;
}

Isa detect() {
    const Isa found = processor().avx512 ? Isa::avx512 : processor().avx2 ? Isa::avx2 : Isa::baseline;
    Isa cap = Isa::avx512;
    if (const char* wish = std::getenv("LINDY_ISA")) {
        if (std::strcmp(wish, "baseline") == 0) cap = Isa::baseline;
        if (std::strcmp(wish, "avx2") == 0) cap = Isa::avx2;
    }
    return found < cap ? found : cap;
}

}  // namespace

Isa isa() {
    static const Isa level = detect();
    return level;
}

bool has_pclmul() {
    return processor().pclmul;
}

}  // namespace lindy
