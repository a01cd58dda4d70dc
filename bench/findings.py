#!/usr/bin/env python3
"""Draws docs/pictures/finding-*.svg from the tables that the findings' pages print.

    make findings-pictures      or        bench/findings.py [--check] [NAME ...]

A picture's title is what was found. The numbers are those of the page, with their
intervals where it has them: a page that is measured anew has its picture drawn anew.
With --check nothing is written, and the exit code is 1 if a picture is not its page's.
"""

import argparse
import math
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from drawing import WIDTH, Drawing, wide, wrapped

ROOT = Path(__file__).resolve().parent.parent
PAGES = ROOT / "docs" / "findings"
PICTURES = ROOT / "docs" / "pictures"

# colour, dashes and mark of each law, as `tusker report` has them
LOOKS = {
    "gHSTCP": ("blue", "", "disc"),
    "refined gHSTCP": ("blue", "7 4", "diamond"),
    "Reno": ("vermilion", "", "square"),
    "CUBIC": ("green", "", "triangle"),
    "HSTCP": ("purple", "", "diamond"),
    "BBRv3": ("sky", "", "cross"),
    "BBRv1": ("sky", "7 4", "disc"),
    "HCC": ("purple", "9 3 1.5 3", "below"),
}

Value = tuple[float, float]  # and half of its interval
Row = list[str]


def tables(name: str) -> list[list[Row]]:
    """The tables of a page, each with its head."""
    found: list[list[Row]] = [[]]
    for line in (PAGES / f"{name}.md").read_text().splitlines():
        if line.startswith("|"):
            cells = [cell.strip(" *`") for cell in line.strip("|").split("|")]
            if not re.fullmatch(r"[-:| ]+", line):
                found[-1].append(cells)
        elif found[-1]:
            found.append([])
    return [table for table in found if table]


def table(name: str, about: str) -> dict[str, Row]:
    """The first table after a line that has these words: cells by the name of the row."""
    page = (PAGES / f"{name}.md").read_text()
    if about not in page:
        raise ValueError(f"docs/findings/{name}.md has no line with {about!r}: name its table here as there")
    lines = page[page.index(about) :].splitlines()[1:]
    start = next(i for i, line in enumerate(lines) if line.startswith("|"))
    rows: dict[str, Row] = {}
    for line in lines[start:]:
        if not line.startswith("|"):
            break
        cells = [cell.strip(" *`") for cell in line.strip("|").split("|")]
        rows[cells[0]] = cells[1:]
    return rows


def value(cell: str) -> Value:
    """`94.7 ± 0.1` with its half; without one the half is 0."""
    first, _, half = cell.replace(",", "").replace("*", "").partition("±")
    return float(first), float(half.replace("<", "") or 0)


@dataclass
class Series:
    name: str
    look: tuple[str, str, str]
    points: list[tuple[float, Value]]
    joined: bool = True
    hollow: bool = False


@dataclass
class Panel:
    """Curves over numbers or names that are at 0, 1, 2, ..."""

    heading: str
    series: list[Series]
    across: list[tuple[float, str]]
    most: float
    every: float
    rules: list[tuple[float, str]] = field(default_factory=list)


def panels(title: str, up: str, right: str, all_panels: list[Panel], note: str) -> str:
    """Panels beside each other, from zero and with one scale, under a row of names."""
    drawing = Drawing(title)
    top, high, left = drawing.bottom + 24, 230.0, 56.0
    series = all_panels[0].series
    x = 16.0
    for own in series:
        ink, dash, shape = own.look
        if x + 44 + wide(own.name) > WIDTH - 12:
            x, top = 16.0, top + 20
        if own.joined:
            drawing.curve([(x, top), (x + 28, top)], ink, dash)
        drawing.mark((x + 14, top), shape, ink, own.hollow)
        drawing.text((x + 34, top + 4), own.name)
        x += 54 + wide(own.name)
    top += 26
    drawing.text((16, top), up, size=12)
    top += 32 if any(panel.heading for panel in all_panels) else 14
    gap = 22.0
    width = (WIDTH - 24 - left - gap * (len(all_panels) - 1)) / len(all_panels)
    for nth, panel in enumerate(all_panels):
        begin = left + nth * (width + gap)
        one_panel(drawing, panel, (begin, top, begin + width, top + high), nth == 0)
    drawing.text((left + (WIDTH - 24 - left) / 2, top + high + 38), right, "middle")
    drawing.bottom = top + high + 38
    notes(drawing, note)
    return drawing.finish()


def notes(drawing: Drawing, note: str) -> None:
    for words in wrapped(note, WIDTH - 32, 12):
        drawing.bottom += 20
        drawing.text((16, drawing.bottom), words)


