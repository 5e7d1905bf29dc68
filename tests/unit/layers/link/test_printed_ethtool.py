"""What ethtool says of an interface: speed, rings, offloads, coalescing, driver."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from iosonde.records.printed import PrintedSubject, Unread
from iosonde.settings.ethtool_printed import features
from tests.mangle import counters, mangled, read, states

PLACE = Path(__file__).parents[3] / "outputs"
REAL = PLACE / "ethtool-6.1"
SETTINGS = (PLACE / "ethtool-composed" / "settings.txt").read_text()
DRIVER = "root@vm1:~# ethtool -i eth0\n" + (REAL / "driver.txt").read_text()


def link(text: str) -> PrintedSubject:
    ((subject,),) = [state.subjects for state in states(text)]
    return subject


def test_speed_duplex_and_what_the_card_could() -> None:
    assert link(SETTINGS) == PrintedSubject(
        "link",
        "eno1",
        {
            "speed": 12_500_000,
            "speed_max": 125_000_000,
            "duplex": "half",
            "autoneg": True,
            "port": "Twisted Pair",
            "state": "up",
        },
        "nfs2",
    )


def test_a_virtual_card_knows_no_speed() -> None:
    text = SETTINGS.replace("100Mb/s", "Unknown!").replace("Half\n\tAuto", "Unknown! (255)\n\tAuto")
    assert "speed" not in link(text).values
    assert "duplex" not in link(text).values


def test_rings_with_their_limits() -> None:
    text = (
        (REAL / "rings.txt").read_text().replace("RX:\t\t256\nRX Mini", "RX:\t\t4096\nRX Mini", 1)
    )
    assert link(text).name == "eth0"
    assert link(text).values == {
        "rx_ring": 256, "tx_ring": 256, "rx_ring_max": 4096, "tx_ring_max": 256,
    }  # fmt: skip


def test_offloads_are_those_of_its_json() -> None:
    subject = link((REAL / "features.txt").read_text())
    answer = (REAL / "features.json").read_bytes()
    assert subject.values == features(answer)
    assert json.loads(answer)[0]["tcp-segmentation-offload"]["active"] is subject.values["tso"]


def test_coalescing() -> None:
    assert link((REAL / "coalescing.txt").read_text()).values == {
        "adaptive_rx": False, "rx_usecs": 0, "rx_frames": 1, "tx_usecs": 0, "tx_frames": 1,
    }  # fmt: skip


def test_the_driver_is_of_the_interface_that_the_command_names() -> None:
    subject = link(DRIVER)
    assert (subject.name, subject.host) == ("eth0", "vm1")
    assert subject.values["driver"] == "virtio_net"
    (unread,) = read((REAL / "driver.txt").read_text())
    assert isinstance(unread, Unread)
    assert unread.reason == "it names no interface"


@pytest.mark.parametrize(
    "text",
    [SETTINGS, DRIVER, *((REAL / f"{x}.txt").read_text() for x in ("rings", "features"))],
    ids=["settings", "driver", "rings", "features"],
)
def test_it_survives_what_happens_to_pasted_text(text: str) -> None:
    expected = dict(link(text).values)
    for way, mangling in mangled(text):
        assert dict(link(mangling).values) == expected, way


def test_a_sentence_about_settings_is_none() -> None:
    assert read("Settings for every card are below. Features for all: see bus-info: there.") == []


def test_statistics_of_a_driver() -> None:
    text = (
        Path(__file__).parents[3] / "outputs" / "ethtool-composed" / "statistics.txt"
    ).read_text()
    for shape, given in mangled(text, wraps=False):
        (counted,) = counters(given)
        assert counted.name == "ens5f0", shape
        assert counted.values["rx_missed_errors"] == 70
        assert counted.values["rx_queue_0_packets"] == 450
    assert read("NIC statistics: see ethtool(8).") == []


def test_pauses() -> None:
    for shape, text in mangled((PLACE / "ethtool-composed" / "pauses.txt").read_text()):
        assert link(text) == PrintedSubject(
            "link",
            "eno1",
            {
                "pause_autoneg": True,
                "rx_pause": True,
                "tx_pause": False,
                "rx_pause_negotiated": True,
                "tx_pause_negotiated": False,
            },
            "nfs2",
        ), shape
