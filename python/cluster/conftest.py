"""A cluster of two nodes on this machine, and a scenario."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
# no token is kept in the home folder
os.environ["RAY_AUTH_MODE"] = "disabled"
os.environ["RAY_DISABLE_DOCKER_CPU_WARNING"] = "1"
# nodes find the package in the same way as this process
os.environ["PYTHONPATH"] = str(Path(__file__).parents[1])

from ray.cluster_utils import Cluster  # noqa: E402

ROOT = Path(__file__).parents[2]
PROGRAM = Path(os.environ.get("TUSKER", ROOT / "target/debug/tusker"))

SCENARIO = """
profile = "linux"
duration = "10s"

[dumbbell]
rate = "100Mbit"
delay = "18ms"
queue = "1bdp"
access = { rate = "1Gbit", delay = "1ms" }

[[flows]]
name = "flow"
count = 2
cc = "reno"
start = { uniform = ["0s", "1s"] }
"""

OVER = {"cc": ["reno", "cubic"], "dumbbell.queue": "0.2bdp..2bdp:4:log"}


@pytest.fixture(scope="session")
def scenario(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("scenario") / "dumbbell.toml"
    path.write_text(SCENARIO)
    return path


class Two:
    """Two nodes of one core each, and a head that does no runs."""

    def __init__(self) -> None:
        small: dict[str, Any] = {"object_store_memory": 80_000_000, "include_dashboard": False}
        self.cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, **small})
        self.nodes = [self.cluster.add_node(num_cpus=1, **small) for _ in range(2)]
        self.cluster.wait_for_nodes()

    @property
    def address(self) -> str:
        """Where its head is."""
        return str(self.cluster.address)

    def busy(self) -> list[int]:
        """Processes of the nodes that are doing a run."""
        raylets = {node.all_processes["raylet"][0].process.pid for node in self.nodes}
        found = []
        for folder in Path("/proc").iterdir():
            try:
                parent = int((folder / "stat").read_text().rsplit(")", 1)[1].split()[1])
                if parent in raylets and (folder / "cmdline").read_bytes().startswith(b"ray::run"):
                    found.append(int(folder.name))
            except (OSError, ValueError, IndexError):
                continue
        return found

    def kill_a_worker(self) -> int:
        """Kills a process that is doing a run, as the system does when memory is short."""
        while not (busy := self.busy()):
            time.sleep(0.01)
        os.kill(busy[0], signal.SIGKILL)
        return busy[0]

    def kill_a_node(self) -> None:
        """Kills a node that is doing a run."""
        while not self.busy():
            time.sleep(0.01)
        self.cluster.remove_node(self.nodes.pop(), allow_graceful=False)


@pytest.fixture(scope="session")
def two() -> Iterator[Two]:
    two = Two()
    yield two
    two.cluster.shutdown()


@pytest.fixture
def cli(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """The command line, in a separate folder."""
    import sys

    environment = {**os.environ, "NO_COLOR": "1", "TUSKER_PYTHON": sys.executable}

    def call(*words: str | Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run([PROGRAM, *words], cwd=tmp_path, env=environment, capture_output=True, text=True)

    return call
