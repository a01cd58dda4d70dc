#!/usr/bin/env python3
"""The first tables of examples/rfc9743.sh: every criterion, for one law and another.

    rfc9743.py FOLDER LAW OTHER text|short|html|figure

Beside harm stands the goodput of the law itself, if FOLDER/NAME.own.csv has it: a law that
takes nothing harms nobody.

FOLDER/criteria.tsv has a line for each criterion: its name, what it is about, and its
measures. A measure after a `+` is better if it is larger, one after an `@` if it is nearer
to 0, and the others if they are smaller. FOLDER/NAME.csv is what `tusker compare` or
`tusker sweep` prints with `--format csv`: the first law in it is tested, and the second is
the one that it is compared with. Two values are the same if they are so close that their
95 % intervals leave no room for a difference that matters; slightly better or worse if they
are as close, but their intervals do not overlap. Any other difference counts only if the
intervals do not overlap. If FOLDER/NAME.notes say that runs had too few congestion episodes for a
long-term mean, an asterisk follows the verdict.
"""

import csv
import html
import math
import shutil
import sys
import textwrap
from pathlib import Path
from typing import NamedTuple

# The end of a measure's name, the number by which its values are divided, and the unit.
UNITS = [
    ("goodput_bps", 1e6, " Mbit/s"),
    ("_rate", 0.01, " %"),
    ("convergence_s", 1.0, " s"),
    ("_s", 1e-3, " ms"),
]


# What measures are called in the tables.
NAMES = {
    "loss_rate": "packet loss",
    "goodput_bps": "goodput",
    "rtt_mean_s": "mean RTT",
    "rtt_p95_s": "95th percentile of the RTT",
    "jain": "Jain's index",
    "harm_goodput": "harm to goodput",
    "harm_rtt": "harm to RTT",
    "harm_loss": "harm by loss",
    "rtt_exponent": "RTT exponent (0 is best)",
    "converged": "runs that converge",
    "convergence_s": "time to converge",
    "transfers.short.slowdown_p50": "slowdown of short flows, median",
    "transfers.short.slowdown_p95": "slowdown of short flows, 95th percentile",
    "groups.long.goodput_bps": "goodput of the long flow",
}

# Two values are the same if no two values in their intervals differ by more than this share
# of the larger mean; for harm and Jain's index, which lie between 0 and 1, by more than CLOSE.
SAME, CLOSE = 0.1, 0.05
# A tenth of that is no difference at all, even if it is certain.
SLIGHT = 0.1


def rounded(number: float, digits: int) -> str:
    """`100`, not `1e+02`."""
    return f"{float(f'{number:.{digits}g}'):g}"


# Of how many runs something is true has Wilson's interval of 95 %.
SHARES = ["converged"]
Z = 1.96


class Value(NamedTuple):
    """A mean and half the width of its interval, if they are known; a share has its runs."""

    mean: float | None
    half: float | None
    runs: int = 0

    @classmethod
    def of(cls, row: dict[str, str], measure: str) -> "Value":
        mean, half = row.get(measure), row.get(f"{measure}_ci95")
        runs = int(row.get("replicates") or 0) if measure in SHARES else 0
        return cls(float(mean) if mean else None, float(half) if half else None, runs)

    def share(self) -> tuple[float, float]:
        """The ends of Wilson's interval."""
        share, spread = self.mean or 0.0, Z * Z / self.runs
        half = Z * math.sqrt(share * (1 - share) / self.runs + spread / (4 * self.runs))
        middle = share + spread / 2
        return (middle - half) / (1 + spread), (middle + half) / (1 + spread)

    def text(self, measure: str) -> str:
        if self.mean is None:
            return "-"
        if self.runs:
            return f"{round(self.mean * self.runs)} of {self.runs} runs"
        found = (own for own in UNITS if measure.endswith(own[0]))
        _, scale, unit = next(found, ("", 1.0, ""))
        mean = self.mean / scale
        if self.half is None:
            return rounded(mean, 4) + unit
        half = self.half / scale
        # four digits of the mean are enough
        least = 10.0 ** (math.floor(math.log10(abs(mean) or 1.0)) - 3)
        if half < least / 2:
            return f"{rounded(mean, 4)} ± {'<' + rounded(least, 1) if half > 0 else '0'}{unit}"
        # both to the second digit of the interval
        digits = max(least, 10.0 ** (math.floor(math.log10(half)) - 1))
        decimals = max(0, -round(math.log10(digits)))
        return f"{mean:.{decimals}f} ± {half:.{decimals}f}{unit}"


