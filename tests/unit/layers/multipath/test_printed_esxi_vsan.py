"""What esxcli says of vSAN: the figures are those that stand in the sample."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.explain.gather import of_document
from iosonde.layers.multipath.findings_vsan import RULES
from iosonde.text.document import of_bytes
from tests.mangle import counters, mangled, read, subjects_in, unread_in

SAMPLE = (Path(__file__).parents[3] / "outputs" / "esxi-composed" / "vsan-debug.txt").read_text()
DISK, CACHE = "naa.5000c500aaaabbbb", "naa.5000c500cccc0000"
OBJECT = "47cbaaaa-e01c-9e33-dada-020010d50001"


def test_the_lists_in_every_shape() -> None:
    for shape, given in mangled(SAMPLE, wraps=False):
        things = {(thing.kind, thing.name): thing.values for thing in subjects_in(given)
                  if thing.kind not in {"vsan", "vsan_check"}}  # fmt: skip
        assert list(things) == [
            ("disk", DISK), ("disk", CACHE), ("vsan_object", OBJECT), ("controller", "vmhba1"),
        ], shape  # fmt: skip
        disk = things["disk", DISK]
        assert disk["vsan_uuid"] == "52e1aaaa-0000-1111-2222-e5e1d2240001"
        assert (disk["overall_health"], disk["operational_health"]) == ("red", "red")
        assert (disk["congestion_state"], disk["congestion_value"]) == ("green", 12)
        assert (disk["space_state"], disk["space_capacity"]) == ("green", 107365793792)
        assert "space_state" not in things["disk", CACHE]
        placed = things["vsan_object", OBJECT]
        assert (placed["components"], placed["active_components"]) == (3, 2)
        assert placed["degraded_components"] == 1
        assert (placed["host_failures_to_tolerate"], placed["type"]) == (1, "vdisk")
        assert things["controller", "vmhba1"]["max_supported_queue_depth"] == 895


def test_the_rest_in_every_shape() -> None:
    for shape, given in mangled(SAMPLE, wraps=False):
        states = [thing.values for thing in subjects_in(given) if thing.kind == "vsan"]
        assert [state.get("memory_pools_slabs") for state in states] == ["yellow", None, None]
        assert states[1]["lowest_free_disk_space"] == 0.99, shape
        assert "used_disk_space_gb" not in states[1]
        assert states[2]["sub_cluster_member_count"] == 4
        resync, health = (counted.values for counted in counters(given, "esxcli"))
        assert resync == {"resyncing_objects": 2, "bytes_left_to_resync": 2684354560}
        assert (health["inaccessible_objects"], health["healthy_objects"]) == (1, 41)
        assert unread_in(given) == []


def test_checks_with_their_groups() -> None:
    checks = {thing.name: thing.values for thing in subjects_in(SAMPLE)
              if thing.kind == "vsan_check"}  # fmt: skip
    assert checks["Operation health"] == {"status": "red", "part_of": "Physical disk"}
    assert checks["Physical disk"] == {"status": "red"}
    assert len(checks) == 7


def test_what_is_said_of_the_sample() -> None:
    case, _ = of_document(of_bytes("page", SAMPLE.encode()))
    said = [(each.severity, each.subject) for rule in RULES for each in rule.find(case)]
    assert said == [
        ("error", "esx8"), ("warning", "esx8"), ("warning", f"esx8: {OBJECT}"), ("error", "esx8"),
        ("error", f"esx8: {DISK}"),
    ]  # fmt: skip


def test_a_disk_without_its_margin() -> None:
    begin = SAMPLE.index("UUID: 52e1aaaa")
    given = "\n".join(line.strip() for line in SAMPLE[begin : begin + 700].split("\n"))
    disk = subjects_in(given)[0]
    assert (disk.name, disk.values["space_capacity"]) == (DISK, 107365793792)


@pytest.mark.parametrize(
    "near_miss",
    [
        "Overall Health: green\n\nThe fleet is well.\n",
        "Object UUID: the identity of an object\nHealth: how it is\n",
        "Health Test Name and Status are printed by esxcli.\n",
        "Health Status  Number Of Objects\n",
        "| Used By VSAN: | true |\n",
    ],
)
def test_what_looks_alike(near_miss: str) -> None:
    assert subjects_in(near_miss) == []
    assert counters(near_miss, "esxcli") == []
    assert all("rows" in str(entry) for entry in read(near_miss))


def test_prose_below_a_list_is_no_part_of_it() -> None:
    given = "   Overall Health: green\n   Component Metadata Health: green\n\nNote: it was red.\n"
    (vsan,) = subjects_in(given)
    assert set(vsan.values) == {"overall_health", "component_metadata_health"}
