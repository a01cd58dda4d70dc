#!/usr/bin/env python3
"""Runs the validation cells in ns-2.35 and stores the results.

    bench/ns2/oracle.py [--only REGEX] [--seeds N] [--table]
    bench/ns2/oracle.py --paper         Cases 1-4, 8 and 20 of the gHSTCP paper
    bench/ns2/oracle.py --scenario CELL > cell.toml     the same cell for Tusker

Each cell is a list of arguments for cell.tcl (its head says what is counted
where). Rows already in oracle.csv beside this file are not run again (delete it to
start again); --table prints it as Markdown, averaged over the seeds, and runs
nothing. The folder cells/ gets every cell as a scenario of Tusker. --scenario prints
a cell as one; thresholds and weights that ns-2 chose by itself are taken from the
CSV. The cells run one after the other, at low priority.
"""

import argparse
import csv
import os
import re
import statistics
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent

# name: arguments of cell.tcl. Random starts within the first second; the latter half
# of the time counts. Times are chosen so that five seeds of all take about half an
# hour of processor time.
CELLS = {}
AGENTS = ("reno", "newreno", "sack1")
LAWS = [f"{agent}{law}" for agent in AGENTS for law in ("", "+hs")]

# a: one flow, 200 Mbit/s, 50 ms one way + 1 ms access on each side (RTT 104 ms);
#    buffer 0.1 and 1 times 200 Mbit/s x 100 ms.
for agent in LAWS:
    for part, limit in (("0.1", 167), ("1", 1667)):
        CELLS[f"a/{agent}/{part}bdp"] = f"group={agent}:1:1000Mb rate=200Mb delay=50ms buffer={limit} time=200"

# b: 10 Mbit/s, 20 ms, 50 packets: phase effects and all.
for agent in AGENTS:
    CELLS[f"b/5x{agent}"] = f"group={agent}:5:100Mb rate=10Mb delay=20ms buffer=50 time=400"
CELLS["b/5xreno+5xsack1"] = "group=reno:5:100Mb group=sack1:5:100Mb rate=10Mb delay=20ms buffer=50 time=400"

# c: 100 Mbit/s, RED as in 1993 (hard limit at max_th, every interval between drops
#    uniform on 1..1/p), gentle, with wait_, and with the defaults of ns-2.35 on a
#    1500-byte diet.
MIX = "group=sack1:5:1000Mb group=sack1+hs:5:1000Mb"
RED = "queue=RED red.thresh=50 red.maxthresh=150 red.q_weight=0.002 red.linterm=10 red.gentle=false red.wait=false"
C = "rate=100Mb delay=20ms buffer=400"
CELLS["c/red1993"] = f"{MIX} {C} {RED} time=200"
CELLS["c/red1993-gentle"] = CELLS["c/red1993"].replace("gentle=false", "gentle=true")
CELLS["c/red1993-wait"] = CELLS["c/red1993"].replace("wait=false", "wait=true")
CELLS["c/ns2-default-1500"] = f"{MIX} {C} queue=RED time=200"
for agent in ("reno", "newreno"):
    CELLS[f"c/{agent}/red"] = f"group={agent}:5:1000Mb group={agent}+hs:5:1000Mb {C} {RED} time=200"

# d: 622 Mbit/s, Adaptive RED, thresholds and weight by ns-2's own rules.
CELLS["d/ared"] = f"{MIX} rate=622Mb delay=50ms buffer=5000 queue=ARED time=100"
for agent in ("reno", "newreno"):
    CELLS[f"d/{agent}/ared"] = (
        f"group={agent}:5:1000Mb group={agent}+hs:5:1000Mb rate=155Mb delay=30ms buffer=1000 queue=ARED time=200"
    )

# e: 1 Gbit/s, half a BDP (1 Gbit/s x 100 ms), one standard and one HighSpeed flow.
CELLS["e/sack1+hstcp"] = "group=sack1:1:10000Mb group=sack1+hs:1:10000Mb rate=1000Mb delay=50ms buffer=4167 time=100"

# f: small, and random only in the start: a sawtooth to compare step by step.
for agent in LAWS:
    CELLS[f"f/{agent}"] = f"group={agent}:1:100Mb rate=10Mb delay=20ms buffer=25 time=100"
    CELLS[f"f/{agent}/w100"] = f"group={agent}:1:1000Mb rate=50Mb delay=20ms buffer=25 time=100"

