"""Tables for notebooks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from ._tusker import Table

ROWS, COLUMNS = 10, 12


def table(heads: Sequence[str], rows: Iterable[Sequence[str]], note: str = "") -> str:
    """A table; everything in it is text."""
    head = "".join(f"<th>{escape(text)}</th>" for text in heads)
    body = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
    below = f"<p>{escape(note)}</p>" if note else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{below}"


def of_table(whole: Table) -> str:
    """The beginning of a table."""
    names = whole.column_names[:COLUMNS]
    columns = [whole[name][:ROWS] for name in names]
    rows = ([text(value) for value in row] for row in zip(*columns, strict=True))
    size = f"{len(whole)} rows x {len(whole.column_names)} columns"
    return table(names, rows, size)


def text(value: float | int | str | None) -> str:
    """A value as a cell."""
    if value is None:
        return ""
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def quantity(name: str, value: float | None, half: float | None = None) -> str:
    """A measure with its unit (the end of its name) and half its interval."""
    if value is None:
        return ""
    last = name.rsplit(".", 1)[-1]
    scale, unit = 1.0, ""
    if last.endswith("_bps"):
        for size, own in ((1e9, " Gbit/s"), (1e6, " Mbit/s"), (1e3, " kbit/s"), (1.0, " bit/s")):
            if abs(value) >= size or size == 1.0:
                scale, unit = size, own
                break
    elif last.endswith("_s"):
        scale, unit = 1e-3, " ms"
    elif last.endswith("_pkt"):
        unit = " pkt"
    interval = f" ± {half / scale:.2g}" if half is not None else ""
    return f"{value / scale:.4g}{interval}{unit}"
