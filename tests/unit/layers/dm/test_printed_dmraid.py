"""dmraid: drives with the metadata of a BIOS' RAID, and the sets they make."""

from __future__ import annotations

from pathlib import Path

from iosonde.records.printed import Unread
from iosonde.records.stack import Scalar
from tests.mangle import mangled, read, states

PLACE = Path(__file__).parents[3] / "outputs" / "dmraid-composed"
DRIVES, SETS, MISSING = (
    (PLACE / f"{name}.txt").read_text() for name in ("drives", "sets", "missing")
)


def things(text: str) -> dict[str, dict[str, Scalar]]:
    return {s.name: dict(s.values) for state in states(text) for s in state.subjects}


def test_drives_in_every_shape() -> None:
    for shape, given in mangled(DRIVES):
        named = things(given)
        assert list(named) == ["sdc", "sdb", "sda", "sdd"], shape
        assert named["sdb"] == {
            "metadata": "isw", "set": "isw_cbafgdheje", "type": "GROUP", "status": "ok",
            "size": 1953525166 * 512, "data_start": 0,
        }, shape  # fmt: skip
        assert named["sda"]["status"] == "broken"
        assert (named["sdd"]["type"], named["sdd"]["status"]) == ("unknown", "inconsistent")
    assert states(DRIVES)[0].host == "den"


def test_sets_in_every_shape() -> None:
    for shape, given in mangled(SETS):
        named = things(given)
        whole, mirror = named["isw_cbafgdheje_Data"], named["isw_cbafgdheje_Data-0"]
        assert (whole["raid_level"], whole["disks"]) == ("raid10", 4), shape
        assert (whole["size"], whole["strip_size"]) == (1953519616 * 512, 65536)
        assert (mirror["raid_level"], mirror["status"]) == ("raid1", "nosync")
        assert mirror["active"] is True
        lone = named["ddf1_left over"]
        assert (lone["inconsistent"], lone["active"], lone["status"]) == (True, False, "broken")
        assert (lone["type"], lone["disks"], "raid_level" in lone) == ("raid50", 3, False), shape


def test_drives_that_a_set_lacks_in_every_shape() -> None:
    for shape, given in mangled(MISSING):
        named = things(given)
        assert named["isw_bacdfe_Vol0"] == {
            "metadata": "isw", "disks": 1, "expected_disks": 2, "members": "sdb",
        }, shape  # fmt: skip
        assert (named["pdc_bcda"]["disks"], named["pdc_bcda"]["members"]) == (2, "sdd sde")


def test_block_devices() -> None:
    text = '/dev/sdb:   1953525168 total, "WD-77WX"\n/dev/sda:    586072368 total, "N/A"\n'
    for shape, given in mangled(text):
        assert things(given) == {
            "sdb": {"size": 1953525168 * 512, "serial": "WD-77WX"},
            "sda": {"size": 586072368 * 512},
        }, shape


def test_a_head_alone_and_prose() -> None:
    (entry,) = read("--> Active Subset\n\n\n\nnothing\n")
    assert isinstance(entry, Unread)
    assert read("See --> Active Subsets of mine.\n") == []
    (entry,) = read('/dev/sda: isw, "x", GROUP, ok, 17 sectors, data@ home\n')
    assert isinstance(entry, Unread)
    assert read('The "x" has 17 sectors, data@ 0\n') == []