class Measure(NamedTuple):
    """A measure of a criterion, and which of its values are better."""

    name: str
    better: str

    @classmethod
    def read(cls, text: str) -> "Measure":
        return cls(text.lstrip("+@"), text[0] if text[0] in "+@" else "-")

    def rank(self, mean: float) -> float:
        """More is better."""
        return {"+": mean, "@": -abs(mean), "-": -mean}[self.better]


def verdict(measure: Measure, law: Value, other: Value) -> str:
    """Better or worse if the intervals do not overlap: slightly, if any difference is small."""
    if law.mean is None or other.mean is None:
        return "no value"
    if law.mean == other.mean:
        return "both 0" if law.mean == 0 else "same"
    if law.runs and other.runs:
        (low, high), (least, most) = law.share(), other.share()
        if low <= most and least <= high:
            return "undecided"
        return "better" if law.mean > other.mean else "worse"
    if law.half is None or other.half is None:
        return "not known"
    mine, its = measure.rank(law.mean), measure.rank(other.mean)
    apart, halves = abs(mine - its), law.half + other.half
    share = measure.name.startswith("harm_") or measure.name.endswith("jain")
    most = CLOSE if share else SAME * max(abs(law.mean), abs(other.mean))
    small, word = apart + halves <= most, "better" if mine > its else "worse"
    if small and (apart <= halves or apart <= SLIGHT * most):
        return "same"
    if apart > halves:
        return f"slightly {word}" if small else word
    return "undecided"


def too_short(folder: Path, name: str) -> bool:
    """The notes of an experiment say that its runs have too few losses for a mean."""
    notes = folder / f"{name}.notes"
    return notes.is_file() and "too few for a long-term mean" in " ".join(notes.read_text().split())


def own_goodput(folder: Path, name: str) -> dict[str, str]:
    """Of each experiment beside others, what the law itself has; NAME.own.csv has it first."""
    file = folder / f"{name}.own.csv"
    if not file.is_file():
        return {}
    with file.open(newline="") as rows:
        all_rows = list(csv.DictReader(rows))
    first = {row["scenario"]: row for row in reversed(all_rows)}
    own = {scenario: Value.of(row, "goodput_bps") for scenario, row in first.items()}
    return {scenario: value.text("goodput_bps") for scenario, value in own.items()}


def places(rows: list[dict[str, str]]) -> list[tuple[str, dict[str, str], dict[str, str]]]:
    """For each comparison of a file: what distinguishes it from the others, and its two rows."""
    if "harm_goodput" in rows[0]:
        law = [row for row in rows if row["cc"] == rows[0]["cc"]]
        other = [row for row in rows if row["cc"] != rows[0]["cc"]]
        # a law has another name as its own rival; both laws' rivals are in the same order
        return [(f" of {own['against']}", own, its) for own, its in zip(law, other, strict=True)]
    key = "group" if "group" in rows[0] else list(rows[0])[1]

    def by(name: str) -> dict[str, dict[str, str]]:
        own = [row for row in rows if row[key] == name]
        return {row.get("scenario", "").removeprefix(name).lstrip("-"): row for row in own}

    names = list(dict.fromkeys(row[key] for row in rows))
    mine, its = by(names[0]), by(names[1])
    return [(f" at {place}" if place else "", mine[place], its[place]) for place in mine]


def table(folder: Path) -> list[list[str]]:
    """Criterion, measure, the law's value, the other's, and the verdict."""
    cells = []
    for line in (folder / "criteria.tsv").read_text().splitlines():
        name, about, measures = line.split("\t")
        with (folder / f"{name}.csv").open(newline="") as file:
            rows = list(csv.DictReader(file))
        star = "*" if too_short(folder, name) else ""
        goodput = own_goodput(folder, name)
        for measure in map(Measure.read, measures.split(",")):
            for place, law, other in places(rows):
                values = Value.of(law, measure.name), Value.of(other, measure.name)
                texts = [value.text(measure.name) for value in values]
                word = verdict(measure, *values) + star
                own = goodput.get(law.get("scenario", ""))
                if own and measure.name == "harm_goodput":
                    place += f" (own goodput: {own})"
                called = NAMES.get(measure.name, measure.name)
                cells.append([about, called + place, *texts, word])
    return cells


