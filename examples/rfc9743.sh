#!/bin/sh
# Runs the experiments that RFC 9743 asks for, with one congestion control (law):
#   examples/rfc9743.sh LAW OUT
# LAW is a name that `tusker list cc` shows, or a name with parameters such as
# hcc:tau=0.005. OUT is a new folder. Every experiment also runs cubic-linux, Linux's CUBIC,
# for comparison (CUBIC=.. names another law). The script prints a table that says for each
# criterion whether the law is better than CUBIC, the same, worse or undecided. OUT gets this
# table and those of all experiments, as text, on a page for each experiment, and all together
# on one page, index.html. Notes below a table say what makes its results doubtful.
# docs/rfc9743.md says what to look at.
#
# Set these variables for your own experiments. Choose RATE and RTT so that your law differs
# from Reno there:
#   RATE=20mbit RTT=50ms   the path of most experiments
#   DURATION=20s           how long each experiment lasts; by default as long as 16 cycles of
#                          Reno on this path take, from 20 s to 400 s; at high rates less, so
#                          that the script does not take hours
#   REPLICATES=8           how often each is repeated with other seeds, to get intervals
#   TUSKER=tusker          the program
set -eu
if [ $# -ne 2 ]; then
    {
        echo "usage: [RATE=20mbit] [RTT=50ms] [DURATION=20s] [REPLICATES=8] [CUBIC=cubic-linux] $0 LAW OUT"
        echo "(these are the defaults; without DURATION, the script takes 20 s to 400 s, as the path needs)"
        echo "LAW is a congestion control of \`tusker list cc\`, also with parameters, such as htcp:rtt_scaling=1"
        echo "(\`tusker explain htcp\` lists them). Runs experiments that RFC 9743 asks for with LAW"
        echo "and, for comparison, with CUBIC. Writes tables and pages into the new folder OUT; read OUT/index.html."
        echo "Example: RATE=200mbit RTT=40ms DURATION=100s $0 ghstcp evidence"
    } >&2
    case ${1:-} in -h | --help) exit 0 ;; esac
    exit 2
fi
law=$1
out=$2
rate=${RATE:-20mbit}
rtt=${RTT:-50ms}
# Argument: statements of awk. Runs them with `rate` in bit/s and `rtt` in seconds, which are 0 if
# their units are none of these.
on_path() {
    echo "$rate $rtt" | awk '
        function unit(text) { sub(/^[0-9.]+/, "", text); return tolower(text) }
        BEGIN { size["kbit"] = 1e3; size["mbit"] = 1e6; size["gbit"] = 1e9
                time["us"] = 1e-6; time["ms"] = 1e-3; time["s"] = 1 }
        { rate = $1 * size[unit($1)]; rtt = $2 * time[unit($2)]; '"$1"' }'
}
# A cycle of Reno with a buffer of 1 BDP: as many round trips, of 1.5 times RTT on average, as
# the path holds packets. The product of rate and duration is at most 40 Gbit, but no experiment
# is shorter than 20 s. The second half is measured: eight cycles, of which three are needed.
cycles=$(on_path '
    wanted = 16 * rate * rtt / 12000 * 1.5 * rtt
    most = rate > 0 ? 4e10 / rate : 20
    if (most > 400) most = 400
    if (wanted > most) wanted = most
    if (wanted < 20) wanted = 20
    printf "%ds", int(wanted + 0.5)')
duration=${DURATION:-$cycles}
replicates=${REPLICATES:-8}
cubic=${CUBIC:-cubic-linux}

# First, find the program: as TUSKER names it, on the PATH, or as it was just built.
built=$(dirname "$0")/../target/release/tusker
tusker=${TUSKER:-tusker}
if ! command -v "$tusker" > /dev/null; then
    if [ -n "${TUSKER:-}" ] || [ ! -x "$built" ]; then
        echo "$tusker: no such program: build it with \`cargo build --release\`, or name it: TUSKER=.. $0" >&2
        exit 2
    fi
    tusker=$built
fi
if [ ! -f "$(dirname "$0")/rfc9743-ci.sh" ]; then
    echo "$0 needs rfc9743-ci.sh and rfc9743.py in its folder" >&2
    exit 2
fi
if [ -e "$out" ] && [ -n "$(ls -A "$out")" ]; then
    echo "$out already has something in it: name a new folder" >&2
    exit 2
fi
both=$law,$cubic
if [ "$law" = "$cubic" ]; then both=$law; fi
# If the law or the path is not valid, this command prints the error.
"$tusker" compare --rate "$rate" --rtt "$rtt" --cc "$both" --print-scenario > /dev/null
echo "$law and $cubic: $rate, $rtt, $duration, replicates: $replicates; RATE, RTT, DURATION and REPLICATES change this.
Choose RATE and RTT where your law differs from Reno; this shows whether it does:
  tusker compare --cc reno,$law --rate $rate --rtt $rtt" >&2
mkdir -p "$out"
# The output of each experiment, which goes below the table of all criteria.
body=$out/index.part
: > "$body"
: > "$out/criteria.tsv"

# Arguments: name, then a command. Keeps the command's table and notes in separate files. If
# the command fails, the script ends.
run() {
    kept=$1
    shift
    "$@" > "$out/$kept.txt" 2> "$out/$kept.notes" || {
        status=$?
        cat "$out/$kept.notes" >&2
        exit "$status"
    }
}

# Prints its arguments as words of a shell.
quoted() {
    for word in "$@"; do
        case $word in
        *[!A-Za-z0-9_./:=,@%+-]*) printf " '%s'" "$word" ;;
        *) printf ' %s' "$word" ;;
        esac
    done
}

