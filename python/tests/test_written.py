"""Congestion controls and queue policies in Python."""

import json
import subprocess
import sys
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow
import pytest

import tusker


class Reno(tusker.Law):
    """RFC 5681, section 3.1, equations 3 and 4."""

    def grow(self, w: tusker.Window, ack: tusker.Ack) -> None:
        w.cwnd += ack.credit / w.cwnd

    def shrink(self, w: float) -> float:
        return w / 2


class Scalable(tusker.Law):
    """Kelly 2003, section 3: above 16 segments 0.01 per ACK up, an eighth down."""

    def __init__(self, a: float = 0.01) -> None:
        self.a = a

    def grow(self, w: tusker.Window, ack: tusker.Ack) -> None:
        w.cwnd += ack.credit * (self.a if w.cwnd > 16 else 1 / w.cwnd)

    def shrink(self, w: float) -> float:
        return w - (0.125 if w > 16 else 0.5) * w


class Step(tusker.Queue):
    """Signals every packet that finds more than 20 waiting."""

    needs = ("marking",)

    def on_arrival(
        self, packet: tusker.Packet, queue: tusker.Backlog, now: float, random: tusker.Random
    ) -> tusker.Verdict:
        return tusker.SIGNAL if queue.packets > 20 else tusker.PASS


def told(result: tusker.Result) -> dict[str, object]:
    """A whole result, without names and run times."""
    named = ("execution", "scenario", "cc", "queue")
    read = json.loads(json.dumps(result.summary), object_hook=lambda d: {k: v for k, v in d.items() if k not in named})
    tables: dict[str, object] = {"summary": json.dumps(read)}
    for name in ("flows", "links", "series", "distributions"):
        table = result.table(name)
        assert table is not None
        columns = pyarrow.table(table).to_pydict()
        tables[name] = {key: value for key, value in columns.items() if key not in ("cc", "queue")}
    return tables


@pytest.mark.parametrize(
    "change",
    [
        {},
        # losses on the wire, including timeouts
        {"dumbbell.loss": 0.02, "tcp.recovery": "newreno"},
        # marks
        {"dumbbell.queue": {"policy": "red", "limit": "100pkt", "ecn": True}, "tcp.ecn": True},
    ],
)
def test_a_law_in_python_is_the_same_law(dumbbell: str, change: dict[str, tusker.Value]) -> None:
    for name, law in (("reno", Reno), ("scalable", Scalable)):
        ours = tusker.run(dumbbell, set={**change, "flows.0.cc": "own"}, laws={"own": law})
        built_in = tusker.run(dumbbell, set={**change, "flows.0.cc": name})
        assert ours.flows is not None and ours.flows["cc"] == ["own", "own"]
        assert told(ours) == told(built_in)


def test_step_marking_in_python_is_step_marking(dumbbell: str) -> None:
    change: dict[str, tusker.Value] = {"flows.0.cc": "dctcp", "dumbbell.queue": {"policy": "own", "limit": "100pkt"}}
    ours = tusker.run(dumbbell, set=change, queues={"own": Step})
    change["dumbbell.queue"] = {"policy": "step", "k": 20, "limit": "100pkt"}
    built_in = tusker.run(dumbbell, set=change)
    assert told(ours) == told(built_in)
    assert ours.links is not None
    # by arithmetic: no flow fills 100 packets if marks start at 20
    assert max(v for v in ours.links["queue_p99_pkt"] if isinstance(v, float)) < 60


def test_chance_is_that_of_the_run(dumbbell: str) -> None:
    class Lossy(tusker.Queue):
        def on_arrival(
            self, packet: tusker.Packet, queue: tusker.Backlog, now: float, random: tusker.Random
        ) -> tusker.Verdict:
            return tusker.DROP if random.uniform() < 0.02 else tusker.PASS

    set_: dict[str, tusker.Value] = {"dumbbell.queue": {"policy": "lossy", "limit": "100pkt"}}
    runs = [tusker.run(dumbbell, set=set_, seed=seed, queues={"lossy": Lossy}) for seed in (1, 1, 2)]
    goodputs = [run.summary.total.goodput_bps.mean for run in runs]
    assert goodputs[0] == goodputs[1] != goodputs[2]
    # about one packet in fifty; a few thousand were sent
    assert runs[0].summary.total.loss_rate.mean == pytest.approx(0.02, rel=0.3)


