#!/bin/sh
# Makes what people install without a compiler, in target/dist-files: a tar and a Debian
# package with the program, manual pages and completions, and a wheel with the program and
# the Python module. `make dist` has built the program before. scripts/try-dist.sh installs
# and runs each.
set -eu
cd "$(dirname "$0")/.."
program=target/${PROFILE:-dist}/tusker
version=$("$program" --version | awk '{ print $2 }')
machine=$(uname -m)
files=target/dist-files
name=tusker-$version-$machine-linux
rm -rf "$files"

# As it is installed below a prefix.
prefix=$files/$name
install -Dm 755 "$program" "$prefix/bin/tusker"
strip "$prefix/bin/tusker"
mkdir -p "$prefix/share/man/man1"
"$program" man --out "$prefix/share/man/man1" > /dev/null
while read -r shell path; do
    mkdir -p "$(dirname "$prefix/share/$path")"
    "$program" completions "$shell" > "$prefix/share/$path"
done << 'END'
bash bash-completion/completions/tusker
fish fish/vendor_completions.d/tusker.fish
zsh zsh/vendor-completions/_tusker
END
install -Dm 644 -t "$prefix/share/doc/tusker" README.md CHANGELOG.md LICENSE-APACHE LICENSE-MIT
tar czf "$files/$name.tar.gz" -C "$files" --owner=0 --group=0 "$name"

# The newest version of the C library that the program asks for.
libc=$(objdump -T "$prefix/bin/tusker" | sed -n 's/.*GLIBC_\([0-9.]*\).*/\1/p' | sort -V | tail -n 1)
debian=$files/debian
mkdir -p "$debian/DEBIAN"
cp -r "$prefix" "$debian/usr"
find "$debian/usr/share/man" -type f -exec gzip -9n {} +
cat > "$debian/DEBIAN/control" << END
Package: tusker
Version: $version
Architecture: $(dpkg --print-architecture)
Maintainer: The Tusker authors <tusker@localhost>
Installed-Size: $(du -sk "$debian/usr" | cut -f 1)
Depends: libc6 (>= $libc), libgcc-s1
Section: net
Priority: optional
Description: congestion control for long fat networks
 Simulates congestion control and queue policies packet by packet, runs the same
 scenarios on Linux sockets, and plans transfers.
END
dpkg-deb --root-owner-group --build "$debian" "$files" > /dev/null
rm -r "$debian"

# The wheel as `pip install ./python` makes it, by the settings there, and the program within.
work=$files/wheel
(cd python && ../.venv/bin/maturin build --profile "${PROFILE:-dist}" --locked \
    --compatibility linux --out "../$work")
.venv/bin/python -m wheel unpack --dest "$work" "$work"/*.whl > /dev/null
unpacked=$(echo "$work"/*/)
strip "$unpacked"/tusker/*.so
install -D -m 755 "$prefix/bin/tusker" "$unpacked/$(basename "$unpacked").data/scripts/tusker"
.venv/bin/python -m wheel pack --dest-dir "$files" "$unpacked" > /dev/null
rm -r "$work" "$prefix"
ls -l "$files"
