"""mvcli and mnv_cli: the virtual disks of Marvell's controllers."""

from __future__ import annotations

from pathlib import Path

from iosonde.records.printed import Unread
from iosonde.records.stack import Scalar
from tests.mangle import mangled, read, states

PLACE = Path(__file__).parents[3] / "outputs" / "mvcli-composed"
MVCLI, MNV = ((PLACE / f"{name}.txt").read_text() for name in ("mvcli", "mnv"))


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


def test_a_title_alone_and_prose() -> None:
    (entry,) = read("Virtual Disk Information\n\nnothing\n")
    assert isinstance(entry, Unread)
    assert read("Its BGA status: it plays well.\n") == []
    assert read("The Stripe Block Size: large\n") == []
