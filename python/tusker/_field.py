"""`tusker.diagnose` and `tusker.import_`: what other tools measured, and their paths."""

from __future__ import annotations

import json
import warnings

from . import _tusker
from ._errors import Note
from ._options import Path_, request
from ._summary import Summary, read


def diagnose(
    file: Path_ | None = None,
    *,
    flow: str | int | None = None,
    rate: str | None = None,
    rtt: str | None = None,
    measured: str | None = None,
    cc: str | None = None,
    duration: str | None = None,
    buffer: str | None = None,
    retransmits: str | int | None = None,
    streams: str | int | None = None,
) -> Summary:
    """Finds what limits a measured transfer: `tusker diagnose`.

    `file` is output of `iperf3 --json` or `ss -tin`, a packet capture, a qlog file or one of
    Flent; or say what was measured: `diagnose(rate="10gbit", rtt="150ms", measured="2.1gbit")`.
    `tusker diagnose --help` describes each option.

    `causes` has the limits, the best explanation first, each with `cause`, `verdict`, the value
    that it `needed`, and what was `simulated`.

    Raises what `tusker.run` raises.
    """
    return read(_tusker.diagnose(request(locals())))


def import_(
    what: str,
    *,
    upload: bool = False,
    time: str | None = None,
    value: str | None = None,
    over: str | None = None,
    rows: str | None = None,
) -> str:
    """Turns a command of tc, netem or Mahimahi, or a trace, into a scenario: `tusker import`.

    `what` is a command line, or the path of a file with commands or a trace. The scenario is
    TOML, which `tusker.run` takes. Warnings say where it differs from what was imported.

    Raises what `tusker.run` raises.
    """
    columns = {"time": time, "value": value, "over": over, "rows": rows}
    toml, notes = _tusker.import_(json.dumps({**columns, "words": [what], "upload": upload}))
    for note in notes:
        warnings.warn(note, Note, stacklevel=2)
    return toml
