"""ndctl list: persistent memory; systool: SCSI devices in sysfs."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mangle import counters, mangled, read, states

OUTPUTS = Path(__file__).parents[3] / "outputs"
NAMESPACES = (OUTPUTS / "ndctl-composed" / "namespaces.txt").read_text()
HEALTH = (OUTPUTS / "ndctl-composed" / "health.txt").read_text()
SCSI = (OUTPUTS / "systool-composed" / "scsi.txt").read_text()


def test_namespaces_are_disks() -> None:
    for shape, given in mangled(NAMESPACES, wraps=False):
        (state,) = states(given)
        used, empty = state.subjects
        assert (used.kind, used.name, used.values["namespace"]) == ("disk", "pmem2", "namespace2.0")
        assert (used.values["size"], used.values["logical_block_size"]) == (133173346304, 512)
        assert used.values["align"] == 2 * 1024**2
        assert (empty.name, empty.values["size"]) == ("namespace2.1", 0), shape
        assert empty.values["state"] == "disabled"


def test_health_of_a_dimm_and_room_of_a_region() -> None:
    (state,) = states(HEALTH)
    assert state.tool == "ndctl list"
    region, dimm = state.subjects
    assert (dimm.kind, dimm.name) == ("nvdimm", "nmem1")
    assert (dimm.values["spare"], dimm.values["spare_threshold"]) == (0.04, 0.1)
    assert (dimm.values["media_wear"], dimm.values["temperature"]) == (0.61, 34.5)
    assert dimm.values["health_shutdown_state"] == "dirty"
    assert (region.kind, region.name) == ("nvdimm_region", "region0")
    size, free = region.values["size"], region.values["available_size"]
    assert size == 2 * int(str(free))


def test_attributes_and_counters_of_scsi_devices() -> None:
    """The kernel prints the counters in hexadecimal (show_iostat_counterbits and others)."""
    for shape, given in mangled(SCSI, wraps=False):
        (state,) = states(given)
        optical, disk = state.subjects
        assert (optical.name, disk.name) == ("3:0:0:0", "4:0:1:0"), shape
        assert (disk.values["queue_depth"], disk.values["timeout"]) == (31, 180)
        assert (disk.values["model"], disk.values["state"]) == ("EXAMPLE DISK", "blocked")
        first, second = counters(given)
        assert first.values == {"iodone_cnt": 753, "ioerr_cnt": 5, "iorequest_cnt": 770}, shape
        assert second.values["ioerr_cnt"] == 31


def test_an_output_that_is_torn() -> None:
    (output,) = read(NAMESPACES[: NAMESPACES.index("align")])
    assert getattr(output, "reason", "").startswith("it is cut off")


@pytest.mark.parametrize("text", [
    '{"dev": "namespace of my cluster"}\n',
    'The key "dev":"region0" names it, says the manual.\n',
    '  Device = "sda"\n    model = "x"\n',
    '  Device = "3:0:0:0"\n',
])  # fmt: skip
def test_what_looks_alike_is_none(text: str) -> None:
    assert not states(text)
    assert not [entry for entry in counters(text) if entry.tool in {"systool", "ndctl list"}]
