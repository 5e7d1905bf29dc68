"""LVM's metadata as text. Oracle: the remarks that LVM writes behind its figures, and its sums."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.mangle import mangled, subjects_in

TEXT = (Path(__file__).parents[3] / "outputs" / "lvm-2.03.16" / "backup.txt").read_text()
MIB = 1 << 20


def _things(text: str) -> dict[str, dict[str, Any]]:
    return {subject.name: dict(subject.values) for subject in subjects_in(text, "vgcfgbackup")}


def test_sizes_are_those_of_the_remarks() -> None:
    things = _things(TEXT)
    said = [int(size) * MIB for size in re.findall(r"# (\d+) Megabytes", TEXT)]
    group, device, *volumes = things.values()
    assert [group["extent_size"], device["dev_size"], device["size"]] == said[:3]
    assert sum(volume["size"] for volume in volumes) == sum(said[3:])
    assert list(things) == [
        "vg0", "sdb", "mapper/vg0-data--ssd", "mapper/vg0-root", "mapper/vg0-data--ssd_tmeta",
        "mapper/vg0-data--ssd_tdata",
    ]  # fmt: skip
    assert things["mapper/vg0-data--ssd"]["chunk_size"] == 64 << 10
    root = things["mapper/vg0-root"]
    assert (root["segments"], root["extents"], root["stripes"]) == (2, 60, "pv0,0; pv0,200")
    assert (group["description"], group["backup_time"]) == ("vgcfgbackup vg0", 1520071872)


def test_a_volume_cut_out_of_the_middle() -> None:
    part = TEXT[TEXT.index("\t\tdata-ssd {") : TEXT.index("\t\troot {")]
    (name, pool), *others = _things(part).items()
    assert (name, pool["type"], pool["size"], pool["extents"]) == (
        "data-ssd", "thin-pool", 400 * MIB, 100,
    )  # fmt: skip
    assert not others
    unmarked = re.sub(r"\s*#.*", "", part)
    assert "size" not in _things(unmarked)["data-ssd"]
    cut = TEXT[TEXT.index("\t\troot {") : TEXT.index("\t\t\tsegment2 {")]
    assert "size" not in _things(cut)["root"]  # one of its two segments is missing


@pytest.mark.parametrize(
    "text",
    [
        "The extent_size = 8192 is too small for us\n",
        "extent_count = 5\n",
        "server {\n  listen = 80\n  name = \"dev_size = \"\n}\n",
        "struct pv { int pe_start = 2048; }\n",
    ],
)  # fmt: skip
def test_what_looks_alike(text: str) -> None:
    assert not _things(text)


def test_every_shape() -> None:
    expected = _things(TEXT)
    for shape, changed in mangled(TEXT, wraps=False):
        assert _things(changed) == expected, shape


def test_torn_at_either_end() -> None:
    rows = TEXT.split("\n")
    whole = {name.removeprefix("mapper/vg0-"): values for name, values in _things(TEXT).items()}
    sizes = {values.get("size") for values in whole.values()}
    for at in range(0, len(rows), 7):
        for part in (rows[at:], rows[:at]):
            for values in _things("\n".join(part)).values():
                if "extents" in values and "segments" in values:
                    assert values.get("size") in sizes | {None}, at


def test_texts_where_figures_belong_are_left_out() -> None:
    strange = TEXT.replace("extent_size = 8192", 'extent_size = "8192"')
    assert strange != TEXT
    assert _things(strange)["mapper/vg0-root"]["size"] == _things(TEXT)["mapper/vg0-root"]["size"]
    odd = TEXT.replace("pe_count = ", 'pe_count = "a" # ')
    assert "size" not in _things(odd)["sdb"]
