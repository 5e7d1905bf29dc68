"""Typed face of the Rust core (crates/iosonde-py); a test compares it with the built module."""

from collections.abc import Callable, Sequence
from os import PathLike
from typing import Literal, final

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

def student_cdf(freedom: bytes, t: bytes) -> bytes:
    """Probabilities of values up to `t` by Student's t, as native doubles; NaN: no such law."""

def student_quantile(freedom: bytes, probability: bytes) -> bytes:
    """Values that are not exceeded with these probabilities, as native doubles."""

@final
class Anchors:
    """Finds the lines of a text that hold one of many literals.

    Args:
        literals: text and number of the group it belongs to.

    Raises:
        ValueError: a literal is empty or has a line end.
    """

    def __new__(cls, literals: Sequence[tuple[str, int]]) -> Anchors: ...
    def scan(self, block: bytes) -> tuple[list[int], list[int], list[int], int]:
        """Lines that hold a literal, each once for every group it holds one of.

        Returns:
            Their numbers in the block from 0, the offsets of their first bytes, the groups; and
            how many line ends the block has.
        """

class LedgerError(ValueError):
    """A stack that cannot be modelled, in one sentence."""

@final
class Same:
    """A device, or a layer that hands down what it gets."""

    def __new__(cls) -> Same: ...

@final
class Linear:
    """All of the layer below, from the byte `start` on."""

    def __new__(cls, *, start: int = 0) -> Linear: ...
    @property
    def start(self) -> int: ...

@final
class Segment:
    """A part of a volume; bytes.

    Args:
        start: in the volume.
        length: of it.
        child: place of the layer it lies on among those below.
        at: where it begins there.
    """

    def __new__(cls, *, start: int, length: int, child: int, at: int) -> Segment: ...
    @property
    def start(self) -> int: ...
    @property
    def length(self) -> int: ...
    @property
    def child(self) -> int: ...
    @property
    def at(self) -> int: ...

@final
class Segments:
    """Parts of the layers below, one behind the other."""

    def __new__(cls, *, segments: Sequence[Segment]) -> Segments: ...
    @property
    def segments(self) -> list[Segment]: ...

@final
class Striped:
    """Stripes over all layers below, from the byte `start` on each.

    With `latter_first` of two parts of an I/O the latter goes first.
    """

    def __new__(cls, *, chunk: int, start: int = 0, latter_first: bool = False) -> Striped: ...
    @property
    def chunk(self) -> int: ...
    @property
    def start(self) -> int: ...
    @property
    def latter_first(self) -> bool: ...

@final
class Mirror:
    """Copies on all layers below, from the byte `start` on each; reads come from the first."""

    def __new__(cls, *, start: int = 0) -> Mirror: ...
    @property
    def start(self) -> int: ...

@final
class Raid1:
    """RAID 1 of md.

    Args:
        failed: a bit for each member that is lost.
        solid: no member has a head that moves.
    """

    def __new__(cls, *, failed: int = 0, solid: bool = False) -> Raid1: ...
    @property
    def failed(self) -> int: ...
    @property
    def solid(self) -> bool: ...

@final
class Raid10:
    """RAID 10 of md.

    Args:
        chunk: bytes.
        size: bytes of data on each member.
        layout: md's number: near copies, 2^8 × far ones, 2^16 where these lie in the next chunks.
        failed: a bit for each member that is lost.
        solid: no member has a head that moves.
    """

    def __new__(
        cls, *, chunk: int, size: int, layout: int = 0x102, failed: int = 0, solid: bool = False
    ) -> Raid10: ...
    @property
    def chunk(self) -> int: ...
    @property
    def size(self) -> int: ...
    @property
    def layout(self) -> int: ...
    @property
    def failed(self) -> int: ...
    @property
    def solid(self) -> bool: ...

@final
class Parity:
    """RAID 4, 5 and 6 of md.

    Args:
        parity: members of parity in a row.
        chunk: bytes.
        layout: md's number.
        failed: a bit for each member that is lost.
        rmw_level: when md modifies rather than reconstructs: 0, 1 or 2.
        stripe_cache: stripes that are kept; 0: none.
    """

    def __new__(
        cls,
        *,
        parity: int,
        chunk: int,
        layout: int = 2,
        failed: int = 0,
        rmw_level: int = 1,
        stripe_cache: int = 0,
    ) -> Parity: ...
    @property
    def parity(self) -> int: ...
    @property
    def chunk(self) -> int: ...
    @property
    def layout(self) -> int: ...
    @property
    def failed(self) -> int: ...
    @property
    def rmw_level(self) -> int: ...
    @property
    def stripe_cache(self) -> int: ...

