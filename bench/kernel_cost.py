#!/usr/bin/env python3
"""The time that a law in the kernel takes per ACK, compared with the kernel's CUBIC and Reno.

The kernel itself measures each BPF program (kernel.bpf_stats_enabled). A flow of iperf3
goes through 500 Mbit/s with 20 ms of queue, where the window limits it. CUBIC and
Reno are called from BPF as the laws are (kernel_cubic.bpf.c), so that one clock measures
all. Each is run several times, in turn; the minimum is least disturbed by other work.

Needs root, clang, bpftool, iperf3: `make bench-kernel`.
"""

import argparse
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

BENCH = Path(__file__).resolve().parent
ROOT = BENCH.parent
OURS = {"tusker_pkts_acked", "tusker_cong_avoid"}
THEIRS = {
    "the kernel's CUBIC": ("bench_cubic", {"cubic_acked", "cubic_cong_avoid"}),
    "the kernel's Reno": ("bench_reno", {"floor_acked", "reno_cong_avoid"}),
    "(a hook that does nothing)": ("bench_reno", {"floor_acked"}),
}
STATS = Path("/proc/sys/kernel/bpf_stats_enabled")


def sh(*words: str) -> str:
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


class Net:
    """a - r - b, as in crates/tusker-kernel/tests/support/net.rs."""

    def __init__(self) -> None:
        self.name = f"tusker-{os.getpid()}-cost"

    def __enter__(self) -> "Net":
        a, r, b = (f"{self.name}-{host}" for host in "arb")
        self.a, self.b = a, b
        script = f"""
            for n in {a} {r} {b}; do ip netns add $n; ip -n $n link set lo up; done
            ip link add a0 netns {a} type veth peer name r0 netns {r}
            ip link add r1 netns {r} type veth peer name b0 netns {b}
            ip -n {a} addr add 10.9.0.1/24 dev a0; ip -n {r} addr add 10.9.0.2/24 dev r0
            ip -n {r} addr add 10.9.1.2/24 dev r1; ip -n {b} addr add 10.9.1.1/24 dev b0
            ip -n {a} link set a0 up; ip -n {r} link set r0 up
            ip -n {r} link set r1 up; ip -n {b} link set b0 up
            ip -n {a} route add default via 10.9.0.2; ip -n {b} route add default via 10.9.1.2
            ip netns exec {r} sysctl -qw net.ipv4.ip_forward=1
            tc -n {r} qdisc add dev r1 root tbf rate 500mbit burst 64kb limit 1250000
        """
        sh("sh", "-ec", script)
        return self

    def __exit__(self, *_: object) -> None:
        for host in "arb":
            subprocess.run(["ip", "netns", "del", f"{self.name}-{host}"], check=False)

    def flow(self, law: str, seconds: int) -> None:
        within = ["ip", "netns", "exec"]
        with subprocess.Popen([*within, self.b, "iperf3", "-s", "-1"], stdout=subprocess.DEVNULL) as server:
            while not sh(*within, self.b, "ss", "-Htln", "sport = :5201"):
                time.sleep(0.05)
            sh(*within, self.a, "iperf3", "-c", "10.9.1.1", "-C", law, "-t", str(seconds))
            server.wait(timeout=20)


def cost(programs: set[str], held: set[int] | None = None) -> float:
    """ns that these programs took together, for each time that the first was called."""
    took, calls = 0, 0
    for program in json.loads(sh("bpftool", "-j", "prog")):
        if program.get("name") in programs and (held is None or program["id"] in held):
            took += program.get("run_time_ns", 0)
            calls = max(calls, program.get("run_cnt", 0))
    return took / calls


def held_by(process: int) -> set[int]:
    """The BPF programs that a process holds."""
    texts = (path.read_text() for path in Path(f"/proc/{process}/fdinfo").iterdir())
    return {int(id) for text in texts for id in re.findall(r"^prog_id:\s*(\d+)", text, re.M)}


def ours(program: Path, net: Net, law: str, seconds: int) -> float:
    name = f"cost_{os.getpid()}"
    words = [str(program), "load", *law.split(), "--as", name]
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as load:
        assert load.stderr is not None
        try:
            line = load.stderr.readline()
            if "is in the kernel" not in line:
                sys.exit(line + load.stderr.read())
            net.flow(name, seconds)
            return cost(OURS, held_by(load.pid))
        finally:
            load.terminate()


def theirs(net: Net, seconds: int) -> dict[str, float]:
    made = ROOT / "target" / "kernel_cubic.o"
    sh("clang", "-target", "bpf", "-mcpu=v3", "-O2", "-g", "-c", str(BENCH / "kernel_cubic.bpf.c"), "-o", str(made))
    sh("bpftool", "struct_ops", "register", str(made))
    try:
        for law in {law for law, _ in THEIRS.values()}:
            net.flow(law, seconds)
        return {name: cost(programs) for name, (_, programs) in THEIRS.items()}
    finally:
        for law in {law for law, _ in THEIRS.values()}:
            subprocess.run(["bpftool", "struct_ops", "unregister", "name", law], check=False)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--program", type=Path, default=ROOT / "target/release/tusker-kernel")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=3)
    args = parser.parse_args()
    missing = [name for name in ("ip", "tc", "ss", "iperf3", "bpftool", "clang") if not shutil.which(name)]
    if missing or os.geteuid() != 0:
        sys.exit(f"this needs root and {', '.join(missing) or 'nothing else'}; `make setup-kernel` installs programs")
    laws = sh(str(args.program), "load", "--list").splitlines()
    before = STATS.read_text()
    STATS.write_text("1")
    seen: dict[str, list[float]] = {}
    try:
        with Net() as net:
            for _ in range(args.rounds):
                for law in laws:
                    seen.setdefault(law.replace(" --", "-"), []).append(ours(args.program, net, law, args.seconds))
                for name, ns in theirs(net, args.seconds).items():
                    seen.setdefault(name, []).append(ns)
    finally:
        STATS.write_text(before)
    print(f"| | ns per ACK, least of {args.rounds} | median |\n|---|---:|---:|")
    for name, all in seen.items():
        print(f"| {name} | {min(all):.0f} | {statistics.median(all):.0f} |")


if __name__ == "__main__":
    main()
