"""Figures, and what notebooks show."""

import sys
from pathlib import Path

import matplotlib
import numpy
import pytest
from matplotlib.patches import Rectangle

import tusker
from tusker import _html

matplotlib.use("agg")


def test_a_run_is_drawn_over_time(dumbbell: str) -> None:
    result = tusker.run(dumbbell)
    drawn = result.plot("cwnd")
    assert [line.get_label() for line in drawn.get_lines()] == ["reno.0", "reno.1"]
    assert drawn.get_xlabel() == "time [s]"
    assert len(result.plot("cwnd", subjects=["reno.1"]).get_lines()) == 1
    with pytest.raises(tusker.InputError, match="there are cwnd"):
        result.plot("window")


def test_a_comparison_is_bars() -> None:
    both = tusker.compare(["reno", "hstcp"], rate="10mbit", rtt="20ms", duration="5s", replicates=2)
    drawn = both.plot("goodput_bps")
    heights = [both[name].summary.total.goodput_bps.mean / 1e6 for name in both.names]
    assert [patch.get_bbox().height for patch in drawn.patches if isinstance(patch, Rectangle)] == heights
    assert drawn.get_ylabel() == "goodput [Mbit/s]"
    with pytest.raises(tusker.InputError, match="no measure `goodput`"):
        both.plot("goodput")


def test_a_sweep_is_curves(scenario: Path) -> None:
    over = {"cc": ["reno", "hstcp"], "dumbbell.queue": ["0.5bdp", "1bdp", "2bdp"]}
    sweep = tusker.sweep(scenario, over, set={"duration": "5s"}, replicates=2)
    drawn = sweep.plot("utilisation", log=True)
    lines = {line.get_label(): line for line in drawn.get_lines()}
    assert list(lines) == ["reno", "hstcp"]
    assert numpy.asarray(lines["reno"].get_xdata()).tolist() == [0.5, 1.0, 2.0]
    means = sweep.points["utilisation"]
    assert numpy.asarray(lines["hstcp"].get_ydata()).tolist() == means[3:]
    assert drawn.get_xlabel() == "dumbbell.queue [bdp]"
    with pytest.raises(tusker.InputError, match="`cc` is not a varied number"):
        sweep.plot(x="cc")


def test_notebooks_show_tables(dumbbell: str, scenario: Path) -> None:
    assert "<td>&lt;b&gt;&amp;</td>" in _html.table(["name"], [["<b>&"]])
    result = tusker.run(dumbbell)
    assert "<td>reno</td><td>2</td><td>reno</td>" in result._repr_html_() and "Mbit/s" in result._repr_html_()
    assert result.flows is not None and "2 rows x" in result.flows._repr_html_()
    both = tusker.compare(["reno", "hstcp"], rate="10mbit", rtt="20ms", duration="5s")
    assert both._repr_html_().count("<tr>") == 3
    sweep = tusker.sweep(scenario, {"cc": ["reno", "hstcp"]})
    assert "2 points, 2 runs" in sweep._repr_html_()


def test_print_shows_tables_that_fit(scenario: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    both = tusker.compare(["reno", "hstcp"], rate="10mbit", rtt="20ms", duration="5s")
    head, *rows = str(both).splitlines()
    assert head.split() == ["goodput", "utilisation", "loss"]
    assert [row.split()[0] for row in rows] == both.names and all("Mbit/s" in row for row in rows)
    sweep = tusker.sweep(scenario, {"cc": ["reno", "hstcp"]}, set={"duration": "5s"})
    assert "2 points, 2 runs" in str(sweep) and str(sweep).splitlines()[1].startswith("reno")
    lines = str(sweep.points).splitlines()
    assert lines[0].split()[:3] == ["point", "cc", "replicates"] and len(lines) == 4
    assert "more columns, beginning with " in lines[-1]
    assert all(len(line) <= 60 for line in lines[:3])


def test_a_comparison_is_a_mapping() -> None:
    both = tusker.compare(["reno", "hstcp"], rate="10mbit", rtt="20ms", duration="2s")
    assert list(both) == list(both.keys()) == ["reno", "hstcp"]
    assert [both[name].name for name in both] == [own.name for own in both.values()] == both.names
    assert [(name, own.name) for name, own in both.items()] == [("reno", "reno"), ("hstcp", "hstcp")]
    assert "reno" in both and "cubic" not in both and both.get("cubic") is None


def test_tables_become_frames(scenario: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sweep = tusker.sweep(scenario, {"cc": ["reno", "hstcp"]}, set={"duration": "2s"})
    both = tusker.compare(["reno", "hstcp"], rate="10mbit", rtt="20ms", duration="2s")
    for own, table in ((sweep, sweep.runs), (sweep.points, sweep.points), (both, both.runs)):
        for frame in (own.to_pandas(), own.to_polars()):
            assert list(frame.columns) == table.column_names
            assert list(frame["goodput_bps"]) == table["goodput_bps"]
    for name in ("pandas", "polars"):
        monkeypatch.setitem(sys.modules, name, None)
        with pytest.raises(tusker.Error, match=f"pip install {name}"):
            getattr(sweep, f"to_{name}")()
