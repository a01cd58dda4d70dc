#!/usr/bin/env bash
# Rows of papers/ngtcp in ns-2.35, under the assumptions that its README makes:
#
#   bench/ns2/ngtcp.sh > bench/ns2/ngtcp.csv      (first make setup-ns2; 45 minutes on one core)
#
# The link has 200 Mbit/s and DropTail. `one`: a flow alone at 300 ms, over the second half of
# 2,000 s. `pair`: two flows at 100 ms with access delays of 1.25 ms (a) and 2.5 ms (b), over
# the second half of 400 s; all pairs run with access links of 1,000, 500 and 250 Mbit/s, and
# with 1,000 Mbit/s and 7 us more of a's access delay (1000+7us). Buffers are given as
# fractions of C RTT, results as Mbit/s of each flow, headers included. HSTCP is ns-2's own on
# Sack1 or NewReno; the other laws are those of TCP-Linux.
set -euo pipefail
cell=$(dirname "$0")/cell.tcl

# row WHAT BUFFER LIMIT ACCESS KEY=VALUE...: a line
row() {
  local what=$1 buffer=$2 limit=$3 access=$4
  shift 4
  local out
  out=$(ns "$cell" rate=200Mb buffer="$limit" "$@")
  echo "$what,$buffer,$access,$(sed -n 's/^[12]\..*\.wire_mbps=//p' <<<"$out" | xargs printf '%.1f\n' | paste -sd,)"
}
one() {
  row "one $1" "$2" "$3" 1000 group="$1":1:1000Mb:2.5ms delay=150ms time=2000
}
pair() {
  local rate=${access%+*} delay=1.25ms
  [[ $access == *+7us ]] && delay=1.257ms
  row "$1 beside $2" "$3" "$4" "$access" group="$1":1:"$rate"Mb:$delay \
    group="$2":1:"$rate"Mb:2.5ms delay=50ms time=400
}

echo "flows,buffer,access,a,b"
one sack1+hs 0.1 501
for law in sack1+hs newreno+hs linux-scalable linux-htcp linux-bic linux-cubic; do
  one "$law" 1 5001
done
for access in 1000 500 250 1000+7us; do
  for law in linux-scalable sack1+hs linux-htcp linux-westwood linux-bic linux-cubic; do
    pair "$law" newreno 1 1668
    pair newreno "$law" 1 1668
  done
  for law in linux-scalable sack1+hs linux-cubic; do
    pair "$law" "$law" 0.1 168
    pair "$law" "$law" 0.5 834
    pair "$law" "$law" 1 1668
  done
done
