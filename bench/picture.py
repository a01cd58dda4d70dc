#!/usr/bin/env python3
"""Draws docs/pictures/demo.svg: windows and queue, HSTCP beside gHSTCP, simulated and measured.

    make picture      or        bench/picture.py [--tusker BINARY] [--take FOLDER]

The upper half is the first seed of `tusker demo` (examples/ghstcp-demo.toml), traced
every 500 ms. The lower half is bench/hero: what was measured there on Linux sockets
stands in its tables, with a band from the smallest to the largest value of all runs, and
over it the mean of as many runs of the simulator as there are in HERO_SEEDS.
With --take the tables are made anew from FOLDER/hstcp.1, FOLDER/ghstcp.1 and so on,
results of `tusker testbed` (bench/hero/README.md). The picture brings its own background,
for light and for dark pages.
"""

import argparse
import csv
import re
import subprocess
import sys
import tempfile
import tomllib
from collections import defaultdict
from pathlib import Path

from drawing import INKS

ROOT = Path(__file__).resolve().parent.parent
SCENARIO = ROOT / "examples" / "ghstcp-demo.toml"
PICTURE = ROOT / "docs" / "pictures" / "demo.svg"
CONTROLS = {"hstcp": "HSTCP", "ghstcp": "gHSTCP"}
BOTTLENECK = "R1->R2"
HERO = ROOT / "bench" / "hero"

Line = list[tuple[float, float]]
Run = dict[tuple[str, str], Line]

WIDTH, HEIGHT = 900, 764
PANEL_WIDTH, GAP, LEFT, TOP = 380, 40, 72, 64
# what a row of panels shows: quantity, height in the picture, scale, tick, label
Row = tuple[str, int, int, int, str]
ROWS: list[Row] = [("cwnd", 200, 12000, 4000, "cwnd (segments)"), ("queue", 90, 10000, 5000, "queue (packets)")]
HERO_ROWS: list[Row] = [("cwnd", 120, 1200, 400, "cwnd (segments)"), ("queue", 60, 800, 400, "queue (packets)")]
# how far the panels go to the right, in seconds, and where they have numbers
SECONDS, EVERY = 100, 25
HERO_SECONDS, HERO_EVERY = 120, 30
# runs: measured, and simulated
TAKEN, HERO_SEEDS = 3, 10

TITLE = "Beside gHSTCP, Reno keeps more of a long fat link than it does beside HSTCP"
# where the panels begin, below the title
BELOW = 30

# what laws and queues look like everywhere: crates/tusker-report/src/style.rs
LOOKS = {"reno": "vermilion", "hstcp": "purple", "ghstcp": "blue", "queue": "grey"}
STROKES = [" ".join(f".{kind} {{ stroke: {INKS[ink][n]} }}" for kind, ink in LOOKS.items()) for n in (0, 1)]
FILLS = [" ".join(f".band.{kind} {{ fill: {INKS[ink][n]} }}" for kind, ink in LOOKS.items()) for n in (0, 1)]

STYLE = f"""\
text {{ font: 13px Roboto, Helvetica, Arial, sans-serif; fill: #1d232b }}
.paper {{ fill: #ffffff }} .grid {{ stroke: #e3e6ea }} .small {{ font-size: 12px; fill: #55606e }}
.title {{ font-weight: 600 }} .head {{ font-size: 18px; font-weight: 600 }}
.line {{ fill: none; stroke-width: 1.1; stroke-linejoin: round }}
{STROKES[0]}
.simulated {{ stroke-dasharray: 4 3 }}
.band {{ stroke: none; opacity: 0.22 }}
{FILLS[0]}
@media (prefers-color-scheme: dark) {{
text {{ fill: #e6edf3 }} .paper {{ fill: #0d1117 }} .grid {{ stroke: #30363d }} .small {{ fill: #9ea7b3 }}
{STROKES[1]}
{FILLS[1]}
}}"""


