"""hdparm's settings and sectors. Oracle: the strings of its source, and what the lines say."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mangle import counters, mangled, read, states

OUTPUTS = Path(__file__).parents[3] / "outputs" / "hdparm-composed"
TEXT = (OUTPUTS / "actions.txt").read_text()
TOOL = "hdparm actions"


def sectors(text: str) -> dict[str, object]:
    return {row.name: row.values["sectors"] for row in counters(text, TOOL)}


def test_actions_in_every_shape() -> None:
    for shape, given in mangled(TEXT, wraps=False):
        if shape == "with blank lines":
            continue  # a drive and what is done to it stand together
        drives = {
            drive.name: dict(drive.values)
            for state in states(given)
            if state.tool == TOOL
            for drive in state.subjects
        }
        assert drives == {
            "sdq": {
                "set_advanced_power_management_level": "0xfe (254)", "set_standby": "0 (off)",
            },
            "sdr": {
                "set_advanced_power_management_level": "disabled",
                "set_standby": "241 (30 minutes)",
            },
        }, shape  # fmt: skip
        assert sectors(given) == {
            "sdq": [{"sector": 156299377, "action": "reading", "succeeded": True}],
            "sdr": [{
                "sector": 976817135, "action": "reading", "succeeded": False,
                "error": "Input/output error",
            }],
        }, shape  # fmt: skip


def test_a_line_alone_names_no_drive() -> None:
    assert sectors("It said\n\nreading sector 77: succeeded\n\nand no more.\n") == {
        "": [{"sector": 77, "action": "reading", "succeeded": True}]
    }


@pytest.mark.parametrize(
    "text",
    [
        "reading sector 77: it takes long\n",
        "I was setting standby to 0 (off) on all drives.\n",
        "/dev/sdq:\n setting standby to whatever it was before, I think\n",
        "/dev/sdq:\n multcount = 16 (on)\n",
    ],
)
def test_what_looks_alike(text: str) -> None:
    assert all(output.tool != TOOL for output in read(text))


def test_what_a_drive_is_set_to_stands_below_what_sets_it() -> None:
    text = "/dev/sdq:\n setting drive write-caching to 0 (off)\n write-caching =  0 (off)\n"
    ((drive,),) = [state.subjects for state in states(text)]
    assert (drive.name, drive.values) == (
        "sdq", {"set_drive_write_caching": "0 (off)", "write_cache": "write through"},
    )  # fmt: skip
    ((drive,),) = [state.subjects for state in states("/dev/sdq:\n write-caching =  1 (on)\n")]
    assert (drive.name, drive.values) == ("sdq", {"write_cache": "write back"})
