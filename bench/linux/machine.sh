#!/usr/bin/env bash
# Runs one workload, in virtual time, in a virtual machine with Debian's kernel:
#
#     bench/linux/machine.sh build                   build the machine
#     bench/linux/machine.sh run SEED NAME=VALUE...  run with settings for bench/linux/init
#
# Virtual time: QEMU counts each instruction as one nanosecond and skips idle time (-icount
# shift=0,sleep=off), so the result depends neither on the speed nor on the load of the real
# machine; on a busy one a timer may still be a microsecond late. Its files are in target/linux.
# It needs qemu-system-x86, cpio, iproute2 and a C compiler.
set -euo pipefail
cd "$(dirname "$0")/../.."
work=target/linux
. bpf/tests/debian.sh

case ${1:-} in
build)
  new_root sh mount cat sleep mkdir tr ip tc
  mkdir "$root/modules"
  for name in veth sch_{tbf,netem,red,codel,pie,cake,fq,sfq,fq_pie,ingress} cls_matchall act_police tcp_{highspeed,htcp,bic,westwood,illinois,vegas,scalable,bbr,yeah,hybla}; do
    cp "$(find "$modules" -name $name.ko | grep .)" "$root/modules/"
  done
  cc -static -O2 -Wall -Wextra -Werror bench/linux/flow.c -o "$root/bin/flow"
  pack_root bench/linux/init
  ;;
run)
  seed=$2
  shift 2
  timeout 3000 qemu-system-x86_64 -accel tcg,thread=single -icount shift=0,sleep=off -seed "$seed" \
    -rtc base=2026-01-01,clock=vm \
    -cpu max -m 512 -smp 1 -nographic -no-reboot -nodefaults -serial stdio \
    -kernel "$kernel" -initrd "$work/initramfs.gz" \
    -append "console=ttyS0 quiet panic=-1 mitigations=off nokaslr audit=0 $(printf ' linux.%s' "$@")" < /dev/null |
    tr -d '\r'
  ;;
*)
  echo "usage: machine.sh build | run SEED NAME=VALUE..." >&2
  exit 2
  ;;
esac
