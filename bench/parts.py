"""The measurements. Each part returns its rows for the table of goals, its tables and all runs."""

import json
import os
import shutil
import tempfile
from pathlib import Path

from measuring import (
    PATHS,
    QUICK,
    REFERENCE,
    SHORT,
    TRACE,
    cost,
    median,
    overrides,
    path_settings,
    ratio,
    rounds,
    run_ns2,
    run_ns3,
    run_tusker,
    say,
    scaled_settings,
    spawn,
    speed,
    tusker_command,
)
from page import Section
from profiling import profile


def speed_row(what, runs):
    delivered = median(r["delivered_segments"] for r in runs)
    per_second = median(map(speed, runs))
    figure = f"{per_second / 1e6:.3g} million" if per_second >= 1e5 else f"{per_second:.0f}"
    return (
        what,
        f"{figure} segments/s, {delivered / 1e6:.3g} million in {median(r['cpu_s'] for r in runs):.3g} s",
        "",
        "",
    )


def reference(args):
    seconds = 10 if args.quick else 100
    more = QUICK if args.quick else []
    runners = {"tusker": lambda: run_tusker(args, REFERENCE, *more)}
    if args.ns:
        runners["ns-2"] = lambda: run_ns2(args, seconds)
    else:
        say("  no `ns` here: Tusker alone (make setup-ns2)")
    runs = rounds(args, runners)
    peak = median(r["peak_bytes"] for r in runs["tusker"])
    rows = [
        speed_row("reference: Tusker", runs["tusker"]),
        ("reference: peak memory", f"{peak / 1e6:.1f} MB", "25 MB", "20 MB"),
    ]
    if args.ns:
        rows += [
            speed_row(f"reference: ns-2.35 ({args.scheduler})", runs["ns-2"]),
            ("Tusker against ns-2.35", ratio(runs["tusker"], runs["ns-2"], speed), "40x", "60x"),
        ]
    return rows, [], runs


# Simulated seconds, and by what the rates and the queue of the reference are divided.
NS3_CASES = {"250 Mbit/s": (30, 10), "2.5 Gbit/s": (2, 1)}


def ns3(args):
    if not args.ns3:
        say("  no ns-3 here: left out (make setup-ns3)")
        return [], [], {}
    rows, all_runs = [], {}
    for name, (seconds, scale) in NS3_CASES.items():
        if args.quick and scale == 1:
            continue
        seconds = 4 if args.quick else seconds

        def tusker(seconds=seconds, scale=scale):
            return run_tusker(args, REFERENCE, *scaled_settings(seconds, scale))

        def other(seconds=seconds, scale=scale):
            return run_ns3(args, seconds, scale)

        runs = rounds(args, {f"tusker {name}": tusker, f"ns-3 {name}": other})
        ours, theirs = runs.values()
        goals = ("1000x", "") if scale == 10 else ("", "")
        rows += [
            speed_row(f"reference at {name}, {seconds} simulated seconds: Tusker", ours),
            speed_row("the same: ns-3.37", theirs),
            (f"Tusker against ns-3.37 at {name}", ratio(ours, theirs, speed), *goals),
        ]
        all_runs |= runs
    return rows, [], all_runs


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
    goals = []
    if 1_000_000 in cases:
        figure = ratio(runs["1000000"], runs["10000"], cost)
        goals.append(("cost per segment, BDP of 1,000,000 packets against 10,000", figure, "1.5x", "1.1x"))
    table = [
        (
            f"{packets:,}",
            f"{median(map(cost, runs[str(packets)])):.0f} ns",
            ratio(runs[str(packets)], runs["100"], cost),
        )
        for packets in cases
    ]
    head = ("BDP in packets", "per delivered segment", "against 100")
    return goals, [Section("Cost against the BDP, ten flows:", head, table)], runs


def flows(args):
    """The path of 100,000 packets, shared by more and more flows."""
    case = PATH_CASES[100_000] | {"seconds": 3 if args.quick else 10}

    def runner(profile, count):
        settings = overrides({"flows.0.count": count, "profile": f'"{profile}"'})
        return lambda: run_tusker(args, PATHS, *path_settings(case), *settings)

    counts = [1, 10, 100, 1_000, 10_000]
    runs = rounds(args, {f"{profile} {n}": runner(profile, n) for profile in PROFILES for n in counts})
    sections = []
    goals = [
        ("10,000 flows against 10, profile `ns2`", ratio(runs["ns2 10000"], runs["ns2 10"], cost), "3x", "2x"),
        ("10,000 flows, profile `linux`", f"{median(map(cost, runs['linux 10000'])):.0f} ns", "600 ns", "300 ns"),
    ]
    for tcp in PROFILES:
        table = []
        least = min(median(r["peak_bytes"] for r in runs[f"{tcp} {n}"]) for n in counts)
        for count in counts:
            mine = runs[f"{tcp} {count}"]
            peak = median(r["peak_bytes"] for r in mine)
            each = f"{(peak - least) / count / 1e3:.1f} kB" if count >= 1_000 else ""
            against = ratio(mine, runs[f"{tcp} 1"], cost)
            table.append((f"{count:,}", f"{median(map(cost, mine)):.0f} ns", against, f"{peak / 1e6:.1f} MB", each))
        head = ("flows", "per delivered segment", "against 1", "peak memory", "each flow, more than the smallest run")
        sections.append(Section(f"Cost against flows, 12 Gbit/s and 50 ms, profile `{tcp}`:", head, table))
    # the last row of the last table is that of 10,000 flows in the profile linux
    goals.append(("each of 10,000 flows, profile `linux`", table[-1][-1], "15 kB", "8 kB"))
    return goals, sections, runs


