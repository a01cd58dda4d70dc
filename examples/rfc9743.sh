#!/bin/sh
# What RFC 9743 asks of a congestion control, by one command:
#   examples/rfc9743.sh LAW OUT
# LAW is a name that `tusker list cc` shows; OUT is a new folder. Tables are printed and
# kept in OUT, with a page for each comparison. docs/rfc9743.md says what to look at.
# TUSKER is the program, DURATION how long each experiment lasts, REPLICATES how often.
set -eu
if [ $# -ne 2 ]; then
    echo "usage: $0 LAW OUT" >&2
    exit 2
fi
law=$1
out=$2
tusker=${TUSKER:-tusker}
duration=${DURATION:-20s}
replicates=${REPLICATES:-1}
if [ -e "$out" ]; then
    echo "$out is there already: name a new folder" >&2
    exit 2
fi
mkdir -p "$out"

# name, criterion, what to compare
criterion() {
    name=$1
    echo
    echo "== $2"
    shift 2
    "$tusker" compare "$@" --duration "$duration" --replicates "$replicates" --quiet \
        --out "$out/$name" --report "$out/$name.html" > "$out/$name.txt"
    cat "$out/$name.txt"
}

path="--rate 20mbit --rtt 50ms"
# $path is several words
# shellcheck disable=SC2086
{
    criterion collapse "Congestion collapse: many flows on a slow link (loss, timeouts)" \
        --rate 2mbit --rtt 100ms --buffer 10pkt --cc "$law" --flows 30
    criterion lossy "Heavy loss on the wire (throughput, timeouts)" \
        --rate 10mbit --rtt 50ms --loss 0.3 --cc "$law"
    criterion deep "Bufferbloat: a deep buffer (mean queue, RTT p95)" \
        $path --buffer 4bdp --cc "$law"
    criterion shallow "Packet loss: shallow buffers (loss)" \
        $path --buffer 0.1bdp,0.5bdp,1bdp --cc "$law" --flows 4
    criterion several "Fairness within the algorithm (Jain)" $path --cc "$law" --flows 5
    criterion beside "Beside other algorithms (harm compared with by its own)" \
        $path --cc "$law" --against reno,cubic
    criterion aqm "Active queue management" $path --cc "$law" --queue fq_codel --against cubic
    criterion far "Short and long delays" --rate 10mbit --rtt 10ms..600ms:3:log --cc "$law"
}
echo
echo "Not in here: short flows, jitter, changing rates, newcomers, unequal round trips;"
echo "docs/rfc9743.md has scenarios for them. Tables and pages are in $out"
