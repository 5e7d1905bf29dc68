"""btrfs device usage: the parts of a device add up to it."""

from __future__ import annotations

from pathlib import Path

from iosonde.records.printed import Unread
from iosonde.records.stack import Scalar
from tests.mangle import mangled, read, states

TEXT = (Path(__file__).parents[3] / "outputs" / "btrfs-devices-composed" / "usage.txt").read_text()


def things(text: str) -> dict[str, dict[str, Scalar]]:
    return {s.name: dict(s.values) for state in states(text) for s in state.subjects}


def test_devices_in_every_shape() -> None:
    for shape, given in mangled(TEXT, wraps=False):
        values_by_name = things(given)
        disk = values_by_name["sda"]
        assert disk["device_id"] == 2, shape
        assert disk["size"] == round(3.64 * 2**40)
        assert (disk["metadata_raid1"], disk["slack"]) == (8 << 30, 0)
        parts = [disk[name] for name in ("data_raid1", "metadata_raid1", "unallocated")]
        assert abs(sum(float(str(part)) for part in parts) / float(str(disk["size"])) - 1) < 0.01
        assert values_by_name["sdg"]["slack"] == 344 << 10


def test_a_device_without_sizes_and_prose() -> None:
    (entry,) = read("/dev/sda, ID: 2\n\n\n\nnothing\n")
    assert isinstance(entry, Unread)
    assert read("My drive, ID: 2, has a Device slack: none\n") == []
