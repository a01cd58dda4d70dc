"""A stored result belongs to its law: whatever a law can reach makes another law of it."""

import functools
import math
import random
import subprocess
import sys
import time
import types
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import tusker
from tusker._identity import Unknown, digest

Make = Callable[[], tusker.Law]

K = 1.0
settings = types.ModuleType("settings")


class Base(tusker.Law):
    """Grows by k segments per round trip."""

    def by(self) -> float:
        return 1.0

    def grow(self, w: tusker.Window, ack: tusker.Ack) -> None:
        w.cwnd += self.by() * ack.credit / w.cwnd

    def shrink(self, w: float) -> float:
        return w / 2


def closure(k: float) -> Make:
    class Own(Base):
        def by(self) -> float:
            return k

    return Own


def attribute(k: float) -> Make:
    class Own(Base):
        gain = 1.0

        def by(self) -> float:
            return self.gain

    Own.gain = k
    return Own


def default(k: float) -> Make:
    class Own(Base):
        def by(self, gain: float = k) -> float:
            return gain

    return Own


def keyword(k: float) -> Make:
    class Own(Base):
        def by(self, *, gain: float = k) -> float:
            return gain

    return Own


def base(k: float) -> Make:
    class Middle(Base):
        gain = k

        def by(self) -> float:
            return self.gain

    class Own(Middle):
        pass

    return Own


def replaced(k: float) -> Make:
    class Own(Base):
        pass

    Own.by = lambda self: k  # type: ignore[method-assign]
    return Own


def of_the_object(k: float) -> Make:
    def make() -> tusker.Law:
        own = Base()
        own.by = lambda: k  # type: ignore[method-assign]
        return own

    return make


def a_global(k: float) -> Make:
    global K
    K = k

    class Own(Base):
        def by(self) -> float:
            return K

    return Own


def a_function(k: float) -> Make:
    global helper

    def helper() -> float:
        return k

    class Own(Base):
        def by(self) -> float:
            return helper()

    return Own


def of_a_module(k: float) -> Make:
    settings.k = k  # type: ignore[attr-defined]

    class Own(Base):
        def by(self) -> float:
            return float(settings.k)

    return Own


def arguments(k: float) -> Make:
    return functools.partial(Initialised, k)


def slots(k: float) -> Make:
    return functools.partial(Slotted, k)


def nested(k: float) -> Make:
    return functools.partial(Initialised, Holder([{"gain": [0.0] * 10_000 + [k]}]))


def a_property(k: float) -> Make:
    class Own(Base):
        @property
        def gain(self) -> float:
            return k

        def by(self) -> float:
            return self.gain

    return Own


@dataclass
class Holder:
    """Something that is not a number."""

    inner: list[dict[str, list[float]]]

    def __float__(self) -> float:
        return self.inner[0]["gain"][-1]


class Initialised(Base):
    def __init__(self, gain: float | Holder) -> None:
        self.gain = gain

    def by(self) -> float:
        return float(self.gain)


class Slotted(Base):
    __slots__ = ("gain",)

    def __init__(self, gain: float) -> None:
        self.gain = gain

    def by(self) -> float:
        return self.gain


WAYS = [
    closure,
    attribute,
    default,
    keyword,
    base,
    replaced,
    of_the_object,
    a_global,
    a_function,
    of_a_module,
    arguments,
    slots,
    nested,
    a_property,
]


@pytest.mark.parametrize("way", WAYS)
def test_results_of_another_law_are_not_returned(way: Callable[[float], Make], dumbbell: str, tmp_path: Path) -> None:
    def sweep(k: float, out: Path | None) -> tusker.Sweep:
        set_: dict[str, tusker.Value] = {"flows.0.cc": "own", "dumbbell.queue": "20pkt"}
        return tusker.sweep(dumbbell, {"duration": ["10s"]}, set=set_, laws={"own": way(k)}, out=out)

    with warnings.catch_warnings():
        # about one flow alone; and nothing says that a law is not known again
        warnings.filterwarnings("error", message=".*cannot be continued.*")
        first, other = sweep(1.0, tmp_path), sweep(8.0, tmp_path)
        assert (first.ran, other.ran, sweep(8.0, tmp_path).ran) == (1, 1, 0)
    alone = sweep(8.0, None)
    assert other.runs["retransmissions"] == alone.runs["retransmissions"] != first.runs["retransmissions"]


