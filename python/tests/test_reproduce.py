"""`tusker.reproduce`."""

import json
import os
import signal
import threading
from pathlib import Path
from typing import Any

import matplotlib
import numpy
import polars
import pytest

import tusker
from conftest import ROOT, Cli

matplotlib.use("agg")

# two rows that take a moment
SMALL: dict[str, Any] = {"case": "reno", "at": ["b100", "b200"], "quick": True}
WORDS = ["reproduce", "hcc", "--case=reno", "--at=b100,b200", "--quick"]


@pytest.fixture(scope="module")
def paper() -> tusker.Reproduction:
    return tusker.reproduce("hcc", **SMALL, replicates=2)


def same(text: str) -> list[str]:
    return [line.strip() for line in text.strip().splitlines()]


def test_a_reproduction_is_that_of_the_command_line(paper: tusker.Reproduction, cli: Cli, tmp_path: Path) -> None:
    done = cli(*WORDS, "--replicates=2", "--format=json", "--out=kept", "--quiet")
    assert done.returncode == 0, done.stderr
    expected, own = json.loads(done.stdout), json.loads(json.dumps(paper.summary))
    for one in (expected, own):
        # the command, and how long it took
        del one["execution"]
    assert own == expected
    assert paper.folder is None
    # existing runs are not repeated, whichever program did them
    rows = sorted(path for path in (tmp_path / "kept").rglob("*.parquet"))
    before = [path.stat().st_mtime_ns for path in rows]
    stored = tusker.reproduce("hcc", **SMALL, replicates=2, out=tmp_path / "kept")
    assert rows and [path.stat().st_mtime_ns for path in rows] == before
    assert stored.folder == tmp_path / "kept"
    assert polars.DataFrame(stored.rows).equals(polars.DataFrame(paper.rows))


def test_rows_and_claims_are_tables(paper: tusker.Reproduction) -> None:
    rows = polars.DataFrame(paper)
    assert rows["row"].to_list() == ["reno@b100", "reno@b200"] and rows["replicates"].to_list() == [2, 2]
    for row in paper.summary.rows:
        own = rows.row(by_predicate=polars.col("row") == row.id, named=True)
        for name, cell in row["values"].items():
            assert own[f"{name}_paper"] == (cell.paper and cell.paper.value)
            assert own[f"{name}_ours"] == (cell.ours and cell.ours.mean)
            assert own[f"{name}_within"] == {None: "", True: "true", False: "false"}[cell.within]
        assert own["verdict"] == row.verdict
    claims = polars.DataFrame(paper.claims)
    assert claims["claim"].to_list() == [claim.id for claim in paper.summary.claims]
    assert claims["verdict"].to_list() == [claim.ours.verdict for claim in paper.summary.claims]
    # a claim with no row stays open
    assert "open" in claims["verdict"].to_list()


def test_what_was_recorded_is_judged_without_a_run(cli: Cli) -> None:
    papers = ROOT / "papers"
    recorded = tusker.reproduce("hcc", recorded=papers)
    done = cli("reproduce", "hcc", f"--recorded={papers}", "--format=json")
    assert json.loads(done.stdout)["scoreboard"] == json.loads(json.dumps(recorded.scoreboard))
    assert recorded.folder is None and len(recorded) > 2
    with pytest.raises(tusker.InputError, match="cannot be used with"):
        tusker.reproduce("hcc", recorded=papers, replicates=3)


def test_a_reproduction_shows_itself() -> None:
    paper = tusker.reproduce("hcc", recorded=ROOT / "papers")
    board = paper.scoreboard
    assert f"of hcc: {len(paper)} rows, {board.within} of {board.run} within" in repr(paper)
    assert paper._repr_html_().count("<tr>") > 2
    name = next(own.name for own in paper.summary.measures if own.tolerance is not None)
    drawn = paper.plot(name)
    dots = numpy.asarray(drawn.get_lines()[0].get_xydata())
    frame = polars.DataFrame(paper.rows).drop_nulls([f"{name}_paper", f"{name}_ours"])
    assert dots.tolist() == [list(row) for row in frame.select(f"{name}_paper", f"{name}_ours").rows()]
    with pytest.raises(tusker.InputError, match="no measure `nothing`"):
        paper.plot("nothing")


def test_mistakes_have_the_text_of_the_command_line(cli: Cli) -> None:
    for words, options in (
        (["hcx"], {"paper": "hcx"}),
        (["hcc", "--case=rino"], {"paper": "hcc", "case": "rino"}),
        (["hcc", "--set=duration=soon"], {"paper": "hcc", "set": {"duration": "soon"}}),
    ):
        expected = cli("reproduce", *words)
        assert expected.returncode == 2
        with pytest.raises(tusker.InputError) as error:
            tusker.reproduce(**options)
        # text before the error is not an error
        assert same(str(error.value)) == same(expected.stderr)[-len(same(str(error.value))) :]
    with pytest.raises(tusker.InputError, match="one paper at a time"):
        tusker.reproduce("all")
    with pytest.raises(tusker.InputError, match="s3://lab/hcc.*only a cluster writes"):
        tusker.reproduce("hcc", **SMALL, out="s3://lab/hcc")


def test_ctrl_c_ends_a_reproduction(tmp_path: Path) -> None:
    timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        # half a minute
        tusker.reproduce("ngtcp", case="many_cubic", at="50_w3", out=tmp_path / "ngtcp")
