#!/usr/bin/env python3
"""XCP in ns-2.35: runs every workload of xcp.csv and rewrites its numbers.

    python3 bench/ns2/xcp.py          needs `ns` (Debian's package ns2)

A line of xcp.csv is workload,key,value; the key `args` has the arguments of xcp.tcl. The
values are means over five seeds, which determine when the routers' intervals start.
"""

import pathlib
import subprocess

HERE = pathlib.Path(__file__).parent
SEEDS = range(1, 6)


def run(args, seed):
    """What ns-2 prints: key and value by line."""
    ran = subprocess.run(
        ["ns", "xcp.tcl", *args.split(), f"seed={seed}"],
        cwd=HERE,
        check=True,
        capture_output=True,
        text=True,
    )
    pairs = (line.split(",") for line in ran.stdout.split())
    return {key: float(value) for key, value in pairs}


def main():
    table = HERE / "xcp.csv"
    rows = [line.split(",", 2) for line in table.read_text().splitlines()]
    out = []
    for cell, _, args in [row for row in rows if row[1] == "args"]:
        out.append(f"{cell},args,{args}")
        runs = [run(args, seed) for seed in SEEDS]
        for key in runs[0]:
            mean = sum(values[key] for values in runs) / len(runs)
            out.append(f"{cell},{key},{mean:.5g}")
    table.write_text("\n".join(out) + "\n")


if __name__ == "__main__":
    main()
