"""What Ceph's tools print. Oracle: shares are counts through counts, sizes add up."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest

from iosonde.records.printed import PrintedSubject, Unread
from iosonde.text.window import View
from tests.mangle import counters, folded, mangled, read, states

OUTPUTS = Path(__file__).parents[3] / "outputs" / "ceph-composed"
STATUS, OLD, HEALTH, DF, OSDS, TREE, OLDEST, OUTSIDE = (
    (OUTPUTS / f"{name}.txt").read_text()
    for name in (
        "status",
        "status-old",
        "health",
        "df",
        "osds",
        "tree-old",
        "status-oldest",
        "tree-outside",
    )
)
TIB = 1024**4


def subjects(text: str) -> list[PrintedSubject]:
    return [subject for state in states(text) for subject in state.subjects]


def figure(subject: PrintedSubject, name: str) -> float:
    return cast("float", subject.values[name])


def test_a_status_says_what_is_not_whole() -> None:
    (cluster,) = subjects(STATUS)
    assert (cluster.kind, cluster.values["health"]) == ("ceph", "HEALTH_WARN")
    assert figure(cluster, "osds_up") == figure(cluster, "osds") - 1
    assert cluster.values["osds_near_full"] == 1
    whole, lacking = (
        figure(cluster, f"pgs_{state}") for state in ("active+clean", "active+undersized+degraded")
    )
    assert whole + lacking == cluster.values["pgs"]
    assert figure(cluster, "degraded_share") == pytest.approx(0.00217, abs=5e-6)
    assert figure(cluster, "used") + figure(cluster, "available") == pytest.approx(12 * TIB)
    assert cluster.values["objects"] == 283_950  # prefixes of counts are of 1000 since Ceph 13
    (rates,) = counters(STATUS)
    assert rates.values["read.iops"] == 567
    assert rates.values["write.bandwidth"] == 34 * 2**20


def test_a_status_of_ten_has_binary_prefixes() -> None:
    (cluster,) = subjects(OLD)
    assert cluster.values["stored"] == 17130 * 2**20
    assert (cluster.values["objects"], cluster.values["slow_requests"]) == (2199, 32)
    assert cluster.values["osds"] == cluster.values["osds_up"] == 2
    (rates,) = counters(OLD)
    assert rates.values == {"read.bandwidth": 4033, "write.bandwidth": 3345 * 1024, "iops": 321}
    (thousands,) = subjects(OLD.replace("2199 objects", "2199 kobjects"))
    assert thousands.values["objects"] == 2199 * 1024


def test_health_in_detail() -> None:
    cluster, *_ = subjects(HEALTH)
    assert cluster.values["OSD_NEARFULL"] == "1 nearfull osd(s)"
    assert cluster.values["osds_near_full"] == 1
    assert not read("The cluster went from HEALTH_OK to HEALTH_WARN at noon.")


def test_tables_of_pools_and_osds() -> None:
    ssd, total, *pools = subjects(DF)
    assert (ssd.kind, total.kind) == ("ceph_class", "ceph")
    assert figure(total, "full") == pytest.approx(
        figure(total, "used") / figure(total, "size"), abs=1e-3
    )
    assert [pool.name for pool in pools] == ["device_health_metrics", "rbd"]
    first, second, cluster = (each for each in subjects(OSDS) if each.kind != "ceph_bucket")
    assert figure(cluster, "used") == pytest.approx(
        figure(first, "used") + figure(second, "used"), rel=0.05
    )
    assert figure(cluster, "variance_max") == 1.52
    for osd in (first, second):
        assert figure(osd, "full") == pytest.approx(
            figure(osd, "used") / figure(osd, "size"), abs=1e-4
        )
        assert figure(osd, "used") + figure(osd, "available") == figure(osd, "size")
    assert (second.values["host"], second.values["reweight"]) == ("ceph2", 0.95001)
    assert [(osd.name, osd.values["status"]) for osd in subjects(TREE) if osd.kind == "osd"] == [
        ("osd.0", "up"), ("osd.1", "down"),
    ]  # fmt: skip


DOMAINS = """\
ID  WEIGHT  TYPE NAME                                UP/DOWN REWEIGHT PRIMARY-AFFINITY
-10 0.34998 failure-domain disks-00
 -9 0.34998     replica-domain replica-0
 -8 0.34998         host-domain group-0-rack-01
 -6 0.34998             host ceph-node1
  0 0.14999                 osd.0                         up  1.00000          1.00000
 12 0.19999                 osd.12                      down        0          1.00000
