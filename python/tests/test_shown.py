"""Figures, and what notebooks show."""

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
