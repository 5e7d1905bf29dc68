"""A striped target of device-mapper, by its table; reckoned by hand.

Documentation/admin-guide/device-mapper/striped.rst: number of stripes, chunk in sectors, then
device and offset in sectors of each.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from iosonde._core import Striped
from iosonde.layers._ledger.look import Look, NotCovered
from iosonde.layers._ledger.shapes import mapped
from tests.unit.predict.discovered_stacks import DISKS, KIB, MIB, NUMBERS, SLOW, layer

TOP = layer("dm", "dm-0", [disk.id[2:] for disk in DISKS], device="/dev/mapper/s", size=64 * MIB)


def _look(table: str) -> Look:
    return Look((TOP, *DISKS), {"h": {**NUMBERS, "dmsetup table": table}})


def test_stripes_are_taken_in_the_order_of_the_table() -> None:
    """The second disk is the first stripe, 1 MiB in; 128 sectors are 64 KiB."""
    finding = mapped(_look("s: 0 131072 striped 2 128 254:32 2048 254:16 0"), TOP)
    assert finding.rule == Striped(chunk=64 * KIB)
    assert (finding.size, finding.order, finding.starts) == (64 * MIB, (1, 0), (MIB, 0))


def test_a_device_that_it_does_not_stand_on_is_not_guessed() -> None:
    with pytest.raises(NotCovered, match="254:99"):
        mapped(_look("s: 0 131072 striped 2 128 254:99 2048 254:16 0"), TOP)
    alone = replace(TOP, below=(f"h/disk:{SLOW}",))
    table = {"h": {**NUMBERS, "dmsetup table": "s: 0 131072 striped 2 128 254:16 0 254:32 0"}}
    with pytest.raises(NotCovered, match="254:32"):
        mapped(Look((alone, DISKS[0]), table), alone)


@pytest.mark.parametrize("table", ["", "s: 0 131072 striped 2 128 254:16 0", "other: 0 8 zero"])
def test_a_table_that_cannot_be_read_is_not_covered(table: str) -> None:
    with pytest.raises(NotCovered):
        mapped(_look(table), TOP)
