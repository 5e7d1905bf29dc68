"""The whole range of arrays against Debian's kernel, and the table of what is equal.

Each level with each chunk and each number of disks is made once and gets a part of each size; the
other things (direction, place on the grid, order, lost members) are dealt to the parts in turn,
shuffled with a fixed seed. All of it takes a quarter of an hour on an idle machine, so a sample of
arrays is taken, unless IOSONDE_LEDGER_ARRAYS says how many, or "all". IOSONDE_LEDGER_TABLE names a
file for the table. What is promised is in docs/decisions/0082.
"""

from __future__ import annotations

import itertools
import os
import random
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from tests.lab.arrays import DISK, KIB, MIB, Array, Part, Row, counted
from tests.lab.conftest import running

pytestmark = [pytest.mark.lab, pytest.mark.slow, pytest.mark.long, pytest.mark.timeout(2400)]

NAME = "test-ledger-matrix"
CHUNKS = [choice * KIB for choice in (16, 32, 64, 128, 256, 512, 1024)]
SIZES = [512, 4 * KIB, 16 * KIB, 64 * KIB, 256 * KIB, MIB, 4 * MIB]
EXACT_UP_TO = MIB
LEAST = {0: 3, 1: 3, 4: 3, 5: 3, 6: 4, 10: 3}
SPARE = {0: 0, 1: 2, 4: 1, 5: 1, 6: 2, 10: 1}  # members that may be lost, as far as is tried


def dealt(
    items: list[tuple[str, str, bool]], chance: random.Random
) -> Iterator[tuple[str, str, bool]]:
    """Each of the items equally often, in an order that changes."""
    while True:
        yield from chance.sample(items, len(items))


