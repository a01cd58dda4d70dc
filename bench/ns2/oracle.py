#!/usr/bin/env python3
"""Runs the validation cells in ns-2.35 and stores the results.

    bench/ns2/oracle.py [--only REGEX] [--seeds N] [--table]
    bench/ns2/oracle.py --paper         rows of the gHSTCP paper
    bench/ns2/oracle.py --scenario CELL > cell.toml     the same cell for Tusker

Each cell is a list of arguments for cell.tcl (ns2_cells.py; counts.tcl says what is
counted where). Cells with gHSTCP need `make setup-ns2-laws`. Rows already in oracle.csv
beside this file are not run again (delete it to start again); --table prints it as
Markdown, averaged over the seeds, and runs nothing. The folder cells/ gets every cell as a
scenario of Tusker. --scenario prints a cell as one; thresholds and weights that ns-2 chose
by itself are taken from the CSV. The cells run one after the other, at low priority.
"""

import argparse
import csv
import os
import re
import statistics
import subprocess
import sys
from pathlib import Path

from ns2_cells import CELLS, LINUX, PAPER

HERE = Path(__file__).resolve().parent

# Our names for what is behind the + of an agent.
LAWS = {"": '"reno"', "hs": '"hstcp"', "ghs": '"ghstcp"'}

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
            *([f'mean_packet = "{red["mean_pktsize"]}B"'] if "mean_pktsize" in red else []),
        ]
    if policy == "ared":
        queue += [
            f"bottom = {number(row['red.bottom_'])}",
            f"top = {number(row['red.top_'])}",
            "ns2_slope = 1",
            "ns2_clock = 1",
        ]
    if policy == "gared":
        queue += [f"top = {number(row['red.top_'])}", "ns2_slope = 1"]
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
        cc, tcp = LAWS[law], []
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
