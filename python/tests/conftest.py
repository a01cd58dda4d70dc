"""Shared by the tests."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

Cli = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def dumbbell() -> str:
    """A quick scenario: two flows at 10 Mbit/s, a round trip of 40 ms."""
    return """
title = "Two flows"
profile = "linux"
duration = "10s"
seed = 3

[dumbbell]
rate = "10Mbit"
delay = "18ms"
queue = "1bdp"
access = { rate = "100Mbit", delay = "1ms" }

[[flows]]
name = "reno"
count = 2
cc = "reno"
start = { uniform = ["0s", "1s"] }
"""


@pytest.fixture
def scenario(dumbbell: str, tmp_path: Path) -> Path:
    """The same as a file."""
    path = tmp_path / "dumbbell.toml"
    path.write_text(dumbbell)
    return path


@pytest.fixture
def endless(dumbbell: str) -> str:
    """One that takes days."""
    return dumbbell.replace('"10Mbit"', '"10Gbit"').replace('"10s"', '"1000000s"')


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    """The command line, in a separate folder."""
    program = Path(os.environ.get("TUSKER", ROOT / "target/debug/tusker"))

    def call(*words: str | Path) -> "subprocess.CompletedProcess[str]":
        environment = {**os.environ, "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", "NO_COLOR": "1"}
        return subprocess.run([program, *words], cwd=tmp_path, env=environment, capture_output=True, text=True)

    return call
