"""What came out of a run, a comparison, a sweep."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

from ._options import Path_, folder
from ._summary import Summary, read
from ._tusker import Runs, SweepRuns, Table


class Result:
    """An experiment: all its replicates."""

    def __init__(self, runs: Runs, nth: int) -> None:
        self._runs, self._nth = runs, nth

    @property
    def name(self) -> str:
        """What it is called."""
        return self._runs.names[self._nth]

    @cached_property
    def summary(self) -> Summary:
        """What it comes down to, as in `summary.json`: keys are attributes as well."""
        return read(self._runs.summaries[self._nth])

    @property
    def scenario(self) -> str:
        """The scenario in TOML, with every value said."""
        return self._runs.scenario(self._nth)

    def table(self, name: str) -> Table | None:
        """A table of all replicates by its name in a folder of results: `flows`,
        `links`, `series`, `distributions`, `transfers`, `background`. `None` where the
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
        """Stores it in a folder, as `tusker run --out` does; `force` removes results
        that are in it."""
        where = folder(path)
        self._runs.save(self._nth, where, force)
        self._runs.page([where], where)
        return where

    def __repr__(self) -> str:
        total = self.summary.total
        return f"<tusker.Result {self.name}: {len(self.summary.seeds)} runs, {_rate(total.goodput_bps.mean)}>"


class Comparison:
    """Some experiments, each by its name: a congestion control on a path."""

    def __init__(self, runs: Runs) -> None:
        self._runs = runs

    @property
    def names(self) -> list[str]:
        """What the experiments are called."""
        return self._runs.names

    @cached_property
    def runs(self) -> Table:
        """A row per run: what varies, every measure, every value of the scenario."""
        return self._runs.runs()

    def __len__(self) -> int:
        return len(self._runs)

    def __iter__(self) -> Iterator[Result]:
        return (Result(self._runs, nth) for nth in range(len(self)))

    def __getitem__(self, name: str) -> Result:
        """An experiment by its name."""
        if name not in self.names:
            raise KeyError(f"{name}; there are {', '.join(self.names)}")
        return Result(self._runs, self.names.index(name))

    def save(self, path: Path_, *, force: bool = False) -> Path:
        """Stores all of it, as `tusker compare --out` does: a folder for each, and a
        page of all."""
        where = folder(path)
        folders: list[str | Path] = [where / name for name in self.names]
        for nth, one in enumerate(folders):
            self._runs.save(nth, one, force)
        self._runs.page(list(folders), where)
        return where

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self.runs.__arrow_c_stream__(requested_schema)

    def __repr__(self) -> str:
        return f"<tusker.Comparison: {', '.join(self.names)}>"


class Sweep:
    """The points of a grid, each with its replicates."""

    def __init__(self, runs: SweepRuns) -> None:
        self._runs = runs

    @property
    def runs(self) -> Table:
        """A row per run: what varies, every measure, every value of the scenario."""
        return self._runs.runs

    @property
    def points(self) -> Table:
        """A row per point: what varies, and of each measure the mean and half its 95 %
        interval (`_ci95`)."""
        return self._runs.points

    @cached_property
    def summary(self) -> Summary:
        """A row per point, as in `sweep.json`."""
        return read(self._runs.summary)

    @property
    def folder(self) -> Path | None:
        """The folder that it is stored in, if there is one."""
        return None if self._runs.dir is None else folder(self._runs.dir)

    @property
    def ran(self) -> int:
        """How many runs were done now; the others were there already."""
        return self._runs.counts[0]

    def __len__(self) -> int:
        return len(self.points)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self.runs.__arrow_c_stream__(requested_schema)

    def __repr__(self) -> str:
        axes = ", ".join(axis.key for axis in self.summary.axes)
        return f"<tusker.Sweep over {axes}: {len(self)} points, {len(self.runs)} runs>"


def _rate(bps: float) -> str:
    for unit, size in (("Gbit/s", 1e9), ("Mbit/s", 1e6), ("kbit/s", 1e3)):
        if bps >= size:
            return f"{bps / size:.4g} {unit}"
    return f"{bps:.4g} bit/s"
