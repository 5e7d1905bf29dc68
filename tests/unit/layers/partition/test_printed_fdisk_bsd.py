"""OpenBSD's fdisk. Oracle: the last partition ends where the disk does."""

from __future__ import annotations

from pathlib import Path
from typing import cast

from tests.mangle import mangled, read, subjects_in

PLACE = Path(__file__).parents[3] / "outputs" / "partitions-composed"
TEXT = (PLACE / "fdisk-openbsd.txt").read_text()


def test_a_disk_and_its_entries_in_every_shape() -> None:
    for shape, given in mangled(TEXT, wraps=False):
        disk, *entries = subjects_in(given, "fdisk")
        assert (disk.name, disk.values["partition_table"]) == ("sd1", "dos"), shape
        assert [(entry.name, entry.values["type_code"]) for entry in entries] == [
            ("sd1 1", "ef"), ("sd1 3", "a6"),
        ]  # fmt: skip
        first, last = (cast("dict[str, int]", entry.values) for entry in entries)
        assert first["first_sector"] + first["sectors"] == last["first_sector"]
        assert last["first_sector"] + last["sectors"] == disk.values["sectors"]
        assert (last.get("boot"), first.get("boot")) == (True, None)
        assert "size" not in last  # how large a sector is stands nowhere


def test_what_looks_alike() -> None:
    alone, *_ = TEXT.splitlines()[1:]
    assert read(f"{alone}\n\nis what I have.\n") == []
    assert subjects_in("Disk: fixed geometry: 16/63 [all Sectors]\nSignature: 0xAA55\n") == []
