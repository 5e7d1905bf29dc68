"""A cache that takes whole blocks only: the requests that go past it because of their size.

Source:
    facebook/flashcache, src/flashcache_main.c, flashcache_map(): a request is cached only where its
    size is the block size; device-mapper has cut it at the borders of blocks before; one that is
    smaller goes to the disk and throws out of the cache what it overlaps. size_hist is one array
    for the module, counted before all else and without locks.
"""

from __future__ import annotations

from collections.abc import Iterator

from iosonde import units
from iosonde.layers import FRAMES
from iosonde.layers._caches.counted import ENOUGH, counted_of, figure, state_of, subject_of
from iosonde.records.evidence import CounterEvidence, EvidenceSet, Rule, StateEvidence
from iosonde.records.finding import Evidence, Finding

_MUCH = 0.2
"""Share of requests past a cache from which on it hardly works."""
_OTHER_SIZES = 0.1
_CUTS_IN_HALF = 0.5


def whole_blocks(case: EvidenceSet) -> Iterator[Finding]:
    """flashcache: requests that went past because of their size."""
    for counted in counted_of(case, "flashcache"):
        state = state_of(case, counted)
        around = state is not None and state.values.get("mode") == "writearound"
        around = around or figure(counted, "write hits", "cache hits") is None  # it has none then
        directions = [
            _Direction(counted, "read"),
            *([] if around else [_Direction(counted, "write")]),
        ]
        asked = sum(each.asked for each in directions)
        past = sum(each.past for each in directions)
        if asked < ENOUGH or past < _MUCH * asked:
            continue
        block = state.values.get("block_size") if state else None
        block = block if isinstance(block, int) else None
        sizes, where = _histogram(case, counted)
        others = _others(sizes, block, state)
        if others is not None and others < _OTHER_SIZES:
            continue  # not their size: processes or sequences that were excluded
        yield Finding(
            rule="cache-whole-blocks",
            severity="error" if past > asked / 2 else "warning",
            subject=subject_of(counted),
            message=_message(directions, block, others),
            evidence=(
                *_uncached(counted, directions), *_forecast(counted, directions),
                *_sizes(sizes, block, past, asked, where), *_room(state),
                *_frames(case, counted, block),
            ),
            remedy=_remedy(block),
            confirm="`dmsetup status` and `dmsetup table` before and after as much load: the part "
            "of other sizes and the uncached reads and writes must hardly grow any more",
        )  # fmt: skip


def _others(sizes: dict[int, int], block: int | None, state: StateEvidence | None) -> float | None:
    """Share of the requests that were not of the block's size; None where unknown."""
    if sizes and block:
        return 1 - sizes.get(block, 0) / sum(sizes.values())
    share = state.values.get("other_sizes_share") if state else None
    return share if isinstance(share, float) else None


class _Direction:
    """Reads or writes of a flashcache device. `past`: past the cache for their size."""

    def __init__(self, counted: CounterEvidence, name: str) -> None:
        self.name = name
        self.asked = figure(counted, f"{name}s") or 0
        self.uncached = figure(counted, f"uncached {name}s") or 0
        self.past = max(self.uncached - (figure(counted, f"uncached sequential {name}s") or 0), 0)
        both = ("read hits", "cache hits") if name == "read" else ("write hits",)
        self.hits = figure(counted, *both)

    @property
    def rates(self) -> tuple[float, float] | None:
        """Share that hit, of all and of those that could be cached."""
        cacheable = self.asked - self.uncached
        if self.hits is None or self.asked <= 0 or cacheable <= 0:
            return None
        return self.hits / self.asked, self.hits / cacheable


def _message(directions: list[_Direction], block: int | None, others: float | None) -> str:
    asked = sum(each.asked for each in directions)
    past = sum(each.past for each in directions)
    rates = [(each.name, *each.rates) for each in directions if each.rates]
    size = f" of exactly {units.show_bytes(block)}" if block else " of exactly its block size"
    sizes = (
        f", and {units.show_fraction(others)} of those counted by size are not" if others else ""
    )
    hits = ""
    if rates:
        best = " and ".join(
            f"{units.show_fraction(best)} of the {name}s" for name, _, best in rates
        )
        now = " and ".join(units.show_fraction(now) for _, now, _ in rates)
        hits = (
            f"; of those that it could take, {best} hit, the best forecast of what whole blocks "
            f"would give instead of {now} of all"
        )
    return (
        f"{units.show_fraction(past / asked)} of {int(asked):,} requests went past the cache, "
        f"because it takes only requests{size}{sizes}{hits}."
    )


