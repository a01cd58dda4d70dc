"""Sweeps on a Ray cluster: the same bytes as on one machine, whatever is lost."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import boto3
import pytest
from moto.server import ThreadedMotoServer

import tusker
from conftest import OVER, Two
from tusker._storage import Storage
from tusker.ray import work

Cli = Callable[..., "CompletedProcess[str]"]


@pytest.fixture(scope="session")
def local(scenario: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sweep on this machine."""
    out = tmp_path_factory.mktemp("local")
    assert tusker.sweep(scenario, OVER, replicates=3, out=out / "sweep").ran == 24
    return out / "sweep"


@pytest.fixture(scope="session")
def s3() -> Iterator[tuple[Any, dict[str, object]]]:
    """A server of S3's kind with a bucket, and what fsspec needs for it."""
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    url = f"http://{host}:{port}"
    client = boto3.client(
        "s3", endpoint_url=url, region_name="us-east-1", aws_access_key_id="a", aws_secret_access_key="b"
    )
    client.create_bucket(Bucket="lab")
    yield client, {"endpoint_url": url, "key": "a", "secret": "b"}
    server.stop()


def test_the_command_line_gives_the_same_bytes(scenario: Path, local: Path, two: Two, cli: Cli, tmp_path: Path) -> None:
    words = [f"--over={key}={value if isinstance(value, str) else ','.join(value)}" for key, value in OVER.items()]
    done = cli("sweep", scenario, *words, "--replicates=3", "--ray", two.address, "--out=ray")
    assert done.returncode == 0, done.stderr
    assert "24 runs, 0 were there already" in done.stderr
    assert (tmp_path / "ray/runs.parquet").read_bytes() == (local / "runs.parquet").read_bytes()
    # a folder knows no engine: nothing is left for another one to do
    again = cli("sweep", scenario, *words, "--replicates=3", "--out=ray")
    assert "all 24 runs are there already" in again.stderr


def test_rows_of_a_paper_are_the_same(two: Two, cli: Cli, tmp_path: Path) -> None:
    words = ["reproduce", "hcc", "--case=reno", "--at=b100,b200", "--quick", "--replicates=2", "--quiet"]
    here, there = cli(*words, "--out=here"), cli(*words, "--out=there", "--ray", two.address)
    assert there.returncode == 0, there.stderr
    assert there.stdout == here.stdout

    def tables(folder: str) -> dict[str, bytes]:
        root = tmp_path / folder
        return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*.parquet")}

    assert tables("there") == tables("here")
    assert {name.split("/")[3] for name in tables("there")} == {"0001", "0002"}
    # what came back is in as if it had been run here
    again = cli(*words, "--out=there")
    assert again.stdout == here.stdout


def test_rows_are_in_s3_each_once(scenario: Path, local: Path, two: Two, s3: tuple[Any, dict[str, object]]) -> None:
    client, options = s3

    def sweep(replicates: int) -> tusker.Sweep:
        return tusker.sweep(
            scenario,
            OVER,
            replicates=replicates,
            out="s3://lab/buffers",
            engine="ray",
            address=two.address,
            storage_options=options,
        )

    def objects() -> dict[str, Any]:
        found = client.list_objects_v2(Bucket="lab", Prefix="buffers/")["Contents"]
        return {one["Key"].removeprefix("buffers/"): one["LastModified"] for one in found}

    first = sweep(2)
    assert (first.ran, first.folder) == (16, "s3://lab/buffers")
    before = objects()
    # what is there is not done again, by a cluster or at all
    whole = sweep(3)
    assert whole.ran == 8
    after = objects()
    names = {f"runs/{key}.jsonl" for key in whole.runs["run"]}
    assert after.keys() == names | {"runs.parquet", "sweep.json", "report.html"}
    assert len(names) == 24
    assert all(after[name] == before[name] for name in names & before.keys())
    dataset = client.get_object(Bucket="lab", Key="buffers/runs.parquet")["Body"].read()
    assert dataset == (local / "runs.parquet").read_bytes()


def test_mistakes_are_told(scenario: Path, two: Two, cli: Cli) -> None:
    with pytest.raises(tusker.InputError, match="renno"):
        tusker.sweep(scenario, {"cc": "renno"}, engine="ray", address=two.address)
    with pytest.raises(tusker.Error, match="nosuch"):
        tusker.sweep(scenario, OVER, engine="ray", address=two.address, out="nosuch://lab/buffers")
    with pytest.raises(tusker.InputError, match="address is for runs on a cluster"):
        tusker.sweep(scenario, OVER, address=two.address)
    with pytest.raises(tusker.InputError, match="there is no engine 'spark'"):
        tusker.sweep(scenario, OVER, engine="spark")  # type: ignore[arg-type]
    done = cli("sweep", scenario, "--over=cc=reno", "--out=s3://lab/buffers")
    assert done.returncode == 2 and "add --ray" in done.stderr


def test_a_node_with_another_build_is_named() -> None:
    run = work({"build": "0123456789abcdef", "version": "9.9.9", "store": None, "options": {}})
    said = run({})
    assert "has tusker 0.1.0, build " in said["failed"]
    assert said["failed"].endswith("here it is 9.9.9, build 0123456789ab")


def test_what_a_killed_worker_left_is_cleared_away(tmp_path: Path) -> None:
    store = Storage(f"file://{tmp_path}", {})
    there, missing = "a" * 32, "b" * 32
    store.keep(there, "row")
    left = [tmp_path / f"runs/.{key}.jsonl.{'0' * 32}.partial" for key in (there, missing)]
    for path in left:
        path.write_text("ro")
    store.clear()
    # somebody may be at the other one
    assert [path.exists() for path in left] == [False, True]
    assert store.row(there) == "row" and store.row(missing) is None


def test_a_worker_and_a_node_are_lost(scenario: Path, local: Path, two: Two, tmp_path: Path) -> None:
    lost: list[str] = []

    def progress(share: float) -> None:
        if share > 0.15 and not lost:
            two.kill_a_worker()
            lost.append("worker")
        elif share > 0.4 and lost == ["worker"]:
            two.kill_a_node()
            lost.append("node")

    store = tmp_path / "shared"
    sweep = tusker.sweep(
        scenario,
        OVER,
        replicates=3,
        out=f"file://{store}",
        engine="ray",
        address=two.address,
        progress=progress,
    )
    assert lost == ["worker", "node"] and sweep.ran == 24
    assert (store / "runs.parquet").read_bytes() == (local / "runs.parquet").read_bytes()
    rows = sorted(path.name for path in (store / "runs").iterdir())
    assert rows == sorted(f"{key}.jsonl" for key in sweep.runs["run"])