def by_criterion(cells: list[list[str]]) -> list[list[str]]:
    """Criterion, the verdict on it, and its measures by their verdicts.

    A criterion is worse (or better) if some measure is and none is better (or worse). If no
    measure is either, it is undecided if one of them is, or is not known; else it is slightly
    better or worse if some measure is; else the same.
    """
    rows = []
    for about in dict.fromkeys(row[0] for row in cells):
        own = [(row[1].split(" (own")[0], row[-1]) for row in cells if row[0] == about]
        words = {word.rstrip("*") for _, word in own}
        told = " and ".join(word for word in ("better", "worse") if word in words)
        if not told:
            slight = [word for word in ("slightly better", "slightly worse") if word in words]
            told = " and ".join(slight) or "same"
            told = "undecided" if words & {"undecided", "not known"} else told
            told = "no value" if words == {"no value"} else told
        named = {word: [name for name, of in own if of.rstrip("*") == word] for word in words}
        order = ["better", "worse", "slightly better", "slightly worse", "undecided", "not known"]
        order = [word for word in order if word in words]
        detail = "; ".join(f"{word}: {', '.join(named[word])}" for word in order)
        star = "*" if any(word.endswith("*") for _, word in own) else ""
        rows.append([about, told + star, detail])
    return rows


def print_text(head: list[str], cells: list[list[str]]) -> None:
    """A table for people, where a criterion is named once."""
    widths = [max(map(len, column)) for column in zip(head, *cells, strict=True)]
    before = ""
    for row in [head, *cells]:
        shown = ["" if row[0] == before else row[0], *row[1:]]
        before = row[0]
        print("  ".join(map(str.ljust, shown, widths)).rstrip())


def print_short(criteria: list[list[str]]) -> None:
    """Each criterion with its verdict; the measures stand below it, folded."""
    width = min(shutil.get_terminal_size().columns, 100)
    first = max(len(row[0]) for row in criteria)
    for about, told, detail in criteria:
        print(f"{about:{first}}  {told}")
        if detail:
            print(textwrap.fill(detail, width, initial_indent="    ", subsequent_indent="    "))


def print_html(head: list[str], cells: list[list[str]], verdict_at: int) -> None:
    """The same for a page, each row in the colour of its verdict."""
    colours = {
        "better": "#dff0d8",
        "slightly better": "#eef7ea",
        "worse": "#f6d5d5",
        "slightly worse": "#fbeaea",
        "undecided": "#fdf3d0",
    }
    print('<div style="overflow-x: auto">')
    print('<table border="1" cellpadding="4" style="border-collapse: collapse">')
    print("<tr>" + "".join(f"<th>{html.escape(cell)}</th>" for cell in head) + "</tr>")
    for row in cells:
        colour = colours.get(row[verdict_at].rstrip("*"), "#ffffff")
        texts = "".join(f"<td>{html.escape(cell)}</td>" for cell in row)
        print(f'<tr style="background: {colour}; color: #000000">{texts}</tr>')
    print("</table></div>")


def harms(folder: Path) -> list[tuple[str, Value, Value]]:
    """The harm to the goodput of each rival in each experiment: by the law, and by the other."""
    found = []
    for line in (folder / "criteria.tsv").read_text().splitlines():
        name, about, measures = line.split("\t")
        if "harm_goodput" not in measures.split(","):
            continue
        with (folder / f"{name}.csv").open(newline="") as file:
            rows = list(csv.DictReader(file))
        where = about.split(" [")[0].removeprefix("Beside others: ")
        for _, law, other in places(rows):
            values = Value.of(law, "harm_goodput"), Value.of(other, "harm_goodput")
            found.append((f"{law['against']}: {where}", *values))
    return sorted(found, key=lambda row: row[0].split(":")[0])


