"""Ceph's JSON: the same values as the text of the same cluster."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from iosonde.records.stack import Json
from tests.mangle import counters, mangled, read, states

PLACE = Path(__file__).parents[3] / "outputs" / "ceph-composed"
ONLY_IN_TEXT = {
    "mgr_active", "mgr_active_since", "mgr_standbys", "quorum_age", "osds_up_since",
    "osds_in_since",
}  # fmt: skip
"""Names that the status in JSON does not hold, and ages that it has as times."""


def text(name: str) -> str:
    return (PLACE / name).read_text()


def values_of(given: str) -> dict[tuple[str, str], dict[str, Json]]:
    things: dict[tuple[str, str], dict[str, Json]] = {}
    for state in states(given):
        for subject in state.subjects:
            things.setdefault((subject.kind, subject.name), {}).update(subject.values)
    for item in counters(given):
        things["counters", item.name] = dict(item.values)
    return things


@pytest.mark.parametrize("name", ["status", "health", "df", "osds", "tree-outside"])
def test_json_says_what_the_text_says(name: str) -> None:
    printed, reported = values_of(text(f"{name}.txt")), values_of(text(f"{name}.json"))
    printed = {thing: of for thing, of in printed.items() if thing[0] != "ceph_bucket"}
    assert printed.keys() <= reported.keys()
    for thing, values in printed.items():
        for fact in values.keys() - ONLY_IN_TEXT - ({"pgs"} if thing[0] == "ceph_pool" else set()):
            value = values[fact]
            assert reported[thing].get(fact) == (
                pytest.approx(value) if isinstance(value, int | float) else value
            ), (thing, fact)


def test_buckets_have_the_figures_of_what_is_below_them() -> None:
    bare = '"name": "ceph1",\n            "type": "host",\n            "type_id": 1,'
    given = text("osds.json").replace(
        bare, f'{bare} "reweight": -1, "kb": 1024, "kb_used": 512, "utilization": 50.0, "pgs": 32,'
    )
    assert values_of(given)["ceph_bucket", "ceph1"] == {
        "type": "host", "size": 1 << 20, "used": 1 << 19, "full": 0.5, "pgs": 32,
    }  # fmt: skip
    assert not [thing for thing in values_of(text("osds.json")) if thing[0] == "ceph_bucket"]


@pytest.mark.parametrize("name", ["status", "health", "df", "osds", "tree-outside"])
def test_every_shape(name: str) -> None:
    expected = values_of(text(f"{name}.json"))
    assert expected
    for shape, changed in mangled(text(f"{name}.json")):
        assert values_of(changed) == expected, shape


def test_the_spread_of_osds_is_of_the_cluster() -> None:
    cluster = values_of(text("osds.json"))["ceph", "ceph"]
    assert (cluster["full"], cluster["full_deviation"]) == (0.5664, 0.293)
    assert (cluster["variance_min"], cluster["variance_max"]) == (0.48, 1.52)


def test_an_old_status_has_its_osds_deeper_and_its_health_as_a_summary() -> None:
    document = {
        "health": {"summary": [{"severity": "HEALTH_WARN", "summary": "2 near full osd(s)"}],
                   "overall_status": "HEALTH_WARN"},
        "fsid": "11111111-2222-3333-4444-555555555555",
        "osdmap": {"osdmap": {"epoch": 9, "num_osds": 3, "num_up_osds": 2, "num_in_osds": 3}},
        "pgmap": {"pgs_by_state": [], "num_pgs": 8, "data_bytes": 1},
        "fsmap": {"up": 1, "in": 1, "max": 1, "up:standby": 2,
                  "by_rank": [{"rank": 0, "name": "a", "status": "up:replay"}]},
    }  # fmt: skip
    values = values_of(json.dumps(document))["ceph", "ceph"]
    assert (values["health"], values["osds_near_full"]) == ("HEALTH_WARN", 2)
    assert (values["osds"], values["osds_up"], values["osdmap_epoch"]) == (3, 2, 9)
    assert (values["mds_rank_0"], values["mds_standby"]) == ("replay", 2)


def test_a_share_of_a_pool_is_taken_where_its_unit_is_known() -> None:
    stats = {"bytes_used": 10, "percent_used": 2.5, "max_avail": 390}
    old = {"stats": {"total_bytes": 400}, "pools": [{"name": "p", "id": 1, "stats": stats}]}
    assert "full" not in values_of(json.dumps(old))["ceph_pool", "p"]


@pytest.mark.parametrize(
    "document",
    [
        {"health": {"status": "green"}, "pgmapper": 1, "election_epoch": 2},
        {"nodes": [{"id": 1, "name": "n", "type": "worker"}]},
        {"stats": {"total_bytes": "many"}},
        {"status": "HEALTH_OK", "service": "shop"},
    ],
)
def test_documents_of_others_are_not_ceph_s(document: object) -> None:
    assert [item for item in read(json.dumps(document)) if getattr(item, "states", ())] == []
