#!/usr/bin/env python3
"""Runs the validation cells in Tusker and compares them with ns-2's numbers.

    bench/ns2/compare.py [--only REGEX] [--binary FILE]   print the table
    bench/ns2/compare.py --write                          into cells.md, the misses into
                                                          docs/validation.md
    bench/ns2/compare.py --misses                         misses.csv as it should be
    bench/ns2/compare.py --paper [--write]                the paper's cases instead (cases.md)

Means over the seeds that the oracle has; in the paper's cases ours has --seeds, by default 3,
with their range. Tolerances and known misses are those of
crates/tusker-sim/tests/sim/oracle.rs. Needs no ns-2: that side is read from oracle.csv and
paper.csv. Without --binary it builds the example `summarise` in release mode and uses that.
"""

import argparse
import csv
import json
import math
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import oracle

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/validation.md"
CELLS = Path(__file__).with_name("cells.md")
CASES = Path(__file__).with_name("cases.md")

# Student's t at 95 % for four degrees of freedom, five seeds
T = 2.776
SMALL = 25


def build():
    subprocess.run(
        ["cargo", "build", "--release", "-q", "-p", "tusker-sim", "--example", "summarise"], cwd=ROOT, check=True
    )
    meta = subprocess.run(
        ["cargo", "metadata", "--format-version", "1", "--no-deps"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    return Path(json.loads(meta)["target_directory"]) / "release/examples/summarise"


def ours(binary, name, row, seeds, folder):
    path = Path(folder) / "cell.toml"
    path.write_text(oracle.scenario(name, row))
    out = subprocess.run([binary, str(seeds), str(path)], capture_output=True, text=True)
    if out.returncode != 0:
        sys.exit(f"{name}: {out.stderr}")
    rows = {}
    for line in out.stdout.splitlines():
        _, seed, key, value = line.rsplit(",", 3)
        # ours are called g1-reno, theirs 1.reno
        agent = r"^g(\d+)-(linux-[a-z]+|[a-z0-9]+)(?:-(g?hs))?\."
        key = re.sub(agent, lambda m: f"{m[1]}.{m[2]}{f'+{m[3]}' if m[3] else ''}.", key)
        rows.setdefault(seed, {})[key] = float(value)
    return list(rows.values())


def both(mine, theirs, key):
    return [row[key] for row in mine], [float(row[key]) for row in theirs]


def error(values):
    return statistics.stdev(values) / math.sqrt(len(values)) if len(values) > 1 else 0.0


def holds(key, goodput, a, b):
    x, y = statistics.mean(a), statistics.mean(b)
    if key.endswith("goodput_mbps"):
        return abs(x - y) <= y * goodput
    tolerance = 0.1 if key == "loss_episodes" else 0.2
    if abs(x - y) <= max(tolerance * y, 1):
        return True
    return min(x, y) < SMALL and len(a) == 5 and abs(x - y) <= T * (error(a) + error(b))


def groups_of(theirs):
    return [k[: -len(".goodput_mbps")] for k in theirs[0] if re.fullmatch(r"\d+\.[^.]+\.goodput_mbps", k)]


def entry(mine, theirs, key, digits, percent):
    x, y = (statistics.mean(side) for side in both(mine, theirs, key))
    text = f"{x:.{digits}f} / {y:.{digits}f}"
    return text + (f" ({(x / y - 1) * 100:+.1f} %)" if percent and y else "")


def known_misses():
    """Their reasons: one without a reason has that of the line above."""
    reasons, last = {}, ""
    with (oracle.HERE / "misses.csv").open(newline="") as file:
        for row in csv.DictReader(file):
            last = row["reason"] or last
            reasons[row["cell"], row["key"]] = last
    return reasons


def reasons(misses, known):
    """A line for each reason."""
    lines, last = [], (None, None)
    for cell, key, *_ in misses:
        reason = known.get((cell, key), "not explained")
        if reason == last[1]:
            lines[-1][0] += f", {key}" if cell == last[0] else f"; {cell}, {key}"
        else:
            lines.append([f"- {cell}, {key}", reason])
        last = cell, reason
    return [": ".join(line) for line in lines]


def compare(binary, rows, only):
    """Lines of the table, all misses, and how many values were checked."""
    checks = 0
    lines = [
        "| cell | group | goodput Mbit/s | timeouts | loss episodes | misses | fast retransmits | retransmitted | "
        "mean queue | utilisation |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    misses = []
    with tempfile.TemporaryDirectory() as folder:
        for name in oracle.CELLS:
            theirs = [rows[key] for key in sorted(rows) if key[0] == name]
            if not theirs or not re.search(only, name):
                continue
            mine = ours(binary, name, theirs[0], len(theirs), folder)
            groups = groups_of(theirs)
            single = len(groups) == 1 and f"group={groups[0].split('.')[1]}:1:" in oracle.CELLS[name]
            goodput = 0.03 if name.startswith("m/") else 0.02 if single else 0.05
            for i, group in enumerate(groups):
                checked = {f"{group}.goodput_mbps": "goodput", f"{group}.timeouts.half": "timeouts"}
                if i == 0:
                    checked["loss_episodes"] = "loss episodes"
                checks += len(checked)
                missed = []
                for key, words in checked.items():
                    a, b = both(mine, theirs, key)
                    if not holds(key, goodput, a, b):
                        missed.append(words)
                        misses.append((name, key, statistics.mean(a), statistics.mean(b)))

                def show(key, digits, percent=False, mine=mine, theirs=theirs):
                    return entry(mine, theirs, key, digits, percent)

                fields = [
                    "" if i else name,
                    group,
                    show(f"{group}.goodput_mbps", 2, True),
                    show(f"{group}.timeouts.half", 1),
                    "" if i else show("loss_episodes", 1),
                    ", ".join(missed),
                    show(f"{group}.fast_retransmits.half", 1),
                    show(f"{group}.retransmitted.half", 0),
                    "" if i else show("queue_mean", 1, True),
                    "" if i else show("utilisation", 4),
                ]
                lines.append("| " + " | ".join(fields) + " |")
    return lines, misses, checks


def jain(flows):
    """Jain's index of throughputs over max-min shares (the paper's section 3.1)."""
    shares = [100] * 5 + [400] * 5
    x = [flow / share for flow, share in zip(flows, shares, strict=True)]
    return sum(x) ** 2 / (len(x) * sum(v * v for v in x))


def spread(values, digits):
    """The mean; of several also the smallest and the largest."""
    text = f"{statistics.mean(values):.{digits}f}"
    return text if len(values) == 1 else f"{text} ({min(values):.{digits}f}..{max(values):.{digits}f})"


def paper(binary, rows, only, seeds):
    """Cases of the paper: published, ns-2.35, ours. The table, and how many are off."""
    published = {}
    with (oracle.HERE.parents[1] / "papers/ghstcp/published.csv").open(newline="") as file:
        for row in csv.DictReader(file):
            published[row["case"], row["delay_ms"]] = row
    counts = [0, 0, 0]
    lines = [
        "| case | ms | S1, S2, queue | utilisation %: paper | ns-2.35 | Tusker | fairness: paper | ns-2.35 | Tusker | "
        "S1 + S2 Mbit/s: ns-2.35 | Tusker | timeouts: ns-2.35 | Tusker | off: ns-2.35 | Tusker |",
        "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    with tempfile.TemporaryDirectory() as folder:
        for name in oracle.PAPER:
            theirs = [rows[key] for key in sorted(rows) if key[0] == name]
            if not theirs or not re.search(only, name):
                continue
            sides = theirs, ours(binary, name, theirs[0], seeds, folder)
            groups = groups_of(theirs)

            def mean(key, side):
                return statistics.mean(float(row[key]) for row in side)

            def total(what, side, groups=groups, mean=mean):
                return " + ".join(f"{mean(f'{group}.{what}', side):.0f}" for group in groups)

            # headers counted, 1500 bytes for 1460: of 2500 Mbit/s
            used = [
                [sum(float(row[f"{g}.goodput_mbps"]) for g in groups) * 1500 / 1460 / 25 for row in side]
                for side in sides
            ]
            fair = [[jain([float(row[f"flow.{i}.goodput_mbps"]) for i in range(10)]) for row in side] for side in sides]
            case, _, delay = name.removeprefix("paper/case").partition("@")
            delay = delay or "50"
            row = published[case, delay]
            off = [
                abs(statistics.mean(share) - float(row["utilization_pct"])) > 3
                or abs(statistics.mean(index) - float(row["fairness"])) > 0.05
                for share, index in zip(used, fair, strict=True)
            ]
            counts = [n + one for n, one in zip(counts, [*off, all(off)], strict=True)]
            fields = [
                case,
                delay,
                f"{row['s1']}, {row['s2']}, {row['queue']}",
                f"{float(row['utilization_pct']):.1f}",
                *(spread(shares, 1) for shares in used),
                f"{float(row['fairness']):.3f}",
                *(spread(indices, 3) for indices in fair),
                *(total("goodput_mbps", side) for side in sides),
                *(total("timeouts.half", side) for side in sides),
                *("off" if one else "" for one in off),
            ]
            lines.append("| " + " | ".join(fields) + " |")
    theirs, mine, both = counts
    answer = f"Of {len(lines) - 2} rows, ns-2.35 is off in {theirs}, Tusker in {mine}, and both in {both}."
    return lines, answer


def write(page, part, lines):
    """The text between the page's two marks of this name."""
    text = page.read_text()
    begin, end = f"<!-- {part}: begin -->\n", f"<!-- {part}: end -->"
    head, rest = text.split(begin)
    page.write_text(head + begin + "\n".join(lines) + "\n" + end + rest.split(end)[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="cells whose name matches this regular expression")
    parser.add_argument("--binary", type=Path)
    parser.add_argument("--write", action="store_true", help="put the table into docs/validation.md")
    parser.add_argument("--misses", action="store_true", help="print misses.csv as it should be")
    parser.add_argument("--paper", action="store_true", help="the paper's cases")
    parser.add_argument("--seeds", type=int, default=3, help="of ours in the paper's cases")
    args = parser.parse_args()
    binary = (args.binary or build()).resolve()
    if args.paper:
        lines, answer = paper(binary, oracle.load(oracle.HERE / "paper.csv"), args.only, args.seeds)
    else:
        lines, misses, checks = compare(binary, oracle.load(oracle.HERE / "oracle.csv"), args.only)
        known = known_misses()
        if args.misses:
            table = csv.writer(sys.stdout, lineterminator="\n")
            table.writerow(["cell", "key", "low", "high", "reason"])
            last = None
            for cell, key, x, y in misses:
                band = abs(x - y) / 4
                reason = known.get((cell, key), "not explained")
                table.writerow([cell, key, f"{x - band:.3f}", f"{x + band:.3f}", "" if reason == last else reason])
                last = reason
            return
        outside = f"Of {checks} values checked, {len(misses)} are outside their tolerance:"
        notes = [outside, "", *reasons(misses, known)]
    if args.write and args.paper:
        write(CASES, "paper", lines)
        write(PAGE, "paper", [answer])
    elif args.write:
        write(CELLS, "cells", lines)
        write(PAGE, "cells", notes)
    else:
        print("\n".join([answer, "", *lines] if args.paper else lines + notes))


if __name__ == "__main__":
    main()
