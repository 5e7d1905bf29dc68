"""Striped volumes of which not all members work."""

from __future__ import annotations

import pytest

from iosonde.loads._rules import members
from iosonde.records.evidence import EvidenceSet, StateEvidence
from iosonde.records.stack import Json, Scalar
from tests.unit.explain.cases import case_of, findings_named, network_page, trial


def device(name: str, writes: int, mean: int | None = None) -> Json:
    values: dict[str, Json] = {"name": name, "reads": 0, "writes": writes}
    return values if mean is None else {**values, "aggr": {"reads": 0, "writes": mean}}


def case(label: str, *devices: Json) -> EvidenceSet:
    evidence = trial({"write.iops": [1e4]}, label=label, details={"disk_stats": list(devices)})
    return EvidenceSet(trials=(evidence,))


MIRROR = (device("md0", 904_069, 903_755), device("sda", 903_756), device("sdb", 903_755))


def test_one_mirror_below_a_striped_volume() -> None:
    (said,) = findings_named(
        members.RULES, case("striped LV", device("dm-3", 891_284, 904_069), *MIRROR)
    )
    assert said.rule == "idle-members"
    assert "dm-3" in said.message
    assert "below it md0 took all of the 904,069 writes" in said.message


def test_a_linear_volume_may_stand_on_one_device() -> None:
    linear = case("plain LV, strip size 64 KiB", device("dm-3", 891_284, 904_069), *MIRROR)
    assert findings_named(members.RULES, linear) == []


def test_members_that_share_the_work() -> None:
    even = [device(f"sd{letter}", 10_000 + place) for place, letter in enumerate("abc")]
    assert (
        findings_named(members.RULES, case("striped", device("dm-0", 30_003, 10_001), *even)) == []
    )


def test_equal_counts_are_read_as_members_rather_than_as_one() -> None:
    """All that follow have the same count as the mean: three members, or one and its own."""
    same = [device(f"sd{letter}", 10_000) for letter in "abc"]
    assert findings_named(members.RULES, case("RAID-0", device("md1", 30_000, 10_000), *same)) == []


def test_a_member_that_rests() -> None:
    (said,) = findings_named(
        members.RULES,
        case("RAID10", device("md1", 20_000, 6_700), device("sda", 10_000), device("sdb", 10_000),
             device("sdc", 100)),
    )  # fmt: skip
    assert "sdc had next to nothing to do" in said.message


def test_few_ios_say_nothing() -> None:
    assert (
        findings_named(members.RULES, case("striped", device("dm-0", 90, 90), device("sda", 90)))
        == []
    )


@pytest.mark.parametrize(("counts", "alarms"), [((30_000.0, 10.0), 1), ((15_000.0, 15_010.0), 0)])
def test_a_layout_that_is_known_needs_no_words(counts: tuple[float, float], alarms: int) -> None:
    evidence = trial(
        {"write.iops": [1e3]}, label="load", stands_on=(("lvm", "vg/lv"), ("disk", "sda")),
        device_io={"sda": {"writes": counts[0]}, "sdb": {"writes": counts[1]}},
    )  # fmt: skip
    volume = StateEvidence("lvm", "vg/lv", "", {"stripes": 2}, "page", "page", below=("sda", "sdb"))
    said = findings_named(members.RULES, EvidenceSet(trials=(evidence,), states=(volume,)))
    assert len(said) == alarms
    assert all("2 stripes" in finding.message for finding in said)


def test_spares_may_rest() -> None:
    io = {"sda": {"writes": 9000.0}, "sdb": {"writes": 9000.0}, "sdc": {"writes": 0.0}}
    evidence = trial(
        {"write.iops": [1e3]}, label="load", device_io=io, stands_on=(("md", "/dev/md0"),)
    )
    values: dict[str, Scalar] = {"level": "raid0", "spares": "sdc"}
    array = StateEvidence("md", "md0", "", values, "page", "page", below=tuple(io))
    assert findings_named(members.RULES, EvidenceSet(trials=(evidence,), states=(array,))) == []


@pytest.mark.parametrize(
    ("writes", "reads", "alarms"),
    [((9000.0, 9000.0), (50_000.0, 10.0), 0), ((9000.0, 12.0), (10.0, 10.0), 1)],
)
def test_a_mirror_must_write_everywhere_but_read_from_one(
    writes: tuple[float, float], reads: tuple[float, float], alarms: int
) -> None:
    io = {
        name: {"writes": writes[place], "reads": reads[place]}
        for place, name in enumerate(("sda", "sdb"))
    }
    evidence = trial(
        {"write.iops": [1e3]}, label="load", device_io=io, stands_on=(("md", "/dev/md0"),)
    )
    array = StateEvidence("md", "md0", "", {"level": "raid1"}, "page", "page", below=("sda", "sdb"))
    said = findings_named(members.RULES, EvidenceSet(trials=(evidence,), states=(array,)))
    assert len(said) == alarms
    assert all("is not a mirror" in finding.message for finding in said)


def test_the_striped_volumes_of_a_real_page() -> None:
    text = network_page().replace("Result 4", "Result 4, striped").replace("Result 7", "striped 7")
    said = findings_named(members.RULES, case_of(text))
    assert [finding.evidence[0].what for finding in said] == ["writes at md0"]


def test_many_nested_volumes_are_passed_over() -> None:
    many = [device(f"dm-{place}", 0, 0) for place in range(30)]
    assert findings_named(members.RULES, case("striped", *many)) == []
