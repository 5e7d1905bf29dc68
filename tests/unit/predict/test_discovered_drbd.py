"""DRBD as it is found: its own side."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from iosonde.records.stack import Scalar
from tests.unit.predict.discovered_stacks import (
    DISKS,
    KIB,
    MIB,
    NUMBERS,
    SLOW,
    Stack,
    asked,
    layer,
    least,
    most,
    of,
    rows,
)


def drbd(size: int = 64 * MIB, facts: Mapping[str, Scalar] | None = None) -> Stack:
    values = {"disk_state": "UpToDate", "connection": "Connected", "size": size, **(facts or {})}
    top = layer("drbd", "drbd0", (f"disk:{SLOW}",), **values)
    return Stack((top, DISKS[0]), NUMBERS, {}, {})


@pytest.mark.parametrize(("size", "log"), [(64 * MIB, 16), (64 * 1024 * MIB, 100)])
def test_the_log_is_written_once_for_each_extent_at_most(size: int, log: int) -> None:
    """Of a volume with more extents than the log is sure to hold, once for each write."""
    ledger, _ = drbd(size).ledger(asked("write", 100), {"drbd0": of("write", 100)})
    own = rows(ledger)[SLOW]
    assert least(own) == of("write", 100)
    assert most(own) == (0, 0, 100 + log, (100 + log) * 4 * KIB)
    assert any("what its peer gets" in note for note in ledger.notes)


def test_reads_are_its_own() -> None:
    ledger, _ = drbd().ledger(asked("read", 100), {"drbd0": of("read", 100)})
    assert least(rows(ledger)[SLOW]) == most(rows(ledger)[SLOW]) == of("read", 100)


@pytest.mark.parametrize(
    ("facts", "why"),
    [
        ({"disk_state": "Diskless"}, "Diskless"), ({"disk_state": None}, "not known"),
        ({"connection": "SyncSource"}, "not at rest"),
    ],
)  # fmt: skip
def test_a_side_that_cannot_be_told(facts: dict[str, Scalar], why: str) -> None:
    ledger, _ = drbd(facts=facts).ledger(asked("read", 1), {"drbd0": of("read", 1)})
    assert why in ledger.uncovered[0]


def test_the_peer_has_the_writes() -> None:
    """And a flush behind each of them, where its device has a cache."""
    stack = drbd()
    top, disk = stack.layers
    far = replace(layer("disk", "vdb", ()), id="p/disk:vdb", host="p")
    role: dict[str, Scalar] = {**top.facts, "role": "Secondary"}
    peer = replace(top, id="p/drbd:drbd0", host="p", below=(far.id,), facts=role)
    top = replace(top, below=(disk.id, peer.id), facts={**top.facts, "role": "Primary"})
    whole = replace(stack, layers=(top, disk, peer, far))
    mixed = asked("write", 100) + asked("read", 50)
    ledger, _ = whole.ledger(mixed, {"drbd0": (50, 204_800, 100, 409_600)})
    own = {row.layer: row for row in ledger.rows}
    assert least(own[disk.id]) == (50, 204_800, 100, 409_600)
    assert most(own[disk.id])[2] == 116
    assert least(own[far.id]) == of("write", 100)
    assert most(own[far.id]) == (0, 0, 200, 409_600)
    # Without it, nothing goes there.
    alone = replace(top, facts={**top.facts, "connection": "WFConnection"})
    ledger, _ = replace(whole, layers=(alone, disk, peer, far)).ledger(mixed, {})
    assert far.id not in {row.layer for row in ledger.rows}


def test_several_devices_below_are_not_told_apart() -> None:
    stack = drbd()
    top, disk = stack.layers
    meta = layer("disk", "vdz", ())
    whole = replace(stack, layers=(replace(top, below=(disk.id, meta.id)), disk, meta))
    ledger, _ = whole.ledger(asked("read", 1), {"drbd0": of("read", 1)})
    assert "not told apart" in ledger.uncovered[0]