PROFILES = ("ns2", "linux")

LAWS = """
title = "Ten flows of one congestion control"
profile = "{profile}"
duration = "{seconds}s"
[dumbbell]
rate = "1Gbit"
delay = "50ms"
queue = {queue}
[[flows]]
name = "flow"
count = 10
cc = "{law}"
access = {{ rate = "10Gbit", delay = "1ms", queue = "unlimited" }}
start = {{ uniform = ["0s", "1s"] }}
"""


def laws(args):
    """Each congestion control on 1 Gbit/s and 104 ms, half a BDP of buffer."""
    seconds = 3 if args.quick else 20
    _, text = spawn([str(args.tusker), "list", "--format", "json"])
    names = [item["name"] for item in json.loads(text) if item["kind"] == "cc"]
    with tempfile.TemporaryDirectory() as folder:

        def runner(law, profile):
            queue = '"0.5bdp"'
            if law in ("xcp", "vcp"):
                queue = f'{{ policy = "{law}", limit = "0.5bdp" }}'
            file = Path(folder) / f"{law}-{profile}.toml"
            file.write_text(LAWS.format(law=law, profile=profile, seconds=seconds, queue=queue))
            return lambda: run_tusker(args, file)

        runs = rounds(args, {f"{law} {profile}": runner(law, profile) for law in names for profile in PROFILES})
    table = []
    for law in names:
        row = [law]
        for kind in PROFILES:
            own = runs[f"{law} {kind}"]
            row += [f"{median(map(cost, own)):.0f} ns", ratio(own, runs[f"reno {kind}"], cost)]
        table.append(tuple(row))
    head = ("congestion control", *(text for kind in PROFILES for text in (f"profile `{kind}`", "against reno")))
    return [], [Section("Cost per delivered segment, ten flows on 1 Gbit/s and 104 ms:", head, table)], runs


