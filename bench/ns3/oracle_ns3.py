"""Runs several laws in ns-3.44, one flow at a time, and writes bench/ns3/oracle.csv.

It runs only laws for which no other reference is available, and Reno, which shows how the two
simulators' TCP implementations affect one and the same law. Where ns-2's TCP-Linux and Linux
itself have a law too, ns-3's version agrees with neither and is left out (docs/validation.md).

ns-3 comes as a Python wheel, of which only the libraries and headers are used.
"""

import argparse
import csv
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
VERSION = "3.44"
LIBRARIES = ["core", "network", "internet", "point-to-point", "applications", "traffic-control"]

# law of ours, law of ns-3
LAWS = [
    ("reno", "TcpLinuxReno"),
    ("bbr1", "TcpBbr"),
    ("yeah", "TcpYeah"),
    ("hybla", "TcpHybla"),
    ("lp", "TcpLp"),
]
# Mbit/s, round trip in ms, packets of the queue, packets above which it marks, s, from s
PATHS = [(20, 60, 100, 0, 100, 20), (20, 60, 30, 0, 100, 20), (50, 20, 42, 0, 60, 20)]
MARKING = [(20, 60, 200, k, 100, 20) for k in (10, 20, 40)]


def build(ns3: Path, target: Path) -> None:
    """Compiles oracle.cc against the libraries of the wheel."""
    command = ["g++", "-std=c++20", "-O2", "-Wall", "-Wextra", "-Werror"]
    command += ["-isystem", str(ns3 / "include"), str(ROOT / "bench/ns3/oracle.cc"), "-o", str(target)]
    command += ["-L", str(ns3 / "lib64"), f"-Wl,-rpath,{ns3 / 'lib64'}"]
    subprocess.run(command + [f"-lns{VERSION}-{name}" for name in LIBRARIES], check=True)


def main() -> None:
    """Rewrites the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("ns3", type=Path, help="folder of the installed wheel, with include and lib64")
    args = parser.parse_args()
    oracle = ROOT / "target" / "ns3-oracle"
    oracle.parent.mkdir(exist_ok=True)
    build(args.ns3.resolve(), oracle)
    cells = [(ours, theirs, path) for ours, theirs in LAWS for path in PATHS]
    cells += [("dctcp", "TcpDctcp", path) for path in MARKING]
    with (ROOT / "bench/ns3/oracle.csv").open("w", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(
            "cc rate_mbps rtt_ms queue_pkt mark_pkt seconds from_s"
            " goodput_mbps window recoveries timeouts queue".split()
        )
        for ours, theirs, path in cells:
            print(ours, *path, file=sys.stderr)
            command = [str(oracle), theirs, *map(str, path), "1"]
            line = subprocess.run(command, check=True, capture_output=True, text=True).stdout
            writer.writerow([ours, *path, *line.strip().split(",")])


if __name__ == "__main__":
    main()
