"""Runs on a Ray cluster: the process that `tusker sweep --ray ADDRESS` starts.

It takes orders on stdin and gives back rows on stdout, a line of JSON each, as
crates/tusker/src/cluster.rs describes, and ends when its stdin closes. Ray places the runs, and
repeats those whose worker or node was lost: a run is a function of its scenario and seed, so a
second try gives the same bytes.
"""

from __future__ import annotations

import json
import logging
import os
import signal
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, TextIO

# nobody was asked
os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")

import ray

TRIES = 10
"""How often a run is done again whose worker or node was lost."""

LEAST = 64 << 20
"""Bytes that Ray is asked for at least."""


class Told(Exception):
    """What is wrong, and the remedy."""

    def __init__(self, message: str, remedy: str) -> None:
        super().__init__(message)
        self.remedy = remedy


def connect(address: str) -> None:
    """Reaches a cluster, or starts one on this machine (`local`)."""
    quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
    try:
        if address == "local":
            ray.init(address="local", include_dashboard=False, **quiet)
        else:
            ray.init(address=address, **quiet)
    except Exception as error:
        first = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        remedy = "`ray start --head` starts a cluster, and `--ray local` one on this machine for one command"
        raise Told(f"no Ray cluster at `{address}`: {first}", remedy) from None


def largest() -> int:
    """Bytes that Ray may give away on the machine that has most."""
    return max((int(node["Resources"].get("memory", 0)) for node in ray.nodes() if node["Alive"]), default=0)


def work(hello: dict[str, Any]) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """What is done on a node. It travels there with Ray, so it imports what it needs."""
    build, version = hello["build"], hello["version"]
    store, options = hello["store"], hello["options"]

    def run(order: dict[str, Any]) -> dict[str, Any]:
        import socket

        node = socket.gethostname()
        same = "install the same one on all machines of the cluster: `pip install ./python`"
        try:
            from tusker._node import build as own
            from tusker._node import run as one
        except ImportError as error:
            return {"failed": f"{node} has no tusker to do runs with: {error}", "help": same}
        if own() != (version, build):
            there, here = f"{own()[0]}, build {own()[1][:12]}", f"{version}, build {build[:12]}"
            return {"failed": f"{node} has tusker {there}; here it is {here}", "help": same}
        return one(order, store, options)

    return run


class Desk:
    """Takes orders, and hands out what comes of them."""

    def __init__(self, out: TextIO, hello: dict[str, Any]) -> None:
        self.out, self.lock = out, threading.Lock()
        self.task = ray.remote(num_cpus=1, max_retries=TRIES)(work(hello))
        self.largest = largest()

    def say(self, **said: object) -> None:
        """Says something to the program."""
        with self.lock:
            self.out.write(json.dumps(said) + "\n")
            self.out.flush()

    def take(self, order: dict[str, Any]) -> None:
        """Gives a run to the cluster."""
        number, into = order.pop("id"), order.pop("into", None)
        # few different amounts: Ray keeps workers apart that have others
        memory = max(LEAST, 1 << (order["memory"] - 1).bit_length())
        if memory > self.largest:
            least, most = memory >> 20, self.largest >> 20
            failed = f"a run takes about {least} MiB, and no machine of the cluster gives more than {most} MiB"
            self.say(id=number, failed=failed, help="`ray start --memory` says how much a machine gives away")
            return

        def done(future: Future[dict[str, Any]]) -> None:
            try:
                made = future.result()
                for name, content in made.pop("files", {}).items():
                    Path(into, name).write_bytes(content)
                self.say(id=number, **made)
            except OSError as error:
                self.say(id=number, failed=f"cannot write what came back: {error}", help="is there room?")
            except Exception as error:
                lines = [line for line in str(error).splitlines() if line.strip()]
                last = lines[-1] if isinstance(error, ray.exceptions.RayTaskError) else lines[0]
                failed = f"the cluster gave up a run: {last}"
                self.say(id=number, failed=failed, help="the same command runs what is missing")

        self.task.options(memory=memory).remote(order).future().add_done_callback(done)


def shared(out: TextIO, hello: dict[str, Any]) -> Callable[[dict[str, Any]], None] | None:
    """What puts files into shared storage, if results go there; first says what is there."""
    url, options, mirror = hello["store"], hello["options"], hello["mirror"]
    if not url:
        return None
    from tusker._storage import Mirror, Storage

    try:
        if mirror:
            whole = Mirror(url, options, mirror)
            whole.pull()
            # nodes hand over what they made
            hello["store"] = None
            return lambda order: whole.push(order["push"])
        store = Storage(url, options)
        for text in store.rows():
            out.write(json.dumps({"there": text}) + "\n")
    except Exception as error:
        remedy = "is it written as fsspec wants it, and may you write there?"
        raise Told(f"--out {url}: {error}", remedy) from error

    def put(order: dict[str, Any]) -> None:
        store.put(order["put"], order["path"])
        store.clear()

    return put


def serve(out: TextIO) -> None:
    """Does what it is told until nobody tells it anything any more."""
    line = sys.stdin.readline()
    if not line:
        return
    hello = json.loads(line)
    url = hello["store"]
    put = shared(out, hello)
    connect(hello["address"])
    desk = Desk(out, hello)
    desk.say(ready=int(ray.cluster_resources().get("CPU", 0)))

    def keep(order: dict[str, Any]) -> None:
        try:
            if put is not None:
                put(order)
            desk.say(id=order["id"])
        except Exception as error:
            desk.say(id=order["id"], failed=f"--out {url}: {error}", help="may you write there?")

    # one after the other, while runs go on
    with ThreadPoolExecutor(max_workers=1) as keeper:
        for line in sys.stdin:
            order = json.loads(line)
            if "put" in order or "push" in order:
                keeper.submit(keep, order)
            else:
                desk.take(order)


def main() -> None:
    # the program decides what Ctrl-C means
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # what others print is no row
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    try:
        serve(out)
    except Told as told:
        out.write(json.dumps({"fatal": str(told), "help": told.remedy}) + "\n")
    finally:
        try:
            out.flush()
        except BrokenPipeError:
            pass
        ray.shutdown()
        # threads of Ray that still wait for runs
        os._exit(0)


if __name__ == "__main__":
    main()
