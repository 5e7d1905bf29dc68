"""sas3ircu DISPLAY: a controller, a volume and a disk."""

from __future__ import annotations

from pathlib import Path

from iosonde.records.printed import Unread
from iosonde.records.stack import Scalar
from tests.mangle import mangled, read, states

TEXT = (Path(__file__).parents[3] / "outputs" / "sas-ircu-composed" / "display.txt").read_text()


def things(text: str) -> dict[str, dict[str, Scalar]]:
    return {s.name: dict(s.values) for state in states(text) for s in state.subjects}


def test_a_controller_in_every_shape() -> None:
    for shape, given in mangled(TEXT, wraps=False):
        values_by_name = things(given)
        assert values_by_name["SAS3008"]["firmware_version"] == "16.00.10.00", shape
        assert values_by_name["SAS3008"]["concurrent_commands_supported"] == 9856
        volume = values_by_name["volume 1"]
        assert (volume["raid_level"], volume["size"]) == ("RAID1", 952720 << 20)
        assert volume["status_of_volume"] == "Degraded (DGD)"
        disk = values_by_name["1:0"]
        assert (disk["size"], disk["state"]) == (1953525167 * 512, "Optimal (OPT)")


def test_a_torn_output_and_prose() -> None:
    (entry,) = read("Device is a Hard disk\n\n\n\nnothing\n")
    assert isinstance(entry, Unread)
    assert read("This Device is a Hard disk of mine.\n") == []
