#!/usr/bin/env bash
# Builds the simulator for browsers: target/page/engine.wasm, from crates/tusker-page, without the
# texts of sheets, which the page reads from texts.json. Does nothing if both are there and were
# made from the same sources.
#
# The usual compiler has no library for WebAssembly. Debian's rustc-web can make one from its own
# sources (rust-web-src): its packages are unpacked under target/, and nothing is installed.
set -euo pipefail
cd "$(dirname "$0")/.."
out=$PWD/target/page/engine.wasm
texts=$PWD/target/page/texts.json
tools=$PWD/target/wasm-tools
packages=(rustc-web libstd-rust-web-1.96 libstd-rust-web-dev rust-web-src libllvm22 lld-22 binaryen)

stop() {
  echo "make page: $1" >&2
  echo "  expected: $2" >&2
  echo "  remedy: $3" >&2
  exit 1
}

own=(--locked --package tusker-page --no-default-features --features own)

# what decides the module: sources, locked versions and features, profile, and this script
cargo=$(rustup which cargo 2>/dev/null || command -v cargo)
inputs() {
  for crate in core path plan sim scenario measure page; do
    find "crates/tusker-$crate/src" "crates/tusker-$crate/Cargo.toml" -name tests -prune -o -type f -print
  done | LC_ALL=C sort | xargs sha256sum crates/tusker-page/texts/src/main.rs scripts/wasm.sh
  "$cargo" tree "${own[@]}" --edges normal,build --prefix none --no-dedupe \
    --target wasm32-unknown-unknown --format '{p} {f}' | sed 's| (/[^)]*)||' | LC_ALL=C sort -u
  awk '/^\[/ { own = /^\[profile\.(release|page)/ } own' Cargo.toml
}
made_from=$(inputs | sha256sum | cut -d' ' -f1)
if test -s "$out" && test -s "$texts" && test "$(cat "$out.from" 2>/dev/null)" = "$made_from"; then
  exit 0
fi

if ! test -e "$tools/ready"; then
  command -v apt-get dpkg >/dev/null || stop "no compiler for WebAssembly" \
    "Debian's packages rustc-web and rust-web-src" "build it on Debian 12"
  rm -rf "$tools" && mkdir -p "$tools/packages"
  fetch() { (cd "$tools/packages" && apt-get -qq download "${packages[@]}" 2>"$tools/log"); }
  fetch || { { apt-get -qq update || sudo -n apt-get -qq update; } >"$tools/log" 2>&1; fetch; } ||
    stop "$(tail -1 "$tools/log")" "packages ${packages[*]} of Debian 12" "check the network and apt's sources"
  for package in "$tools"/packages/*.deb; do dpkg -x "$package" "$tools"; done
  rm -r "$tools/packages"
  touch "$tools/ready"
fi

mkdir -p "$(dirname "$out")"
"$cargo" run --quiet --locked --manifest-path crates/tusker-page/texts/Cargo.toml \
  --target-dir target/wasm-texts >"$texts.new"
mv "$texts.new" "$texts"

root=$tools/usr
export LD_LIBRARY_PATH=$root/lib/x86_64-linux-gnu:$root/lib/llvm-22/lib
export RUSTC=$root/bin/rustc RUSTC_BOOTSTRAP=1 CARGO_INCREMENTAL=0
export CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER=$root/bin/wasm-ld-22
unset CARGO_BUILD_RUSTFLAGS RUSTC_WRAPPER
# what a panic would say is shown nowhere
export RUSTFLAGS="-Zunstable-options -Cpanic=immediate-abort"
CARGO_TARGET_DIR=$PWD/target/wasm "$cargo" build "${own[@]}" --lib --profile page \
  --target wasm32-unknown-unknown -Zbuild-std=std,panic_abort \
  -Zbuild-std-features=optimize_for_size
"$root/bin/wasm-opt" -O3 --enable-bulk-memory --enable-sign-ext --enable-mutable-globals \
  --enable-nontrapping-float-to-int --strip-debug --strip-producers \
  target/wasm/wasm32-unknown-unknown/page/tusker_page.wasm -o "$out"
gzipped=$(gzip -9c "$out" | wc -c)
echo "engine.wasm: $(stat -c %s "$out") bytes, $gzipped gzipped"
test "$gzipped" -le 700000 || stop "engine.wasm has $gzipped bytes, gzipped" "at most 700000" \
  "see what is new in it: names are in target/wasm/wasm32-unknown-unknown/page/tusker_page.wasm"
echo "$made_from" >"$out.from"
