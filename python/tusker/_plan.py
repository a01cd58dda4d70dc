"""`tusker.plan` and its results."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from . import _html, _plot, _tusker
from ._options import Path_, Progress, folder, request, told
from ._summary import Summary, read
from ._tusker import PlanMade, Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plan(
    *,
    size: str,
    rate: str,
    rtt: str,
    loss: str | float | None = None,
    buffer: str | None = None,
    with_: str | Sequence[str] | None = None,
    today: str | None = None,
    cc: str | Sequence[str] | None = None,
    streams: str | int | Sequence[int] | None = None,
    socket_buffer: str | Sequence[str] | None = None,
    packet: str | None = None,
    until: str | float | None = None,
    max_harm: float | None = None,
    for_: str | None = None,
    deadline: str | None = None,
    row_packets: float | None = None,
    budget: str | float | None = None,
    jobs: int | None = None,
    memory: str | None = None,
    out: Path_ | None = None,
    progress: Progress = False,
) -> Plan:
    """Ranks ways to do a transfer, by congestion control, streams and socket buffer:
    `tusker plan`.

    `size` is moved over a path with `rate` and `rtt`: `size="200TB", rate="10gbit",
    rtt="160ms"`. `with_` names other flows that share the path all the time
    (`"4xcubic"`), `today` what you use now, and `cc` the congestion controls to try.
    `budget` is the number of packets after which no further row is simulated, by default 2.5e9,
    or a time (`"10min"`); `"none"` sets no limit. Rows that are not finished by then are marked.
    `tusker plan --help` describes each option.

    With the folder `out` every run is kept, and the same call continues where it was
    stopped.

    Raises what `tusker.run` raises.
    """
    return Plan(_tusker.plan(request(locals()), told(progress)))


class Plan:
    """Ways to do a transfer, the fastest first. A way that was not simulated is ranked as
    somewhat slower than its first estimate."""

    def __init__(self, made: PlanMade) -> None:
        self._made = made

    @property
    def rows(self) -> Table:
        """A row per way: cc, streams, socket buffer, how long the transfer takes
        (`took_s`, between `took_low_s` and `took_high_s`), goodput, harm to the others,
        and what that is based on (`basis`)."""
        return self._made.rows

    @cached_property
    def summary(self) -> Summary:
        """Everything, as in `plan.json`; `summary.rows[0].commands` are the commands to run."""
        return read(self._made.summary)

    @property
    def complete(self) -> bool:
        """Whether all rows are final, so that nothing was left out for lack of time."""
        return bool(self.summary.complete)

    @property
    def commands(self) -> list[str]:
        """The commands for the row that `for_` named, or else for the recommended one, to run as
        root; `summary` says on which host, and why. Empty if there is no such row."""
        rows, asked, place = self.summary.rows, self.summary["for"], self.summary.recommended
        if asked is not None:
            keys = ("cc", "streams", "socket_buffer_bytes")
            own = [row for row in rows if all(row[key] == asked[key] for key in keys)]
        else:
            own = [] if place is None else [rows[place - 1]]
        return [typed.line for row in own for typed in row.commands]

    @property
    def folder(self) -> Path | None:
        """Where it is stored, if anywhere."""
        where = self._made.dir
        return None if where is None else folder(where)

    def __len__(self) -> int:
        return len(self.rows)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self.rows.__arrow_c_stream__(requested_schema)

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """Draws how long the transfer takes, a line for each way with its 95 % interval;
        first estimates are hollow. Needs matplotlib; draws on `ax` if given."""
        return _plot.ways(self.summary, ax)

    def _repr_html_(self) -> str:
        heads = ["cc", "streams", "takes", "goodput", "harm", "basis"]
        rows = (
            [
                row.cc,
                str(row.streams),
                "" if row.took_s is None else _time(row.took_s),
                ""
                if row.goodput is None
                else _html.quantity("goodput_bps", row.goodput.mean_bps, row.goodput.ci95_bps),
                "" if row.harm is None else f"{row.harm:.2f}",
                row.basis,
            ]
            for row in self.summary.rows[: 2 * _html.ROWS]
        )
        return _html.table(heads, rows, "" if self.complete else "the budget ran out before all rows were final")

    def __repr__(self) -> str:
        first = self.summary.rows[(self.summary.recommended or 1) - 1]
        took = "unknown" if first.took_s is None else _time(first.took_s)
        return f"<tusker.Plan: {len(self)} ways, the best is {first.streams} x {first.cc}, {took}>"


def _time(seconds: float) -> str:
    """In a convenient unit."""
    least, size, unit = next(own for own in _plot.TIMES if seconds >= own[0])
    return f"{seconds / size:.3g} {unit}"
