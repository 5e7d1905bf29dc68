"""OpenZFS' JSON: the same values as the tables of the same pools and datasets."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from iosonde.records.stack import Scalar
from tests.mangle import mangled, read, states

PLACE = Path(__file__).parents[3] / "outputs" / "zfs-composed"
ONLY_IN_TEXT = {"scan", "errors"}
"""Sentences of `zpool status`."""


def text(name: str) -> str:
    return (PLACE / name).read_text()


def values_of(given: str) -> dict[tuple[str, str], dict[str, Scalar]]:
    return {
        (subject.kind, subject.name): dict(subject.values)
        for state in states(given)
        for subject in state.subjects
    }


@pytest.mark.parametrize("name", ["status", "list", "zfs-list", "zfs-get"])
def test_json_says_what_the_text_says(name: str) -> None:
    printed, reported = values_of(text(f"{name}.txt")), values_of(text(f"{name}.json"))
    assert printed.keys() == reported.keys()
    for thing, values in printed.items():
        for fact in values.keys() - ONLY_IN_TEXT:
            assert reported[thing].get(fact) == values[fact], (thing, fact)


@pytest.mark.parametrize("name", ["status", "list", "zfs-list", "zfs-get"])
def test_every_shape(name: str) -> None:
    expected = values_of(text(f"{name}.json"))
    assert expected
    for shape, changed in mangled(text(f"{name}.json")):
        assert values_of(changed) == expected, shape


def test_a_list_identifies_its_pools() -> None:
    pools = [
        values for (kind, _), values in values_of(text("list.json")).items() if kind == "zpool"
    ]
    assert [pool["pool_guid"] for pool in pools] == ["9000000000000126705", "9000000000000134624"]
    assert {pool["txg"] for pool in pools} == {"99"}


def status(**more: object) -> str:
    scan = {"function": "RESILVER", "state": "SCANNING", "to_examine": 4000, "skipped": 0,
            "issued": 1000, "processed": 500, "errors": 0}  # fmt: skip
    pool = {"name": "p", "state": "DEGRADED", "scan_stats": {**scan, **more}, "error_count": 2}
    return json.dumps({"output_version": {"command": "zpool status"}, "pools": {"p": pool}})


def test_a_scan_s_share_is_of_what_is_to_be_examined() -> None:
    values = values_of(status())["zpool", "p"]
    assert (values["scan_share"], values["resilvered"], values["data_errors"]) == (0.25, 500, 2)
    assert "scrub_errors" not in values
    rounded = values_of(status(to_examine="3.91K", issued="1000B"))["zpool", "p"]
    assert rounded["scan_share"] == 0.25
    assert "scan_share" not in values_of(status(issued=5000))["zpool", "p"]


def test_a_device_that_is_flat_or_away() -> None:
    vdevs = {
        "p": {"name": "p", "state": "DEGRADED"},
        "mirror-0": {"name": "mirror-0", "parent": "p", "state": "DEGRADED"},
        "sda": {"name": "sda", "parent": "mirror-0", "state": "CANT_OPEN", "aux": "CORRUPT_DATA"},
        "sdz": {"name": "sdz", "parent": "p", "state": "ONLINE", "class": "log"},
    }
    pool = {"name": "p", "state": "DEGRADED", "vdevs": vdevs}
    document = {"output_version": {"command": "zpool status"}, "pools": {"p": pool}}
    values = values_of(json.dumps(document))
    assert values["zpool_device", "sda"] == {
        "pool": "p", "state": "FAULTED", "reason": "corrupt_data", "part_of": "mirror-0",
    }  # fmt: skip
    assert values["zpool_device", "sdz"]["use"] == "logs"
    assert values["zpool", "p"]["devices"] == 2


def test_identities_and_space_of_pools_and_devices() -> None:
    values = values_of(text("status.json"))
    document = json.loads(text("status.json"))["pools"]["tank"]
    pool, device = values["zpool", "tank"], values["zpool_device", "sda"]
    assert (pool["pool_guid"], pool["txg"]) == (document["pool_guid"], document["txg"])
    assert (pool["guid"], pool["msgid"]) == ("9000000000000055434", "ZFS-8000-9P")
    assert pool["scan_end_time"] == "Sun Mar 9 02:35:34 2025"
    assert pool["scan_to_examine"] == round(14.1 * 2**40)
    assert pool["scan_errors"] == 0
    assert (device["guid"], device["path"]) == ("9000000000000015839", "/dev/sda")
    assert (device["allocated"], device["size"]) == (round(1.2 * 2**40), round(3.62 * 2**40))
    assert "scan_scrub_pause" not in pool  # "-"


def test_other_programs_have_an_output_version_too() -> None:
    assert read('{"output_version": {"command": "zpool version", "vers_major": 0}}') == []
    assert read('{"output_version": 3, "pools": {"p": {"name": "p"}}}') == []