def test_each_method_is_asked_when_it_should(dumbbell: str) -> None:
    heard: dict[str, int] = {}

    class Listening(Reno):
        def observe(self, w: tusker.Window, ack: tusker.Ack) -> None:
            heard["observe"] = heard.get("observe", 0) + 1
            if ack.rtt is not None:
                # a round trip takes 40 ms of propagation
                assert ack.rtt.latest >= ack.rtt.min >= 0.04

        def shrink_outside(self, w: float) -> float:
            heard["outside"] = heard.get("outside", 0) + 1
            return w / 2

        def shrunk(self, now: float) -> None:
            heard["shrunk"] = heard.get("shrunk", 0) + 1

        def reset(self, now: float) -> None:
            heard["reset"] = heard.get("reset", 0) + 1

        def inspect(self) -> dict[str, float]:
            return {"acks": float(heard.get("observe", 0))}

    change: dict[str, tusker.Value] = {"flows.0.cc": "own", "dumbbell.loss": 0.02, "tcp.recovery": "newreno"}
    result = tusker.run(dumbbell, set=change, laws={"own": Listening})
    flows, traces = result.flows, result.traces
    assert flows is not None and traces is not None
    assert heard["observe"] > 1000 and heard["outside"] > 0 and heard["shrunk"] > 0 and heard["reset"] > 0
    assert "acks" in set(traces["quantity"])


def test_an_exception_ends_the_run_with_it(dumbbell: str) -> None:
    class Broken(Reno):
        acks = 0

        def grow(self, w: tusker.Window, ack: tusker.Ack) -> None:
            self.acks += 1
            if self.acks == 100:
                raise ZeroDivisionError("the hundredth")

    class Nowhere(Reno):
        def shrink(self, w: float) -> float:
            return float("nan")

    class Half(tusker.Law):
        def grow(self, w: tusker.Window, ack: tusker.Ack) -> None:
            w.cwnd += ack.credit

    class Unmade(Reno):
        made = 0

        def __init__(self) -> None:
            Unmade.made += 1
            if Unmade.made > 1:
                raise LookupError("no second one")

    set_: dict[str, tusker.Value] = {"flows.0.cc": "own"}
    with pytest.raises(ZeroDivisionError, match="the hundredth"):
        tusker.run(dumbbell, set=set_, laws={"own": Broken})
    with pytest.raises(tusker.InputError, match="Nowhere.shrink gave NaN"):
        tusker.run(dumbbell, set=set_, laws={"own": Nowhere})
    with pytest.raises(LookupError, match="no second one"):
        tusker.run(dumbbell, set=set_, laws={"own": Unmade})
    # before anything runs: this one would only be called at the first loss
    with pytest.raises(tusker.InputError, match=r"`own`: .*Half lacks def shrink\(self, w: float\)"):
        tusker.run(dumbbell, set=set_, laws={"own": Half})
    with pytest.raises(tusker.InputError, match=r"`own`: Queue lacks def on_arrival\(self, packet"):
        tusker.run(dumbbell, queues={"own": tusker.Queue})
    # and afterwards everything is as before
    tusker.run(dumbbell, set=set_, laws={"own": Reno})


def test_mistakes_of_names_are_told(dumbbell: str) -> None:
    with pytest.raises(tusker.InputError, match="`reno` already exists"):
        tusker.run(dumbbell, laws={"reno": Reno})
    with pytest.raises(tusker.InputError, match="no name"):
        tusker.run(dumbbell, laws={"my law": Reno})
    with pytest.raises(tusker.InputError, match="which is no tusker.Law"):
        tusker.run(dumbbell, laws={"own": Step})  # type: ignore[dict-item]
    # a name only exists during its call
    with pytest.raises(tusker.InputError, match="unknown congestion control `own`"):
        tusker.run(dumbbell, set={"flows.0.cc": "own"})


def test_what_traces_have_anyway_is_not_shown_again(dumbbell: str) -> None:
    class Shown(Reno):
        def inspect(self) -> dict[str, float]:
            return {"srtt": 1.0}

    class ShownQueue(Step):
        def inspect(self) -> dict[str, float]:
            return {"queue": 1.0}

    with pytest.raises(tusker.InputError, match="`srtt`, which is traced anyway"):
        tusker.run(dumbbell, set={"flows.0.cc": "own"}, laws={"own": Shown})
    with pytest.raises(tusker.InputError, match="`queue`, which is traced anyway"):
        set_: dict[str, tusker.Value] = {"dumbbell.queue": {"policy": "own", "limit": "100pkt"}}
        tusker.run(dumbbell, set=set_, queues={"own": ShownQueue})


def test_a_name_is_for_one_call(dumbbell: str, tmp_path: Path) -> None:
    """Six threads with six laws of one name: each gets the numbers of its own."""
    gains = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5]

    set_: dict[str, tusker.Value] = {"flows.0.cc": "own", "dumbbell.queue": "10pkt"}

    def run(a: float) -> float:
        laws = {"own": partial(Scalable, a)}
        result = tusker.run(dumbbell, set=set_, laws=laws)
        swept = tusker.sweep(dumbbell, {"seed": [3, 4]}, set=set_, laws=laws, jobs=2)
        result.save(tmp_path / str(a), force=True)
        retransmissions: float = result.summary.total.retransmissions.mean
        assert swept.runs["retransmissions"][0] == retransmissions
        return retransmissions

    alone = [run(a) for a in gains[:2]]
    with ThreadPoolExecutor(len(gains)) as threads, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        together = list(threads.map(run, gains[2:] + gains[:2]))
    assert together[-2:] == alone and len(set(together)) > 3


