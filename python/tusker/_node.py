"""The work of a cluster node: one run after the other."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from ._tusker import build as build
from ._tusker import replicate, row


def run(order: dict[str, Any], store: str | None, options: dict[str, Any]) -> dict[str, Any]:
    """Does a run unless the store has it; returns an error and its remedy if it fails."""
    if "number" in order:
        return whole(order)
    storage = None
    if store is not None:
        from ._storage import Storage

        storage = Storage(store, options)
        there = storage.row(order["key"])
        if there is not None:
            return {"row": there, "wall": 0.0}
    made = row(order["scenario"], order["seed"])
    if made[2] is not None:
        message, remedy = made[2]
        return {"failed": message, "help": remedy}
    text, wall = made[0], made[1]
    if storage is not None:
        storage.keep(order["key"], text)
    return {"row": text, "wall": wall}


def whole(order: dict[str, Any]) -> dict[str, Any]:
    """Does a replicate of an experiment: the files of its folder."""
    with tempfile.TemporaryDirectory() as scratch:
        number = order["number"]
        wrong = replicate(order["scenario"], number, order["traced"], order["csv"], f"{scratch}/own")
        if wrong is not None:
            return {"failed": wrong[0], "help": wrong[1]}
        folder = Path(scratch, "own/replicates", f"{number:04}")
        return {"files": {path.name: path.read_bytes() for path in folder.iterdir()}}
