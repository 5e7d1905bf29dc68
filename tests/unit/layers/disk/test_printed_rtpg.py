"""Groups of target ports. Oracle: the numbers of the sample, by the table of SPC-5."""

from __future__ import annotations

from pathlib import Path

from iosonde.layers.disk.printed_rtpg import SgRtpg
from iosonde.records.stack import Scalar
from tests.mangle import mangled, subjects_in

TEXT = (Path(__file__).parents[3] / "outputs" / "sg3-composed" / "rtpg.txt").read_text()
FIRST: dict[str, Scalar] = {
    "preferred": False, "state": "active/non-optimized", "supported_states": "T U S AN AO",
    "status": "changed by the target itself", "ports": 2, "port_ids": "0x01 0x02",
}  # fmt: skip


def _groups(text: str) -> dict[str, dict[str, Scalar]]:
    return {subject.name: dict(subject.values) for subject in subjects_in(text, SgRtpg.tool)}


def test_groups_and_a_disk_without_any() -> None:
    for shape, given in mangled(TEXT, wraps=False):
        groups = _groups(given)
        assert groups["sdq group 2"] == FIRST, shape
        assert groups["sdq group 16"]["preferred"] is True, shape
        assert groups["sdq group 16"]["state"] == "active/optimized", shape
        assert groups["sdq group 16"]["port_ids"] == "0x81", shape
        assert "not supported" in str(groups["sdr"]["target_port_groups"]), shape


def test_names_of_states_and_an_old_head() -> None:
    named = TEXT.replace("0x01\n    T_SUP", "0x01 (active/non optimized)\n    T_SUP")
    assert _groups(named.replace(", Rtpg_fmt=0", ""))["sdq group 2"] == FIRST


def test_what_is_cut_and_what_only_speaks_of_it() -> None:
    assert not _groups(TEXT.partition("    target port group asym")[0])
    assert not _groups("The Report Target Port Groups command not supported by this array\n")
