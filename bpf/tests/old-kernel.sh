#!/usr/bin/env bash
# The laws on Linux 6.1, the oldest kernel that they are for: Debian's own, started in
# QEMU with nothing but tusker-kernel and the programs that old-kernel.init calls.
#
#     bpf/tests/old-kernel.sh [target/release/tusker-kernel]
#
# Everything is kept in target/old-kernel. Needs qemu-system-x86, cpio and what
# `make setup-kernel` installs; the package with the kernel is unpacked, not installed.
set -euo pipefail
cd "$(dirname "$0")/../.."
program=${1:-target/release/tusker-kernel}
work=target/old-kernel
here=$PWD
mkdir -p "$work"

if ! ls "$work"/kernel/boot/vmlinuz-6.1.* >/dev/null 2>&1; then
  package=$(apt-cache depends linux-image-cloud-amd64 | sed -n 's/.*Depends: \(linux-image-6\.1\..*\)/\1/p')
  test -n "$package" || { echo "apt knows no linux-image-cloud-amd64 of Linux 6.1 (Debian 12 has it)" >&2; exit 1; }
  (cd "$work" && apt-get -qq download "$package" && dpkg -x "$package"_*.deb kernel)
fi
kernel=$(ls "$work"/kernel/boot/vmlinuz-6.1.* | tail -1)

root=$work/root
rm -rf "$root"
mkdir -p "$root"/{bin,proc,sys,dev,run,tmp,etc}
PATH=$PATH:/usr/sbin:/sbin
for name in sh mount cat grep sleep ip ss iperf3 bpftool kill setsid; do
  cp -L "$(type -P $name)" "$root/bin/$name"
done
cp "$program" "$root/bin/tusker-kernel"
strip "$root/bin/tusker-kernel"
for file in "$root"/bin/*; do ldd "$file" 2>/dev/null | grep -o '/[^ ]*' || true; done | sort -u |
  while read -r library; do
    mkdir -p "$root$(dirname "$library")"
    cp -L "$library" "$root$library"
  done
cp bpf/tests/old-kernel.init "$root/init"
chmod +x "$root/init"
(cd "$root" && find . | cpio --quiet -o -H newc | gzip -1 > "$here/$work/initramfs.gz")

timeout 400 qemu-system-x86_64 -accel tcg,thread=multi -cpu max -m 1024 -smp 2 -nographic -no-reboot \
  -kernel "$kernel" -initrd "$work/initramfs.gz" \
  -append "console=ttyS0 quiet panic=-1" < /dev/null | tee "$work/said" | sed -n 's/\r$//; s/^old-kernel: //p'
grep -q '^old-kernel: all is well' "$work/said" || { echo "it failed; all of it is in $work/said" >&2; exit 1; }
