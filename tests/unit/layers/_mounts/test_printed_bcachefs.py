"""`bcachefs fs usage`: the figures are those that stand in the samples."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.records.stack import Scalar
from tests.mangle import mangled, read, states

PLACE = Path(__file__).parents[3] / "outputs" / "bcachefs-composed"
OLD, NEW = ((PLACE / name).read_text() for name in ("usage.txt", "usage-new.txt"))
KIB, MIB, GIB, TIB = (1024**power for power in (1, 2, 3, 4))


def things(text: str) -> dict[str, dict[str, Scalar]]:
    return {
        subject.name: dict(subject.values) for state in states(text) for subject in state.subjects
    }


def test_the_whole_replicas_compression_and_devices() -> None:
    (state,) = states(OLD)
    assert state.host == "nas"
    said = things(OLD)
    assert list(said) == [
        "/mnt/data", "reserved 1/2 []", "btree 1/2 [sda sdb]", "user 1/1 [sda]",
        "user 1/2 [sda sdb]", "cached 1/1 [nvme0n1]", "lz4", "incompressible", "sda", "nvme0n1",
    ]  # fmt: skip
    assert said["/mnt/data"] == {
        "uuid": "0bbfcd3a-6a3b-4d1e-9b8e-0f3c6b5a9a11", "size": round(24.9 * TIB),
        "used": round(11.2 * TIB), "online_reserved": round(1.25 * MIB),
    }  # fmt: skip
    assert said["user 1/2 [sda sdb]"]["size"] == round(10.9 * TIB)
    assert said["lz4"]["average_extent_size"] == round(58.3 * KIB)
    sda = said["sda"]
    assert (sda["label"], sda["state"], sda["device_id"]) == ("hdd.hdd1", "rw", 0)
    assert (sda["btree"], sda["btree_buckets"]) == (round(26.6 * GIB), 54399)
    assert (sda["size"], sda["buckets"]) == (round(12.7 * TIB), 13351936)
    assert (sda["cached"], "cached_fragmented" in sda) == (0, False)


def test_copies_work_and_the_table_of_devices_of_newer_versions() -> None:
    said = things(NEW)
    whole = said["/srv"]
    assert (whole["copies_1x"], whole["copies_2x"]) == (100 * GIB, round(4.12 * TIB))
    assert whole["copies_2x_without_1x"] == round(1.25 * GIB)
    assert "copies_1x_without_1x" not in whole
    assert whole["copies_4_and_2"] == round(1.02 * TIB)
    assert (whole["cached"], whole["reserved"]) == (412 * GIB, round(72.1 * GIB))
    assert whole["pending_replicas_metadata"] == 12 * MIB
    assert whole["btree_extents"] == round(8.40 * GIB)
    assert said["sda"]["used_share"] == 0.48
    assert said["sdb"] == {
        "filesystem": "/srv", "label": "hdd.hdd2", "device_id": 1, "state": "offline",
    }  # fmt: skip
    assert (said["nvme0n1"]["state"], "label" in said["nvme0n1"]) == ("evacuating", False)


def test_copies_whose_column_is_not_certain_stay_as_printed() -> None:
    whole = things(NEW.replace("2x:    4.12 TiB    1.25 GiB", "2x: 4.12 TiB 1.25 GiB"))["/srv"]
    assert whole["copies_2x"] == "4.12 TiB 1.25 GiB"
    assert "copies_2x_without_1x" not in whole


def test_bytes_without_a_unit_and_no_durability() -> None:
    text = (
        "$ bcachefs fs usage /media/x\nFilesystem: c8a781ec-2b78-41ea-a188-326954513c0e\n"
        "Size:                 65950295145984\nUsed:                 19518939275264\n"
        "Online reserved:                   0\n\nData type       Required/total  Devices\n"
        "reserved:       1/0                    [] 24858624\n"
        "btree:          1/2             [dm-8 dm-9]            143929114624\n\n"
        "(no label) (device 0):          dm-8              rw\n"
        "                                data         buckets    fragmented\n"
        "  free:                            0          118430\n"
        "  erasure coded:                   0               0\n"
        "  capacity:            3972844748800         7577600\n\nThe device is slow: 12 MB.\n"
    )
    said = things(text)
    assert said["/media/x"]["size"] == 65950295145984
    assert said["btree 1/2 [dm-8 dm-9]"]["size"] == 143929114624
    assert (said["dm-8"]["size"], said["dm-8"]["free_buckets"]) == (3972844748800, 118430)
    assert said["dm-8"]["erasure_coded"] == 0


@pytest.mark.parametrize("text", [OLD, NEW])
def test_torn_copies_say_the_same_or_less(text: str) -> None:
    whole = things(text)
    for shape, given in mangled(text, wraps=False):
        for name, values in things(given).items():
            same = {key: value for key, value in values.items() if not key.startswith("copies_")}
            assert same.items() <= whole.get(name, {}).items(), shape


@pytest.mark.parametrize(
    "text",
    [
        "Filesystem: 0bbfcd3a-6a3b-4d1e-9b8e-0f3c6b5a9a11\nIt is full.\n",
        "Filesystem: /dev/sda1\nSize: 10 GiB\n",
    ],
)
def test_what_looks_alike(text: str) -> None:
    assert all(each.tool != "bcachefs fs usage" for each in read(text))
