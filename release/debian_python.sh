#!/usr/bin/env bash
# Unpacks a Python that this Debian does not have, with its C library, and prints the path of a command that runs it:
#     make wheels PYTHONS="python3.11 $(release/debian_python.sh 3.14)"
# Nothing is installed. Wheels are built with it, and tried, as with any other; needs apt and dpkg-deb.
set -euo pipefail
version=${1:?which version: 3.14}
suite=${2:-sid}
place=$(cd "$(dirname "$0")/.." && pwd)/build/debian-python$version
root=$place/root
command=$root/usr/bin/python$version

if [ ! -e "$place/.ready" ]; then
  rm -rf "$place" && mkdir -p "$place"/apt/{state/lists,cache/archives}/partial "$root"
  : > "$place/apt/status"
  echo "deb http://deb.debian.org/debian $suite main" > "$place/apt/sources.list"
  options=(-o Dir::Etc::sourcelist="$place/apt/sources.list" -o Dir::Etc::sourceparts=- -o Dir::State="$place/apt/state"
           -o Dir::State::status="$place/apt/status" -o Dir::Cache="$place/apt/cache" -o Debug::NoLocking=1)
  {
    apt-get "${options[@]}" -qq update
    apt-get "${options[@]}" -qq -y --no-install-recommends --download-only install \
      "python$version" "libpython$version-dev" "python$version-venv" libstdc++6
  } >&2
  for package in "$place"/apt/cache/archives/*.deb; do dpkg-deb -x "$package" "$root"; done

  # it runs with the C library that it came with, and finds its headers and pip's wheel where they are
  mv "$command" "$command-itself"
  cat > "$command" <<END
#!/bin/sh
exec "$root/usr/lib64/ld-linux-x86-64.so.2" --library-path "$root/usr/lib/x86_64-linux-gnu" --argv0 "\$0" "$command-itself" "\$@"
END
  chmod +x "$command"
  cp "$root/usr/include/x86_64-linux-gnu/python$version/pyconfig.h" "$root/usr/include/python$version/pyconfig.h"
  grep -rl /usr/share/python-wheels "$root/usr/lib/python$version" | xargs sed -i "s#/usr/share/python-wheels#$root/usr/share/python-wheels#g"
  touch "$place/.ready"
fi
"$command" -c "import ctypes, ssl, sys, zlib; assert sys.version_info[:2] == tuple(map(int, '$version'.split('.')))"
echo "$command"
