#!/usr/bin/env bash
# The fits of fits.py with a core that clang compiled, at every instruction-set level of this machine: each line must be that of
# the installed core. Arguments choose groups of fits, as those of fits.py do. Needs clang 14 or newer.
set -euo pipefail
cd "$(dirname "$0")/../.."
command -v clang++ >/dev/null || { echo "make clang needs clang++ (Debian: clang)" >&2; exit 1; }
bin=$PWD/.venv/bin
CXX=clang++ "$bin/cmake" -G Ninja -S . -B build/clang -DCMAKE_BUILD_TYPE=Release -DPython_EXECUTABLE="$bin/python" \
  -DCMAKE_MAKE_PROGRAM="$bin/ninja" -Dnanobind_DIR="$("$bin/python" -m nanobind --cmake_dir)"
"$bin/cmake" --build build/clang --target _native
"$bin/python" -m tests.hostile.instrumented build/clang
"$bin/python" tests/same_bytes/fits.py 1 "$@" >build/clang/installed.txt
for level in baseline avx2 avx512; do
  LINDY_ISA=$level build/clang/venv/bin/python tests/same_bytes/fits.py 1 "$@" | diff - build/clang/installed.txt
done
echo "$(wc -l <build/clang/installed.txt) fits: the same bytes from both compilers"
