#include "core/system.hpp"

#include <system_error>

#if defined(_WIN32)

#ifndef NOMINMAX
#define NOMINMAX
#endif
#define WIN32_LEAN_AND_MEAN
#define PSAPI_VERSION 2  // its functions are in kernel32
// clang-format off: the second needs the first
#include <windows.h>
#include <psapi.h>
// clang-format on
#include <io.h>

namespace lindy::system {

[[noreturn]] static void fail(DWORD error = GetLastError()) {
    throw std::system_error(static_cast<int>(error), std::system_category());
}

static HANDLE handle(File file) {
    return reinterpret_cast<HANDLE>(file);
}

std::int64_t file_size(int number) {
    LARGE_INTEGER size;
    return GetFileSizeEx(handle(_get_osfhandle(number)), &size) ? size.QuadPart : -1;
}

File duplicate(int number) {
    HANDLE own = nullptr;
    const HANDLE process = GetCurrentProcess();
    const HANDLE given = handle(_get_osfhandle(number));
    if (!DuplicateHandle(process, given, process, &own, 0, FALSE, DUPLICATE_SAME_ACCESS)) fail();
    return reinterpret_cast<File>(own);
}

void close_file(File file) {
    CloseHandle(handle(file));
}

char* map_file(File file, std::size_t size) {
    const std::uint64_t wide = size;
    const HANDLE map = CreateFileMappingW(handle(file), nullptr, PAGE_READWRITE,
                                          static_cast<DWORD>(wide >> 32), static_cast<DWORD>(wide), nullptr);
    if (!map) fail();
    void* const data = MapViewOfFile(map, FILE_MAP_READ | FILE_MAP_WRITE, 0, 0, size);
    const DWORD error = GetLastError();
    CloseHandle(map);  // the view keeps it
    if (!data) fail(error);
    return static_cast<char*>(data);
}

void unmap_file(char* data, std::size_t) {
    UnmapViewOfFile(data);
}

void give_back(char* data, std::size_t size) {
    VirtualUnlock(data, size);  // of pages that were never locked, this does just that
}

std::int64_t read_at(File file, void* to, std::size_t size, std::int64_t offset) {
    OVERLAPPED place{};
    place.Offset = static_cast<DWORD>(offset);
    place.OffsetHigh = static_cast<DWORD>(offset >> 32);
    constexpr std::size_t most = std::size_t{1} << 30;
    DWORD got = 0;
    if (!ReadFile(handle(file), to, static_cast<DWORD>(size < most ? size : most), &got, &place))
        return GetLastError() == ERROR_HANDLE_EOF ? 0 : -1;
    return got;
}

std::int64_t resident_bytes() {
    PROCESS_MEMORY_COUNTERS found{};
    if (!GetProcessMemoryInfo(GetCurrentProcess(), &found, sizeof found)) return 0;
    return static_cast<std::int64_t>(found.WorkingSetSize);
}

std::int64_t available_bytes() {
    MEMORYSTATUSEX found{};
    found.dwLength = sizeof found;
    return GlobalMemoryStatusEx(&found) ? static_cast<std::int64_t>(found.ullAvailPhys) : 0;
}

}  // namespace lindy::system

#else

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace lindy::system {

[[noreturn]] static void fail() {
    throw std::system_error(errno, std::generic_category());
}

std::int64_t file_size(int number) {
    struct stat about{};
    return fstat(number, &about) == 0 ? std::int64_t{about.st_size} : -1;
}

File duplicate(int number) {
    const int own = fcntl(number, F_DUPFD_CLOEXEC, 0);
    if (own < 0) fail();
    return own;
}

void close_file(File file) {
    close(static_cast<int>(file));
}

char* map_file(File file, std::size_t size) {
    void* const data = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, static_cast<int>(file), 0);
    if (data == MAP_FAILED) fail();
    return static_cast<char*>(data);
}

void unmap_file(char* data, std::size_t size) {
    munmap(data, size);
}

void give_back(char* data, std::size_t size) {
    madvise(data, size, MADV_DONTNEED);
}

std::int64_t read_at(File file, void* to, std::size_t size, std::int64_t offset) {
    for (;;) {
        const ssize_t got = pread(static_cast<int>(file), to, size, offset);
        if (got >= 0 || errno != EINTR) return got;
    }
}

std::int64_t resident_bytes() {
    char text[128] = {};
    const int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    if (file < 0) return 0;
    const ssize_t size = read(file, text, sizeof text - 1);
    close(file);
    long long all = 0, resident = 0;
    if (size <= 0 || std::sscanf(text, "%lld %lld", &all, &resident) != 2) return 0;
    return resident * sysconf(_SC_PAGESIZE);
}

std::int64_t available_bytes() {
    return 0;
}

}  // namespace lindy::system

#endif
