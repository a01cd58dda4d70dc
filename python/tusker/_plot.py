"""Figures with matplotlib, an optional dependency."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ._errors import Error, InputError
from ._summary import Summary
from ._tusker import Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Number = float | None
Line = tuple[str, list[float], list[float], list[Number]]

# by the suffix of a measure's name: the axis label, and the divisor of the values
UNITS = {"_bps": ("Mbit/s", 1e6), "_s": ("ms", 1e-3), "_pkt": ("packets", 1.0), "_bytes": ("kB", 1e3)}

# from this many seconds on: the size of a convenient unit, and its name
TIMES = ((172_800.0, 86_400.0, "d"), (5_400.0, 3_600.0, "h"), (90.0, 60.0, "min"), (0.0, 1.0, "s"))


def axes(ax: Axes | None) -> Any:
    """The axes to draw on: new ones unless given."""
    if ax is not None:
        return ax
    try:
        import matplotlib.pyplot as plt
    except ImportError as missing:
        raise Error("matplotlib is not installed: pip install matplotlib") from missing
    return plt.subplots(figsize=(7, 4))[1]


def unit(name: str) -> tuple[str, float]:
    """The axis label of a measure, and the size of its unit."""
    last = name.rsplit(".", 1)[-1]
    for end, (own, size) in UNITS.items():
        if last.endswith(end):
            return f"{last.removesuffix(end).replace('_', ' ')} [{own}]", size
    return last.replace("_", " "), 1.0


def over_time(traces: Table | None, quantity: str, subjects: Sequence[str] | None, ax: Axes | None) -> Axes:
    """A quantity of the first replicate over time: a curve per subject."""
    if traces is None:
        raise Error("nothing was traced; a [trace] section in the scenario says what to trace")
    first = min(number(value) for value in traces["replicate"])
    curves: dict[str, tuple[list[float], list[float]]] = {}
    columns = (traces[name] for name in ("replicate", "quantity", "subject", "time_s", "value"))
    known: dict[str, None] = {}
    for replicate, own, subject, time, value in zip(*columns, strict=True):
        known[str(own)] = None
        if replicate == first and own == quantity and (subjects is None or subject in subjects):
            times, values = curves.setdefault(str(subject), ([], []))
            times.append(number(time))
            values.append(number(value))
    if not curves:
        raise InputError(f"there is no `{quantity}` among the traces; there are {', '.join(known)}")
    drawn = axes(ax)
    for subject, (times, values) in curves.items():
        drawn.plot(times, values, label=subject, linewidth=1)
    drawn.set(xlabel="time [s]", ylabel=quantity.replace("_", " "))
    drawn.legend()
    return finished(drawn)


def curves(summary: Summary, measure: str, x: str | None, ax: Axes | None, log: bool) -> Axes:
    """A measure over a varied value, a line for each combination of the others, with
    bands of 95 % intervals."""
    at = place(summary.measures, measure)
    across = across_axis(summary, x)
    key, own = summary.axes[across], unit(measure)
    lines: dict[str, list[tuple[float, float, Number]]] = {}
    for point in summary.points:
        mean, where = point.mean[at], point.numbers[across]
        if mean is None or where is None:
            continue
        others = [text for nth, text in enumerate(point["values"]) if nth != across]
        lines.setdefault(", ".join(others), []).append((where, mean, point.ci95[at]))
    drawn = axes(ax)
    for label, points in lines.items():
        points.sort()
        xs, ys = [x for x, _, _ in points], [y / own[1] for _, y, _ in points]
        (line,) = drawn.plot(xs, ys, marker="o", markersize=3, label=label or None)
        if all(half is not None for _, _, half in points):
            halves = [(half or 0.0) / own[1] for _, _, half in points]
            low, high = zip(*((y - h, y + h) for y, h in zip(ys, halves, strict=True)), strict=True)
            drawn.fill_between(xs, low, high, alpha=0.2, color=line.get_color(), linewidth=0)
    name = axis_name(key)
    drawn.set(xlabel=f"{name} [{key.unit}]" if key.unit else name, ylabel=own[0])
    if log:
        drawn.set_xscale("log")
    if any(lines):
        drawn.legend()
    return finished(drawn)


def axis_name(axis: Summary) -> str:
    """What tables and figures call an axis: its option, or its key."""
    return str(axis.get("option", axis.key))


def across_axis(summary: Summary, x: str | None) -> int:
    """The horizontal axis: the requested one, or the first with numbers."""
    keys = [axis_name(axis) for axis in summary.axes]
    if x is not None:
        if x not in keys or not summary.axes[keys.index(x)].numeric:
            raise InputError(f"`{x}` is not a varied number; there are {', '.join(keys)}")
        return keys.index(x)
    for nth, axis in enumerate(summary.axes):
        if axis.numeric:
            return nth
    raise InputError(f"no varied value is a number: {', '.join(keys)}; `.points` has all values")


def place(measures: Sequence[str], measure: str) -> int:
    """The position of a measure: by its name, or the first with this ending."""
    for nth, name in enumerate(measures):
        if name == measure or name.endswith(f".{measure}"):
            return nth
    raise InputError(f"there is no measure `{measure}`; there are {', '.join(measures)}")


def bars(names: Sequence[str], estimates: Sequence[tuple[float, Number]], measure: str, ax: Axes | None) -> Axes:
    """A bar for each experiment, with its 95 % interval."""
    label, size = unit(measure)
    drawn = axes(ax)
    heights = [mean / size for mean, _ in estimates]
    errors = [(half or 0.0) / size for _, half in estimates]
    drawn.bar(names, heights, yerr=errors if any(errors) else None, capsize=3)
    drawn.set(ylabel=label)
    drawn.tick_params(axis="x", rotation=30 if len(names) > 4 else 0)
    return finished(drawn)


def ways(plan: Summary, ax: Axes | None) -> Axes:
    """How long a transfer takes each way, with 95 % intervals, the fastest on top."""
    rows = [row for row in plan.rows if row.took_s is not None]
    if not rows:
        raise Error("no row has a result yet: give it more packets with budget")
    size, name = next((size, name) for least, size, name in TIMES if rows[-1].took_s >= least)
    drawn = axes(ax)
    for place, row in enumerate(rows):
        simulated = row.basis in ("wide", "steady", "whole")
        fill = None if simulated else "none"
        drawn.plot([row.took_s / size], [place], "o", color="C0", markerfacecolor=fill)
        if row.took_low_s is not None and row.took_high_s is not None:
            drawn.plot([row.took_low_s / size, row.took_high_s / size], [place, place], color="C0")
    drawn.set_yticks(range(len(rows)), [f"{row.streams} x {row.cc}" for row in rows])
    drawn.invert_yaxis()
    drawn.set(xlabel=f"takes [{name}]")
    return finished(drawn)


def beside(reproduction: Summary, measure: str, ax: Axes | None) -> Axes:
    """Our values over the paper's, a dot per row, and the line of equality."""
    about = {own.name: own for own in reproduction.measures}
    if measure not in about:
        raise InputError(f"there is no measure `{measure}`; there are {', '.join(about)}")
    cells = [row["values"].get(measure) for row in reproduction.rows]
    both = [(cell.paper.value, cell.ours) for cell in cells if cell and cell.paper and cell.ours]
    if not both:
        raise InputError(f"no row has a printed and a measured `{measure}`")
    drawn = axes(ax)
    paper, ours = [value for value, _ in both], [own.mean for _, own in both]
    halves = [own.ci95 or 0.0 for _, own in both]
    drawn.errorbar(paper, ours, yerr=halves, fmt="o", markersize=4, capsize=2)
    ends = [min(*paper, *ours), max(*paper, *ours)]
    drawn.plot(ends, ends, color="grey", linewidth=1, linestyle="--")
    label = about[measure].head + (f" [{about[measure].unit}]" if about[measure].unit else "")
    drawn.set(xlabel=f"{label}, paper", ylabel=f"{label}, ours")
    return finished(drawn)


def number(value: float | int | str | None) -> float:
    """A value of a column of numbers."""
    return float("nan") if value is None or isinstance(value, str) else float(value)


def finished(drawn: Any) -> Axes:
    """Draws a grid behind it."""
    drawn.grid(True, alpha=0.3)
    drawn.set_axisbelow(True)
    drawn.figure.tight_layout()
    result: Axes = drawn
    return result
