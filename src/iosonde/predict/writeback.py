"""The write-back cache of a RAID controller: which I/Os its writes become when they leave it.

Writes are kept until the cache is full; then whole stripes leave it, the fullest first and among
these the oldest, until there is room. What was overwritten meanwhile is written once; a stripe of
which all is there needs no reads for its parity. No maker tells the order in which its controllers
write back: the fullest stripe first is what costs least for each byte that becomes free.

Source: A. Varma and Q. Jacobson, "Destage algorithms for disk arrays with nonvolatile caches",
IEEE Transactions on Computers 47 (1998), least-cost scheduling.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import gcd
from typing import TYPE_CHECKING

from iosonde.predict.requests import WRITE

if TYPE_CHECKING:
    from iosonde.predict.requests import Requests

_FINEST = 4096  # bytes; what is smaller is kept as one


@dataclass(frozen=True, slots=True)
class Geometry:
    """An array: bytes of a strip, drives that hold data of a stripe, parities, copies of data."""

    strip: int
    data: int
    parity: int
    copies: int

    @property
    def drives(self) -> int:
        """All of them."""
        return self.data * self.copies + self.parity

    def data_drives(self, stripe: int, place: int) -> tuple[int, ...]:
        """The drives that hold a data strip: parity rotates as in md's left-symmetric layout."""
        if not self.parity:
            return tuple(place * self.copies + copy for copy in range(self.copies))
        first = (self.drives - 1 - stripe) % self.drives
        return ((first + self.parity + place) % self.drives,)

    def parity_drives(self, stripe: int) -> tuple[int, ...]:
        """The drives that hold the parities."""
        first = (self.drives - 1 - stripe) % self.drives
        return tuple((first + number) % self.drives for number in range(self.parity))


@dataclass(slots=True)
class Destage:
    """What leaves the cache for a request: drive → [I/Os, bytes]."""

    reads: dict[int, list[int]] = field(default_factory=dict)
    writes: dict[int, list[int]] = field(default_factory=dict)

    @property
    def count(self) -> int:
        """All I/Os."""
        return sum(entry[0] for side in (self.reads, self.writes) for entry in side.values())

    @property
    def size(self) -> int:
        """All bytes."""
        return sum(entry[1] for side in (self.reads, self.writes) for entry in side.values())


class Cache:
    """A write-back cache of some bytes before an array."""

    def __init__(self, geometry: Geometry, size: int, grain: int) -> None:
        self.geometry = geometry
        self._grain = grain
        self._columns = geometry.strip // grain
        self._bits = self._columns * geometry.data
        self._room = max(size // grain, self._bits)
        self._dirty: dict[int, int] = {}
        self._by_fill: list[OrderedDict[int, None]] = [OrderedDict() for _ in range(self._bits + 1)]
        self._fullest = 0
        self.held = 0

    @property
    def is_full(self) -> bool:
        """Whether the next write that is not there yet pushes something out."""
        return self.held + self._bits > self._room

    def write(self, offset: int, size: int) -> Destage:
        """Takes bytes in, and what has to go for them out."""
        grain, bits = self._grain, self._bits
        at, end = offset // grain, -(-(offset + size) // grain)
        while at < end:
            stripe, place = divmod(at, bits)
            length = min(bits - place, end - at)
            self._mark(stripe, ((1 << length) - 1) << place)
            at += length
        gone = Destage()
        while self.held > self._room:
            self._release(gone)
        return gone

    def _mark(self, stripe: int, bits: int) -> None:
        before = self._dirty.get(stripe, 0)
        after = before | bits
        if before:
            del self._by_fill[before.bit_count()][stripe]
        fill = after.bit_count()
        self.held += fill - before.bit_count()
        self._dirty[stripe] = after
        self._by_fill[fill][stripe] = None
        self._fullest = max(self._fullest, fill)

    def _release(self, gone: Destage) -> None:
        while not self._by_fill[self._fullest]:
            self._fullest -= 1
        stripe, _ = self._by_fill[self._fullest].popitem(last=False)
        bits = self._dirty.pop(stripe)
        self.held -= self._fullest
        self._write_out(stripe, bits, gone)

    def _strips(self, bits: int) -> Iterator[tuple[int, int]]:
        """Each data strip of a stripe with the columns of it that are dirty."""
        whole = (1 << self._columns) - 1
        for place in range(self.geometry.data):
            yield place, bits >> place * self._columns & whole

    def _write_out(self, stripe: int, bits: int, gone: Destage) -> None:
        """By new parity of old data and parity, or of the data that are not there: the fewer."""
        array = self.geometry
        strips = list(self._strips(bits))
        every = 0
        for _, columns in strips:
            every |= columns
        for place, columns in strips:
            for drive in array.data_drives(stripe, place) if columns else ():
                self._add(gone.writes, drive, columns)
        if not array.parity:
            return
        for drive in array.parity_drives(stripe):
            self._add(gone.writes, drive, every)
        dirty, touched = bits.bit_count(), every.bit_count()
        modify = dirty + array.parity * touched < array.data * touched - dirty
        for place, columns in strips:
            missing = columns if modify else every & ~columns
            if missing:
                self._add(gone.reads, array.data_drives(stripe, place)[0], missing)
        for drive in array.parity_drives(stripe) if modify else ():
            self._add(gone.reads, drive, every)

    def _add(self, side: dict[int, list[int]], drive: int, columns: int) -> None:
        """I/Os of neighbouring columns are one."""
        runs = (columns & ~(columns << 1)).bit_count()
        entry = side.setdefault(drive, [0, 0])
        entry[0] += runs
        entry[1] += columns.bit_count() * self._grain


def destaged(requests: Requests, geometry: Geometry, size: int, *, most: int) -> list[Destage]:
    """What leaves a full cache for each write, after those that fill it.

    Args:
        requests: of the load; they begin again at the end until the cache is full.
        geometry: of the array.
        size: bytes of the cache.
        most: writes to look at once it is full.

    Returns:
        One for each write; empty where all that is written stays in the cache for ever.
    """
    written = requests.ops == WRITE
    offsets, sizes = requests.offsets[written].tolist(), requests.lengths[written].tolist()
    if not offsets:
        return []
    cache = Cache(geometry, size, _grain(offsets, sizes, geometry.strip))
    places = list(zip(offsets, sizes, strict=True))
    before = -1
    while not cache.is_full and cache.held != before:
        before = cache.held
        for offset, length in places:
            cache.write(offset, length)
    if not cache.is_full:
        return []
    return [cache.write(*places[number % len(places)]) for number in range(most)]


def _grain(offsets: list[int], sizes: list[int], strip: int) -> int:
    """Bytes of which all writes are multiples, at least 4 KiB, at most a strip."""
    common = strip
    for number in {*offsets, *sizes}:
        common = gcd(common, number)
        if common < _FINEST:
            return min(_FINEST, strip)
    return common
