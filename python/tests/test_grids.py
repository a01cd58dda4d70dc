"""`tusker.compare` and `tusker.sweep`."""

from pathlib import Path

import pandas
import polars
import pyarrow
import pyarrow.parquet
import pytest

import tusker
from conftest import Cli


def test_a_comparison_is_that_of_the_command_line(cli: Cli, tmp_path: Path) -> None:
    options = {"rate": "10mbit", "rtt": "20ms", "duration": "10s", "replicates": 2}
    both = tusker.compare(["reno", "hstcp"], buffer=["0.5bdp", "1bdp"], **options)  # type: ignore[arg-type]
    words = [f"--{name}={value}" for name, value in options.items()]
    done = cli("compare", "--cc=reno,hstcp", "--buffer=0.5bdp,1bdp", *words, "--out", "cli", "--quiet", "--format=json")
    assert done.returncode == 0, done.stderr
    assert both.names == ["reno-0.5bdp", "hstcp-0.5bdp", "reno-1bdp", "hstcp-1bdp"]
    saved = both.save(tmp_path / "saved")
    for name in both.names:
        for file in ("scenario.toml", "replicates/0002/flows.parquet", "replicates/0001/series.parquet"):
            assert (saved / name / file).read_bytes() == (tmp_path / "cli" / name / file).read_bytes()
    assert (saved / "report.html").is_file()
    assert both["hstcp-1bdp"].summary.seeds == [1, 2]
    with pytest.raises(KeyError, match="there are reno-0.5bdp"):
        both["cubic"]


def test_ecn_is_the_flag_of_the_command_line() -> None:
    marked = tusker.compare("reno", rate="10mbit", rtt="20ms", duration="5s", queue="red", ecn=True)
    assert marked["reno"].summary.links[0].marked.mean > 0
    dropped = tusker.compare("reno", rate="10mbit", rtt="20ms", duration="5s", queue="red")
    assert dropped["reno"].summary.links[0].marked.mean == 0


def test_a_row_per_run_says_all_that_differs() -> None:
    both = tusker.compare(["reno", "hstcp"], rate="10mbit", rtt="20ms", buffer="0.5bdp,1bdp", duration="5s")
    table = pyarrow.table(both)
    assert table["cc"].to_pylist() == ["reno", "hstcp", "reno", "hstcp"]
    assert table["buffer_bdp"].to_pylist() == [0.5, 0.5, 1.0, 1.0]
    assert table["scenario.duration_s"].to_pylist() == [5.0] * 4
    frame = polars.DataFrame(both.runs)
    assert frame["goodput_bps"].to_list() == both.runs["goodput_bps"]
    assert list(pandas.DataFrame.from_arrow(both.runs)["cc"]) == table["cc"].to_pylist()


def test_a_sweep_is_that_of_the_command_line(scenario: Path, cli: Cli, tmp_path: Path) -> None:
    over = {"cc": ["reno", "hstcp"], "dumbbell.queue": "0.5bdp..2bdp:2:log"}
    words = ["--over=cc=reno,hstcp", "--over=dumbbell.queue=0.5bdp..2bdp:2:log", "--replicates=2", "--quiet"]
    done = cli("sweep", "dumbbell.toml", *words, "--out", "cli")
    assert done.returncode == 0, done.stderr
    memory = tusker.sweep(scenario, over, replicates=2)
    stored = tusker.sweep(scenario, over, replicates=2, out=tmp_path / "python")
    dataset = (tmp_path / "cli/runs.parquet").read_bytes()
    assert (tmp_path / "python/runs.parquet").read_bytes() == dataset
    expected = pyarrow.parquet.read_table(tmp_path / "cli/runs.parquet")
    for sweep in (memory, stored):
        assert (len(sweep), len(sweep.runs), sweep.ran) == (4, 8, 8)
        assert pyarrow.table(sweep).to_pydict() == expected.to_pydict()
    assert memory.folder is None and stored.folder == tmp_path / "python"
    points = pyarrow.table(memory.points)
    assert points["cc"].to_pylist() == ["reno", "reno", "hstcp", "hstcp"]
    assert points["dumbbell.queue_bdp"].to_pylist() == [0.5, 2.0, 0.5, 2.0]
    # existing runs are not repeated, wherever they were done
    assert tusker.sweep(scenario, over, replicates=2, out=tmp_path / "cli").ran == 0


