"""Typed face of the Rust core (crates/iosonde-py); a test compares it with the built module."""

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import final

VERSION: str

class LogError(ValueError):
    """A log that cannot be read; `args` are the message and the line's number or None."""

@final
class FioLogFigures:
    """What a fio log or trace says.

    Arrays are bytes of native unsigned 64-bit integers, in the log's own units (times in ms, of a
    trace in µs). Directions are read, write, trim, unknown.
    """

    @property
    def variant(self) -> str | None: ...
    @property
    def lines(self) -> int: ...
    @property
    def bad_lines(self) -> int: ...
    @property
    def crlf_lines(self) -> int: ...
    @property
    def sizes_grouped(self) -> bool: ...
    @property
    def interval(self) -> int: ...
    @property
    def named_bad_lines(self) -> list[tuple[int, str]]: ...
    @property
    def spans(self) -> list[tuple[str, int, int]]: ...
    @property
    def events(self) -> dict[str, int]: ...
    def series(self, direction: str) -> list[bytes]:
        """Number of the interval, count, bytes, sum, max."""
    def sizes(self, direction: str) -> list[bytes]:
        """Size, count, bytes, sum, min, max, offset off the grid, offset or size off the grid."""
    def histograms(self, direction: str) -> list[bytes]:
        """Place in `sizes`, lowest and highest value of the bucket, count."""

def fio_log_variants() -> list[str]:
    """Names of all variants, as `read_fio_log` takes them."""

def read_fio_log(
    path: str | PathLike[str],
    *,
    strict: bool = False,
    threads: int = 0,
    variant: str | None = None,
    interval_ms: int = 1000,
) -> FioLogFigures:
    """Figures of a fio log or trace.

    Raises:
        LogError: it is none; with `strict`, its first bad line.
        OSError: it could not be opened or read.
        ValueError: no such variant.
    """

@final
class Sampler:
    """Reads files every `interval` seconds in a thread of its own, beginning at once.

    Raises:
        OSError: a file cannot be opened.
        ValueError: the interval is no time.
    """

    def __new__(cls, paths: Sequence[str], interval: float) -> Sampler: ...
    def take(self) -> tuple[list[tuple[float, list[bytes]]], int]:
        """Readings since the last call (epoch seconds, contents), and how many came too late."""
    def stop(self) -> None:
        """Ends the thread; what was not taken can still be."""

@final
class Anchors:
    """Finds the lines of a text that hold one of many literals.

    Args:
        literals: text and number of the group it belongs to.

    Raises:
        ValueError: too many or too long literals.
    """

    def __new__(cls, literals: Sequence[tuple[str, int]]) -> Anchors: ...
    def scan(self, block: bytes) -> tuple[list[int], list[int], list[int], int]:
        """Lines that hold a literal, each once for every group it holds one of.

        Returns:
            Their numbers in the block from 0, the offsets of their first bytes, the groups; and
            how many line ends the block has.
        """

@final
class Ledger:
    """A stack of layers, and how many I/Os each got of requests that come one after the other.

    Args:
        layers: the top first; each the name of its rule, its figures (bytes) and the numbers of the
            layers it stands on, which all come after it. The rules are in
            crates/iosonde-core/src/ledger/spec.rs.

    Raises:
        ValueError: no such rule; a figure is missing or makes no sense.
    """

    def __new__(cls, layers: Sequence[tuple[str, Mapping[str, int], Sequence[int]]]) -> Ledger: ...
    def run(self, ops: bytes, offsets: bytes, lengths: bytes) -> None:
        """Requests to the top, in order; may be called again to go on.

        Args:
            ops: a byte each: 0 read, 1 write, 2 flush.
            offsets: native unsigned 64-bit integers, bytes.
            lengths: likewise.

        Raises:
            ValueError: columns of different lengths; another operation.
        """
    def reset(self) -> None:
        """Begins to count anew; what caches hold stays."""
    def counts(self, layer: int) -> list[int]:
        """Reads, writes, flushes; bytes read, written; reads, writes off the 4 KiB grid."""
    def sizes(self, layer: int) -> list[bytes]:
        """Sizes of reads, how many of each; sizes of writes, how many: native 64-bit integers."""
    def events(self, layer: int) -> list[tuple[str, int]]:
        """What the layer's own rule counted, such as a cache its hits."""
