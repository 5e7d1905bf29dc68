"""Labels that have no name of discovery's are kept by the tool's own words."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from iosonde.text.labels import as_labelled, is_apart
from tests.mangle import counters, states


def test_values_by_their_labels() -> None:
    pairs = {"Reshape pos'n": "512 (1.00 MiB)", "- currently set to": "256", "# open": "1"}
    assert as_labelled(pairs | {"LV Size": "4 GiB"}, {"LV Size"}) == {
        "reshape_pos_n": "512 (1.00 MiB)", "currently_set_to": 256, "open": 1,
    }  # fmt: skip


def test_what_is_no_whole_number_stays_text_and_nothing_is_nothing() -> None:
    pairs = {"Checksum": "0012ab", "Version": "1.2", "Flags": " ", "---": "5", "Delta": "-3"}
    assert as_labelled(pairs) == {"checksum": "0012ab", "version": "1.2", "delta": -3}
    assert len(str(as_labelled({"Name": "n" * 999})["name"])) == 200


OUTPUTS = Path(__file__).parents[2] / "outputs"
ALIGNED = ("arcconf-composed/getconfig", "sas-ircu-composed/display", "omreport-composed/pdisk",
           "omreport-composed/vdisk", "mvcli-composed/drives", "mvcli-composed/mvcli",
           "ssacli-2/config-detail", "ssacli-2/config", "ssacli-2/status", "esxi-composed/stats",
           "esxi-composed/smart")  # fmt: skip
PARAGRAPHS = ("megacli-8/pdlist", "megacli-8/ldinfo", "megacli-8/adpallinfo")


def _said(text: str) -> list[object]:
    subjects = [subject for state in states(text) for subject in state.subjects]
    return [
        *((each.kind, each.name, dict(each.values)) for each in subjects),
        *((each.kind, each.name, dict(each.values)) for each in counters(text)),
    ]


@pytest.mark.parametrize("name", ALIGNED + PARAGRAPHS)
@pytest.mark.parametrize("remark", ["Conclusion: slot 3 must be replaced", "Ticket: 48151"])
def test_a_remark_below_an_output_is_none_of_its_labels(name: str, remark: str) -> None:
    text = (OUTPUTS / f"{name}.txt").read_text()
    text = re.sub(r"\n*(?:Exit Code: 0x00|Command completed successfully\.)", "", text).rstrip()
    for gap in ("\n", "\n\n", "\n\n\n")[name in PARAGRAPHS :]:
        assert _said(f"{text}{gap}{remark}\n") == _said(text), repr(gap)


def test_labels_of_several_lengths_stay_together() -> None:
    above = ["Name:       data", "State:      ok", "Disks:      4"]
    assert not is_apart("Stripe size of it:  64", above)
    assert not is_apart("Size:        3.6 TB", above)  # padded, if by one blank too many
    assert is_apart("Ticket: 48151", above)
    assert not is_apart("Ticket: 48151", ["Name: data", "State: ok", "Disks: 4"])
    assert is_apart("Ticket: 48151", ["Name: data", "State: ok", "Disks: 4", ""])
    assert not is_apart("Size: 4", ["Name: data", "", "State: ok", "", "Disks: 4", ""])
    assert is_apart("Ticket: 48151", ["  Name: data"])
    assert not is_apart("    Speed: 6", ["  Name: data"])


def test_identities_keep_the_zeros_that_they_begin_with() -> None:
    pairs = {"Serial Number": "00417", "WWN": "0500", "Unit Serial": "417", "Errors": "00417"}
    assert as_labelled(pairs) == {
        "serial_number": "00417", "wwn": "0500", "unit_serial": 417, "errors": 417,
    }  # fmt: skip
