"""sysconfig -r of Data ONTAP. Oracle: MB and blocks that it prints of the same disk."""

from __future__ import annotations

from pathlib import Path

from tests.mangle import mangled, subjects_in

TEXT = (Path(__file__).parents[3] / "outputs/ontap-composed/seven-mode.txt").read_text()


def test_aggregates_and_disks_in_every_shape() -> None:
    for shape, given in mangled(TEXT, wraps=False):
        things = {(s.kind, s.name): s.values for s in subjects_in(given, "ontap raid")}
        pool = things["storage_pool", "aggr1"]
        assert (pool["raid_level"], pool["raid_status"]) == ("raid_dp", "degraded"), shape
        assert (pool["raid_groups"], pool["missing_disks"]) == ("/aggr1/plex0/rg1 degraded", 1), (
            shape
        )
        assert things["storage_pool", "aggr0"] == {"state": "online", "raid_level": "raid_dp"}, (
            shape
        )
        disk = things["array_drive", "0a.01.1"]
        assert int(str(disk["size"])) // 2**20 in range(847883, 847886), shape
        assert (disk["raid_group"], disk["container"]) == ("/aggr1/plex0/rg0", "aggr1"), shape
        broken = [
            n for (_, n), values in things.items() if values.get("container_type") == "broken"
        ]
        assert broken == ["0b.01.3", "0a.03.6"], shape


def test_what_looks_alike() -> None:
    text = "RAID Disk Device is what ONTAP calls it\nAggregate aggr1 (a word) lies near\n"
    assert not subjects_in(text, "ontap raid")
