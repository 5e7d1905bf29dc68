"""ceph fs status. Oracle: its prefixes as mgr_util.py gives them, and that counts add up."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.records.printed import Unread
from iosonde.records.stack import Scalar
from tests.mangle import mangled, read, subjects_in

OUTPUTS = Path(__file__).parents[3] / "outputs" / "ceph-composed"
NEW, OLD = ((OUTPUTS / f"{name}.txt").read_text() for name in ("fs-status", "fs-status-old"))


def things(text: str) -> dict[tuple[str, str], dict[str, Scalar]]:
    return {(subject.kind, subject.name): dict(subject.values) for subject in subjects_in(text)}


def test_ranks_pools_and_standbys_in_every_shape() -> None:
    for shape, given in mangled(NEW):
        system = things(given)
        assert system["ceph_fs", "homes"] == {
            "clients": 14, "ranks_active": 1, "ranks_not_active": 2,
            "standby": "homes.doug.fghijk", "mds_version": "17.2.6",
        }, shape  # fmt: skip
        assert system["mds", "mds.homes.alder.kqxwvb"] == {
            "rank": 0, "state": "active", "file_system": "homes", "request_rate": 37,
            "dentries": 41_600, "inodes": 40_900, "directories": 2210, "caps": 18_300,
        }, shape  # fmt: skip
        assert system["mds", "mds.homes.birch.zzptrm"]["state"] == "rejoin"
        assert system["mds", "homes:2"] == {"rank": 2, "state": "failed", "file_system": "homes"}
        replay = system["mds", "mds.homes.cedar.lmnopq"]
        assert (replay["state"], replay["event_rate"]) == ("standby-replay", 5)
        assert system["ceph_pool", "cephfs.homes.meta"]["used"] == 3 << 30
        assert system["ceph_pool", "cephfs.homes.data"] == {
            "type": "data", "used": 21 << 40, "available": round(18.5 * (1 << 40)),
            "file_system": "homes",
        }, shape  # fmt: skip


def test_tables_with_bars() -> None:
    for shape, given in mangled(OLD):
        system = things(given)
        assert system["mds", "mds.node5"] == {
            "rank": 0, "state": "active", "file_system": "scratch", "request_rate": 0,
            "dentries": 10_100, "inodes": 9876,
        }, shape  # fmt: skip
        assert system["mds", "mds.node6"] == {"state": "standby"}, shape
        assert system["ceph_pool", "scratch_data"]["used"] == 1 << 20, shape


def test_two_file_systems_and_a_table_without_its_heading() -> None:
    both = NEW.replace("homes - 14", "other - 1").partition("\n")[2].partition("MDS version")[0]
    system = things(f"{NEW.partition('MDS version')[0]}{both.replace('homes.', 'other.')}")
    assert system["ceph_fs", "homes"]["clients"] == 14
    assert system["ceph_fs", "other"]["clients"] == 1
    assert system["mds", "mds.other.alder.kqxwvb"]["file_system"] == "other"
    bare = "\n".join(NEW.splitlines()[3:5])
    assert things(bare)["mds", "mds.homes.alder.kqxwvb"]["caps"] == 18_300


def test_a_row_with_too_few_figures_is_said_to_be_broken() -> None:
    (entry,) = read(NEW.replace("41.6k  40.9k  2210   18.3k", "41.6k  40.9k").partition("POOL")[0])
    assert isinstance(entry, Unread)
    assert entry.reason == "a rank's row is not whole"


@pytest.mark.parametrize(
    "text",
    [
        "A STANDBY MDS takes over; its ACTIVITY is shown in the table.\n",
        "MDS version: ceph version 17.2.6 is what we run.\n",
        "RANK NAME ACTIVITY TIME\n0 bob active 17\n",
    ],
)
def test_words_about_it_are_none(text: str) -> None:
    assert not things(text)
