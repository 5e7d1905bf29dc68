"""ip and ifconfig, against /proc/net/dev of the same moment."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.records.printed import PrintedCounters, PrintedSubject
from tests.mangle import counters, mangled, read, subjects_in

PLACE = Path(__file__).parents[3] / "outputs"
IP = (PLACE / "iproute2-6.1" / "ip-s-link.txt").read_text()
ADDRESSES = (PLACE / "iproute2-6.1" / "ip-addr.txt").read_text()
BOND = (PLACE / "iproute2-6.1" / "bond.txt").read_text()
NEW = (PLACE / "net-tools-2.10" / "ifconfig-a.txt").read_text()
OLD = (PLACE / "net-tools-1.60" / "ifconfig.txt").read_text()
# Columns of /proc/net/dev: received bytes, packets, errs, drop; sent ones from the ninth on.
COLUMNS = {
    "rx_bytes": 0, "rx_packets": 1, "rx_errors": 2, "rx_dropped": 3,
    "tx_bytes": 8, "tx_packets": 9, "tx_errors": 10, "tx_dropped": 11, "collisions": 13,
}  # fmt: skip


def links(text: str) -> dict[str, PrintedSubject]:
    return {subject.name: subject for subject in subjects_in(text)}


def counted(text: str) -> dict[str, PrintedCounters]:
    return {counter.name: counter for counter in counters(text)}


def kernel(folder: str) -> dict[str, dict[str, int]]:
    """The second view: /proc/net/dev."""
    values_by_name = {}
    for line in (PLACE / folder / "proc-net-dev.txt").read_text().split("\n")[2:]:
        name, _, rest = line.partition(":")
        if rest:
            values_by_name[name.strip()] = {
                key: int(rest.split()[at]) for key, at in COLUMNS.items()
            }
    return values_by_name


@pytest.mark.parametrize(
    ("text", "folder"), [(IP, "iproute2-6.1"), (NEW, "net-tools-2.10")], ids=["ip", "ifconfig"]
)
def test_counters_are_the_kernels(text: str, folder: str) -> None:
    links_by_name, expected = counted(text), kernel(folder)
    assert set(links_by_name) == set(expected)
    for name, figures in expected.items():
        assert {key: links_by_name[name].values[key] for key in COLUMNS} == figures
        assert links_by_name[name].kind == "link"


def test_ip_says_mtu_queue_and_state() -> None:
    subjects = links(IP)
    assert subjects["eth0"].values == {
        "mtu": 1400, "qdisc": "pfifo_fast", "state": "up", "txqueuelen": 1000,
        "address": "02:fc:00:00:00:01",
    }  # fmt: skip
    assert subjects["lo"].values["loopback"] is True
    assert "state" not in subjects["lo"].values
    for name, link in links(ADDRESSES).items():
        without = {key: value for key, value in link.values.items() if not key.startswith("ipv")}
        assert without == subjects[name].values
    assert links(ADDRESSES)["eth0"].values["ipv6"] == "fd00::2/64 fe80::fc:ff:fe00:1/64"


def test_ip_says_what_an_interface_stands_on() -> None:
    subjects = links(BOND)
    assert subjects["ens1f0"].host == "stor1"
    assert subjects["ens1f0"].values["master"] == "bond0"
    assert subjects["ens1f1"].values["carrier"] is False
    assert subjects["ens1f1"].values["state"] == "down"
    assert subjects["bond0.20"].values["lower"] == "bond0"
    counts = counted(BOND)["ens1f0"].values
    assert counts["rx_bytes"] == 8812345678901
    assert (counts["rx_errors"], counts["rx_dropped"], counts["rx_overruns"]) == (310, 98012, 0)
    assert counts["multicast"] == 120456


def test_old_ifconfig() -> None:
    assert links(OLD)["eth0"].values == {
        "mtu": 9000, "txqueuelen": 1000, "state": "up", "address": "00:25:90:00:00:01",
        "ipv4": "192.0.2.11/24", "ipv6": "fe80::225:90ff:fe00:1/64",
    }  # fmt: skip
    assert links(OLD)["eth0"].host == "node1"
    assert counted(OLD)["eth0"].values == {
        "rx_packets": 812345678, "rx_errors": 1200, "rx_dropped": 45, "rx_overruns": 12,
        "rx_frame": 1188, "tx_packets": 712345678, "tx_errors": 0, "tx_dropped": 0,
        "tx_overruns": 0, "tx_carrier": 0, "rx_bytes": 5123456789012, "tx_bytes": 4123456789012,
        "collisions": 7,
    }  # fmt: skip


def test_old_ifconfig_with_a_tab_behind_the_name() -> None:
    assert links(OLD.replace("eth0      Link", "eth0\t  Link"))["eth0"] == links(OLD)["eth0"]


def test_new_ifconfig() -> None:
    subjects = links(NEW)
    assert subjects["eth0"].values == {
        "mtu": 1400, "txqueuelen": 1000, "state": "up", "address": "02:fc:00:00:00:01",
        "ipv4": "192.0.2.2/24", "ipv6": "fe80::fc:ff:fe00:1/64 fd00::2/64",
    }  # fmt: skip
    assert subjects["ifb0"].values["state"] == "down"


@pytest.mark.parametrize(
    "text", [IP, ADDRESSES, BOND, NEW, OLD], ids=["ip", "addr", "bond", "new", "old"]
)
def test_they_survive_what_happens_to_pasted_text(text: str) -> None:
    expected = {name: dict(subject.values) for name, subject in links(text).items()}
    figures = {name: dict(counter.values) for name, counter in counted(text).items()}
    for way, mangling in mangled(text):
        assert {
            name: dict(subject.values) for name, subject in links(mangling).items()
        } == expected, way
        assert {
            name: dict(counter.values) for name, counter in counted(mangling).items()
        } == figures, way


def test_sentences_are_no_interfaces() -> None:
    assert (
        read("Set <BROADCAST,MULTICAST flags. It shows RX packets and TX packets: flags=1.") == []
    )


def test_a_head_alone_takes_no_sentences_with_it() -> None:
    head = "12: spare0: <BROADCAST,NOARP> mtu 1400 state DOWN mode DEFAULT\n"
    assert links(f"{head}```\n\nThe interface is down now.\n\nNext we remove it.\n") == links(head)
    assert dict(links(head)["spare0"].values) == {"mtu": 1400, "state": "down"}
