"""filefrag: the lengths of the extents are the check on the size."""

from __future__ import annotations

from pathlib import Path

from iosonde.records.printed import Unread
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
    assert alone.values == {"listed_extents": 1, "listed_blocks": 32768}
    (frag,) = counters((PLACE / "frag.txt").read_text())
    assert frag.values == {
        "extents": 117578, "ideal_extents": 116929, "fragmentation": 0.0055,
    }  # fmt: skip


def test_a_head_alone_and_prose() -> None:
    (entry,) = read(TEXT.split("\n")[2] + "\n\n\nnothing\n")
    assert isinstance(entry, Unread)
    assert read("After the test no more extents found their way back.\n") == []