def short(args):
    """One flow at 20 Mbit/s for 30 s, profile linux, as `tusker compare` and sweeps run it."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "short.toml"
        text = LAWS.format(law="cubic-linux", profile="linux", seconds=30, queue='"1bdp"')
        file.write_text(text.replace('"1Gbit"', '"20Mbit"').replace("count = 10", "count = 1"))
        check = [str(args.tusker), "check", str(file)]
        runs = rounds(args, {"short": lambda: run_tusker(args, file), "check": lambda: spawn(check)[0]})
    took, start = (median(r["cpu_s"] for r in runs[name]) * 1e3 for name in ("short", "check"))
    what = "one flow, 20 Mbit/s, 30 s, start-up included"
    figure = f"{took:.1f} ms; only read and checked: {start:.1f} ms"
    return [(what, figure, "7 ms", "4 ms")], [], runs


HOPS = """
title = "Ten HSTCP flows over a row of routers"
profile = "ns2"
duration = "{seconds}s"
[parking-lot]
hops = [{hops}]
rate = "1.2Gbit"
delay = "{delay_us}us"
queue = "0.5bdp"
access = {{ rate = "10Gbit", delay = "10us", queue = "unlimited" }}
[[flows]]
name = "long"
count = 10
cc = "hstcp"
recovery = "sack"
start = {{ uniform = ["0s", "1s"] }}
"""

CROSS = """
[[background]]
name = "cross{i}"
from = "R{i}"
to = "R{j}"
rate = "100kbit"
packet = "1500B"
"""


def hops(args):
    """A row of links of 1.2 Gbit/s, 20 ms in all; with and without others that enter at each."""
    seconds = 5 if args.quick else 30
    counts = [1, 2, 4, 8, 16]
    with tempfile.TemporaryDirectory() as folder:

        def runner(count, crossed):
            text = HOPS.format(seconds=seconds, hops=", ".join(["{}"] * count), delay_us=20_000 // count)
            if crossed:
                text += "".join(CROSS.format(i=i, j=i + 1) for i in range(1, count + 1))
            file = Path(folder) / f"{count}-{crossed}.toml"
            file.write_text(text)
            return lambda: run_tusker(args, file)

        kinds = {"alone": False, "crossed": True}
        runs = rounds(args, {f"{n} {kind}": runner(n, crossed) for n in counts for kind, crossed in kinds.items()})
    table = []
    for count in counts:
        row = [str(count)]
        for kind in kinds:
            more = median(cost(a) - cost(b) for a, b in zip(runs[f"{count} {kind}"], runs[f"1 {kind}"], strict=True))
            row.append(f"{median(map(cost, runs[f'{count} {kind}'])):.0f} ns")
            row.append(f"{more / (count - 1):.1f} ns" if count > 1 else "")
        table.append(tuple(row))
    head = ("links", "per delivered segment", "each further link", "with cross traffic at each", "each further link")
    return [], [Section("Cost against hops (a link is crossed by a segment and by its ACK):", head, table)], runs


def memory(args):
    case = dict(rate="10Gbit", delay="100ms", access="100Gbit", seconds=10 if args.quick else 60)
    runs = rounds(args, {"memory": lambda: run_tusker(args, PATHS, *path_settings(case))})
    peak = median(r["peak_bytes"] for r in runs["memory"])
    return [("peak memory, 10 Gbit/s x 200 ms, 10 flows", f"{peak / 1e6:.1f} MB", "200 MB", "50 MB")], [], runs


def jobs(args):
    more = QUICK if args.quick else []

    def runner(n):
        return lambda: run_tusker(args, REFERENCE, *more, "--replicates", "4", "--jobs", str(n))

    runs = rounds(args, {"1": runner(1), "2": runner(2)})
    figure = ratio(runs["1"], runs["2"], lambda r: r["wall_s"])
    cpu = ratio(runs["2"], runs["1"], lambda r: r["cpu_s"])
    rows = [
        ("2 jobs against 1, four replicates (wall-clock time)", figure, "1.9x", ""),
        ("the same: CPU time", cpu, "", ""),
    ]
    return rows, [], runs


def sweep(args):
    engine = args.tusker.parent / "examples" / "short_runs"
    if not engine.exists():
        say(f"  no {engine} here: left out (make bench builds it)")
        return [], [], {}
    count = 100 if args.quick else 1000
    with tempfile.TemporaryDirectory() as folder:

        def all_of_it():
            out = tempfile.mkdtemp(dir=folder)
            over = f"dumbbell.queue=110pkt..{109 + count}pkt:{count}"
            command = [str(args.tusker), "sweep", str(SHORT), "--over", over, "--jobs", "1", "--quiet", "--out", out]
            measured, _ = spawn(command)
            shutil.rmtree(out, ignore_errors=True)
            return measured

        def engine_alone():
            measured, text = spawn([str(engine), str(SHORT), str(count)])
            return {**measured, "cpu_s": float(text.split("=")[1])}

        runs = rounds(args, {"sweep": all_of_it, "engine": engine_alone})
    beside = [1 - e["cpu_s"] / s["cpu_s"] for e, s in zip(runs["engine"], runs["sweep"], strict=True)]
    text = f"{median(beside) * 100:.1f} %"
    if len(beside) > 1:
        text += f" ({min(beside) * 100:.1f} to {max(beside) * 100:.1f})"
    what = f"a sweep of {count:,} runs of one second at 100 Mbit/s: CPU time not spent simulating"
    return [(what, text, "10 %", "5 %")], [], runs


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
    over = [t["cpu_s"] / n["cpu_s"] - 1 for t, n in zip(runs["trace"], runs["none"], strict=True)]
    text = f"{median(over) * 100:+.1f} %"
    if len(over) > 1:
        text += f" ({min(over) * 100:+.1f} to {max(over) * 100:+.1f})"
    return [("tracing bottleneck and windows every 10 ms", text, "10 %", "3 %")], [], runs


def where(args):
    """Instructions per delivered segment, by part of the program."""
    if not args.valgrind:
        say("  no valgrind here: left out (make setup-valgrind)")
        return [], [], {}
    short, long = (4, 8) if args.quick else (12, 24)
    rows, runs = profile(args, short, long)
    head = ("part", "instructions", "share")
    title = (
        f"Where the instructions of a delivered segment go: `valgrind --tool=callgrind`, "
        f"seconds {short} to {long} of the reference:"
    )
    return [], [Section(title, head, rows)], runs


PARTS = {
    "reference": reference,
    "ns3": ns3,
    "bdp": bdp,
    "flows": flows,
    "laws": laws,
    "short": short,
    "hops": hops,
    "memory": memory,
    "jobs": jobs,
    "sweep": sweep,
    "trace": trace,
    "profile": where,
}


def load():
    """Processes that want to run, the average over a minute."""
    return os.getloadavg()[0]
