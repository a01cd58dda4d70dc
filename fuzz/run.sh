#!/bin/sh
# Runs every fuzz target for FUZZ_SECONDS (60 by default) on the stable compiler.
#   cargo install cargo-fuzz    once
#   fuzz/run.sh [TARGET...]
# A failing input stays under fuzz/artifacts; run it again with
#   RUSTC_BOOTSTRAP=1 cargo fuzz run TARGET fuzz/artifacts/TARGET/FILE
set -eu
cd "$(dirname "$0")/.."
export RUSTC_BOOTSTRAP=1
[ $# -gt 0 ] || set -- scenario_parse scenario_run laws queues
for target; do
    mkdir -p "fuzz/corpus/$target"
    seeds=
    [ "$target" = scenario_parse ] && seeds="examples"
    # shellcheck disable=SC2086
    cargo fuzz run "$target" "fuzz/corpus/$target" $seeds -- \
        -max_total_time="${FUZZ_SECONDS:-60}" -timeout=30 -rss_limit_mb=2048 -max_len=4096
done