escaped() { sed 's/&/\&amp;/g; s/</\&lt;/g; s/>/\&gt;/g'; }

# Arguments: name, criterion, page, command. Shows the table and the notes on the page with all tables.
finished=0
began=$(date +%s)
keep() {
    finished=$((finished + 1))
    took=$(($(date +%s) - began))
    left=$((took * (experiments - finished) / finished))
    echo "experiment $finished of $experiments: $took s so far, about $left s left" >&2
    {
        echo "<h2>$2</h2>"
        echo "<p><code>$(echo "tusker $4" | escaped)</code></p>"
        echo "<pre>"
        cat "$out/$1.txt" "$out/$1.notes" | escaped
        echo "</pre>"
        echo "<p><a href=\"$3\">With figures and all measures</a></p>"
    } >> "$body"
}

# Arguments: name, criterion, measures. Adds a line to the table of all criteria.
measured() {
    [ "$both" != "$law" ] || return 0
    printf '%s\t%s\t%s\n' "$1" "$2" "$3" >> "$out/criteria.tsv"
}

# Arguments: name, criterion, measures (+: more is better, @: what is nearer to 0 is better),
# arguments of `tusker compare`.
criterion() {
    name=$1
    about=$2
    measures=$3
    shift 3
    run "$name" "$tusker" compare "$@" --duration "$duration" --replicates "$replicates" \
        --quiet --wide --out "$out/$name" --report "$out/$name.html"
    keep "$name" "$about ($(echo "$measures" | tr -d +@))" "$name.html" \
        "compare$(quoted "$@") --duration $duration --replicates $replicates"
    "$tusker" compare "$@" --duration "$duration" --replicates "$replicates" \
        --quiet --resume --out "$out/$name" --format csv > "$out/$name.csv" 2> /dev/null
    if [ -e "$out/$name/harm.csv" ]; then
        mv "$out/$name.csv" "$out/$name.own.csv"
        cp "$out/$name/harm.csv" "$out/$name.csv"
    fi
    measured "$name" "$about" "$measures"
}

# Arguments: name, criterion, the key that holds the law, measures. The scenario is on stdin.
scenario() {
    name=$1
    about=$2
    law_key=$3
    measures=$4
    { echo "duration = \"$duration\""; echo 'profile = "linux"'; echo; echo "$path"; echo; cat; } \
        > "$out/$name.toml"
    plain=$(echo "$measures" | tr -d +@)
    run "$name" "$tusker" sweep "$out/$name.toml" --over "$law_key=$both" \
        --measure "$plain" --replicates "$replicates" --quiet --wide --out "$out/$name"
    keep "$name" "$about ($plain)" "$name/report.html" \
        "sweep $name.toml$(quoted --over "$law_key=$both") --measure $plain --replicates $replicates"
    {
        echo "<details><summary>$name.toml</summary><pre>"
        escaped < "$out/$name.toml"
        echo "</pre></details>"
    } >> "$body"
    "$tusker" sweep "$out/$name.toml" --over "$law_key=$both" --measure "$plain" \
        --replicates "$replicates" --quiet --out "$out/$name" --format csv \
        > "$out/$name.csv" 2> /dev/null
    measured "$name" "$about" "$measures"
}

# Arguments: a share, and a time such as 25ms. Prints this share of the time.
part() {
    echo "$2" | awk -v share="$1" '{ unit = $0; sub(/^[0-9.]+/, "", unit); print share * $0 unit }'
}

