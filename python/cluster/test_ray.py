"""Sweeps and papers on a Ray cluster: the same bytes as on one machine, whatever is lost."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import boto3
import pytest
from moto.server import ThreadedMotoServer

import tusker
from conftest import OVER, PROGRAM, Two
from tusker._storage import Mirror, Storage
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
    """A server compatible with S3 with a bucket, and the options that fsspec needs for it."""
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
    assert "24 runs, 0 done already" in done.stderr
    assert (tmp_path / "ray/runs.parquet").read_bytes() == (local / "runs.parquet").read_bytes()
    # a folder does not depend on the engine: nothing is left for another one to do
    again = cli("sweep", scenario, *words, "--replicates=3", "--out=ray")
    assert "all 24 runs are done already" in again.stderr


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
    # the results are stored as if they had been run here
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
    # existing runs are not repeated, by a cluster or at all
    whole = sweep(3)
    assert whole.ran == 8
    after = objects()
    names = {f"runs/{key}.jsonl" for key in whole.runs["run"]}
    assert after.keys() == names | {"runs.parquet", "sweep.json", "base.toml", "report.html", "manifest.json"}
    assert len(names) == 24
    assert all(after[name] == before[name] for name in names & before.keys())
    dataset = client.get_object(Bucket="lab", Key="buffers/runs.parquet")["Body"].read()
    assert dataset == (local / "runs.parquet").read_bytes()


def test_a_paper_is_in_s3_each_row_once(two: Two, s3: tuple[Any, dict[str, object]], tmp_path: Path) -> None:
    client, options = s3

    def paper(at: list[str], **more: Any) -> tusker.Reproduction:
        return tusker.reproduce("hcc", case="reno", at=at, quick=True, replicates=2, **more)

    def shared(at: list[str], **more: Any) -> tusker.Reproduction:
        storage: dict[str, Any] = {"out": "s3://lab/hcc", "storage_options": options}
        return paper(at, engine="ray", address=two.address, **storage, **more)

    def objects() -> dict[str, Any]:
        found = client.list_objects_v2(Bucket="lab", Prefix="hcc/")["Contents"]
        return {one["Key"].removeprefix("hcc/"): one["LastModified"] for one in found}

    def content(name: str) -> bytes:
        body: bytes = client.get_object(Bucket="lab", Key=f"hcc/{name}")["Body"].read()
        return body

    first = shared(["b100"])
    assert first.folder == "s3://lab/hcc"
    before = objects()
    # LastModified has whole seconds
    time.sleep(1.1)
    both = shared(["b100", "b200"])
    after = objects()
    # as in a local folder: the same files, each once, and the same tables
    here = paper(["b100", "b200"], out=tmp_path / "here")
    assert both.summary.rows == here.summary.rows and both.summary.claims == here.summary.claims
    files = (
        path.relative_to(tmp_path / "here").as_posix() for path in (tmp_path / "here").rglob("*") if path.is_file()
    )
    assert after.keys() == {name for name in files if ".tusker-" not in name}
    tables = [name for name in after if name.endswith(".parquet")]
    assert len({name.split("/")[1] for name in tables}) == 2
    assert {name.split("/")[3] for name in tables} == {"0001", "0002"}
    assert all(content(name) == (tmp_path / "here" / name).read_bytes() for name in tables)
    # existing results were neither run nor written again
    rows = {name for name in before if name.startswith("rows/")}
    assert rows and all(after[name] == before[name] for name in rows)
    # run again with fewer replicates: nothing of the old results is left behind
    tusker.reproduce(
        "hcc", case="reno", at="b100", quick=True, replicates=1, force=True,
        out="s3://lab/hcc", engine="ray", address=two.address, storage_options=options,
    )  # fmt: skip
    assert {name for name in objects() if "/0002/" in name} == {
        name for name in after if "/0002/" in name and "at-b200" in name
    }


def test_a_folder_without_a_manifest_is_as_if_it_were_not_there(tmp_path: Path) -> None:
    there, here, again = (tmp_path / name for name in ("there", "here", "again"))
    row = here / "rows/case-1-at-2-ab/replicates"
    for number in ("0001", ".partial-0002"):
        (row / number).mkdir(parents=True)
        (row / number / "flows.parquet").write_bytes(b"PAR1")
    mirror = Mirror(f"file://{there}", {}, str(here))
    mirror.push(str(row.parent))
    # killed before it had written the manifest
    Mirror(f"file://{there}", {}, str(again)).pull()
    assert not again.exists()
    (row.parent / "manifest.json").write_text("{}")
    (here / "reproduction.json").write_text("{}")
    (here / "manifest.json").write_text("{}")
    mirror.push(str(here))
    names = ["manifest.json", "reproduction.json", "rows/case-1-at-2-ab/manifest.json"]
    names.append("rows/case-1-at-2-ab/replicates/0001/flows.parquet")
    assert sorted(path.relative_to(there).as_posix() for path in there.rglob("*") if path.is_file()) == names
    pulled = Mirror(f"file://{there}", {}, str(again))
    pulled.pull()
    assert sorted(path.relative_to(again).as_posix() for path in again.rglob("*") if path.is_file()) == names
    # existing files are not written again
    (there / names[3]).write_bytes(b"mark")
    pulled.push(str(again))
    assert (there / names[3]).read_bytes() == b"mark"
    # killed while it wrote the files beside the rows anew: they are made again, the rows stay
    (there / names[0]).unlink()
    once = tmp_path / "once"
    Mirror(f"file://{there}", {}, str(once)).pull()
    assert sorted(path.relative_to(once).as_posix() for path in once.rglob("*") if path.is_file()) == names[2:]


def test_ctrl_c_leaves_finished_runs_in_order(scenario: Path, two: Two, tmp_path: Path) -> None:
    words = [f"--over={key}={value if isinstance(value, str) else ','.join(value)}" for key, value in OVER.items()]
    command = [str(PROGRAM), "sweep", str(scenario), *words, "--replicates=6", "--out=ray"]
    environment = {**os.environ, "NO_COLOR": "1", "TUSKER_PYTHON": sys.executable}
    # as from a keyboard: all processes of the command receive it
    child = subprocess.Popen(
        [*command, "--ray", two.address],
        cwd=tmp_path,
        env=environment,
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )

    def runs() -> list[str]:
        folder = tmp_path / "ray/runs"
        lines = [line for path in folder.glob("*.jsonl") for line in path.read_text().splitlines(keepends=True)]
        return [line[8:40] for line in lines if line.startswith('{"run":"') and line.endswith("\n")]

    while len(runs()) < 2:
        assert child.poll() is None, child.communicate()
        time.sleep(0.01)
    os.killpg(child.pid, signal.SIGINT)
    out, err = child.communicate(timeout=60)
    kept = runs()
    assert child.returncode == 130, err
    assert f"{len(kept)} runs are in ray; the same command continues" in err and not out
    assert 2 <= len(kept) < 48 and len(set(kept)) == len(kept)
    # with another engine as well
    again = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert f"{48 - len(kept)} runs, {len(kept)} done already" in again.stderr, again.stderr
    assert (tmp_path / "ray/runs.parquet").is_file()


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
    # another process may be writing the other one
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
