"""smartctl's logs where they stand alone: errors with their hours, and self-tests."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.mangle import counters, mangled, states

PLACE = Path(__file__).parents[3] / "outputs" / "smart-composed"
TEXT = (PLACE / "logs.txt").read_text()


def test_errors_and_tests_in_every_shape() -> None:
    for shape, given in mangled(TEXT, wraps=False):
        (values,) = [entry.values for entry in counters(given, "smartctl logs")]
        assert values["logged_errors"] == [2, 1], shape
        assert values["logged_error_hours"] == [9120, 9119], shape
        assert values["self_tests"] == [
            "Short offline: Completed: read failure", "Extended offline: Aborted by host",
            "Short offline: Completed without error",
        ], shape  # fmt: skip
        assert values["self_test_hours"] == [9121, 9000, 18], shape
        assert values["self_test_lbas"] == [4096, None, None], shape
        assert values["self_test_remaining"] == [0.9, 0.6, 0.0], shape
        assert values["error_lbas"] == [4096, 2048], shape
        assert values["error_commands"] == ["READ DMA", None], shape


def test_hours_agree_with_the_days_and_addresses_with_their_hexadecimal_form() -> None:
    """The text says both twice: the second form is the oracle of the first."""
    (values,) = [entry.values for entry in counters(TEXT, "smartctl logs")]
    days = re.findall(r"\((\d+) days \+ (\d+) hours\)", TEXT)
    assert values["logged_error_hours"] == [int(day) * 24 + int(hour) for day, hour in days]
    errors = values["errors"]
    assert isinstance(errors, list)
    for error in errors:
        address = re.search(r"LBA = (0x[0-9a-f]+) = (\d+)", str(error))
        assert address is not None
        assert int(address[1], 16) == int(address[2])


def test_the_drive_of_the_command_and_its_last_test() -> None:
    (state,) = states("# smartctl -l selftest /dev/sdx\n" + TEXT[TEXT.index("SMART Self") :])
    assert state.subjects[0].name == "sdx"
    assert state.subjects[0].values["self_test"] == "Completed: read failure"
    assert state.subjects[0].values["self_test_lba"] == 4096


@pytest.mark.parametrize("text", [
    "I ran a Short offline  test and an Extended offline  one: Completed without error 00% 18 -\n",
    "The self-test log structure is in the manual. An error occurred at disk power-on, I think.\n",
    "Num  Test_Description    Status                  Remaining  LifeTime(hours)  LBA\n",
])  # fmt: skip
def test_prose_and_a_table_without_rows_are_none(text: str) -> None:
    assert not counters(text, "smartctl logs")


def test_logs_below_the_rest_of_smartctl_are_that_readers() -> None:
    whole = (PLACE / "smartctl-ata.txt").read_text()
    assert not counters(whole, "smartctl logs")


def test_a_row_alone_with_what_remained_of_the_test() -> None:
    row = "# 1  Short offline       Completed: read failure       90%     11530         7383952\n"
    for shape, given in mangled(row, wraps=False):
        (entry,) = counters(given, "smartctl logs")
        assert entry.values == {
            "self_tests": ["Short offline: Completed: read failure"], "self_test_hours": [11530],
            "self_test_lbas": [7383952], "self_test_remaining": [0.9],
        }, shape  # fmt: skip


def test_the_command_that_caused_an_error_is_the_first_of_those_that_led_to_it() -> None:
    text = TEXT.replace(
        "08      01:00:00.000  READ DMA\n",
        "08      01:00:00.000  READ DMA\n  ca 00 08 00 10 00 e0 08  1d+00:59:59.000  WRITE DMA\n",
    )
    (values,) = [entry.values for entry in counters(text, "smartctl logs")]
    assert values["error_commands"] == ["READ DMA", None]


def test_self_tests_of_a_scsi_drive() -> None:
    """The second has the sense of an unrecovered read error: 3/11."""
    (values,) = [
        entry.values
        for entry in counters((PLACE / "scsi-tests.txt").read_text())
        if entry.tool == "smartctl logs"
    ]
    assert values == {
        "self_tests": ["Background long: Completed", "Background short: Failed in segment -->"],
        "self_test_hours": [33071, 33000], "self_test_lbas": [None, 123456789],
        "self_test_senses": [None, "0x3 0x11 0x1"],
    }  # fmt: skip