def test_a_sweep_needs_no_scenario(cli: Cli) -> None:
    words = ["--rate=10mbit,20mbit", "--rtt=20ms", "--buffer=0.5bdp..1bdp:2", "--cc=reno,cubic", "--duration=5s"]
    words += ["--queue=codel", "--flows=2", "--quiet"]
    done = cli("sweep", *words, "--format=csv", "--measure=goodput_bps")
    assert done.returncode == 0, done.stderr
    sweep = tusker.sweep(
        rate=["10mbit", "20mbit"],
        rtt="20ms",
        buffer="0.5bdp..1bdp:2",
        cc=["reno", "cubic"],
        duration="5s",
        queue="codel",
        flows=2,
    )
    points = polars.DataFrame(sweep.points)
    assert points.columns[:5] == ["point", "cc", "rate_bps", "buffer_bdp", "replicates"]
    lines = [line.split(",") for line in done.stdout.splitlines()]
    goodput = [float(line[lines[0].index("goodput_bps")]) for line in lines[1:]]
    assert points["goodput_bps"].to_list() == pytest.approx(goodput, rel=1e-9)
    assert [axis.key for axis in sweep.summary.axes] == ["cc", "dumbbell.rate", "dumbbell.queue.limit"]
    assert repr(sweep).startswith("<tusker.Sweep over cc, rate, buffer:")
    with pytest.raises(tusker.InputError, match="rtt"):
        tusker.sweep(rate="10mbit", cc="reno")


def test_doubts_are_shown() -> None:
    """W = 16.7 + 17 = 33.7 segments: Reno takes 16.8 round trips of 30.2 ms, 0.508 s, from one loss
    to the next, so that a window of 1 s has fewer than three, and one of 50 s has more."""
    both = tusker.compare(["reno", "cubic"], rate="10mbit", rtt="20ms", duration="2s")
    assert both.runs["doubts"] == ["few-episodes", "few-episodes"]
    heads, *rows = str(both).splitlines()
    assert heads.split()[-1] == "doubts" and all(row.split()[-1] == "few-episodes" for row in rows[:2])
    sweep = tusker.sweep(rate="10mbit", rtt="20ms", cc=["reno", "cubic"], duration="2s")
    assert sweep.runs["doubts"] == ["few-episodes", "few-episodes"]
    assert str(sweep).splitlines()[0].split()[-1] == "doubts"
    long = tusker.compare("reno", rate="10mbit", rtt="20ms", duration="100s")
    assert long.runs["doubts"] == [""] and "doubts" not in str(long)


def test_a_mean_is_that_of_its_runs(scenario: Path) -> None:
    sweep = tusker.sweep(scenario, {"duration": ["5s", "8s"]}, replicates=3)
    runs = polars.DataFrame(sweep.runs)
    means = runs.group_by("point", maintain_order=True).agg(polars.col("goodput_bps").mean())
    assert polars.DataFrame(sweep.points)["goodput_bps"].to_list() == pytest.approx(means["goodput_bps"].to_list())


def test_mistakes_of_a_grid_are_told(scenario: Path) -> None:
    with pytest.raises(tusker.InputError, match="renno"):
        tusker.sweep(scenario, {"cc": ["reno", "renno"]})
    with pytest.raises(tusker.InputError, match="--buffer"):
        tusker.compare("reno", rate="10mbit", rtt="20ms", buffer="much")
    with pytest.raises(tusker.InputError, match="--until"):
        tusker.sweep(scenario, {"cc": "reno"}, until="little")
