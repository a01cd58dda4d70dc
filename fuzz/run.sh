#!/bin/sh
# Runs every fuzz target for FUZZ_SECONDS (60 by default) on the stable compiler.
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
[ $# -gt 0 ] || set -- scenario_parse scenario_run laws queues stored papers traces packets
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
for target; do
    corpus=fuzz/corpus/$target
    mkdir -p "$corpus" "fuzz/artifacts/$target"
    seeds=
    [ "$target" = scenario_parse ] && seeds="examples"
    echo "== $target"
    # shellcheck disable=SC2086
    if ! "target/fuzz/$host/release/$target" -artifact_prefix="fuzz/artifacts/$target/" \
        -max_total_time="${FUZZ_SECONDS:-60}" -timeout=30 -rss_limit_mb=2048 -max_len=4096 \
        -seed=1 -verbosity=0 -print_final_stats=1 "$corpus" $seeds > "$TMPDIR/out" 2>&1; then
        cat "$TMPDIR/out" >&2
        exit 1
    fi
    grep number_of_executed_units "$TMPDIR/out"
done
echo "nothing found"
