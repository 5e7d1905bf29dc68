"""disklabel and bioctl. Oracle: one partition begins where another ends, the last at `boundend`."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import cast

import pytest

from tests.mangle import mangled, subjects_in, unread_in

PLACE = Path(__file__).parents[3] / "outputs" / "partitions-composed"
TEXT = (PLACE / "disklabel.txt").read_text()


def test_partitions_stand_one_behind_the_other() -> None:
    disk, *partitions = subjects_in(TEXT, "disklabel")
    assert (disk.name, disk.values["size"]) == ("sd0", 937703088 * 512)
    assert [thing.name for thing in partitions] == ["sd0a", "sd0b", "sd0d"]
    values = [cast("dict[str, int]", thing.values) for thing in partitions]
    assert values[0]["start"] == 64 * 512
    for above, below in pairwise(values):
        assert above["start"] + above["size"] == below["start"]
    assert partitions[2].values["mount_point"] == "/home"
    assert "mount_point" not in partitions[1].values


def test_volumes_of_softraid_and_their_chunks() -> None:
    things = subjects_in(TEXT, "bioctl")
    assert [(thing.kind, thing.name, thing.values["state"]) for thing in things] == [
        ("softraid", "sd2", "online"), ("softraid_chunk", "sd0a", "online"),
        ("softraid_chunk", "sd1a", "online"), ("softraid", "sd3", "rebuild"),
        ("softraid_chunk", "sd4a", "online"), ("softraid_chunk", "sd5a", "rebuild"),
        ("softraid_chunk", "sd6a", "online"),
    ]  # fmt: skip
    assert (things[3].values["raid_level"], things[3].values["progress"]) == ("raid5", 0.12)
    chunks = [cast("int", thing.values["size"]) for thing in things[4:]]
    assert sum(chunks) == things[3].values["size"]


def test_partitions_without_the_size_of_a_sector_say_nothing() -> None:
    text = TEXT.replace("bytes/sector: 512\n", "").split("root@heron# bioctl")[0]
    assert not subjects_in(text, "disklabel")
    cut = "type: SCSI\nbytes/sector: 512\ntotal sectors: 2048\n"
    assert not subjects_in(cut, "disklabel")
    assert unread_in(cut)


@pytest.mark.parametrize(
    ("shape", "text"), list(mangled(TEXT, wraps=False)), ids=lambda each: each[:20]
)
def test_mangled(shape: str, text: str) -> None:
    given, expected = (subjects_in(each, "disklabel", "bioctl") for each in (text, TEXT))
    assert [(each.name, each.values) for each in given] == [
        (each.name, each.values) for each in expected
    ], shape
