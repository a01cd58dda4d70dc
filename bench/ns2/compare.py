#!/usr/bin/env python3
"""Runs the validation cells in Tusker and sets them beside ns-2's numbers.

    bench/ns2/compare.py [--only REGEX] [--seeds N] [--binary FILE] > table.md

Prints Markdown: per cell and group ours / ns-2 and the difference, means over
the seeds; a star where the two ranges of the seeds overlap. Needs no ns-2:
that side is read from oracle.csv. Without --binary it builds the example
`summarise` in release mode and uses that.
"""

import argparse
import json
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import oracle

ROOT = Path(__file__).resolve().parents[2]


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
        key = re.sub(r"^g(\d+)-([a-z0-9]+)(-hs)?\.", lambda m: f"{m[1]}.{m[2]}{'+hs' if m[3] else ''}.", key)
        rows.setdefault(seed, {})[key] = float(value)
    return list(rows.values())


def cell(mine, theirs, key, digits, percent):
    a, b = [row[key] for row in mine], [float(row[key]) for row in theirs]
    x, y = statistics.mean(a), statistics.mean(b)
    text = f"{x:.{digits}f} / {y:.{digits}f}"
    if percent and y:
        text += f" ({(x / y - 1) * 100:+.1f} %)"
    if percent and len(a) > 1 and min(a) <= max(b) and min(b) <= max(a):
        text += " *"
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="cells whose name matches this regular expression")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--binary", type=Path)
    args = parser.parse_args()
    rows = oracle.load(oracle.HERE / "oracle.csv")
    binary = (args.binary or build()).resolve()
    print(
        "| cell | group | goodput Mbit/s | timeouts | fast retransmits | retransmitted | loss episodes | "
        "mean queue | utilisation |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for name in oracle.CELLS:
            theirs = [rows[key] for key in sorted(rows) if key[0] == name and int(key[1]) <= args.seeds]
            if not theirs or not re.search(args.only, name) or "red.raw" in oracle.CELLS[name]:
                continue
            mine = ours(binary, name, theirs[0], len(theirs), folder)
            groups = [k[: -len(".goodput_mbps")] for k in theirs[0] if re.fullmatch(r"\d+\.[^.]+\.goodput_mbps", k)]
            for i, group in enumerate(groups):
                link = (
                    ["", "", ""]
                    if i
                    else [
                        cell(mine, theirs, "loss_episodes", 0, False),
                        cell(mine, theirs, "queue_mean", 1, True),
                        cell(mine, theirs, "utilisation", 4, False),
                    ]
                )
                print(
                    "| "
                    + " | ".join(
                        [
                            "" if i else name,
                            group,
                            cell(mine, theirs, f"{group}.goodput_mbps", 2, True),
                            *(
                                cell(mine, theirs, f"{group}.{key}.half", 1, False)
                                for key in ("timeouts", "fast_retransmits", "retransmitted")
                            ),
                            *link,
                        ]
                    )
                    + " |",
                    flush=True,
                )
            wall = statistics.mean(row["wall_s"] for row in mine)
            print(
                f"{name}: {wall:.2f} s a run, ns-2 {statistics.mean(float(r['wall_s']) for r in theirs):.2f} s",
                file=sys.stderr,
            )


if __name__ == "__main__":
    main()
