"""Placement groups. Oracle: Ceph's own sums of pools, of all groups and of all OSDs."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest

from iosonde.records.printed import PrintedSubject
from tests.mangle import folded, mangled, states

OUTPUTS = Path(__file__).parents[3] / "outputs" / "ceph-composed"
NEW, OLD, LIST = (
    (OUTPUTS / name).read_text() for name in ("pgs.txt", "pgs-old.txt", "pgs-list.txt")
)
GIB = 2**30
BRIEF = (
    "pg_stat\tstate\tup\tup_primary\tacting\tacting_primary\n"
    "0.28\tactive+undersized+degraded\t[1,2]\t1\t[1,2]\t1\n"
    "0.27\tstale+active+clean\t[1,0]\t1\t[1,0]\t1\n"
)
ROW = (
    "3.1f\t1832\t0\t0\t0\t0\t7654321\t3001\t3001\tactive+clean+inconsistent\t2017-08-01 12:00:01.1"
    "\t117'321\t117:911\t[3,7]\t3\t[7,3]\t7\t117'319\t2017-08-01 12:00:01.1\t116'310\t"
    "2017-07-29 03:04:05.0\n"
)


def _things(text: str) -> list[PrintedSubject]:
    return [
        subject for state in states(text) if state.tool.startswith("ceph pg")
        for subject in state.subjects
    ]  # fmt: skip


def _values(text: str) -> list[tuple[str, str, dict[str, object]]]:
    return [(thing.kind, thing.name, dict(thing.values)) for thing in _things(text)]


@pytest.mark.parametrize("text", [NEW, OLD], ids=["18", "0.80"])
def test_groups_pools_and_osds_add_up(text: str) -> None:
    things = _things(text)
    by_kind = {
        kind: [thing.values for thing in things if thing.kind == kind]
        for kind in ("ceph", "ceph_pg", "ceph_pool", "osd")
    }
    total = {**by_kind["ceph"][0], **by_kind["ceph"][1]}
    for name in ("objects", "degraded", "unfound", "bytes", "log", "disk_log"):
        for kind in ("ceph_pg", "ceph_pool"):
            assert sum(cast("int", row[name]) for row in by_kind[kind]) == total[name], name
    for name in ("used", "available", "size"):
        assert sum(cast("int", row[name]) for row in by_kind["osd"]) == total[name]
    assert cast("int", total["used"]) + cast("int", total["available"]) == total["size"]


def test_a_group_says_all_that_stands_in_its_row() -> None:
    (group,) = (thing for thing in _things(NEW) if thing.name == "2.0")
    assert group.values == {
        "objects": 80, "missing_on_primary": 0, "degraded": 80, "misplaced": 3, "unfound": 0,
        "bytes": 335544320, "omap_bytes": 1234, "omap_keys": 7, "log": 1985, "log_dups": 0,
        "disk_log": 1985, "state": "active+undersized+degraded",
        "state_stamp": "2024-03-01T23:40:02.000001+0000", "version": "410'1985",
        "reported": "411:7714", "up": "[1,0]", "up_primary": 1, "acting": "[1,0]",
        "acting_primary": 1, "last_scrub": "398'1800",
        "scrub_stamp": "2024-02-28T07:43:59.302980+0000", "last_deep_scrub": "388'1600",
        "deep_scrub_stamp": "2024-02-24T16:45:10.130663+0000", "snaptrimq_len": 4,
        "last_scrub_duration": 0, "scrub_scheduling": "queued for deep scrub",
        "objects_scrubbed": 0, "objects_trimmed": 2,
    }  # fmt: skip
    assert _things(OLD)[0].values["pgmap_nearfull_ratio"] == 0.85


def test_rows_alone_are_read_by_their_form() -> None:
    for text in (NEW, OLD):
        whole = {name: values for kind, name, values in _values(text) if kind == "ceph_pg"}
        lines = text.split("\n")
        rows = [line for line in lines if line.replace("\t", " ").partition(" ")[0] in whole]
        assert {name: values for _, name, values in _values("\n".join(rows))} == whole
    (row,) = _things(ROW)
    assert (row.values["misplaced"], row.values["bytes"], row.values["up"]) == (0, 7654321, "[3,7]")
    assert (row.values["up_primary"], row.values["acting_primary"]) == (3, 7)
    (argonaut,) = _things(
        "0.1\t7\t0\t0\t0\t24577\t25165936\t300\t300\tactive+clean\t2012-07-02 10:12:40.5\t226'58\t"
        "226'107\t[2,4]\t[2,4]\t0'0\t2012-07-01 18:38:32.3\t0'0\t2012-07-01 18:17:01.9\n"
    )
    assert cast("int", argonaut.values["kb"]) == -(-cast("int", argonaut.values["bytes"]) // 1024)


def test_brief_rows_and_lists() -> None:
    assert [(name, values["state"]) for _, name, values in _values(BRIEF)] == [
        ("0.28", "active+undersized+degraded"), ("0.27", "stale+active+clean"),
    ]  # fmt: skip
    assert _values(BRIEF.split("\n", 1)[1]) == _values(BRIEF)
    first, second = _things(LIST)
    assert (first.values["since"], first.values["up"]) == ("13h", "[0,2,1]p0")
    assert (second.values["degraded"], second.values["misplaced"]) == (2, 1)


@pytest.mark.parametrize(
    "text",
    [
        "3.1f 12 active+clean\n",
        "2.6 active+clean was the state of most groups\n",
        "pg 3.1f is active+clean+inconsistent, acting [2,1,3]\n",
        "      192 active+clean\n",
        "OSD_STAT is what the head says\n",
        ROW[:120],
        "PG_STAT OBJECTS STATE\n",
    ],
)
def test_what_looks_alike(text: str) -> None:
    assert not _things(text)


def test_a_row_that_is_cut_ends_the_table() -> None:
    lines = BRIEF.split("\n")
    assert len(_things("\n".join([*lines[:2], lines[2][:22]]))) == 1


@pytest.mark.parametrize("text", [NEW, OLD, LIST, ROW], ids=["18", "0.80", "ls", "row"])
def test_every_shape(text: str) -> None:
    expected = _values(text)
    assert expected
    for shape, changed in mangled(text, wraps=False):
        assert _values(changed) == expected, shape
    groups = [thing for thing in expected if thing[0] == "ceph_pg"]
    got = [thing for thing in _values(folded(text, 72)) if thing[0] == "ceph_pg"]
    assert got == groups
