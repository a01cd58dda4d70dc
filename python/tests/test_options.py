"""The keywords of the functions are options of the commands."""

from __future__ import annotations

import inspect
from collections.abc import Callable

import pytest

import tusker
from tusker._options import NO_OPTIONS

NEEDED: dict[Callable[..., object], dict[str, str]] = {
    tusker.run: {"scenario": "a.toml"},
    tusker.compare: {"cc": "reno", "rate": "1mbit", "rtt": "1ms"},
    tusker.sweep: {"scenario": "a.toml"},
    tusker.plan: {"size": "1MB", "rate": "1mbit", "rtt": "1ms"},
    tusker.diagnose: {"rate": "1mbit", "rtt": "1ms", "measured": "1mbit"},
    tusker.evaluate: {"law": "reno"},
    tusker.reproduce: {"paper": "ghstcp"},
}

MAPPINGS = ("set", "over")


@pytest.mark.parametrize("function", NEEDED)
def test_every_keyword_is_an_option(function: Callable[..., object]) -> None:
    for name in inspect.signature(function).parameters:
        if name in NO_OPTIONS or name in MAPPINGS or name == "scenario":
            continue
        option = {"tables_as": "tables"}.get(name, name.rstrip("_")).replace("_", "-")
        with pytest.raises(tusker.InputError) as error:
            function(**{**NEEDED[function], name: " "})
        text = str(error.value)
        assert f"--{option}: " in text and "unknown field" not in text, text