def print_figure(law: str, other: str, rows: list[tuple[str, Value, Value]]) -> None:
    """The harm of both with 95 % intervals, a row for each rival and experiment."""
    left, width, step, top = 400, 420, 22, 46
    ends = [value.mean - (value.half or 0.0) for _, *own in rows for value in own if value.mean]
    # whole steps of 0.2, so that 0 and 1 have a number
    least = min(0.0, math.floor(5 * min(ends, default=0.0)) / 5)
    bottom = top + step * len(rows)

    def x(value: float) -> float:
        return left + width * (max(least, min(1.0, value)) - least) / (1.0 - least)

    svg = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {left + width + 20} {bottom + 44}" '
        'style="max-width: 62rem; width: 100%; background: #fff" font-family="sans-serif" '
        f'font-size="13" role="img" aria-label="Harm of {html.escape(law)} and '
        f'{html.escape(other)} to the goodput of others">'
    ]
    for tick in range(round(10 * least), 11, 2):
        at = x(tick / 10)
        svg.append(f'<path d="M{at:.1f} {top - 8}V{bottom}" stroke="#ddd"/>')
        svg.append(f'<text x="{at:.1f}" y="{bottom + 16}" text-anchor="middle">{tick / 10}</text>')
    # what two equal flows do to each other
    svg.append(
        f'<path d="M{x(0.5):.1f} {top - 8}V{bottom}" stroke="#555" stroke-dasharray="4 4"/>'
        f'<text x="{x(0.5):.1f}" y="{top - 12}" text-anchor="middle" fill="#555" '
        'font-size="11">half</text>'
    )
    middle = left + width / 2
    svg.append(
        f'<text x="{middle}" y="{bottom + 36}" text-anchor="middle">harm to goodput: 0 = as much '
        "as alone, 1 = nothing left</text>"
    )
    looks = [("#0072b2", "#0072b2"), ("#d55e00", "#fff")]
    for i, (name, (line, fill)) in enumerate(zip((law, other), looks, strict=True)):
        at = left + i * width / 2
        svg.append(f'<circle cx="{at + 8}" cy="16" r="5" stroke="{line}" fill="{fill}"/>')
        svg.append(f'<text x="{at + 20}" y="21">by {html.escape(name)}</text>')
    for i, (label, *values) in enumerate(rows):
        y = top + step * i + 6
        svg.append(f'<text x="{left - 12}" y="{y + 4}" text-anchor="end">{html.escape(label)}</text>')
        for apart, value, (line, fill) in zip((-4, 4), values, looks, strict=True):
            if value.mean is None:
                continue
            half, at = value.half or 0.0, y + apart
            svg.append(
                f'<path d="M{x(value.mean - half):.1f} {at}H{x(value.mean + half):.1f}" '
                f'stroke="{line}" stroke-width="2"/><circle cx="{x(value.mean):.1f}" cy="{at}" '
                f'r="4" stroke="{line}" fill="{fill}"/>'
            )
    print("<h2>Harm to the goodput of others, with 95 % intervals</h2>")
    print("\n".join([*svg, "</svg>"]))


def main() -> None:
    folder, law, other, form = Path(sys.argv[1]), *sys.argv[2:5]
    if form == "figure":
        print_figure(law, other, harms(folder))
        return
    cells = table(folder)
    head = ["criterion", "measure", law, other, f"{law} is"]
    verdicts = [row[-1].rstrip("*") for row in cells]
    short = sum(row[-1].endswith("*") for row in cells)
    first = ["better", "slightly better", "same", "both 0", "slightly worse", "worse", "undecided"]
    words = [word for word in [*first, *verdicts] if word in verdicts]
    counts = ", ".join(f"{word} in {verdicts.count(word)}" for word in dict.fromkeys(words))
    total = f"Of {len(cells)} comparisons, {law} is {counts}."
    if short:
        total += f" {short} are from runs that are too short for a long-term mean (*)."
    criteria = by_criterion(cells)
    short_head = ["criterion", f"{law} is", "in these measures"]
    if form == "text":
        print_text(head, cells)
        print()
        print_text(short_head, criteria)
        print(f"\n{total}")
        return
    if form == "short":
        print_short(criteria)
        print(f"\n{total}")
        return
    print(f"<p><b>{html.escape(total)}</b></p>")
    print_html(short_head, criteria, verdict_at=1)
    print("<h2>All measures</h2>")
    print_html(head, cells, verdict_at=-1)


if __name__ == "__main__":
    main()
