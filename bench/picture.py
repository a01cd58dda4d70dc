#!/usr/bin/env python3
"""Draws docs/pictures/demo.svg: windows and queue of the demo, HSTCP beside gHSTCP.

    make picture      or        bench/picture.py [--tusker BINARY]

Both runs are those of `tusker demo`: the first seed of examples/ghstcp-demo.toml,
with HSTCP and with gHSTCP in the fast group, traced every 500 ms. Nothing is
smoothed. The picture brings its own background, for light and for dark pages.
"""

import argparse
import csv
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SCENARIO = ROOT / "examples" / "ghstcp-demo.toml"
PICTURE = ROOT / "docs" / "pictures" / "demo.svg"
CONTROLS = {"hstcp": "HSTCP", "ghstcp": "gHSTCP"}
BOTTLENECK = "R1->R2"

Line = list[tuple[float, float]]
Run = dict[tuple[str, str], Line]

WIDTH, HEIGHT = 900, 480
PANEL_WIDTH, GAP, LEFT, TOP = 380, 40, 72, 64
SECONDS = 100
# what a row of panels shows: quantity, height in the picture, scale, tick, label
ROWS = [("cwnd", 220, 12000, 4000, "cwnd (segments)"), ("queue", 100, 10000, 5000, "queue (packets)")]

STYLE = """\
text { font: 13px system-ui, -apple-system, 'Segoe UI', sans-serif; fill: #24292f }
.paper { fill: #ffffff } .grid { stroke: #d0d7de } .small { font-size: 11px; fill: #57606a } .title { font-weight: 600 }
.line { fill: none; stroke-width: 1.1; stroke-linejoin: round }
.S1 { stroke: #0969da } .S2 { stroke: #bc4c00 } .queue { stroke: #57606a }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3 } .paper { fill: #0d1117 } .grid { stroke: #30363d } .small { fill: #9ea7b3 }
.S1 { stroke: #58a6ff } .S2 { stroke: #ffa657 } .queue { stroke: #9ea7b3 }
}"""


def simulate(tusker: Path, cc: str) -> Run:
    """The traced series of one run: (subject, quantity) -> (seconds, value)."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / cc
        command = [str(tusker), "run", str(SCENARIO), "--set", f"flows.S2.cc={cc}", "--set", "trace.interval=500ms"]
        command += ["--replicates", "1", "--tables", "csv", "--format", "json", "--quiet", "--out", str(out)]
        done = subprocess.run(command, stdout=subprocess.DEVNULL)
        if done.returncode != 0:
            sys.exit(f"{' '.join(command)}\nended with {done.returncode}")
        series: Run = defaultdict(list)
        with (out / "replicates" / "0001" / "series.csv").open(newline="") as file:
            for row in csv.DictReader(file):
                series[row["subject"], row["quantity"]].append((float(row["time_s"]), float(row["value"])))
        return series


def path(kind: str, line: Line, left: float, bottom: float, height: float, scale: float) -> str:
    """A line of a panel; what is above the scale leaves it."""
    points = (f"{left + t / SECONDS * PANEL_WIDTH:.1f} {bottom - min(v / scale, 2) * height:.1f}" for t, v in line)
    return f'<path class="line {kind}" d="M{"L".join(points)}"/>'


def text(x: float, y: float, words: str, anchor: str = "start", kind: str = "", more: str = "") -> str:
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" class="{kind}"{more}>{words}</text>'


def panel(run: Run, row: tuple[str, int, int, int, str], left: float, top: float, first: bool) -> list[str]:
    quantity, height, scale, tick, label = row
    bottom = top + height
    parts = []
    for value in range(0, scale + 1, tick):
        y = bottom - value / scale * height
        parts.append(f'<line class="grid" x1="{left:g}" y1="{y:g}" x2="{left + PANEL_WIDTH:g}" y2="{y:g}"/>')
        if first:
            parts.append(text(left - 8, y + 4, f"{value:,}", "end", "small"))
    if first:
        x, y = left - 56, top + height / 2
        parts.append(text(x, y, label, "middle", "small", f' transform="rotate(-90 {x:g} {y:g})"'))
    clip = f"{quantity}{left:g}"
    parts.append(
        f'<clipPath id="{clip}"><rect x="{left:g}" y="{top:g}" width="{PANEL_WIDTH}" height="{height}"/></clipPath>'
    )
    parts.append(f'<g clip-path="url(#{clip})">')
    lines = {subject: line for (subject, what), line in run.items() if what == quantity}
    for subject in sorted(lines, reverse=True):
        kind = "queue" if subject == BOTTLENECK else subject.split(".")[0]
        parts.append(path(kind, lines[subject], left, bottom, height, scale))
    return [*parts, "</g>"]


def picture(runs: dict[str, Run]) -> str:
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">',
        "<title>Congestion windows and bottleneck queue over 100 s: HSTCP beside gHSTCP</title>",
        f"<style>{STYLE}</style>",
        f'<rect class="paper" width="{WIDTH}" height="{HEIGHT}" rx="6"/>',
    ]
    for column, (cc, run) in enumerate(runs.items()):
        left: float = LEFT + column * (PANEL_WIDTH + GAP)
        parts.append(text(left, 26, f"Five {CONTROLS[cc]} flows beside five Reno flows", kind="title"))
        for x, kind, words in ((0, "S2", f"{CONTROLS[cc]}, 1 Gbit/s access"), (190, "S1", "Reno, 100 Mbit/s access")):
            parts.append(f'<path class="line {kind}" style="stroke-width:3" d="M{left + x:g} 43h18"/>')
            parts.append(text(left + x + 24, 47, words, kind="small"))
        top: float = TOP
        for row in ROWS:
            parts += panel(run, row, left, top, column == 0)
            top += row[1] + 24
        for second in range(0, SECONDS + 1, 25):
            words = f"{second} s"
            parts.append(text(left + second / SECONDS * PANEL_WIDTH, top - 6, words, "middle", "small"))
    about = "2.5 Gbit/s, 50 ms one way, DropTail of 10,000 packets, SACK everywhere, 1 % background traffic; seed 1"
    parts += [text(LEFT, HEIGHT - 18, about, kind="small"), "</svg>"]
    return "\n".join(parts) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tusker", type=Path, default=ROOT / "target" / "release" / "tusker", help="the binary")
    args = parser.parse_args()
    if not args.tusker.exists():
        sys.exit(f"{args.tusker} is missing: run `make build` first, or give --tusker BINARY")
    PICTURE.parent.mkdir(exist_ok=True)
    PICTURE.write_text(picture({cc: simulate(args.tusker.resolve(), cc) for cc in CONTROLS}))
    print(f"written: {PICTURE.relative_to(ROOT)}", file=sys.stderr)


if __name__ == "__main__":
    main()
