"""Subvolumes of btrfs in any text."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mangle import counters, mangled, read, subjects_in

TEXT = (Path(__file__).parents[3] / "outputs" / "btrfs-composed" / "subvolumes.txt").read_text()
LIST, REST = TEXT.split("# btrfs subvolume show")
SHOW, TABLE = f"# btrfs subvolume show{REST}".split("# btrfs device")


def _subvolumes(text: str) -> dict[str, dict[str, object]]:
    return {
        subject.name: dict(subject.values)
        for subject in subjects_in(text)
        if subject.kind == "btrfs_subvolume"
    }


def test_a_list() -> None:
    listed = _subvolumes(LIST)
    uuid = listed["data"]["uuid"]
    assert listed["data"] == {
        "id": 256, "generation": 4410, "parent": 5, "top_level": 5, "uuid": uuid,
    }  # fmt: skip
    snapshot = listed["data/.snapshots/2026-11-01 nightly"]
    assert (snapshot["parent_uuid"], snapshot["top_level"]) == (uuid, 256)


def test_all_about_one() -> None:
    (name,) = shown = _subvolumes(SHOW)
    assert name == "data"
    assert shown["data"].items() >= _subvolumes(LIST)["data"].items()
    assert shown["data"]["created_in"] == 12
    assert shown["data"]["snapshots"] == 2
    assert "flags" not in shown["data"]


@pytest.mark.parametrize("row", [
    " 1 /dev/sdq1            0          17            0                 3                 0",
    " 1 /dev/sdq1            0          17\n     0                 3                 0",
])  # fmt: skip
def test_errors_of_devices_in_a_table_as_in_the_list(row: str) -> None:
    (whole,) = (line for line in TABLE.splitlines() if "sdq1" in line)
    text = f"# btrfs device{TABLE.replace(whole, row)}"
    first, second = counters(text)
    assert (first.name, second.name) == ("sdq1", "sdr1")
    as_list = "".join(f"[/dev/sdq1].{name} {count}\n" for name, count in first.values.items())
    assert [dict(counter.values) for counter in counters(as_list)] == [first.values]
    assert (first.values["read_io_errs"], first.values["corruption_errs"]) == (17, 3)
    assert second.values["generation_errs"] == 2


@pytest.mark.parametrize("text", [
    "ID 256 gen 11 top level 5 is the path I mean\n",
    "The Subvolume ID: of it is unknown to me\n",
    "Subvolume ID: 5\n",
    "Id Path and Write errors Read errors Flush them\n",
])  # fmt: skip
def test_what_looks_like_it(text: str) -> None:
    assert not read(text)


@pytest.mark.parametrize(("shape", "text"), list(mangled(LIST, wraps=False)))
def test_every_shape(shape: str, text: str) -> None:
    assert _subvolumes(text) == _subvolumes(LIST), shape
