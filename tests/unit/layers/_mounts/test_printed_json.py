"""util-linux' JSON of mounts and loop devices: the same values as its tables."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from iosonde.records.stack import Scalar
from tests.mangle import mangled, read, subjects_in

PLACE = Path(__file__).parents[3] / "outputs" / "util-linux-2.38.1"
TABLE = """\
NAME       SIZELIMIT  OFFSET AUTOCLEAR RO BACK-FILE                     DIO LOG-SEC
/dev/loop0         0       0         1  1 /var/lib/images/one.squashfs    0     512
/dev/loop3   1048576 1048576         0  0 /srv/disk.img (deleted)         1    4096
"""
LOOPS = {
    "loopdevices": [
        {"name": "/dev/loop0", "sizelimit": 0, "offset": 0, "autoclear": True, "ro": True,
         "back-file": "/var/lib/images/one.squashfs", "dio": False, "log-sec": 512},
        {"name": "/dev/loop3", "sizelimit": "1048576", "offset": "1048576", "autoclear": "0",
         "ro": "0", "back-file": "/srv/disk.img (deleted)", "dio": "1", "log-sec": "4096"},
    ]
}  # fmt: skip
"""As util-linux prints them since 2.33, and before."""


def values_of(given: str) -> dict[tuple[str, str], dict[str, Scalar]]:
    return {(subject.kind, subject.name): dict(subject.values) for subject in subjects_in(given)}


def test_findmnt_says_what_its_pairs_say() -> None:
    reported = values_of((PLACE / "findmnt.json").read_text())
    assert reported
    assert reported == values_of((PLACE / "findmnt-P.txt").read_text())


def test_losetup_says_what_its_table_says() -> None:
    reported = values_of(json.dumps(LOOPS, indent=3))
    assert reported["loop", "loop3"]["size_limit"] == 2**20
    assert reported == values_of(TABLE)


@pytest.mark.parametrize(
    "text", [(PLACE / "findmnt.json").read_text(), json.dumps(LOOPS, indent=3) + "\n"]
)
def test_every_shape(text: str) -> None:
    expected = values_of(text)
    assert expected
    for shape, changed in mangled(text):
        assert values_of(changed) == expected, shape


@pytest.mark.parametrize(
    "document",
    [{"filesystems": [{"id": 1, "name": "cephfs"}]}, {"filesystems": 3}, {"loopdevices": 0}],
)
def test_documents_of_others_are_left(document: object) -> None:
    assert read(json.dumps(document)) == []
