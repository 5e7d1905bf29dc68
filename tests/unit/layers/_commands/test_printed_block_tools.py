"""kpartx, losetup, fstrim. Oracle: where one partition ends the next begins; sizes said twice."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from iosonde import units
from iosonde.layers._commands.printed_block_tools import Fstrim, Kpartx, Losetup
from tests.mangle import counters, mangled, subjects_in

OUTPUTS = Path(__file__).parents[3] / "outputs" / "commands-composed"
TEXT = (OUTPUTS / "block-tools.txt").read_text()
TOOLS = {Kpartx.tool, Losetup.tool}


def _things(text: str) -> list[tuple[str, str, dict[str, object]]]:
    return [
        (subject.kind, subject.name, dict(subject.values)) for subject in subjects_in(text, *TOOLS)
    ]


def _trimmed(text: str) -> dict[str, dict[str, object]]:
    return {row.name: dict(row.values) for row in counters(text, Fstrim.tool)}


def test_partitions_stand_one_behind_the_other() -> None:
    first, second, listed = (thing[2] for thing in _things(TEXT)[:3])
    assert int(str(first["start"])) + int(str(first["size"])) == second["start"]
    assert first == {"size": 100 << 20, "start": 1 << 20, "device": "loop7", "number": "253:9"}
    assert listed == {"size": 100 << 20, "start": 1 << 20, "device": "sdq"}
    assert _things(TEXT)[3:5] == [
        ("partition", "loop7p1", {"state": "deleted"}), ("loop", "loop7", {"state": "deleted"}),
    ]  # fmt: skip


def test_loop_devices_as_lines_and_as_a_table() -> None:
    assert _things(TEXT)[5:] == [
        ("loop", "loop3", {"backing_file": "/srv/heron.img", "offset": 1 << 20}),
        ("loop", "loop4", {"backing_file": "/srv/newt.img", "backing_file_deleted": True}),
        ("loop", "loop3", {
            "offset": 1 << 20, "autoclear": False, "read_only": True,
            "backing_file": "/srv/heron.img", "direct_io": True, "logical_block_size": 512,
        }),
        ("loop", "loop5", {
            "size_limit": 65536, "offset": 0, "autoclear": True, "read_only": False,
            "backing_file": "/srv/reed.img", "direct_io": False, "logical_block_size": 4096,
            "backing_file_deleted": True,
        }),
    ]  # fmt: skip


def test_bytes_are_those_of_the_size_that_is_printed_beside_them() -> None:
    trimmed = _trimmed(TEXT)
    for mount, size in re.findall(r"^(/\w+): ([\d.]+ \w+) \(", TEXT, re.MULTILINE):
        assert trimmed[mount]["trimmed_bytes"] == units.printed(size.replace(" ", ""))[0]
    assert trimmed["/srv"]["device"] == "vg3/srv"
    assert trimmed["/old"] == {"trimmed_bytes": 12 << 30}


@pytest.mark.parametrize(
    "text",
    [
        "add map and territory (1:2): 0 it is not\n",
        "The hedge at /srv: 3 of them trimmed\n",
        "/dev/loop3: cannot be set up (/srv/heron.img)\n",
        "NAME BACK-FILE are two of its columns\n",
        "score : 0 3 /dev/null\n",
    ],
)
def test_what_looks_alike(text: str) -> None:
    assert _things(text) == []
    assert _trimmed(text) == {}


def test_a_torn_table_is_not_read() -> None:
    text = "# losetup -l\nNAME SIZELIMIT OFFSET AUTOCLEAR RO BACK-FILE DIO LOG-SEC\n"
    assert _things(text + "/dev/loop3 0 0 0 1\n/srv/heron.img 1 512\n") == []


def test_every_shape() -> None:
    for shape, changed in mangled(TEXT, wraps=False):
        assert _things(changed) == _things(TEXT), shape
        assert _trimmed(changed) == _trimmed(TEXT), shape


def test_a_line_alone() -> None:
    assert _trimmed("/srv: 4 KiB (4096 bytes) trimmed\n") == {"/srv": {"trimmed_bytes": 4096}}