def one_panel(drawing: Drawing, panel: Panel, box: tuple[float, float, float, float], first: bool) -> None:
    left, top, right, bottom = box
    low, most = panel.across[0][0], panel.across[-1][0]
    air = 22.0

    def at(x: float, y: float) -> tuple[float, float]:
        share = (x - low) / (most - low)
        return left + air + share * (right - left - 2 * air), bottom - y / panel.most * (bottom - top)

    if panel.heading:
        drawing.text((left, top - 8), panel.heading, kind="", size=13)
    for step in range(round(panel.most / panel.every) + 1):
        y = step * panel.every
        if y > panel.most * 1.001:
            break
        drawing.stroke([(left, at(low, y)[1]), (right, at(low, y)[1])], "grid")
        if first:
            drawing.text((left - 8, at(low, y)[1] + 4), f"{y:.10g}", "end")
    drawing.stroke([(left, bottom), (right, bottom)], "axis")
    for x, words in panel.across:
        drawing.stroke([(at(x, 0)[0], bottom), (at(x, 0)[0], bottom + 5)], "axis")
        drawing.text((at(x, 0)[0], bottom + 19), words, "middle")
    busy = [place for own in panel.series for place in between([at(x, y) for x, (y, _) in own.points], own.joined)]
    bars = [(x, at_y) for own in panel.series for x, at_y in own.points if at_y[1]]
    busy += [at(x, y + half * n / 20) for x, (y, half) in bars for n in range(-20, 21)]
    for y, words in panel.rules:
        drawing.stroke([(left, at(low, y)[1]), (right, at(low, y)[1])], "rule")
        drawing.text(free((left, right), at(low, y)[1], words, busy), words, kind="small name")
    for own in panel.series:
        ink, dash, shape = own.look
        places = [at(x, y) for x, (y, _) in own.points]
        if own.joined:
            drawing.curve(places, ink, dash)
        for x, (y, half) in own.points:
            if half:
                ends = at(x, max(y - half, 0))[1], at(x, min(y + half, panel.most))[1]
                drawing.interval(at(x, 0)[0], *ends, ink)
        for place in places:
            drawing.mark(place, shape, ink, own.hollow)


def between(places: list[tuple[float, float]], joined: bool) -> list[tuple[float, float]]:
    """Places along a curve, close to each other; of points that nothing joins, the points."""
    if not joined:
        return places
    steps = [n / 40 for n in range(41)]
    pairs = zip(places, places[1:], strict=False)
    return [(a + (c - a) * t, b + (d - b) * t) for (a, b), (c, d) in pairs for t in steps]


def free(ends: tuple[float, float], y: float, words: str, busy: list[tuple[float, float]]) -> tuple[float, float]:
    """Where the name of a line across lies on the fewest points: along it, above or below."""
    left, right = ends
    long = wide(words)
    starts = [right - 4 - long - n * (right - left - long - 8) / 8 for n in range(9)]
    places = [(x, y + by) for by in (-5, 15) for x in starts]

    def met(place: tuple[float, float]) -> int:
        x, base = place
        return sum(x - 6 < a < x + long + 6 and base - 16 < b < base + 7 for a, b in busy)

    return min(places, key=met)


def logs(values: list[float]) -> list[float]:
    return [math.log10(one) for one in values]


def across(places: list[float], words: list[str]) -> list[tuple[float, str]]:
    return list(zip(places, words, strict=True))


def line(name: str, look: str | tuple[str, str, str], xs: list[float], cells: Row, part: int = 0) -> Series:
    """A row of a table; `part` of cells like `1.00 / 0.99` or `96.4, 18`. A `-` is no point."""
    parts = [re.split(r" / |, ", cell)[part] if cell != "-" else "" for cell in cells]
    points = [(x, value(own)) for x, own in zip(xs, parts, strict=False) if own]
    return Series(name, LOOKS[look] if isinstance(look, str) else look, points)


def choice_of_z() -> str:
    rows = table("choice-of-z", "divided by their fair rate: the mean over three seeds")
    words = rows["noise"][:6]
    words = [own.removeprefix("z = ") for own in words]
    xs = [float(n) for n in range(6)]
    quiet, noisy = rows["no noise"], rows["1 ms"]
    hstcp = value(quiet[6])[0]
    series = [
        line("beside gHSTCP, no noise", "gHSTCP", xs, quiet[:6]),
        line("beside gHSTCP, up to 1 ms of noise", ("blue", "7 4", "diamond"), [x + 0.06 for x in xs], noisy[:6]),
    ]
    rules = [(1.0, "fair rate"), (hstcp, f"beside HSTCP, no noise: {hstcp:.2f}")]
    return panels(
        "Reno gets about half of its fair rate beside gHSTCP, whatever the threshold z, "
        "and a seventh of it beside HSTCP",
        "Share of fair rate of Reno",
        "z: the trend test's threshold",
        [Panel("", series, across(xs, words), 1.2, 0.2, rules)],
        "2.5 Gbit/s, 50 ms one way, five flows of each; means of three seeds, 100 s each; bars: 95 % confidence.",
    )


