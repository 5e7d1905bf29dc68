"""arcconf: a controller, its volumes and drives, a task that runs, and what only looks like it."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.explain.gather import of_document
from iosonde.layers.hwraid.findings import RULES
from iosonde.records.finding import Finding
from iosonde.records.printed import Unread
from iosonde.records.stack import Scalar
from iosonde.text.document import of_bytes
from tests.mangle import cut, folded, mangled, read, states

PLACE = Path(__file__).parents[3] / "outputs" / "arcconf-composed"
CONFIG = (PLACE / "getconfig.txt").read_text()
STATUS = (PLACE / "getstatus.txt").read_text()
MIB = 1 << 20


def things(text: str) -> dict[tuple[str, str], dict[str, Scalar]]:
    return {(s.kind, s.name): dict(s.values) for state in states(text) for s in state.subjects}


def test_a_configuration_in_every_shape() -> None:
    for shape, given in mangled(CONFIG, wraps=False):
        named = things(given)
        controller = named["controller", "c1"]
        assert controller["model"] == "Adaptec 6805T", shape
        assert (controller["cache_size"], controller["battery"]) == (512 * MIB, "ok")
        assert (controller["firmware"], controller["temperature"]) == ("5.2-0 (19204)", 48)
        boot, data = named["hwraid", "c1/v0"], named["hwraid", "c1/v1"]
        assert (boot["raid_level"], boot["write_policy"]) == ("raid1", "write_through")
        assert (data["raid_level"], data["state"]) == ("raid6", "degraded")
        assert (data["size"], data["strip_size"]) == (11426790 * MIB, 262144)
        assert (data["disks"], data["data_disks"], data["missing_disks"]) == (6, 4, 1)
        assert (data["write_policy"], data["write_policy_initial"]) == ("write_back", "write_back")
        assert boot["segment_states"] == "Segment 0 present e0/s0; Segment 1 present e0/s1", shape
        assert "Segment 1 missing" in str(data["segment_states"]), shape
        failed = named["disk", "c1/e0/s3"]
        assert (failed["state"], failed["smart_warnings"]) == ("failed", 14)
        assert (failed["rotational"], failed["write_cache"]) == (True, "write back")
        assert named["disk", "c1/e0/s0"]["reported_channel_device_t_l"] == "0,0(0:0)"
        assert named["enclosure", "c1/d8"]["model"] == "Virtual SGPIO"


def test_a_sensor_below_zero() -> None:
    cold = CONFIG.replace("48 C/ 118 F", "-4 C/ 25 F")
    assert things(cold)["controller", "c1"]["temperature"] == -4


def test_folded_lines_lose_only_what_was_torn() -> None:
    for shape, given in mangled(CONFIG):
        assert things(given)["hwraid", "c1/v1"]["raid_level"] == "raid6", shape


def test_a_cache_that_is_off_although_it_was_set() -> None:
    text = CONFIG.replace("status                       : On", "status                       : Off")
    data = things(text)["hwraid", "c1/v1"]
    assert (data["write_policy"], data["write_policy_initial"]) == ("write_through", "write_back")


def test_a_task_that_runs() -> None:
    task = things(STATUS)["hwraid", "c2/v1"]
    assert (task["current_operation"], task["percentage_complete"]) == ("Rebuild", 37)


def test_a_part_without_its_head_and_a_torn_one() -> None:
    part = CONFIG[CONFIG.index("   RAID level                               : 6") :]
    assert things(part)["hwraid", ""]["state"] == "degraded"
    (entry,) = read("Controllers found: 1\n\n\nCommand completed successfully.\n")
    assert isinstance(entry, Unread)
    assert entry.reason == "nothing is said of a controller, a volume or a drive"


def test_prose_and_logs_are_left() -> None:
    assert read("Controllers found: 2 of them are new and they work, says the man.\n") == []
    log = "Controllers found: 1\n\n   ControllerLog\n      controllerID ..................... 0\n"
    assert not [entry for entry in read(log) if isinstance(entry, Unread)]


def test_a_policy_and_segments_that_go_over_two_lines() -> None:
    for changed in (folded(CONFIG, 72), cut(CONFIG, 80), cut(CONFIG, 72)):
        assert things(changed)["hwraid", "c1/v1"]["write_policy"] == "write_back"
    expected = things(CONFIG)["hwraid", "c1/v1"]["segment_states"]
    assert things(folded(CONFIG, 72))["hwraid", "c1/v1"]["segment_states"] == expected


@pytest.mark.parametrize(("status", "state"), [("Ready", "ok"), ("Not Ready", "charging")])
def test_a_backup_unit_that_is_ready_or_not(status: str, state: str) -> None:
    controller = things(CONFIG.replace("ZMM Optimal", status))["controller", "c1"]
    assert controller["battery"] == state


def test_the_remedy_for_a_cache_without_a_battery_is_a_command_of_arcconf() -> None:
    def unsafe(text: str) -> list[Finding]:
        evidence = of_document(of_bytes("ticket.txt", text.encode()))[0]
        rules = [rule for rule in RULES if rule.name == "unsafe-cache"]
        return [finding for rule in rules for finding in rule.find(evidence)]

    assert unsafe(CONFIG) == []  # write-back only while it is protected
    (finding,) = unsafe(CONFIG.replace(" when protected by battery/ZMM", ""))
    assert finding.remedy is not None
    assert finding.remedy.startswith("arcconf setcache 1 logicaldrive 1 wbb keeps write-back only")


def test_a_heading_below_a_long_line_is_no_rest_of_it() -> None:
    text = (
        "Controllers found: 1\n" + "-" * 70 + "\nController information\n" + "-" * 70 + "\n"
        "   Controller Status                        : Optimal\n"
        "   Controller Model                         : Adaptec 3405\n"
        "   Time remaining (at current draw)         : 3 days, 1 hours, 52 minutes\n"
    )
    (output,) = read(f"{text}\n#### Logical (virtual) disks\n\nProse of it.\n")
    assert output.place.last_line == len(text.splitlines())
