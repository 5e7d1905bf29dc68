"""lsraid: md's arrays with members that are good, failed, missing and spare."""

from __future__ import annotations

from pathlib import Path

from iosonde.records.stack import Scalar
from tests.mangle import mangled, read, states

TEXT = (Path(__file__).parents[3] / "outputs" / "lsraid-composed" / "arrays.txt").read_text()


def things(text: str) -> dict[str, dict[str, Scalar]]:
    return {s.name: dict(s.values) for state in states(text) for s in state.subjects}


def test_arrays_in_every_shape() -> None:
    for shape, given in mangled(TEXT, wraps=False):
        named = things(given)
        assert list(named) == ["md0", "md1", "md2"], shape
        assert (named["md0"]["degraded"], named["md0"]["members"]) == (0, "hda1 hdc1")
        assert (named["md0"]["active_members"], named["md2"]["active_members"]) == (2, 1)
        assert (named["md1"]["degraded"], named["md1"]["spares"]) == (1, "hdc2")
        assert (named["md2"]["array_state"], named["md2"]["faulty"]) == ("offline", "hda3")
        assert "degraded" not in named["md2"]  # the drive that failed may have left that slot
        assert named["md0"]["uuid"] == "0A1B2C3D.4E5F6071.8293A4B5.C6D7E8F9"
    assert states(TEXT)[0].host == "old1"


def test_a_state_that_is_not_listed() -> None:
    text = TEXT.replace("FF00 spare", "FF00 unbound")
    assert things(text)["md1"]["unbound"] == "hdc2"
    assert "spares" not in things(text)["md1"]
    assert list(things(text)) == ["md0", "md1", "md2"]


def test_a_member_alone_and_prose() -> None:
    member = "[dev   3,   1] /dev/hda1        0A1B2C3D.4E5F6071.8293A4B5.C6D7E8F9 good\n"
    assert things(member) == {}
    assert read("see [dev   3] for more\n") == []
