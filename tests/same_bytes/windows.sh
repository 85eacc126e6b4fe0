#!/usr/bin/env bash
# The core for 64-bit Windows: all of it is compiled by clang and linked into the module that Python would load there, and
# windows/trial.cpp, which has no Python, runs under Wine at every instruction-set level: each line must be that of the same
# program on this machine. Needs the Debian packages clang, lld, g++-mingw-w64-x86-64-posix and wine64.
set -euo pipefail
cd "$(dirname "$0")/../.."
for tool in clang++ ld.lld x86_64-w64-mingw32-g++-posix x86_64-w64-mingw32-dlltool g++ wine; do
  command -v "$tool" >/dev/null || {
    echo "make windows needs $tool (Debian: clang, lld, g++-mingw-w64-x86-64-posix, wine64, wine)" >&2
    exit 1
  }
done
bin=$PWD/.venv/bin
place=$PWD/build/windows
own=$PWD/tests/same_bytes/windows

# There is no Python for Windows here. Its headers are this machine's with another pyconfig.h, and its library says which
# names python311.dll has: those of this machine's library.
mkdir -p "$place"
version=$("$bin/python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
headers=$("$bin/python" -c 'import sysconfig; print(sysconfig.get_path("include"))')
rm -rf "$place/python" && cp -r "$headers" "$place/python" && cp "$own/pyconfig.h" "$place/python/pyconfig.h"
"$bin/python" "$own/python_library.py" >"$place/python.def"
x86_64-w64-mingw32-dlltool --input-def "$place/python.def" --output-lib "$place/python${version/./}.lib"
x86_64-w64-mingw32-ar rc "$place/libdl.a"  # which this machine's Python asks for; it is empty

"$bin/cmake" -G Ninja -S . -B "$place/core" -DCMAKE_BUILD_TYPE=Release -DCMAKE_TOOLCHAIN_FILE="$own/toolchain.cmake" \
  -DCMAKE_MAKE_PROGRAM="$bin/ninja" -DPython_EXECUTABLE="$bin/python" -DPython_INCLUDE_DIR="$place/python" \
  -DPython_LIBRARY="$place/python${version/./}.lib" \
  -Dnanobind_DIR="$("$bin/python" -m nanobind --cmake_dir)" >"$place/configured.txt"
"$bin/cmake" --build "$place/core" --target _native --parallel "${JOBS:-2}"

sources=("$own/trial.cpp" native/core/isa.cpp native/core/system.cpp)
options=(-std=gnu++20 -O2 -ffp-contract=off -fno-math-errno -Wall -Wextra -Werror -Inative)
g++ "${options[@]}" -Wno-psabi "${sources[@]}" -o "$place/trial" -pthread
# as cmake calls clang++ for the core
read -ra flags < <(sed -n 's/^CMAKE_CXX_FLAGS:STRING=//p' "$place/core/CMakeCache.txt")
read -ra link < <(sed -n 's/^CMAKE_EXE_LINKER_FLAGS:STRING=//p' "$place/core/CMakeCache.txt")
clang++ --target=x86_64-w64-windows-gnu "${flags[@]}" "${link[@]}" "${options[@]}" "${sources[@]}" -lpthread \
  -o "$place/trial.exe"
export WINEPREFIX=$place/wine WINEDEBUG=-all
mkdir -p "$place/files"
for level in baseline avx2 avx512; do
  LINDY_ISA=$level "$place/trial" "$place/files" >"$place/here.txt"
  (cd "$place" && LINDY_ISA=$level wine trial.exe files) | tr -d '\r' >"$place/there.txt"
  diff "$place/here.txt" "$place/there.txt"
done
size=$(stat --format=%s "$place/core/"_native*.pyd)
echo "the core is compiled and linked for Windows ($((size / 1000)) kB);" \
  "$(wc -l <"$place/here.txt") results of a program under Wine: the same bytes as here"
