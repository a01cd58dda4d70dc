"""`tusker.plan`."""

import json
import os
import signal
import threading
from pathlib import Path
from typing import Any

import matplotlib
import polars
import pyarrow
import pytest

import tusker
from conftest import Cli

matplotlib.use("agg")

# two rows that take a moment
SMALL: dict[str, Any] = {"size": "10GB", "rate": "10mbit", "rtt": "20ms", "loss": 1e-3, "cc": "reno", "today": "reno"}


@pytest.fixture(scope="module")
def plan() -> tusker.Plan:
    return tusker.plan(**SMALL, streams=[1, 2], budget="none")


def test_a_plan_is_that_of_the_command_line(plan: tusker.Plan, cli: Cli, tmp_path: Path) -> None:
    words = [f"--{name}={value}" for name, value in SMALL.items()]
    done = cli("plan", *words, "--streams=1,2", "--budget=none", "--format=json", "--out=kept")
    assert done.returncode == 0, done.stderr
    expected = json.loads(done.stdout)
    own = json.loads(json.dumps(plan.summary))
    assert expected.pop("command") != own.pop("command")
    assert own == expected
    assert plan.folder is None and plan.complete
    # existing runs are not repeated, and the table is the same as in memory
    again = tusker.plan(**SMALL, streams="1,2", budget="none", out=tmp_path / "kept")
    assert again.folder == tmp_path / "kept" and again.summary.rows == plan.summary.rows
    assert polars.read_parquet(tmp_path / "kept/plan.parquet").equals(polars.DataFrame(plan.rows))
    assert len(list((tmp_path / "kept/runs").glob("*.jsonl"))) == 1
    # commands for the row that is asked for, recommended or not
    for streams in (1, 2):
        asked = tusker.plan(**SMALL, streams="1,2", for_=f"{streams}xreno", out=tmp_path / "kept")
        assert any(f"-P {streams} -C reno" in line for line in asked.commands)


def test_its_rows_are_a_table_and_say_what_to_type(plan: tusker.Plan) -> None:
    table = pyarrow.table(plan)
    assert len(plan) == len(table) == 2
    assert table["rank"].to_pylist() == [1, 2] and set(table["streams"].to_pylist()) == {1, 2}
    low, took, high = (table[name].to_pylist() for name in ("took_low_s", "took_s", "took_high_s"))
    assert all(a < b < c for a, b, c in zip(low, took, high, strict=True))
    # 10 GB at no more than 10 Mbit/s
    assert took[0] >= 8000.0 and took == sorted(took)
    # no other flows are on the path
    assert table["harm"].null_count == 2
    assert any("tcp_congestion_control=reno" in line for line in plan.commands)


def test_a_plan_shows_itself(plan: tusker.Plan) -> None:
    assert repr(plan).startswith("<tusker.Plan: 2 ways, the best is ") and " x reno, 2.3" in repr(plan)
    assert plan._repr_html_().count("<td>reno</td>") == 2
    drawn = plan.plot()
    assert drawn.get_xlabel() == "takes [h]"
    assert sorted(label.get_text() for label in drawn.get_yticklabels()) == ["1 x reno", "2 x reno"]


def test_mistakes_have_the_text_of_the_command_line(cli: Cli) -> None:
    expected = cli("plan", "--size=0B", "--rate=10mbit", "--rtt=20ms")
    assert expected.returncode == 2
    with pytest.raises(tusker.InputError) as error:
        tusker.plan(size="0B", rate="10mbit", rtt="20ms")
    assert [line.rstrip() for line in expected.stderr.strip().splitlines()] == [
        line.rstrip() for line in str(error.value).strip().splitlines()
    ]
    with pytest.raises(tusker.InputError, match="did you mean `cubic`"):
        tusker.plan(size="1GB", rate="10mbit", rtt="20ms", with_="4xcubik")
    with pytest.raises(tusker.InputError, match="--buffer: 2 buffers, but this makes one plan"):
        tusker.plan(size="1GB", rate="10mbit", rtt="20ms", buffer="0.1bdp,1bdp")


def test_what_there_was_no_time_for_says_so() -> None:
    plan = tusker.plan(**SMALL, budget="1ns")
    assert not plan.complete and plan.rows["took_s"] == [None] * 5  # streams 1, 2, 4, 8, 16
    assert "unknown" in repr(plan) and "budget ran out" in plan._repr_html_()
    with pytest.raises(tusker.Error, match="budget"):
        plan.plot()


def test_ctrl_c_ends_a_plan_and_leaves_its_runs(tmp_path: Path) -> None:
    timer = threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        tusker.plan(**{**SMALL, "until": "0.1%"}, budget="none", out=tmp_path / "kept")
    assert (tmp_path / "kept/runs/1.jsonl").is_file()
