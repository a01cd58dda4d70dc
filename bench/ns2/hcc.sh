#!/usr/bin/env bash
# Rows of Table 2 of papers/hcc in ns-2.35, under the assumptions that its README
# makes, for the laws that TCP-Linux has:
#
#   bench/ns2/hcc.sh > bench/ns2/hcc.csv                (first make setup-ns2)
#   bench/ns2/hcc.sh 600 "linux-htcp linux-bic"         one buffer, some laws
#
# The link has 200 Mbit/s, 20 ms and DropTail; packets have 1,000 bytes, and all 300 s are
# measured. Flow 1 has a round trip of 60 ms, flow 2 one of 90, 120 or 360 ms. The results are
# the Mbit/s of each flow, headers included. A row takes one to two minutes on one core.
set -euo pipefail
cell=$(dirname "$0")/cell.tcl
buffers=${1:-600 2000}
laws=${2:-linux-htcp linux-highspeed linux-illinois linux-bic linux-scalable}

echo "law,buffer,rtt_ratio,t1,t2"
row() {
  local law=$1 buffer=$2 ratio=$3 delay=$4 out both
  out=$(ns "$cell" rate=200Mb delay=20ms buffer=$((buffer + 1)) packet=1000 time=300 \
    from=0 start=0.001 group="$law":1:1000Mb:5ms group="$law":1:1000Mb:"$delay")
  both=$(sed -n 's/^[12]\..*\.wire_mbps=//p' <<<"$out" | xargs printf '%.1f\n' | paste -sd,)
  echo "$law,$buffer,$ratio,$both"
}

for buffer in $buffers; do
  for law in $laws; do
    row "$law" "$buffer" 1.5 12.5ms
    row "$law" "$buffer" 2 20ms
    row "$law" "$buffer" 6 80ms
  done
done
