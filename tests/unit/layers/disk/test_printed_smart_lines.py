"""Lines of smartctl that stand alone: labels, limits, counters of a link, statistics, errors."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from iosonde.records.stack import Scalar
from tests.mangle import counters, mangled, states

PLACE = Path(__file__).parents[3] / "outputs" / "smart-composed"
SCSI = (PLACE / "lines-scsi.txt").read_text()
ATA = (PLACE / "lines-ata.txt").read_text()
NVME = (PLACE / "lines-nvme.txt").read_text()
ERRORS = (PLACE / "errors-nvme.txt").read_text()
WANTED: dict[str, dict[str, Scalar]] = {
    SCSI: {
        "health": "FAILURE PREDICTION THRESHOLD EXCEEDED [asc=5d, ascq=10]",
        "health_passed": False, "media_wear": 0.07, "temperature": 36,
        "drive_trip_temperature": "65 C", "accumulated_start_stop_cycles": 61,
        "reallocated_sectors": 23, "non_medium_error_count": 41,
        "power_on_time": 20123 * 3600 + 2700,
        "blocks_sent_to_initiator": 1234567890, "background_scans": 310,
        "background_scan_progress": 0.125,
    },
    ATA: {
        "read_recovery_limit": 7.0, "write_recovery_limit": "disabled",
        "command_failed_due_to_icrc_error": 4,
        "device_to_host_register_fises_sent_due_to_a_comreset": 65535,
        "power_on_hours": 20123, "number_of_reallocated_logical_sectors": 9, "media_wear": 0.11,
    },
    NVME: {
        "critical_warning": 0, "temperature": 41, "media_wear": 0.03,
        "written": 9876543 * 512000, "power_on_time": 4321 * 3600, "unsafe_shutdowns": 17,
    },
}  # fmt: skip


@pytest.mark.parametrize("text", [SCSI, ATA, NVME])
def test_lines_in_every_shape(text: str) -> None:
    for shape, given in mangled(text, wraps=False):
        (state,) = states(given)
        assert state.tool == "smartctl lines"
        assert WANTED[text].items() <= state.subjects[0].values.items(), shape


def test_what_the_text_says_twice_agrees() -> None:
    """Minutes stand behind hours, and terabytes behind data units: the tool computed both."""
    minutes = re.search(r"\[(\d+) minutes\]", SCSI)
    assert minutes is not None
    assert WANTED[SCSI]["power_on_time"] == int(minutes[1]) * 60
    assert WANTED[NVME]["written"] == pytest.approx(5.05e12, rel=0.002)


@pytest.mark.parametrize("line", [line for line in SCSI.splitlines() if "Trip" not in line])
def test_each_line_alone(line: str) -> None:
    (state,) = states(f"It prints\n\n{line}\n\nand I wonder why.\n")
    assert state.subjects[0].values


def test_the_temperature_at_which_a_drive_stops_is_not_its_own() -> None:
    (state,) = states("Drive Trip Temperature:        65 C\n")
    assert state.subjects[0].values == {"drive_trip_temperature": "65 C"}


def test_errors_of_nvme() -> None:
    for shape, given in mangled(ERRORS, wraps=False):
        (entry,) = counters(given)
        assert entry.values == {
            "error_count": [321, 320], "error_queue": [4, 0], "error_command": ["0x0011", "0x1018"],
            "error_status": ["0x4281", "0x4005"], "error_lba": [409600, 0], "error_nsid": [1, 0],
            "error_message": ["Unrecovered Read Error", "Invalid Field in Command"],
        }, shape  # fmt: skip


@pytest.mark.parametrize(("row", "name", "figure"), [
    ("  9 Power_On_Hours          0x0032   093   093   000    Old_age   Always       -       "
     "12345h+22m+33.120s", "power_on_time", 12345 * 3600 + 22 * 60 + 33),
    ("240 Head_Flying_Hours       0x0000   100   253   000    Old_age   Offline      -       "
     "9876h+12m+01.123s", "head_flying_hours", "9876h+12m+01.123s"),
    ("  9 Power_On_Hours          -O--CK   093   093   000    -    5317 (17 125 0)",
     "power_on_hours", 5317),
])  # fmt: skip
def test_a_row_of_hours_alone(row: str, name: str, figure: Scalar) -> None:
    (state,) = states(f"Look:\n{row}\n")
    assert state.subjects[0].values[name] == figure


@pytest.mark.parametrize(("line", "name", "figure"), [
    ("0x03  0x038  4               2  ---  Number of Realloc. Candidate Logical Sectors",
     "number_of_realloc_candidate_logical_sectors", 2),
    ("Total new blocks reassigned = 4", "total_new_blocks_reassigned", 4),
    ("Power on minutes since format = 35438", "power_on_minutes_since_format", 35438),
])  # fmt: skip
def test_a_figure_alone(line: str, name: str, figure: int) -> None:
    (state,) = states(f"See\n\n{line}\n\nthere.\n")
    assert state.subjects[0].values == {name: figure}


@pytest.mark.parametrize("text", [
    "The Elements in grown defect list are many. Percentage Used: see the manual of the drive.\n",
    "Temperature: 36 C\n",
    "Power On Hours : 4321 hours\n",
    "SCT Error Recovery Control: you need it for a RAID.\n",
    "Num ErrCount is what counts.\n",
])  # fmt: skip
def test_prose_and_lines_of_others_are_none(text: str) -> None:
    assert not states(text)
    assert not counters(text)
