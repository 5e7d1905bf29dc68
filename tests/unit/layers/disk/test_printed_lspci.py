"""Devices that lspci lists one a line. Oracle: the line before a mail broke it."""

from __future__ import annotations

import pytest

from tests.mangle import states

LINE = "18:00.0 RAID bus controller: Broadcom / LSI MegaRAID SAS-3 3008 [Fury] (rev 02)"


@pytest.mark.parametrize("broken", [LINE.replace(" 02", "\n02"), LINE.replace(" (rev", "\n(rev"),
                                    LINE.replace(" [Fury]", "\n[Fury]")])  # fmt: skip
def test_a_name_that_a_mail_broke(broken: str) -> None:
    (whole,), (torn,) = states(LINE), states(broken)
    assert torn.subjects == whole.subjects
    assert whole.subjects[0].values["model"] == "Broadcom / LSI MegaRAID SAS-3 3008 [Fury]"
    assert whole.subjects[0].values["revision"] == "02"


@pytest.mark.parametrize("below", ["It is the second of them (rev 1 of it).",
                                   "Kernel driver in use: megaraid_sas", "\n(rev 02)"])  # fmt: skip
def test_what_stands_below_a_name_is_no_part_of_it(below: str) -> None:
    line = LINE.removesuffix(" (rev 02)")
    (device,) = (thing for state in states(f"{line}\n{below}\n") for thing in state.subjects)
    assert device.values["model"] == "Broadcom / LSI MegaRAID SAS-3 3008 [Fury]"


def test_the_card_that_a_controller_is_on() -> None:
    text = f"{LINE}\n\tSubsystem: Broadcom / LSI MegaRAID SAS 9361-4i [1000:9364]\n"
    ((values,),) = ([each.values for each in state.subjects] for state in states(text))
    assert values["subsystem"] == "Broadcom / LSI MegaRAID SAS 9361-4i [1000:9364]"
    ((values,),) = ([each.values for each in state.subjects] for state in states(f"{LINE}\n"))
    assert "subsystem" not in values
