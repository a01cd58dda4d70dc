"""`tusker.evaluate`."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

import tusker
from conftest import Cli

REST = """
subject = "cc"
against = "cubic-linux"
replicates = 2
path = { rate = "10Mbit", rtt = "20ms", buffer = "1bdp" }
duration = { cycles = 16, least = "4s", most = "4s", data = "1GB" }
same = { share = 0.1, absolute = 0.05, slight = 0.1 }

[base]
profile = "linux"
duration = "$duration"

[base.dumbbell]
rate = "$rate"
delay = "0.5$rtt"
queue = { policy = "droptail", limit = "$buffer" }
access = { rate = "10$rate", delay = "0s" }

[[experiments]]
name = "beside"
title = "Beside others"
rivals = ["reno"]
less = ["harm_goodput"]

[[experiments]]
name = "alone"
title = "Alone"
more = ["goodput_bps"]
less = ["loss_rate"]

[[experiments.change.flows]]
name = "flow"
cc = "$cc"
"""


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    """A suite of two experiments; in the second one, flows have the same name for all laws."""
    folder = tmp_path / "own"
    folder.mkdir()
    (folder / "suite.toml").write_text('title = "Two experiments"\nsource = "a test"' + REST)
    return folder


class Mine(tusker.Law):
    """Scalable TCP (Kelly 2003)."""

    def grow(self, w: tusker.Window, ack: tusker.Ack) -> None:
        w.cwnd += ack.credit * (0.01 if w.cwnd > 16 else 1 / w.cwnd)

    def shrink(self, w: float) -> float:
        return w - (0.125 if w > 16 else 0.5) * w


LAW = """
import tusker

class Mine(tusker.Law):
    def grow(self, w, ack):
        w.cwnd += ack.credit * (0.01 if w.cwnd > 16 else 1 / w.cwnd)

    def shrink(self, w):
        return w - (0.125 if w > 16 else 0.5) * w

class Bad(tusker.Law):
    def grow(self, w, ack):
        pass
"""


def plain(evaluation: tusker.Evaluation) -> dict[str, Any]:
    """What does not depend on the command."""
    found: dict[str, Any] = json.loads(json.dumps(evaluation.summary))
    return {key: found[key] for key in ("counts", "criteria", "path", "against")}


def test_it_is_that_of_the_command_line(suite: Path, cli: Cli, tmp_path: Path) -> None:
    done = cli("evaluate", "hstcp", "--suite=own", "--format=json")
    assert done.returncode == 0, done.stderr
    own = tusker.evaluate("hstcp", suite=suite)
    expected = json.loads(done.stdout)
    assert plain(own) == {key: expected[key] for key in plain(own)}
    assert own.folder is None
    assert own.verdicts == {one["name"]: one["verdict"] for one in expected["criteria"]}
    assert str(own).startswith("hstcp against cubic-linux, own: of 3 comparisons")
    assert "<pre>" in own._repr_html_() and "hstcp against" in repr(own)
    own.save(tmp_path / "hstcp.json")
    again = cli("evaluate", "hstcp", "--suite=own", "--baseline=hstcp.json", "--quiet")
    assert again.returncode == 0, again.stderr


def test_a_law_in_python_is_evaluated_as_the_one_in_rust(suite: Path, tmp_path: Path) -> None:
    mine, rust = tusker.evaluate(Mine, suite=suite), tusker.evaluate("scalable", suite=suite)
    assert mine.summary.name == "Mine"
    alone = plain(rust)["criteria"][1]
    assert plain(mine)["criteria"][1] == alone
    kept = tusker.evaluate(Mine, suite=suite, out=tmp_path / "kept")
    assert kept.folder == tmp_path / "kept" and plain(kept) == plain(mine)
    with pytest.raises(tusker.InputError, match="is for congestion controls"):
        tusker.evaluate(queue="red", suite=suite)


def test_the_program_evaluates_a_class_of_a_file(
    suite: Path, cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TUSKER_PYTHON", sys.executable)
    monkeypatch.setenv("PYTHONPATH", str(Path(tusker.__file__).parents[1]))
    (tmp_path / "my_law.py").write_text(LAW)
    done = cli("evaluate", "./my_law.py:Mine", "--suite=own", "--format=json")
    assert done.returncode == 0, done.stderr
    rust = tusker.evaluate("scalable", suite=suite)
    assert json.loads(done.stdout)["criteria"][1] == plain(rust)["criteria"][1]
    assert (tmp_path / "results/own-Mine/evaluation.json").is_file()
    for name, told in {
        "my_law.py:Other": "there is no class `Other`",
        "no.py:Mine": "there is no such file",
        "my_law.py:Bad": "Bad lacks def shrink",
    }.items():
        wrong = cli("evaluate", name, "--suite=own")
        assert wrong.returncode == 2 and told in wrong.stderr, wrong.stderr
    monkeypatch.setenv("TUSKER_PYTHON", "no-python")
    wrong = cli("evaluate", "my_law.py:Mine", "--suite=own")
    assert wrong.returncode == 2 and "needs Python with the package tusker" in wrong.stderr, wrong.stderr
