#!/usr/bin/env python3
"""The simulator as WebAssembly, compared in speed with the native one.

Node runs the module of the live page (target/page/engine.wasm), and a program runs the same calls
natively (crates/tusker-page/examples/runs.rs, in the profile `dist`). Both take turns with each
run, and must give the same summary. Times are CPU time of the main thread, as the kernel counts
it; the first round, in which Node still compiles, is left out.

    make page && python3 bench/wasm.py
"""

import argparse
import json
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ENGINE = ROOT / "target/page/engine.wasm"


def scenario(flows: list[tuple[str, int]], rate: str = "100Mbit", queue: object = "1bdp") -> str:
    groups = [{"name": f"f{nth}", "cc": cc, "count": count} for nth, (cc, count) in enumerate(flows)]
    path = {"rate": rate, "delay": "20ms", "queue": queue}
    run = {"profile": "linux", "duration": "30s", "dumbbell": path, "flows": groups}
    return json.dumps({"scenario": run})


RUNS = {
    "Reno, CUBIC and BBRv3, 100 Mbit/s": scenario([("reno", 1), ("cubic", 1), ("bbr3", 1)]),
    "5 CUBIC and 5 BBRv3, 100 Mbit/s": scenario([("cubic", 5), ("bbr3", 5)]),
    "CUBIC, 500 Mbit/s": scenario([("cubic", 1)], "500Mbit"),
    "50 CUBIC, 100 Mbit/s, FQ-CoDel": scenario([("cubic", 50)], queue={"policy": "fq_codel", "limit": "1000pkt"}),
    "10 gHSTCP, 200 Mbit/s, ARED": scenario([("ghstcp", 10)], "200Mbit", {"policy": "ared", "limit": "1000pkt"}),
}


class Runner:
    """A process that answers each line with the summary of its run."""

    def __init__(self, *command: str | Path) -> None:
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)

    def cpu(self) -> float:
        """Seconds that its main thread has run."""
        return int(Path(f"/proc/{self.process.pid}/schedstat").read_text().split()[0]) / 1e9

    def run(self, line: str) -> tuple[str, float]:
        """The summary, and the seconds that it took."""
        assert self.process.stdin and self.process.stdout
        begun = self.cpu()
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        summary = self.process.stdout.readline()
        return summary, self.cpu() - begun

    def end(self) -> None:
        assert self.process.stdin
        self.process.stdin.close()
        self.process.wait()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0] if __doc__ else None)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--engine", type=Path, nargs="+", default=[ENGINE], help="modules to compare")
    parser.add_argument("--native", type=Path, help="a build of the example `runs`")
    options = parser.parse_args()
    native = options.native
    if native is None:
        build = "cargo build --locked --profile dist --package tusker-page --example runs"
        subprocess.run(build.split(), cwd=ROOT, check=True)
        native = ROOT / "target/dist/examples/runs"
    module = ROOT / "crates/tusker-page/tests/run.mjs"
    runners = [Runner(native)] + [Runner("node", module, own) for own in options.engine]
    print("| run of 30 s | native | WebAssembly | speed against native |")
    print("|---|--:|--:|--:|")
    ratios: list[list[float]] = [[] for _ in options.engine]
    for name, line in RUNS.items():
        rounds = []
        for _ in range(options.rounds + 1):
            summaries, seconds = zip(*(runner.run(line) for runner in runners), strict=True)
            if len(set(summaries)) > 1:
                sys.exit(f"{name}: the module has another summary")
            rounds.append(seconds)
        del rounds[0]
        times = [statistics.median(column) for column in zip(*rounds, strict=True)]
        for nth, own in enumerate(options.engine, 1):
            found = sorted(row[0] / row[nth] for row in rounds)
            ratios[nth - 1].append(statistics.median(found))
            ratio = f"{statistics.median(found):.2f} ({found[0]:.2f} to {found[-1]:.2f})"
            which = f" {own.name}" if len(options.engine) > 1 else ""
            print(f"| {name}{which} | {times[0]:.3f} s | {times[nth]:.3f} s | {ratio} |", flush=True)
    for own, found in zip(options.engine, ratios, strict=True):
        print(f"{own.name}: {statistics.geometric_mean(found):.2f} of native (geometric mean)")
    for runner in runners:
        runner.end()


if __name__ == "__main__":
    main()