def hcc_alpha() -> str:
    rows = table("hcc-alpha", "Mean round trip of a single flow")
    xs = logs([10, 100, 200, 1000, 10000])
    words = ["10 M", "100 M", "200 M", "1 G", "10 G"]
    series = [
        line("alpha = 400 segments, by hand", ("purple", "7 4", "square"), xs, rows["alpha = 400"]),
        line("alpha = 16 ms of the link, found by the flow", ("purple", "", "below"), xs, rows["tau = 16 ms"]),
    ]
    return panels(
        "HCC that finds its alpha keeps 16 ms of queue at every rate; "
        "a fixed alpha of 400 segments gives 16 ms only at 200 Mbit/s",
        "Mean round trip in ms",
        "rate of the link in bit/s",
        [Panel("", series, across(xs, words), 140, 20, [(40, "the path: 40 ms"), (56, "path and 16 ms of queue")])],
        "One flow alone, buffer of 100 ms. Nothing in these runs is random: three seeds give the same values.",
    )


def heterogeneous_delays() -> str:
    rows = table("heterogeneous-delays", "Share of fair rate, near / far. All ten")
    xs, words = logs([1, 1.5, 2, 6]), ["1", "1.5", "2", "6"]
    laws = ["Reno", "HSTCP", "gHSTCP", "CUBIC"]
    early = [Series(name, LOOKS[name], line(name, name, xs, rows[f"{name}, gARED"], 1).points) for name in laws[:3]]
    far = {name: line(name, name, xs, rows[name], 1) for name in laws}
    last = {name: own.points[-1][1][0] for name, own in far.items()}
    rules = [(1.0, "fair rate")]
    return panels(
        "gHSTCP hardly helps flows with long round trips: at six times the round trip they get "
        f"{last['gHSTCP']:.2f} of their fair share, with HSTCP {last['HSTCP']:.2f}, and with CUBIC {last['CUBIC']:.2f}",
        "Share of fair rate of the flows with the long round trip",
        "ratio of the two round trips (the short one is 60 ms)",
        [
            Panel("DropTail", list(far.values()), across(xs, words), 1.2, 0.2, rules),
            Panel("gARED", early, across(xs, words), 1.2, 0.2, rules),
        ],
        "Ten flows of one law, 2.5 Gbit/s, 200 s of which the latter half counts; one run for each point.",
    )


def long_fat() -> str:
    rows = table("long-fat", "One flow alone: goodput in %")
    xs, words = logs([10, 30, 100, 300]), ["10", "30", "100", "300"]
    laws = ["gHSTCP", "CUBIC", "HCC", "BBRv3", "BBRv1"]
    rates = ["1 Gbit/s", "10 Gbit/s", "100 Gbit/s"]
    return panels(
        "One transfer, a BDP of buffer: gHSTCP does as well as CUBIC; HCC starts slowly on long round trips",
        "Goodput from the start of the transfer in % of the link",
        "round trip in ms",
        [
            Panel(rate, [line(law, law, xs, rows[f"{law}, {rate}"]) for law in laws], across(xs, words), 100, 20)
            for rate in rates
        ],
        "60 s from the start, 20 s at 100 Gbit/s; one run for each point. gHSTCP lies under CUBIC.",
    )


def recovery() -> str:
    xs, words = logs([1, 10, 100, 1000]), ["1", "10", "100", "1,000"]
    kinds = ["Reno", "NewReno", "SACK", "SACK+PRR", "RACK+PRR"]
    looks = [("vermilion", "", "square"), ("pink", "7 4", "diamond"), ("sky", "", "below")]
    looks += [("blue", "", "disc"), ("green", "7 4", "triangle")]
    both = []
    for law, (_, *found) in zip(["HSTCP", "gHSTCP"], tables("recovery"), strict=False):
        rows = {kind: cells for kind, *cells in found}
        # beside each other, so that no bar hides another
        series = [
            line(kind, look, [x + 0.085 * (nth - 2) for x in xs], rows[kind][:4])
            for nth, (kind, look) in enumerate(zip(kinds, looks, strict=True))
        ]
        both.append(Panel(law, series, across(xs, words), 110, 20, [(97.3, "all but headers")]))
    own = [y for series in both[1].series[2:] for _, (y, _) in series.points]
    return panels(
        "With SACK, bursts of 1,000 losses hardly reduce HSTCP's goodput; "
        f"gHSTCP's is {min(own):.0f} to {max(own):.0f} % of the link and depends strongly on the seed",
        "Goodput in % of the link",
        "packets that a burst takes",
        both,
        "One flow alone, 1 Gbit/s, 100 ms; the latter half of 300 s; means of three seeds; "
        "bars: 95 % confidence, cut where the picture ends. With 1,000 packets a burst, Reno and NewReno deliver "
        "nothing for minutes with one of the seeds.",
    )


