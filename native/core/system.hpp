// What the core asks of the operating system: open files that are mapped, read at a place and closed, pages
// that are given back, how much memory there is. system.cpp has it for POSIX and for Windows.
// Memory that grows (memory.hpp) is mapped in Linux's own way, and plain C++ elsewhere.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lindy::system {

// An open file: its number, or on Windows its handle.
using File = std::intptr_t;
inline constexpr File no_file = -1;

// How many bytes the open file of a number has; −1 if that cannot be told.
std::int64_t file_size(int number);
// The same open file once more, which stays open when the first is closed, and which no child inherits.
File duplicate(int number);
void close_file(File file);

// The file, from its beginning, as memory that may be written.
char* map_file(File file, std::size_t size);
void unmap_file(char* data, std::size_t size);
// Takes the pages of a mapped file out of the memory of the process; they stay in the system's cache.
void give_back(char* data, std::size_t size);
// Reads at a place of a file; the number of bytes, 0 at its end, −1 if it cannot be read.
std::int64_t read_at(File file, void* to, std::size_t size, std::int64_t offset);

// How many bytes of this process are in memory; 0 where the system does not tell.
std::int64_t resident_bytes();
// How many bytes of the machine's memory nobody has; 0 where Python finds out.
std::int64_t available_bytes();

}  // namespace lindy::system
