"""mvcli and mnv_cli: the virtual disks of Marvell's controllers."""

from __future__ import annotations

from pathlib import Path

from iosonde.records.printed import Unread
from iosonde.records.stack import Scalar
from tests.mangle import mangled, read, states

PLACE = Path(__file__).parents[3] / "outputs" / "mvcli-composed"
MVCLI, MNV, DRIVES = ((PLACE / f"{name}.txt").read_text() for name in ("mvcli", "mnv", "drives"))


def things(text: str) -> dict[str, dict[str, Scalar]]:
    return {s.name: dict(s.values) for state in states(text) for s in state.subjects}


def test_virtual_disks_in_every_shape() -> None:
    for shape, given in mangled(MVCLI, wraps=False):
        named = things(given)
        good, bad = named["vd0"], named["vd1"]
        assert (good["state"], good["raid_level"], good["disks"]) == ("optimal", "raid1", 2), shape
        assert (good["size"], good["strip_size"]) == (228872 << 20, 65536)
        assert "active_operations" not in good
        assert (bad["state"], bad["active_operations"]) == ("degraded", "rebuilding 15 %")
        assert (bad["label"], bad["block_ids"]) == ("spool", "8 12")
    assert states(MVCLI)[0].host == "edge7"


def test_of_nvme() -> None:
    for shape, given in mangled(MNV, wraps=False):
        values = things(given)["vd0"]
        assert (values["state"], values["active_operations"]) == ("degraded", "rebuilding 64 %")
        assert (values["strip_size"], values["logical_block_size"]) == (128 << 10, 512), shape
        assert values["printed_size"] == "894 GB"


def test_drives_in_every_shape() -> None:
    for shape, given in mangled(DRIVES, wraps=False):
        named = things(given)
        assert list(named) == ["pd0", "pd1"], shape
        whole = named["pd0"]
        assert (whole["size"], whole["state"]) == (234431064 << 10, "online"), shape
        assert (whole["model"], whole["firmware"]) == ("ACME_M2_240", "D0MU071")
        assert (named["pd1"]["state"], named["pd1"]["rotational"]) == ("offline", False)


def test_a_state_that_one_of_two_lines_says() -> None:
    for status, of_disk, state in (
        ("functional", "optimal", "optimal"),
        ("functional", "degraded", "degraded"),
        ("degrade", "optimal", "degraded"),
    ):
        text = (
            "Virtual Disk Information\n-------------------------\nid:                  0\n"
            f"status:              {status}\nRAID mode:           RAID1\n"
            f"BGA status:          not running\nVD status:           {of_disk}\n"
        )
        assert things(text)["vd0"]["state"] == state


def test_a_title_alone_and_prose() -> None:
    (entry,) = read("Virtual Disk Information\n\nnothing\n")
    assert isinstance(entry, Unread)
    assert read("Its BGA status: it plays well.\n") == []
    assert read("The Stripe Block Size: large\n") == []
