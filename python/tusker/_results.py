"""Results of a run, a comparison, a sweep."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from . import _html, _plot, _text
from ._errors import InputError
from ._options import Path_, folder
from ._summary import Summary, read
from ._tusker import Runs, SweepRuns, Table
from ._written import Written

if TYPE_CHECKING:
    import pandas
    import polars
    from matplotlib.axes import Axes


class Result:
    """An experiment: all its replicates."""

    def __init__(self, runs: Runs, nth: int, written: Written | None = None) -> None:
        self._runs, self._nth, self._written = runs, nth, written

    @property
    def name(self) -> str:
        """The name of the experiment."""
        return self._runs.names[self._nth]

    @cached_property
    def summary(self) -> Summary:
        """The summary, as in `summary.json`; keys are also attributes."""
        return read(self._runs.summaries[self._nth])

    @property
    def scenario(self) -> str:
        """The scenario in TOML, with the values of all keys, defaults included."""
        return self._runs.scenario(self._nth)

    @cached_property
    def runs(self) -> Table:
        """A row for each replicate, with every measure and every value of the scenario."""
        return self._runs.runs(self._nth)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self.runs.__arrow_c_stream__(requested_schema)

    def to_pandas(self) -> pandas.DataFrame:
        """`runs` as a pandas.DataFrame."""
        return self.runs.to_pandas()

    def to_polars(self) -> polars.DataFrame:
        """`runs` as a polars.DataFrame."""
        return self.runs.to_polars()

    def table(self, name: str) -> Table | None:
        """A table of all replicates, by its name in a results folder: `flows`,
        `links`, `series`, `distributions`, `transfers`, `background`. `None` if the
        scenario has nothing of the kind."""
        return self._runs.table(self._nth, name)

    @property
    def flows(self) -> Table | None:
        """A row per flow and replicate."""
        return self.table("flows")

    @property
    def links(self) -> Table | None:
        """A row per link, direction and replicate."""
        return self.table("links")

    @property
    def traces(self) -> Table | None:
        """A row per value over time: time, subject, quantity, value."""
        return self.table("series")

    def save(self, path: Path_, *, force: bool = False) -> Path:
        """Stores the results in a folder, as `tusker run --out` does; `force` removes earlier
        results from it first."""
        where = folder(path)
        self._runs.save(self._nth, where, force)
        self._runs.page([where], where, self._written)
        return where

    def plot(self, quantity: str = "cwnd", *, subjects: Sequence[str] | None = None, ax: Axes | None = None) -> Axes:
        """Draws a quantity of `traces` (`cwnd`, `queue`, `rtt`, ...) over time: a curve for
        each flow or link, or only for those in `subjects`. Needs matplotlib;
        draws on `ax` if given."""
        return _plot.over_time(self.traces, quantity, subjects, ax)

    def _shown(self) -> tuple[list[str], list[list[str]], str]:
        groups = self.summary.groups
        heads = ["group", "flows", "cc", "goodput", "RTT p50", "loss"]
        shown = ("goodput_bps", "rtt_p50_s", "loss_rate")
        rows = [[g.name, str(g.flows), ", ".join(g.cc), *(_estimate(g, name) for name in shown)] for g in groups]
        return heads, rows, f"{self.name}: {len(self.summary.seeds)} replicates"

    def _repr_html_(self) -> str:
        return _html.table(*self._shown())

    def __str__(self) -> str:
        return _text.table(*self._shown())

    def __repr__(self) -> str:
        total = self.summary.total
        runs = _counted(len(self.summary.seeds), "run")
        return f"<tusker.Result {self.name}: {runs}, {_rate(total.goodput_bps.mean)}>"


class Comparison(Mapping[str, Result]):
    """Several experiments by name; each is one congestion control on one path. As in a
    dictionary, iteration gives the names, and `values()` the results."""

    def __init__(self, runs: Runs, written: Written | None = None) -> None:
        self._runs, self._written = runs, written

    @property
    def names(self) -> list[str]:
        """The names of the experiments."""
        return self._runs.names

    @cached_property
    def runs(self) -> Table:
        """A row for each run, with the varied values, every measure and every value of the
        scenario."""
        return self._runs.runs()

    def __len__(self) -> int:
        return len(self._runs)

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __getitem__(self, name: str) -> Result:
        """An experiment by its name."""
        if name not in self.names:
            raise KeyError(f"{name}; there are {', '.join(self.names)}")
        return Result(self._runs, self.names.index(name), self._written)

    def save(self, path: Path_, *, force: bool = False) -> Path:
        """Stores everything, as `tusker compare --out` does: a folder for each experiment,
        and one report."""
        where = folder(path)
        self._runs.claim(where, force)
        folders: list[str | Path] = [where / name for name in self.names]
        for nth, one in enumerate(folders):
            self._runs.save(nth, one, force)
        self._runs.page(list(folders), where, self._written)
        return where

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self.runs.__arrow_c_stream__(requested_schema)

    def to_pandas(self) -> pandas.DataFrame:
        """`runs` as a pandas.DataFrame."""
        return self.runs.to_pandas()

    def to_polars(self) -> polars.DataFrame:
        """`runs` as a polars.DataFrame."""
        return self.runs.to_polars()

    def plot(self, measure: str = "goodput_bps", *, ax: Axes | None = None) -> Axes:
        """Draws a measure of the whole experiment, a bar for each experiment with its 95 %
        interval. Needs matplotlib; draws on `ax` if given."""
        totals = [result.summary.total for result in self.values()]
        if measure not in totals[0]:
            raise InputError(f"there is no measure `{measure}`; there are {', '.join(totals[0])}")
        estimates = [(total[measure].mean, total[measure].ci95) for total in totals if total[measure]]
        return _plot.bars(self.names, estimates, measure, ax)

    def _shown(self) -> tuple[list[str], list[list[str]]]:
        names = ("goodput_bps", "utilisation", "loss_rate")
        rows = [[own.name, *(_estimate(own.summary.total, name) for name in names)] for own in self.values()]
        return _doubted(["", "goodput", "utilisation", "loss"], rows, self.runs)

    def _repr_html_(self) -> str:
        return _html.table(*self._shown())

    def __str__(self) -> str:
        return _text.table(*self._shown())

    def __repr__(self) -> str:
        return f"<tusker.Comparison: {', '.join(self.names)}>"


class Sweep:
    """The points of a grid, each with its replicates."""

    def __init__(self, runs: SweepRuns) -> None:
        self._runs = runs

    @property
    def runs(self) -> Table:
        """A row for each run, with the varied values, every measure and every value of the
        scenario."""
        return self._runs.runs

    @property
    def points(self) -> Table:
        """A row per point: the varied values, and for each measure the mean and half its
        95 % interval (`_ci95`)."""
        return self._runs.points

    @cached_property
    def summary(self) -> Summary:
        """A row per point, as in `sweep.json`."""
        return read(self._runs.summary)

    @property
    def folder(self) -> Path | str | None:
        """Where it is stored, if anywhere: a folder, or the address of one in shared
        storage."""
        where = self._runs.dir
        return where if where is None or "://" in where else folder(where)

    @property
    def ran(self) -> int:
        """How many runs this call made; the others already existed."""
        return self._runs.counts[0]

    def __len__(self) -> int:
        return len(self.points)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self.runs.__arrow_c_stream__(requested_schema)

    def to_pandas(self) -> pandas.DataFrame:
        """`runs` as a pandas.DataFrame."""
        return self.runs.to_pandas()

    def to_polars(self) -> polars.DataFrame:
        """`runs` as a polars.DataFrame."""
        return self.runs.to_polars()

    def plot(
        self, measure: str = "goodput_bps", *, x: str | None = None, log: bool = False, ax: Axes | None = None
    ) -> Axes:
        """Draws a measure over a varied number, a line for each combination of the other
        varied values, with bands of 95 % intervals. `x` is by default the first varied
        number. Needs matplotlib; draws on `ax` if given."""
        return _plot.curves(self.summary, measure, x, ax, log)

    def _shown(self) -> tuple[list[str], list[list[str]], str]:
        summary, shown = self.summary, ("goodput_bps", "utilisation", "loss_rate")
        places = [_plot.place(summary.measures, name) for name in shown]
        rows = [
            [
                *point["values"],
                str(point.replicates),
                *(_html.quantity(name, point.mean[at], point.ci95[at]) for name, at in zip(shown, places, strict=True)),
            ]
            for point in summary.points[: 2 * _html.ROWS]
        ]
        heads, rows = _doubted([*map(_plot.axis_name, summary.axes), "runs", *shown], rows, self.runs)
        return heads, rows, f"{_counted(len(self), 'point')}, {_counted(len(self.runs), 'run')}"

    def _repr_html_(self) -> str:
        return _html.table(*self._shown())

    def __str__(self) -> str:
        return _text.table(*self._shown())

    def __repr__(self) -> str:
        axes = ", ".join(map(_plot.axis_name, self.summary.axes))
        return f"<tusker.Sweep over {axes}: {_counted(len(self), 'point')}, {_counted(len(self.runs), 'run')}>"


def _estimate(of: Summary, name: str) -> str:
    estimate = of[name]
    return "" if estimate is None else _html.quantity(name, estimate.mean, estimate.ci95)


def _doubted(heads: list[str], rows: list[list[str]], runs: Table) -> tuple[list[str], list[list[str]]]:
    """With a column of the doubts about each row's point, if there are any."""
    doubts = dict(zip(runs["point"], runs["doubts"], strict=True))
    if not any(doubts.values()):
        return heads, rows
    return [*heads, "doubts"], [[*row, str(doubts[nth])] for nth, row in enumerate(rows, 1)]


def _counted(number: int, thing: str) -> str:
    """A number of things: `1 run`, `2 runs`."""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def _rate(bps: float) -> str:
    for unit, size in (("Gbit/s", 1e9), ("Mbit/s", 1e6), ("kbit/s", 1e3)):
        if bps >= size:
            return f"{bps / size:.4g} {unit}"
    return f"{bps:.4g} bit/s"
