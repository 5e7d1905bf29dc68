"""Typed face of the Rust core (crates/iosonde-py); a test compares it with the built module."""

from collections.abc import Callable, Mapping, Sequence
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
    def settle(self) -> None:
        """Writes what caches hold that write back by and by; call it when no more requests come."""
    def reset(self) -> None:
        """Begins to count anew; what caches hold stays."""
    def counts(self, layer: int) -> list[int]:
        """Reads, writes, flushes; bytes read, written; reads, writes off the 4 KiB grid."""
    def sizes(self, layer: int) -> list[bytes]:
        """Sizes of reads, how many of each; sizes of writes, how many: native 64-bit integers."""
    def events(self, layer: int) -> list[tuple[str, int]]:
        """What the layer's own rule counted, such as a cache its hits."""

class TraceError(ValueError):
    """A file that is no trace, in one sentence."""

def trace_formats() -> list[tuple[str, str]]:
    """Name of each format of traces, and what it is."""

@final
class TraceReader:
    """A trace that is being read; see crates/iosonde-core/src/trace.

    Args:
        paths: one file or pipe, or the files of blktrace of all processors.
        fmt: a name of `trace_formats`; None: found in the content.
        event: Q, D or C; None: the first of these that there is.

    Raises:
        TraceError: no trace.
        OSError: it could not be opened.
        ValueError: no such event.
    """

    def __new__(
        cls,
        paths: Sequence[str | PathLike[str]],
        *,
        fmt: str | None = None,
        event: str | None = None,
    ) -> TraceReader: ...
    def read(self, limit: int) -> list[bytes] | None:
        """Columns of the next requests, at least `limit` but at the end; None where there are none.

        Nanoseconds (u64), operations (u8), devices (u32), offsets and lengths (u64, bytes).

        Raises:
            OSError: reading failed.
        """
    def profile(
        self, block: int, tracked: int, go_on: Callable[[], bool] | None = None
    ) -> TraceProfile:
        """Reads to the end and adds all up; `go_on` is asked now and then.

        Raises:
            KeyboardInterrupt: `go_on` said no.
            OSError: reading failed.
        """
    @property
    def format(self) -> str: ...
    @property
    def compression(self) -> str | None: ...
    @property
    def lines(self) -> int | None: ...
    @property
    def bad(self) -> int: ...
    @property
    def named_bad(self) -> list[tuple[int, str]]:
        """The first of what was not read: line from 1 or byte from 0, and what is wrong."""
    @property
    def lost(self) -> int | None:
        """Events for which the kernel had no room."""
    @property
    def devices(self) -> list[str]: ...
    @property
    def others(self) -> list[tuple[str, int]]: ...
    @property
    def notes(self) -> list[str]: ...

@final
class TraceProfile:
    """What the requests of a trace are like; bytes, and nanoseconds on the trace's clock."""

    @property
    def counts(self) -> list[tuple[int, int]]:
        """Requests and bytes of reads, writes, flushes, discards."""
    @property
    def sizes(self) -> tuple[list[tuple[int, list[int]]], bool]:
        """Size and how many reads and writes; whether sizes stand for all up to their double."""
    def off(self, grid: int) -> list[list[int]]:
        """Reads and writes that begin or end off a grid; then those that begin off it.

        Raises:
            ValueError: the grid is no power of two.
        """
    @property
    def order(self) -> tuple[list[list[int]], int]:
        """Reads and writes: steps, sequential, streamed; then the sum of all distances."""
    @property
    def distances(self) -> list[tuple[int, list[int]]]:
        """Bits of a distance; steps backwards and forwards."""
    @property
    def devices(self) -> int: ...
    @property
    def clock(self) -> tuple[int, int, int, int, int, int]:
        """First and last time; gaps that go back; shortest and longest gap, sum of all."""
    @property
    def gaps(self) -> list[tuple[int, int, int]]:
        """Lowest and highest gap of each filled bucket, and how many."""
    @property
    def load(self) -> tuple[int, list[list[int]]]:
        """Seconds of a row; second, reads, writes, bytes read, written, most in a second."""
    @property
    def reuse(self) -> tuple[int, float, list[int], list[int]]:
        """Bytes of a block; share followed; blocks: all, read, written; references of each side."""
    @property
    def reuse_distances(self) -> tuple[list[float], list[tuple[int, int, list[float]]]]:
        """First references of reads, writes; lowest and highest distance, reads, writes."""
    @property
    def regions(self) -> tuple[int, list[tuple[int, int, list[int]]]]:
        """Bytes of a region; device, first byte, reads and writes; the most wanted first."""
