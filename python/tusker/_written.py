"""Congestion controls and queue policies in Python."""

from __future__ import annotations

import inspect
import re
import uuid
import warnings
from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import ClassVar, TypeAlias

from ._errors import InputError, Note
from ._identity import Unknown, digest
from ._options import mapping
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


def written(laws: Laws | None, queues: Queues | None, *, stored: bool = False) -> Written | None:
    """The laws and queues as the simulator takes them; `None` if there are none. If their
    results are stored, a warning says which ones are not recognised by a later call."""
    if not mapping("laws", laws) and not mapping("queues", queues):
        return None
    own = [_one(name, make, Law, "laws") for name, make in mapping("laws", laws).items()]
    policies = [_one(name, make, Queue, "queues") for name, make in mapping("queues", queues).items()]
    try:
        identity = digest([one for one, _ in (*own, *policies)], [made for _, made in (*own, *policies)])
    except Unknown as why:
        identity = uuid.uuid4().hex
        if stored:
            text = f"results of these laws and queues cannot be continued, a later call runs everything again: {why}"
            warnings.warn(text, Note, stacklevel=3)
    return [one for one, _ in own], [one for one, _ in policies], identity


def _one(name: str, make: Callable[[], object], base: type, what: str) -> tuple[One, object]:
    if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_-]*", name):
        raise InputError(f"{what}: `{name}` is no name: letters, digits, _ and -, with a letter first")
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
    needs = _needs(name, one)
    if isinstance(one, Queue) and type(one).on_departure is not Queue.on_departure:
        needs.append("departures")
    title = (inspect.getdoc(kind) or kind.__qualname__).split("\n")[0] if kind.__doc__ else kind.__qualname__
    return (name, make, title, needs), one


def _needs(name: str, one: object) -> list[str]:
    needs = getattr(one, "needs", ())
    if isinstance(needs, str) or not isinstance(needs, Iterable) or not all(isinstance(need, str) for need in needs):
        raise InputError(f'`{name}`: needs = {needs!r}: give a tuple of names, such as ("timestamps",)')
    return list(needs)
