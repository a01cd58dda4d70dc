#!/usr/bin/env python3
"""Checks gHSTCP and gARED as ns-2 runs them (ghstcp.cc, laws.tcl) from what they log.

    bench/ns2/laws/check.py        needs `ns` and `make setup-ns2-laws`; half a minute

gHSTCP logs every pair, decision and window; here Python's own correlation and atanh say
what each decision must be, and RFC 3649's formulas by how much each ACK must have grown
the window. gARED logs the average queue at every interval; here section 4.3 of the paper
says what max_p must be.
"""

import math
import statistics
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

CELL = Path(__file__).resolve().parents[1] / "cell.tcl"


def run(arguments: str) -> None:
    subprocess.run(["nice", "ns", str(CELL), *arguments.split()], check=True, stdout=subprocess.DEVNULL)


def increase(w: float) -> float:
    """a(w) of RFC 3649, its p(w) a line between 1.5/38^2 at 38 and 1e-7 at 83000 as in ns-2."""
    if w <= 38:
        return 1
    share = (math.log(w) - math.log(38)) / (math.log(83000) - math.log(38))
    low_p = 1.5 / 38**2
    p = math.exp(math.log(low_p) + share * (math.log(1e-7) - math.log(low_p)))
    b = 0.5 + share * (0.1 - 0.5)
    return w * w * p * 2 * b / (2 - b)


def close(value: float, expected: float, what: str, relative: float) -> None:
    if abs(value - expected) > relative * max(1, abs(expected)):
        sys.exit(f"{what}: {value} instead of {expected}")


def decision(pairs: list[tuple[int, int, float]]) -> tuple[float, float]:
    """r and Z of pairs (departure, round trip, window)."""
    departed, trips = [d for d, _, _ in pairs], [t for _, t, _ in pairs]
    if len(set(trips)) == 1 or len(set(departed)) == 1:
        return 0, 0
    r = statistics.correlation(departed, trips)
    return r, math.atanh(min(r, 1 - 1e-16)) * math.sqrt(len(pairs) - 3) if len(pairs) > 3 else 0


def check_ghstcp(log: Path) -> Counter[str]:
    seen: Counter[str] = Counter()
    pairs: list[tuple[int, int, float]] = []
    mode, before = 0, None
    for line in log.read_text().splitlines():
        word, now, *rest = line.split()
        if word == "resent":
            pairs, mode, before = [], 0, None
        elif word == "pair":
            window = float(rest[2])
            # the ACK before this one grew the window in the mode that was in force then
            if before is not None:
                a = 1 if mode else increase(before)
                close(window - before, a / before, f"growth at {now}", 1e-7)
                seen["ACKs in Reno mode" if mode else "ACKs in HSTCP mode"] += 1
            before = window
            pairs.append((int(rest[0]), int(rest[1]), window))
        else:
            n, r, z, mode_now = int(rest[0]), float(rest[1]), float(rest[2]), int(rest[3])
            if n != len(pairs) or n != int(pairs[0][2]):
                sys.exit(f"decision at {now}: {n} pairs, {len(pairs)} logged, window {pairs[0][2]}")
            expected = decision(pairs)
            close(r, expected[0], f"r at {now}", 1e-6)
            # near r = 1 a digit of r is many of Z
            close(z, expected[1], f"Z at {now}", 1e-3)
            if mode_now != int(expected[1] > 3.09):
                sys.exit(f"mode at {now}: {mode_now}, but Z is {expected[1]}")
            seen["switches"] += mode_now != mode
            seen["to Reno mode" if mode_now else "to HSTCP mode"] += 1
            pairs, mode = [], mode_now
    return seen


def check_gared(log: Path, min_th: float, max_th: float, first: float) -> Counter[str]:
    seen: Counter[str] = Counter()
    max_p, old_avg = first, 0.0
    for line in log.read_text().splitlines():
        now, avg, got = (float(word) for word in line.split())
        if avg > min_th + 0.6 * (max_th - min_th) and avg > old_avg:
            max_p = min(0.5, max_p + min(0.01, max_p / 4))
            seen["rises"] += 1
        elif min_th < avg < min_th + 0.4 * (max_th - min_th) and avg < old_avg:
            max_p *= 0.9
            seen["falls"] += 1
        else:
            seen["holds"] += 1
        old_avg = avg
        close(got / max_p, 1, f"max_p at {now}", 1e-5)  # ns-2 prints six digits
    return seen


def report(name: str, seen: Counter[str], needed: tuple[str, ...]) -> None:
    if missing := [what for what in needed if seen[what] < 3]:
        sys.exit(f"{name}: the run has too few of: {', '.join(missing)}")
    print(f"{name}: " + ", ".join(f"{count} {what}" for what, count in sorted(seen.items())))


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log"
        for agent in ("reno", "sack1"):
            run(f"group={agent}+ghs:2:1000Mb:1ms:13us rate=100Mb delay=20ms buffer=200 time=60 pairs={log}")
            needed = ("switches", "to Reno mode", "to HSTCP mode", "ACKs in Reno mode", "ACKs in HSTCP mode")
            report(f"gHSTCP on {agent}", check_ghstcp(log), needed)
        queue = "queue=gARED red.thresh=50 red.maxthresh=150 red.q_weight=0 red.linterm=1000"
        run(f"group=sack1+hs:4:1000Mb:1ms:13us rate=100Mb delay=20ms buffer=400 {queue} time=120 maxp={log}")
        report("gARED", check_gared(log, 50, 150, 0.001), ("rises", "falls", "holds"))


if __name__ == "__main__":
    main()