@final
class Cache:
    """A cache of blocks, such as flashcache, on the second layer below.

    Args:
        block: bytes.
        blocks: there is room for.
        mode: where writes go.
        ways: places of a set; 0: one set.
        lru: the block that was not used for longest goes first; else the places take turns.
        fills: reads take in what is not there.
    """

    def __new__(
        cls,
        *,
        block: int,
        blocks: int,
        mode: Literal["back", "through", "around"],
        ways: int = 0,
        lru: bool = False,
        fills: bool = True,
    ) -> Cache: ...
    @property
    def block(self) -> int: ...
    @property
    def blocks(self) -> int: ...
    @property
    def mode(self) -> Literal["back", "through", "around"]: ...
    @property
    def ways(self) -> int: ...
    @property
    def lru(self) -> bool: ...
    @property
    def fills(self) -> bool: ...

@final
class Promote:
    """dm-cache: the fast layer is the second one below.

    Args:
        block: bytes.
        blocks: there is room for.
        mode: where writes go; around: nothing is taken in.
        origin: blocks of the slow layer.
        rate: requests in a second.
        start: where blocks begin on the fast layer, bytes.
    """

    def __new__(
        cls,
        *,
        block: int,
        blocks: int,
        mode: Literal["back", "through", "around"],
        origin: int,
        rate: int,
        start: int = 0,
    ) -> Promote: ...
    @property
    def block(self) -> int: ...
    @property
    def blocks(self) -> int: ...
    @property
    def mode(self) -> Literal["back", "through", "around"]: ...
    @property
    def origin(self) -> int: ...
    @property
    def rate(self) -> int: ...
    @property
    def start(self) -> int: ...

@final
class Writecache:
    """dm-writecache: the fast layer is the second one below.

    Args:
        block: bytes.
        blocks: there is room for.
        high: share in use at which writing back begins, %.
        low: at which it ends, %.
        commit: blocks after which metadata are committed without a flush.
        rate: requests in a second.
        start: where the metadata begin on the fast layer, bytes.
    """

    def __new__(
        cls, *, block: int, blocks: int, high: int, low: int, commit: int, rate: int, start: int = 0
    ) -> Writecache: ...
    @property
    def block(self) -> int: ...
    @property
    def blocks(self) -> int: ...
    @property
    def high(self) -> int: ...
    @property
    def low(self) -> int: ...
    @property
    def commit(self) -> int: ...
    @property
    def rate(self) -> int: ...
    @property
    def start(self) -> int: ...

@final
class Bcache:
    """bcache: the fast layer is the second one below.

    Args:
        bucket: bytes.
        buckets: there are.
        mode: where writes go; none: nothing is kept any more.
        cutoff: bytes from which a stream goes past the cache; 0: none does.
        percent: dirty share that write-back aims at.
    """

    def __new__(
        cls,
        *,
        bucket: int,
        buckets: int,
        mode: Literal["back", "through", "around", "none"],
        cutoff: int = 0,
        percent: int = 0,
    ) -> Bcache: ...
    @property
    def bucket(self) -> int: ...
    @property
    def buckets(self) -> int: ...
    @property
    def mode(self) -> Literal["back", "through", "around", "none"]: ...
    @property
    def cutoff(self) -> int: ...
    @property
    def percent(self) -> int: ...

@final
class Controller:
    """The write-back cache of a RAID controller before its array; bytes.

    Args:
        width: data of a stripe.
        room: for writes.
        reads: for what was read.
    """

    def __new__(cls, *, width: int, room: int, reads: int = 0) -> Controller: ...
    @property
    def width(self) -> int: ...
    @property
    def room(self) -> int: ...
    @property
    def reads(self) -> int: ...

@final
class PageCache:
    """The page cache of one file; pages.

    Args:
        pages: there is room for.
        background: dirty ones above which they are written.
        ahead: read ahead at most.
        largest: I/O of the device.
        size: of the file.
        apart: each page is written by a bio of its own.
    """

    def __new__(
        cls,
        *,
        pages: int,
        background: int,
        ahead: int,
        largest: int,
        size: int,
        apart: bool = False,
    ) -> PageCache: ...
    @property
    def pages(self) -> int: ...
    @property
    def background(self) -> int: ...
    @property
    def ahead(self) -> int: ...
    @property
    def largest(self) -> int: ...
    @property
    def size(self) -> int: ...
    @property
    def apart(self) -> bool: ...

@final
class Journal:
    """A file system that journals data too.

    Args:
        at: place of the inode's block, bytes.
        blocks: of 4 KiB, with the journal's superblock.
        tags: in a descriptor block.
    """

    def __new__(cls, *, at: int, blocks: int, tags: int) -> Journal: ...
    @property
    def at(self) -> int: ...
    @property
    def blocks(self) -> int: ...
    @property
    def tags(self) -> int: ...

