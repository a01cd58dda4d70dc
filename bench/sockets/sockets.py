#!/usr/bin/env python3
"""Runs scenarios on real Linux sockets (`tusker testbed`) and stores what came out.

    bench/sockets/sockets.py [--only REGEX] [--again] [TUSKER]   run what is not stored yet
    bench/sockets/sockets.py --samples [TUSKER]                  look at the packets of some flows
    bench/sockets/sockets.py --cells                             only write the scenarios

The scenarios go to cells/, the results to measured.csv: one line per scenario, seed and flow.
The test `sockets` of crates/tusker holds the simulator against them. It needs root, and as
long as the runs take: 28 scenarios of 50 s with three seeds, 70 minutes; --samples takes ten.
What it sees (samples.py) goes to samples.csv, which the same test uses.
"""

import argparse
import csv
import platform
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
SEEDS = (1, 2, 3)
FIELDS = ["cell", "seed", "kernel", "flow", "cc", "goodput_mbps", "queue_pkt", "loss_rate", "episodes", "rtt_ms"]

POLICIES = ["droptail", "red", "gared", "codel", "fq_codel", "dualpi2"]

# flows by the name that stands for them in a cell's name, and the policies behind which they run
FLOWS = {
    "bbr1": (["bbr1"], POLICIES),
    "bbr1-reno": (["bbr1", "reno"], ["droptail"]),
    "cubic": (["cubic"], ["droptail"]),
    "cubic-reno": (["cubic", "reno"], ["droptail"]),
    "cubic-linux": (["cubic-linux"], POLICIES),
    "cubic-linux-reno": (["cubic-linux", "reno"], POLICIES[1:]),
    "ghstcp-reno": (["ghstcp", "reno"], POLICIES),
    "ghstcp-refined-reno": (["ghstcp-refined", "reno"], ["droptail"]),
    "hcc-reno": (["hcc", "reno"], ["droptail"]),
}

CELLS = {f"{name}_{policy}": (laws, policy) for name, (laws, policies) in FLOWS.items() for policy in policies}


# whose packets are looked at
SAMPLED = {
    "cubic-linux_droptail": "a",
    "bbr1_droptail": "a",
    "ghstcp-reno_red": "ab",
    "ghstcp-reno_codel": "ab",
}
SAMPLE_SEEDS = (1, 2)


def scenario(name: str, laws: list[str], policy: str) -> str:
    queue = '"1bdp"' if policy == "droptail" else f'{{ policy = "{policy}", limit = "1bdp" }}'
    text = f"""\
title = "On sockets: {name}"
profile = "linux"
duration = "50s"
measure = {{ from = "10s" }}

[dumbbell]
rate = "100Mbit"
delay = "19ms"
queue = {queue}
access = {{ rate = "1Gbit", delay = "0.5ms" }}
"""
    for flow, law in zip("ab", laws, strict=False):
        text += f'\n[[flows]]\nname = "{flow}"\ncc = "{law}"\n'
        if flow == "b":
            text += 'start = "100ms"\n'
    return text


def write_cells() -> None:
    (HERE / "cells").mkdir(exist_ok=True)
    for name, (laws, policy) in CELLS.items():
        (HERE / "cells" / f"{name}.toml").write_text(scenario(name, laws, policy))


def load() -> dict[tuple[str, int], list[dict[str, str]]]:
    path = HERE / "measured.csv"
    found: dict[tuple[str, int], list[dict[str, str]]] = {}
    if path.exists():
        with path.open(newline="") as file:
            for row in csv.DictReader(file):
                found.setdefault((row["cell"], int(row["seed"])), []).append(row)
    return found


def store(found: dict[tuple[str, int], list[dict[str, str]]]) -> None:
    with (HERE / "measured.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
        writer.writeheader()
        for name in CELLS:
            for seed in SEEDS:
                writer.writerows(found.get((name, seed), []))


def rows(name: str, seed: int, said: str) -> list[dict[str, str]] | None:
    """The lines of measured.csv for a run; `None` if it was not valid."""
    groups = list(csv.DictReader(said.splitlines()))
    if not groups or any(group["invalid"] != "0" for group in groups):
        return None
    return [
        {
            "cell": name,
            "seed": str(seed),
            "kernel": platform.release(),
            "flow": group["group"],
            "cc": group["cc"],
            "goodput_mbps": f"{float(group['goodput_bps']) / 1e6:.3f}",
            "queue_pkt": f"{float(group['queue_mean_pkt']):.2f}",
            "loss_rate": f"{float(group['loss_rate']):.3g}",
            "episodes": group["episodes"],
            "rtt_ms": f"{float(group['rtt_mean_s']) * 1e3:.2f}",
        }
        for group in groups
    ]


def sample(tusker: str) -> None:
    lines = ["cell,seed,flow,what,value"]
    with tempfile.TemporaryDirectory() as folder:
        for name, flows in SAMPLED.items():
            for seed in SAMPLE_SEEDS:
                files = {f"{f}.{end}": f"{folder}/{f}.{end}" for f in flows for end in ("src", "dst")}
                asked = [f"--pcap={at.replace('.', '.0.')}={file}" for at, file in files.items()]
                path = str(HERE / "cells" / f"{name}.toml")
                out = ["--quiet", "--force", f"--out={folder}/out", f"--seed={seed}"]
                subprocess.run([tusker, "testbed", path, *asked, *out], check=True, stdout=subprocess.DEVNULL)
                for flow in flows:
                    ends = (files[f"{flow}.src"], files[f"{flow}.dst"])
                    seen = [sys.executable, str(HERE / "samples.py"), *ends, "10", "50"]
                    said = subprocess.run(seen, check=True, stdout=subprocess.PIPE, text=True).stdout
                    lines += [f"{name},{seed},{flow},{line}" for line in said.splitlines()[1:]]
                print(name, seed, file=sys.stderr)
    (HERE / "samples.csv").write_text("\n".join(lines) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tusker", nargs="?", default="target/release/tusker")
    parser.add_argument("--only", default="", help="cells whose name matches this regular expression")
    parser.add_argument("--again", action="store_true", help="run what is stored too")
    parser.add_argument("--samples", action="store_true", help="look at the packets of some flows")
    parser.add_argument("--cells", action="store_true", help="only write the scenarios")
    args = parser.parse_args()
    write_cells()
    if args.cells:
        return
    if args.samples:
        return sample(args.tusker)
    found = load()
    for seed in SEEDS:
        for name in CELLS:
            if not re.search(args.only, name) or ((name, seed) in found and not args.again):
                continue
            # a run that the audit calls invalid is not counted
            for _ in range(3):
                words = ["testbed", f"bench/sockets/cells/{name}.toml", "--seed", str(seed), "--format", "csv", "-q"]
                out = subprocess.run(
                    [args.tusker, *words, "--out", f"target/sockets/{name}.{seed}", "--force"],
                    stdout=subprocess.PIPE,
                    text=True,
                    check=False,
                )
                run = rows(name, seed, out.stdout)
                if run is not None:
                    found[name, seed] = run
                    break
            else:
                sys.exit(f"{name}, seed {seed}: no valid run in three")
            store(found)
            print(name, seed, *(row["goodput_mbps"] for row in run), flush=True)


if __name__ == "__main__":
    main()
