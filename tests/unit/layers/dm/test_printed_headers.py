"""Headers of integrity, verity, BitLocker. Oracle: both versions of integritysetup say the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.layers.dm.printed_headers import HeaderDump
from iosonde.records.printed import Unread
from tests.mangle import mangled, read, subjects_in

OUTPUTS = Path(__file__).parents[3] / "outputs" / "cryptsetup-composed"
TEXT = (OUTPUTS / "headers.txt").read_text()


def _subjects(text: str, tool: str = HeaderDump.tool) -> list[tuple[str, dict[str, object]]]:
    return [(subject.name, dict(subject.values)) for subject in subjects_in(text, tool)]


def test_old_and_new_integrity_agree() -> None:
    old, new, *_ = _subjects(TEXT)
    assert old == new
    assert old == ("vdt", {
        "format": "INTEGRITY", "superblock_version": 4, "tag_size": 4, "sector_size": 4096,
        "data_size": 2060288 * 512, "journal_sections": 88, "log2_interleave_sectors": 15,
        "log2_blocks_per_bitmap": 15, "flags": "fix_padding",
    })  # fmt: skip


def test_verity_and_bitlocker() -> None:
    verity, bitlocker = _subjects(TEXT)[2:]
    values = verity[1]
    hashes = int(str(values["hash_blocks"])) * int(str(values["hash_block_size"]))
    assert values["hash_device_size"] == hashes + 4096  # and the superblock
    assert not {"salt", "root_hash"} & values.keys()
    assert bitlocker[1]["volume_size"] == 128 << 20
    assert bitlocker[1]["cipher_mode"] == "xts-plain64"
    assert "offset" not in bitlocker[1]


def test_status_of_integrity() -> None:
    ((name, values),) = _subjects(TEXT, "cryptsetup status")
    header = _subjects(TEXT)[0][1]
    assert (name, values["size"]) == ("safe", header["data_size"])
    assert values["sector_size"] == header["sector_size"]
    assert (values["failures"], values["journal_watermark"]) == (3, 0.5)
    assert (values["journal_commit_time"], values["journal_size"]) == (10.0, 7471104)


def test_every_shape() -> None:
    for shape, changed in mangled(TEXT):
        for tool in (HeaderDump.tool, "cryptsetup status"):
            assert _subjects(changed, tool) == _subjects(TEXT, tool), shape


def test_a_head_alone_and_prose() -> None:
    (entry,) = read("INTEGRITY header information for /dev/vdt.\n\n")
    assert isinstance(entry, Unread)


@pytest.mark.parametrize("text", ["The VERITY header information for it was lost by a wipe.\n"])
def test_what_looks_alike(text: str) -> None:
    assert read(text) == []