@final
class Drbd:
    """A replicated volume: its own side, then the other one.

    Args:
        log: where the activity log lies, bytes.
        extents: that can be active.
        flushes: the other side flushes behind each write.
    """

    def __new__(cls, *, log: int, extents: int = 1237, flushes: bool = True) -> Drbd: ...
    @property
    def log(self) -> int: ...
    @property
    def extents(self) -> int: ...
    @property
    def flushes(self) -> bool: ...

@final
class Far:
    """A layer whose data go over a network; bytes.

    Args:
        read: most of a message.
        write: likewise.
        burst: of iSCSI, what is asked for at once; 0: it is not iSCSI.
        first_burst: of iSCSI, what comes unasked.
        inline: of NVMe over fabrics, what comes with the command.
    """

    def __new__(
        cls,
        *,
        read: int,
        write: int,
        burst: int = 0,
        first_burst: int = 0,
        inline: int | None = None,
    ) -> Far: ...
    @property
    def read(self) -> int: ...
    @property
    def write(self) -> int: ...
    @property
    def burst(self) -> int: ...
    @property
    def first_burst(self) -> int: ...
    @property
    def inline(self) -> int | None: ...

Rule = (
    Same | Linear | Segments | Striped | Mirror | Raid1 | Raid10 | Parity | Cache | Promote
    | Writecache | Bcache | Controller | PageCache | Journal | Drbd | Far
)  # fmt: skip
"""What the core does with the I/Os of a layer: for annotations, the module has no such name."""

@final
class Limits:
    """What a layer takes at once.

    Args:
        most: bytes of an I/O; None: any.
        segments: pieces of memory of a request; 0: any number.
        boundary: no I/O crosses a multiple of so many bytes; 0: any may.
        merges: it has requests, which merge; else bios, which are only split.
    """

    def __new__(
        cls, *, most: int | None = None, segments: int = 0, boundary: int = 0, merges: bool = False
    ) -> Limits: ...
    @property
    def most(self) -> int | None: ...
    @property
    def segments(self) -> int: ...
    @property
    def boundary(self) -> int: ...
    @property
    def merges(self) -> bool: ...

@final
class Bitmap:
    """A write-intent bitmap on all layers below; bytes.

    Args:
        chunk: what a bit stands for.
        covers: all that has bits.
        at: where it lies on each member.
    """

    def __new__(cls, *, chunk: int, covers: int, at: int) -> Bitmap: ...
    @property
    def chunk(self) -> int: ...
    @property
    def covers(self) -> int: ...
    @property
    def at(self) -> int: ...

@final
class Node:
    """A layer of a stack.

    Args:
        rule: what it does with an I/O.
        below: numbers of the layers it stands on, which all come after it.
        starts: for each of them where this layer begins on it, bytes; empty: at 0.
        limits: what it takes at once; None: anything.
        bitmap: if it has one.

    Raises:
        TypeError: the rule is none.
    """

    def __new__(
        cls,
        rule: Rule,
        *,
        below: Sequence[int] = (),
        starts: Sequence[int] = (),
        limits: Limits | None = None,
        bitmap: Bitmap | None = None,
    ) -> Node: ...
    @property
    def rule(self) -> Rule: ...
    @property
    def below(self) -> list[int]: ...
    @property
    def starts(self) -> list[int]: ...
    @property
    def limits(self) -> Limits: ...
    @property
    def bitmap(self) -> Bitmap | None: ...

@final
class Counts:
    """What a layer got: I/Os, bytes, and I/Os off the 4 KiB grid."""

    @property
    def reads(self) -> int: ...
    @property
    def writes(self) -> int: ...
    @property
    def flushes(self) -> int: ...
    @property
    def read_bytes(self) -> int: ...
    @property
    def write_bytes(self) -> int: ...
    @property
    def off_grid_reads(self) -> int: ...
    @property
    def off_grid_writes(self) -> int: ...
    def __sub__(self, before: Counts) -> Counts:
        """What came since then."""

@final
class Ledger:
    """A stack of layers, and how many I/Os each got of requests that come one after the other.

    Args:
        nodes: its layers, the top first.
        together: stripes of an array with parity go on together once all that was read is there;
            else those of each row as soon as they can.

    Raises:
        LedgerError: something makes no sense.
    """

    def __new__(cls, nodes: Sequence[Node], *, together: bool = False) -> Ledger: ...
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
    def counts(self, layer: int) -> Counts:
        """What a layer got."""
    def read_sizes(self, layer: int) -> dict[int, int]:
        """Bytes of a read → how many such reads a layer got, the smallest first."""
    def write_sizes(self, layer: int) -> dict[int, int]:
        """Bytes of a write → how many such writes a layer got, the smallest first."""
    def events(self, layer: int) -> dict[str, int]:
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
