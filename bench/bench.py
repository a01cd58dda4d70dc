#!/usr/bin/env python3
"""Measures Tusker, and ns-2.35 beside it, and writes docs/performance.md.

    make bench        or        bench/bench.py [--repeat N] [--only NAME ...] [--quick]

Parts (--only):
  reference   delivered segments per second, Tusker against ns-2, by turns
  bdp         cost per delivered segment at a BDP of 10^2 .. 10^6 packets
  memory      peak resident memory at 10 Gbit/s x 200 ms with 10 flows
  jobs        four replicates with two jobs against one
  trace       the bottleneck and all windows every 10 ms against no trace

Every figure is the median of --repeat rounds; within a round the competitors
take turns, so that a machine that slows down slows all of them. A ratio is the
median of the rounds' ratios, with the smallest and the largest beside it. Times
are those of whole processes, start and output included, for both simulators.

Talk goes to stderr, the table to stdout and, without --quick, between the two
markers of docs/performance.md. All runs are kept in bench/results.json.
"""

import argparse
import datetime
import json
import os
import platform
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

BENCH = Path(__file__).resolve().parent
ROOT = BENCH.parent
PAGE = ROOT / "docs" / "performance.md"
BEGIN, END = "<!-- bench: begin -->", "<!-- bench: end -->"
REFERENCE = BENCH / "reference.toml"
PATHS = BENCH / "path.toml"


# --- what depends on Tusker's command line and on its summary ---------------


def tusker_command(binary, scenario, *more):
    """One run that prints its summary and keeps nothing."""
    return [str(binary), "run", str(scenario), "--format", "json", "--no-save", *more]


def path_settings(case):
    """The overrides that turn bench/path.toml into one case."""
    values = {
        "duration": f'"{case["seconds"]}s"',
        "dumbbell.rate": f'"{case["rate"]}"',
        "dumbbell.delay": f'"{case["delay"]}"',
        "flows.0.access.rate": f'"{case["access"]}"',
    }
    return [text for key, value in values.items() for text in ("--set", f"{key}={value}")]


QUICK = ["--set", 'duration="10s"']
TRACE = ["--set", 'trace.interval="10ms"']

# Names that a summary may give to the one number that is needed.
DELIVERED = ("delivered_segments", "delivered")


def delivered(summary):
    """Segments delivered in the whole call, all replicates together: the sum of
    the figures at the least depth at which one of the names occurs."""
    level = [summary]
    while level:
        for name in DELIVERED:
            found = [x[name] for x in level if isinstance(x, dict) and isinstance(x.get(name), (int, float))]
            if found:
                return sum(found)
        level = [v for x in level for v in (x.values() if isinstance(x, dict) else x if isinstance(x, list) else ())]
    raise Failure(f"the summary has none of {', '.join(DELIVERED)}; adapt DELIVERED in bench/bench.py")


# --- running ----------------------------------------------------------------


class Failure(Exception):
    """Something that the user has to know; ends the part, not the bench."""


def spawn(command):
    """Runs a command; returns its stdout, wall seconds, CPU seconds and peak memory in bytes."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        begin = time.perf_counter()
        try:
            child = subprocess.Popen(command, stdout=out, stderr=err, stdin=subprocess.DEVNULL, cwd=ROOT)
        except OSError as e:
            raise Failure(f"cannot run {command[0]}: {e.strerror}") from e
        _, status, usage = os.wait4(child.pid, 0)
        wall = time.perf_counter() - begin
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        text = out.read().decode()
        if child.returncode != 0:
            err.seek(0)
            raise Failure(f"{' '.join(command)}\nended with {child.returncode}: {err.read().decode()[-2000:]}")
    return {"wall_s": wall, "cpu_s": usage.ru_utime + usage.ru_stime, "peak_bytes": usage.ru_maxrss * 1024}, text


def run_tusker(args, scenario, *more):
    measured, text = spawn(tusker_command(args.tusker, scenario, *more))
    try:
        summary = json.loads(text)
    except ValueError as e:
        raise Failure(f"tusker did not print JSON: {e}: {text[:200]!r}") from e
    measured["delivered_segments"] = delivered(summary)
    return measured


def run_ns2(args, seconds):
    measured, text = spawn([args.ns, str(BENCH / "ns2" / "reference.tcl"), str(seconds), args.scheduler])
    facts = dict(line.split("=", 1) for line in text.splitlines() if "=" in line)
    measured["delivered_segments"] = int(facts["delivered_segments"])
    measured["facts"] = facts
    return measured


def rounds(args, runners):
    """Calls every runner once per round, by turns; name -> list of measurements."""
    results = {name: [] for name in runners}
    for i in range(args.repeat):
        names = list(runners)
        for name in names if i % 2 == 0 else reversed(names):
            say(f"  {name}, round {i + 1} of {args.repeat}")
            results[name].append(runners[name]())
    return results


# --- figures ----------------------------------------------------------------


def say(text):
    print(text, file=sys.stderr, flush=True)


def speed(run):
    return run["delivered_segments"] / run["wall_s"]


def cost(run):
    """Nanoseconds per delivered segment."""
    return run["wall_s"] * 1e9 / run["delivered_segments"]


def median(values):
    return statistics.median(values)


def ratio(over, under, figure):
    """The median of the rounds' ratios, with the range."""
    values = [figure(a) / figure(b) for a, b in zip(over, under, strict=True)]
    text = f"{median(values):.3g}x"
    return text if len(values) < 2 else f"{text} ({min(values):.3g} to {max(values):.3g})"


