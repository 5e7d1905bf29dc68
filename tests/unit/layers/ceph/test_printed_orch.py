"""Services, daemons, drives and pools. Oracle: the words of the sample under their heads."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mangle import mangled, subjects_in

TEXT = (Path(__file__).parents[3] / "outputs" / "ceph-composed" / "orch.txt").read_text()
MIB = 1 << 20


def _things(text: str) -> dict[tuple[str, str], dict[str, object]]:
    return {(s.kind, s.name): dict(s.values) for s in subjects_in(text, "ceph orch")}


def test_each_list() -> None:
    things = _things(TEXT)
    assert len(things) == 10
    assert things["ceph_service", "mon"] == {
        "running": "2/3", "refreshed": "4m ago", "age": "5d", "placement": "n1;n2;n3",
    }  # fmt: skip
    assert things["ceph_daemon", "mgr.n1"] == {
        "host": "n1", "ports": "*:8443", "status": "running (5d)", "refreshed": "3m ago",
        "age": "5d", "memory": 412 * MIB, "version": "17.2.6", "image_id": "c9a1062f7289",
        "container_id": "0a1b2c3d4e5f",
    }  # fmt: skip
    assert things["ceph_daemon", "osd.3"]["memory_limit"] == 4096 * MIB
    assert "version" not in things["ceph_daemon", "osd.3"]
    assert things["ceph_device", "n1:/dev/sdb"]["available"] is True
    assert things["ceph_device", "n1:/dev/sdc"] == {
        "host": "n1", "path": "/dev/sdc", "class": "ssd", "device_id": "ATA_ST12000NM_ZHZ2",
        "size": "12.0T", "available": False, "refreshed": "3m ago",
        "reject_reasons": "Insufficient space (<10 extents) on vgs, LVM detected, locked",
    }  # fmt: skip


def test_pools_that_the_autoscaler_sees() -> None:
    things = _things(TEXT)
    assert things["ceph_pool", "rbd"] == {
        "size": 12900 * MIB, "rate": 3.0, "raw_capacity": 82431 * MIB, "ratio": 0.4695,
        "target_ratio": 0.2, "effective_ratio": 0.9884, "bias": 4.0, "pg_num": 8,
        "new_pg_num": 128, "autoscale": "warn", "bulk": True,
    }  # fmt: skip
    assert things["ceph_pool", "b"]["target_size"] == round(953.6 * MIB)
    assert things["ceph_pool", ".mgr"]["bias"] == 1.0
    assert "target_ratio" not in things["ceph_pool", ".mgr"]


@pytest.mark.parametrize(
    "text",
    [
        "CONTAINER ID   IMAGE     COMMAND   CREATED   STATUS    PORTS     NAMES\n"
        "0a1b2c3d4e5f   nginx     nginx     5d ago    Up 5 days 80/tcp    web\n",
        "REJECT REASONS are listed by the orchestrator\n",
        "NAME  RUNNING  REFRESHED  AGE  PLACEMENT\nmon is not running\n",
    ],
)
def test_what_looks_alike(text: str) -> None:
    assert not _things(text)


def test_every_shape() -> None:
    expected = _things(TEXT)
    for shape, changed in mangled(TEXT, wraps=False):
        assert _things(changed) == expected, shape
