#!/usr/bin/env bash
# Tests the laws on Linux 6.1, the oldest supported kernel: Debian's own, started in
# QEMU with only tusker-kernel and the programs that old-kernel.init calls.
#
#     bpf/tests/old-kernel.sh [target/release/tusker-kernel]
#
# Everything is kept in target/old-kernel. Needs qemu-system-x86, cpio and what
# `make setup-kernel` installs; the package with the kernel is unpacked, not installed.
set -euo pipefail
cd "$(dirname "$0")/../.."
program=${1:-target/release/tusker-kernel}
work=target/old-kernel
. bpf/tests/debian.sh

new_root sh mount cat grep sleep ip ss iperf3 bpftool kill setsid
cp "$program" "$root/bin/tusker-kernel"
strip "$root/bin/tusker-kernel"
pack_root bpf/tests/old-kernel.init

timeout 400 qemu-system-x86_64 -accel tcg,thread=multi -cpu max -m 1024 -smp 2 -nographic -no-reboot \
  -kernel "$kernel" -initrd "$work/initramfs.gz" \
  -append "console=ttyS0 quiet panic=-1" < /dev/null | tee "$work/said" | sed -n 's/\r$//; s/^old-kernel: //p'
grep -q '^old-kernel: all is well' "$work/said" || { echo "it failed; the whole output is in $work/said" >&2; exit 1; }
