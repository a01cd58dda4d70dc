"""The functions of the package: run, compare, sweep."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from . import _tusker
from ._engine import Engine, cluster
from ._options import Path_, Progress, Scenario, Value, request, source, told, warn
from ._results import Comparison, Result, Sweep
from ._written import Laws, Queues, written


def run(
    scenario: Scenario,
    *,
    seed: int | None = None,
    replicates: int | None = None,
    set: Mapping[str, Value] | None = None,
    jobs: int | None = None,
    memory: str | None = None,
    out: Path_ | None = None,
    force: bool = False,
    resume: bool = False,
    tables: str | None = None,
    laws: Laws | None = None,
    queues: Queues | None = None,
    progress: Progress = False,
) -> Result:
    """Simulates a scenario: `tusker run`.

    `scenario` is the path of a file, its text, or a dictionary. `seed` is the seed of
    the first replicate; `replicates` runs several with consecutive seeds, for
    confidence intervals. `set` changes values: `{"duration": "10s", "flows.0.cc": "cubic"}`.

    Results stay in memory; `Result.save` stores them. With `out` they are stored as they
    arrive; `force` then removes earlier results from that folder first, and `resume` keeps
    its replicates and runs the missing ones.

    `laws` and `queues` name congestion controls and queue policies written in Python,
    for this call: `laws={"mine": MyLaw}` and `cc = "mine"`. An exception in one
    of them ends the run.

    Raises `tusker.InputError` (a `ValueError`) if the input is wrong, and
    `tusker.Error` for anything else, with the text that the command line prints.
    """
    arguments = locals()
    path, text = source(scenario)
    asked = request({**arguments, "scenario": path})
    own = written(laws, queues, stored=out is not None)
    runs = _tusker.run(asked, text, own, told(progress))
    warn(runs)
    return Result(runs, 0, own)


def compare(
    cc: str | Sequence[str],
    *,
    rate: str | Sequence[str],
    rtt: str | Sequence[str],
    buffer: str | Sequence[str] | None = None,
    loss: str | float | Sequence[str | float] | None = None,
    against: str | Sequence[str] | None = None,
    flows: int | None = None,
    parallel: int | None = None,
    queue: str | None = None,
    duration: str | None = None,
    profile: str | None = None,
    recovery: str | None = None,
    ecn: bool = False,
    set: Mapping[str, Value] | None = None,
    seed: int | None = None,
    replicates: int | None = None,
    jobs: int | None = None,
    memory: str | None = None,
    out: Path_ | None = None,
    force: bool = False,
    resume: bool = False,
    laws: Laws | None = None,
    queues: Queues | None = None,
    progress: Progress = False,
) -> Comparison:
    """Compares congestion controls on one or more paths: `tusker compare`.

    `rate`, `rtt`, `buffer` and `loss` are one value each, a list, or a range such as
    `"0.1bdp..2bdp:12:log"`; every combination is a path. `tusker compare --help`
    describes each option and its default.

    Raises what `tusker.run` raises.
    """
    asked = request(locals())
    own = written(laws, queues, stored=out is not None)
    runs = _tusker.compare(asked, own, told(progress))
    warn(runs)
    return Comparison(runs, own)


def sweep(
    scenario: Scenario | None = None,
    over: Mapping[str, Value] | None = None,
    *,
    rate: str | Sequence[str] | None = None,
    rtt: str | Sequence[str] | None = None,
    buffer: str | Sequence[str] | None = None,
    loss: str | float | Sequence[str | float] | None = None,
    cc: str | Sequence[str] | None = None,
    flows: int | None = None,
    queue: str | None = None,
    ecn: bool = False,
    duration: str | None = None,
    set: Mapping[str, Value] | None = None,
    until: str | float | None = None,
    most: int | None = None,
    measure: str | Sequence[str] | None = None,
    seed: int | None = None,
    replicates: int | None = None,
    jobs: int | None = None,
    memory: str | None = None,
    out: Path_ | None = None,
    tables: str | None = None,
    laws: Laws | None = None,
    queues: Queues | None = None,
    engine: Engine | None = None,
    address: str | None = None,
    storage_options: Mapping[str, object] | None = None,
    progress: Progress = False,
) -> Sweep:
    """Runs a scenario over a grid of values: `tusker sweep`.

    `over` gives keys of the scenario several values: `{"cc": ["reno", "cubic"],
    "dumbbell.queue": "0.1bdp..2bdp:12:log"}`; every combination is a point. A sweep file
    needs no `over`. Instead of a scenario, `rate` and `rtt` describe a dumbbell as for
    `tusker.compare`; they, `buffer` and `loss` are one value each, a list, or a range.

    With `until`, a point gets more replicates until half the 95 % interval is at most this
    share of the mean, such as `"2%"`.

    Results stay in memory. With the folder `out` each run is stored; if the call was
    stopped, the same call continues it.

    With `engine="ray"` a Ray cluster does the runs: the one to which `ray.init` has
    connected this process, or the one at `address` (`"auto"`, `"local"`, or the address
    of its head node). The results are the same. `out` may then be a folder in shared storage,
    `"s3://bucket/folder"`; `storage_options` are passed to fsspec.

    Raises what `tusker.run` raises.
    """
    arguments = locals()
    path, text = (None, None) if scenario is None else source(scenario)
    ray, through = cluster(engine, address, storage_options, laws or queues)
    asked = request({**arguments, "scenario": None, "file": path, "ray": ray})
    own = written(laws, queues, stored=out is not None)
    runs = _tusker.sweep(asked, text, out is None, own, told(progress), through)
    warn(runs)
    return Sweep(runs)
