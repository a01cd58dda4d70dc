"""Runs simulators, counts the segments delivered and measures the cost.

Speed is based on the CPU seconds, user and system, of the whole process, startup and output
included. Every simulator here has one thread, and in this way other work on the machine is not
counted against it.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

BENCH = Path(__file__).resolve().parent
ROOT = BENCH.parent
REFERENCE = BENCH / "reference.toml"
PATHS = BENCH / "path.toml"
SHORT = BENCH / "short.toml"


# --- what depends on Tusker's command line and on its summary ---------------


def tusker_command(binary, scenario, *more):
    """One run that prints its summary and keeps nothing."""
    return [str(binary), "run", str(scenario), "--format", "json", "--no-save", *more]


def overrides(values):
    return [text for key, value in values.items() for text in ("--set", f"{key}={value}")]


def path_settings(case):
    """The overrides that turn bench/path.toml into one case."""
    values = {
        "duration": f'"{case["seconds"]}s"',
        "dumbbell.rate": f'"{case["rate"]}"',
        "dumbbell.delay": f'"{case["delay"]}"',
        "flows.0.access.rate": f'"{case["access"]}"',
    }
    return overrides(values)


def scaled_settings(seconds, scale):
    """The reference workload with its rates and its queue divided."""
    values = {
        "duration": f'"{seconds}s"',
        "dumbbell.rate": f'"{2500 / scale:g}Mbit"',
        "dumbbell.queue": f'"{10_000 / scale:.0f}pkt"',
        "flows.0.access.rate": f'"{100 / scale:g}Mbit"',
        "flows.1.access.rate": f'"{1000 / scale:g}Mbit"',
    }
    return overrides(values)


QUICK = ["--set", 'duration="10s"']
TRACE = ["--set", 'trace.interval="10ms"']

# Names that the one number needed may have in a summary.
DELIVERED = ("delivered_segments", "delivered")


def delivered(summary):
    """Segments delivered in the whole call, all replicates together: the sum of
    the values at the smallest depth at which one of the names occurs."""
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
    """An error for the user; ends the part, not the whole bench."""


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
    return run_other([args.ns, str(BENCH / "ns2" / "reference.tcl"), str(seconds), args.scheduler])


def run_ns3(args, seconds, scale):
    return run_other([str(args.ns3), str(seconds), str(scale)])


def run_other(command):
    """A simulator that prints lines of key=value."""
    measured, text = spawn(command)
    facts = dict(line.split("=", 1) for line in text.splitlines() if "=" in line)
    measured["delivered_segments"] = int(facts["delivered_segments"])
    measured["facts"] = facts
    return measured


def rounds(args, runners):
    """Calls every runner once per round, in turn; name -> list of measurements."""
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
    """Delivered segments per second of CPU."""
    return run["delivered_segments"] / run["cpu_s"]


def cost(run):
    """Nanoseconds of CPU per delivered segment."""
    return run["cpu_s"] * 1e9 / run["delivered_segments"]


def median(values):
    return statistics.median(values)


def ratio(over, under, figure):
    """The median of the rounds' ratios, with the range."""
    values = [figure(a) / figure(b) for a, b in zip(over, under, strict=True)]
    text = f"{three_digits(median(values))}x"
    return text if len(values) < 2 else f"{text} ({three_digits(min(values))} to {three_digits(max(values))})"


def three_digits(value):
    """Three significant digits, without an exponent."""
    return f"{value:.3g}" if value < 1000 else f"{float(f'{value:.3g}'):.0f}"