STUCK = """
import os, signal, threading, time, warnings
import tusker

class Stuck(tusker.Law):
    def grow(self, w, ack):
        {body}
    def shrink(self, w):
        return w / 2

class Reno(tusker.Law):
    def grow(self, w, ack):
        w.cwnd += ack.credit / w.cwnd
    def shrink(self, w):
        return w / 2

scenario = {{"profile": "linux", "duration": "5s", "flows": [{{"name": "a", "cc": "mine"}}],
    "dumbbell": {{"rate": "5Mbit", "delay": "5ms", "queue": "20pkt", "access": {{"rate": "1Gbit", "delay": "1ms"}}}}}}
threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
begun = time.monotonic()
try:
    tusker.run(scenario, laws={{"mine": Stuck}})
except KeyboardInterrupt:
    print("interrupted", time.monotonic() - begun < 5)
print(tusker.run(scenario, laws={{"mine": Reno}}).name)
"""


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("while True: pass", 0),
        # Python cannot end these: the interpreter does not wait for them
        ("time.sleep(1e6)", 1),
        ("exec('while True:\\n try: time.sleep(0)\\n except BaseException: pass')", 1),
    ],
)
def test_a_law_that_never_returns_leaves_a_usable_interpreter(body: str, code: int) -> None:
    words = [sys.executable, "-c", STUCK.format(body=body)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60)
    assert done.stdout.split() == ["interrupted", "True", "scenario"], done.stderr
    # not SIGABRT
    assert done.returncode == code, done.stderr


@pytest.mark.parametrize("wrong", [3, "cc", ["cc"], 1.5, True, b"cc"])
def test_an_argument_of_a_wrong_type_is_an_input_error(wrong: Any, dumbbell: str, tmp_path: Path) -> None:
    calls: list[Callable[[], object]] = [
        lambda: tusker.run(dumbbell, set=wrong),
        lambda: tusker.run(dumbbell, laws=wrong),
        lambda: tusker.run(dumbbell, queues=wrong),
        lambda: tusker.compare("reno", rate="1mbit", rtt="20ms", set=wrong),
        lambda: tusker.sweep(dumbbell, wrong),
        lambda: tusker.sweep(dumbbell, {"cc": "reno"}, set=wrong, laws=wrong),
        lambda: tusker.sweep(dumbbell, {"cc": "reno"}, engine="ray", storage_options=wrong),
        lambda: tusker.reproduce("hcc", set=wrong),
    ]
    for call in calls:
        with pytest.raises(tusker.InputError, match="give a dictionary"):
            call()


@pytest.mark.parametrize("wrong", [3, 1.5, [], {}, lambda: 1, b"a", True, False])
def test_a_path_of_a_wrong_type_is_an_input_error(
    wrong: Any, dumbbell: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    calls: list[Callable[[], object]] = [
        lambda: tusker.run(dumbbell, out=wrong),
        lambda: tusker.compare("reno", rate="1mbit", rtt="20ms", out=wrong),
        lambda: tusker.sweep(dumbbell, {"cc": "reno"}, out=wrong),
        lambda: tusker.plan(size="1GB", rate="1gbit", rtt="10ms", out=wrong),
        lambda: tusker.reproduce("hcc", recorded=wrong),
        lambda: tusker.run(dumbbell).save(wrong),
    ]
    for call in calls:
        with pytest.raises(tusker.InputError, match="give (a|the) path"):
            call()
    assert not list(tmp_path.iterdir())


def test_laws_are_compared_with_the_built_in_ones() -> None:
    laws = {f"own{a}": partial(Scalable, a) for a in (1, 2)}
    both = tusker.compare(["reno", *laws], rate="10mbit", rtt="20ms", duration="5s", laws=laws, jobs=2)
    assert both.names == ["reno", "own1", "own2"]
    goodput = [result.summary.total.goodput_bps.mean for result in both.values()]
    assert all(0 < value < 10e6 for value in goodput)


def test_a_sweep_goes_on_only_with_the_same_law(scenario: Path, tmp_path: Path) -> None:
    def sweep(a: float) -> tusker.Sweep:
        own = {"own": partial(Scalable, a)}
        return tusker.sweep(scenario, {"cc": ["reno", "own"]}, laws=own, out=tmp_path / "sweep")

    first = sweep(0.01)
    assert (first.ran, len(first)) == (2, 2)
    assert sweep(0.01).ran == 0
    assert sweep(0.02).ran == 2


def test_results_of_laws_are_stored(dumbbell: str, tmp_path: Path) -> None:
    result = tusker.run(dumbbell, set={"flows.0.cc": "own"}, laws={"own": Reno})
    folder = result.save(tmp_path / "own")
    assert "own" in (folder / "scenario.toml").read_text() and (folder / "report.html").is_file()
