"""sfdisk's dumps. Oracle: sectors times the size that the header says."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.records.stack import Scalar
from tests.mangle import mangled, read, states, subjects_in

PLACE = Path(__file__).parents[3] / "outputs" / "partitions-composed"
GPT, OLD, JSON = (
    f"# {text}" for text in (PLACE / "sfdisk-dumps.txt").read_text()[2:].split("\n\n# sfdisk -")
)
OLD, JSON = OLD.replace("# ", "# sfdisk -", 1), JSON.replace("# ", "# sfdisk -", 1)


def things(given: str) -> dict[str, dict[str, Scalar]]:
    return {subject.name: dict(subject.values) for subject in subjects_in(given)}


def test_a_dump_in_sectors_of_4_kib() -> None:
    for shape, given in mangled(GPT, wraps=False):
        said = things(given)
        assert said["nvme3n1"] == {
            "partition_table": "gpt", "disk_identifier": "7A1C55E0-9B6D-4F02-8C11-2D3E4F5A6B7C",
            "logical_block_size": 4096, "first_usable_sector": 6,
            "last_usable_sector": 234423120,
        }, shape  # fmt: skip
        assert said["nvme3n1p1"] == {
            "start": 1 << 20, "size": 512 << 20, "type": "C12A7328-F81F-11D2-BA4B-00C93EC93B51",
            "partuuid": "0D9E8F70-1A2B-4C3D-9E4F-5A6B7C8D9E0F", "label": "EFI part",
            "attributes": "RequiredPartition GUID:63",
        }, shape  # fmt: skip
        assert said["nvme3n1p2"]["size"] == 234291456 * 4096, shape


def test_rows_that_a_mail_broke_after_a_comma() -> None:
    assert things(GPT.replace(", uuid=", ",\nuuid=").replace(", name=", ",\nname=")) == things(GPT)


def test_an_old_dump_is_in_sectors_of_512_and_empty_entries_are_none() -> None:
    for shape, given in mangled(OLD, wraps=False):
        said = things(given)
        assert set(said) == {"sdr1", "sdr2"}, shape
        assert said["sdr1"] == {
            "start": 63 * 512, "size": 1044162 * 512, "type": "83", "boot": True,
        }, shape  # fmt: skip
        assert said["sdr2"]["start"] == said["sdr1"]["size"] + 63 * 512  # type: ignore[operator]


def test_without_the_size_of_a_sector_no_bytes_are_said() -> None:
    said = things(GPT.replace("sector-size: 4096\n", ""))
    assert said["nvme3n1p1"]["first_sector"] == 256
    assert said["nvme3n1p1"]["sectors"] == 131072
    assert "size" not in said["nvme3n1p1"]


def test_numbers_of_partitions_without_names_follow_the_disk() -> None:
    bare = GPT.replace("/dev/nvme3n1p1 :", "1 :").replace("/dev/nvme3n1p2 :", "2 :")
    assert things(bare) == things(GPT)


def test_json_says_the_same() -> None:
    said = things(JSON)
    assert said["sdg"] == {
        "partition_table": "dos", "disk_identifier": "0x5eedcafe", "logical_block_size": 512,
    }  # fmt: skip
    assert said["sdg1"] == {"start": 2048 * 512, "size": 200 << 20, "type": "83", "boot": True}
    assert said["sdg2"] == {"start": 411648 * 512, "size": 400 << 20, "type": "82"}


@pytest.mark.parametrize(
    "near_miss",
    [
        "the job : start= 12, end= 15",
        "label: gpt\ndevice: my phone\n",
        "sector-size: 512\nvideo-size: 10\n",
        'fprintf(f, "label-id: %s", id);',
    ],
)
def test_what_only_looks_like_a_dump(near_miss: str) -> None:
    assert [state for state in states(near_miss) if state.tool == "sfdisk"] == []


def test_a_dump_in_prose_without_a_command() -> None:
    bare = OLD.split("\n", 1)[1]
    (entry,) = read(f"This is what I had saved:\n\n{bare}\n\nCan I write it back?")
    assert entry.place.first_line == 3
