#!/bin/sh
# Runs one fuzz target that fuzz/run.sh has built, for FUZZ_SECONDS.
#   fuzz/one.sh PROGRAM
set -eu
target=$(basename "$1")
corpus=fuzz/corpus/$target
out=$TMPDIR/$target.out
mkdir -p "$corpus" "fuzz/artifacts/$target"
seeds=
[ "$target" = scenario_parse ] && seeds="examples"
# shellcheck disable=SC2086
if ! "$1" -artifact_prefix="fuzz/artifacts/$target/" \
    -max_total_time="${FUZZ_SECONDS:-60}" -timeout=30 -rss_limit_mb=2048 -max_len=4096 \
    -seed=1 -verbosity=0 -print_final_stats=1 "$corpus" $seeds > "$out" 2>&1; then
    { echo "== $target"; cat "$out"; } >&2
    exit 1
fi
echo "$target: $(sed -n 's/^stat::number_of_executed_units: *//p' "$out") inputs"