# g: the reference workload of docs/performance.md, and Cases 1 and 2 of the gHSTCP
#    paper at 50 ms (no SACK) with two lengths of the sending host's own queue; short.
CORE = "rate=2500Mb delay=50ms buffer=10000"
CELLS["g/reference"] = f"group=sack1:5:100Mb group=sack1+hs:5:1000Mb {CORE} time=50"
for hostq in (50, 10000):
    CELLS[f"g/case1/host{hostq}"] = f"group=reno:5:100Mb group=reno:5:1000Mb {CORE} hostq={hostq} time=50"
    CELLS[f"g/case2/host{hostq}"] = f"group=reno:5:100Mb group=reno+hs:5:1000Mb {CORE} hostq={hostq} time=50"

# h: one flow and RED or Adaptive RED.
for agent in LAWS:
    CELLS[f"h/{agent}/red"] = (
        f"group={agent}:1:1000Mb rate=50Mb delay=20ms buffer=200 queue=RED red.thresh=25 red.maxthresh=75 "
        "red.q_weight=0.002 red.linterm=10 red.gentle=false red.wait=false time=200"
    )
    CELLS[f"h/{agent}/ared"] = f"group={agent}:1:1000Mb rate=100Mb delay=20ms buffer=400 queue=ARED time=200"

# i: two BDP of buffer: 45 Mbit/s x 64 ms are 240 packets.
for agent in LAWS:
    CELLS[f"i/{agent}/2bdp"] = f"group={agent}:1:1000Mb rate=45Mb delay=30ms buffer=480 time=200"

# j: forward and backward delays apart: 70 ms out, 10 ms back; and flows of 24 and 85 ms.
#    The odd .37 ms keeps their difference off a whole number of packet times (267 us):
#    at 16 ms every arrival is a tie, and its rounding decides who loses. So it would be
#    among flows of one round trip: each flow's is 52 us longer than the last one's.
for agent in LAWS:
    CELLS[f"j/{agent}/70+10ms"] = f"group={agent}:1:100Mb rate=20Mb delay=70ms back=10ms buffer=70 time=300"
for agent in ("reno", "newreno", "sack1", "sack1+hs"):
    CELLS[f"j/{agent}/near+far"] = (
        f"group={agent}:3:100Mb:1ms:13us group={agent}:3:100Mb:16.37ms:13us rate=45Mb delay=10ms buffer=150 time=200"
    )

# k: twenty flows; alone and mixed, a tail of one BDP and Adaptive RED.
for agent in AGENTS:
    CELLS[f"k/20x{agent}"] = f"group={agent}:20:1000Mb rate=100Mb delay=20ms buffer=333 time=100"
CELLS["k/10xreno+10xsack1+hs"] = (
    "group=reno:10:1000Mb group=sack1+hs:10:1000Mb rate=100Mb delay=20ms buffer=333 time=100"
)
CELLS["k/20xsack1/ared"] = "group=sack1:20:1000Mb rate=100Mb delay=20ms buffer=666 queue=ARED time=100"

# l: one fast flow: 2.5 Gbit/s x 24 ms are 5000 packets, half of them buffer.
for agent in ("reno", "sack1", "sack1+hs"):
    CELLS[f"l/{agent}/2500Mb"] = f"group={agent}:1:10000Mb rate=2500Mb delay=10ms buffer=2500 time=30"

# m: the laws of TCP-Linux, one flow each: 0.1 and 1 BDP (416 packets) at 50 ms, half a
#    BDP (833) at 200 ms, and RED at 50 ms (BDP 208).
LINUX_CELLS = {
    "0.1bdp": "rate=100Mb delay=23ms buffer=42 time=100",
    "0.5bdp-200ms": "rate=50Mb delay=98ms buffer=417 time=200",
    "1bdp": "rate=100Mb delay=23ms buffer=417 time=100",
    "red": "rate=50Mb delay=23ms buffer=200 queue=RED red.thresh=25 red.maxthresh=75 red.q_weight=0.002 "
    "red.linterm=10 red.gentle=false red.wait=false time=200",
}

