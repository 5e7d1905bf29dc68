"""AoE frames against blocks; MTUs that do not fit together."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from iosonde.explain.gather import of_document
from iosonde.layers.aoe.findings import RULES as FRAMES
from iosonde.layers.aoe.findings_ends import RULES as ENDS
from iosonde.layers.link.findings_mtus import RULES as MTUS
from iosonde.records.evidence import StateEvidence, TrialEvidence
from iosonde.records.finding import Finding
from iosonde.text.document import of_bytes
from tests.unit.layers._rules.requests import findings_of, state, trial

PLACE = Path(__file__).parents[3] / "outputs"


def findings_about(*parts: StateEvidence | TrialEvidence) -> list[Finding]:
    return findings_of((*FRAMES, *MTUS, *ENDS), *parts)


def test_an_aoe_frame_that_holds_two_blocks_and_a_sector() -> None:
    disk = state("disk", "etherd/e0.1")
    (said,) = findings_about(state("link", "eth1", mtu=9000), disk, state("link", "lo", mtu=65536,
                                                                 loopback=True))  # fmt: skip
    assert (said.rule, said.severity, said.subject) == ("frame-block", "warning", "eth1")
    assert said.message == (
        "An AoE frame over eth1 at MTU 9000 carries 8,704 bytes, 2 blocks of 4 KiB and 512 bytes: "
        "a request of 64 KiB goes as 8 frames, and all 7 borders between them cut a block in two, "
        "which the other side reads and writes in pieces."
    )
    assert [(evidence.what, evidence.value) for evidence in said.evidence] == [
        ("MTU", 9000), ("payload of an AoE frame", 8704),
        ("block of most file systems", 4096), ("borders that cut a block", 7),
    ]  # fmt: skip
    assert said.remedy.startswith("an MTU of 8228–8739 on both ends")


@pytest.mark.parametrize(
    ("mtu", "part"),
    [
        (1500, "carries 1,024 bytes, a part of a block of 4 KiB: a request of 64 KiB goes as 64 "
               "frames, and 48 of the 63 borders"),
        (4131, "carries 3,584 bytes, a part of a block of 4 KiB: a request of 64 KiB goes as 19 "
               "frames, and 16 of the 18 borders"),
        (4700, "carries 4,608 bytes, 1 block of 4 KiB and 512 bytes"),
    ],
)  # fmt: skip
def test_other_frames_that_cut_blocks(mtu: int, part: str) -> None:
    (said,) = findings_about(state("link", "eth1", mtu=mtu), trial("/dev/etherd/e0.1", None))
    assert part in said.message


@pytest.mark.parametrize("mtu", [4200, 8700])
def test_frames_of_whole_blocks_are_passed_over(mtu: int) -> None:
    assert findings_about(state("link", "eth1", mtu=mtu), trial("/dev/etherd/e0.1", None)) == []


def test_without_aoe_its_frames_do_not_matter() -> None:
    assert (
        findings_about(state("link", "eth1", mtu=9000), state("nfs", "/srv"), trial("/srv/f", None))
        == []
    )


def test_the_block_of_what_lies_on_it_counts_and_only_its_own_links() -> None:
    aoe = state("aoe_initiator", "e0.1", interface="eth1")
    cache = state("flashcache", "fc", block_size=8192)
    links = [state("link", "eth0", mtu=1500), state("link", "eth1", mtu=4200)]
    (said,) = findings_about(aoe, cache, *links)
    assert said.subject == "eth1"
    assert "carries 4,096 bytes, a part of a block of 8 KiB" in said.message
    assert said.evidence[2].where == "page:fc"
    assert said.remedy.startswith("an MTU of 8228–8739")


def test_jumbo_frames_on_one_side_only() -> None:
    (said,) = findings_about(
        state("link", "eth1", "client", mtu=1500), state("link", "eth0", "server", mtu=1500),
        state("link", "eth1", "server", mtu=9000), state("link", "ib0", "client", mtu=65520),
    )  # fmt: skip
    assert (said.rule, said.subject) == ("jumbo-mismatch", "client, server")
    assert said.message == (
        "server sends frames of up to 9000 bytes (eth1), and no interface of client has an MTU "
        "above 1500: where both are on one network, longer frames are dropped without a word (AoE, "
        "storage over UDP) or TCP falls back to the shorter."
    )
    assert said.confirm == "`ping -M do -s 8972 OTHER-END` from both sides: it must answer"


def test_equal_and_unknown_hosts_are_passed_over() -> None:
    jumbo = [state("link", "eth1", host, mtu=9000) for host in ("client", "server")]
    assert findings_about(*jumbo) == []
    assert findings_about(state("link", "eth0", mtu=1500), state("link", "eth1", mtu=9000)) == []
    less = [state("link", "eth0", "a", mtu=1400), state("link", "eth0", "b", mtu=1500)]
    assert findings_about(*less) == []


@pytest.mark.parametrize(
    ("near", "far", "count"),
    [
        ("10.0.0.1/24", "10.0.0.2/24", 1),
        ("10.0.0.1/24", "192.168.7.2/24", 0),
        ("10.0.0.1/24", "", 1),
        ("10.0.0.1/24", "192.168.7.2/24 10.0.0.9/24", 1),
        ("10.0.0.1/24 fe80::1/64", "192.168.7.2/24 fe80::2/64", 0),
        ("no address", "192.168.7.2/24", 1),
    ],
)
def test_hosts_on_different_networks_do_not_send_each_other_frames(
    near: str, far: str, count: int
) -> None:
    links = [
        state("link", "eth0", "client", mtu=1500, ipv4=far),
        state("link", "eth1", "server", mtu=9000, ipv4=near),
    ]
    assert len(findings_about(*links)) == count


@pytest.mark.parametrize(
    ("name", "mac", "count"),
    [("eth0", "02:42:c0:a8:3a:08", 0), ("veth1a2b3c4", "", 0), ("docker0", "", 0),
     ("flannel.1", "", 0), ("eth0", "52:54:00:12:34:56", 1), ("br-lan", "", 1)],
)  # fmt: skip
def test_containers_and_overlays_have_mtus_of_their_own(name: str, mac: str, count: int) -> None:
    mine, physical = state("link", name, "a", mtu=8951, address=mac), state("link", "eth0", "b")
    for mtu in (1500, 9000):
        other = replace(physical, values={"mtu": mtu})
        assert len(findings_about(mine, other)) == count


def test_a_bond_above_links_of_a_smaller_mtu() -> None:
    bond = state("link", "bond0", "client", mtu=9000)
    (said,) = findings_about(bond, state("link", "eth0", "client", mtu=1500, master="bond0"),
                    state("link", "eth1", "client", mtu=9000, master="bond0"))  # fmt: skip
    assert said.message == (
        "bond0 has an MTU of 9000, and eth0 below it takes frames of up to 1500 bytes: longer ones "
        "are dropped there."
    )
    vlan = state("link", "eth0.7", "client", mtu=9000, below=("eth0",))
    (said,) = findings_about(vlan, state("link", "eth0", "client", mtu=1500))
    assert said.subject == "client: eth0.7"
    assert findings_about(vlan, state("link", "eth0", "server", mtu=9000)) == []


def test_a_path_that_takes_less_than_its_link() -> None:
    (said,) = findings_about(state("link", "eth1", "client", mtu=9000, path_mtu=1500))
    assert said.message.startswith("The path to eth1 takes packets of 1500 bytes, and the link")
    assert findings_about(state("link", "eth1", "client", mtu=9000, path_mtu=9000)) == []


def test_real_interfaces_fit_together() -> None:
    names = ("iproute2-6.1/ip-s-link.txt", "net-tools-2.10/ifconfig-a.txt", "iproute2-6.1/bond.txt")
    text = "\n".join((PLACE / name).read_text() for name in names)
    given = of_document(of_bytes("ticket.txt", text.encode()))[0]
    assert len([state for state in given.states if state.kind == "link"]) > 6
    assert [finding for rule in (*FRAMES, *MTUS) for finding in rule.find(given)] == []


def aoe_ends(near: int, far: int) -> list[StateEvidence]:
    """Two hosts with a fast link each that AoE does not go over, and one that it does."""
    return [
        state("link", "eth0", "client", mtu=9000), state("link", "eth0", "server", mtu=9000),
        state("link", "eth1", "client", mtu=near), state("link", "eth1", "server", mtu=far),
        state("aoe_target", "e1.0", "server", shelf=1, slot=0, interface="eth1", mtu=far),
        state("aoe", "etherd/e1.0", "client", shelf=1, slot=0, interface="eth1"),
    ]  # fmt: skip


def test_the_ends_of_aoe_have_different_mtus() -> None:
    (said,) = [
        finding
        for finding in findings_about(*aoe_ends(1500, 9000))
        if finding.rule == "jumbo-mismatch"
    ]
    assert said.subject == "client, server"
    assert "imported through eth1 with 1500" in said.message
    assert not [
        finding
        for finding in findings_about(*aoe_ends(9000, 9000))
        if finding.rule == "jumbo-mismatch"
    ]
