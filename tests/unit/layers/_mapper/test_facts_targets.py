"""Targets by their arguments. Oracle: sizes that the lines say twice must agree."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.layers._mapper.facts_targets import READERS
from tests.mangle import folded, mangled, subjects_in

TEXT = (Path(__file__).parents[3] / "outputs" / "dmsetup-composed" / "targets.txt").read_text()
TABLE, STATUS = (part for part in TEXT.split("# dmsetup ")[1:])
SECTOR = 512


def _devices(text: str) -> dict[str, dict[str, object]]:
    return {subject.name: dict(subject.values) for subject in subjects_in(text)}


def test_sizes_that_are_said_twice_agree() -> None:
    table, status = _devices("# dmsetup " + TABLE), _devices("# dmsetup " + STATUS)
    assert table["proof"]["data_size"] == table["proof"]["size"]
    assert status["whole"]["provided_size"] == status["whole"]["size"]
    assert status["dense"]["physical_size"] == table["dense"]["physical_size"]
    assert status["dense"]["used_share"] == 0.25
    regions, region = status["copy"]["regions"], status["copy"]["region_size"]
    assert isinstance(regions, int)
    assert isinstance(region, int)
    assert regions * region == status["copy"]["size"]


def test_what_a_table_says_of_each() -> None:
    table = _devices("# dmsetup " + TABLE)
    general = {"segments": 1}
    assert table["slow"] == general | {
        "target": "delay", "device": "8:16", "offset": 2048 * SECTOR, "read_delay": 0.5,
        "write_delay": 0.25, "size": 204800 * SECTOR,
        "lines": "0 204800 delay 8:16 2048 500 8:16 2048 250",
    }  # fmt: skip
    assert table["flaky"] == general | {
        "target": "flakey", "device": "8:17", "offset": 0, "up_interval": 30, "down_interval": 5,
        "features": "drop_writes", "size": 204800 * SECTOR,
        "lines": "0 204800 flakey 8:17 0 30 5 1 drop_writes",
    }  # fmt: skip
    assert table["grain"].items() >= {"offset": 2048 * SECTOR, "block_size": 4096}.items()
    assert table["whole"].items() >= {
        "integrity_mode": "journal", "tag_size": 32, "journal_sectors": 32, "allow_discards": True,
    }.items()  # fmt: skip
    assert table["ages"]["block_size"] == 2 << 20
    assert table["copy"]["source_device"] == "253:9"


def test_what_a_status_says_of_each() -> None:
    status = _devices("# dmsetup " + STATUS)
    assert (status["slow"]["reads"], status["slow"]["flushes"]) == (3, 1)
    assert (status["grain"]["fails_reads"], status["grain"]["quiet"]) == (True, True)
    assert status["proof"]["state"] == "verified"
    assert status["whole"]["mismatches"] == 2
    assert status["ages"]["era"] == 12
    assert status["copy"]["hydrated_regions"] == 6400
    assert (status["dense"]["mode"], status["dense"]["compression"]) == ("normal", "online")


@pytest.mark.parametrize(
    ("target", "arguments"),
    [
        ("delay", "8:16 2048"), ("delay", "8:16 2048 500 8:16"), ("delay", "3 2"),
        ("flakey", "8:17 0 30"), ("flakey", "8:17 0 30 5 2 drop_writes"),
        ("verity", "1 8:1 8:2 4096 4096 32768 1 sha256"),
        ("dust", "8:18 passes verbose"), ("dust", "8:18 bypass loud"),
        ("verity", "V and more of it"),
        ("integrity", "253:4 0 32 X 0"), ("integrity", "253:4 0 32 J 3 one:1"),
        ("era", "8 27/4096 12"), ("clone", "8 30/4096 8"), ("unstriped", "2 128 0 253:1"),
        ("vdo", "V4 /dev/dm-3 2621440"), ("vdo", "253:3 normal - online online 9 8"),
    ],
)  # fmt: skip
def test_arguments_that_are_not_whole(target: str, arguments: str) -> None:
    assert READERS[target](arguments.split(" ")) is None


def test_a_line_alone_and_a_sentence() -> None:
    line = TEXT.splitlines()[4]
    assert _devices(line)["proof"]["algorithm"] == "sha256"
    assert _devices("The target verity 1 of 0 262144 verity blocks fails\n") == {}
    assert _devices("a delay 8:16 was set\n") == {}


def test_every_shape() -> None:
    for text in (f"# dmsetup {TABLE}", f"# dmsetup {STATUS}"):
        for shape, changed in mangled(text, wraps=False):
            assert _devices(changed) == _devices(text), shape
    assert _devices(folded(f"# dmsetup {TABLE}", 76)) == _devices(f"# dmsetup {TABLE}")


@pytest.mark.parametrize("ascii_only", [False, True])
def test_a_tree_says_what_stands_on_what(ascii_only: bool) -> None:
    text = (Path(__file__).parents[3] / "outputs" / "dmsetup-composed" / "tree.txt").read_text()
    if ascii_only:
        text = text.replace("├─", "|-").replace("└─", "`-").replace("│", "|")
    expected = {
        "vg3-pond": {"number": "253:4", "stands_on": "vg3-pond_rimage_1 vg3-pond_rimage_0"},
        "vg3-pond_rimage_1": {"number": "253:3", "stands_on": "8:48"},
        "vg3-pond_rimage_0": {"number": "253:1", "stands_on": "8:32"},
        "heron": {"number": "253:0", "stands_on": "7:0 8:16"},
    }
    for shape, changed in mangled(text, wraps=False):
        devices = _devices(changed)
        if shape == "quoted-printable" and not ascii_only:  # nothing says that it is
            assert all(expected[name]["number"] == row["number"] for name, row in devices.items())
        else:
            assert devices == expected, shape
