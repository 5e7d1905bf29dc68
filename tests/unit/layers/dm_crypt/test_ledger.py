"""dm-crypt by its table; reckoned by hand.

Documentation/admin-guide/device-mapper/dm-crypt.rst: cipher, key, IV offset, device, offset in
sectors. dm-crypt.c, `crypt_map()`: what is larger than 256 pages, 1 MiB, is cut.
"""

from __future__ import annotations

import pytest

from iosonde._core import Limits, Linear
from iosonde.layers._ledger.look import Look, NotCovered
from iosonde.layers._ledger.shapes import mapped
from tests.unit.predict.discovered_stacks import DISKS, MIB, NUMBERS, SLOW, layer

TOP = layer("dm_crypt", "dm-0", (f"disk:{SLOW}",), device="/dev/mapper/k", size=80 * MIB)


def _look(table: str) -> Look:
    return Look((TOP, DISKS[0]), {"h": {**NUMBERS, "dmsetup table": table}})


@pytest.mark.parametrize(("sectors", "start"), [(32768, 16 * MIB), (4096, 2 * MIB), (0, 0)])
def test_its_data_begin_where_the_table_says(sectors: int, start: int) -> None:
    """The IV offset stands before the device and moves nothing."""
    table = f"k: 0 163840 crypt aes-xts-plain64 :64:logon:cryptsetup:x 8 254:16 {sectors}"
    finding = mapped(_look(table), TOP)
    assert finding.rule == Linear(start=start)
    assert (finding.size, finding.limits) == (80 * MIB, Limits(most=MIB))


@pytest.mark.parametrize(
    "table", ["k: 0 163840 crypt aes-xts-plain64 :64:logon:cryptsetup:x", "k: 0 163840 error"]
)
def test_a_table_without_a_device_is_not_covered(table: str) -> None:
    with pytest.raises(NotCovered):
        mapped(_look(table), TOP)
