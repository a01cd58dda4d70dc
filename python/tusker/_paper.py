"""`tusker.reproduce` and its results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from . import _html, _plot, _tusker
from ._engine import Engine, cluster
from ._options import Path_, Progress, Value, folder, request, told
from ._summary import Summary, read
from ._tusker import PaperRows, Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def reproduce(
    paper: Path_,
    *,
    table: str | int | Sequence[str | int] | None = None,
    case: str | int | Sequence[str | int] | None = None,
    at: str | float | Sequence[str | float] | None = None,
    quick: bool = False,
    reading: str | Sequence[str] | None = None,
    set: Mapping[str, Value] | None = None,
    recorded: Path_ | None = None,
    seed: int | None = None,
    replicates: int | None = None,
    jobs: int | None = None,
    memory: str | None = None,
    out: Path_ | None = None,
    force: bool = False,
    tables_as: str | None = None,
    engine: Engine | None = None,
    address: str | None = None,
    storage_options: Mapping[str, object] | None = None,
    progress: Progress = False,
) -> Reproduction:
    """Runs the rows of a paper and compares them with its numbers: `tusker reproduce`.

    `paper` is a name (`tusker list paper` shows them) or a folder like papers/ghstcp.
    `table`, `case` and `at` select rows, by default all; `quick` makes runs shorter.
    `reading` names a way to understand the paper's text; several are combined.
    With `recorded` nothing is run: the stored results of an earlier command are judged.

    Results stay in memory. With the folder `out` each row is stored when it is finished; if
    the call was stopped, the same call continues it. With `engine="ray"` a Ray cluster does
    the runs, and `out` may be a folder in shared storage, as with `tusker.sweep`.

    Figures, comparisons of readings and verdicts by exit code are available only on the
    command line.

    Raises what `tusker.run` raises.
    """
    arguments = {**locals(), "tables_as": None, "tables": tables_as}
    ray, through = cluster(engine, address, storage_options, None)
    if reading is not None:
        reading = reading if isinstance(reading, str) else "+".join(reading)
    asked = request({**arguments, "reading": reading, "ray": ray})
    return Reproduction(_tusker.reproduce(asked, out is None, told(progress), through))


class Reproduction:
    """A paper's rows and claims, with our results."""

    def __init__(self, rows: PaperRows) -> None:
        self._rows = rows

    @property
    def rows(self) -> Table:
        """A row for each row of the paper's tables, with columns for each measure: the
        paper's value (`_paper`), ours (`_ours`), their `_difference`, and whether it is
        `_within` the tolerance."""
        return self._rows.rows

    @property
    def claims(self) -> Table:
        """A row for each claim of the paper: what it `says`, the `verdict` from our numbers,
        and the verdict from the paper's own numbers (`paper_verdict`)."""
        return self._rows.claims

    @cached_property
    def summary(self) -> Summary:
        """Everything, as in `reproduction.json`: with every comparison of every claim, and
        the known reasons for deviations."""
        return read(self._rows.summary)

    @property
    def scoreboard(self) -> Summary:
        """The counts: rows within tolerance, claims that hold."""
        board: Summary = self.summary.scoreboard
        return board

    @property
    def folder(self) -> Path | str | None:
        """Where it is stored, if anywhere: a folder, or the address of one in shared
        storage."""
        where = self._rows.dir
        return where if where is None or "://" in where else folder(where)

    def __len__(self) -> int:
        return len(self.rows)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self.rows.__arrow_c_stream__(requested_schema)

    def plot(self, measure: str | None = None, *, ax: Axes | None = None) -> Axes:
        """Draws our values of a measure (by default the first) over the paper's values: a
        dot for each row, with its 95 % interval. On the dashed line both are equal.
        Needs matplotlib; draws on `ax` if given."""
        return _plot.beside(self.summary, measure or self.summary.measures[0].name, ax)

    def _repr_html_(self) -> str:
        summary = self.summary
        measures = [own for own in summary.measures if own.tolerance is not None]
        heads = ["row", *(f"{own.head}: {whose}" for own in measures for whose in ("paper", "ours")), "verdict"]
        rows = (
            [row.id, *(text for own in measures for text in _both(row["values"].get(own.name))), row.verdict]
            for row in summary.rows[: 2 * _html.ROWS]
        )
        claims = ", ".join(f"{claim.id}: {claim.ours.verdict.replace('_', ' ')}" for claim in summary.claims)
        return _html.table(heads, rows, claims)

    def __repr__(self) -> str:
        board = self.scoreboard
        quick = ", quick" if self.summary.quick else ""
        return (
            f"<tusker.Reproduction of {self.summary.paper.key}{quick}: {len(self)} rows, {board.within} of {board.run} "
            f"within, {board.hold} of {board.claims} claims hold>"
        )


def _both(cell: Summary | None) -> tuple[str, str]:
    if cell is None:
        return "", ""
    paper = "" if cell.paper is None else f"{cell.paper.value:.6g}"
    return paper, "" if cell.ours is None else f"{cell.ours.mean:.6g}"
