#!/usr/bin/env python3
"""Runs workloads on Debian's kernel in virtual time and stores the results.

    bench/linux/workloads.py [--only REGEX] [--again]   run what is not stored yet
    bench/linux/workloads.py --cells                    only write the scenarios

Each workload is one machine (machine.sh, init): a sender, a router and a receiver. The
same workload as a scenario of Tusker is written to cells/. What came out goes to
oracle.csv, one line per workload and seed, and the windows of the first seed to
curves.csv. A workload of 60 s takes about a minute and a half of processor time.
"""

import argparse
import csv
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
SECONDS = 60
FROM = 20
FIELDS = ["cell", "seed", "kernel", "goodput_mbps", "recoveries", "timeouts", "retransmitted", "window_mean"]


@dataclass
class Law:
    """A law of Linux: its name in the kernel, its name in Tusker."""

    kernel: str
    ours: str
    hystart: bool = False  # of the kernel's CUBIC
    # BBR looks for an RTT that is no longer than the shortest; without noise, many are equal to it
    host_time: str = "0s"


@dataclass
class Queue:
    """A queue policy, for tc and for Tusker; LIMIT stands for the limit in packets."""

    tc: str
    ours: str
    police: str = ""  # of tc, before the queue


@dataclass
class Cell:
    law: Law
    queue: Queue
    rate: int  # Mbit/s
    rtt: int  # ms
    limit: int  # packets
    flows: int = 1
    loss: float = 0  # share of packets lost at random before the queue
    seeds: int = 1


# parameters and counting are those of the profile linux: what a user gets is what is validated
# (crates/tusker-core/src/congestion/linux.rs)
LAWS = {
    "reno": Law("reno", "reno"),
    "cubic": Law("cubic", "cubic"),
    "bic": Law("bic", "bic"),
    "highspeed": Law("highspeed", "hstcp"),
    "htcp": Law("htcp", "htcp"),
    "illinois": Law("illinois", "illinois"),
    "scalable": Law("scalable", "scalable"),
    "vegas": Law("vegas", "vegas"),
    "westwood": Law("westwood", "westwood"),
    "bbr": Law("bbr", "bbr1", host_time="1us"),
    "cubic-linux": Law("cubic", "cubic-linux", hystart=True),
    "yeah": Law("yeah", "yeah"),
    "hybla": Law("hybla", "hybla"),
}

DROPTAIL = Queue("pfifo limit LIMIT", '{ limit = "LIMITpkt" }')

QUEUES = {
    # sch_red under tbf does not notice an empty queue, and its average does not decay then;
    # so there are enough flows, and a fast enough average, that this hardly ever happens.
    # Thresholds are in bytes there, and tc turns burst into a weight of 1/64.
    "red": Queue(
        "red limit 1000000 min 30280 max 181680 avpkt 1514 burst 50 bandwidth 50mbit probability 0.05",
        '{ policy = "red", limit = "LIMITpkt", min_th = 20, max_th = 120, max_p = 0.05, w_q = 0.015625, wait = false }',
    ),
    "codel": Queue("codel limit LIMIT noecn", '{ policy = "codel", limit = "LIMITpkt" }'),
    "pie": Queue(
        "pie limit LIMIT noecn",
        '{ policy = "pie", limit = "LIMITpkt", timestamps = true, cap = true, derandomize = true }',
    ),
    "fq_pie": Queue("fq_pie limit LIMIT", '{ policy = "fq_pie", limit = "LIMITpkt" }'),
    "fq_codel": Queue("fq_codel limit LIMIT noecn", '{ policy = "fq_codel", limit = "LIMITpkt" }'),
    # its limit is memory, and is never reached here; one host sends to another
    "cake": Queue("cake unlimited besteffort flows", '{ policy = "cake", limit = "10000pkt" }'),
    "cake-shaper": Queue(
        "cake bandwidth 45mbit besteffort flows",
        '{ policy = "cake", limit = "10000pkt", bandwidth = "45Mbit" }',
    ),
}

