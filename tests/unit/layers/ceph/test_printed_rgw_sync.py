"""radosgw-admin sync status. Oracle: shards in full and incremental sync are all shards."""

from __future__ import annotations

from pathlib import Path

from iosonde.records.stack import Scalar
from tests.mangle import mangled, states

TEXT = (Path(__file__).parents[3] / "outputs" / "ceph-composed" / "rgw-sync.txt").read_text()


def things(text: str) -> dict[tuple[str, str], dict[str, Scalar]]:
    return {(s.kind, s.name): dict(s.values) for state in states(text) for s in state.subjects}


def test_how_far_zones_are_in_every_shape() -> None:
    for shape, given in mangled(TEXT):
        read = things(given)
        zone, north = read["rgw_zone", "east"], read["rgw_sync", "north"]
        assert (zone["realm"], zone["zonegroup"], zone["metadata_sync"]) == (
            "shop", "world", "syncing",
        ), shape  # fmt: skip
        assert (zone["metadata_behind_shards"], zone["metadata_shards"]) == (2, 64), shape
        assert (north["state"], north["behind_shards"], north["recovering_shards"]) == (
            "syncing", 13, 1,
        ), shape  # fmt: skip
        full, rest = (int(str(north[f"{how}_sync_shards"])) for how in ("full", "incremental"))
        assert full + rest == north["shards"] == 128
        assert north["to_sync"] == 345
        refused = str(read["rgw_sync", "south"]["state"])
        assert refused.startswith("failed to retrieve sync info: (13) Permission"), shape
        assert str(zone["metadata_oldest_change_not_applied"]).endswith("000+0000 [3]"), shape


def test_a_zone_that_is_caught_up_and_the_master() -> None:
    text = (
        "           zone bbbb1111-2222-3333-4444-555566667777 (east)\n"
        "  metadata sync no sync (zone is master)\n"
        "      data sync source: cccc1111-2222-3333-4444-555566667777 (north)\n"
        "                        syncing\n"
        "                        full sync: 0/128 shards\n"
        "                        incremental sync: 128/128 shards\n"
        "                        data is caught up with source\n"
    )
    read = things(text)
    assert read["rgw_zone", "east"]["metadata_sync"] == "no sync (zone is master)"
    assert read["rgw_sync", "north"]["behind_shards"] == 0


def test_words_about_it_are_none() -> None:
    assert not things("The data is behind on 3 shards, and metadata sync is slow.\n")
