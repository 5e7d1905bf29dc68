"""Free space, partx and growpart. Oracle: last sector less first one, times 512."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.records.stack import Scalar
from tests.mangle import folded, mangled, subjects_in

TEXT = (Path(__file__).parents[3] / "outputs/partitions-composed/lists.txt").read_text()
FREE, SHOWN, LISTED, GROWN, NOT_GROWN = TEXT.strip().split("\n\n# ")[0:1] + [
    f"# {part}" for part in TEXT.strip().split("\n\n# ")[1:]
]


def things(given: str) -> dict[str, dict[str, Scalar]]:
    return {subject.name: dict(subject.values) for subject in subjects_in(given)}


def test_free_space_is_the_sum_of_its_areas() -> None:
    for shape, given in mangled(FREE, wraps=False):
        assert things(given) == {"sdc": {
            "unpartitioned": (2097152 + 4194304) * 512, "logical_block_size": 512,
            "physical_block_size": 4096, "free_areas": 2, "largest_free_area": 4194304 * 512,
            "free_sectors": "4194304-6291455, 16777216-20971519",
        }}, shape  # fmt: skip


@pytest.mark.parametrize("line", [
    "Unpartitionierter Bereich /dev/sdc: 3 GiB, 3221225472 Bytes, 6291456 Sektoren",
    "Espace non partitionné /dev/sdc : 3 GiB, 3221225472 octets, 6291456 secteurs",
    "Miejsce niespartycjonowane /dev/sdc: 3 GiB, bajtów: 3221225472, sektorów: 6291456",
    "Nerozdělené místo /dev/sdc: 3 GiB, 3 221 225 472 bajtů, 6 291 456 sektorů",
    "未分区的空间 /dev/sdc：3 GiB，3221225472 个字节，6291456 个扇区",
    "분할하지 않은 /dev/sdc 공간: 3 GiB, 3221225472 바이트, 6291456 섹터",
])  # fmt: skip
def test_free_space_in_other_languages(line: str) -> None:
    assert things(line)["sdc"]["unpartitioned"] == 6291456 * 512


def test_an_area_whose_sectors_do_not_agree_is_left_out() -> None:
    assert things(FREE.replace(" 2097152 ", " 2097153 "))["sdc"]["free_areas"] == 1


def test_partx_shows_and_lists_the_same_partitions() -> None:
    for shape, given in mangled(SHOWN, wraps=False):
        said = things(given)
        assert said["nvme1n1p1"] == {
            "start": 1 << 20, "size": 512 << 20, "label": "EFI part",
            "partuuid": "2b3c4d5e-6f70-4812-9a3b-4c5d6e7f8091",
        }, shape  # fmt: skip
        assert said["nvme1n1p2"] == {"start": 1050624 * 512, "size": 8 << 30}, shape
    said = things(LISTED)
    assert said["sdz1"] == {"start": 1 << 20, "size": 512 << 20}
    assert said["sdz2"] == {"start": 1050624 * 512, "size": 8 << 30}


def test_growpart() -> None:
    head, line = GROWN.split("\n", 1)
    for shape, given in (
        *mangled(GROWN, wraps=False), ("folded", f"{head}\n{folded(line, 60)}"),
    ):  # fmt: skip
        assert things(given)["sda3"] == {
            "state": "grown", "first_sector": 2048, "sectors_before": 18874367 - 2048 + 1,
            "sectors": 104857566 - 2048 + 1, "end_before": 18874367, "end": 104857566,
        }, shape  # fmt: skip
    assert things(NOT_GROWN)["sda3"] == {
        "state": "not grown", "size": 104855519 * 512, "sectors": 104855519,
        "logical_block_size": 512,
    }  # fmt: skip


@pytest.mark.parametrize(("line", "said"), [
    ("NOCHANGE: partition 2 is size 7000. it cannot be grown", {"sectors": 7000}),
    ("NOCHANGE: partition 2 could only be grown by 1007 [fudge=2048]",
     {"could_grow_by_sectors": 1007}),
    ("CHANGED: partition=2 start=63 old: size=100 end=162 new: size=200,end=262",
     {"sectors_before": 100, "sectors": 200, "first_sector": 63, "end_before": 162, "end": 262}),
])  # fmt: skip
def test_older_growparts(line: str, said: dict[str, Scalar]) -> None:
    values = things(f"$ sudo growpart /dev/nvme0n1 2\n{line}\n")["nvme0n1p2"]
    assert {name: value for name, value in values.items() if name != "state"} == said


@pytest.mark.parametrize(
    "near_miss",
    [
        "Unpartitioned space is what I want to use on /dev/sdc: how?",
        "NOCHANGE: partition of the data was not needed",
        "# 1:      2048-  2099199 are my favourite numbers",
        "NR START END SECTORS SIZE\n",
    ],
)
def test_what_only_looks_like_a_list(near_miss: str) -> None:
    assert things(near_miss) == {}
