# Writes $out/ci.sh, a check that fails if a later version of a law is surely worse. Part of
# rfc9743.sh, whose variables and results it uses.
#
# Each value of the law has a limit beyond which a later version is worse: the end of its 95 %
# interval, and 0.1 % more, for rounding.

# Arguments: a file, how the name of an experiment ends, measures with + or @ as in the table of all
# criteria, what stands before the names of measures. Prints options for values of the first
# such line. A share of runs has Wilson's interval, and is not judged with `surely`.
limits() {
    awk -F , -v end="$2" -v measures="$3" -v of="${4:-}" '
        function option(name, sign, value, word) {
            printf " --fail-on '\''%s%s %s %.4g%s'\''", of, name, sign, value, word
        }
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        substr($1, length($1) - length(end) + 1) != end { next }
        {
            count = split(measures, wanted, ",")
            for (i = 1; i <= count; i++) {
                name = wanted[i]
                kind = substr(name, 1, 1)
                if (kind == "+" || kind == "@") name = substr(name, 2)
                mean = $at[name]
                half = $at[name "_ci95"]
                if (name == "converged" && mean != "") {
                    n = $at["replicates"]
                    z = 1.96 * 1.96 / n
                    low = (mean + z / 2 - 1.96 * sqrt((mean * (1 - mean) + z / 4) / n)) / (1 + z)
                    if (low > 0.001) option(name, "<", low * 0.999, "")
                } else if (mean != "" && half != "") {
                    sign = kind == "+" ? -1 : 1
                    worst = (kind == "@" && mean < 0 ? -mean : mean) + sign * half
                    worst += sign * 0.001 * (worst < 0 ? -worst : worst)
                    option(name, sign < 0 ? "<" : ">", worst, " surely")
                    if (kind == "@") option(name, "<", -worst, " surely")
                }
            }
            exit
        }' "$out/$1"
}
# Arguments: name of an experiment beside Reno and CUBIC, measures, rate, RTT, more options. Prints a check
# for each rival: of its harm, and of the goodput of the law.
beside() {
    kept=$1
    harms=$2
    on="--rate $3 --rtt $4"
    shift 4
    for rival in reno "$cubic"; do
        [ "$rival" != "$law" ] || continue
        harmed=$(limits "$kept/harm.csv" "-against-$rival" "$harms" "groups.$rival.")
        own=$(limits "$kept.own.csv" "-against-$rival" +goodput_bps 'groups.$name.' | tr "'" '"')
        echo "check $on$(quoted "$@") --against $rival$harmed$own"
    done
}
# Arguments: name of an experiment with the law alone, measures, how the name of the line ends, its
# options. Prints a check.
alone() {
    found=$(limits "$1.csv" "$3" "$2")
    shift 3
    [ -z "$found" ] || echo "check$(quoted "$@")$found"
}
# Arguments: name of a scenario file, the key that holds the law, measures. Prints a check.
swept() {
    found=$(limits "$1.csv" "" "$3")
    [ -z "$found" ] || printf "sweep --over %s=\"\$law\"%s << 'END'\n%s\nEND\n" "$2" "$found" "$(cat "$out/$1.toml")"
}
here="--rate $rate --rtt $rtt"
{
    cat << END
#!/bin/sh
# Fails (exit code 3) if a congestion control is surely worse than $law was when this file was made:
# each limit is the end of a 95 % interval, and 0.1 % more. With \`possibly\` in place of \`surely\`, it also
# fails if that is undecided (tusker explain fail-on).
#   ./ci.sh                        $law as the program has it now
#   ./ci.sh ${law%%:*}:PARAM=VALUE       with another parameter
#   TUSKER=PATH ./ci.sh            another program than the tusker on the PATH
law=\${1:-$law}
tusker=\${TUSKER:-tusker}
command -v "\$tusker" > /dev/null || { echo "\$tusker: no such program; name it: TUSKER=PATH \$0" >&2; exit 2; }
# what the results call the law: its name, and the parameters that differ from their defaults
scenario=\$("\$tusker" compare $here --cc "\$law" --against reno --print-scenario) || exit 2
name=\$(echo "\$scenario" | sed -n 's/^name = "\(.*\)"/\1/p' | head -n 1)
kept=\$(mktemp -d)
trap 'rm -rf "\$kept"' EXIT
made=0
failed=0
# All checks are made, also after one that fails. Prints which conditions failed, and no notes.
made_one() {
    made=\$((made + 1))
    status=0
    "\$tusker" "\$@" --replicates $replicates --quiet > /dev/null 2> "\$kept/notes" || status=\$?
    case \$status in
    0) ;;
    3) failed=\$((failed + 1)); grep '^failed on' "\$kept/notes" >&2 ;;
    *) cat "\$kept/notes" >&2; exit "\$status" ;;
    esac
}
check() { made_one compare "\$@" --cc "\$law" --duration $duration; }
sweep() { made_one sweep - "\$@" --out "\$kept/\$made"; }
END
    echo "# what $law takes from others, and what it has beside them"
    beside beside harm_goodput,harm_rtt,harm_loss "$rate" "$rtt"
    beside beside-shallow harm_goodput "$rate" "$rtt" --buffer 0.1bdp
    beside beside-deep harm_goodput "$rate" "$rtt" --buffer 4bdp
    beside beside-lossy harm_goodput "$rate" "$rtt" --loss 1e-4
    beside beside-long-fat harm_goodput 200mbit 100ms
    beside aqm harm_goodput,harm_rtt "$rate" "$rtt" --queue fq_codel
    beside codel harm_goodput,harm_rtt "$rate" "$rtt" --queue codel
    beside pie harm_goodput,harm_rtt "$rate" "$rtt" --queue pie
    if [ "$ecn" = yes ]; then beside ecn-beside harm_goodput "$rate" "$rtt" --queue codel --ecn; fi
    echo "# what it does alone"
    alone collapse loss_rate,timeouts "" --rate 2mbit --rtt 100ms --buffer 10pkt --flows 30
    alone lossy +goodput_bps,timeouts "" $here --loss 0.3
    alone loss +goodput_bps,timeouts "" $here --loss 0.01
    alone deep rtt_mean_s,rtt_p95_s "" $here --buffer 4bdp
    for buffer in 0.1bdp 0.5bdp 1bdp; do
        alone shallow loss_rate "-$buffer" $here --buffer "$buffer" --flows 4
    done
    alone several +jain "" $here --flows 5
    if [ "$ecn" = yes ]; then
        alone ecn +utilisation,rtt_mean_s,loss_rate "" $here --queue codel --ecn
    fi
    for delay in 10ms 80ms 600ms; do
        alone far +goodput_bps "-$delay" --rate "$rate" --rtt "$delay"
    done
    alone jitter +goodput_bps,rtt_p95_s "" $here --set "dumbbell.jitter={ $jitter }"
    alone reorder +goodput_bps,timeouts "" $here --set "dumbbell.jitter={ $jitter, reorder = true }"
    alone steps +goodput_bps,rtt_p95_s,loss_rate "" $here --set "dumbbell.rate=[$steps]"
    echo "# several kinds of flows"
    swept distances cc @rtt_exponent,+jain
    swept newcomer cc +converged,+jain
    swept short flows.long.cc \
        transfers.short.slowdown_p50,transfers.short.slowdown_p95,+groups.long.goodput_bps
    swept short-own cc \
        transfers.short.slowdown_p50,transfers.short.slowdown_p95,+groups.long.goodput_bps
    cat << 'END'
[ "$failed" = 0 ] || { echo "$failed of $made checks failed" >&2; exit 3; }
echo "all $made checks passed"
END
} > "$out/ci.sh"
chmod +x "$out/ci.sh"