def shifted(place: str, size: int, chunk: int) -> int:
    """How far requests lie off their places: not, off the 4 KiB grid, or across chunks."""
    return {"on": 0, "off": 1536, "across": max(4 * KIB, chunk // 2)}[place] if size else 0


def matrix() -> list[Array]:
    """Each level × chunk × number of disks, with a part of each size."""
    chance = random.Random(6)
    ways = list(itertools.product("rw", ("on", "off", "across"), (False, True)))
    decks = {(level, size): dealt(ways, chance) for level in LEAST for size in SIZES}
    arrays = []
    for level, least in LEAST.items():
        for disks, chunk in itertools.product(
            range(least, 9), CHUNKS if level != 1 else [64 * KIB]
        ):
            lost = chance.sample(range(disks), chance.choice(range(SPARE[level] + 1)))
            parts = []
            for size in SIZES:
                op, place, order = next(decks[level, size])
                parts.append(Part(size, op, shifted(place, size, chunk), order))
            arrays.append(Array(level, disks, chunk, tuple(sorted(lost)), tuple(parts)))
    return arrays


def deep() -> list[Array]:
    """Some of them, 32 requests at a time."""
    arrays = []
    for level, disks in ((0, 4), (1, 3), (10, 4), (10, 5), (4, 4), (5, 3), (5, 8), (6, 4), (6, 8)):
        for chunk in (16 * KIB, 64 * KIB, 512 * KIB):
            parts = [
                Part(size, op, 0, order)
                for size in (4 * KIB, 64 * KIB, 256 * KIB) for op in "wr" for order in (True, False)
            ]  # fmt: skip
            arrays.append(Array(level, disks, chunk, (), tuple(parts), depth=32))
    return arrays


@dataclass(frozen=True)
class Case:
    """A part of an array: what each member counted, and what was said of it."""

    array: Array
    part: Part
    kernel: list[Row]
    mine: list[Row]
    other: list[Row]

    def __str__(self) -> str:
        return f"{self.array}: {self.part}"

    def sums(self, rows: list[Row]) -> Row:
        return tuple(np.sum(rows, axis=0).tolist())

    @property
    def bytes_equal(self) -> bool:
        return [(row[1], row[3]) for row in self.kernel] == [(row[1], row[3]) for row in self.mine]

    @property
    def equal(self) -> bool:
        return self.kernel == self.mine

    @property
    def within(self) -> bool:
        """Bytes and reads are equal, and the writes lie between both ends on every member."""
        if [pair[:2] + pair[3:] for pair in self.kernel] != [
            pair[:2] + pair[3:] for pair in self.mine
        ]:
            return False
        ends = [
            sorted((pair[2], other[2])) for pair, other in zip(self.mine, self.other, strict=True)
        ]
        return all(
            low <= row[2] <= high for (low, high), row in zip(ends, self.kernel, strict=True)
        )

    @property
    def sums_equal(self) -> bool:
        return self.sums(self.kernel) == self.sums(self.mine)

    @property
    def copies(self) -> bool:
        """A read of which copy is left to chance: docs/decisions/0081."""
        crossing = self.part.size > self.array.chunk or self.part.shift
        return self.part.op == "r" and self.array.level == 10 and bool(crossing)


def cases(arrays: list[Array]) -> list[Case]:
    choices = []
    size = f"{DISK // MIB} MiB"
    with running(NAME, "--name", NAME, "--nodes", "1", "--disks", "8", "--size", size):
        for array, kernel in zip(arrays, counted(NAME, arrays), strict=True):
            mine, other = (array.predicted(together=flag) for flag in (False, True))
            for rows in zip(array.parts, kernel, mine, other, strict=True):
                choices.append(Case(array, *rows))
    return choices


def sample(arrays: list[Array], wanted: str) -> list[Array]:
    """So many of the arrays, always the same ones, or all."""
    if wanted == "all" or int(wanted) >= len(arrays):
        return arrays
    return random.Random(1).sample(arrays, int(wanted))


@pytest.fixture(scope="module")
def everything() -> list[Case]:
    return cases(sample([*matrix(), *deep()], os.environ.get("IOSONDE_LEDGER_ARRAYS", "24")))


@pytest.fixture(scope="module")
def singly(everything: list[Case]) -> list[Case]:
    return [case for case in everything if case.array.depth == 1]


@pytest.fixture(scope="module")
def deeply(everything: list[Case]) -> list[Case]:
    return [case for case in everything if case.array.depth > 1]


def table(choices: list[Case], heads: tuple[str, ...], ranks: tuple[str, ...]) -> list[str]:
    """Rows for each level and each size: how many there are, and how many of each kind."""
    lines = ["| | cases | " + " | ".join(heads) + " |", "| --- |" + " --- |" * (len(heads) + 1)]
    keys = (
        [f"RAID {level}" for level in LEAST] + [f"{size / KIB:g} KiB" for size in SIZES] + ["all"]
    )
    sums = {key: Counter[str]() for key in keys}
    for case in choices:
        for key in (f"RAID {case.array.level}", f"{case.part.size / KIB:g} KiB", "all"):
            sums[key].update(["cases", *(name for name in ranks if getattr(case, name))])
    for key, sum_ in sums.items():
        if sum_["cases"]:
            cells = " | ".join(str(sum_[name]) for name in ("cases", *ranks))
            lines.append(f"| {key} | {cells} |")
    return lines


def usual(choices: list[Case]) -> list[Case]:
    """Those of at most 1 MiB a request, which md's stripe cache can hold."""
    return [case for case in choices if case.part.size <= EXACT_UP_TO]


def test_the_table(singly: list[Case], deeply: list[Case]) -> None:
    """Writes the table of equal and unequal cases; most must be equal."""
    heads = ("bytes equal on every member", "all four counters equal", "writes within the band")
    lines = ["One request at a time:", ""]
    lines += table(singly, heads, ("bytes_equal", "equal", "within"))
    lines += ["", "Not within the band:", ""]
    for case in singly:
        if not case.within:
            lines += [f"- {case}: counted {case.kernel}, said {case.mine}"]
    lines += ["", "32 at a time:", ""]
    lines += table(deeply, heads[:2], ("bytes_equal", "equal"))
    text = "\n".join(lines) + "\n"
    sys.stdout.write(text)
    if path := os.environ.get("IOSONDE_LEDGER_TABLE"):
        Path(path).write_text(text)
    assert sum(choice.equal for choice in singly) >= 0.8 * len(singly)


def test_bytes_are_equal_on_every_member(singly: list[Case]) -> None:
    """Without parity always; with it in 98 of 100 parts, and in none by more than a fiftieth.

    A page or a chunk that two requests touch may or may not be in the stripe cache still.
    """
    own = [choice for choice in usual(singly) if not choice.copies]
    off = [choice for choice in own if not choice.bytes_equal]
    assert [str(choice) for choice in off if choice.array.level in {0, 1, 10}] == []
    assert len(off) <= max(1, len(own) // 50), [*map(str, off)]
    for case in off:
        said = sum(row[1] + row[3] for row in case.mine)
        counted = sum(row[1] + row[3] for row in case.kernel)
        assert abs(counted - said) <= said / 50, case


def test_reads_of_copies_are_equal_in_all(singly: list[Case]) -> None:
    assert [str(case) for case in usual(singly) if case.copies and not case.sums_equal] == []


def test_without_parity_all_is_equal(singly: list[Case]) -> None:
    plain = [case for case in usual(singly) if case.array.level in {0, 1, 10} and not case.copies]
    assert [str(case) for case in plain if not case.equal] == []


def test_what_touches_a_page_or_two_is_equal(singly: list[Case]) -> None:
    """All that touches one page; of what lies across two, the kernel may merge writes or not."""
    small = [case for case in singly if case.part.size <= 4 * KIB and not case.copies]
    across = [case for case in small if case.part.size + case.part.shift % (4 * KIB) > 4 * KIB]
    assert [str(case) for case in small if not case.equal and case not in across] == []
    assert [str(case) for case in across if not case.within] == []


def test_how_far_merging_is_off(singly: list[Case]) -> None:
    """With parity, the writes of all members together: by at most half, mostly by none."""
    off = []
    for case in usual(singly):
        said, counted = case.sums(case.mine)[2], case.sums(case.kernel)[2]
        if case.array.level in {4, 5, 6} and said:
            off.append(abs(counted - said) / said)
    if off:
        assert max(off) <= 0.5
        assert np.median(off) <= 0.05


def test_32_at_a_time_without_parity(deeply: list[Case]) -> None:
    """Bytes as one at a time; never more I/Os."""
    for case in deeply:
        if case.array.level in {0, 1, 10}:
            counted, said = case.sums(case.kernel), case.sums(case.mine)
            assert counted[1::2] == said[1::2], case
            assert counted[0] <= said[0], case
            assert counted[2] <= said[2], case


def test_32_at_a_time_with_parity(deeply: list[Case]) -> None:
    """Stripes meet in the cache: no more is written, and no less than was asked for.

    What is read, and the number of I/Os, is at most a tenth more.
    """
    for case in deeply:
        if case.array.level in {4, 5, 6}:
            counted, said = case.sums(case.kernel), case.sums(case.mine)
            asked = case.part.count * case.part.size if case.part.op == "w" else 0
            assert asked <= counted[3] <= said[3], case
            assert counted[1] <= 1.1 * said[1], case
            assert counted[0] + counted[2] <= 1.1 * (said[0] + said[2]) + 2, case
