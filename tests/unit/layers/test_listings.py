"""lsdrv, /proc/scsi/scsi, xfs_bmap, btrfs check, rows of fdisk.

Oracle: filefrag on this host's file system, and figures that agree with each other.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from iosonde.text.find import FoundOutput
from tests.mangle import counters, mangled, read, subjects_in

OUTPUTS = Path(__file__).parents[2] / "outputs" / "listings-composed"
NAMES = ("lsdrv", "scsi", "bmap", "check", "fdisk")
TEXTS = {name: (OUTPUTS / f"{name}.txt").read_text() for name in NAMES}


def test_what_lies_on_the_disks_of_lsdrv() -> None:
    drives = {
        subject.name: (subject.kind, subject.values) for subject in subjects_in(TEXTS["lsdrv"])
    }
    assert list(drives) == ["nvme0n1", "nvme0n1p1", "nvme0n1p9", "sda", "sda1"]
    kind, values = drives["nvme0n1"]
    assert (kind, values["serial"], values["driver"]) == ("disk", "21110000606047", "nvme")
    assert str(values["controller"]).endswith("N1 NVMe Controller (rev 01)")
    assert drives["nvme0n1p1"][1]["mounted_at"] == "/boot"
    assert drives["sda"][1]["model"] == "ATA EXAMPLE HDWD130"
    kind, values = drives["sda1"]
    assert kind == "partition"
    assert values["holds"] == (
        "MD raid6 (0/7) (w/ sdc1) in_sync 'nas:127' {00000000-bd3f-4f5b-9d5f-5ae2b8f3a9c4}"
    )
    size = values["size"]
    assert isinstance(size, int)
    assert f"{size / 2**40:.2f}" == "2.73"


def test_devices_of_scsi() -> None:
    assert [(device.name, device.values) for device in subjects_in(TEXTS["scsi"])] == [
        ("3:0:0:0", {"vendor": "IBM-207x", "model": "EXAMPLE20ASS20", "revision": "J4B6",
                     "type": "Direct-Access"}),
        ("3:0:1:0", {"vendor": "ATA", "model": "EXAMPLE SSD 850", "revision": "1B6Q",
                     "type": "Direct-Access"}),
    ]  # fmt: skip


def test_extents_of_files() -> None:
    first, second = counters(TEXTS["bmap"])
    assert (first.name, first.values) == ("/mnt/data/file", {
        "extents": 2, "holes": 1, "mapped": 256 * 512, "size": 1024 * 512,
    })  # fmt: skip
    assert (second.name, second.values["mapped"]) == ("/mnt/data/other", 524288 * 512)


def test_the_extent_of_a_file_named_from_here() -> None:
    (only,) = counters(
        "# xfs_bmap -vp mnt/file\nmnt/file:\n"
        "EXT: FILE-OFFSET      BLOCK-RANGE      AG AG-OFFSET        TOTAL FLAGS\n"
        "  0: [0..20479]:      192..20671        0 (192..20671)     20480 000000\n"
    )
    assert (only.name, only.values["mapped"]) == ("mnt/file", 20480 * 512)


def test_extents_here_hold_the_blocks_that_the_kernel_counts(tmp_path: Path) -> None:
    file = tmp_path / "file"
    with file.open("wb") as handle:
        for place in (0, 1 << 20, 3 << 20):
            handle.seek(place)
            handle.write(b"x" * 65536)
    argv = ["xfs_io", "-c", "fsync", "-c", "fiemap", str(file)]
    text = subprocess.run(argv, capture_output=True, text=True, check=False).stdout
    if "0: [0.." not in text:
        pytest.skip("this file system shows no extents")
    (record,) = counters(text)
    assert record.name == str(file)
    assert record.values["mapped"] == file.stat().st_blocks * 512 == 3 * 65536
    assert record.values["size"] == file.stat().st_size


def test_a_check_of_btrfs() -> None:
    (check,) = subjects_in(TEXTS["check"])
    assert (check.kind, check.name) == ("btrfs", "sdx3")
    assert (check.values["bytes_used"], check.values["check"]) == (191436484608, "no error found")
    assert check.values["total_tree_bytes"] == 7511425024
    assert check.values["referenced_bytes"] == 479723794432


def test_errors_of_a_check_are_counted() -> None:
    text = TEXTS["check"].replace("found 191", "ERROR: failed to check quota groups\nfound 191")
    text = text.replace("no error found", "error(s) found")
    (check,) = subjects_in(text)
    assert (check.values["check_errors"], check.values["check"]) == (1, "error(s) found")


def test_rows_of_fdisk_in_german() -> None:
    first, second = subjects_in(TEXTS["fdisk"])
    assert (first.name, first.values) == ("sdx1", {
        "first_sector": 2048, "last_sector": 496093750, "sectors": 496091703, "type": "Linux",
        "size": 254047315558, "type_id": "83", "boot": True,
    })  # fmt: skip
    assert second.values["type"] == "Linux raid autodetect"


def everything(text: str) -> list[object]:
    return [
        (output.states and output.states[0].subjects, [dict(row.values) for row in output.counters])
        for output in read(text)
        if isinstance(output, FoundOutput)
    ]


@pytest.mark.parametrize("name", NAMES)
def test_every_shape(name: str) -> None:
    expected = everything(TEXTS[name])
    assert expected
    for shape, changed in mangled(TEXTS[name], wraps=False):
        assert everything(changed) == expected, shape


@pytest.mark.parametrize("text", [
    "PCI [nvme] is the first.\n", "Host: scsi3 Channel: 00 Id: 00 Lun: 00\n",
    "   0: [0..127]:        62592..62719\n", "It found 12 bytes used, we think.\n",
    "/dev/sda1   *   63   996029   397983+   83  Linux\n",  # figures of no unit
])  # fmt: skip
def test_what_looks_alike(text: str) -> None:
    assert everything(text) == []
