"""Folders of results: whose they are, and whether what is in them is what was stored."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import tusker

PATH: dict[str, Any] = {"rate": "10mbit", "rtt": "20ms"}
PLAN: dict[str, Any] = {**PATH, "size": "10GB", "loss": "1e-3", "cc": "reno", "streams": 1, "budget": "none"}
OVER = {"cc": ["reno", "hstcp"]}


def test_a_folder_of_somebody_elses_is_refused(scenario: Path, tmp_path: Path) -> None:
    for name in ("thesis.tex", "runs/1.jsonl", "sweep.json", "manifest.json"):
        out = tmp_path / name.replace("/", "-")
        (out / name).parent.mkdir(parents=True)
        (out / name).write_text("{}")
        for command in (
            lambda out: tusker.run(scenario, out=out),
            lambda out: tusker.run(scenario, out=out, force=True),
            lambda out: tusker.compare(["reno"], **PATH, out=out),
            lambda out: tusker.sweep(scenario, OVER, out=out),
            lambda out: tusker.plan(**PLAN, out=out),
            lambda out: tusker.reproduce("hcc", case="reno", at="b100", quick=True, out=out),
        ):
            with pytest.raises(tusker.InputError):
                command(out)
            assert [path.name for path in out.rglob("*") if path.is_file()] == [Path(name).name]
            assert (out / name).read_text() == "{}"


def test_nothing_is_saved_if_something_is_in_the_way(tmp_path: Path) -> None:
    both = tusker.compare(["reno", "hstcp"], **PATH, duration="4s")
    for name in ("report.html", "hstcp/report.html"):
        out = tmp_path / name.replace("/", "-")
        both.save(out)
        both.save(out, force=True)
        mine = out / name
        mine.write_text("<!doctype html><title>mine</title>")
        before = {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
        with pytest.raises(tusker.InputError, match="was not written by tusker"):
            both.save(out, force=True)
        assert {path: path.read_bytes() for path in out.rglob("*") if path.is_file()} == before


@pytest.mark.filterwarnings("ignore::tusker.Note")
def test_what_has_changed_is_not_gone_on_with(scenario: Path, tmp_path: Path) -> None:
    compare = {**PATH, "duration": "4s", "out": tmp_path / "compare"}
    for file, command in (
        ("compare/reno/replicates/0001/flows.parquet", lambda: tusker.compare(["reno"], **compare, resume=True)),
        ("sweep/sweep.json", lambda: tusker.sweep(scenario, OVER, out=tmp_path / "sweep")),
        ("plan/plan.json", lambda: tusker.plan(**PLAN, out=tmp_path / "plan")),
    ):
        command()
        path = tmp_path / file
        whole = path.read_bytes()
        path.write_bytes(whole[:-9] + bytes([whole[-9] ^ 1]) + whole[-8:])
        with pytest.raises(tusker.InputError, match="damaged"):
            command()
        path.write_bytes(whole)
        command()


@pytest.mark.filterwarnings("ignore::tusker.Note")
def test_threads_share_a_folder(scenario: Path, tmp_path: Path) -> None:
    def sweep(_: int) -> tusker.Sweep:
        return tusker.sweep(scenario, OVER, replicates=2, out=tmp_path / "shared")

    with ThreadPoolExecutor(6) as pool:
        done = list(pool.map(sweep, range(6)))
    assert len({str(one.points) for one in done}) == 1
    names = sorted(path.name for path in (tmp_path / "shared").iterdir() if not path.name.startswith("."))
    assert names == ["base.toml", "manifest.json", "report.html", "runs", "runs.parquet", "sweep.json"]
