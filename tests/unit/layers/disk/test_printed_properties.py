"""`blkid -ip` as properties. Oracle: sectors times 512, and both forms of one partition agree."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mangle import mangled, subjects_in

TEXT = (Path(__file__).parents[3] / "outputs/blkid-composed/properties.txt").read_text()
EXPORT, UDEV = TEXT.split("\n\n# blkid -ip -o udev\n")


def test_export_with_the_sizes_of_io() -> None:
    for shape, given in mangled(EXPORT, wraps=False):
        first, second = subjects_in(given)
        assert (first.kind, first.name, second.name) == ("partition", "sdq1", "sdq2"), shape
        assert first.values["start"] == 2048 * 512, shape
        assert first.values["size"] == 1048576 * 512, shape
        assert (first.values["io_min"], first.values["io_opt"]) == (4096, 262144), shape
        assert first.values["aligned_to_stripe"] is True, shape
        assert second.values["aligned_to_sector"] is False, shape  # 1050625 is odd
        assert second.values["label"] == "spool", shape


def test_udev_names_no_device_and_its_partitions_are_kept_apart() -> None:
    for shape, given in mangled(UDEV, wraps=False):
        first, second = subjects_in(given)
        assert (first.kind, first.name) == ("partition", ""), shape
        assert first.values["size"] == 1048576 * 512, shape
        assert first.values["io_opt"] == 262144, shape
        assert "label" not in first.values, shape
        assert (second.values["label"], second.values["number"]) == ("spool", 2), shape


def test_a_device_that_the_command_names() -> None:
    alone = UDEV.split("\n\n")[0]
    (subject,) = subjects_in(f"# blkid -ip -o udev /dev/sdq1\n{alone}\n")
    assert subject.name == "sdq1"
    assert subject.values["start"] == 2048 * 512


@pytest.mark.parametrize(
    "near_miss",
    ["ID_FS_TYPE=ext4\n", "Set ID_FS_TYPE=ext4 in the rule.", "ID_FS_TYPE=$type\nMY_OWN_NAME=3\n"],
)
def test_a_line_alone_and_settings_of_others_are_none(near_miss: str) -> None:
    assert subjects_in(near_miss) == []