# --- the parts: each gives rows (what, figure, goal, aim) --------------------


def reference(args):
    seconds = 10 if args.quick else 100
    more = QUICK if args.quick else []
    runners = {"tusker": lambda: run_tusker(args, REFERENCE, *more)}
    if args.ns:
        runners["ns-2"] = lambda: run_ns2(args, seconds)
    else:
        say("  no `ns` here: Tusker alone (apt-get install ns2)")
    runs = rounds(args, runners)
    rows = [
        (
            "reference: Tusker",
            f"{median(map(speed, runs['tusker'])) / 1e6:.2f} million segments/s, "
            f"{median(r['delivered_segments'] for r in runs['tusker']) / 1e6:.2f} million in "
            f"{median(r['wall_s'] for r in runs['tusker']):.2f} s",
            "",
            "",
        )
    ]
    if args.ns:
        rows += [
            (
                f"reference: ns-2.35 ({args.scheduler})",
                f"{median(map(speed, runs['ns-2'])) / 1e6:.3f} million segments/s, "
                f"{median(r['delivered_segments'] for r in runs['ns-2']) / 1e6:.2f} million in "
                f"{median(r['wall_s'] for r in runs['ns-2']):.1f} s",
                "",
                "",
            ),
            ("Tusker against ns-2.35", ratio(runs["tusker"], runs["ns-2"], speed), "15x", "40x"),
        ]
    return rows, runs


# Ten HSTCP+SACK flows, half a BDP of DropTail. BDP in packets of 1500 bytes.
PATH_CASES = {
    100: dict(rate="1.2Gbit", delay="0.5ms", access="10Gbit", seconds=60),
    1_000: dict(rate="1.2Gbit", delay="5ms", access="10Gbit", seconds=60),
    10_000: dict(rate="1.2Gbit", delay="50ms", access="10Gbit", seconds=60),
    100_000: dict(rate="12Gbit", delay="50ms", access="100Gbit", seconds=20),
    1_000_000: dict(rate="120Gbit", delay="50ms", access="1000Gbit", seconds=6),
}


def bdp(args):
    def runner(case):
        return lambda: run_tusker(args, PATHS, *path_settings(case))

    cases = {k: v for k, v in PATH_CASES.items() if not args.quick or k <= 10_000}
    runs = rounds(args, {str(packets): runner(case) for packets, case in cases.items()})
    rows = [
        (f"cost per segment, BDP {packets} packets", f"{median(map(cost, runs[str(packets)])):.0f} ns", "", "")
        for packets in cases
    ]
    for packets in (100_000, 1_000_000):
        if packets in cases:
            goal = ("1.5x", "1.1x") if packets == 100_000 else ("", "")
            rows.append(
                (f"cost at a BDP of {packets} packets against 100", ratio(runs[str(packets)], runs["100"], cost), *goal)
            )
    return rows, runs


def memory(args):
    case = dict(rate="10Gbit", delay="100ms", access="100Gbit", seconds=10 if args.quick else 60)
    runs = rounds(args, {"memory": lambda: run_tusker(args, PATHS, *path_settings(case))})
    peak = median(r["peak_bytes"] for r in runs["memory"])
    return [("peak memory, 10 Gbit/s x 200 ms, 10 flows", f"{peak / 1e6:.1f} MB", "200 MB", "50 MB")], runs


def jobs(args):
    more = QUICK if args.quick else []

    def runner(n):
        return lambda: run_tusker(args, REFERENCE, *more, "--replicates", "4", "--jobs", str(n))

    runs = rounds(args, {"1": runner(1), "2": runner(2)})
    return [
        ("2 jobs against 1, four replicates", ratio(runs["1"], runs["2"], lambda r: r["wall_s"]), "1.8x", "1.95x")
    ], runs