def ties() -> str:
    rows = table("ties", "Throughput of the Reno flows in Mbit/s")
    delays = ["49.9992 ms", "50 ms", "50.001 ms"]
    series = [
        Series(name, look, [(n + by, value(rows[delay][column])) for n, delay in enumerate(delays)], joined=False)
        for name, look, by, column in [
            ("hosts that act at once", ("vermilion", "", "square"), -0.06, 0),
            ("hosts that take up to 10 us", ("blue", "", "disc"), 0.06, 2),
        ]
    ]
    return panels(
        "A microsecond of delay changes Reno's throughput eightfold, unless hosts take their time as real ones do",
        "Throughput of the five Reno flows in Mbit/s",
        "one-way delay",
        [Panel("", series, across([0, 1, 2], delays), 500, 100, [(500, "all that their 100 Mbit/s each allow")])],
        "Case 4 of the gHSTCP paper; means of three seeds; bars: 95 % confidence.",
    )


def real_queues() -> str:
    rows = table("real-queues", "Jain's index, simulated (mean of ten seeds)")
    queues = ["DropTail", "RED", "ARED", "gARED", "CoDel", "PIE"]
    laws = ["HSTCP", "gHSTCP", "refined gHSTCP"]
    # points have no dashes, so no two have one mark
    looks = {**LOOKS, "refined gHSTCP": ("blue", "", "triangle")}

    def series(column: int, hollow: bool) -> list[Series]:
        return [
            Series(
                law,
                looks[law],
                [(n + 0.16 * (nth - 1), value(rows[queue][2 * nth + column])) for n, queue in enumerate(queues)],
                joined=False,
                hollow=hollow,
            )
            for nth, law in enumerate(laws)
        ]

    names = across([float(n) for n in range(6)], queues)
    rules = [(1.0, "all have the same"), (1 / 3, "one of three has all")]
    return panels(
        "In one run on real sockets, gHSTCP was fairer to Reno than HSTCP behind each of six queues; "
        "over ten simulated seeds there is no difference",
        "Jain's index of one flow of the law and two of Reno",
        "queue of the bottleneck",
        [
            Panel("measured on Linux sockets", series(1, False), names, 1.2, 0.2, rules),
            Panel("simulated", series(0, True), names, 1.2, 0.2, rules),
        ],
        "200 Mbit/s, 46 ms; 12 s of 20; measured: one run for each point; simulated: means of ten seeds.",
    )


def real_hcc() -> str:
    cells = tables("real-hcc")[0][2:]
    laws = ["HCC", "FAST", "HSTCP", "CUBIC"]
    parts = []
    for nth, heading in enumerate(["alone", "CUBIC in reverse", "beside two Reno flows"]):
        own = [cells[4 * nth + k][1:] for k in range(4)]
        series = [
            Series(name, look, [(k + by, value(own[k][column])) for k in range(4)], joined=False, hollow=hollow)
            for name, look, by, column, hollow in [
                ("simulated", ("vermilion", "", "square"), -0.1, 0, True),
                ("measured on Linux sockets", ("blue", "", "disc"), 0.1, 1, False),
            ]
        ]
        rules = [(193.1, "all of the link")]
        if nth == 2:
            rules.append((193.1 / 3, "a third"))
        names = across([float(k) for k in range(4)], laws)
        parts.append(Panel(heading, series, names, 220, 50, rules))
    return panels(
        "Alone, HCC behaves in the kernel as in the simulator; with a flow in the reverse direction, "
        "HCC gets more goodput in the kernel",
        "Goodput of the law's flow in Mbit/s",
        "law",
        parts,
        "200 Mbit/s, 46 ms; 12 s of 20; simulated: ten seeds with 95 % intervals; measured: one run.",
    )


# white to blue: light is little
PALE, DEEP = (247, 244, 235), (0, 78, 130)

