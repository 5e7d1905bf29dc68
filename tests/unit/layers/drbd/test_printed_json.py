"""`drbdsetup status --json`: the same subjects as the text, with every figure."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.units import KIB, MIB
from tests.mangle import counters, mangled, states

TEXT = (Path(__file__).parents[3] / "outputs" / "drbd-composed" / "status.json").read_text()


def peers(text: str) -> dict[object, dict[str, object]]:
    return {
        subject.values["peer"]: {"name": subject.name, **subject.values}
        for state in states(text)
        for subject in state.subjects
    }


def test_a_volume_with_each_peer() -> None:
    jetty, berth = peers(TEXT)["jetty"], peers(TEXT)["berth"]
    assert jetty["name"] == berth["name"] == "drbd12"
    assert (jetty["role"], jetty["peer_role"], jetty["disk_state"]) == (
        "Primary", "Secondary", "UpToDate",
    )  # fmt: skip
    assert (jetty["replication"], jetty["connection"]) == ("SyncSource", "Connected")
    assert (jetty["peer_disk_state"], jetty["suspended"]) == ("Inconsistent", "no")
    assert (jetty["sync_share"], jetty["in_sync_share"]) == (0.3846, 0.75)
    assert jetty["out_of_sync"] == 13106795 * KIB
    assert (berth["connection"], berth["peer_disk_state"]) == ("Connecting", "DUnknown")


def test_amounts_are_bytes_and_rates_bytes_a_second() -> None:
    first, second = (dict(counted.values) for counted in counters(TEXT))
    assert (first["size"], first["written"]) == (52427180 * KIB, 40211 * KIB)
    assert (first["sent"], first["al-writes"], first["unacked"]) == (8192044 * KIB, 37, 6)
    assert (first["sync_speed_wanted"], first["sync_bandwidth_1"]) == (120 * MIB, 100 * MIB)
    assert first["sync_time_left"] == 128
    assert first["sync_total"] == 42598420 * 512, "its source subtracts sectors from it"
    assert "size" not in second  # the volume's own figures are said once


def test_reasons_of_a_suspension_and_no_end_in_sight() -> None:
    text = TEXT.replace('"suspended": false', '"suspended": true')
    text = text.replace('"suspended-quorum": false', '"suspended-quorum": true')
    text = text.replace('finish": 128', 'finish": 987654321')
    assert peers(text)["jetty"]["suspended"] == "quorum"
    assert "sync_time_left" not in counters(text)[0].values


def test_every_shape_and_without_a_command() -> None:
    expected = peers(TEXT)
    for shape, changed in mangled(TEXT):
        assert peers(changed) == expected, shape
    assert peers(TEXT.partition("\n")[2]) == expected


@pytest.mark.parametrize("text", [
    '{"name": "ledger", "node-id": 2, "devices": []}\n', 'see "disk-state" and "node-id"\n',
])  # fmt: skip
def test_what_looks_alike_is_none(text: str) -> None:
    assert not states(text)