def trace(args):
    more = QUICK if args.quick else []
    with tempfile.TemporaryDirectory() as folder:

        def runner(extra):
            def call():
                # both save their results: what is asked is the price of the trace
                command = [a for a in tusker_command(args.tusker, REFERENCE, *more, *extra) if a != "--no-save"]
                out = tempfile.mkdtemp(dir=folder)
                measured, _ = spawn([*command, "--out", out])
                shutil.rmtree(out, ignore_errors=True)
                return measured

            return call

        runs = rounds(args, {"none": runner([]), "trace": runner(TRACE)})
    over = [t["wall_s"] / n["wall_s"] - 1 for t, n in zip(runs["trace"], runs["none"], strict=True)]
    text = f"{median(over) * 100:+.1f} %"
    if len(over) > 1:
        text += f" ({min(over) * 100:+.1f} to {max(over) * 100:+.1f})"
    return [("tracing bottleneck and windows every 10 ms", text, "10 %", "3 %")], runs


PARTS = {"reference": reference, "bdp": bdp, "memory": memory, "jobs": jobs, "trace": trace}


# --- the page ---------------------------------------------------------------


def first_line(command):
    try:
        return subprocess.run(command, capture_output=True, text=True, cwd=ROOT).stdout.splitlines()[0].strip()
    except (OSError, IndexError):
        return "unknown"


def machine():
    model = "unknown CPU"
    try:
        found = re.search(r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text(), re.M)
        model = found.group(1) if found else platform.processor() or model
    except OSError:
        pass
    pages = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return f"{model}, {os.cpu_count()} cores, {pages / 2**30:.1f} GiB, Linux {platform.release()}, {platform.machine()}"


def versions(args):
    lines = [
        f"Tusker: {first_line([str(args.tusker), '--version'])}, "
        f"commit {first_line(['git', 'rev-parse', '--short=12', 'HEAD'])}",
        f"compiler: {first_line(['rustc', '--version'])}",
    ]
    if args.ns:
        package = first_line(["dpkg-query", "-W", "-f", "${Version}", "ns2"])
        lines.append(
            f"ns-2: Debian package {package}, scheduler {args.scheduler}, headers IP TCP Flags alone, no tracing"
        )
    return lines


def table(args, rows, failed):
    date = datetime.datetime.now(datetime.UTC).date()
    lines = [
        f"Measured on {date} with `{' '.join(['bench/bench.py', *sys.argv[1:]])}`, {args.repeat} rounds; medians, "
        "range of the rounds in brackets.",
        "",
        f"- {machine()}",
        *(f"- {v}" for v in versions(args)),
        "",
        "| what | measured | at least | aim |",
        "|---|---|---|---|",
    ]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    lines += [f"\nNot measured: {name}." for name in failed]
    return "\n".join(lines) + "\n"


def write_page(text):
    page = PAGE.read_text() if PAGE.exists() else f"# Performance\n\n{BEGIN}\n{END}\n"
    if BEGIN not in page or END not in page:
        sys.exit(
            f"{PAGE.relative_to(ROOT)} has lost its markers: put back a line `{BEGIN}` and, below it, a line `{END}`"
        )
    head, rest = page.split(BEGIN, 1)
    _, tail = rest.split(END, 1)
    PAGE.write_text(f"{head}{BEGIN}\n\n{text}\n{END}{tail}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=3, help="rounds (default: 3)")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS), metavar="NAME", help=", ".join(PARTS))
    parser.add_argument("--quick", action="store_true", help="short runs, to try the bench itself; writes no page")
    parser.add_argument("--tusker", type=Path, default=ROOT / "target" / "release" / "tusker", help="the binary")
    parser.add_argument("--ns", default=shutil.which("ns"), help="ns-2's binary; without it Tusker runs alone")
    parser.add_argument("--scheduler", default="Calendar", help="ns-2's scheduler (default: Calendar)")
    args = parser.parse_args()
    if args.repeat < 1:
        parser.error("--repeat must be at least 1")
    if not args.tusker.exists():
        sys.exit(f"{args.tusker} is missing: run `cargo build --release` first, or give --tusker PATH")
    args.tusker = args.tusker.resolve()
    rows, runs, failed = [], {}, []
    for name in args.only:
        say(f"{name}:")
        try:
            more, runs[name] = PARTS[name](args)
            rows += more
        except Failure as e:
            say(f"{name} failed: {e}")
            failed.append(name)
    text = table(args, rows, failed)
    print(text)
    if not args.quick and rows and len(args.only) == len(PARTS):
        write_page(text)
        (BENCH / "results.json").write_text(
            json.dumps({"machine": machine(), "versions": versions(args), "runs": runs}, indent=1) + "\n"
        )
        say(f"written: {PAGE.relative_to(ROOT)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
