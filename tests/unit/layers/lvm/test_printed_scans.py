"""pvscan, lvscan, vgscan, lvmdiskscan. Oracle: the totals that pvscan prints of its devices."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mangle import counters, mangled, subjects_in

TEXT = (Path(__file__).parents[3] / "outputs/lvm-2.03.16/scans.txt").read_text()
GIB = 1 << 30


def test_what_each_scan_lists_in_every_shape() -> None:
    for shape, given in mangled(TEXT, wraps=False):
        things = {(s.kind, s.name): dict(s.values) for s in subjects_in(given, "lvm scan")}
        devices = {name: values for (kind, name), values in things.items() if kind == "lvm_pv"}
        assert list(devices) == ["sda2", "unknown device", "sdb5", "sdf1"], shape
        assert devices["unknown device"]["free"] == 12.5 * GIB, shape
        assert devices["sdb5"]["exported"] is True, shape
        assert "volume_group" not in devices["sdf1"], shape
        assert things["lvm", "mapper/pond-heronsnap"] == {
            "state": "inactive", "role": "Snapshot", "size": 5 * GIB, "allocation": "contiguous",
        }, shape  # fmt: skip
        assert things["lvm_group", "lake"] == {"format": "lvm2", "exported": True}, shape
        total, found_disks = (dict(c.values) for c in counters(given, "lvm scan"))
        sizes = int(str(total["size_in_use"])) + int(str(total["size_in_no_group"]))
        assert sizes == pytest.approx(int(str(total["size"])), rel=0.04), shape
        assert (total["devices"], total["devices_in_use"]) == (4, 3), shape
        assert found_disks["partitions"] == 2, shape


def test_sizes_of_old_versions_and_a_log_of_the_kernel() -> None:
    old = "  PV /dev/hda3   VG vg0   lvm2 [19.90 GB / 0    free]\n"
    (device,) = subjects_in(old)
    assert device.values["size"] == round(19.9 * GIB)
    assert subjects_in("The PV /dev/sdb1 of VG pond has 12.5 GiB free] of 100.\n") == []
    assert subjects_in("ACTIVE  '/dev/pond/root' is what it says of them [20.00 GiB]\n") == []