def test_an_experiment_is_not_continued_with_another_law(dumbbell: str, tmp_path: Path) -> None:
    def run(k: float, replicates: int) -> tusker.Result:
        laws = {"own": closure(k)}
        set_ = {"flows.0.cc": "own", "duration": "3s"}
        return tusker.run(dumbbell, set=set_, laws=laws, out=tmp_path / "run", replicates=replicates, resume=True)

    def compare(k: float, replicates: int) -> tusker.Comparison:
        options: dict[str, Any] = {"rate": "5mbit", "rtt": "20ms", "duration": "3s", "replicates": replicates}
        return tusker.compare("own", laws={"own": closure(k)}, out=tmp_path / "compare", resume=True, **options)

    for call in (run, compare):
        call(1.0, 1)
        call(1.0, 2)
        with pytest.raises(tusker.InputError) as error:
            call(8.0, 2)
        assert "with another law or queue policy written in Python" in plain(error.value)
        assert "build" not in plain(error.value)
    with pytest.raises(tusker.InputError) as error:
        tusker.run(dumbbell, set={"duration": "3s"}, out=tmp_path / "run", resume=True)
    assert "with laws or queue policies written in Python, and now there are none" in plain(error.value)


def plain(error: Exception) -> str:
    """Its text in one line."""
    return " ".join(str(error).replace("│", " ").split())


def test_a_queue_policy_is_its_own(dumbbell: str, tmp_path: Path) -> None:
    def sweep(most: int) -> tusker.Sweep:
        class Own(tusker.Queue):
            limit = 1

            def on_arrival(
                self, packet: tusker.Packet, queue: tusker.Backlog, now: float, random: tusker.Random
            ) -> tusker.Verdict:
                return tusker.DROP if queue.packets > self.limit else tusker.PASS

        Own.limit = most
        set_: dict[str, tusker.Value] = {"dumbbell.queue": {"policy": "own", "limit": "100pkt"}}
        return tusker.sweep(dumbbell, {"duration": ["10s"]}, set=set_, queues={"own": Own}, out=tmp_path)

    small, large = sweep(5), sweep(50)
    assert (small.ran, large.ran, sweep(50).ran) == (1, 1, 0)
    assert small.runs["retransmissions"] != large.runs["retransmissions"]


def test_what_cannot_be_known_again_is_told(dumbbell: str, tmp_path: Path) -> None:
    class Clocked(Base):
        def by(self) -> float:
            return 1 + 0 * time.time()

    def sweep(out: Path | None) -> tusker.Sweep:
        return tusker.sweep(dumbbell, {"cc": ["own"]}, set={"duration": "2s"}, laws={"own": Clocked}, out=out)

    for _ in range(2):
        with pytest.warns(tusker.Note, match="cannot be continued.*time.time"):
            assert sweep(tmp_path).ran == 1
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message=".*cannot be continued.*")
        sweep(None)


def counting() -> Iterator[int]:
    yield 1


def test_what_has_no_identity_has_none() -> None:
    generator = counting()

    def reads_a_file() -> str:
        return open("gain").read()

    def holds_a_generator() -> int:
        return next(generator)

    def evaluates() -> object:
        return eval("K")

    def draws() -> float:
        return random.random()

    for function in (reads_a_file, holds_a_generator, evaluates):
        with pytest.raises(Unknown):
            digest(function)
    # what is drawn depends on what was drawn before
    random.seed(1)
    first = digest(draws)
    draws()
    drawn = digest(draws)
    random.seed(1)
    assert first == digest(draws) != drawn


def test_calls_and_copies_change_nothing() -> None:
    def logarithm(x: float) -> float:
        return math.log(x)

    before = digest(logarithm, Base, {"a": {1, 2, "x"}})
    for _ in range(10_000):
        logarithm(2.0)
    assert digest(logarithm, Base, {"a": {"x", 2, 1}}) == before
    assert digest(functools.partial(Initialised, 1.0)) == digest(functools.partial(Initialised, 1.0))


def test_it_is_the_same_in_another_process(tmp_path: Path) -> None:
    law = tmp_path / "law.py"
    law.write_text(
        "import math, enum, dataclasses, collections, numpy, tusker\n"
        "class Mode(enum.Enum):\n    A = 1\n    B = 2\n"
        "@dataclasses.dataclass\nclass Point:\n"
        "    x: float = 1.0\n    y: set = dataclasses.field(default_factory=set)\n"
        "class Own(tusker.Law):\n"
        "    def __init__(self):\n"
        "        self.mode, self.last, self.p = Mode.A, collections.deque([1, 2], 3), Point(y={'a', 'b', 'c'})\n"
        "        self.array, self.rng = numpy.arange(3.0), numpy.random.default_rng(7)\n"
        "    def grow(self, w, ack):\n        w.cwnd += math.log(w.cwnd) + numpy.mean(self.array)\n"
        "    def shrink(self, w):\n        return w / 2\n"
        "def same():\n    from tusker._identity import digest\n    return digest(Own, Own())\n"
    )
    program = "import sys; sys.path.insert(0, sys.argv[1]); import law; print(law.same())"
    words = [sys.executable, "-c", program, str(tmp_path)]
    said = {subprocess.run(words, check=True, capture_output=True, text=True).stdout for _ in range(3)}
    assert len(said) == 1
    law.write_text(law.read_text().replace("x: float = 1.0", "x: float = 2.0"))
    said.add(subprocess.run(words, check=True, capture_output=True, text=True).stdout)
    assert len(said) == 2