# Our names for the laws of TCP-Linux, and their settings there. The reasons:
# docs/ns2-notes.md.
LINUX = {
    "reno": '"reno"',
    "highspeed": '{ name = "hstcp", ns2_response = 0 }',
    # one segment per 51 ACKs
    "scalable": '{ name = "scalable", a = 0.0196 }',
    "htcp": '{ name = "htcp", rtt_scaling = 1 }',
    # TCP-Linux counts 31/16 of an ACK for each: 16 and 4 become 31 and 64/31
    "bic": '{ name = "bic", beta = 0.2, s_max = 31, divisor = 2.065 }',
    "cubic": '"cubic2005"',
    "westwood": '{ name = "westwood", filter = 0.875 }',
    "vegas": '{ name = "vegas", alpha = 2, beta = 4, gamma = 1, b = 0.5 }',
    "illinois": '"illinois"',
}
for law in LINUX:
    for part, path in LINUX_CELLS.items():
        CELLS[f"m/linux-{law}/{part}"] = f"group=linux-{law}:1:1000Mb {path}"

# The cases of the gHSTCP paper that ns-2 can run, at 50 ms. What the paper does not
# say is here, in one place: access delays, starts, simulated time, the background (ns-2's
# exponential source with its own packets of 210 bytes, at 120 Mbit/s while on), the
# sending host's own queue, and what ns-2's RED is given besides min_th. As in
# papers/ghstcp, but for the time: 300 s, for ns-2 takes minutes for each.
PAPER_RUN = f"{CORE} access=1ms start=1 time=300 udp=120Mb:0.5:0.5:210 hostq=10000"
PAPER_RED = (
    "queue=RED red.thresh=2500 red.maxthresh=7500 red.q_weight=0.002 red.linterm=10 red.gentle=true red.wait=true"
    " red.mean_pktsize=500"
)
# w_q = 1 - exp(-1/C) (section 4.1) is q_weight_ 0
PAPER_ARED = "queue=ARED red.thresh=2500 red.maxthresh=7500 red.q_weight=0 red.mean_pktsize=500"
PAPER_CASES = {
    "1": ("reno", "reno", ""),
    "2": ("reno", "reno+hs", ""),
    "3": ("reno", "sack1+hs", ""),
    "4": ("sack1", "sack1+hs", ""),
    "8": ("reno", "reno+hs", PAPER_RED),
    "16": ("sack1", "sack1+hs", PAPER_RED.replace("linterm=10", "linterm=1000")),
    "20": ("reno", "reno+hs", PAPER_ARED),
}


def paper_cell(case, delay, more=""):
    s1, s2, queue = PAPER_CASES[case]
    run = PAPER_RUN.replace("delay=50ms", f"delay={delay}ms")
    return f"group={s1}:5:100Mb group={s2}:5:1000Mb {run} {queue} {more}".strip()


# At 50 ms, and the rows that papers/ghstcp misses (reasons.toml) without gHSTCP and
# gARED, which ns-2 does not have, where they were run. Case 20 at 100 ms has the lower
# end of max_p that the paper names, at 50 ms the one that ns-2.35 takes by itself.
PAPER = {f"paper/case{case}": paper_cell(case, 50) for case in ("1", "2", "3", "4", "8", "20")}
PAPER |= {
    f"paper/case{case}@{delay}": paper_cell(case, delay)
    for case, delay in (("8", 100), ("8", 25), ("2", 100), ("2", 25), ("1", 100), ("16", 100))
}
PAPER["paper/case20@100"] = paper_cell("20", 100, "red.bottom=0.01")

# What is stored of each run: everything that the tables and the test need.
KEPT = re.compile(
    r"simulator|\d+\.[^.]+\.(goodput_mbps|timeouts(\.half)?|fast_retransmits(\.half)?|retransmitted(\.half)?)"
    r"|delivered_segments|bottleneck\.(drops|early)\.half|utilisation|queue_mean|loss_episodes|host_drops"
    r"|red\..*|wall_s"
)


def seeds_of(name):
    """For one flow behind DropTail only the start is random."""
    return 2 if name.startswith("m/") else 5


def arguments(name):
    return CELLS[name] if name in CELLS else PAPER[name]


