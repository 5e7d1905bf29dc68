"""`numactl -H` and /proc/zoneinfo."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mangle import counters, mangled, subjects_in

PLACE = Path(__file__).parents[2] / "outputs" / "monitors-composed"
NUMACTL, ZONEINFO = ((PLACE / f"{name}.txt").read_text() for name in ("numactl", "zoneinfo"))


@pytest.mark.parametrize(("shape", "text"), list(mangled(NUMACTL)), ids=lambda each: each[:20])
def test_nodes_as_lscpu_calls_them(shape: str, text: str) -> None:
    (host,) = subjects_in(text, "numactl")
    assert host.values == {
        "numa_nodes": 2, "numa_node0_memory": 64215 << 20, "numa_node0_free_memory": 60123 << 20,
        "numa_node1_memory": 64509 << 20, "numa_node1_free_memory": 61890 << 20,
        "numa_node0_cpus": "0-3,8-11", "numa_node1_cpus": "4-7,12-15",
        "numa_distances": "10 21; 21 10",
    }, shape  # fmt: skip


def test_a_node_without_processors_has_memory_alone() -> None:
    text = (
        "available: 1 nodes (2)\nnode 2 cpus:\nnode 2 size: 16384 MB\nnode 2 free: 16000 MB\n"
        "node distances:\nnode   2 \n  2:  10 \n"
    )
    (host,) = subjects_in(text, "numactl")
    assert host.values == {
        "numa_nodes": 1, "numa_node2_memory": 16 << 30, "numa_node2_free_memory": 16000 << 20,
        "numa_distances": "10",
    }  # fmt: skip
    assert not subjects_in("available: 3 nodes (of the cluster)\n", "numactl")


@pytest.mark.parametrize(
    ("shape", "text"), list(mangled(ZONEINFO, wraps=False)), ids=lambda each: each[:20]
)
def test_pages_of_zones_and_counters_of_nodes(shape: str, text: str) -> None:
    given = {(row.kind, row.name): row.values for row in counters(text, "zoneinfo")}
    assert given == {
        ("memory_zone", "node 0, DMA"): {
            "free_pages": 3840, "boost_pages": 0, "min_pages": 33, "low_pages": 41,
            "high_pages": 49, "spanned_pages": 4095, "present_pages": 3998,
            "managed_pages": 3840, "nr_free_pages": 3840,
        },
        ("memory_zone", "node 0, Normal"): {
            "free_pages": 338400, "min_pages": 16333, "low_pages": 20441, "high_pages": 24549,
        },
        ("memory_node", "node 0"): {"nr_inactive_anon": 12345, "nr_dirty": 100},
    }, shape  # fmt: skip
    assert not counters(text, "vmstat file")  # it is a node's, not the host's


def test_a_zone_of_dns_is_none() -> None:
    assert not counters("Node 0, zone   example.org\n  serial 5\n", "zoneinfo")
