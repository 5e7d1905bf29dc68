"""What a model says of a trial, beside what was counted and measured."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from iosonde.contract import ADDED, HIDDEN, NULL
from iosonde.records.finding import Finding
from iosonde.records.stack import Scalar


@dataclass(frozen=True, slots=True)
class Forecast:
    """How fast a trial was held to be by a model, and how fast it was.

    Args:
        trial: its id.
        layer: of the stack that the load was applied to.
        stack: the stack's name.
        made: when it was predicted, seconds since the epoch.
        predicted: "iops", "bandwidth", "latency_mean" → figure of the model.
        measured: the same of the trial, means over its loops.
        band: lowest and highest iops of the model.
        devices: layer → model of it, as written.
        latency_band: of requests that came at times of their own the lowest and the highest mean
            latency of the model, in seconds: their rate is that of the times. None: of others.
    """

    trial: str
    layer: str
    stack: str
    made: float
    predicted: Mapping[str, float]
    measured: Mapping[str, float]
    band: tuple[float, float]
    devices: Mapping[str, str] = field(default_factory=dict)
    latency_band: tuple[float, float] | None = None

    @property
    def inside(self) -> bool:
        """Whether the measured iops, of a replay the mean latency, lie within the band."""
        if self.latency_band:
            return self.latency_band[0] <= self.measured["latency_mean"] <= self.latency_band[1]
        return self.band[0] <= self.measured["iops"] <= self.band[1]

    def off(self, name: str) -> float | None:
        """How far the prediction is from the measurement, as a fraction of that."""
        predicted, other = self.predicted.get(name), self.measured.get(name)
        return predicted / other - 1 if predicted is not None and other else None


@dataclass(frozen=True, slots=True)
class Account:
    """I/Os of a device: reads, bytes read, writes, bytes written."""

    reads: float
    read_bytes: float
    writes: float
    write_bytes: float

    def __add__(self, other: Account) -> Account:
        return Account(
            self.reads + other.reads, self.read_bytes + other.read_bytes,
            self.writes + other.writes, self.write_bytes + other.write_bytes,
        )  # fmt: skip

    def times(self, count: float) -> Account:
        """So many of it."""
        return Account(
            self.reads * count, self.read_bytes * count,
            self.writes * count, self.write_bytes * count,
        )  # fmt: skip

    def __sub__(self, other: Account) -> Account:
        return Account(
            self.reads - other.reads, self.read_bytes - other.read_bytes,
            self.writes - other.writes, self.write_bytes - other.write_bytes,
        )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerRow:
    """A layer under load: what it was to get, what its device counted over all loops.

    `idle` is what others do there, counted while the load did not run and stretched to the time
    that it took. `last`: nothing below it was reckoned with. `writes_band`: see `Counts`.
    `by_clock`: writes, and bytes of them, that may be more or fewer, since a timer makes them.
    `between`: the least and the most it can be, where what a cache held is not known.
    `pieces`: reads and writes among the predicted that are parts of one which it split itself; a
    kernel that counts them whole counts so many fewer.
    """

    layer: str = field(metadata={"name": "id"})
    kind: str
    device: str = field(metadata=NULL)
    predicted: Account
    writes_band: tuple[int, int]
    between: tuple[Account, Account] | None = field(default=None, metadata=ADDED)
    counted: Account | None
    idle: Account
    last: bool = field(metadata=HIDDEN)
    by_clock: tuple[int, int] = field(default=(0, 0), metadata=HIDDEN)
    pieces: tuple[int, int] = field(default=(0, 0), metadata=HIDDEN)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ledger:
    """What was predicted of a trial's loops and what the devices counted, the top first.

    Args:
        rows: of each layer.
        depth: requests that were under way at once; predicted are those one after the other.
        meeting: of several at once, the share by which a device may read more, and count more I/Os.
        recorded: the requests are those that the load made; else others of the same kind.
        uncovered, notes: sentences.
        likely: other figures of an array with which the prediction comes true: layer, what, value.
        declared: layer, what, as declared, as found: where these differ.
        findings: what the rules say of it.
    """

    depth: int
    recorded: bool
    rows: tuple[LedgerRow, ...] = field(metadata={"name": "layers"})
    uncovered: tuple[str, ...] = field(default=(), metadata={"name": "not_covered"})
    notes: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
    likely: tuple[tuple[str, str, Scalar], ...] = field(default=(), metadata=HIDDEN)
    declared: tuple[tuple[str, str, Scalar, Scalar], ...] = field(default=(), metadata=HIDDEN)
    meeting: float = field(default=0.0, metadata=HIDDEN)
