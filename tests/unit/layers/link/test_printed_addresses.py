"""Addresses of interfaces, by ip and ifconfig. Oracle: the samples' own lines, by ipaddress."""

from __future__ import annotations

import ipaddress
import re
from pathlib import Path

import pytest

from iosonde.layers.link.printed_ip_lines import IpLines
from tests.mangle import mangled, subjects_in

PLACE = Path(__file__).parents[3] / "outputs" / "links-composed"
FOUR, BRIEF, LINES, BSD, MAC = (
    (PLACE / f"{name}.txt").read_text()
    for name in ("addresses", "brief", "one-line", "freebsd", "macos")
)


def _links(text: str) -> dict[str, dict[str, object]]:
    return {
        subject.name: dict(subject.values)
        for subject in subjects_in(text) if subject.kind == "link"
    }  # fmt: skip


def _of(text: str, family: str) -> list[str]:
    return [
        address for values in _links(text).values()
        for address in str(values.get(family, "")).split()
    ]  # fmt: skip


@pytest.mark.parametrize("text", [FOUR, BRIEF, LINES])
def test_ip_names_every_address(text: str) -> None:
    for family, form in (
        ("ipv4", r"(?<![\w.])\d+\.\d+\.\d+\.\d+/\d+"),
        ("ipv6", r"[0-9a-f:]*::\S+"),
    ):
        assert _of(text, family) == re.findall(form, text)


@pytest.mark.parametrize("text", [BSD, MAC])
def test_ifconfig_with_hexadecimal_masks(text: str) -> None:
    expected = [
        str(ipaddress.ip_interface((address, int(mask, 16).bit_count())))
        for address, mask in re.findall(r"inet (\S+) netmask (0x\w+)", text)
    ]
    assert _of(text, "ipv4") == expected
    assert len(_of(text, "ipv6")) == text.count("inet6 ")
    assert not any("%" in address for address in _of(text, "ipv6"))


def test_what_else_they_say() -> None:
    assert _links(FOUR)["eth0"] == {
        "mtu": 9000, "qdisc": "mq", "state": "up", "txqueuelen": 1000,
        "ipv4": "192.0.2.7/24 192.0.2.8/24",
    }  # fmt: skip
    assert _links(BRIEF)["eth0.100"]["lower"] == "eth0"
    assert _links(BRIEF)["eth1"] == {"state": "down"}
    assert _links(BSD)["ix0"] == {
        "mtu": 9000, "state": "up", "address": "00:25:90:12:34:56",
        "media": "Ethernet autoselect (10Gbase-T <full-duplex>)",
        "ipv4": "192.0.2.7/24", "ipv6": "fe80::225:90ff:fe12:3456/64",
    }  # fmt: skip
    assert _links(BSD)["lo0"]["loopback"] is True


@pytest.mark.parametrize("status", ["no carrier", "inactive"])
def test_a_port_without_a_link_is_down(status: str) -> None:
    link = _links(BSD.replace("status: active", f"status: {status}"))["ix0"]
    assert (link["state"], link["carrier"]) == ("down", False)


def test_a_mask_with_holes_is_none() -> None:
    assert "ipv4" not in _links(MAC.replace("0xffffff00", "0xff00ff00"))["en0"]


def test_the_other_end_is_no_address_of_ours() -> None:
    brief = "tun0             UNKNOWN        192.0.2.33 peer 192.0.2.34/32 \n"
    assert _links(brief)["tun0"]["ipv4"] == "192.0.2.33"
    whole = (
        "7: tun0: <POINTOPOINT,MULTICAST,NOARP,UP,LOWER_UP> mtu 1500 qdisc fq state UNKNOWN\n"
        "    link/none \n    inet 192.0.2.33 peer 192.0.2.34/32 scope global tun0\n"
    )
    assert _links(whole)["tun0"]["ipv4"] == "192.0.2.33"


@pytest.mark.parametrize("text", [FOUR, BRIEF, LINES, BSD, MAC])
def test_every_shape(text: str) -> None:
    for shape, changed in mangled(text, wraps=False):
        assert _links(changed) == _links(text), shape


@pytest.mark.parametrize("text", [
    "server    UP        99.9 %\n", "replica   DOWN      192.0.2.9/db\n",
    "Name      State\nweb1      UNKNOWN\n", "addresses of scope global are routed\n",
])  # fmt: skip
def test_what_looks_alike(text: str) -> None:
    assert not subjects_in(text, IpLines.tool)
