"""Lines of MegaCli that stand alone: of drives, volumes and batteries; progress; enclosures."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from iosonde.records.stack import Scalar
from tests.mangle import counters, mangled, states

PLACE = Path(__file__).parents[3] / "outputs" / "megacli-8"
DRIVES = (PLACE / "lines-drives.txt").read_text()
BATTERY = (PLACE / "lines-battery.txt").read_text()
PROGRESS = (PLACE / "progress.txt").read_text()
ENCLOSURES = (PLACE / "enclosures.txt").read_text()
TOOL = "MegaCli lines"


def test_lines_that_grep_picked_of_several_drives() -> None:
    for shape, given in mangled(DRIVES, wraps=False):
        (state,) = states(given)
        assert state.tool == TOOL
        assert {subject.name: subject.values for subject in state.subjects} == {
            "s0": {"state": "online", "media_errors": 3, "spin_state": "up"},
            "s1": {"state": "failed", "media_errors": 0},
        }, shape


def test_it_says_what_the_whole_says() -> None:
    """The reader of whole outputs is another one: the same lines below an adapter's are its own."""
    text = DRIVES.replace("Slot Number", "Enclosure Device ID: 32\nSlot Number")
    (whole,) = states(f"Adapter #0\n\n{text}")
    (lines,) = states(text[text.index("Slot") :])
    assert whole.tool == "MegaCli"
    assert [subject.values for subject in whole.subjects] == [
        subject.values for subject in lines.subjects
    ]


def test_repeated_lines_without_a_slot_are_a_column() -> None:
    text = "Media Error Count: 3\nMedia Error Count: 0\nMedia Error Count: 11\n"
    (entry,) = counters(f"$ MegaCli -PDList -aALL | grep Media\n{text}")
    assert entry.values == {"media_errors": [3, 0, 11]}
    assert not states(text)


def test_lines_of_a_battery() -> None:
    for shape, given in mangled(BATTERY, wraps=False):
        (state,) = states(given)
        assert state.subjects[0].values == {
            "battery": "failed", "relative_state_of_charge": "61 %",
            "remaining_capacity": "512 mAh", "full_charge_capacity": "840 mAh",
            "battery_pack_missing": "No", "battery_replacement_required": "Yes", "issohgood": "Yes",
        }, shape  # fmt: skip
    remaining, full = (int(re.search(rf"{name} Capacity: (\d+)", BATTERY)[1])  # type: ignore[index]
                       for name in ("Remaining", "Full Charge"))  # fmt: skip
    assert round(100 * remaining / full) == 61


@pytest.mark.parametrize(("text", "wanted"), [
    ("Current Cache Policy: WriteThrough, ReadAheadNone, Direct, No Write Cache if Bad BBU",
     {"write_policy": "write_through", "read_ahead": False, "io_policy": "direct",
      "cache_policy": "WriteThrough, ReadAheadNone, Direct, No Write Cache if Bad BBU"}),
    ("RAID Level          : Primary-6, Secondary-0, RAID Level Qualifier-3\n"
     "Number Of Drives    : 8", {"raid_level": "raid6", "disks": 8, "data_disks": 6}),
    ("  Critical Disks  : 1\n  Failed Disks    : 2", {"critical_disks": 1, "failed_disks": 2}),
    ("Drive has flagged a S.M.A.R.T alert : Yes\nDrive Temperature :34C (93.20 F)",
     {"smart_alert": True, "temperature": 34}),
])  # fmt: skip
def test_a_line_or_two(text: str, wanted: dict[str, Scalar]) -> None:
    (state,) = states(f"It says\n\n{text}\n\nall the time.\n")
    assert state.subjects[0].values == wanted


def test_progress() -> None:
    for shape, given in mangled(PROGRESS, wraps=False):
        (state,) = states(given)
        assert [(subject.kind, subject.name, subject.values) for subject in state.subjects] == [
            ("disk", "e32/s5", {"operation": "rebuild", "progress": 0.12, "elapsed": 34 * 60}),
            ("hwraid", "v1", {"operation": "check consistency", "progress": 0.4, "elapsed": 5400}),
        ], shape


def test_enclosures_as_many_as_it_counts() -> None:
    for shape, given in mangled(ENCLOSURES, wraps=False):
        (state,) = states(given)
        assert [subject.name for subject in state.subjects] == ["e32", "e252"], shape
        assert state.subjects[0].values["number_of_physical_drives"] == 23, shape
    assert int(ENCLOSURES.split("-- ")[1][0]) == 2


@pytest.mark.parametrize("text", [
    "The Slot Number: see the label. Media Error Count: what is that?\n",
    "Device is a Hard disk\n  Enclosure #                             : 2\n",
    "Firmware state: the array was fine before.\n",
    "The rebuild on VD #1 Completed 40% in my opinion.\n",
    "Capacity: 2000 mAh\n",
])  # fmt: skip
def test_prose_and_lines_of_others_are_none(text: str) -> None:
    assert not [state for state in states(text) if state.tool.startswith("MegaCli")]


PICKED = """\
# MegaCli -LdPdInfo -a0 | grep "Target Id\\|Inquiry Data\\|Raw\\|Device Id"
Virtual Drive: 0 (Target Id: 0)
Device Id: 17
Raw Size: 223.570 GB [0x1bf244b0 Sectors]
Inquiry Data: S1RGNWAG2006     Samsung SSD 845DC EVO 240GB             EXT03X3Q
Virtual Drive: 1 (Target Id: 1)
Device Id: 19
Raw Size: 238.474 GB [0x1dcf32b0 Sectors]
Inquiry Data: G12855R000065       FORESEE 256GB SSD                       N0530A
"""


def test_drives_of_volumes_that_grep_picked_without_their_slots() -> None:
    (rows,) = counters(PICKED)
    assert rows.values["device_id"] == [17, 19]
    assert rows.values["virtual_drive"] == ["0 (Target Id: 0)", "1 (Target Id: 1)"]
    assert rows.values["size"] == [round(223.570 * 2**30), round(238.474 * 2**30)]