# Like criterion, on the path of most experiments.
on() {
    name=$1
    about=$2
    measures=$3
    shift 3
    criterion "$name" "$about" "$measures" --rate "$rate" --rtt "$rtt" "$@"
}

if "$tusker" compare --rate "$rate" --rtt "$rtt" --queue codel --ecn --cc "$both" \
    --print-scenario > /dev/null 2>&1; then
    ecn=yes experiments=24
else
    ecn=no experiments=22
fi
criterion collapse "Congestion collapse: many flows, slow link [5.1.1]" loss_rate,timeouts \
    --rate 2mbit --rtt 100ms --buffer 10pkt --cc "$both" --flows 30
on lossy "Heavy loss on the wire [5.1.1]" +goodput_bps,timeouts --loss 0.3 --cc "$both"
on loss "Wireless paths: random loss of 1 % [6.4]" +goodput_bps,timeouts --loss 0.01 --cc "$both"
on deep "Bufferbloat: a deep buffer [5.1.2]" rtt_mean_s,rtt_p95_s --buffer 4bdp --cc "$both"
on shallow "Packet loss: shallow buffers [5.1.3]" loss_rate \
    --buffer 0.1bdp,0.5bdp,1bdp --cc "$both" --flows 4
on several "Fairness within the algorithm [5.1.4]" +jain --cc "$both" --flows 5
on beside "Beside others: buffer of 1 BDP [5.2.1]" harm_goodput,harm_rtt,harm_loss \
    --cc "$both" --against "reno,$cubic"
on beside-shallow "Beside others: shallow buffer (0.1 BDP) [5.2.1]" harm_goodput \
    --buffer 0.1bdp --cc "$both" --against "reno,$cubic"
on beside-deep "Beside others: deep buffer (4 BDP) [5.2.1]" harm_goodput \
    --buffer 4bdp --cc "$both" --against "reno,$cubic"
on beside-lossy "Beside others: random loss of 1e-4 [5.2.1]" harm_goodput \
    --loss 1e-4 --cc "$both" --against "reno,$cubic"
criterion beside-long-fat "Beside others: long fat path (200 Mbit/s, 100 ms) [5.2.1]" \
    harm_goodput --rate 200mbit --rtt 100ms --cc "$both" --against "reno,$cubic"
on aqm "Beside others: AQM, a queue for each flow (fq_codel) [7.1]" harm_goodput,harm_rtt \
    --queue fq_codel --cc "$both" --against "reno,$cubic"
on codel "Beside others: AQM, one queue for all (codel) [7.1]" harm_goodput,harm_rtt \
    --queue codel --cc "$both" --against "reno,$cubic"
on pie "Beside others: AQM, one queue for all (pie) [7.1]" harm_goodput,harm_rtt \
    --queue pie --cc "$both" --against "reno,$cubic"
if [ "$ecn" = yes ]; then
    on ecn "ECN [7.1]" +utilisation,rtt_mean_s,loss_rate --queue codel --ecn --cc "$both"
    on ecn-beside "Beside others: both with ECN (codel) [7.1]" harm_goodput \
        --queue codel --ecn --cc "$both" --against "reno,$cubic"
else
    echo
    echo "== ECN: left out, because $law or $cubic needs another kind of ECN (see docs/l4s.md)"
fi
criterion far "Short and long delays [7.5]" +goodput_bps \
    --rate "$rate" --rtt 10ms,80ms,600ms --cc "$both"
# The delay varies by about a tenth of the round trip, as on wireless paths.
jitter="distribution = \"exponential\", mean = \"$(part 0.1 "$rtt")\""
on jitter "Varying delay [7.3]" +goodput_bps,rtt_p95_s --cc "$both" --set "dumbbell.jitter={ $jitter }"
on reorder "Packets out of order [7.7]" +goodput_bps,timeouts --cc "$both" \
    --set "dumbbell.jitter={ $jitter, reorder = true }"
steps="{ at = \"0s\", rate = \"$rate\" }, { at = \"$(part 0.6 "$duration")\", rate = \"$(part 0.25 "$rate")\" }, { at = \"$(part 0.8 "$duration")\", rate = \"$rate\" }"
on steps "Sudden changes: the rate falls to a quarter [7.8, 7.9]" +goodput_bps,rtt_p95_s,loss_rate \
    --cc "$both" --set "dumbbell.rate=[$steps]"

# Experiments with more than one kind of flow are scenario files, which are kept in OUT.
path=$("$tusker" compare --rate "$rate" --rtt "$rtt" --cc "$law" --print-scenario \
    | sed -n '/^\[dumbbell\]/,/^$/p')
