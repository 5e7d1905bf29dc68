"""The cluster's log. Oracle: groups by state add up to all, shares are as Ceph rounds them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.mangle import counters, folded, mangled

OUTPUTS = Path(__file__).parents[3] / "outputs" / "ceph-composed"
WATCH, OLD, NEW, STATS = (
    (OUTPUTS / f"{name}.txt").read_text() for name in ("watch", "watch-old", "watch-new", "stats")
)


def _lines(text: str) -> list[tuple[str, dict[str, Any]]]:
    return [(row.name, dict(row.values)) for row in counters(text, "ceph -w")]


@pytest.mark.parametrize("text", [WATCH, OLD, NEW, STATS], ids=["0.80", "0.27", "17", "stat"])
def test_groups_by_state_are_all_groups(text: str) -> None:
    (pgmap,) = (values for name, values in _lines(text) if name == "pgmap")
    by_state = [count for name, count in pgmap.items() if name.startswith("pgs_")]
    assert sum(by_state) == pgmap["pgs"]
    assert pgmap["used"] + pgmap["available"] == pytest.approx(pgmap["size"], rel=2e-3)


def test_rates_and_what_is_not_whole() -> None:
    (name, pgmap), *_ = _lines(WATCH)
    assert (name, pgmap["time"], pgmap["version"]) == ("pgmap", "2014-06-17 14:18:10.079939", 7633)
    assert (pgmap["read.bandwidth"], pgmap["write.bandwidth"]) == (28154 << 10, 121 << 20)
    assert (pgmap["iops"], pgmap["objects_degraded"]) == (528, 5816)
    assert round(pgmap["degraded_share"] * 100, 3) == 24.577
    assert (pgmap["recovery.bandwidth"], pgmap["recovery.objects"]) == (45 << 20, 11)
    assert round(_lines(OLD)[0][1]["degraded_share"] * 100, 3) == 1.935
    (recovering,) = _lines(
        "2013-03-05 17:51:43.787306 mon.0 [INF] pgmap v196284: 9 pgs: 2 active, 7 peering; 493 MB"
        " data, 11522 MB used, 460 GB / 479 GB avail; 4095MB/s rd, 4079MB/s wr, 4095op/s;"
        "  recovering 3 o/s, 2MB/s\n"
    )
    assert recovering[1]["read.bandwidth"] == 4095 << 20
    assert (recovering[1]["recovery.objects"], recovering[1]["recovery.bandwidth"]) == (3, 2 << 20)


def test_maps_and_messages() -> None:
    lines = dict(_lines(WATCH))
    assert lines["osdmap"] == {
        "time": "2014-06-17 14:18:11.079940", "epoch": 332, "osds": 24, "osds_up": 23,
        "osds_in": 24,
    }  # fmt: skip
    assert (lines["mdsmap"]["mds_up"], lines["mdsmap"]["ranks"]) == (1, "{0=a=up:active}")
    assert [text.split(",")[0] for text in lines["osd.7"]["WRN"]] == [
        "2 slow requests", "slow request 30.934 seconds old",
    ]  # fmt: skip
    assert lines["mon.0"]["INF"][0].startswith("osd.3 10.0.0.3:6800/2231 failed")
    old, new = dict(_lines(OLD)), dict(_lines(NEW))
    assert (old["monmap"]["monitors"], old["mon0"]) == (1, {"INF": ["osd0 10.0.0.1:6800/22 boot"]})
    assert new["osd.1"] == {"ERR": ["1.0 deep-scrub 1 errors"]}
    assert (new["osdmap"]["osds"], new["osdmap"]["osds_in"]) == (3, 3)


def test_single_lines_of_stat() -> None:
    monmap, mds, filesystem, pgmap = (values for _, values in _lines(STATS))
    assert (monmap["monitors"], monmap["election_epoch"], monmap["quorum_names"]) == (
        3,
        24,
        "a,b,c",
    )
    assert (mds["mds_up"], mds["mds_max"], mds["standby"]) == (1, 1, 1)
    assert (filesystem["filesystem"], filesystem["mds_up"], filesystem["standby"]) == (
        "cephfs",
        1,
        1,
    )
    assert pgmap["write.bandwidth"] == 12 << 10


@pytest.mark.parametrize(
    "text",
    [
        "[INF] server started\n",
        "2024-01-01 10:00:00 myapp [ERR] could not connect to osd.3\n",
        "The pgmap has 192 pgs: 12 of them degraded\n",
        "e5: 1/1/1 was up\n",
        "There are 3 mons at {a,b,c}\n",
        "key:1 {0=x}\n",
    ],
)
def test_what_looks_alike(text: str) -> None:
    assert not _lines(text)


def test_a_line_that_is_cut_says_no_figure() -> None:
    ((name, values),) = _lines(WATCH.split("\n")[0][:90] + "\nThat was all that I saw.\n")
    assert name == "mon.0"
    assert values["INF"] == [WATCH[36:90].split("] ", 1)[-1]]


@pytest.mark.parametrize("text", [WATCH, OLD, NEW], ids=["0.80", "0.27", "17"])
def test_every_shape(text: str) -> None:
    expected = _lines(text)
    for shape, changed in mangled(text, wraps=False):
        got = _lines(changed)
        if shape == "behind times":  # the time before the line is another one
            got, expected_here = ([(n, {k: v for k, v in values.items() if k != "time"})
                                   for n, values in rows] for rows in (got, expected))  # fmt: skip
            assert got == expected_here
        else:
            assert got == expected, shape
    assert _lines(folded(text, 72)) == expected
