#!/usr/bin/env python3
"""Measures Tusker, compares it with ns-2.35 and ns-3.37, and writes docs/performance.md.

    make bench        or        bench/bench.py [--repeat N] [--only NAME ...] [--quick]

Parts (--only):
  reference   delivered segments per second, Tusker against ns-2, taking turns
  ns3         the same against ns-3, scaled to 250 Mbit/s, and a short one at 2.5 Gbit/s
  bdp         cost per delivered segment at a BDP of 10^2 .. 10^6 packets
  flows       cost per delivered segment and memory with 1 .. 10,000 flows, in both profiles
  laws        cost per delivered segment of each congestion control, in both profiles
  short       a run of 30 s of one flow at 20 Mbit/s, from start to exit
  hops        cost per delivered segment over 1 .. 16 links
  memory      peak resident memory at 10 Gbit/s x 200 ms with 10 flows
  jobs        four replicates with two jobs against one
  sweep       the overhead of a sweep of 1,000 short runs, beyond the simulation itself
  trace       tracing the bottleneck and all windows every 10 ms, against no trace
  profile     instructions per delivered segment, by part of the program

Every figure is the median of --repeat rounds; within a round the competitors take turns, so that
a machine that slows down slows all of them. A ratio is the median of the rounds' ratios, with the
smallest and the largest beside it. Times are CPU seconds of whole processes, startup and output
included, for all simulators.

Messages go to stderr, the tables to stdout and, without --quick and --only, between
the two markers of docs/performance.md. All runs are kept in bench/results.json.
"""

import argparse
import json
import shutil
import sys
from pathlib import Path

from measuring import BENCH, ROOT, Failure, say
from page import PAGE, Section, machine, table, versions, write_page
from parts import PARTS, load


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=3, help="rounds (default: 3)")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS), metavar="NAME", help=", ".join(PARTS))
    parser.add_argument("--quick", action="store_true", help="short runs, to try the bench itself; writes no page")
    parser.add_argument("--tusker", type=Path, default=ROOT / "target" / "dist" / "tusker", help="the binary")
    parser.add_argument("--ns", default=shutil.which("ns"), help="ns-2's binary; without it it is left out")
    parser.add_argument(
        "--ns3", type=Path, default=ROOT / "target" / "ns3-reference", help="bench/ns3/reference.cc, built"
    )
    parser.add_argument("--valgrind", default=shutil.which("valgrind"), help="without it there is no profile")
    parser.add_argument("--scheduler", default="Calendar", help="ns-2's scheduler (default: Calendar)")
    args = parser.parse_args()
    if args.repeat < 1:
        parser.error("--repeat must be at least 1")
    if not args.tusker.exists():
        sys.exit(f"{args.tusker} is missing: run `cargo build --profile dist` first, or give --tusker PATH")
    args.tusker = args.tusker.resolve()
    args.ns3 = args.ns3.resolve() if args.ns3.exists() else None
    args.load = [load()]
    return args


def main():
    args = arguments()
    goals = Section("", ("what", "measured", "required", "aim"), [])
    sections, runs, failed = [goals], {}, []
    for name in args.only:
        say(f"{name}:")
        try:
            rows, more, runs[name] = PARTS[name](args)
        except Failure as e:
            say(f"{name} failed: {e}")
            failed.append(name)
            continue
        goals.rows += rows
        sections += more
        if not rows and not more:
            failed.append(name)
    args.load.append(load())
    text = table(args, sections, failed)
    print(text)
    if not args.quick and len(args.only) == len(PARTS):
        write_page(text)
        (BENCH / "results.json").write_text(
            json.dumps({"machine": machine(), "versions": versions(args), "runs": runs}, indent=1) + "\n"
        )
        say(f"written: {PAGE.relative_to(ROOT)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
