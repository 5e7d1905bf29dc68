"""QEMU's monitor, containers and storages of Proxmox. Oracle: QEMU's and Proxmox's own manuals."""

from __future__ import annotations

from pathlib import Path

from iosonde.layers.guest.findings import RULES
from iosonde.records.stack import Scalar
from tests.contract.rules.case import case, state
from tests.mangle import counters, mangled, subjects_in

OUTPUTS = Path(__file__).parents[3] / "outputs" / "guests-composed"
MONITOR, PCT, STORAGES = (
    (OUTPUTS / f"{name}.txt").read_text() for name in ("monitor", "pct", "storage-cfg")
)


def named(text: str) -> dict[str, dict[str, Scalar]]:
    return {subject.name: dict(subject.values) for subject in subjects_in(text)}


def test_disks_of_the_monitor() -> None:
    disks = named(MONITOR)
    assert list(disks) == ["drive-scsi0", "drive-ide2", "virtio0"]
    assert (disks["drive-scsi0"]["cache"], disks["drive-scsi0"]["format"]) == ("none", "raw")
    assert disks["drive-ide2"]["inserted"] is False
    full = disks["virtio0"]
    assert (full["cache"], full["error"], full["read_only"]) == ("unsafe", "no space", True)
    assert (full["limit_read_bandwidth"], full["limit_iops"]) == (100 * 2**20, 300)
    assert "limit_bandwidth" not in full
    assert [each.subject for each in RULES[1].find(case(state("guest", "virtio0", full)))]


def test_what_the_monitor_counts() -> None:
    (row,) = counters(MONITOR)
    assert (row.name, row.values["rd_req"]) == ("drive-scsi0", 12345)
    assert row.values["wr_total_times"] == 23.456789012
    assert row.values["idle_time"] == 123123e-9


def test_a_container_and_its_volumes() -> None:
    things = named(PCT)
    assert things["rootfs"]["size"] == 8 * 2**30
    assert things["mp0"] == {
        "path": "local-zfs:subvol-101-disk-1", "mp": "/srv", "size": 100 * 2**30
    }  # fmt: skip
    assert things["container"]["memory"] == 2**31
    assert things["container"]["unprivileged"] is True


def test_storages_and_their_properties() -> None:
    storages = named(STORAGES)
    assert list(storages) == ["local", "local-zfs", "local-lvm"]
    assert storages["local-zfs"]["sparse"] is True
    assert storages["local-lvm"]["thinpool"] == "data"
    assert named(STORAGES.replace("\tsparse\n", "\tdisable 1\n"))["local-zfs"]["disable"] is True


def test_every_shape() -> None:
    for text in (MONITOR, PCT, STORAGES):
        whole = named(text)
        for shape, given in mangled(text, wraps=False):
            if shape != "with blank lines":
                assert named(given) == whole, shape


def test_what_is_none() -> None:
    assert not named("rootfs: local:101/vm-101-disk-0.raw,size=8G\n")
    assert not named("dir: local\nThat is a storage.\n")
    assert not named("Attached to:      the wall\n")
