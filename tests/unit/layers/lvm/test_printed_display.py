"""lvdisplay, vgdisplay and pvdisplay: extents times their size is the check on each size."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.records.printed import Unread
from tests.mangle import mangled, read, states

TEXT = (Path(__file__).parents[3] / "outputs" / "lvm-2.03.16" / "display.txt").read_text()
MIB = 1 << 20


def test_the_three_in_every_shape() -> None:
    for shape, given in mangled(TEXT, wraps=False):
        things = {s.kind: s for state in states(given) for s in state.subjects}
        size = {kind: int(str(thing.values["size"])) for kind, thing in things.items()}
        extents = {kind: int(str(thing.values["extents"])) for kind, thing in things.items()}
        volume, group, device = (things[kind] for kind in ("lvm", "lvm_group", "lvm_pv"))
        assert (volume.name, group.name, device.name) == ("mapper/vg--x-data", "vg-x", "sdq1"), (
            shape
        )
        assert size["lvm"] == extents["lvm"] * 4 * MIB
        assert (volume.values["segments"], volume.values["device_number"]) == (2, "253:4")
        for kind in ("lvm_group", "lvm_pv"):
            assert size[kind] == pytest.approx(extents[kind] * 4 * MIB, rel=0.005)
        assert group.values["free"] == 376930 * 4 * MIB
        assert device.values["volume_group"] == "vg-x"


def test_a_name_that_is_cut_off_and_prose() -> None:
    (entry,) = read("  --- Logical volume ---\n  LV Status              available\n")
    assert isinstance(entry, Unread)
    assert read("Look at the --- Logical volume --- part.") == []