one_way=$(echo "$path" | sed -n 's/^delay = "\(.*\)"/\1/p')
# The longer access delay is at both ends.
far=$(echo "$path" | sed -n "s/^\(access = .*delay = \"\).*/\1$(part 0.5 "$one_way")\" }/p")
cc="cc = \"$cubic\""
# Flows start at random times, so that replicates differ.
start="start = { uniform = [\"0s\", \"$(part 0.05 "$duration")\"] }"
scenario distances "Unequal round trips: twice as long for half [5.1.4]" \
    cc @rtt_exponent,+jain << END
[[flows]]
name = "near"
count = 2
$cc
$start

[[flows]]
name = "far"
count = 2
$cc
$start
$far
END
scenario newcomer "A newcomer beside a flow that has the path [5.1.4]" \
    cc +converged,convergence_s,+jain << END
[[flows]]
name = "first"
$cc
$start

[[flows]]
name = "second"
$cc
start = "$(part 0.25 "$duration")"
END
# Arguments: name, criterion, the key that holds the law, size of the short flows.
short_flows() {
    scenario "$1" "$2" "$3" \
        transfers.short.slowdown_p50,transfers.short.slowdown_p95,+groups.long.goodput_bps << END
[[flows]]
name = "long"
$cc

[[arrivals]]
name = "short"
$cc
load = 0.1
size = "$4"
stop = "$(part 0.9 "$duration")"
END
}
short_flows short "Short CUBIC flows (30 kB) beside a long one [5.2.3]" flows.long.cc 30kB
# Flows of 3 BDP leave slow start.
three_bdp=$(on_path 'kb = 3 * rate * rtt / 8000; printf "%.0fkB", kb < 30 ? 30 : kb')
short_flows short-own "Flows of its own of 3 BDP beside a long one [5.1.5]" cc "$three_bdp"

. "$(dirname "$0")/rfc9743-ci.sh"

