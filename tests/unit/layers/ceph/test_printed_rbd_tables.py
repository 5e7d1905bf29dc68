"""rbd du, ls -l, showmapped and status. Oracle: the totals that rbd du adds up, its own formats."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.records.stack import Scalar
from tests.mangle import mangled, states

OUTPUTS = Path(__file__).parents[3] / "outputs" / "rbd-composed"
USAGE, IMAGES, MAPPED, STATUS = (
    (OUTPUTS / f"{name}.txt").read_text() for name in ("du", "images", "mapped", "status")
)
GIB = 1 << 30


def things(text: str) -> dict[str, dict[str, Scalar]]:
    return {s.name: dict(s.values) for state in states(text) for s in state.subjects}


def test_what_images_take() -> None:
    for shape, given in mangled(USAGE):
        images = things(given)
        total = images.pop("<TOTAL>")
        assert images["disk1@daily"] == {"provisioned": 10 * GIB, "used": 2 * GIB}, shape
        assert total["used"] == sum(int(str(image["used"])) for image in images.values()), shape
        assert total["provisioned"] == sum(
            int(str(values["provisioned"])) for name, values in images.items() if "@" not in name
        )
    old = things("NAME PROVISIONED  USED \na         2048M 1024k \nb        10240M     0 \n")
    assert old == {
        "a": {"provisioned": 2 * GIB, "used": 1 << 20}, "b": {"provisioned": 10 * GIB, "used": 0}
    }  # fmt: skip


def test_images_and_what_they_were_cloned_of() -> None:
    for shape, given in mangled(IMAGES):
        assert things(given) == {
            "base": {"size": 10 * GIB, "format": 2},
            "base@gold": {"size": 10 * GIB, "format": 2, "protected": True},
            "child": {"size": 12 * GIB, "format": 2, "parent": "rbd/base@gold", "lock": "excl"},
        }, shape


def test_images_that_are_mapped() -> None:
    for shape, given in mangled(MAPPED):
        assert things(given) == {
            "rbd/disk1": {"id": 0, "pool": "rbd", "image": "disk1", "device": "/dev/rbd0"},
            "fast/team/disk2@s1": {
                "id": 1, "pool": "fast", "namespace": "team", "image": "disk2",
                "snapshot": "s1", "device": "/dev/rbd1",
            },
        }, shape  # fmt: skip


def test_who_watches_an_image() -> None:
    for shape, given in mangled(STATUS):
        images = things(given)
        assert images["disk2"] == {"watchers": 0}, shape
        assert images["rbd/disk1"] == {
            "watchers": 2,
            "watched_by": "10.9.8.5:0/2938421 client.4711 18446462598732840961; "
            "10.9.8.6:0/1212121 client.4712 18446462598732840962",
        }, shape
    moved = "Watchers: none\nMigration:\n\tsource: rbd/a (1)\n\tstate: prepared\n"
    assert things(moved)[""]["migration_state"] == "prepared"


@pytest.mark.parametrize(
    "text",
    [
        "NAME SIZE PARENT FMT of an image is what PROT says.\n",
        "Watchers: none of us, 4 of them\n",
        "id pool image snap device\nis the head of the table with 5 columns\n",
        "The PROVISIONED size is 10 GiB.\n",
    ],
)
def test_words_about_them_are_none(text: str) -> None:
    assert not things(text)


@pytest.mark.parametrize("cut", ["...", "…", "  ....."])
def test_rows_that_somebody_left_out(cut: str) -> None:
    given = (
        f"id pool   image  snap device\n{cut}\n3  grove  oak    -    /dev/rbd3\n"
        f"{cut}\n5  grove  elm    -    /dev/rbd5\n"
    )
    images = [each for state in states(given) for each in state.subjects]
    assert [each.name for each in images] == ["grove/oak", "grove/elm"]
