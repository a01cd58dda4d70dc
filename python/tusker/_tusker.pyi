"""The compiled part of the package: see crates/tusker-python."""

from collections.abc import Callable
from os import PathLike
from typing import final

import pandas
import polars

_Text = tuple[str, str, str]
_Progress = Callable[[float], object]
_One = tuple[str, Callable[[], object], str, list[str]]
_Written = tuple[list[_One], list[_One], str]

def version() -> str: ...
def build() -> tuple[str, str]: ...
def replicate(scenario: str, number: int, traced: bool, csv: bool, dir: str) -> tuple[str, str] | None: ...
def row(scenario: str, seed: int) -> tuple[str, float, tuple[str, str] | None]: ...
def toml(json: str) -> str: ...
def run(
    request: str,
    text: _Text | None = None,
    written: _Written | None = None,
    progress: _Progress | None = None,
) -> Runs: ...
def compare(request: str, written: _Written | None = None, progress: _Progress | None = None) -> Runs: ...
def plan(request: str, progress: _Progress | None = None) -> PlanMade: ...
def diagnose(request: str) -> str: ...
def import_(request: str) -> tuple[str, list[str]]: ...
def evaluate(
    request: str,
    in_memory: bool = True,
    written: _Written | None = None,
    progress: _Progress | None = None,
    through: tuple[str, str] | None = None,
) -> tuple[str, str, str | None]: ...
def reproduce(
    request: str,
    in_memory: bool = True,
    progress: _Progress | None = None,
    through: tuple[str, str] | None = None,
) -> PaperRows: ...
def sweep(
    request: str,
    text: _Text | None = None,
    in_memory: bool = True,
    written: _Written | None = None,
    progress: _Progress | None = None,
    through: tuple[str, str] | None = None,
) -> SweepRuns: ...

@final
class Window:
    """Congestion window and slow-start threshold, in segments."""

    cwnd: float
    ssthresh: float

@final
class Rtt:
    """Round-trip times, in seconds."""

    @property
    def latest(self) -> float:
        """The sample that this ACK gives."""
    @property
    def smoothed(self) -> float:
        """SRTT of RFC 6298."""
    @property
    def min(self) -> float:
        """The minimum of the connection."""
    @property
    def forward(self) -> float | None:
        """One-way delay, if timestamps give it; only differences mean anything."""

@final
class RateSample:
    """A sample of the delivery rate."""

    @property
    def rate(self) -> float:
        """Segments per second."""
    @property
    def delivered(self) -> int:
        """Segments delivered during the sample ..."""
    @property
    def interval(self) -> float:
        """... and its length, seconds."""
    @property
    def lost(self) -> int:
        """Segments detected as lost during the sample."""
    @property
    def app_limited(self) -> bool:
        """The application, not the network, may have set the rate."""

@final
class Ack:
    """What the transport learned from one acknowledgment."""

    @property
    def now(self) -> float:
        """When it arrived, seconds."""
    @property
    def acked(self) -> int:
        """Segments that it newly reports as delivered."""
    @property
    def credit(self) -> float:
        """How many segments of growth it counts for: multiply by it."""
    @property
    def in_flight(self) -> int:
        """Segments estimated to be in the network."""
    @property
    def rtt(self) -> Rtt | None:
        """Round-trip times, if it provides a sample."""
    @property
    def departed(self) -> float:
        """When the segment that caused it left the sender, seconds."""
    @property
    def round_start(self) -> bool:
        """The first ACK of a round."""
    @property
    def cwnd_limited(self) -> bool:
        """The window limits the sender."""
    @property
    def lost(self) -> int:
        """Segments newly detected as lost, if the law needs `rate_samples`."""
    @property
    def marked(self) -> int:
        """How many of `acked` arrived marked, if the law needs `accurate_ecn` or `l4s`."""
    @property
    def rate(self) -> RateSample | None:
        """The delivery rate, if the law needs `rate_samples`."""

@final
class Verdict:
    """What happens to a packet."""

    PASS: Verdict
    """It enters or leaves the queue."""
    SIGNAL: Verdict
    """It is marked if that is possible, otherwise dropped."""
    DROP: Verdict
    """It is dropped."""

@final
class Packet:
    """A packet at a queue."""

    @property
    def size(self) -> int:
        """Bytes on the wire."""
    @property
    def can_mark(self) -> bool:
        """It can be marked instead of dropped."""
    @property
    def arrived(self) -> float:
        """When it arrived, seconds."""

@final
class Backlog:
    """The packets that wait at a link."""

    @property
    def packets(self) -> int:
        """Packets, without the one being transmitted."""
    @property
    def bytes(self) -> int:
        """Bytes."""
    @property
    def idle_since(self) -> float | None:
        """When the link became idle, seconds; `None` while it is busy."""

@final
class Link:
    """The link that a queue feeds."""

    @property
    def rate_bps(self) -> int:
        """Its rate."""
    @property
    def mean_packet(self) -> int:
        """Expected mean size of a packet, bytes."""

@final
class Random:
    """Random numbers for a policy, determined by the seed of the run."""

    def uniform(self) -> float:
        """Uniform in [0, 1)."""
    def exponential(self, mean: float) -> float:
        """Exponential with this mean."""

class Table:
    """A table in memory. pyarrow, polars, pandas, DuckDB and everything else that supports
    the Arrow PyCapsule interface can use it without a copy: `polars.DataFrame(table)`,
    `pyarrow.table(table)`."""

    @property
    def column_names(self) -> list[str]:
        """The names of the columns, in order; they end in their units."""

    def __len__(self) -> int: ...
    def __contains__(self, name: str) -> bool: ...
    def __getitem__(self, name: str) -> list[float | int | str | None]:
        """A column as a list; `None` for missing values."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...
    def __arrow_c_schema__(self) -> object: ...
    def to_pandas(self) -> pandas.DataFrame:
        """As a pandas.DataFrame."""

    def to_polars(self) -> polars.DataFrame:
        """As a polars.DataFrame."""

    def _repr_html_(self) -> str: ...

class Runs:
    def __len__(self) -> int: ...
    @property
    def names(self) -> list[str]: ...
    @property
    def varied(self) -> list[list[tuple[str, str]]]: ...
    @property
    def notes(self) -> list[str]: ...
    @property
    def summaries(self) -> list[str]: ...
    def scenario(self, nth: int) -> str: ...
    def table(self, nth: int, name: str) -> Table | None: ...
    def runs(self, only: int | None = None) -> Table: ...
    def claim(self, dir: str | PathLike[str], force: bool) -> None: ...
    def save(self, nth: int, dir: str | PathLike[str], force: bool) -> None: ...
    @staticmethod
    def page(dirs: list[str | PathLike[str]], into: str | PathLike[str], written: _Written | None = None) -> None: ...

class SweepRuns:
    @property
    def runs(self) -> Table: ...
    @property
    def points(self) -> Table: ...
    @property
    def summary(self) -> str: ...
    @property
    def dir(self) -> str | None: ...
    @property
    def notes(self) -> list[str]: ...
    @property
    def counts(self) -> tuple[int, int, int]: ...

class PlanMade:
    @property
    def rows(self) -> Table: ...
    @property
    def summary(self) -> str: ...
    @property
    def dir(self) -> PathLike[str] | None: ...

class PaperRows:
    @property
    def rows(self) -> Table: ...
    @property
    def claims(self) -> Table: ...
    @property
    def summary(self) -> str: ...
    @property
    def dir(self) -> str | None: ...
