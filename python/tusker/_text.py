"""Tables for `print`, as wide as the terminal, and for other packages."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from ._errors import Error
from ._html import text
from ._tusker import Table

if TYPE_CHECKING:
    import pandas
    import polars

ROWS = 20


def table(heads: Sequence[str], rows: Iterable[Sequence[str]], note: str = "") -> str:
    """A table in columns. Columns for which there is no room are named below it."""
    lines = [list(heads), *(list(row) for row in rows)]
    widths = [max(len(line[at]) for line in lines) for at in range(len(heads))]
    room = shutil.get_terminal_size().columns
    shown, used = 0, -2
    while shown < len(widths) and (shown == 0 or used + 2 + widths[shown] <= room):
        used += 2 + widths[shown]
        shown += 1
    # numbers end below each other
    right = [all(_number(line[at]) for line in lines[1:]) for at in range(shown)]
    said = [
        "  ".join(
            cell.rjust(width) if end else cell.ljust(width)
            for cell, width, end in zip(line[:shown], widths[:shown], right, strict=True)
        ).rstrip()
        for line in lines
    ]
    left = len(heads) - shown
    notes = [note] if note else []
    if left:
        notes.append(f"{left} more column{'s' if left > 1 else ''}, beginning with {heads[shown]}")
    return "\n".join([*said, *(f"({note})" for note in notes)])


def _number(cell: str) -> bool:
    return not cell or cell[0].isdigit() or (cell[0] == "-" and cell[1:2].isdigit())


def of_table(whole: Table) -> str:
    """The beginning of a table."""
    names, size = whole.column_names, len(whole)
    columns = [[text(value) for value in whole[name][:ROWS]] for name in names]
    note = f"{ROWS} of {size} rows" if size > ROWS else ""
    return table(names, zip(*columns, strict=True), note)


def to_pandas(whole: Table) -> pandas.DataFrame:
    """The table as a pandas.DataFrame."""
    try:
        import pandas
    except ImportError as missing:
        raise Error("pandas is not installed: pip install pandas") from missing
    frame: Any = pandas.DataFrame
    try:
        return frame.from_arrow(whole)
    except (AttributeError, ImportError):
        # an older pandas, or one without pyarrow
        return frame({name: whole[name] for name in whole.column_names})


def to_polars(whole: Table) -> polars.DataFrame:
    """The table as a polars.DataFrame."""
    try:
        import polars
    except ImportError as missing:
        raise Error("polars is not installed: pip install polars") from missing
    return polars.DataFrame(whole)
