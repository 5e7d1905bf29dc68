"""smartctl -x of ATA, SCSI and NVMe drives: every number that it prints, in text and in JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from iosonde.records.printed import PrintedCounters
from iosonde.records.stack import Json, Scalar
from tests.mangle import counters, mangled, states

PLACE = Path(__file__).parents[3] / "outputs" / "smart-composed"
ATA = (PLACE / "extended-ata.txt").read_text()
SCSI = (PLACE / "extended-scsi.txt").read_text()
NVME = (PLACE / "extended-nvme.txt").read_text()


def values(text: str) -> Mapping[str, Scalar]:
    (state,) = states(text)
    assert state.tool == "smartctl"
    return state.subjects[0].values


def tables(text: str) -> Mapping[str, Json]:
    (entry,) = counters(text)
    assert isinstance(entry, PrintedCounters)
    return entry.values


def rows(text: str, table: str) -> list[dict[str, Json]]:
    entries = tables(text)[table]
    assert isinstance(entries, list)
    return [row for row in entries if isinstance(row, dict)]


def test_the_columns_of_an_attribute() -> None:
    """Value, worst and threshold are three digits in both forms (PrintSmartAttribWithThres)."""
    brief = rows(ATA, "attributes")
    assert [row["id"] for row in brief] == [1, 5, 9, 190, 194, 197, 240]
    assert brief[3] == {
        "id": 190, "name": "Airflow_Temperature_Cel", "flags": "-O---K", "value": 64, "worst": 39,
        "threshold": 40, "failed": "Past", "raw": "36 (Min/Max 31/42 #12)",
    }  # fmt: skip
    old = (PLACE / "smartctl-ata.txt").read_text()
    assert rows(old, "attributes")[0] == {
        "id": 1, "name": "Raw_Read_Error_Rate", "flags": "0x000f", "value": 117, "worst": 99,
        "threshold": 6, "type": "Pre-fail", "updated": "Always", "raw": 163829512,
    }  # fmt: skip


def test_figures_that_stand_in_several_lines() -> None:
    wanted: dict[str, Scalar] = {
        "ata_smart_data_self_test_status_value": 121,
        "ata_smart_data_offline_data_collection_status_value": 0x82,
        "ata_smart_data_offline_data_collection_completion_seconds": 567,
        "ata_smart_data_self_test_polling_minutes_short": 1,
        "ata_smart_data_self_test_polling_minutes_extended": 852,
        "ata_smart_data_self_test_polling_minutes_conveyance": 2,
        "power_cycle_min_temperature": 31, "power_cycle_max_temperature": 42,
        "lifetime_min_temperature": 18, "lifetime_max_temperature": 61,
        "over_temperature_limit_count": 13, "power_up_scan_resume_minutes": 7,
        "interface_speed": 6 * 10**9, "interface_speed_max": 6 * 10**9,
        "logical_block_size": 512, "physical_block_size": 4096, "smartctl_version": "7.3",
    }  # fmt: skip
    for shape, given in mangled(ATA, wraps=False):
        if shape != "with blank lines":  # which end it
            assert wanted.items() <= values(given).items(), shape


def test_a_link_below_what_the_drive_can_do() -> None:
    """The text of the other sample has "6.0 Gb/s (current: 3.0 Gb/s)"."""
    slow = values((PLACE / "smartctl-ata.txt").read_text())
    assert (slow["interface_speed"], slow["interface_speed_max"]) == (3 * 10**9, 6 * 10**9)


def test_tables_of_an_ata_drive() -> None:
    assert [row["size"] for row in rows(ATA, "log_directory")] == [1, 8, 16, 24, 1]
    spans = rows(ATA, "selective_self_tests")
    assert [row["max_lba"] for row in spans] == [99999999, 199999999, 0, 0, 0]
    assert (spans[1]["left"], spans[1]["from"], spans[1]["to"]) == (0.3, 140000000, 140065535)
    history = rows(ATA, "temperature_history")
    skipped = [row["skipped"] for row in history if "skipped" in row]
    assert skipped == [24]
    indices = [row["index"] for row in history if "index" in row]
    assert indices[1] - indices[0] - 1 == skipped[0]  # type: ignore[operator]
    assert [row.get("temperature") for row in history] == [35, None, 35, "?", 36]
    statistics = rows(ATA, "device_statistics")
    assert {"page": "0x01", "offset": "0x018", "size": 6, "value": 223456789012,
            "name": "Logical Sectors Written"} in statistics  # fmt: skip
    assert [row.get("value") for row in statistics][-2:] == [None, 21]
    assert [row["value"] for row in rows(ATA, "sata_phy_events")] == [11, 0, 5]
    entries = tables(ATA)
    assert (entries["logged_errors"], entries["logged_error_hours"]) == ([3], [24001])
    assert entries["self_test_hours"] == [24800, 24700]


def test_pages_of_statistics_before_flags_were_printed() -> None:
    """smartmontools 6.2: page in decimals, a tilde behind normalized values, no flags."""
    text = (
        "Device Statistics (GP Log 0x04)\nPage Offset Size         Value  Description\n"
        "  7  =====  =                =  == Solid State Device Statistics (rev 1) ==\n"
        "  7  0x008  1               13~ Percentage Used Endurance Indicator\n"
        "  1  0x008  4               83  Lifetime Power-On Resets\n"
    )
    given = f"smartctl 6.2 2013-07-26 r3841 [x86_64-linux-3.10.0] (local build)\n\n{text}"
    assert values(given)["media_wear"] == 0.13
    assert [row["value"] for row in rows(given, "device_statistics")] == [13, 83]


def test_a_scsi_drive_in_text_and_in_json_is_the_same() -> None:
    text = values(SCSI)
    fields = values((PLACE / "extended-scsi.json").read_text())
    for name in ("size", "temperature", "reallocated_sectors", "read_uncorrected",
                 "read_processed", "write_repeated", "logical_block_size", "rotation_rate",
                 "vendor", "model", "firmware", "health_passed"):  # fmt: skip
        assert text[name] == fields[name], name
    assert text["read_processed"] == 12345678 * 10**6


def test_tables_of_a_scsi_drive() -> None:
    scans = rows(SCSI, "background_scans")
    assert [row["time"] for row in scans] == ["20113:45", "20991:02"]
    assert [row["sense"] for row in scans] == ["3,11,0", "1,17,1"]
    (defect,) = rows(SCSI, "scsi_pending_defects")
    assert int(str(defect["lba"]), 16) == 77665544
    assert tables(SCSI)["self_test_lbas"] == [None, 77665544]
    assert values(SCSI)["pending_defects"] == 1
    first, second = rows(SCSI, "sas_phys")
    assert (first["relative_target_port_id"], second["relative_target_port_id"]) == (1, 2)
    assert (first["invalid_dword_count"], first["attached_phy_identifier"]) == (52, 9)
    assert second["sas_address"] == "0x5000c5000abcdef2"
    assert (second["invalid_dword_count"], second["loss_of_dword_synchronization"]) == (0, 0)


def test_tables_of_an_nvme_drive() -> None:
    states_ = rows(NVME, "power_states")
    assert [row["operational"] for row in states_] == [True, True, False]
    assert [row["exit_latency_us"] for row in states_] == [30, 140, 11999]
    assert [row["in_use"] for row in rows(NVME, "lba_formats")] == [True, False, False]
    errors = rows(NVME, "nvme_errors")
    assert [row["error_count"] for row in errors] == [409, 407]
    assert errors[1]["vendor"] == "0x02"
    failed, passed = rows(NVME, "nvme_self_tests")
    assert (failed["hours"], failed["lba"], failed["segment"]) == (17301, 268439552, 5)
    assert passed["result"] == "Completed without error"
    assert values(NVME)["health_passed"] is False
    assert values(NVME)["host_read_commands"] == 7223344556


@pytest.mark.parametrize("text", [ATA, SCSI, NVME], ids=["ata", "scsi", "nvme"])
def test_every_whole_number_is_said(text: str) -> None:
    """Those of the tables, which begin with a number, and those behind labels."""
    said = json.dumps([{**values(text)}, {**tables(text)}])
    for line in text.splitlines():
        if re.match(r"\s*(?:\d+|0x[0-9a-f]{2,4}) .*\S", line):
            for number in re.findall(r"(?<![\w.:/(#-])\d{2,}(?![\w.:/%)-])", line):
                assert int(number) == 0 or re.search(rf"\b0*{int(number)}\b", said), line


def test_drives_that_a_scan_names() -> None:
    for shape, given in mangled((PLACE / "scan.json").read_text(), wraps=False):
        (state,) = states(given)
        assert [(drive.name, drive.values) for drive in state.subjects] == [
            ("sda", {"smart_type": "sat", "protocol": "ATA"}),
            ("bus/0 megaraid,11", {"smart_type": "megaraid,11", "protocol": "SCSI"}),
            ("nvme0", {"smart_type": "nvme", "protocol": "NVMe",
                       "smart_problem": "Permission denied"}),
        ], shape  # fmt: skip


def test_a_drive_that_could_not_be_opened() -> None:
    tree = {
        "json_format_version": [1, 0],
        "smartctl": {"version": [7, 2], "exit_status": 2, "messages": [
            {"string": "Smartctl open device: /dev/sdz failed: No such device",
             "severity": "error"}]},
    }  # fmt: skip
    facts = values(json.dumps(tree, indent=2))
    assert facts["smart_problem"] == "Smartctl open device: /dev/sdz failed: No such device"
    del tree["smartctl"]["messages"]  # type: ignore[attr-defined]
    assert not states(json.dumps(tree, indent=2))


def test_the_json_of_nvme_in_its_two_generations() -> None:
    """smartmontools 7.5 names the counters of thermal management otherwise."""
    for prefix in (("thm_temp1_total_time", 70), ("thermal_mgmt_temperature_1_total_time", 70)):
        log = {"critical_warning": 0, "percentage_used": 4, prefix[0]: prefix[1]}
        tree = {"json_format_version": [1, 0], "nvme_smart_health_information_log": log}
        assert values(json.dumps(tree, indent=1))["throttle_time"] == 70


@pytest.mark.parametrize("text", [
    "0x00       GPL,SL  R/O      1  Log Directory\n",
    "   1        0        0  Not_testing\n",
    '{"devices": [{"name": "/dev/sda", "type": "sat"}]}\n',
])  # fmt: skip
def test_rows_without_anything_of_smartctl_are_none(text: str) -> None:
    assert not states(text)
    assert not counters(text)


def test_the_log_of_an_endurance_group_counts_in_billions() -> None:
    """NVMe Base 2.0, 5.16.1.10: a data unit is 10^9 bytes; in the SMART log it is 512,000."""
    log = {"critical_warning": 0, "avl_spare": 91, "avl_spare_threshold": 10, "percent_used": 7,
           "data_units_written": "12", "media_data_integrity_err": 3}  # fmt: skip
    (state,) = states(json.dumps(log, indent=1))
    facts = state.subjects[0].values
    assert facts["written"] == 12 * 10**9
    assert (facts["spare"], facts["media_wear"], facts["media_errors"]) == (0.91, 0.07, 3)


def test_sensors_of_nvme_cli_are_in_kelvin() -> None:
    log = {"critical_warning": 0, "temperature": 310.0, "temperature_sensor_1": 323,
           "host_read_commands": "987654321"}  # fmt: skip
    (state,) = states(json.dumps(log, indent=1))
    facts = state.subjects[0].values
    assert (facts["temperature"], facts["temperature_sensor_1"]) == (37, 50)
    assert facts["host_read_commands"] == 987654321
