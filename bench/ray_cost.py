#!/usr/bin/env python3
"""What a run costs on a Ray cluster beside the run itself: docs/scaling.md.

    PYTHONPATH=python .venv/bin/python bench/ray_cost.py target/debug/tusker [POINTS]

A sweep of short runs on this machine, then the same on a cluster of one node here. CPU
seconds of every process are added up, so that what else the machine does counts little;
what is given is per run.
"""

# mypy: disable-error-code="import-not-found, import-untyped"

import os
import re
import resource
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
# no token of ours in the home folder
os.environ["RAY_AUTH_MODE"] = "disabled"

import ray  # noqa: E402

TICK = os.sysconf("SC_CLK_TCK")
CORES = 2


class Below:
    """CPU seconds of all processes below this one, looked at until it is left: nobody asks
    Ray's workers what they took when they end."""

    def __init__(self) -> None:
        self.ray = {int(pid) for pid in Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()}

    def __enter__(self) -> "Below":
        self.first: dict[int, float] = {}
        self.last: dict[int, float] = {}
        self.look(self.first)
        self.over = threading.Event()
        self.thread = threading.Thread(target=self.again)
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.over.set()
        self.thread.join()
        self.look(self.last)
        self.seconds = sum(self.last.values()) - sum(self.first.values())

    def again(self) -> None:
        while not self.over.wait(0.1):
            self.look(self.last)

    def look(self, into: dict[int, float]) -> None:
        parents, seconds = {}, {}
        for folder in Path("/proc").iterdir():
            try:
                fields = (folder / "stat").read_text().rsplit(")", 1)[1].split()
            except (OSError, IndexError):
                continue
            if folder.name.isdigit():
                parents[int(folder.name)] = int(fields[1])
                seconds[int(folder.name)] = sum(map(int, fields[11:13])) / TICK
        for pid, own in seconds.items():
            # not this one's own children, which are waited for, but Ray's
            at, above = pid, []
            while at in parents and at != os.getpid():
                above.append(at)
                at = parents[at]
            if at == os.getpid() and above and above[-1] in self.ray:
                into[pid] = own


def sweep(tusker: str, points: int, *more: str) -> tuple[float, float, str]:
    """CPU seconds of the command and all that it waits for, seconds by the clock, and what it says."""
    short = Path(__file__).parent / "short.toml"
    # each point is another scenario, as long as all others
    over = f"--over=dumbbell.queue=100..{99 + points}pkt:{points}"
    before, clock = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        words = [tusker, "sweep", str(short), over, f"--out={folder}/sweep", *more]
        done = subprocess.run(words, capture_output=True, text=True)
    took = time.monotonic() - clock
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        sys.exit(done.stderr)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return cpu, took, done.stderr


def main() -> None:
    tusker, points = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 500
    cpu, took, said = sweep(tusker, points, "--jobs=1")
    share = re.search(r"([0-9]+) % of the time simulating", said)
    each, simulating = 1e3 * cpu / points, share[1] if share else "?"
    print(f"here: {each:.2f} ms of CPU per run, {points / took:.0f} runs/s, {simulating} % simulating")
    ray.init(num_cpus=CORES, include_dashboard=False, object_store_memory=80_000_000, log_to_driver=False)
    address = ray.get_runtime_context().gcs_address
    os.environ["TUSKER_PYTHON"] = sys.executable
    sizes = (points // 10, points)
    commands, clusters, clocks = [], [], []
    for size in sizes:
        with Below() as below:
            command, took, said = sweep(tusker, size, f"--ray={address}")
        commands.append(command)
        clusters.append(below.seconds)
        clocks.append(took)
    more = sizes[1] - sizes[0]
    print(f"on Ray, {CORES} cores: {more / (clocks[1] - clocks[0]):.0f} runs/s")
    for name, (few, many) in {"the command and its Python": commands, "Ray with its workers": clusters}.items():
        each = (many - few) / more
        print(f"  {name}: {1e3 * each:.2f} ms of CPU per run, and {few - each * sizes[0]:.1f} s once")
    print(said.strip().splitlines()[-2])


if __name__ == "__main__":
    main()
