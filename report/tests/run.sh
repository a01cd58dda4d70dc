#!/usr/bin/env bash
# Makes pages with the program and tries them and the live page (target/page) out in a
# browser; with `picture`, takes the picture of docs/report.md instead.
set -euo pipefail
cd "$(dirname "$0")/../.."
pages=$(mktemp -d)
trap 'rm -rf "$pages"' EXIT
# as the tests build it, so that nothing is compiled a second time with other features
cargo test --workspace --locked --quiet --no-run
target=${CARGO_TARGET_DIR:-target}/debug
tusker=$target/tusker
if [ "${1:-}" = picture ]; then
  tusker=$(realpath "$tusker")
  (cd "$pages" && "$tusker" compare --rate 1gbit --rtt 50ms --cc hstcp,ghstcp --against reno --flows 5 \
    --queue gared --duration 60s --quiet --report picture.html > /dev/null)
  TUSKER_PAGES=$pages node report/tests/picture.mjs
  exit
fi
"$target/examples/pages" "$pages"
"$tusker" run examples/ghstcp-demo.toml --set duration=20s --set measure.from=10s --replicates 2 \
  --quiet --out "$pages/run" > /dev/null
cp "$pages/run/report.html" "$pages/run.html"
"$tusker" compare --rate 100mbit --rtt 50ms --cc reno,hstcp,ghstcp --queue ared --duration 20s \
  --quiet --report "$pages/compare.html" > /dev/null
"$tusker" compare --rate 100mbit --rtt 50ms --cc hstcp,ghstcp,cubic,bic,htcp,scalable,bbr1 --against reno \
  --duration 20s --replicates 3 --quiet --report "$pages/many.html" > /dev/null
"$tusker" sweep examples/ghstcp-demo.toml --set duration=5s --set measure.from=2s \
  --over dumbbell.queue=500pkt,2000pkt --quiet --out "$pages/sweep" > /dev/null
cp "$pages/sweep/report.html" "$pages/sweep.html"
"$tusker" plan --size 10GB --rate 10mbit --rtt 20ms --with reno --cc reno,cubic --streams 1,2 \
  --buffer 0.2bdp,1bdp --row-packets 1e6 --budget none --quiet --out "$pages/plans" > /dev/null
cp "$pages/plans/report.html" "$pages/plans.html"
"$tusker" reproduce ghstcp --recorded papers --quiet --out "$pages/reproduction" > /dev/null
cp "$pages/reproduction/report.html" "$pages/reproduction.html"
"$tusker" reproduce hcc --table 2 --recorded papers --quiet --out "$pages/hcc" > /dev/null
cp "$pages/hcc/report.html" "$pages/hcc.html"
"$tusker" reproduce ghstcp --claim ghstcp-is-fairer --recorded papers --quiet --out "$pages/claim" > /dev/null
cp "$pages/claim/claim-ghstcp-is-fairer.html" "$pages/claim.html"
"$tusker" reproduce ghstcp --compare-readings --reading background-1500,host-queue-50 --case 4,7 --at 50 \
  --set duration=4s --quiet --out "$pages/readings" > /dev/null
cp "$pages/readings/readings.html" "$pages/readings.html"
for half in simulator testbed; do
  seed=1; [ $half = simulator ] || seed=2
  "$tusker" run bench/hero/scenario.toml --seed $seed --quiet --out "$pages/both/$half" > /dev/null
done
"$target/examples/pages" "$pages" "$pages/both"
TUSKER_PAGES=$pages TUSKER_LIVE=$PWD/target/page TUSKER=$(realpath "$tusker") node --test --test-reporter=spec report/tests/*.test.mjs page/tests/*.test.mjs
