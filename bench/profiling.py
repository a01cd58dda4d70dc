"""Instructions per delivered segment by part of the program, counted by callgrind.

Counts do not depend on what else the machine does. The counts are the difference between two runs
of different length, so that startup and the first slow start cancel out. A line of source belongs
to the same part as its file, wherever it was inlined; inlined code of the standard library
(bounds checks, minima) has its own row.
"""

import re
import shutil
import tempfile
from collections import Counter
from pathlib import Path

from measuring import REFERENCE, overrides, run_tusker, say, spawn, tusker_command

# The first that a path contains.
COMPONENTS = {
    "tusker-core/src/congestion": "congestion control",
    "tusker-core/src/queue": "queue policy",
    "tusker-core": "times and units",
    "tusker-path": "links: queue, wire, counters",
    "tusker-sim/src/agenda.rs": "agendas: what is due next",
    "tusker-sim/src/processes.rs": "agendas: what is due next",
    "tusker-sim/src/rings.rs": "rings: packets on their way",
    "tusker-sim/src/packet.rs": "rings: packets on their way",
    "tusker-sim/src/net.rs": "routes and receivers",
    "tusker-sim/src/topology.rs": "routes and receivers",
    "tcp/receiver.rs": "routes and receivers",
    "tusker-sim/src/tcp": "senders: window, scoreboard, timers",
    "tusker-sim/src/engine.rs": "event loop and measuring",
    "tusker-sim/src/measure.rs": "event loop and measuring",
    "tusker-measure": "event loop and measuring",
    "tusker-store": "event loop and measuring",
    "/rustc/": "standard library, inlined everywhere: bounds checks, minima, copies",
}


def component(file):
    return next((name for part, name in COMPONENTS.items() if part in file), "the rest")


def exclusive(path):
    """Instructions by component, from a file of callgrind."""
    counts: Counter[str] = Counter()
    names: dict[str, str] = {}
    where, called = "", False
    for line in path.open():
        if found := re.match(r"(?:fl|fi|fe)=\((\d+)\)(?: (.*))?", line):
            number, name = found.groups()
            if name:
                names[number] = name
            where = names[number]
        elif found := re.match(r"c(?:fi|fl)=\((\d+)\) (.*)", line):
            names[found[1]] = found[2]
        elif line.startswith("calls="):
            called = True
        elif line[:1].isdigit() or line[:1] in "+-*":
            # the line behind "calls=" is what the callee cost
            if not called and len(numbers := line.split()) > 1:
                counts[component(where)] += int(numbers[1])
            called = False
    return counts


def profile(args, short, long):
    """Rows (part, instructions per segment, share) and what they come from."""
    counts, delivered = {}, {}
    folder = Path(tempfile.mkdtemp())
    for seconds in (short, long):
        say(f"  {seconds} simulated seconds under valgrind")
        settings = overrides({"duration": f'"{seconds}s"'})
        out = folder / f"{seconds}.callgrind"
        tool = [args.valgrind, "--tool=callgrind", f"--callgrind-out-file={out}"]
        spawn([*tool, *tusker_command(args.tusker, REFERENCE, *settings)])
        counts[seconds] = exclusive(out)
        delivered[seconds] = run_tusker(args, REFERENCE, *settings)["delivered_segments"]
    shutil.rmtree(folder)
    segments = delivered[long] - delivered[short]
    per_segment = {part: (n - counts[short][part]) / segments for part, n in counts[long].items()}
    total = sum(per_segment.values())
    ranked = sorted(per_segment.items(), key=lambda item: -item[1])
    rows = [(part, f"{n:.0f}", f"{n / total:.0%}") for part, n in ranked if n / total >= 0.005]
    rows.append(("all", f"{total:.0f}", ""))
    return rows, {"instructions": per_segment, "segments": segments}
