"""Converts keyword arguments to the options of a command, which checks them."""

from __future__ import annotations

import json
import math
import os
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from ._errors import InputError, Note
from ._tusker import Runs, SweepRuns, toml

Scenario: TypeAlias = "str | os.PathLike[str] | Mapping[str, object]"
"""A path, a TOML text (of several lines), or the same as a dictionary."""

Value: TypeAlias = "str | int | float | bool | Mapping[str, object] | Sequence[object]"
"""A value of a scenario, as `--set` takes it: a text with its unit, or any TOML value."""

Path_: TypeAlias = "str | os.PathLike[str]"

Progress: TypeAlias = "bool | Callable[[float], object]"
"""`True` shows the finished share on stderr; a function is called with it."""

Text = tuple[str, str, str]


def source(scenario: Scenario) -> tuple[str, Text | None]:
    """The scenario argument of the command line, and its text if it is not a file."""
    folder = os.getcwd()
    if isinstance(scenario, Mapping):
        try:
            text = toml(json.dumps(scenario))
        except (TypeError, ValueError) as error:
            raise InputError(f"the dictionary is not a scenario: {error}") from None
        return "-", ("<dict>", text, folder)
    path = place("scenario", scenario)
    if "\n" in path:
        return "-", ("<text>", path, folder)
    return path, None


def text_of(value: object) -> str:
    """A value as `--set` takes it."""
    if isinstance(value, str):
        return value
    return _toml(value)


def _toml(value: object) -> str:
    """A value as inline TOML."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and math.isinf(value):
        return "inf" if value > 0 else "-inf"
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{key} = {_toml(item)}" for key, item in value.items()) + " }"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return "[" + ", ".join(_toml(item) for item in value) + "]"
    if isinstance(value, str):
        return json.dumps(value)
    return str(value)


def mapping(name: str, value: object) -> Mapping[Any, Any]:
    """An argument that is a dictionary, or left out."""
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise InputError(f"{name}={value!r}: give a dictionary of names and values")
    return value


def request(arguments: Mapping[str, object]) -> str:
    """The arguments of a function as the options of its command, in JSON. Those that are `None`
    or `False` are left out, and so are those that are no options."""
    given = {name.rstrip("_"): value for name, value in arguments.items() if value is not None}
    options = {name: option(name, value) for name, value in given.items() if name not in NO_OPTIONS}
    return json.dumps({name: value for name, value in options.items() if value is not False})


NO_OPTIONS = ("laws", "queues", "progress", "engine", "address", "storage_options")

COUNTS = ("seed", "replicates", "jobs", "flows", "parallel", "most")

PATHS = ("file", "out", "paper", "recorded", "scenario", "suite")


def option(name: str, value: object) -> object:
    """The value of an option; a list is one text, as on the command line."""
    if name == "set":
        return [f"{key}={text_of(own)}" for key, own in mapping(name, value).items()]
    if name == "over":
        return [f"{key}={several(own)}" for key, own in mapping(name, value).items()]
    if name in PATHS:
        return place(name, value)
    return value if isinstance(value, bool) or name in COUNTS else several(value)


def several(values: object) -> str:
    """A list, or a range such as `0.1bdp..2bdp:12:log`, as on the command line."""
    if isinstance(values, Sequence) and not isinstance(values, str):
        return ",".join(text_of(value) for value in values)
    return text_of(values)


def told(progress: Progress) -> Callable[[float], object] | None:
    """The function that is called with the finished share."""
    if progress is False:
        return None
    if progress is not True:
        if not callable(progress):
            raise InputError(f"progress={progress!r}: give True, or a function of the finished share")
        return progress

    def tell(share: float) -> None:
        end = "\n" if share >= 1 else ""
        print(f"\r{share:4.0%}", end=end, file=sys.stderr, flush=True)

    return tell


def warn(runs: Runs | SweepRuns) -> None:
    """The notes of the command line, as warnings located at the package's caller."""
    for note in runs.notes:
        text = " ".join(note.split())
        # Python says `Note:` before it
        warnings.warn(text.removeprefix("note: "), Note, stacklevel=3)


def folder(path: Path_) -> Path:
    """A folder."""
    return Path(place("path", path))


def place(name: str, path: object) -> str:
    """A path as text."""
    if not isinstance(path, (str, os.PathLike)):
        raise InputError(f"{name}={path!r}: give a path, as text or as a pathlib.Path")
    text = os.fspath(path)
    if not isinstance(text, str):
        raise InputError(f"{name}={path!r}: give the path as text, not as bytes")
    return text