"""


def test_a_map_may_have_types_of_buckets_of_its_own() -> None:
    first, *rest = subjects(DOMAINS)
    assert (first.name, first.values) == (
        "disks-00", {"type": "failure-domain", "weight": 0.34998},
    )  # fmt: skip
    assert [each.values.get("type") for each in rest] == [
        "replica-domain", "host-domain", "host", None, None,
    ]  # fmt: skip
    assert [(osd.name, osd.values["host"], osd.values["status"]) for osd in rest[-2:]] == [
        ("osd.0", "ceph-node1", "up"), ("osd.12", "ceph-node1", "down"),
    ]  # fmt: skip
    rows = DOMAINS.partition("\n")[2]
    assert [osd.values["host"] for osd in subjects(rows)] == ["ceph-node1", "ceph-node1"]


def test_what_a_tree_says_of_hosts_and_of_all() -> None:
    for text in (OSDS, OSDS.replace("host ceph2", "rack ceph2")):
        root, *below = (each for each in subjects(text) if each.kind == "ceph_bucket")
        assert (root.name, root.values["type"], root.values["weight"]) == ("default", "root", 2)
        assert [each.name for each in below] == ["ceph1", "ceph2"]
        assert sum(figure(each, "weight") for each in below) == figure(root, "weight")
        assert figure(below[1], "variance") == 1.52
        assert figure(below[0], "used") == 280 << 30
        assert not {"reweight", "class", "status", "pgs"} & {*root.values, *below[0].values}


def test_a_row_that_is_cut_is_not_guessed() -> None:
    cut = "\n".join(
        line[:60] if "osd." in line or "root" in line else line for line in OSDS.split("\n")
    )
    unread, _ = read(cut)  # the second are the sums, which are whole
    assert isinstance(unread, Unread)
    assert unread.reason == "its first row is not whole"


@pytest.mark.parametrize("text", [STATUS, OLD, OSDS, TREE])
def test_every_shape(text: str) -> None:
    expected = [(subject.name, dict(subject.values)) for subject in subjects(text)]
    assert expected
    for shape, changed in mangled(text, wraps=False):
        if shape == "with blank lines" and text in {STATUS, OLD}:
            continue  # blank lines part the sections of a status
        got = [(subject.name, dict(subject.values)) for subject in subjects(changed)]
        assert got == expected, shape


def test_tables_that_a_mail_folded() -> None:
    expected = [dict(subject.values) for subject in subjects(OSDS) if subject.kind == "osd"]
    for shape, changed in mangled(OSDS):
        if shape.startswith("folded"):
            osds = [subject for subject in subjects(changed) if subject.kind == "osd"]
            assert [dict(osd.values) for osd in osds] == expected


def test_what_follows_a_table_changes_no_figure_of_it() -> None:
    old = "\n".join((
        "POOLS:",
        "    NAME     ID     USED     %USED     MAX AVAIL     OBJECTS ",
        "    rbd      0      1024M     0.10         1012G       2048k ",
    ))  # fmt: skip
    (alone,) = subjects(old)
    assert alone.values["objects"] == 2048 * 1024
    (beside,) = subjects(f"{old}\n\nThe disks have 3.5 TiB each.")
    assert beside == alone


@pytest.mark.parametrize("table", [OSDS, TREE, DF], ids=["osds", "tree", "df"])
def test_a_table_is_not_looked_for_in_all_that_follows(
    table: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = {"fetched": 0}
    block = View.block

    def counted(self: View, first: int, most: int) -> list[str]:
        texts = block(self, first, most)
        lines["fetched"] += len(texts)
        return texts

    monkeypatch.setattr(View, "block", counted)
    expected = subjects(table)
    alone, lines["fetched"] = lines["fetched"], 0
    assert subjects(table + "\nThey said that nothing was lost." * 3000) == expected
    assert lines["fetched"] < alone + 300


def _hosts(given: str) -> dict[str, object]:
    """The host of each OSD, or None."""
    every = (each for each in subjects(given) if each.kind == "osd")
    return {osd.name: osd.values.get("host") for osd in every}


def test_osds_in_no_bucket_belong_to_no_host() -> None:
    """Where no blanks show how deep an OSD of no weight stands, no host is said of it."""
    for shape, given in mangled(OUTSIDE):
        hosts = _hosts(given)
        assert hosts == {
            "osd.0": "oak", "osd.1": "oak", "osd.2": "elm", "osd.5": "elm",
            "osd.3": None, "osd.4": None,
        }, shape  # fmt: skip
    flat = "\n".join(" ".join(line.split()) for line in OUTSIDE.splitlines())
    hosts = _hosts(flat)
    assert (hosts["osd.2"], hosts["osd.4"]) == ("elm", None)


def test_an_osd_below_the_root_itself_belongs_to_no_host() -> None:
    tree = (
        "ID  CLASS  WEIGHT   TYPE NAME             STATUS  REWEIGHT  PRI-AFF\n"
        "-1         2.00000  root default                                   \n"
        "-3         1.00000      host node-a                                \n"
        " 0    hdd  1.00000          osd.0             up   1.00000  1.00000\n"
        " 2    hdd  1.00000      osd.2               down   1.00000  1.00000\n"
    )
    assert _hosts(tree) == {"osd.0": "node-a", "osd.2": None}


def test_rows_that_a_mail_broke_keep_their_hosts() -> None:
    whole = {osd.name: osd.values.get("host") for osd in subjects(OSDS)}
    for width in (72, 80):
        read = {osd.name: osd.values.get("host") for osd in subjects(folded(OSDS, width))}
        assert read == whole


def test_rows_alone_tell_an_osd_outside_of_hosts_too() -> None:
    rows = (
        "# id\tweight\ttype name\tup/down\treweight\n-1\t2\troot default\n-2\t2\t\thost oak\n"
        "0\t1\t\t\tosd.0\tup\t1\t\n7\t0\t\t\tosd.7\tup\t1\n2\t0\tosd.2\tdown\t0\t\n"
    )
    hosts = {osd.name: osd.values.get("host") for osd in subjects(rows)}
    assert hosts == {"osd.0": "oak", "osd.7": "oak", "osd.2": None}


def test_every_figure_of_the_oldest_status() -> None:
    (cluster,) = subjects(OLDEST)
    epochs = ("monmap_epoch", "election_epoch", "osdmap_epoch", "pgmap_version", "mdsmap_epoch")
    assert [cluster.values[name] for name in epochs] == [7, 44, 2611, 798444, 39]
    assert (cluster.values["monitors"], cluster.values["quorum"]) == (3, "0,2")
    assert [cluster.values[f"mds_{name}"] for name in ("up", "in", "max", "standby")] == [
        1,
        1,
        1,
        2,
    ]
    assert (cluster.values["osds"], cluster.values["osds_up"]) == (24, 23)
    assert cluster.values["objects_degraded"] == 4
    assert cluster.values["degraded_share"] == pytest.approx(0.00200)
    assert figure(cluster, "pgs_active+clean") + 3 == cluster.values["pgs"]


def test_daemons_of_a_new_status() -> None:
    text = STATUS.partition("    osd:")[0] + (
        "    osd: 12 osds: 12 up (since 3d), 12 in (since 9w); 7 remapped pgs\n"
        "    rgw: 2 daemons active (2 hosts, 1 zones)\n"
    )
    (cluster,) = subjects(text)
    assert (cluster.values["remapped_pgs"], cluster.values["rgw_daemons"]) == (7, 2)
    more = (
        "  cluster:\n    id:     477e46f1-ae41-4e43-9c8f-72c918ab0a20\n    health: HEALTH_WARN\n"
        "            1/3 mons down, quorum a,b\n\n  services:\n"
        "    mon: 3 daemons, quorum a,b (age 3d), out of quorum: c\n"
        "    mgr: x(active, since 2w), standbys: y, z\n    mds: 1/2 daemons up, 1 standby\n"
        "    osd: 3 osds: 3 up (since 2d), 3 in (since 2w)\n"
    )
    (cluster,) = subjects(more)
    assert (cluster.values["quorum"], cluster.values["monitors_out_of_quorum"]) == ("a,b", "c")
    assert (cluster.values["mgr_active"], cluster.values["mgr_standbys"]) == ("x", "y,z")
    assert [cluster.values[f"mds_{name}"] for name in ("up", "in", "standby")] == [1, 2, 1]


def test_pools_of_the_first_df() -> None:
    text = (
        "POOLS:\n    NAME      CATEGORY     USED      %USED     OBJECTS \n"
        "    data      -            110K      0         50 \n"
    )
    (pool,) = subjects(text)
    assert (pool.name, pool.values) == ("data", {"used": 110 << 10, "full": 0, "objects": 50})


def test_pools_have_the_host_of_the_command_above_the_raw_storage() -> None:
    text = "root@n1:~# ceph df\n" + DF[DF.index("--- RAW") :]
    for given in (text, text.replace("--- POOLS ---\n", "--- POOLS ---\n\n")):
        (state,) = states(given)
        assert {thing.host for thing in state.subjects} == {"n1"}
        assert {"ceph", "ceph_pool"} <= {thing.kind for thing in state.subjects}


OWN_TYPES = """\
ID  WEIGHT  TYPE NAME                        UP/DOWN REWEIGHT PRIMARY-AFFINITY
-10 1.69992 failure-domain sata-00
 -9 1.69992     replica-domain replica-0
 -6 0.49997         host store1
  0 0.14999             osd.0                     up  1.00000          1.00000
  2 0.34998             osd.2                   down        0          1.00000
"""


def test_a_map_may_name_its_own_types_of_buckets() -> None:
    (state,) = states(OWN_TYPES)
    assert [(each.name, each.values.get("type") or each.values["host"])
            for each in state.subjects] == [
        ("sata-00", "failure-domain"), ("replica-0", "replica-domain"), ("store1", "host"),
        ("osd.0", "store1"), ("osd.2", "store1"),
    ]  # fmt: skip
    assert state.subjects[-1].values["status"] == "down"


@pytest.mark.parametrize(("used", "expected"), [("97 TB", 97 << 40), ("1 GB", None)])
def test_use_that_is_not_what_size_and_room_leave_is_not_said(
    used: str, expected: int | None
) -> None:
    (state,) = states(
        "    cluster 12345678-0c0b-4005-8feb-fc3bb92407f5\n     health HEALTH_OK\n"
        "     osdmap e8946: 153 osds: 152 up, 152 in\n"
        "      pgmap v1409604: 662 pgs, 30 pools, 41 TB data, 5191 kobjects\n"
        f"            {used} used, 316 TB / 413 TB avail\n                 662 active+clean\n"
    )
    values = state.subjects[0].values
    assert values["size"] == 413 << 40
    assert values.get("used") == expected