def run(name, seed):
    command = ["nice", "ns", str(HERE / "cell.tcl"), *arguments(name).split(), f"seed={seed}"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{done.stderr}{done.stdout}")
    pairs = (line.split("=", 1) for line in done.stdout.splitlines() if "=" in line)
    flows = re.compile(r"flow\.\d+\.goodput_mbps") if name in PAPER else KEPT
    return {key: value for key, value in pairs if KEPT.fullmatch(key) or flows.fullmatch(key)}


def load(path):
    rows = {}
    if path.exists():
        with path.open(newline="") as file:
            for cell, seed, key, value in csv.reader(file):
                rows.setdefault((cell, seed), {})[key] = value
    return rows


def save(path, rows):
    order = [*CELLS, *PAPER]
    part = path.with_suffix(".part")
    with part.open("w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        for cell, seed in sorted(rows, key=lambda k: (order.index(k[0]) if k[0] in order else 999, k[1])):
            for key, value in rows[cell, seed].items():
                out.writerow((cell, seed, key, value))
    os.replace(part, path)


def access_delay(count, delay, step=None):
    """Delays of a group's access links as written in a scenario."""
    if step is None:
        return f'"{delay}"'
    last = float(delay.removesuffix("ms")) + (count - 1) * float(step.removesuffix("us")) / 1000
    return f'["{delay}", "{last:.12g}ms"]'


def scenario(name, row):
    """The cell as a scenario of Tusker. `row` is ns-2's result for one seed."""
    options, groups, red = {"access": "1ms", "hostq": "1000000", "time": "200", "start": "1"}, [], {}
    for key, _, value in (word.partition("=") for word in arguments(name).split()):
        if key == "group":
            groups.append(value.split(":"))
        elif key.startswith("red."):
            red[key[4:]] = value
        else:
            options[key] = value

    def rate(text):
        return text.replace("Mb", "Mbit")

    def number(text):
        return {"true": "1", "false": "0"}.get(text, f"{float(text):.12g}")

    policy = options.get("queue", "DropTail").lower()
    # ns-2's RED holds limit_ packets and one in transmission, its DropTail one less
    limit = int(options["buffer"]) + (policy != "droptail")
    queue = [f'limit = "{limit}pkt"']
    if policy != "droptail":
        max_p = 1 / float(red.get("linterm", 10))
        queue = [
            f'policy = "{policy}"',
            *queue,
            f"min_th = {number(row['red.thresh_'])}",
            f"max_th = {number(row['red.maxthresh_'])}",
            f"w_q = {number(row['red.q_weight_'])}",
            f"max_p = {max_p:g}",
            f"gentle = {number(row['red.gentle_'])}",
            f"wait = {number(row['red.wait_'])}",
        ]
    if policy == "ared":
        queue += [
            f"bottom = {number(row['red.bottom_'])}",
            f"top = {number(row['red.top_'])}",
            "ns2_slope = 1",
            "ns2_clock = 1",
        ]
    host = "unlimited" if int(options["hostq"]) >= 1_000_000 else f"{options['hostq']}pkt"
    lines = [
        f'title = "ns-2 validation cell {name}"',
        'profile = "ns2"',
        f'duration = "{options["time"]}s"',
        "",
        "[dumbbell]",
        f'rate = "{rate(options["rate"])}"',
        f'delay = "{options["delay"]}"',
        f"queue = {{ {', '.join(queue)} }}",
        f'reverse = {{ delay = "{options.get("back", options["delay"])}", queue = "unlimited" }}',
    ]
    for i, (agent, count, access, *delay) in enumerate(groups, 1):
        recovery, _, law = agent.partition("+")
        cc, tcp = f'"{"hstcp" if law else "reno"}"', []
        far = access_delay(int(count), *(delay or [options["access"]]))
        if recovery.startswith("linux-"):
            cc = LINUX[recovery.removeprefix("linux-")]
            recovery = "sack"
            # its own recovery, not Sack1's; the window falls at half speed: RFC 6675's pause
            # is nearer to that than PRR
            tcp = ['tcp = { ns2_details = false, limited_transmit = false, timestamps = true, header = "50B" }']
        lines += [
            "",
            "[[flows]]",
            f'name = "g{i}-{agent.replace("+", "-")}"',
            f"count = {count}",
            f"cc = {cc}",
            f'recovery = "{recovery.replace("sack1", "sack")}"',
            f'access = {{ rate = "{rate(access)}", delay = {far}, queue = "unlimited" }}',
            f'host_queue = "{host}"',
            *tcp,
            f'start = {{ uniform = ["0s", "{options["start"]}s"] }}',
        ]
    if "udp" in options:
        udp, on, off, *size = options["udp"].split(":")
        lines += [
            "",
            "[[background]]",
            'name = "udp"',
            f'rate = "{rate(udp)}"',
            f'on = "{on}s"',
            f'off = "{off}s"',
            *(f'packet = "{bytes_}B"' for bytes_ in size),
        ]
    return "\n".join(lines) + "\n"


def table(rows):
    print(
        "| cell | group | goodput Mbit/s | timeouts | fast rexmit | fast rexmit in latter half | rexmit pkts | "
        "drops (early) | link episodes | mean queue (waiting) | utilisation |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    for cell in dict.fromkeys(cell for cell, _ in rows):
        seeds = [row for (name, _), row in rows.items() if name == cell]
        groups = [k[: -len(".goodput_mbps")] for k in seeds[0] if re.fullmatch(r"\d+\.[^.]+\.goodput_mbps", k)]

        def show(key, digits=1, seeds=seeds):
            values = [float(row[key]) for row in seeds]
            text = f"{statistics.mean(values):.{digits}f}"
            if len(set(values)) > 1:
                text += f" ({min(values):.{digits}f}..{max(values):.{digits}f})"
            return text

        for i, group in enumerate(groups):
            shared = (
                [
                    f"{show('bottleneck.drops.half', 0)} ({show('bottleneck.early.half', 0)})",
                    show("loss_episodes"),
                    show("queue_mean"),
                    show("utilisation", 4),
                ]
                if i == 0
                else [""] * 4
            )
            print(
                "| "
                + " | ".join(
                    [
                        cell if i == 0 else "",
                        group,
                        show(f"{group}.goodput_mbps", 2),
                        show(f"{group}.timeouts"),
                        show(f"{group}.fast_retransmits"),
                        show(f"{group}.fast_retransmits.half"),
                        show(f"{group}.retransmitted", 0),
                        *shared,
                    ]
                )
                + " |"
            )


def write_scenarios(cells, rows, folder):
    """All cells as scenarios, where the test finds them."""
    folder.mkdir(exist_ok=True)
    for old in folder.glob("*.toml"):
        old.unlink()
    for name in cells:
        row = next((row for (cell, _), row in rows.items() if cell == name), None)
        if row:
            (folder / f"{name.replace('/', '_')}.toml").write_text(scenario(name, row))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="cells whose name matches this regular expression")
    parser.add_argument("--seeds", type=int)
    parser.add_argument("--paper", action="store_true", help="the paper's cases instead: paper.csv, one seed")
    parser.add_argument("--table", action="store_true", help="print what there is; run nothing")
    parser.add_argument("--scenario", metavar="CELL", help="print one cell as a scenario of Tusker")
    args = parser.parse_args()
    cells, path = (PAPER, HERE / "paper.csv") if args.paper else (CELLS, HERE / "oracle.csv")
    most = args.seeds or (1 if args.paper else 5)
    rows = {key: row for key, row in load(path).items() if key[0] in cells}
    if args.scenario:
        if args.scenario not in cells:
            parser.error(f"no cell {args.scenario}; there are {', '.join(cells)}")
        row = next((row for (cell, _), row in rows.items() if cell == args.scenario), {})
        if not row and "RED" in cells[args.scenario]:
            parser.error(f"run the cell first: --only '^{args.scenario}$'")
        print(scenario(args.scenario, row), end="")
        return
    if not args.table:
        for seed in range(1, most + 1):
            for name in cells:
                wanted = re.search(args.only, name) and (args.seeds or seed <= seeds_of(name))
                if wanted and (name, str(seed)) not in rows:
                    rows[name, str(seed)] = run(name, seed)
                    print(f"{name} seed {seed}: {rows[name, str(seed)]['wall_s']} s", file=sys.stderr)
                    save(path, rows)
        if not args.paper:
            write_scenarios(cells, rows, HERE / "cells")
    table({k: v for k, v in rows.items() if re.search(args.only, k[0])})


if __name__ == "__main__":
    main()
