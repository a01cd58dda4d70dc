#!/usr/bin/env python3
"""What the Python package adds to a run: the time of the call in addition to that of the
simulator; and the time that a law in Python takes per ACK. Prints the table of docs/python.md.

    pip install ./python && python python/cost.py
"""

import statistics
import time

import tusker

RUNS = 5
SCENARIO = {
    "title": "What a call costs",
    "profile": "linux",
    "dumbbell": {"rate": "1Gbit", "delay": "18ms", "queue": "1bdp", "access": {"rate": "10Gbit", "delay": "1ms"}},
    "flows": [{"name": "reno", "cc": "reno", "count": 2, "start": {"uniform": ["0s", "1s"]}}],
}


def cost(duration: str) -> tuple[float, float]:
    """Seconds used by the simulator, and by the rest of the call."""
    begin = time.perf_counter()
    result = tusker.run(SCENARIO, set={"duration": duration})
    whole = time.perf_counter() - begin
    simulating = float(result.summary.execution.wall_s)
    return simulating, whole - simulating


class Reno(tusker.Law):
    """RFC 5681."""

    def grow(self, w: tusker.Window, ack: tusker.Ack) -> None:
        w.cwnd += ack.credit / w.cwnd

    def shrink(self, w: float) -> float:
        return w / 2


def law() -> tuple[float, float]:
    """Seconds that the same run takes with Reno in Rust and in Python."""
    took = []
    for cc in ("reno", "own"):
        result = tusker.run(SCENARIO, set={"duration": "10s", "flows.0.cc": cc}, laws={"own": Reno})
        took.append(float(result.summary.execution.wall_s))
    return took[0], took[1]


def main() -> None:
    print("simulated   simulating    besides   share")
    for duration in ("2s", "10s", "30s", "100s"):
        runs = [cost(duration) for _ in range(RUNS)]
        simulating = statistics.median(own for own, _ in runs)
        besides = statistics.median(own for _, own in runs)
        print(f"{duration:>9}  {simulating:9.3f} s  {besides * 1e3:6.1f} ms  {besides / simulating:6.2%}")
    pairs = [law() for _ in range(RUNS)]
    rust, python = (statistics.median(times) for times in zip(*pairs, strict=True))
    print(f"10 s of Reno in Rust take {rust:.2f} s, in Python {python:.2f} s")


if __name__ == "__main__":
    main()