def simulate(tusker: Path, scenario: Path, cc: str, interval: str, seeds: int = 1) -> list[Run]:
    """The traced series of runs: (subject, quantity) -> (seconds, value)."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / cc
        command = [
            str(tusker),
            "run",
            str(scenario),
            "--set",
            f"flows.S2.cc={cc}",
            "--set",
            f"trace.interval={interval}",
        ]
        command += ["--replicates", str(seeds), "--tables", "csv", "--format", "json", "--quiet", "--out", str(out)]
        done = subprocess.run(command, stdout=subprocess.DEVNULL)
        if done.returncode != 0:
            sys.exit(f"{' '.join(command)}\nended with {done.returncode}")
        return [read(out / "replicates" / f"{seed:04}" / "series.csv") for seed in range(1, seeds + 1)]


def read(table: Path) -> Run:
    """Series from a table."""
    series: Run = defaultdict(list)
    with table.open(newline="") as file:
        for row in csv.DictReader(file):
            series[row["subject"], row["quantity"]].append((float(row["time_s"]), float(row["value"])))
    return series


def take(folder: Path) -> None:
    """The windows and the queue of the runs on the testbed as the tables of bench/hero."""
    for cc in CONTROLS:
        with (HERO / f"{cc}.csv").open("w", newline="") as file:
            out = csv.writer(file, lineterminator="\n")
            out.writerow(["seed", "time_s", "subject", "quantity", "value"])
            for seed in range(1, TAKEN + 1):
                (table,) = (folder / f"{cc}.{seed}" / "replicates").glob("*/series.csv")
                for (subject, quantity), line in read(table).items():
                    if quantity in ("cwnd", "queue"):
                        out.writerows((seed, f"{t:g}", subject, quantity, f"{value:.0f}") for t, value in line)


def taken(cc: str) -> list[Run]:
    """What `take` wrote, run by run."""
    runs: dict[str, Run] = defaultdict(lambda: defaultdict(list))
    with (HERO / f"{cc}.csv").open(newline="") as file:
        for row in csv.DictReader(file):
            line = runs[row["seed"]][row["subject"], row["quantity"]]
            line.append((float(row["time_s"]), float(row["value"])))
    return list(runs.values())


def together(runs: list[Run], quantity: str) -> dict[str, list[tuple[float, float, float, float]]]:
    """By group of flows or link: time, smallest value, mean, largest value of all flows and runs."""
    values: dict[str, dict[float, list[float]]] = defaultdict(lambda: defaultdict(list))
    for run in runs:
        for (subject, what), line in run.items():
            if what == quantity:
                for t, value in line:
                    values[subject.split(".")[0]][t].append(value)
    return {
        group: [(t, min(all), sum(all) / len(all), max(all)) for t, all in sorted(times.items())]
        for group, times in values.items()
    }


def path(kind: str, line: Line, seconds: float, box: tuple[float, float, float], scale: float) -> str:
    """A line of a panel; what is above the scale leaves it."""
    left, bottom, height = box
    points = (f"{left + t / seconds * PANEL_WIDTH:.1f} {bottom - min(v / scale, 2) * height:.1f}" for t, v in line)
    return f'<path class="line {kind}" d="M{"L".join(points)}"/>'


def text(x: float, y: float, words: str, anchor: str = "start", kind: str = "", more: str = "") -> str:
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" class="{kind}"{more}>{words}</text>'


def kind(subject: str, cc: str) -> str:
    """What a line is of: the name of a class."""
    return {BOTTLENECK: "queue", "S1": "reno", "S2": cc}[subject.split(".")[0]]


def panel(
    runs: list[Run], simulated: list[Run] | None, cc: str, row: Row, seconds: float, left: float, top: float
) -> list[str]:
    """The lines of one run; or the mean and the band of several, and the mean of simulated ones."""
    first = left == LEFT
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
    clip = f"{quantity}{left:g}-{top:g}"
    parts.append(
        f'<clipPath id="{clip}"><rect x="{left:g}" y="{top:g}" width="{PANEL_WIDTH}" height="{height}"/></clipPath>'
    )
    parts.append(f'<g clip-path="url(#{clip})">')
    box = (left, bottom, height)
    if simulated is None:
        lines = {subject: line for (subject, what), line in runs[0].items() if what == quantity}
        for subject in sorted(lines, reverse=True):
            parts.append(path(kind(subject, cc), lines[subject], seconds, box, scale))
        return [*parts, "</g>"]
    for group, values in sorted(together(runs, quantity).items(), reverse=True):
        edge = [(t, low) for t, low, _, _ in values] + [(t, high) for t, _, _, high in reversed(values)]
        parts.append(path(f"band {kind(group, cc)}", edge, seconds, box, scale))
        parts.append(path(kind(group, cc), [(t, mean) for t, _, mean, _ in values], seconds, box, scale))
    for group, values in sorted(together(simulated, quantity).items(), reverse=True):
        line = [(t, mean) for t, _, mean, _ in values]
        parts.append(path(f"{kind(group, cc)} simulated", line, seconds, box, scale))
    return [*parts, "</g>"]


def rows(
    runs: list[Run],
    simulated: list[Run] | None,
    cc: str,
    all_rows: list[Row],
    seconds: int,
    every: int,
    left: float,
    top: float,
) -> list[str]:
    """Panels above each other, with the time below."""
    parts = []
    for row in all_rows:
        parts += panel(runs, simulated, cc, row, seconds, left, top)
        top += row[1] + 24
    for second in range(0, seconds + 1, every):
        parts.append(text(left + second / seconds * PANEL_WIDTH, top - 6, f"{second} s", "middle", "small"))
    return parts


def key(places: list[tuple[float, str, str]], left: float, y: float) -> list[str]:
    parts = []
    for x, kind, words in places:
        parts.append(f'<path class="line {kind}" style="stroke-width:3" d="M{left + x:g} {y:g}h18"/>')
        parts.append(text(left + x + 24, y + 4, words, kind="small"))
    return parts


def about(scenario: Path) -> str:
    """The path of a scenario, as its file has it."""
    told = tomllib.loads(scenario.read_text())
    path = told["dumbbell"]
    words = f"{path['rate']}/s, {path['delay']} one way, DropTail of {path['queue'].removesuffix('pkt')} packets"
    if "background" in told:
        # sources send at their rate in a share of the time, and the rest of it nothing
        rate = 0.0
        for source in told["background"]:
            on, off = (float(source[part].removesuffix("ms")) for part in ("on", "off"))
            rate += float(source["rate"].removesuffix("Mbit")) * on / (on + off)
        words += f", {100 * rate / (1000 * float(path['rate'].removesuffix('Gbit'))):.1f} % background traffic"
    spaced = re.sub(r"(\d)([A-Za-z])", r"\1 \2", words)
    return re.sub(r"\b\d{4,}\b", lambda number: f"{int(number.group()):,}", spaced)


def picture(runs: dict[str, list[Run]], hero: dict[str, tuple[list[Run], list[Run]]]) -> str:
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT + BELOW}" role="img">',
        f"<title>{TITLE}: congestion windows and queue, simulated and measured</title>",
        f"<style>{STYLE}</style>",
        f'<rect class="paper" width="{WIDTH}" height="{HEIGHT + BELOW}" rx="6"/>',
        text(16, 32, TITLE, kind="head"),
        f'<g transform="translate(0 {BELOW})">',
    ]
    middle = TOP + sum(row[1] + 24 for row in ROWS) + 18
    below = middle + 68
    for column, (cc, name) in enumerate(CONTROLS.items()):
        left: float = LEFT + column * (PANEL_WIDTH + GAP)
        parts.append(text(left, 26, f"Simulated: five {name} flows, five Reno flows", kind="title"))
        parts += key([(0, cc, f"{name}, 1 Gbit/s access"), (190, "reno", "Reno, 100 Mbit/s access")], left, 43)
        parts += rows(runs[cc], None, cc, ROWS, SECONDS, EVERY, left, TOP)
        parts.append(text(left, middle + 34, f"On Linux sockets: one {name} flow, two Reno flows", kind="title"))
        keys = [(0.0, cc, name), (90.0, "reno", "Reno"), (160.0, "queue", "queue")]
        keys.append((230.0, "queue simulated", "simulated"))
        parts += key(keys, left, middle + 50)
        parts += rows(*hero[cc], cc, HERO_ROWS, HERO_SECONDS, HERO_EVERY, left, below + 6)
    parts.append(text(LEFT, middle + 2, f"{about(SCENARIO)}; SACK; seed 1", kind="small"))
    last = f"{about(HERO / 'scenario.toml')}; mean and range of {TAKEN} runs, mean of {HERO_SEEDS} simulated ones"
    parts += [text(LEFT, HEIGHT - 16, last, kind="small"), "</g>", "</svg>"]
    return "\n".join(parts) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tusker", type=Path, default=ROOT / "target" / "release" / "tusker", help="the binary")
    parser.add_argument("--take", type=Path, metavar="FOLDER", help="results of the testbed for bench/hero")
    args = parser.parse_args()
    if args.take:
        take(args.take)
    if not args.tusker.exists():
        sys.exit(f"{args.tusker} is missing: run `make build` first, or give --tusker BINARY")
    PICTURE.parent.mkdir(exist_ok=True)
    tusker = args.tusker.resolve()
    runs = {cc: simulate(tusker, SCENARIO, cc, "500ms") for cc in CONTROLS}
    hero = {cc: (taken(cc), simulate(tusker, HERO / "scenario.toml", cc, "500ms", HERO_SEEDS)) for cc in CONTROLS}
    PICTURE.write_text(picture(runs, hero))
    print(f"written: {PICTURE.relative_to(ROOT)}", file=sys.stderr)


if __name__ == "__main__":
    main()
