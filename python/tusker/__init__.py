"""Congestion control for long fat networks: simulate, compare, sweep, plan, reproduce.

    import tusker

    result = tusker.run("dumbbell.toml", seed=1)
    result.summary.total.goodput_bps.mean

    both = tusker.compare(["reno", "cubic"], rate="1gbit", rtt="100ms", buffer="0.1bdp..2bdp:4:log")
    polars.DataFrame(both)

The same simulator as the program `tusker`, with the same options as arguments,
bit-identical results, and the same error messages.
"""

from ._errors import Error, InputError, Note
from ._evaluate import Evaluation, evaluate
from ._field import diagnose, import_
from ._functions import compare, run, sweep
from ._options import Scenario, Value
from ._paper import Reproduction, reproduce
from ._plan import Plan, plan
from ._results import Comparison, Result, Sweep
from ._summary import Summary
from ._tusker import Ack, Backlog, Link, Packet, Random, RateSample, Rtt, Table, Verdict, Window, version
from ._written import Law, Queue

__version__ = version()

PASS, SIGNAL, DROP = Verdict.PASS, Verdict.SIGNAL, Verdict.DROP

__all__ = [
    "DROP",
    "PASS",
    "SIGNAL",
    "Ack",
    "Backlog",
    "Comparison",
    "Error",
    "Evaluation",
    "InputError",
    "Law",
    "Link",
    "Note",
    "Packet",
    "Plan",
    "Queue",
    "Random",
    "RateSample",
    "Reproduction",
    "Result",
    "Rtt",
    "Scenario",
    "Summary",
    "Sweep",
    "Table",
    "Value",
    "Verdict",
    "Window",
    "compare",
    "diagnose",
    "evaluate",
    "import_",
    "plan",
    "reproduce",
    "run",
    "sweep",
]