def _uncached(counted: CounterEvidence, directions: list[_Direction]) -> Iterator[Evidence]:
    asked = sum(each.asked for each in directions)
    past = sum(each.past for each in directions)
    yield Evidence("requests", int(asked), "", counted.where)
    yield Evidence("requests that passed the cache by", int(past), "", counted.where)
    yield Evidence("share that passed it by", past / asked, "fraction", "computed")


def _forecast(counted: CounterEvidence, directions: list[_Direction]) -> Iterator[Evidence]:
    for each in directions:
        if each.rates:
            yield Evidence(f"{each.name}s that hit", each.rates[0], "fraction", counted.where)
            yield Evidence(f"{each.name}s that hit, among those that could be cached",
                           each.rates[1], "fraction", "computed")  # fmt: skip


def _sizes(
    sizes: dict[int, int], block: int | None, past: float, asked: float, where: str
) -> Iterator[Evidence]:
    """What was counted by size, beside what the device counted itself.

    The histogram is the module's: it holds other devices' requests too, and those from before the
    device was made or its counters were set to zero. So shares can be compared, counts cannot.
    """
    if not sizes or not block:
        return
    every = sum(sizes.values())
    others = every - sizes.get(block, 0)
    smaller = {size: count for size, count in sizes.items() if size < block}
    paired = sum(min(count, smaller.get(block - size, 0)) for size, count in smaller.items())
    yield Evidence(f"requests of sizes other than {block}", others, "", where)
    yield Evidence("their share of the histogram", others / every, "fraction", "computed")
    if smaller and paired > _CUTS_IN_HALF * sum(smaller.values()):
        yield Evidence("of the smaller ones, those that make up a block with one of another size",
                       paired / sum(smaller.values()), "fraction",
                       "computed; blocks cut in two come in such pairs")  # fmt: skip
    yield Evidence("all requests by the histogram", every, "", where)
    yield Evidence(
        "histogram above the device's own counters: other sizes", others / past - 1, "fraction",
        "computed; it counts all devices since the module was loaded, without locks: only its "
        "shares can be compared",
    )  # fmt: skip
    yield Evidence("histogram above the device's own counters: all", every / asked - 1, "fraction",
                   "computed")  # fmt: skip


def _histogram(case: EvidenceSet, counted: CounterEvidence) -> tuple[dict[int, int], str]:
    """Requests by size, and where they were read."""
    for other in case.counted("flashcache"):
        histogram = other.values.get("size_histogram")
        if (
            isinstance(histogram, dict)
            and other.source == counted.source
            and other.host == counted.host
        ):
            sizes = {
                int(size): count for size, count in histogram.items() if isinstance(count, int)
            }
            return (sizes, other.where) if sum(sizes.values()) >= ENOUGH else ({}, "")
    return {}, ""


def _room(state: StateEvidence | None) -> Iterator[Evidence]:
    """Where blocks are left unused, a larger cache is no remedy."""
    share = state.values.get("used_share") if state else None
    if state and isinstance(share, float):
        yield Evidence("blocks of the cache in use", share, "fraction", state.where)


def _frames(case: EvidenceSet, counted: CounterEvidence, block: int | None) -> Iterator[Evidence]:
    """What frames of protocols that cut requests make of blocks."""
    if block:
        for protocol in FRAMES:
            yield from FRAMES.load(protocol).of_blocks(case, counted, block)


def _remedy(block: int | None) -> str:
    if not block:
        return (
            "find out what cuts the requests: partitions or guests that do not begin on a block, "
            "or a network's frames"
        )
    frames = " ".join(FRAMES.load(protocol).remedy(block) for protocol in FRAMES)
    return (
        f"look first at where partitions and guests' disks begin (`parted unit B print`, every "
        f"start must divide by {block}): misaligned ones cut every block in two and give the same "
        f"histogram; moving one means copying its data. {frames} A cache that takes any size "
        "(dm-cache, bcache) needs neither"
    )


RULES: tuple[Rule, ...] = (
    Rule("cache-whole-blocks", "flashcache",
         "Requests that a cache of whole blocks cannot take, and what it would hit if it could.",
         "facebook/flashcache, src/flashcache_main.c, flashcache_map(); "
         "Linux drivers/block/aoe/aoecmd.c", whole_blocks),
)  # fmt: skip
