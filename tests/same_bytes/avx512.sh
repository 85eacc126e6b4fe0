#!/usr/bin/env bash
# The fits of fits.py on a CPU with AVX-512: boots a Debian kernel on the Skylake-X that Bochs emulates, runs this machine's
# Python and core there, and compares every line with this machine's. qemu has no AVX-512. Needs the Debian packages bochs,
# bochsbios, bochs-term, vgabios, dpkg and apt; the kernel, the boot loader and the tools are unpacked below build/avx512 and
# installed nowhere. Arguments choose groups of fits, as those of fits.py do; all take some ten minutes.
set -euo pipefail
cd "$(dirname "$0")/../.."
host=.venv/bin/python
place=$PWD/build/avx512
tools=$place/tools
root=$place/root
limit=${AVX512_SECONDS:-7200} # of the emulation; a kernel that hangs would run for ever
for file in /usr/bin/bochs /usr/share/bochs/BIOS-bochs-latest /usr/share/vgabios/vgabios.bin \
  /usr/lib/x86_64-linux-gnu/bochs/plugins/libbx_term_gui.so /usr/bin/dpkg-deb /usr/bin/apt-get; do
  [ -e "$file" ] || { echo "make avx512 needs $file (Debian: bochs, bochsbios, bochs-term, vgabios)" >&2; exit 1; }
done

if [ ! -e "$place/.tools" ]; then
  mkdir -p "$place/packages" "$tools"
  kernel=$(apt-cache depends linux-image-cloud-amd64 | sed -n 's/ *Depends: \(linux-image-.*\)/\1/p')
  (cd "$place/packages" && apt-get -qq download "$kernel" busybox-static isolinux syslinux-common \
    xorriso libisoburn1 libisofs6 libburn4 libjte2)
  for package in "$place"/packages/*.deb; do dpkg-deb -x "$package" "$tools"; done
  touch "$place/.tools"
fi

# The lines of this machine, and the files that its Python read for them: modules, their bytecode and their libraries.
rm -rf "$root" && mkdir -p "$root"/{bin,dev,proc,tmp}
"$host" - "$@" > "$place/here.txt" <<'PYTHON'
import os, runpy, sys
sys.argv = ["fits.py", "1", *sys.argv[1:]]
runpy.run_path("tests/same_bytes/fits.py", run_name="__main__")
with open("build/avx512/modules.txt", "w") as file:
    for module in list(sys.modules.values()):
        for path in (getattr(module, "__file__", None), getattr(module, "__cached__", None)):
            if path and os.path.exists(path) and not (module.__name__ + ".").startswith("lindy."):
                print(path, file=file)
PYTHON
python=$("$host" -c 'import sys; print(sys._base_executable)')
site=$("$host" -c 'import sysconfig; print(sysconfig.get_path("platlib"))')
# Bochs 2.7 stops NumPy's argsort for AVX-512 with an illegal instruction, so NumPy does without its kernels for AVX-512
narrow=$("$host" -c 'import numpy, re; names = numpy.show_config(mode="dicts")["SIMD Extensions"]
print(*(n for key in ("found", "not found") for n in names.get(key, []) if re.search("AVX512|V4", n)))')
native=$("$host" -c 'import lindy._native; print(lindy._native.__file__)')
{ echo "$python"; echo "$native"; cat "$place/modules.txt"; } > "$place/files.txt"
grep -E "\.so(\.|$)|^$python$" "$place/files.txt" | xargs ldd | sed -nE 's/^\s+(\S+ => )?(\/\S+) \(0x.*/\2/p' >> "$place/files.txt"
xargs -a "$place/files.txt" realpath --no-symlinks | sort -u | tar -chPT - | tar -xC "$root"
cp -rpT src/lindy "$root$site/lindy"
cp tests/same_bytes/fits.py "$root/fits.py"
cp "$tools/bin/busybox" "$root/bin/busybox"

cat > "$root/init" <<INIT
#!/bin/busybox sh
busybox mount -t devtmpfs none /dev
busybox mount -t proc none /proc
busybox stty -F /dev/ttyS1 raw
busybox grep -m 1 flags /proc/cpuinfo
export PYTHONPATH=$site PYTHONUTF8=1 PYTHONFAULTHANDLER=1 LINDY_ISA=avx512 OPENBLAS_NUM_THREADS=1
export NPY_DISABLE_CPU_FEATURES="$narrow"
$python -S -c 'import lindy._native as n; print("level", n.isa())' > /dev/ttyS1
$python -S /fits.py 1 ${*@Q} > /dev/ttyS1 && echo end > /dev/ttyS1
busybox sleep 1
busybox poweroff -f
INIT
chmod +x "$root/init"

mkdir -p "$place/disc"
(cd "$root" && find . | "$tools/bin/busybox" cpio -o -H newc 2>/dev/null) > "$place/disc/initrd"
cp "$tools"/boot/vmlinuz-* "$place/disc/vmlinuz"
cp "$tools/usr/lib/ISOLINUX/isolinux.bin" "$tools/usr/lib/syslinux/modules/bios/ldlinux.c32" "$place/disc"
cat > "$place/disc/isolinux.cfg" <<'LOADER'
default linux
label linux
  kernel /vmlinuz
  append initrd=/initrd console=ttyS0 quiet nokaslr mitigations=off random.trust_cpu=on tsc=reliable clearcpuid=xsavec,xsaves
LOADER
LD_LIBRARY_PATH=$tools/usr/lib/x86_64-linux-gnu "$tools/usr/bin/xorriso" -as mkisofs -quiet -o "$place/disc.iso" \
  -b isolinux.bin -c boot.cat -no-emul-boot -boot-load-size 4 -boot-info-table "$place/disc"

cat > "$place/bochsrc" <<BOCHS
config_interface: textconfig
display_library: term
cpu: model=corei7_skylake_x, count=1, ips=100000000, reset_on_triple_fault=0
clock: sync=none
memory: guest=1024, host=1024
romimage: file=/usr/share/bochs/BIOS-bochs-latest
vgaromimage: file=/usr/share/vgabios/vgabios.bin
ata0-master: type=cdrom, path=$place/disc.iso, status=inserted
boot: cdrom
com1: enabled=1, mode=file, dev=$place/console.txt
com2: enabled=1, mode=file, dev=$place/output.txt
log: $place/bochs.log
panic: action=fatal
error: action=ignore
info: action=ignore
BOCHS
rm -f "$place"/{console,output}.txt
echo continue > "$place/commands" # Debian's Bochs begins in its debugger
# a machine that powers itself off is an error to Bochs; its debugger does not end at SIGTERM
TERM=vt100 nice -n 10 timeout --signal KILL "$limit" bochs -f "$place/bochsrc" -rc "$place/commands" \
  < /dev/null > "$place/screen.txt" 2>&1 || true

grep -v '^level ' "$place/output.txt" | grep -v '^end$' > "$place/there.txt" || true
if ! grep -q '^level avx512$' "$place/output.txt" || ! grep -q '^end$' "$place/output.txt"; then
  echo "the emulated machine did not come to its end at level avx512; see console.txt, output.txt and bochs.log in $place" >&2
  exit 1
fi
if diff "$place/here.txt" "$place/there.txt"; then
  echo "$(wc -l < "$place/here.txt") fits: the same bytes at level $("$host" -c 'from lindy import _native; print(_native.isa())') and avx512"
else
  exit 1
fi
