"""`mdadm -Q`. Oracle: the array and its member say the same level and number of disks."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.layers.md.printed_query import MdadmQuery
from tests.mangle import folded, mangled, subjects_in

TEXT = (Path(__file__).parents[3] / "outputs" / "mdadm-parts" / "query.txt").read_text()


def _things(text: str) -> dict[tuple[str, str], dict[str, object]]:
    return {
        (subject.kind, subject.name): dict(subject.values)
        for subject in subjects_in(text, MdadmQuery.tool)
    }


def test_an_array_and_its_member_agree() -> None:
    things = _things(TEXT)
    array, member = things["md", "md7"], things["disk", "sdq1"]
    assert array == {
        "size": round(5.46 * (1 << 40)), "level": "raid5", "raid_disks": 4, "spares": 1,
    }  # fmt: skip
    assert (member["md_level"], member["md_raid_disks"]) == (array["level"], array["raid_disks"])
    assert (member["md_array"], member["md_number"], member["md_activity"]) == ("md7", 2, "active")
    assert things["disk", "sdr"] == {"md_array": False, "md_member": False}


@pytest.mark.parametrize(
    "text",
    [
        "/dev/md7: is not an md array that I made\n",
        "Use mdadm --detail for more detail.\n",
        "The disk /dev/sdq1: device 2 in 4 device active raid5 /dev/md7.\n",
    ],
)
def test_what_looks_alike(text: str) -> None:
    assert _things(text) == {}


def test_every_shape() -> None:
    for shape, changed in mangled(TEXT, wraps=False):
        things = _things(changed)
        assert things["md", "md7"] == _things(TEXT)["md", "md7"], shape
        assert things["disk", "sdr"] == _things(TEXT)["disk", "sdr"], shape
    assert _things(folded(TEXT, 72)) == _things(TEXT)


def test_a_line_alone() -> None:
    assert _things("/dev/md7: is an md device which is not active\n") == {
        ("md", "md7"): {"state": "inactive"}
    }
