"""The figures of `e2fsck -v`. Oracle: the real program, whose summary without -v says the same."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from iosonde.records.stack import Json
from tests.mangle import counters, mangled, subjects_in

TEXT = (Path(__file__).parents[3] / "outputs" / "e2fsprogs-composed" / "figures.txt").read_text()
SORTS = ("regular_files", "directories", "character_device_files", "block_device_files", "fifos",
         "links", "symbolic_links", "sockets")  # fmt: skip


def _figures(text: str) -> list[tuple[str, dict[str, Json]]]:
    return [
        (each.name, dict(each.values)) for each in counters(text) if "inodes_used" in each.values
    ]


def _run(*argv: str | Path) -> str:
    done = subprocess.run(list(map(str, argv)), capture_output=True, text=True, check=False,
                          env={"LC_ALL": "C"})  # fmt: skip
    return done.stdout


def _sum(values: dict[str, Json]) -> int:
    return sum(int(str(values[sort])) for sort in SORTS)


def test_sorts_of_files_add_up() -> None:
    ((name, values),) = _figures(TEXT)
    assert name == "sdz3"
    assert values["files"] == _sum(values)
    assert values["inodes_used_share"] == pytest.approx(203191 / 32768000, abs=5e-5)
    assert (values["blocks_used"], values["blocks"]) == (78500123, 131072000)
    assert values["extent_depths"] == [190001, 205, 1]
    assert values["inodes_with_indirect_blocks"] == [0, 0, 0]
    assert (values["non_contiguous_files"], values["non_contiguous_directories"]) == (310, 98)
    assert values["fast_symbolic_links"] == 90


def test_the_real_program(tmp_path: Path) -> None:
    image = tmp_path / "image"
    with image.open("wb") as file:
        file.truncate(16 << 20)
    _run("/sbin/mke2fs", "-q", "-t", "ext4", image)
    ((_, values),) = _figures(_run("/sbin/e2fsck", "-f", "-y", "-v", image))
    (summary,) = (
        subject.values
        for subject in subjects_in(_run("/sbin/e2fsck", "-f", "-y", image))
        if "inodes" in subject.values
    )
    assert (values["inodes"], values["blocks"]) == (summary["inodes"], summary["blocks"])
    for what in ("inodes", "blocks"):
        free = int(str(values[what])) - int(str(values[f"{what}_used"]))
        assert free == summary[f"free_{what}"]
    assert values["files"] == _sum(values)


@pytest.mark.parametrize(
    "text", ["19 inodes used (by me)\n", "7 regular files\n", "There are 0 bad blocks\n"]
)
def test_what_looks_alike(text: str) -> None:
    assert not _figures(text)


@pytest.mark.parametrize(("shape", "text"), list(mangled(TEXT, wraps=False)))
def test_every_shape(shape: str, text: str) -> None:
    assert _figures(text) == _figures(TEXT), shape
