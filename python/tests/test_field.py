"""What other tools measured, and their paths."""

from __future__ import annotations

from pathlib import Path

import pytest

import tusker


def test_a_window_without_scaling_is_found() -> None:
    """https://serverfault.com/questions/608060: 5.48 Mbit/s through a window of 64 KiB."""
    own = tusker.diagnose(rate="100mbit", rtt="95.7ms", measured="5.48mbit", retransmits=0, duration="10s")
    assert own.causes[0].cause == "receive_window"
    assert own.causes[0].verdict == "likely"
    assert abs(own.causes[0].needed / 65_535 - 1) < 0.05


def test_a_wrong_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("time,mbps\n0,8\n")
    with pytest.raises(tusker.InputError, match="a table in columns"):
        tusker.diagnose(tmp_path / "a.csv", rate="1gbit")


def test_what_is_imported_runs(tmp_path: Path) -> None:
    with pytest.warns(tusker.Note, match="GSO"):
        toml = tusker.import_("tc qdisc add dev eth0 root netem delay 20ms loss 1% rate 5mbit")
    result = tusker.run(toml, set={"duration": "4s"})
    assert result.summary.total.goodput_bps.mean < 5e6
    (tmp_path / "a.csv").write_text("run,t,mbps\n1,0,9\n2,0,8\n2,5,4\n")
    with pytest.warns(tusker.Note):
        toml = tusker.import_(str(tmp_path / "a.csv"), time="t", rows="run=2")
    assert 'rate = "8Mbit"' in toml and 'rate = "4Mbit"' in toml
