"""`tusker.evaluate` and its results."""

from __future__ import annotations

import html
from collections.abc import Callable
from functools import cached_property
from pathlib import Path

from . import _tusker
from ._engine import Engine, cluster
from ._options import Path_, Progress, folder, request, told
from ._summary import Summary, read
from ._written import Law, Laws, Queue, Queues, written


def evaluate(
    law: str | Callable[[], Law] | None = None,
    *,
    queue: str | Callable[[], Queue] | None = None,
    suite: Path_ | None = None,
    against: str | None = None,
    rate: str | None = None,
    rtt: str | None = None,
    duration: str | None = None,
    seed: int | None = None,
    replicates: int | None = None,
    jobs: int | None = None,
    memory: str | None = None,
    out: Path_ | None = None,
    laws: Laws | None = None,
    queues: Queues | None = None,
    engine: Engine | None = None,
    address: str | None = None,
    storage_options: dict[str, object] | None = None,
    progress: Progress = False,
) -> Evaluation:
    """Evaluates a congestion control, or with `queue` a queue policy, by a suite of
    experiments: `tusker evaluate`.

    `law` is a name with optional parameters (`"hcc:tau=0.005"`) or a class in Python, and so
    is `queue`. `suite` is a name (`tusker evaluate --list`) or a folder with a suite.toml; by
    default it is RFC 9743 for a congestion control, and RFC 7928 for a queue policy.
    `against` names what it is compared with, by name; `laws` and `queues` name others in
    Python.

    Results stay in memory. With the folder `out` every run is stored, and the same call
    continues where it was stopped.

    Raises what `tusker.run` raises.
    """
    arguments = locals()
    ray, through = cluster(engine, address, storage_options, laws or queues or callable(law) or callable(queue))
    named, policies = dict(laws or {}), dict(queues or {})
    if law is not None and not isinstance(law, str):
        named[_name(law)], law = law, _name(law)
    if queue is not None and not isinstance(queue, str):
        policies[_name(queue)], queue = queue, _name(queue)
    asked = request({**arguments, "law": law, "queue": queue, "ray": ray})
    own = written(named, policies, stored=out is not None)
    return Evaluation(*_tusker.evaluate(asked, out is None, own, told(progress), through))


def _name(made: Callable[[], object]) -> str:
    """What results call it."""
    return str(getattr(made, "__name__", type(made).__name__))


class Evaluation:
    """What a suite says of a congestion control or queue policy. `print` shows it."""

    def __init__(self, summary: str, text: str, where: str | None) -> None:
        self._summary, self._text, self._where = summary, text, where

    @cached_property
    def summary(self) -> Summary:
        """Everything, as in `evaluation.json`: `summary.criteria[0].verdict`."""
        return read(self._summary)

    @property
    def verdicts(self) -> dict[str, str]:
        """The verdict on each experiment."""
        return {one.name: one.verdict for one in self.summary.criteria}

    @property
    def folder(self) -> Path | None:
        """Where it is stored, if anywhere."""
        return None if self._where is None else folder(self._where)

    def save(self, path: Path_) -> None:
        """Writes `evaluation.json`, for `tusker evaluate --baseline`."""
        folder(path).write_text(self._summary)

    def __str__(self) -> str:
        return self._text.rstrip("\n")

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"

    def __repr__(self) -> str:
        one = self.summary
        return f"<tusker.Evaluation: {one.name} against {one.against}, {one.suite}>"