# what a customer pays for, on a line of 50 Mbit/s
POLICER = Queue(
    "pfifo limit LIMIT",
    '{ policy = "policer", limit = "LIMITpkt", rate = "20Mbit", burst = "100kB" }',
    police="rate 20mbit burst 100000",
)

CELLS = {}
# 50 Mbit/s and 40 ms are 165 packets of 1514 bytes
for name, law in LAWS.items():
    CELLS[f"{name}/0.3bdp"] = Cell(law, DROPTAIL, 50, 40, 50)
    CELLS[f"{name}/1bdp"] = Cell(law, DROPTAIL, 50, 40, 165)
# a queue that YeAH could drain, but does not once its estimate of Reno's window is larger
CELLS["yeah/4bdp"] = Cell(LAWS["yeah"], DROPTAIL, 50, 40, 660)
# 100 Mbit/s and 80 ms are 661
for name, law in LAWS.items():
    CELLS[f"{name}/0.5bdp-80ms"] = Cell(law, DROPTAIL, 100, 80, 330)
# several flows of Reno behind each policy; eight that lose packets at random (netem)
for name, policy in QUEUES.items():
    flows, seeds = {"red": (16, 3), "pie": (4, 3)}.get(name, (4, 1))
    CELLS[f"{flows}xreno/{name}"] = Cell(LAWS["reno"], policy, 50, 40, 660, flows=flows, seeds=seeds)
# of a single flow the curve shows when CAKE's first signal comes
for name in ("cake", "cake-shaper"):
    CELLS[f"reno/{name}"] = Cell(LAWS["reno"], QUEUES[name], 50, 40, 660)
for name in ("reno", "bbr"):
    CELLS[f"{name}/policer"] = Cell(LAWS[name], POLICER, 50, 40, 165)
CELLS["8xreno/netem"] = Cell(LAWS["reno"], DROPTAIL, 50, 40, 660, flows=8, loss=0.01, seeds=3)


def queue(cell, text):
    return text.replace("LIMIT", str(cell.limit))


def scenario(name, cell):
    """The workload for Tusker. Rates count whole frames, as tc does."""
    loss = f"\nloss = {cell.loss}" if cell.loss else ""
    start = 'start = { first = "0s", every = "500ms" }\n' if cell.flows > 1 else ""
    return f"""\
title = "Linux, {name}"
profile = "linux"
host_time = "{cell.law.host_time}"
duration = "{SECONDS}s"
measure = {{ from = "{FROM}s" }}
nodes = ["sender", "router", "receiver"]

[tcp]
segmentation = false
packet = "1514B"
header = "66B"
ack = "66B"

[trace]
interval = "100ms"
links = []

[[links]]
from = "sender"
to = "router"
rate = "10Gbit"
delay = "0ms"
queue = "backpressure"
reverse = {{ delay = "{cell.rtt}ms", queue = "unlimited" }}{loss}

[[links]]
from = "router"
to = "receiver"
rate = "{cell.rate}Mbit"
delay = "0ms"
queue = {queue(cell, cell.queue.ours)}
reverse = {{ rate = "10Gbit", queue = "unlimited" }}

[[flows]]
name = "flow"
count = {cell.flows}
cc = "{cell.law.ours}"
from = "sender"
to = "receiver"
{start}"""


def machine(*arguments):
    out = subprocess.run(
        [HERE / "machine.sh", *arguments], stdout=subprocess.PIPE, text=True, preexec_fn=lambda: os.nice(10)
    )
    return out.returncode, out.stdout


