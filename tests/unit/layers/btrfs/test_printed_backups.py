"""What a superblock of btrfs keeps besides its fields. Oracle: two backups of one file system."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.records.stack import Json
from tests.mangle import counters, folded, mangled

FOLDER = Path(__file__).parents[3] / "outputs" / "btrfs-composed"
TEXT = (FOLDER / "backups.txt").read_text()
SUPER = (FOLDER / "super.txt").read_text()


def _kept(text: str) -> list[tuple[str, dict[str, Json]]]:
    return [(each.name, dict(each.values)) for each in counters(text, "btrfs dump-super")]


def _backups(values: dict[str, Json]) -> list[dict[str, Json]]:
    backups = values["backup_roots"]
    assert isinstance(backups, list)
    return [backup for backup in backups if isinstance(backup, dict)]


def test_the_backups_of_a_superblock() -> None:
    ((name, values),) = _kept(TEXT)
    older, newer = _backups(values)
    assert name == ""
    assert older == {
        "backup": 0, "tree_root": 30785536, "tree_root_generation": 90, "tree_root_level": 0,
        "chunk_root": 22036480, "chunk_root_generation": 5, "chunk_root_level": 0,
        "extent_root": 30801920, "extent_root_generation": 90, "extent_root_level": 0,
        "fs_root": 30818304, "fs_root_generation": 88, "fs_root_level": 0,
        "dev_root": 30556160, "dev_root_generation": 87, "dev_root_level": 0,
        "csum_root": 30490624, "csum_root_generation": 90, "csum_root_level": 0,
        "total_bytes": 1073741824, "bytes_used": 147456, "num_devices": 1,
    }  # fmt: skip
    assert newer["backup"] == 1
    for root in ("chunk", "dev"):  # trees that nobody wrote to between the two
        assert older[f"{root}_root"] == newer[f"{root}_root"]
        assert older[f"{root}_root_generation"] == newer[f"{root}_root_generation"]


def test_its_chunks() -> None:
    ((_, values),) = _kept(TEXT)
    chunks = values["sys_chunks"]
    assert isinstance(chunks, list)
    (chunk,) = chunks
    assert isinstance(chunk, list)
    assert chunk[0] == "FIRST_CHUNK_TREE CHUNK_ITEM 22020096"
    assert chunk[1] == "length 8388608 owner 2 stripe_len 65536 type SYSTEM|DUP"
    assert len(chunk) == 8


def test_below_the_fields_they_are_of_the_same_device() -> None:
    ((name, values),) = _kept(SUPER.rstrip("\n") + "\n" + TEXT)
    assert name == "sdz1"
    assert values == _kept(TEXT)[0][1]


def test_backups_alone() -> None:
    text = TEXT[TEXT.index("\tbackup 1:") :]
    ((_, values),) = _kept(f"It has this one:\n\n{text}\nCan I use it?\n")
    assert _backups(values) == _backups(_kept(TEXT)[0][1])[1:]


@pytest.mark.parametrize(
    "text", ["backup 1: of my disk, on tape\n", "I tried backup_tree_root: nothing\n",
             "\tprintf(\"backup_roots[%zu]:\\n\", sizeof(*sb));\n"],
)  # fmt: skip
def test_what_looks_alike(text: str) -> None:
    assert not _kept(text)


@pytest.mark.parametrize(("shape", "text"), list(mangled(TEXT, wraps=False)))
def test_every_shape(shape: str, text: str) -> None:
    assert _kept(text) == _kept(TEXT), shape


def test_a_mail_that_folded_it() -> None:
    broken = folded(TEXT.replace("\t", "     "), 50)
    assert _backups(_kept(broken)[0][1]) == _backups(_kept(TEXT)[0][1])
