"""Where data and parity lie, layout by layout, against md's own arithmetic written down once more.

Source: Linux 6.1, drivers/md/raid5.c, `raid5_compute_sector()`; the numbers of the layouts are
those of drivers/md/raid5.h.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from iosonde import _core
from tests.examples import examples

PAGE, CHUNK = 4096, 16384
LEVEL5 = {
    0: "left-asymmetric", 1: "right-asymmetric", 2: "left-symmetric", 3: "right-symmetric",
    4: "parity-first", 5: "parity-last",
}  # fmt: skip
LEVEL6 = {
    **LEVEL5, 8: "ddf-zero-restart", 9: "ddf-n-restart", 10: "ddf-n-continue",
    16: "left-asymmetric-6", 17: "right-asymmetric-6", 18: "left-symmetric-6",
    19: "right-symmetric-6", 20: "parity-first-6",
}  # fmt: skip


def level5(layout: int, disks: int, row: int, data: int) -> tuple[int, int]:
    """Members of a chunk of data and of the parity of its row."""
    left, right = disks - 1 - row % disks, row % disks
    p = {0: left, 1: right, 2: left, 3: right, 4: 0, 5: disks - 1}[layout]
    if layout in {2, 3}:
        return (p + 1 + data) % disks, p
    return (data + 1 if data >= p else data), p


def level6(layout: int, disks: int, row: int, data: int) -> tuple[int, int, int]:
    """Members of a chunk of data and of both parities of its row."""
    if layout >= 16:  # RAID 5 of all but the last, which has the second parity
        member, p = level5(layout - 16, disks - 1, row, data)
        return member, p, disks - 1
    if layout == 4:
        return data + 2, 0, 1
    if layout == 5:
        return data, disks - 2, disks - 1
    left, right = disks - 1 - row % disks, row % disks
    restart = disks - 1 - (row + 1) % disks
    p = {0: left, 1: right, 2: left, 3: right, 8: right, 9: restart, 10: left}[layout]
    if layout in {2, 3}:
        return (p + 2 + data) % disks, p, (p + 1) % disks
    if layout == 10:
        return (p + 1 + data) % disks, p, (p + disks - 1) % disks
    if p == disks - 1:
        return data + 1, p, 0
    return (data + 2 if data >= p else data), p, p + 1


def touched(parity: int, layout: int, disks: int, page: int, op: int) -> set[tuple[int, int]]:
    """Members that are written (or read) for a page, and how many bytes of each."""
    array = _core.Node(
        _core.Parity(parity=parity, chunk=CHUNK, layout=layout), below=range(1, disks + 1),
        limits=_core.Limits(most=2**20),
    )  # fmt: skip
    leaf = _core.Node(_core.Same(), limits=_core.Limits(most=2**20, merges=True))
    core = _core.Ledger([array, *[leaf] * disks])
    offset, length = np.array([page * PAGE], np.uint64), np.array([PAGE], np.uint64)
    core.run(bytes([op]), offset.tobytes(), length.tobytes())
    counts = [core.counts(member + 1) for member in range(disks)]
    sizes = [count.write_bytes if op else count.read_bytes for count in counts]
    return {(member, size) for member, size in enumerate(sizes) if size}


@pytest.mark.parametrize("layout", LEVEL5, ids=LEVEL5.get)
@given(disks=st.integers(3, 12), page=st.integers(0, 2**24))
@settings(max_examples=examples(60), deadline=None)
def test_one_parity(layout: int, disks: int, page: int) -> None:
    row, data = divmod(page * PAGE // CHUNK, disks - 1)
    member, p = level5(layout, disks, row, data)
    assert touched(1, layout, disks, page, 1) == {(member, PAGE), (p, PAGE)}
    assert touched(1, layout, disks, page, 0) == {(member, PAGE)}


@pytest.mark.parametrize("layout", LEVEL6, ids=LEVEL6.get)
@given(disks=st.integers(4, 12), page=st.integers(0, 2**24))
@settings(max_examples=examples(60), deadline=None)
def test_two_parities(layout: int, disks: int, page: int) -> None:
    row, data = divmod(page * PAGE // CHUNK, disks - 2)
    member, p, q = level6(layout, disks, row, data)
    assert touched(2, layout, disks, page, 1) == {(member, PAGE), (p, PAGE), (q, PAGE)}
    assert touched(2, layout, disks, page, 0) == {(member, PAGE)}


@pytest.mark.parametrize(("parity", "layouts"), [(1, LEVEL5), (2, LEVEL6)])
@given(data=st.data())
@settings(max_examples=examples(60), deadline=None)
def test_every_place_has_one_page(
    parity: int, layouts: dict[int, str], data: st.DataObject
) -> None:
    """Data pages of a few rows have places of their own, which with parity fill the rows."""
    disks = data.draw(st.integers(3 + (parity == 2), 9))
    layout = data.draw(st.sampled_from(sorted(layouts)))
    rows = 2 * disks
    places = set()
    for number in range(rows * (disks - parity)):
        row, at = divmod(number, disks - parity)
        pair = level5(layout, disks, row, at) if parity == 1 else level6(layout, disks, row, at)
        places.add((row, pair[0]))
        assert len(set(pair)) == len(pair)
    assert len(places) == rows * (disks - parity)
