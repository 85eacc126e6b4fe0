#!/usr/bin/env bash
# The fits of fits.py on aarch64: cross-compiles the core, runs it with an aarch64 Python under qemu-user, and compares
# every line with this machine's. Needs the Debian packages qemu-user, g++-aarch64-linux-gnu, dpkg and apt; the Python and
# its libraries are unpacked below build/aarch64 and installed nowhere.
set -euo pipefail
cd "$(dirname "$0")/../.."
host=.venv/bin/python
place=$PWD/build/aarch64
root=$place/root
for tool in qemu-aarch64 aarch64-linux-gnu-g++ dpkg-deb apt-get; do
  command -v "$tool" >/dev/null || { echo "make aarch64 needs $tool (Debian: qemu-user, g++-aarch64-linux-gnu)" >&2; exit 1; }
done

if [ ! -e "$place/.root" ]; then
  mkdir -p "$place"/apt/{state/lists,cache/archives}/partial "$root"
  : > "$place/apt/status"
  options=(-o APT::Architecture=arm64 -o APT::Architectures=arm64 -o Dir::State="$place/apt/state"
           -o Dir::State::status="$place/apt/status" -o Dir::Cache="$place/apt/cache" -o Debug::NoLocking=1)
  apt-get "${options[@]}" -qq update
  apt-get "${options[@]}" -qq -y --no-install-recommends --download-only install \
    python3.11-minimal libpython3.11-stdlib libpython3.11-dev libstdc++6
  for package in "$place"/apt/cache/archives/*.deb; do dpkg-deb -x "$package" "$root"; done
  touch "$place/.root"
fi

# the versions of this machine's environment
"$host" -m pip freeze --exclude-editable | grep -iE '^(numpy|scipy|pyarrow|rich|shtab|markdown-it-py|mdurl|pygments)==' \
  > "$place/requirements.txt"
"$host" -m pip install --quiet --upgrade --target "$place/site" --no-deps --only-binary=:all: --python-version 3.11 \
  --platform manylinux_2_28_aarch64 --platform manylinux_2_27_aarch64 --platform manylinux2014_aarch64 \
  --requirement "$place/requirements.txt"

.venv/bin/cmake -G Ninja -S . -B "$place/core" -DCMAKE_BUILD_TYPE=Release -DCMAKE_SYSTEM_NAME=Linux \
  -DCMAKE_SYSTEM_PROCESSOR=aarch64 -DCMAKE_CXX_COMPILER=aarch64-linux-gnu-g++ \
  -DCMAKE_MAKE_PROGRAM="$PWD/.venv/bin/ninja" -DPython_EXECUTABLE="$PWD/$host" \
  -DPython_INCLUDE_DIR="$root/usr/include/python3.11" -DNB_SUFFIX=.cpython-311-aarch64-linux-gnu.so \
  -DCMAKE_CXX_FLAGS="-isystem $root/usr/include" -Dnanobind_DIR="$("$host" -m nanobind --cmake_dir)" >/dev/null
.venv/bin/cmake --build "$place/core" --target _native
rm -rf "$place/site/lindy" && cp -r src/lindy "$place/site/lindy" && rm -f "$place/site/lindy/"_native*.so
cp "$place/core/"_native*.so "$place/site/lindy/_native.cpython-311-aarch64-linux-gnu.so"

"$host" tests/same_bytes/fits.py 1 > "$place/here.txt"
PYTHONPATH=$place/site qemu-aarch64 -L "$root" "$root/usr/bin/python3.11" -S tests/same_bytes/fits.py 1 > "$place/there.txt"
# NumPy's Fourier transform, on which TensorSketch is built, fuses multiplications and additions on aarch64
for file in here there; do grep -v TensorSketch "$place/$file.txt" > "$place/$file.compared"; done
if diff "$place/here.compared" "$place/there.compared"; then
  echo "$(wc -l < "$place/here.compared") fits: the same bytes on $(uname -m) and aarch64 (TensorSketch not compared)"
else
  exit 1
fi
