"""Congestion control for long fat networks: simulate, compare, sweep.

    import tusker

    result = tusker.run("dumbbell.toml", seed=1)
    result.summary.total.goodput_bps.mean

    both = tusker.compare(["reno", "cubic"], rate="1gbit", rtt="100ms", buffer="0.1bdp..2bdp:4:log")
    polars.DataFrame(both)

The same simulator as the program `tusker`, with the same options by name, the same
results to the last bit, and the same texts where something is wrong.
"""

from ._errors import Error, InputError, Note
from ._functions import compare, run, sweep
from ._results import Comparison, Result, Sweep
from ._summary import Summary
from ._tusker import Table, version

__version__ = version()

__all__ = [
    "Comparison",
    "Error",
    "InputError",
    "Note",
    "Result",
    "Summary",
    "Sweep",
    "Table",
    "compare",
    "run",
    "sweep",
]
