"""Rows and lines of storcli and ssacli that stand without the controller above them."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.records.stack import Scalar
from tests.mangle import mangled, states

PLACE = Path(__file__).parents[3] / "outputs"
ROWS = (PLACE / "storcli-7" / "rows.txt").read_text()
PROGRESS = (PLACE / "storcli-7" / "progress.txt").read_text()
COUNTS = (PLACE / "storcli-7" / "counts.txt").read_text()
LINES = (PLACE / "ssacli-2" / "lines.txt").read_text()
DRIVE = (PLACE / "ssacli-2" / "lines-drive.txt").read_text()
HEADS = (
    "DG/VD TYPE  State Access Consist Cache Cac sCC     Size Name\n",
    "EID:Slt DID State DG     Size Intf Med SED PI SeSz Model               Sp Type\n",
)


def values_of(text: str) -> dict[str, dict[str, Scalar]]:
    return {
        subject.name: dict(subject.values) for state in states(text) for subject in state.subjects
    }


def test_rows_in_every_shape() -> None:
    for shape, given in mangled(ROWS, wraps=False):
        values = values_of(given)
        assert list(values) == ["c0/v1", "c0/v0", "c0/e252/s0", "c0/e252/s1"], shape
        assert values["c0/v1"]["state"] == "optimal", shape
        assert values["c0/v1"]["write_policy"] == "write_back", shape
        assert values["c0/v0"]["write_policy"] == "write_through", shape
        assert values["c0/e252/s1"]["state"] == "unconfigured bad", shape
        assert values["c0/e252/s0"]["model"] == "Crucial_CT1024MX", shape


def test_rows_say_what_the_table_says_but_how_many_drives_there_are() -> None:
    """The reader of tables is another one; of rows alone nobody knows whether they are all."""
    rows = ROWS.splitlines(keepends=True)
    whole = values_of(f"{HEADS[0]}{rows[0]}{rows[1]}\n{HEADS[1]}{rows[2]}{rows[3]}")
    assert whole["c0/v1"].pop("disks") == 1
    whole["c0/v1"].pop("data_disks", None)
    assert values_of(ROWS) == whole


def test_a_row_that_a_mail_broke() -> None:
    row = ROWS.splitlines()[2].replace("Crucial_CT1024MX   ", "Crucial_CT1024MX_0123456789")
    for width in (66, 72):
        cut = row.rfind(" ", 0, width)
        drive = values_of(f"{row[:cut]}\n{row[cut + 1 :]}\n")["c0/e252/s0"]
        assert drive["model"] == "Crucial_CT1024MX_0123456789"


def test_progress() -> None:
    for shape, given in mangled(PROGRESS, wraps=False):
        assert values_of(given) == {
            "c0/e252/s1": {"status": "in progress", "progress": 0.37, "time_left": 134 * 60},
            "c0/e252/s2": {"status": "not in progress"},
        }, shape
    (state,) = states(f"# storcli64 /c0/eall/sall show rebuild\n{PROGRESS}")
    assert state.subjects[0].values["operation"] == "rebuild"
    assert values_of(" 0 CC        12 In progress 1 Hours\n")["v0"]["operation"] == "cc"


def test_counts_with_and_without_the_drive() -> None:
    wanted = {
        "media_errors": 7, "other_errors": 1, "predicted_failures": 0, "temperature": 29,
        "smart_alert": False, "shield_counter": 0,
    }  # fmt: skip
    for shape, given in mangled(COUNTS, wraps=False):
        assert values_of(given) == {"": wanted}, shape
    assert values_of(f"Drive /c0/e252/s3 State :\n======\n{COUNTS}") == {"c0/e252/s3": wanted}


def test_lines_of_ssacli() -> None:
    for shape, given in mangled(LINES, wraps=False):
        values = values_of(given)
        assert values["ld2"]["raid_level"] == "raid5", shape
        assert values["ld2"]["state"] == "degraded", shape
        assert values["1I:1:2"]["state"] == "predictive failure", shape
        assert values["1I:1:1"]["size"] == 300 * 10**9, shape


def test_lines_say_what_they_say_below_a_controller() -> None:
    whole = values_of(f"Smart Array P410i in Slot 0 (Embedded)\n{LINES}")
    alone = values_of(LINES)
    assert {f"slot0/{name}" for name in alone} == whole.keys() - {"slot0"}
    assert alone["1I:1:2"] == whole["slot0/1I:1:2"]


def test_a_drive_of_ssacli() -> None:
    for shape, given in mangled(DRIVE, wraps=False):
        assert values_of(given)["2I:1:5"] == {
            "state": "ok", "model": "ATA MB1000GCXXX", "media": "HDD", "rotational": True,
            "rpm": 7200, "transport": "sata", "size": 10**12, "temperature": 31,
            "interface_type": "SATA", "port": "2I", "box": 1, "bay": 5,
        }, shape  # fmt: skip


@pytest.mark.parametrize(("text", "wanted"), [
    ("   Cache Ratio: 25% Read / 75% Write\n   No-Battery Write Cache: Disabled\n",
     {"cache_read_share": 0.25, "cache_write_share": 0.75, "unprotected_write_cache": "Disabled"}),
    ("   Battery/Capacitor Status: Failed (Replace Batteries)\n",
     {"battery": "failed", "battery_capacitor_status": "Failed (Replace Batteries)"}),
])  # fmt: skip
def test_a_line_or_two_of_ssacli(text: str, wanted: dict[str, Scalar]) -> None:
    assert values_of(f"It says\n\n{text}\nsince then.\n") == {"": wanted}


@pytest.mark.parametrize("text", [
    "The state is Optl (optimal), Dgrd (degraded) or Onln.\n",
    "| 5 | migration | In progress | 2 hours |\n",
    "A physicaldrive is what others call a disk; a logicaldrive 1 is on it.\n",
    "Cache Status: the page says how to see it.\n"[:13] + "\n",
    "Progress 37 In progress\n",
])  # fmt: skip
def test_prose_and_lines_of_others_are_none(text: str) -> None:
    assert not states(text)
