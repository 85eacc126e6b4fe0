#include "core/isa.hpp"

#include <cstdlib>
#include <cstring>

namespace lindy {

static Isa detect() {
    Isa found = Isa::baseline;
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2")) found = Isa::avx2;
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw"))
        found = Isa::avx512;
#endif
    Isa cap = Isa::avx512;
    if (const char* wish = std::getenv("LINDY_ISA")) {
        if (std::strcmp(wish, "baseline") == 0) cap = Isa::baseline;
        if (std::strcmp(wish, "avx2") == 0) cap = Isa::avx2;
    }
    return found < cap ? found : cap;
}

Isa isa() {
    static const Isa level = detect();
    return level;
}

}  // namespace lindy
