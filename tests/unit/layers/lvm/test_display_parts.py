"""Lines of lvdisplay, vgdisplay and pvdisplay without their head. Oracle: the whole display."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from iosonde.records.printed import Unread
from tests.mangle import mangled, read, states

TEXT = (Path(__file__).parents[3] / "outputs" / "lvm-2.03.16" / "display.txt").read_text()
BLOCKS = [part.rstrip() for part in TEXT.split("--- \n" if "--- \n" in TEXT else "---\n")[1:]]
MIB = 1 << 20


def _things(text: str) -> list[tuple[str, str, dict[str, Any]]]:
    return [
        (thing.kind, thing.name, dict(thing.values))
        for state in states(text)
        if state.tool == "lvm display"
        for thing in state.subjects
    ]


def _bare(block: str) -> str:
    rows = [row for row in block.split("\n") if row.strip() and "---" not in row]
    return "\n".join(row for row in rows if "time" not in row and not row.startswith("#")) + "\n"


def test_the_figures_are_those_of_the_whole() -> None:
    whole = {kind: values for kind, _, values in _things(TEXT)}
    for block in BLOCKS:
        ((kind, _, values),) = _things(_bare(block))
        assert {name: whole[kind].get(name) for name in values} == values, kind
        assert values["size"] == pytest.approx(values["extents"] * 4 * MIB, rel=0.005)


@pytest.mark.parametrize(
    ("text", "things"),
    [
        ("LV Size                10.00 GiB\nCurrent LE             2560\n",
         [("lvm", "", {"size": 2560 * 4 * MIB, "extents": 2560})]),
        ("  LV Path  /dev/vg0/a-b\n  LV Size  4.00 MiB\n"
         "  LV Path  /dev/vg0/c\n  LV Size  8.00 MiB\n",
         [("lvm", "mapper/vg0-a--b", {"lv_path": "/dev/vg0/a-b", "size": 4 * MIB}),
          ("lvm", "mapper/vg0-c", {"lv_path": "/dev/vg0/c", "size": 8 * MIB})]),
        ("  PV Size               20.00 GiB / not usable 3.00 MiB\n",
         [("lvm_pv", "", {"size": 20480 * MIB, "not_usable": 3 * MIB})]),
        ("  VG Name               vg0\n  VG Size               <20.00 GiB\n",
         [("lvm_group", "vg0", {"size": 20480 * MIB})]),
    ],
)  # fmt: skip
def test_some_lines(text: str, things: list[tuple[str, str, dict[str, Any]]]) -> None:
    assert _things(text) == things
    for shape, changed in mangled(text, wraps=False):
        if shape != "with blank lines":
            assert _things(changed) == things, shape


@pytest.mark.parametrize(
    "text",
    [
        "  LV Name  is the name of it\n",
        "| LV Size   | PV Size  |\n| 10        | 20       |\n",
        "  PV         VG   Fmt  Attr PSize  PFree\n",
        "The LV Size  10.00 GiB is too small\n",
        "  Total PE  energy of the molecule\n",
    ],
)
def test_what_looks_alike(text: str) -> None:
    assert not _things(text)


def test_of_what_it_is_must_be_there() -> None:
    (entry,) = read("  PE Size               4.00 MiB\n  Total PE              5119\n")
    assert isinstance(entry, Unread)
    assert "of a group or of a device" in entry.reason
