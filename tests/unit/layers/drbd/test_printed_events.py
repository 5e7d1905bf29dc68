"""drbdsetup events2: what each line names."""

from __future__ import annotations

from pathlib import Path

from iosonde.records.stack import Scalar
from tests.mangle import mangled, states

TEXT = (Path(__file__).parents[3] / "outputs" / "drbd-events-composed" / "now.txt").read_text()


def things(text: str) -> dict[str, dict[str, Scalar]]:
    return {s.name: dict(s.values) for state in states(text) for s in state.subjects}


def test_events_in_every_shape() -> None:
    for shape, given in mangled(TEXT, wraps=False):
        values_by_name = things(given)
        assert values_by_name["resource r0"]["role"] == "Secondary", shape
        assert values_by_name["connection r0 node2"]["connection"] == "Connected"
        device = values_by_name["device r0 0"]
        assert (device["minor"], device["size"], device["al_writes"]) == (7, 6291228, 34)
        peer = values_by_name["peer-device r0 node2 0"]
        assert (peer["replication"], peer["sent"]) == ("Established", 131844)


def test_a_later_event_replaces_what_it_names() -> None:
    later = TEXT + "change device name:r0 volume:0 disk:Failed\n"
    assert things(later)["device r0 0"]["disk"] == "Failed"
    assert things(later)["device r0 0"]["minor"] == 7
    assert things("It says that a device exists by the name: r0.\n") == {}
