"""`tusker.run`: the same as the command line, in Python."""

import json
import os
import signal
import threading
import tomllib
from pathlib import Path

import pyarrow
import pytest

import tusker
from conftest import Cli


def test_a_path_a_text_and_a_dictionary_are_the_same_scenario(dumbbell: str, scenario: Path) -> None:
    results = [
        tusker.run(scenario),
        tusker.run(str(scenario)),
        tusker.run(dumbbell),
        tusker.run(tomllib.loads(dumbbell)),
    ]
    texts = {result.scenario for result in results}
    assert len(texts) == 1
    values = {json.dumps(result.summary.total) for result in results}
    assert len(values) == 1
    assert [result.name for result in results] == ["dumbbell", "dumbbell", "scenario", "scenario"]


def test_it_stores_what_the_command_line_stores(scenario: Path, cli: Cli, tmp_path: Path) -> None:
    done = cli("run", "dumbbell.toml", "--seed=7", "--replicates=2", "--out", "cli", "--quiet")
    assert done.returncode == 0, done.stderr
    result = tusker.run(scenario, seed=7, replicates=2)
    saved = result.save(tmp_path / "saved")
    direct = tmp_path / "direct"
    tusker.run(scenario, seed=7, replicates=2, out=direct)
    expected = files(tmp_path / "cli")
    assert "replicates/0002/flows.parquet" in expected and "report.html" in expected
    for folder in (saved, direct):
        found = files(folder)
        assert set(found) == set(expected)
        for name, content in expected.items():
            # these two contain run times, and the page the command line
            if name not in ("summary.json", "manifest.json", "report.html", "replicates/0001/measures.json") and (
                not name.endswith("measures.json")
            ):
                assert found[name] == content, name
        own, theirs = json.loads(found["summary.json"]), json.loads(expected["summary.json"])
        del own["execution"], theirs["execution"]
        assert own == theirs
    # and it continues where the command line stopped
    more = tusker.run(scenario, seed=7, replicates=3, out=tmp_path / "cli", resume=True)
    assert more.summary.seeds == [7, 8, 9]


def files(folder: Path) -> dict[str, bytes]:
    found = (path for path in folder.rglob("*") if path.is_file() and not path.name.startswith("."))
    return {str(path.relative_to(folder)): path.read_bytes() for path in found}


def test_tables_are_arrow_without_a_copy(dumbbell: str) -> None:
    result = tusker.run(dumbbell)
    flows, traces = result.flows, result.traces
    assert flows is not None and traces is not None and result.table("background") is None
    table = pyarrow.table(flows)
    assert table.column_names == flows.column_names
    assert table["flow"].to_pylist() == ["reno.0", "reno.1"] and table["seed"].to_pylist() == [3, 3]
    assert table["goodput_bps"].to_pylist() == flows["goodput_bps"]
    (row,) = pyarrow.table(result).to_pylist()
    assert (row["seed"], row["replicate"], row["scenario.duration_s"]) == (3, 1, 10.0)
    assert row["goodput_bps"] == result.summary.total.goodput_bps.mean
    # the same memory, whichever tool reads it
    column = [pyarrow.table(traces)["value"].chunk(0).buffers()[1].address for _ in range(2)]
    assert column[0] == column[1]
    # 10 Mbit/s leave at most that much
    goodput = sum(value for value in flows["goodput_bps"] if isinstance(value, float))
    assert 0 < goodput < 10e6
    assert result.summary.total.goodput_bps.mean == pytest.approx(goodput, rel=1e-12)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"duration": "10 apples"}, ["--set=duration=10 apples"]),
        ({"flows.0.cc": "renno"}, ["--set=flows.0.cc=renno"]),
        ({"dumbbell.rate": "-1"}, ["--set=dumbbell.rate=-1"]),
    ],
)
def test_errors_have_the_text_of_the_command_line(
    change: dict[str, str], words: list[str], scenario: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(scenario.parent)
    expected = cli("run", "dumbbell.toml", "--no-save", *words)
    assert expected.returncode == 2
    with pytest.raises(tusker.InputError) as error:
        tusker.run("dumbbell.toml", set=change)
    assert isinstance(error.value, ValueError) and isinstance(error.value, tusker.Error)
    assert same(str(error.value)) == same(expected.stderr)


def same(text: str) -> list[str]:
    return [line.rstrip() for line in text.strip().splitlines()]


def test_a_mistake_in_an_option_is_an_error_too(dumbbell: str, tmp_path: Path) -> None:
    with pytest.raises(tusker.InputError, match="--jobs"):
        tusker.run(dumbbell, jobs=0)
    with pytest.raises(tusker.InputError, match="cannot read the scenario"):
        tusker.run(tmp_path / "nothing.toml")
    with pytest.raises(tusker.InputError, match="not a scenario"):
        tusker.run({"duration": object()})
    tusker.run(dumbbell).save(tmp_path / "there")
    with pytest.raises(tusker.InputError, match="there"):
        tusker.run(dumbbell).save(tmp_path / "there")
    tusker.run(dumbbell).save(tmp_path / "there", force=True)


def test_what_seldom_is_meant_is_a_warning(dumbbell: str) -> None:
    with pytest.warns(tusker.Note, match="dctcp is made for queues that mark"):
        tusker.run(dumbbell, set={"flows.0.cc": "dctcp", "duration": "2s"})


def test_ctrl_c_ends_a_run(endless: str) -> None:
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        tusker.run(endless)


def test_others_go_on_while_it_runs(endless: str) -> None:
    begun, enough = threading.Event(), threading.Event()
    ended: list[Exception] = []

    def progress(share: float) -> None:
        begun.set()
        if enough.is_set():
            raise RuntimeError("enough")

    def work() -> None:
        try:
            # part of the share is reported after a while
            tusker.run(endless.replace('"10Gbit"', '"1Mbit"').replace("1000000s", "100000s"), progress=progress)
        except RuntimeError as error:
            ended.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    # this thread gets here while the other one runs, because that does not hold the lock
    assert begun.wait(60)
    enough.set()
    thread.join(60)
    assert [str(error) for error in ended] == ["enough"]


def test_a_result_tells_what_it_is(dumbbell: str) -> None:
    result = tusker.run(dumbbell)
    assert repr(result).startswith("<tusker.Result scenario: 1 run, ")
    with pytest.raises(AttributeError, match="there is no `goodput`"):
        result.summary.goodput  # noqa: B018


def test_what_makes_a_sweep_doubtful_is_a_warning(dumbbell: str, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.warns(tusker.Note, match="named after one congestion control"):
        tusker.sweep(dumbbell, over={"cc": ["reno", "cubic"]}, set={"duration": "2s"})
    # and nothing else: a notebook would show it in red
    assert capfd.readouterr() == ("", "")