elsewhere="RATE=200mbit RTT=100ms"
if [ "$rate $rtt" = "200mbit 100ms" ]; then elsewhere="RATE=20mbit RTT=50ms"; fi
# index.html: the table of all criteria, then the output of each experiment.
page=$out/index.html
table=$(dirname "$0")/rfc9743.py
about="$law compared with $cubic, simulated: $rate, $rtt, $duration, replicates: $replicates. The numbers in
brackets are the sections of RFC 9743. The first table says how $law does by each criterion, and the second one by each measure."
verdicts="Harm to goodput is the share of its goodput that a flow of the named congestion control loses beside one of $law (or of $cubic), compared with having the path alone. A harm of 0.5 leaves it half of that: two equal flows do this to each other. Harm to RTT and by loss: the share of its RTT, or of its loss, that it would not have alone (below 0: it has less beside the other flow).
Same: no two values in the two 95 % intervals differ by more than 10 % of the larger mean (for harm and Jain's index: by more than 0.05). Better or worse: the intervals do not overlap, and the difference may be larger than that. Slightly better or worse: the difference is at most that, but the intervals do not overlap, and the means differ by more than a tenth of it.
RTT exponent k: goodput is proportional to RTT^-k. With 0, goodput does not depend on the round trip; below 0, flows with longer round trips get more. The distances from 0 are compared.
Undecided: anything else; more REPLICATES or a longer DURATION may decide. Not known: a mean has no interval. No value: there is no mean.
An asterisk marks runs that are too short for a long-term mean: with a longer DURATION, such as three times $duration, their verdict may be different.
Of so many comparisons, a few verdicts may be chance, with or without an asterisk: those that a longer DURATION gives, too, are surer."
limits="Most experiments are on one path, $rate and $rtt. On another one, verdicts may be different: repeat them with $elsewhere, for example.
This is Tusker's implementation of $law; the end of this page has its source, its differences from the source and its parameters.
The queue is DropTail (6.1) where no other one is named, and the path has a stable rate and delay (6.3) where nothing else is said.
Not covered: real-time traffic (5.2.2), differences from the principles of congestion control (5.3.1), incremental deployment (5.3.2), tunnels (6.2), L4S queues (7.1), circuit breakers (7.2), a minimum delay that changes (7.3), constrained nodes (7.4), misbehaving nodes (7.6), routes that change (7.8), multipath (7.10), data centres (7.11)."
made="$("$tusker" --version), with RATE=$rate RTT=$rtt DURATION=$duration REPLICATES=$replicates CUBIC=$cubic rfc9743.sh $law $(basename "$out")"
{
    echo "<!doctype html>"
    echo "<html lang=\"en\"><meta charset=\"utf-8\"><title>$law and RFC 9743</title>"
    echo "<style>body { font-family: sans-serif; max-width: 80rem; margin: 1rem auto; padding: 0 1rem } pre { overflow-x: auto }"
    echo "td:nth-child(3):nth-last-child(3), td:nth-child(4):nth-last-child(2) { white-space: nowrap }"
    echo "@media print { pre { white-space: pre-wrap; font-size: 6pt } table { font-size: 7pt } }</style>"
    echo "<h1>$law and RFC 9743</h1>"
    echo "<p>$about</p>"
    echo "<p>Made on $(date +%F) by $made</p>"
} > "$page"
if [ ! -s "$out/criteria.tsv" ]; then
    echo "note: $law would be compared with itself, so there is no table of all criteria" >&2
elif ! command -v python3 > /dev/null; then
    echo "note: python3 was not found, so there is no table of all criteria" >&2
else
    {
        python3 "$table" "$out" "$law" "$cubic" html
        echo "<h2>What the verdicts mean</h2>"
        echo "$verdicts" | sed 's/^/<p>/'
        python3 "$table" "$out" "$law" "$cubic" figure
    } >> "$page"
    {
        echo "$about"
        echo
        python3 "$table" "$out" "$law" "$cubic" text
        echo
        echo "$verdicts"
        echo
        echo "$limits"
    } > "$out/criteria.txt"
    echo "$law compared with $cubic: $rate, $rtt, $duration, replicates: $replicates. In brackets: sections of RFC 9743"
    echo
    python3 "$table" "$out" "$law" "$cubic" short
fi
{
    echo "<h2>What is not tested</h2>"
    echo "$limits" | sed 's/^/<p>/'
} >> "$page"
# Arguments: title, name of an experiment, names of its figures. Draws them on the page.
figure() {
    drawn=$out/$2.svg
    "$tusker" report "$out/$2" --figure "$3" --svg "$drawn" 2> "$out/index.caption"
    {
        echo "<h2>$1</h2>"
        # as an image: the letters of two drawings on one page would be taken from one of them
        echo "<p><img alt=\"$1\" src=\"data:image/svg+xml;base64,$(base64 "$drawn" | tr -d '\n')\"></p>"
        echo "<p>$(sed "/^wrote /d; /^data: /d; s|$out/||g" "$out/index.caption" | escaped)</p>"
    } >> "$page"
    rm "$drawn" "$out/index.caption"
}
goodputs=$("$tusker" report "$out/beside" --list 2> /dev/null \
    | sed -n '/^time-reno-against-reno/d; s/^\(time-.*-against-[^ ]*\.goodput\) .*/\1/p' | paste -s -d , -)
[ -z "$goodputs" ] || figure "Goodput of two flows beside each other" beside "$goodputs"
figure "Round-trip times with a buffer of 4 BDP" deep rtt-cdf
{
    echo "<h2>A check for CI</h2><p>This is <a href=\"ci.sh\">ci.sh</a>.</p><pre>"
    escaped < "$out/ci.sh"
    echo "</pre>"
} >> "$page"
cat "$body" >> "$page"
rm "$body"
# What the names mean: the measures of all criteria, and both congestion controls.
{
    echo "<h2>What the measures mean</h2><pre>"
    cut -f 3 "$out/criteria.tsv" | tr , '\n' | sed 's/.*\.//' | tr -d +@ | sort -u \
        | while read -r measure; do
            "$tusker" explain "$measure" 2> /dev/null | sed '/^  Unit:/,$d' | escaped
        done
    echo "</pre><h2>The congestion controls</h2><pre>"
    for name in "${law%%:*}" "${cubic%%:*}"; do
        COLUMNS=100 "$tusker" explain "$name" 2> /dev/null | escaped
        echo
    done
    echo "</pre>"
} >> "$page"
echo
echo "The page: $page has all tables with values and intervals, three figures, and links to a page for each experiment"
echo "The tables as text: $out/criteria.txt has all values; each experiment has one, such as $out/beside.txt"
echo "A check for CI, which fails if a later version of $law is surely worse in any of these experiments: $out/ci.sh"
echo "To send it: $page is complete, but its links lead to other pages. With these: (cd $out && tar czf ../$(basename "$out").tgz *.html */report.html *.txt ci.sh)"
echo "Source of $law: $("$tusker" explain "${law%%:*}" 2> /dev/null | awk '/^Source/ { on = 1; next } on && NF == 0 { exit } on { sub(/^ +/, ""); printf "%s ", $0 }')(tusker explain ${law%%:*} has its parameters)"
