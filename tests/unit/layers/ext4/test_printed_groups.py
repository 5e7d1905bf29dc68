"""Groups of ext. Oracle: their sums are the superblock's, and their ranges are as long as said."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from iosonde.records.stack import Json
from tests.mangle import counters, mangled, subjects_in

TEXT = (Path(__file__).parents[3] / "outputs" / "e2fsprogs-composed" / "groups.txt").read_text()


def _groups(text: str) -> list[dict[str, Json]]:
    return [dict(each.values) for each in counters(text) if "groups" in each.values]


def _rows(values: dict[str, Json]) -> list[dict[str, Json]]:
    rows = values["rows"]
    assert isinstance(rows, list)
    return [row for row in rows if isinstance(row, dict)]


def _length(ranges: Json) -> int:
    pairs = re.findall(r"(\d+)(?:-(\d+))?", str(ranges))
    return sum(int(last or first) - int(first) + 1 for first, last in pairs)


def test_the_groups_of_a_file_system() -> None:
    (values,) = _groups(TEXT)
    first, second = _rows(values)
    assert (values["groups"], values["free_blocks"], values["directories"]) == (2, 13828, 3)
    assert (first["csum"], first["expected_csum"], first["flags"]) == (
        "0xcbe3", "0x3741", "ITABLE_ZEROED",
    )  # fmt: skip
    assert (second["superblock_kind"], second["superblock"]) == ("Backup", 8193)
    assert (second["block_bitmap"], second["block_bitmap_csum"]) == (131, "0x18ff1a15")
    assert second["inode_table"] == "646-1157"
    for row in (first, second):
        for what in ("free_blocks", "free_inodes"):
            assert _length(row[f"{what}_at"]) == row[what]


def test_the_real_program(tmp_path: Path) -> None:
    image = tmp_path / "image"
    with image.open("wb") as file:
        file.truncate(64 << 20)
    subprocess.run(["/sbin/mke2fs", "-q", "-t", "ext4", "-b", "1024", str(image)], check=True)
    text = subprocess.run(
        ["/sbin/dumpe2fs", str(image)], capture_output=True, text=True, check=True
    ).stdout
    (values,) = _groups(text)
    (superblock,) = [subject.values for subject in subjects_in(text)]
    assert values["groups"] == len(re.findall(r"^Group \d", text, re.MULTILINE))
    assert values["free_blocks"] == superblock["free_blocks"]
    assert values["free_inodes"] == superblock["free_inodes"]


def test_a_group_whose_end_is_cut_has_no_sum() -> None:
    (values,) = _groups(TEXT[: TEXT.index("  7018 free")])
    assert values["groups"] == 2
    assert "free_blocks" not in values


@pytest.mark.parametrize(
    "text", ["Group 1: (Blocks are missing)\n", "My group: (Blocks 1-2) of flats\n"]
)
def test_what_looks_alike(text: str) -> None:
    assert not _groups(text)


@pytest.mark.parametrize(("shape", "text"), list(mangled(TEXT, wraps=False)))
def test_every_shape(shape: str, text: str) -> None:
    assert _groups(text) == _groups(TEXT), shape