# what the laws of a table of names are called in a picture
CALLED = {
    "cubic-linux": "CUBIC (Linux)",
    "bbr3": "BBRv3",
    "copa": "Copa",
    "swift": "Swift",
    "ghstcp": "gHSTCP",
    "hcc": "HCC",
    "prague, DualPI2": "Prague, DualPI2",
}


def luminance(colour: tuple[int, int, int]) -> float:
    """How light a colour is, from 0 to 1 (WCAG 2.2)."""
    parts = [c / 255 for c in colour]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def over(fill: tuple[int, int, int]) -> str:
    """White letters or dark ones: those of the larger contrast."""
    light, dark, ground = 1.0, luminance((0x1D, 0x23, 0x2B)), luminance(fill)
    return "over" if (light + 0.05) / (ground + 0.05) > (ground + 0.05) / (dark + 0.05) else "under"


def today() -> str:
    grids = [rows for rows in tables("today") if rows[0][0] == "law"]
    buffers = grids[0][0][1:]
    columns = ["20 ms, no loss", "100 ms, no loss", "20 ms, 1 in 10,000", "100 ms, 1 in 10,000"]
    drawing = Drawing(
        "Alone, BBRv3 and Copa use about 90 % of the link or more with any buffer; "
        "with one random loss in 10,000 packets, CUBIC and Prague use less than 40\u00a0% of it"
    )
    left, cell, gap = 118.0, (37.0, 25.0), 12.0
    for about, part, most, digits in (("Use of the link in %", 0, 100.0, 0), ("Median round trip in ms", 1, 440.0, 0)):
        top = drawing.bottom + 30
        drawing.text((16, top), about, kind="", size=13)
        top += 22
        for nth, (grid, heading) in enumerate(zip(grids, columns, strict=True)):
            begin = left + nth * (4 * cell[0] + gap)
            drawing.text((begin + 2 * cell[0], top), heading, "middle")
            for row, cells in enumerate(grid[1:]):
                upper = top + 8 + row * cell[1]
                if nth == 0:
                    drawing.text((left - 8, upper + 17), CALLED[cells[0].replace("`", "")], "end")
                for column, text in enumerate(cells[1:]):
                    words = text.split(", ")[part].replace(" ms", "")
                    mean, half = value(words)
                    share = min(mean / most, 1.0)
                    red, green, blue = (round(a + (b - a) * share) for a, b in zip(PALE, DEEP, strict=True))
                    fill = f"#{red:02x}{green:02x}{blue:02x}"
                    x = begin + column * cell[0]
                    drawing.cell((x, upper, x + cell[0] - 1.5, upper + cell[1] - 1.5), fill)
                    shown = f"{mean:.{digits}f}" + ("*" if half >= 10 else "")
                    kind = over((red, green, blue))
                    drawing.text((x + cell[0] / 2 - 0.8, upper + 17), shown, "middle", kind)
            for column, buffer in enumerate(buffers):
                x = begin + (column + 0.5) * cell[0]
                drawing.text((x, top + 8 + 7 * cell[1] + 15), buffer.removesuffix(" BDP"), "middle")
        drawing.bottom = top + 8 + 7 * cell[1] + 18
    drawing.bottom += 4
    notes(drawing, "Buffers in BDPs. 200 Mbit/s, means of ten seeds; *: the 95 % interval is ten points or more.")
    return drawing.finish()


FINDINGS: dict[str, Callable[[], str]] = {
    "choice-of-z": choice_of_z,
    "hcc-alpha": hcc_alpha,
    "heterogeneous-delays": heterogeneous_delays,
    "long-fat": long_fat,
    "real-hcc": real_hcc,
    "real-queues": real_queues,
    "recovery": recovery,
    "ties": ties,
    "today": today,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(FINDINGS)}; all unless given")
    parser.add_argument("--check", action="store_true", help="write nothing, say which pictures are not current")
    args = parser.parse_args()
    unknown = [name for name in args.names if name not in FINDINGS]
    if unknown:
        parser.error(f"no finding is called {', '.join(unknown)}; there are {', '.join(FINDINGS)}")
    stale = []
    for name in args.names or FINDINGS:
        picture = PICTURES / f"finding-{name}.svg"
        drawn = FINDINGS[name]()
        if args.check:
            stale += [name] if not picture.exists() or picture.read_text() != drawn else []
            continue
        picture.write_text(drawn)
        print(f"written: {picture.relative_to(ROOT)}", file=sys.stderr)
    if stale:
        sys.exit(f"not drawn from their pages as they are: {', '.join(stale)}; `make findings-pictures` draws them")


if __name__ == "__main__":
    main()
