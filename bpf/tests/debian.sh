# Debian's kernel with an initial file system of a few programs, for QEMU. To be sourced
# by a script (bash, set -euo pipefail, in the root of the repository) that sets its folder:
#
#     work=target/old-kernel; . bpf/tests/debian.sh
#
# Then `kernel` is the kernel, unpacked from its package into target/debian-kernel but
# not installed, `modules` is the folder of its modules, and `root` the folder that
# becomes the file system.

root=$work/root
PATH=$PATH:/usr/sbin:/sbin
mkdir -p "$work"

unpacked=target/debian-kernel
if ! ls $unpacked/boot/vmlinuz-6.1.* >/dev/null 2>&1; then
  package=$(apt-cache depends linux-image-cloud-amd64 | sed -n 's/.*Depends: \(linux-image-6\.1\..*\)/\1/p')
  test -n "$package" || { echo "apt has no linux-image-cloud-amd64 with Linux 6.1 (Debian 12 has it)" >&2; exit 1; }
  mkdir -p $unpacked
  (cd $unpacked && apt-get -qq download "$package" && dpkg -x "$package"_*.deb .)
fi
kernel=$(ls $unpacked/boot/vmlinuz-6.1.* | tail -1)
modules=$(ls -d $unpacked/lib/modules/6.1.* | tail -1)

# A new root with these programs.
new_root() {
  rm -rf "$root"
  mkdir -p "$root"/{bin,proc,sys,dev,run,tmp,etc}
  for name in "$@"; do
    cp -L "$(type -P "$name")" "$root/bin/$name"
  done
}

# Adds the libraries of all programs and the first one to run, and packs the root.
pack_root() {
  for file in "$root"/bin/*; do ldd "$file" 2>/dev/null | grep -o '/[^ ]*' || true; done | sort -u |
    while read -r library; do
      mkdir -p "$root$(dirname "$library")"
      cp -L "$library" "$root$library"
    done
  cp "$1" "$root/init"
  chmod +x "$root/init"
  # the same files must give the same bytes
  find "$root" -exec touch -h -d 2026-01-01 {} +
  (cd "$root" && find . | LC_ALL=C sort | cpio --quiet --reproducible -o -H newc) | gzip -1 -n > "$work/initramfs.gz"
}
