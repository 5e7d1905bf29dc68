"""The arithmetic of arrays: against the kernel's figures, and against the core of the ledger."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from iosonde._core import LedgerError, Limits, Parity, Raid1, Raid10, Segment, Segments
from iosonde.hosts import open_host
from iosonde.layers._raid.geometry import (
    NEAR_TWO,
    PARITY,
    PARITY_LAST,
    array_size,
    copies_layout,
    data_members,
    far_copies,
    full_name,
    layout_name,
    layout_names,
    layout_number,
    member_size,
    near_copies,
    small_write,
    tolerance,
)
from iosonde.stack.discover import discover
from tests.unit.predict.nodes import SECTOR, Node, core_of, disk, run

if TYPE_CHECKING:
    from iosonde._core import Rule

RECORDINGS = Path(__file__).parents[3] / "recordings"
CHUNK = 4096
COPIES = [copies_layout(near=2), copies_layout(near=3), copies_layout(far=2), copies_layout(far=3),
          copies_layout(far=2, offset=True), copies_layout(far=3, offset=True)]  # fmt: skip


@pytest.mark.parametrize(
    ("level", "disks", "layout", "data"),
    [
        ("raid0", 4, 0, 4),
        ("raid1", 2, 0, None),
        ("raid4", 4, 0, 3),
        ("raid5", 4, 2, 3),
        ("raid6", 6, 2, 4),
        ("raid6", 2, 2, None),
        ("raid10", 4, copies_layout(near=2), 2),
        ("raid10", 4, copies_layout(far=2), 4),
        ("raid10", 4, copies_layout(far=2, offset=True), 4),
        ("raid10", 3, copies_layout(near=2), 3),
        ("raid10", 6, copies_layout(near=3), 2),
        ("raid10", 4, 0, None),
        ("linear", 3, 0, None),
    ],
)
def test_members_that_hold_data(level: str, disks: int, layout: int, data: int | None) -> None:
    assert data_members(level, disks, layout) == data


def test_spans_have_parity_each() -> None:
    assert data_members("raid50", 8, spans=2) == 6
    assert data_members("raid60", 12, spans=3) == 6
    assert data_members("raid60", 4, spans=2) is None


@pytest.mark.parametrize("name", ["uml-md-lvm-xfs", "uml-md-trouble"])
async def test_the_stripe_is_the_one_that_the_kernel_reports(name: str) -> None:
    """`optimal_io_size` of raid0.c, raid5.c and raid10.c is a whole stripe."""
    host = await open_host(f"recording:{RECORDINGS / name}")
    layers = [
        stack_layer
        for stack_layer in (await discover([host])).layers
        if "stripe_width" in stack_layer.facts
    ]
    arrays = [
        stack_layer
        for stack_layer in layers
        if stack_layer.kind == "md" and "reshape_position" not in stack_layer.facts
    ]
    for layer in arrays:
        kernel = layer.device.removeprefix("/dev/")
        files = await host.read_many([f"/sys/block/{kernel}/queue/optimal_io_size"])
        reported = next(iter(files.values()))
        assert isinstance(reported, bytes)
        assert layer.facts["stripe_width"] == int(reported), layer.id
    assert arrays


def written(rule: Raid10 | Parity, rows: list[int], size: int) -> list[list[int]]:
    """How often the core writes each chunk of each member when it writes an array once.

    Each chunk of a member is a disk of its own, so that counts are places; what lies beyond the
    member's end is written to its last disk.

    Args:
        rule: of the core.
        rows: chunks of each member.
        size: bytes of the array.
    """
    members = []
    for count in rows:
        lengths = [CHUNK] * count + [1 << 40]
        places = [
            Segment(start=number * CHUNK, length=length, child=number, at=0)
            for number, length in enumerate(lengths)
        ]
        members.append(Node(Segments(segments=places), [disk() for _ in lengths]))
    core, nodes = core_of(Node(rule, members, Limits(most=1 << 20)))
    run(core, [(1, at // SECTOR, CHUNK // SECTOR) for at in range(0, size, CHUNK)])
    core.settle()
    numbers = {id(node): number for number, node in enumerate(nodes)}
    return [[core.counts(numbers[id(tree_node)]).write_bytes // CHUNK for tree_node in member.below]
            for member in members]  # fmt: skip


@pytest.mark.parametrize("layout", COPIES, ids=hex)
@pytest.mark.parametrize("disks", [3, 4, 5, 6])
@pytest.mark.parametrize("rows", [6, 7, 11])
def test_a_raid_10_of_that_size_has_each_copy_in_a_place_of_its_own(
    layout: int, disks: int, rows: int
) -> None:
    size = array_size("raid10", [rows * CHUNK] * disks, CHUNK, layout)
    copies = near_copies(layout) * far_copies(layout)
    rule = Raid10(chunk=CHUNK, layout=layout, size=rows * CHUNK)
    places = written(rule, [rows] * disks, size)
    assert sum(map(sum, places)) == size // CHUNK * copies
    assert {count for member in places for count in member} <= {0, 1}
    assert not any(member[-1] for member in places)
    more = written(rule, [rows] * disks, size + CHUNK)
    assert any(member[-1] or max(member) > 1 for member in more)  # it has no place for another


@pytest.mark.parametrize("layout", COPIES, ids=hex)
@pytest.mark.parametrize("disks", [3, 4, 5])
def test_what_an_array_fills_of_its_members_leads_back_to_its_size(layout: int, disks: int) -> None:
    for rows in range(6, 30):
        size = array_size("raid10", [rows * CHUNK] * disks, CHUNK, layout)
        each = member_size(size, disks, CHUNK, layout)
        assert each <= rows * CHUNK
        assert array_size("raid10", [each] * disks, CHUNK, layout) == size


@pytest.mark.parametrize(
    ("level", "layout"),
    [("raid4", PARITY_LAST)]
    + [(level, layout_number(level, name)) for level in ("raid5", "raid6")
       for name in layout_names(level)],
)  # fmt: skip
@pytest.mark.parametrize("disks", [4, 5, 7])
def test_an_array_with_parity_of_that_size_fills_its_members(
    level: str, layout: int, disks: int
) -> None:
    rows = 2 * disks
    size = array_size(level, [rows * CHUNK + 100] * disks, CHUNK, layout)
    rule = Parity(parity=PARITY[level], chunk=CHUNK, layout=layout)
    places = written(rule, [rows] * disks, size)
    assert all(all(member[:-1]) and not member[-1] for member in places)
    less = written(rule, [rows] * disks, size - (disks - PARITY[level]) * CHUNK)
    assert not any(member[rows - 1] for member in less)


def test_raid_0_goes_on_over_the_larger_members_and_others_do_not() -> None:
    members = [10 * CHUNK + 1, 20 * CHUNK, 20 * CHUNK]
    assert array_size("raid0", members, CHUNK) == 50 * CHUNK
    assert array_size("raid1", members) == 10 * CHUNK
    assert array_size("raid5", members, CHUNK) == 20 * CHUNK


def stands(level: str, disks: int, layout: int, lost: tuple[int, ...]) -> bool:
    """Whether the core takes an array that lacks some members."""
    failed = sum(1 << number for number in lost)
    rule: Rule
    if level == "raid1":
        rule = Raid1(failed=failed)
    elif level == "raid10":
        rule = Raid10(chunk=CHUNK, layout=layout, size=12 * CHUNK, failed=failed)
    else:
        rule = Parity(parity=PARITY[level], chunk=CHUNK, layout=layout, failed=failed)
    try:
        core_of(Node(rule, [disk() for _ in range(disks)]))
    except LedgerError:
        return False
    return True


@pytest.mark.parametrize(
    ("level", "layout"),
    [("raid1", 0), ("raid4", PARITY_LAST), ("raid5", 2), ("raid6", 2)]
    + [("raid10", layout) for layout in COPIES],
)
@pytest.mark.parametrize("disks", [3, 4, 5, 6])
def test_an_array_stands_any_loss_that_it_tolerates_and_some_larger_one_not(
    level: str, layout: int, disks: int
) -> None:
    disks += level == "raid6"  # which has at least four
    most = tolerance(level, disks, layout)
    assert all(stands(level, disks, layout, lost) for lost in combinations(range(disks), most))
    larger = combinations(range(disks), most + 1)
    assert not all(stands(level, disks, layout, lost) for lost in larger)


def test_raid_0_tolerates_no_loss() -> None:
    assert tolerance("raid0", 4) == 0


@pytest.mark.parametrize(
    ("level", "drives"),
    [("raid0", 1), ("raid1", 2), ("raid10", 2), ("raid5", 4), ("raid6", 6), ("raid60", 6),
     ("linear", None)],
)  # fmt: skip
def test_drive_ios_of_a_small_write(level: str, drives: int | None) -> None:
    assert small_write(level) == drives


@pytest.mark.parametrize(
    ("level", "number", "name"),
    [("raid10", 0x102, "n2"), ("raid10", 0x201, "f2"), ("raid10", 0x10301, "o3"),
     ("raid0", 2, "alternate"), ("raid5", 2, "left-symmetric"), ("raid6", 18, "left-symmetric-6"),
     ("raid6", 9, "ddf-N-restart")],
)  # fmt: skip
def test_layouts_are_named_and_numbered_as_mdadm_does(level: str, number: int, name: str) -> None:
    assert layout_name(level, number) == name
    assert layout_number(level, name) == layout_number(level, name.lower()) == number


def test_what_mdadm_takes_for_a_layout_that_is_not_named() -> None:
    assert layout_number("raid10", "") == NEAR_TWO
    assert layout_number("raid5", "") == layout_number("raid6", "ls") == 2
    assert full_name("ra") == "right-asymmetric"
    assert layout_name("raid1", 0) is layout_name("raid5", None) is None
    assert layout_number("raid4", "left-symmetric") is layout_number("raid10", "x2") is None