def boot(name, cell, seed):
    """The machine's output, line by line; also stored in target/linux/said."""
    words = {
        "ms": str(SECONDS * 1000),
        "rate": f"{cell.rate}mbit",
        "delay": f"{cell.rtt}ms",
        "queue": queue(cell, cell.queue.tc),
        "laws": " ".join([cell.law.kernel] * cell.flows),
    }
    if cell.law.hystart:
        words["hystart"] = "1"
    if cell.queue.police:
        words["police"] = cell.queue.police
    if cell.loss:
        words["loss"] = f"{cell.loss * 100}%"
    _, said = machine("run", str(seed), *(f"{key}={value.replace(' ', ',')}" for key, value in words.items()))
    if "linux: all is well" not in said:
        sys.exit(f"{name}: the machine failed:\n{said}")
    folder = HERE.parents[1] / "target/linux/said"
    folder.mkdir(exist_ok=True)
    (folder / f"{name.replace('/', '_')}.{seed}").write_text(said)
    return said.splitlines()


def summary(cell, lines):
    """The row of oracle.csv without its key, and the windows by time in ms."""
    flows = range(cell.flows)
    samples = [{} for _ in flows]
    entered = {"recovery": 0, "loss": 0}
    kernel = "?"
    for line in lines:
        word, *rest = line.split()[:8] or [""]
        if word == "sample":
            flow, ms, *values = map(int, rest)
            samples[flow][ms] = values
        elif word == "entered" and int(rest[1]) >= FROM * 1000:
            entered[rest[2]] += 1
        elif found := re.search("linux: Linux (.*)", line):
            kernel = found[1]
    begin, end = FROM * 1000, SECONDS * 1000

    def gained(index):
        return sum(samples[flow][end][index] - samples[flow][begin][index] for flow in flows)

    windows = [values[0] for flow in flows for ms, values in samples[flow].items() if ms > begin]
    row = {
        "kernel": kernel,
        "goodput_mbps": f"{gained(3) * 8 / (SECONDS - FROM) / 1e6:.3f}",
        "recoveries": entered["recovery"],
        "timeouts": entered["loss"],
        "retransmitted": gained(4),
        "window_mean": f"{sum(windows) / len(windows):.2f}",
    }
    return row, {ms: values[0] for ms, values in samples[0].items()}


def load():
    path = HERE / "oracle.csv"
    if not path.exists():
        return {}
    with path.open(newline="") as file:
        return {(row["cell"], int(row["seed"])): row for row in csv.DictReader(file)}


def load_curves():
    path = HERE / "curves.csv"
    curves = {}
    if path.exists():
        with path.open(newline="") as file:
            for row in csv.DictReader(file):
                for name, value in row.items():
                    if name != "ms" and value:
                        curves.setdefault(name, {})[int(row["ms"])] = int(value)
    return curves


def store(rows, curves):
    keys = [(name, seed) for name, cell in CELLS.items() for seed in range(1, cell.seeds + 1)]
    with (HERE / "oracle.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows[key] for key in keys if key in rows)
    names = [name for name in CELLS if name in curves]
    with (HERE / "curves.csv").open("w", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["ms", *names])
        for ms in range(100, SECONDS * 1000 + 1, 100):
            table.writerow([ms, *(curves[name].get(ms, "") for name in names)])


def write_cells():
    folder = HERE / "cells"
    folder.mkdir(exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    for name, cell in CELLS.items():
        (folder / f"{name.replace('/', '_')}.toml").write_text(scenario(name, cell))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="workloads whose name matches this regular expression")
    parser.add_argument("--again", action="store_true", help="run what is stored too")
    parser.add_argument("--cells", action="store_true", help="only write the scenarios")
    args = parser.parse_args()
    write_cells()
    if args.cells:
        return
    rows, curves = load(), load_curves()
    if machine("build")[0] != 0:
        sys.exit("the machine cannot be built")
    for name, cell in CELLS.items():
        for seed in range(1, cell.seeds + 1):
            if not re.search(args.only, name) or ((name, seed) in rows and not args.again):
                continue
            row, curve = summary(cell, boot(name, cell, seed))
            rows[name, seed] = {"cell": name, "seed": seed, **row}
            if seed == 1:
                curves[name] = curve
            store(rows, curves)
            print(f"{name} seed {seed}: {row}", flush=True)


if __name__ == "__main__":
    main()
