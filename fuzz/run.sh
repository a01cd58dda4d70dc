#!/bin/sh
# Runs every fuzz target for FUZZ_SECONDS (60 by default), built with the stable compiler, as
# many at a time as there are processors.
#   fuzz/run.sh [TARGET...]
# A failing input is kept in fuzz/artifacts; run it again with
#   target/fuzz/*/release/TARGET fuzz/artifacts/TARGET/FILE
#
# These are the flags of cargo-fuzz without its sanitizer: there is no unsafe code
# for it to check, and nothing has to be installed.
set -eu
cd "$(dirname "$0")/.."
host=$(rustc -vV | sed -n 's/^host: //p')
coverage="-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
 -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
 -Cllvm-args=-sanitizer-coverage-trace-compares"
[ $# -gt 0 ] || set -- scenario_parse scenario_run laws queues stored papers traces packets field
bins=
for target; do bins="$bins --bin $target"; done
# with --target, build scripts and macros are compiled without these flags
# shellcheck disable=SC2086
RUSTFLAGS="--cfg fuzzing $coverage" ${CARGO:-cargo} build --quiet --release \
    --manifest-path fuzz/Cargo.toml --target "$host" --target-dir target/fuzz $bins

# folders that targets work in are removed when this script ends
TMPDIR=$(mktemp -d)
export TMPDIR
trap 'rm -rf "$TMPDIR"' EXIT
# one on each processor; xargs fails if one of them does
printf "target/fuzz/$host/release/%s\n" "$@" | xargs -n 1 -P "$(getconf _NPROCESSORS_ONLN)" fuzz/one.sh
echo "nothing found"
