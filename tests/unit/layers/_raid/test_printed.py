"""Arrays that a sentence describes."""

from __future__ import annotations

import pytest

from iosonde.records.stack import Scalar
from tests.mangle import mangled, subjects_in


def values_of(text: str) -> list[dict[str, Scalar]]:
    return [dict(subject.values) for subject in subjects_in(text) if subject.kind == "array"]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("- RAID level 6 using 22 drives in the array.", {"raid_level": "raid6", "disks": 22}),
        ("22 x 146GB SAS disks in RAID 5 with a stripe size of 64KB serve the data.",
         {"raid_level": "raid5", "disks": 22, "strip_size": 65536}),
        ("A RAID-10 array of 8 SSDs, chunk size 512 KiB, holds them.",
         {"raid_level": "raid10", "disks": 8, "strip_size": 524288}),
        ("The twelve guests share a RAID6 over 12 nearline SAS disks.",
         {"raid_level": "raid6", "disks": 12}),
        ("For that mix RAID 5 was chosen as the cheapest.", {"raid_level": "raid5"}),
        ("The 4 x 1TB drives are in RAID L10.", {"raid_level": "raid10", "disks": 4}),
    ],
)  # fmt: skip
def test_what_was_built_is_read(text: str, values: dict[str, Scalar]) -> None:
    assert values_of(f"The host\n\n{text}\n") == [values]


@pytest.mark.parametrize(
    "text",
    [
        "RAID 10 would have been better than RAID 5 for 8 disks.",
        "Had there been more writes, 8 drives in RAID 10 could do it, not 8 disks in RAID 6.",
        "Use RAID 1 or RAID 5, depending on the price.",
        "RAID 5 benchmarks of 2012, drives compared.",
        "Firmware of RAID 6.36.00 with 12 disks",
        "The RAID controller has 2 ports.",
    ],
)
def test_what_is_only_weighed_is_not(text: str) -> None:
    assert values_of(f"The host\n\n{text}\n") == []


def test_a_sentence_survives_every_shape() -> None:
    text = (
        "The storage server has 24 bays; in them stand 2 x 146 GB SAS disks in RAID 1 for the "
        "system.\n"
        "- RAID level 6 using 22 drives in the array, with a strip size of 256 KiB, and 2 spares."
    )
    expected = values_of(text)
    assert [values["raid_level"] for values in expected] == ["raid1", "raid6"]
    for shape, changed in mangled(text):
        if not shape.startswith("cut"):  # a number torn apart is another number
            assert values_of(changed) == expected, shape
