"""Parts of what smartctl prints: keys of its JSON, counters of a SCSI drive, a single line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import cast

import pytest

from tests.mangle import counters, mangled, read, states

PLACE = Path(__file__).parents[3] / "outputs" / "smart-composed"
JSON = (PLACE / "json-part.txt").read_text()
COUNTERS = (PLACE / "scsi-counters.txt").read_text()
TOOL = "part of smartctl --json"


@pytest.mark.parametrize("text", [JSON, f"It says:\n\n```\n{JSON}```\nThat is all.\n"])
def test_keys_without_the_braces_around_them(text: str) -> None:
    (state,) = states(text)
    assert state.tool == TOOL
    assert state.subjects[0].values == {
        "health_passed": True, "power_on_time": 1200 * 3600,
        "ata_smart_data_self_test_status_value": 121,
        "ata_smart_data_self_test_status_remaining_percent": 90,
    }  # fmt: skip


def test_it_says_what_the_whole_says() -> None:
    """The reader of whole objects is another one: the same keys within braces are its own."""
    (part,) = states(JSON)
    whole = '{"json_format_version": [1, 0], "smartctl": {"exit_status": 0},' + JSON.rstrip(",\n")
    (state,) = states(json.dumps(json.loads(whole + "}"), indent=2))
    assert state.tool == "smartctl"
    values = {**state.subjects[0].values}
    assert values.pop("smartctl_exit_status") == 0
    assert values == part.subjects[0].values


def test_a_single_key_in_a_line() -> None:
    for shape, given in mangled('"smart_status": { "passed": false }\n', wraps=False):
        if shape != "escaped":  # the only key would be none of smartctl's
            (state,) = states(given)
            assert state.subjects[0].values == {"health_passed": False}, shape


@pytest.mark.parametrize("text", [
    'The key "smart_status" says whether it passed.\n',
    '"smart_status": "PASSED"\n',
    '"power_on_time": 1200\n',
])  # fmt: skip
def test_prose_and_keys_of_others_are_none(text: str) -> None:
    assert not states(text)


def test_a_part_that_is_torn_is_not_read() -> None:
    (output,) = read('"smart_status": {\n    "passed": tr\n')
    assert getattr(output, "reason", "") == "its JSON is broken"


def test_counters_of_a_scsi_drive_add_up() -> None:
    """Corrected errors are those corrected fast, with delay and by repeating (scsiprint.cpp)."""
    for shape, given in mangled(COUNTERS, wraps=False):
        state, *_ = states(given)
        values = state.subjects[0].values
        for way in ("read", "write", "verify"):
            parts = [values[f"{way}_{name}"] for name in ("corrected_fast", "corrected_delayed",
                                                          "repeated")]  # fmt: skip
            total = sum(part for part in parts if isinstance(part, int))
            assert values[f"{way}_corrected"] == total, shape
        assert values["read_processed"] == 98_765_432_000_000, shape
        assert values["read_uncorrected"] == 3, shape
        if shape != "with blank lines":  # three of them end the output
            assert values["non_medium_error_count"] == 42, shape


def test_the_line_on_the_database_alone_and_with_those_above_it() -> None:
    line = "Device is:        Not in smartctl database [for details use: -P showall]\n"
    (state,) = states(line)
    assert state.subjects[0].values == {
        "device_is": "Not in smartctl database [for details use: -P showall]"
    }
    (state,) = states(f"Device Model:     EXAMPLE HD\nFirmware Version: 1.0\n{line}")
    assert state.subjects[0].values["model"] == "EXAMPLE HD"
    assert not states("My device is not in smartctl database, it seems.\n")


def _sorted_whole(device: str, count: int) -> str:
    """What `smartctl --json | jq -S` prints: the keys that tell the tool stand below others."""
    rows = [
        {"id": 200 + index, "name": f"Vendor_{index}", "value": 90, "worst": 80, "thresh": 0,
         "when_failed": "", "raw": {"value": 7 * index, "string": str(7 * index)}}
        for index in range(count)
    ]  # fmt: skip
    whole = {
        "device": {"name": device, "protocol": "NVMe" if not rows else "ATA"},
        "json_format_version": [1, 0], "model_name": "Example 9", "power_cycle_count": 41,
        "smart_status": {"passed": True}, "smartctl": {"exit_status": 4, "version": [7, 3]},
    } | ({"ata_smart_attributes": {"revision": 1, "table": rows}} if rows else {})  # fmt: skip
    return json.dumps(whole, indent=2, sort_keys=True)


@pytest.mark.parametrize(("device", "count"), [("nvme4", 0), ("sdq", 2), ("sdq", 30)])
def test_the_whole_with_sorted_keys_is_read_from_its_first_brace(device: str, count: int) -> None:
    text = _sorted_whole(f"/dev/{device}", count)
    (state,) = states(text)
    assert (state.tool, state.subjects[0].name) == ("smartctl", device)
    values = state.subjects[0].values
    assert (values["model"], values["power_cycles"]) == ("Example 9", 41)
    assert (values["health_passed"], values["smartctl_exit_status"]) == (True, 4)
    if count:
        assert f'"Vendor_{count - 1}"' in text
        assert 7 * (count - 1) in values.values()


def test_a_command_that_a_page_names_above_its_prompt_begins_nothing() -> None:
    (state,) = states(
        "smartctl -i /dev/sda\n$ sudo smartctl -i /dev/sda\nsmartctl 7.3 2022-02-28 r5338\n"
        "=== START OF INFORMATION SECTION ===\nDevice Model: ACME ZX 5\nSerial Number: A1-B2\n"
        "User Capacity: 2,000,398,934,016 bytes [2.00 TB]\n"
    )
    assert (state.subjects[0].name, state.subjects[0].values["model"]) == ("sda", "ACME ZX 5")


def test_a_command_that_somebody_wrote_below_without_a_prompt_ends_it() -> None:
    given = (
        "=== START OF INFORMATION SECTION ===\nDevice Model:     ACME ZX 5\n"
        "User Capacity:    2,000,398,934,016 bytes [2.00 TB]\n\n"
        "=== START OF READ SMART DATA SECTION ===\n"
        "SMART overall-health self-assessment test result: PASSED\n\n"
        "sudo example-fs inspect-internal dump -s 0 /dev/mapper/x :\n\nlabel\t\tx\ncount\t\t4711\n"
    )
    output = next(output for output in read(given) if output.tool == "smartctl")
    assert output.place.last_line == 6


def test_logs_of_every_kind_of_access_are_in_the_directory() -> None:
    given = (
        "smartctl 7.3 2022-02-28 r5338\n\nGeneral Purpose Log Directory Version 1\n"
        "Address    Access  R/W   Size  Description\n"
        "0x00       GPL,SL  R/O      1  Log Directory\n"
        "0x04       GPL     R/O    256  Device Statistics log\n"
        "0x04       SL      R/O    255  Device Statistics log\n"
        "0xb7       GPL,SL  VS      56  Device vendor specific log\n"
    )
    rows = cast("list[dict[str, object]]", counters(given)[0].values["log_directory"])
    assert [(row["access"], row["rw"], row["size"]) for row in rows] == [
        ("GPL,SL", "R/O", 1), ("GPL", "R/O", 256), ("SL", "R/O", 255), ("GPL,SL", "VS", 56),
    ]  # fmt: skip


def test_why_a_drive_says_nothing() -> None:
    (state,) = states(
        "# smartctl -i /dev/sdd\nsmartctl 7.3 2022-02-28 r5338 [x86_64-linux-6.8] (local build)\n"
        "Copyright (C) 2002-22, Bruce Allen, Christian Franke, www.smartmontools.org\n\n"
        "Short INQUIRY response, skip product id\n"
        "A mandatory SMART command failed: exiting. To continue, add one or more "
        "'-T permissive' options.\n"
    )
    values = state.subjects[0].values
    assert values["smart_problem"] == (
        "Short INQUIRY response, skip product id; A mandatory SMART command failed"
    )
    assert not any(name.startswith("a_mandatory") for name in values)


BEGUN = (
    "=== START OF OFFLINE IMMEDIATE AND SELF-TEST SECTION ===\n"
    'Sending command: "Execute SMART Extended self-test routine immediately in off-line mode".\n'
    'Drive command "Execute SMART Extended self-test routine immediately in off-line mode" '
    "successful.\nTesting has begun.\nPlease wait 447 minutes for test to complete.\n"
    "Test will complete after Sun Oct 24 20:16:04 2021\n\nUse smartctl -X to abort test.\n"
)


def test_a_test_that_has_begun() -> None:
    (state,) = states(f"# smartctl -t long /dev/sdq\n{BEGUN}")
    assert (state.subjects[0].name, dict(state.subjects[0].values)) == ("sdq", {
        "self_test_begun": "extended", "self_test_seconds": 447 * 60,
        "self_test_due": "Sun Oct 24 20:16:04 2021",
    })  # fmt: skip


def test_a_test_of_a_scsi_drive_and_one_that_is_refused() -> None:
    head = BEGUN.split("\n", 1)[0]
    scsi = (
        f"{head}\nShort Background Self Test has begun\n"
        "Please wait 2 minutes for test to complete.\n"
        "Estimated completion time: Fri Jan  5 10:20:30 2024\n\nUse smartctl -X to abort test\n"
    )
    values = states(scsi)[0].subjects[0].values
    assert (values["self_test_begun"], values["self_test_seconds"]) == ("short", 120)
    assert values["self_test_due"] == "Fri Jan  5 10:20:30 2024"
    refused = (
        f"{head}\nCan't start self-test without aborting current test (90% remaining),\n"
        "add '-t force' option to override, or run 'smartctl -X' to abort test.\n"
    )
    values = states(refused)[0].subjects[0].values
    assert values["self_test_refused"] == (
        "Can't start self-test without aborting current test (90% remaining)"
    )
    assert "self_test_begun" not in values


@pytest.mark.parametrize(("says", "enabled"), [("Enabled", True), ("Disabled", False)])
def test_whether_smart_is_on_stands_below_whether_it_is_there(says: str, enabled: bool) -> None:
    values = states(
        "=== START OF INFORMATION SECTION ===\nDevice Model:     ACME ZX 5\n"
        "SMART support is: Available - device has SMART capability.\n"
        f"SMART support is: {says}\n"
    )[0].subjects[0].values  # fmt: skip
    assert values["smart_support_enabled"] is enabled
    assert values["smart_support_is"] == "Available - device has SMART capability."


def test_a_drive_without_smart_has_none_that_is_on() -> None:
    values = states(
        "=== START OF INFORMATION SECTION ===\nDevice Model:     ACME ZX 5\n"
        "SMART support is: Unavailable - device lacks SMART capability.\n"
    )[0].subjects[0].values  # fmt: skip
    assert "smart_support_enabled" not in values
