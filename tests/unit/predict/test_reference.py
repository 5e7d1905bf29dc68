"""The core against a slow, obvious account of the same stacks, byte for byte."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Literal, TypeAlias

from hypothesis import given, settings
from hypothesis import strategies as st

from iosonde import _core
from iosonde._core import Cache, Far, Limits, Linear, Mirror, Parity, Raid10, Striped
from tests.examples import examples
from tests.unit.predict.nodes import KIB, PAGE, SECTOR, Node, Request, core_of, disk, run


def below(node: Node, sector: int, write: bool) -> list[tuple[int, int]]:
    """Which sectors of which layers below hold one sector of a layer."""
    rule = node.rule
    if isinstance(rule, Linear):
        return [(0, sector + rule.start // SECTOR)]
    if isinstance(rule, Mirror):
        copies = len(node.below) if write else 1
        return [(count, sector + rule.start // SECTOR) for count in range(copies)]
    if isinstance(rule, Far):
        return [(0, sector)]
    assert isinstance(rule, Striped | Raid10)
    chunk = rule.chunk // SECTOR
    number, inside = divmod(sector, chunk)
    if isinstance(rule, Striped):
        row, member = divmod(number, len(node.below))
        return [(member, row * chunk + inside + rule.start // SECTOR)]
    copies = rule.layout & 0xFF
    places = [divmod(number * copies + copy, len(node.below)) for copy in range(copies)]
    return [(member, row * chunk + inside) for row, member in places[: copies if write else 1]]


def touched(node: Node, sectors: list[int], write: bool, into: dict[int, Counter[int]]) -> None:
    """Adds to each device how often each of its sectors is touched."""
    if not node.below:
        into[id(node)].update(sectors)
        return
    each: list[list[int]] = [[] for _ in node.below]
    for sector in sectors:
        for child, at in below(node, sector, write):
            each[child].append(at)
    for under, numbers in zip(node.below, each, strict=True):
        if numbers:
            touched(under, numbers, write, into)


chunks = st.sampled_from([4, 16, 64]).map(lambda index: index * KIB)
starts = st.integers(0, 40).map(lambda index: index * SECTOR)


def stacks(depth: int) -> st.SearchStrategy[Node]:
    if depth == 0:
        return st.builds(disk)
    child = stacks(depth - 1)
    several = st.lists(child, min_size=1, max_size=4)
    return st.one_of(
        child,
        st.builds(lambda start, record: Node(Linear(start=start), [record]), starts, child),
        st.builds(
            lambda read, write, record: Node(
                Far(read=read * SECTOR, write=write * SECTOR), [record], Limits(merges=True)
            ),
            st.integers(1, 20), st.integers(1, 20), child,
        ),
        st.builds(lambda start, many: Node(Mirror(start=start), many), starts, several),
        st.builds(
            lambda chunk, start, last, many: Node(
                Striped(chunk=chunk, start=start, latter_first=last), many
            ),
            chunks, starts, st.booleans(), several,
        ),
        st.builds(
            lambda chunk, copies, many: Node(
                Raid10(chunk=chunk, layout=min(copies, len(many)) | 1 << 8, size=2**30), many
            ),
            chunks, st.integers(1, 3), several,
        ),
    )  # fmt: skip


requests = st.lists(
    st.tuples(st.integers(0, 1), st.integers(0, 3000), st.integers(1, 400)), min_size=1, max_size=8
)


@given(stacks(3), requests)
@settings(max_examples=examples(250), deadline=None)
def test_mappings_move_each_sector_where_it_belongs(top: Node, given: list[Request]) -> None:
    core, nodes = core_of(top)
    run(core, given)
    counts: dict[int, dict[int, Counter[int]]] = {
        op: {id(node): Counter() for node in nodes} for op in (0, 1)
    }
    for op, sector, length in given:
        touched(top, list(range(sector, sector + length)), op == 1, counts[op])
    for number, node in enumerate(nodes):
        if node.below:
            continue
        got = core.counts(number)
        assert got.write_bytes == counts[1][id(node)].total() * SECTOR
        assert (got.writes > 0) == (got.write_bytes > 0)
        assert (got.reads > 0) == (got.read_bytes > 0)
    # Which copy of RAID 10 is read is its own affair; altogether each sector is read once.
    leaves = [number for number, node in enumerate(nodes) if not node.below]
    assert sum(core.counts(leaf).read_bytes for leaf in leaves) == SECTOR * sum(
        length for op, _, length in given if op == 0
    )


@dataclass(frozen=True)
class Array:
    """RAID 4, 5 or 6 in the layout that mdadm takes by default, or with parity last."""

    disks: int
    parity: int
    chunk: int
    last: bool
    failed: frozenset[int] = frozenset()

    @property
    def data(self) -> int:
        return self.disks - self.parity

    def row(self, number: int) -> list[int | str]:
        """The roles of the members of a row of chunks."""
        roles: list[int | str] = [""] * self.disks
        if self.last:
            first, p = 0, self.data
        else:
            p = self.disks - 1 - number % self.disks
            first = p + self.parity
        for place in range(self.parity):
            roles[(p + place) % self.disks] = "PQ"[place]
        for data in range(self.data):
            roles[(first + data) % self.disks] = data
        return roles

    def place(self, page: int) -> tuple[int, int]:
        """Stripe (page of each member) and member of a page of the array."""
        pages = self.chunk // PAGE
        number, inside = divmod(page, pages)
        row, data = divmod(number, self.data)
        return row * pages + inside, self.row(row).index(data)

    def roles(self, stripe: int) -> list[int | str]:
        return self.row(stripe // (self.chunk // PAGE))

    @property
    def rule(self) -> Parity:
        return Parity(
            parity=self.parity, chunk=self.chunk, layout=5 if self.last else 2,
            failed=sum(1 << number for number in self.failed),
        )  # fmt: skip


arrays = st.builds(
    Array, st.integers(4, 9), st.integers(1, 2), chunks, st.booleans()
)  # fmt: skip


def array_of(array: Array) -> tuple[_core.Ledger, list[Node]]:
    members = [disk() for _ in range(array.disks)]
    return core_of(Node(array.rule, members, Limits(most=2**20)))


def pages_of(request: Request) -> dict[int, bool]:
    """The pages that a request touches, and whether wholly."""
    _, first, length = request
    end = first + length
    return {
        page: page * 8 >= first and (page + 1) * 8 <= end
        for page in range(first // 8, (end - 1) // 8 + 1)
    }


@given(arrays, requests.map(lambda many: [(1, *row[1:]) for row in many]))
@settings(max_examples=examples(250), deadline=None)
def test_writes_to_arrays_with_parity(array: Array, given: list[Request]) -> None:
    """Cold, whole: the cheaper of the two ways for each stripe, reconstruct-write on a tie."""
    core, _ = array_of(array)
    read, written = Counter[int](), Counter[int]()
    for request in given:
        run(core, [request])
        stripes: dict[int, dict[int, bool]] = {}
        for page, whole in pages_of(request).items():
            stripe, member = array.place(page)
            stripes.setdefault(stripe, {})[member] = whole
        for stripe, writes in stripes.items():
            roles = array.roles(stripe)
            parity = {number for number in range(array.disks) if roles[number] in ("P", "Q")}
            partly = {number for number, whole in writes.items() if not whole}
            others = set(range(array.disks)) - parity - set(writes)
            # What is written in part is read in any case, and is no argument.
            modify = len(set(writes) - partly) + len(parity) < len(others)
            read.update(set(writes) | parity if modify else others | partly)
            written.update(set(writes) | parity)
    for member in range(array.disks):
        got = core.counts(1 + member)
        assert got.read_bytes == read[member] * PAGE
        assert got.write_bytes == written[member] * PAGE


@given(arrays, st.data(), requests.map(lambda many: [(0, *row[1:]) for row in many]))
@settings(max_examples=examples(250), deadline=None)
def test_reads_without_a_member(array: Array, data: Any, given: list[Request]) -> None:
    """What is lost is rebuilt from all others of its stripe, and from nothing else."""
    lost = data.draw(st.sets(st.integers(0, array.disks - 1), min_size=1, max_size=array.parity))
    array = Array(array.disks, array.parity, array.chunk, array.last, frozenset(lost))
    core, _ = array_of(array)
    read = Counter[int]()
    for request in given:
        run(core, [request])
        stripes: dict[int, set[int]] = {}
        for page in pages_of(request):
            stripe, member = array.place(page)
            stripes.setdefault(stripe, set()).add(member)
        for wanted in stripes.values():
            survivors = set(range(array.disks)) - lost
            read.update(survivors if wanted & lost else wanted)
    for member in range(array.disks):
        got = core.counts(1 + member)
        assert got.read_bytes == read[member] * PAGE
        assert got.writes == 0
        assert (got.reads > 0) == (member not in lost and read[member] > 0)


@given(arrays, requests.map(lambda many: [(0, *row[1:]) for row in many]))
@settings(max_examples=examples(100), deadline=None)
def test_reads_of_a_whole_array_take_no_more_than_they_need(
    array: Array, given: list[Request]
) -> None:
    core, _ = array_of(array)
    run(core, given)
    total = sum(core.counts(1 + member).read_bytes for member in range(array.disks))
    assert total == SECTOR * sum(length for _, _, length in given)


Mode: TypeAlias = Literal["back", "through", "around"]
MODES: tuple[Mode, ...] = ("back", "through", "around")


@dataclass
class SlowCache:
    """flashcache as its author describes it, with lists."""

    blocks: int
    ways: int
    lru: bool
    mode: Mode
    sets: dict[int, list[tuple[int, bool]]] = field(default_factory=dict)
    turn: Counter[int] = field(default_factory=Counter)
    events: Counter[str] = field(default_factory=Counter)

    def piece(self, op: int, block: int, whole: bool) -> None:
        ways = self.ways or self.blocks
        number = block % (self.blocks // ways)
        kept = self.sets.setdefault(number, [])
        self.events["writes" if op else "reads"] += 1
        at = next((place for place, (count, _) in enumerate(kept) if count == block), None)
        if not whole or (op and self.mode == "around"):
            self.events["uncached_writes" if op else "uncached_reads"] += 1
            if at is not None:
                self.events["invalidations"] += 1
                self.events["cleanings"] += kept.pop(at)[1]
            return
        dirty = bool(op) and self.mode == "back"
        if at is not None:
            self.events["write_hits" if op else "read_hits"] += 1
            pair = (block, kept[at][1] or dirty)
            if self.lru:
                kept.pop(at)
                kept.append(pair)
            else:
                kept[at] = pair
            return
        if len(kept) == ways:
            self.events["cleanings"] += kept.pop(0)[1]
        kept.append((block, dirty))


@given(
    st.sampled_from([(8, 0), (8, 4), (16, 4)]), st.booleans(), st.sampled_from(MODES),
    st.lists(st.tuples(st.integers(0, 1), st.integers(0, 40), st.booleans()), max_size=120),
)  # fmt: skip
@settings(max_examples=examples(300), deadline=None)
def test_caches_keep_whole_blocks_alone(
    size: tuple[int, int], lru: bool, mode: Mode, given: list[tuple[int, int, bool]]
) -> None:
    blocks, ways = size
    # Within a set of FIFO an emptied place is filled first, which a list does not show.
    partial = lru or not ways
    given = [(op, block, whole or not partial) for op, block, whole in given]
    rule = Cache(block=PAGE, blocks=blocks, ways=ways, lru=lru, mode=mode)
    core, _ = core_of(Node(rule, [disk(), disk()]))
    slow = SlowCache(blocks, ways, lru, mode)
    run(core, [(op, block * 8, 8 if whole else 4) for op, block, whole in given])
    for op, block, whole in given:
        slow.piece(op, block, whole)
    events = core.events(0)
    assert {name: count for name, count in events.items() if count} == {
        name: count for name, count in slow.events.items() if count
    }
    # What a cache keeps from the slow device, and what it brings to it.
    slow_disk = core.counts(1)
    hits = events["reads"] - events["read_hits"]
    assert slow_disk.reads == hits
    direct = events["writes"] if mode != "back" else events["uncached_writes"]
    assert slow_disk.writes == direct + events["cleanings"]


def test_a_request_is_split_at_what_a_device_takes() -> None:
    core = _core.Ledger([_core.Node(_core.Same(), limits=Limits(most=64 * KIB))])
    run(core, [(1, 0, 400)])
    sizes = list(core.write_sizes(0))
    assert sizes == [8 * KIB, 64 * KIB]
    assert all(number < other for number, other in pairwise(sizes))
