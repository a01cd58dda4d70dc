"""Congestion controls and queue policies in Python."""

from __future__ import annotations

import hashlib
import inspect
import re
import uuid
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar, TypeAlias

from ._errors import InputError
from ._tusker import Ack, Backlog, Link, Packet, Random, Verdict, Window


class Law:
    """A congestion control (law) as most papers give it: how the window grows per ACK, and
    what is left of it after a loss. The transport detects and repairs losses; slow
    start, recovery and timeouts are the same for all laws (docs/add-a-law.md).

    One object is created per connection. `grow` and `shrink` are required; if one is
    missing, you get an error before anything runs. Windows are in segments, times in seconds.
    """

    needs: ClassVar[Sequence[str]] = ()
    """What the law needs from the transport: `timestamps`, `pacing`, `accurate_ecn`,
    `l4s`, `rate_samples`, `rack`, `not_ect`."""

    @abstractmethod
    def grow(self, w: Window, ack: Ack) -> None:
        """Grows the window for an ACK in congestion avoidance: sets `w.cwnd`."""

    @abstractmethod
    def shrink(self, w: float) -> float:
        """The window to which `w` segments shrink at a loss or mark."""

    def shrink_outside(self, w: float) -> float:
        """As `shrink`, but in slow start and at a timeout, when the window does not come from
        this law; by default the same as `shrink`."""
        return self.shrink(w)

    def shrink_at_mark(self, w: float) -> float | None:
        """As `shrink`, but at a mark (ECN), if the law reacts differently to marks than to
        losses."""
        return None

    def observe(self, w: Window, ack: Ack) -> None:
        """Is called for every ACK in every phase, before the window changes."""

    def shrunk(self, now: float) -> None:
        """Is called after the reaction to a loss or mark."""

    def reset(self, now: float) -> None:
        """Is called at a timeout: forget what was measured."""

    def inspect(self) -> dict[str, float]:
        """Internal state for traces, with the same names at every call."""
        return {}


class Queue:
    """A queue policy: what happens to an arriving packet, and to a departing one. The
    simulator enforces the limit, and turns a signal into a mark or a drop
    (docs/add-a-queue-policy.md).

    One object is created for each link that uses it.
    """

    needs: ClassVar[Sequence[str]] = ()
    """`marking`: ECN-capable packets are marked unless a scenario turns this off."""

    interval: float | None = None
    """Seconds between calls of `on_poll`, if it is used."""

    def set_up(self, link: Link) -> None:
        """Before the first packet: the link that the queue feeds."""

    @abstractmethod
    def on_arrival(self, packet: Packet, queue: Backlog, now: float, random: Random) -> Verdict:
        """A packet arrives; `queue` does not include it."""

    def on_departure(self, packet: Packet, queue: Backlog, now: float, random: Random) -> Verdict:
        """The link is free and would send `packet`; `queue` is what waits behind it. After
        a drop it is called for the next one."""
        return Verdict.PASS

    def on_overflow(self) -> None:
        """A packet that was passed found no room."""

    def on_empty(self, now: float) -> None:
        """The link is free, and nothing waits; for policies with `on_departure`."""

    def on_poll(self, now: float, queue: Backlog) -> None:
        """`interval` has passed again."""

    def inspect(self) -> dict[str, float]:
        """Internal state for traces, with the same names at every call."""
        return {}


Laws: TypeAlias = "Mapping[str, Callable[[], Law]]"
"""Names for scenarios, each with a class or another callable that creates a law."""

Queues: TypeAlias = "Mapping[str, Callable[[], Queue]]"
"""The same for queue policies."""

One: TypeAlias = "tuple[str, Callable[[], object], str, list[str]]"
Written: TypeAlias = "tuple[list[One], list[One], str]"


def written(laws: Laws | None, queues: Queues | None) -> Written | None:
    """The laws and queues as the simulator takes them; `None` if there are none."""
    if not laws and not queues:
        return None
    said = hashlib.sha256()
    own = [_one(name, make, Law, said.update) for name, make in (laws or {}).items()]
    policies = [_one(name, make, Queue, said.update) for name, make in (queues or {}).items()]
    return own, policies, said.hexdigest()


def _one(name: str, make: Callable[[], object], base: type, say: Callable[[bytes], None]) -> One:
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_-]*", name):
        raise InputError(f"`{name}` is no name: letters, digits, _ and -, with a letter first")
    if not callable(make):
        raise InputError(f"`{name}` is {make!r}: give a class, or what makes one of its objects")
    one = make()
    kind = type(one)
    if not isinstance(one, base):
        raise InputError(f"`{name}` makes a {kind.__qualname__}, which is no tusker.{base.__name__}")
    missing = [hook for hook in dir(base) if hasattr(getattr(kind, hook), "__isabstractmethod__")]
    if missing:
        lacks = " and ".join(f"def {hook}{inspect.signature(getattr(kind, hook))}" for hook in missing).replace("'", "")
        raise InputError(f"`{name}`: {kind.__qualname__} lacks {lacks}")
    for text in (name, _source(make), _state(one), *(_source(part) for part in kind.__mro__[:-1] if part is not base)):
        say(text.encode())
        say(b"\0")
    needs = list(getattr(one, "needs", ()))
    if isinstance(one, Queue) and type(one).on_departure is not Queue.on_departure:
        needs.append("departures")
    title = (inspect.getdoc(kind) or kind.__qualname__).split("\n")[0] if kind.__doc__ else kind.__qualname__
    return name, make, title, needs


def _source(what: object) -> str:
    """The identity of code: its source text. Code without one is unique."""
    if not inspect.isclass(what) and not inspect.isfunction(what):
        # a partial, say
        inner = getattr(what, "func", None)
        if inner is None:
            return uuid.uuid4().hex
        arguments = getattr(what, "args", ()), sorted(getattr(what, "keywords", {}).items())
        return f"{_source(inner)}{arguments!r}"
    try:
        return inspect.getsource(what)
    except (OSError, TypeError):
        return uuid.uuid4().hex


def _state(one: object) -> str:
    return repr(sorted(vars(one).items()))
