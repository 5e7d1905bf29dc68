"""filefrag: the lengths of the extents are the check on the size."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from iosonde.records.printed import PrintedCounters, Unread
from tests.mangle import counters, mangled, read

PLACE = Path(__file__).parents[3] / "outputs" / "filefrag-composed"
TEXT = (PLACE / "v.txt").read_text()


def test_the_extents_of_a_file_in_every_shape() -> None:
    for shape, given in mangled(TEXT, wraps=False):
        (file,) = counters(given)
        assert file.name == "/srv/a.img", shape
        assert file.values["extents"] == file.values["listed_extents"] == 2
        assert file.values["listed_blocks"] == file.values["blocks"] == 262144
        assert file.values["size"] == 1 << 30


def test_one_line_rows_alone_and_a_whole_file_system() -> None:
    (one_line,) = counters("/srv/b: 1 extent found\n")
    assert (one_line.name, one_line.values) == ("/srv/b", {"extents": 1})
    (alone,) = counters("\n".join(TEXT.split("\n")[2:4]) + "\n")
    assert alone.values == {
        "listed_extents": 1, "listed_blocks": 32768,
        "rows": [{"logical": 0, "logical_end": 32767, "physical": 34816, "physical_end": 67583,
                  "length": 32768}],
    }  # fmt: skip
    (frag,) = counters((PLACE / "frag.txt").read_text())
    assert frag.values == {
        "extents": 117578, "ideal_extents": 116929, "fragmentation": 0.0055,
            "extents_per_file": 1.01,
    }  # fmt: skip


def test_a_head_alone_and_prose() -> None:
    (entry,) = read(TEXT.split("\n")[2] + "\n\n\nnothing\n")
    assert isinstance(entry, Unread)
    assert read("After the test no more extents found their way back.\n") == []


def test_where_the_extents_are() -> None:
    (file,) = counters(TEXT)
    _, row = _rows(file)
    assert row == {
        "logical": 32768, "logical_end": 262143, "physical": 100352, "physical_end": 329727,
        "length": 229376, "expected": 67584, "flags": "last,eof",
    }  # fmt: skip
    for each in _rows(file):  # each says its length thrice
        for place in ("logical", "physical"):
            assert each[f"{place}_end"] - each[place] + 1 == each["length"]
    assert file.values["filesystem_type"] == "0xef53"


def _rows(file: PrintedCounters) -> list[Any]:
    rows = file.values["rows"]
    assert isinstance(rows, list)
    return rows


def test_the_real_program(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"x" * 300000)
    done = subprocess.run(
        ["/usr/sbin/filefrag", "-v", str(path)], capture_output=True, text=True, check=False
    )
    if done.returncode or "physical_offset" not in done.stdout:
        pytest.skip("the file system does not tell extents")
    (file,) = counters(done.stdout)
    assert file.values["size"] == 300000
    assert file.values["listed_extents"] == file.values["extents"]
    assert _rows(file)[-1]["flags"].startswith("last")


def test_an_old_program_and_what_would_be_perfect() -> None:
    text = (
        "Filesystem type is: ef53\nFile size of /srv/c is 1228800 (300 blocks, blocksize 4096)\n"
        " ext logical physical expected length flags\n   0       0    34816             200 \n"
        "   1     200    99000    35015    100 eof\n"
        "/srv/c: 2 extents found, perfection would be 1 extent\n"
    )
    (file,) = counters(text)
    assert file.values["listed_blocks"] == file.values["blocks"] == 300
    assert (file.values["extents"], file.values["ideal_extents"]) == (2, 1)
    assert file.kind == "file"
    assert [row.get("expected") for row in _rows(file)] == [None, 35015]
