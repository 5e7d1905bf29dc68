"""Rules about network and PCIe links: each fires where it should, and is silent elsewhere."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from iosonde.explain.gather import of_document
from iosonde.layers import LAYERS
from iosonde.layers.layer import NetworkCrossing
from iosonde.layers.link.findings import RULES, payload, tcp_payload
from iosonde.records.evidence import CounterEvidence, EvidenceSet, StateEvidence, TrialEvidence
from iosonde.records.finding import Finding
from iosonde.records.run import Metric
from iosonde.records.stack import Scalar
from iosonde.text.document import of_bytes

PLACE = Path(__file__).parents[3] / "outputs"
AOE = LAYERS.load("aoe").crossing or NetworkCrossing()
GIGABIT = 125_000_000


def findings(case: EvidenceSet, name: str) -> list[Finding]:
    return [finding for rule in RULES if rule.name == name for finding in rule.find(case)]


def of_texts(*names: str) -> EvidenceSet:
    text = "\n".join((PLACE / name).read_text() for name in names)
    return of_document(of_bytes("ticket.txt", text.encode()))[0]


def state(kind: str, name: str, host: str = "client", **values: Scalar) -> StateEvidence:
    return StateEvidence(kind, name, host, values, f"ticket.txt:{name}", "ticket.txt")


def measured(
    rate: float, metric: str = "write.bandwidth", target: str = "/srv/data/f"
) -> TrialEvidence:
    figure = Metric(metric, "B/s", (rate,), rate, rate, None, None, None)
    return TrialEvidence("dd", "ticket.txt:1", "ticket.txt", "dd", {metric: figure}, host="client",
                    target=target)  # fmt: skip


ETH = state("link", "eth0", speed=GIGABIT, mtu=1500)
NFS = state("nfs", "/srv/data")


def test_payloads_are_those_of_their_frames() -> None:
    assert tcp_payload(GIGABIT, 1500) == pytest.approx(117.7e6, rel=0.001)
    assert tcp_payload(GIGABIT, 9000) == pytest.approx(123.8e6, rel=0.001)
    assert payload(GIGABIT, 1500, [AOE]) == pytest.approx(GIGABIT * 1024 / 1084)
    assert payload(GIGABIT, 9000, [AOE]) == pytest.approx(GIGABIT * 8704 / 8764)


def test_throughput_at_the_links_limit() -> None:
    case = EvidenceSet(trials=(measured(116e6),), states=(ETH, NFS))
    (finding,) = findings(case, "link-limit")
    assert finding.message == (
        "111 MiB/s (write.bandwidth) is 98.6 % of the payload that eth0 (1 Gbit/s, MTU 1500) can "
        "carry: the network is what was measured, not the storage behind it."
    )
    assert [(evidence.what, evidence.value) for evidence in finding.evidence] == [
        ("write.bandwidth", 116e6),
        ("speed of eth0", GIGABIT),
        ("MTU", 1500),
        ("payload at this speed and MTU", 117685306),
    ]
    assert "jumbo frames on every port between both ends would add 5.16 %" in finding.remedy


@pytest.mark.parametrize(
    "case",
    [
        EvidenceSet(trials=(measured(60e6),), states=(ETH, NFS)),
        EvidenceSet(trials=(measured(400e6),), states=(ETH, NFS)),
        EvidenceSet(trials=(measured(116e6),), states=(ETH,)),
        EvidenceSet(trials=(measured(116e6),), states=(NFS,)),
        EvidenceSet(trials=(measured(116e6, target="/dev/sda5"),), states=(ETH, NFS)),
        EvidenceSet(trials=(measured(116e6, target="/home/f"),), states=(ETH, NFS)),
        EvidenceSet(trials=(measured(116e6, "cached_read.bandwidth"),), states=(ETH, NFS)),
        EvidenceSet(trials=(replace(measured(116e6), source="other.txt"),), states=(ETH, NFS)),
        EvidenceSet(
            trials=(replace(measured(116e6), stands_on=(("xfs", "/srv"), ("disk", "sda"))),),
            states=(ETH, NFS),
        ),
    ],
    ids=[
        "slower",
        "faster",
        "no network layer",
        "speed unknown",
        "a disk",
        "another mount",
        "memory",
        "another document",
        "stands on a disk",
    ],
)
def test_what_does_not_reach_or_cross_a_link_is_passed_over(case: EvidenceSet) -> None:
    assert findings(case, "link-limit") == []


def test_a_stack_that_stands_on_a_link_counts_that_link() -> None:
    trial = replace(measured(116e6, target="/x"), stands_on=(("nfs", "srv:/"), ("link", "eth1")))
    other = state("link", "eth1", speed=10 * GIGABIT, mtu=9000)
    assert findings(EvidenceSet(trials=(trial,), states=(ETH, other)), "link-limit") == []
    own = replace(ETH, name="eth1")
    assert len(findings(EvidenceSet(trials=(trial,), states=(own,)), "link-limit")) == 1


def test_speed_and_mtu_come_from_different_commands() -> None:
    states = (state("link", "eth0", speed=GIGABIT), state("link", "eth0", mtu=9000), NFS)
    (finding,) = findings(EvidenceSet(trials=(measured(122e6),), states=states), "link-limit")
    assert "MTU 9000" in finding.message
    assert "jumbo" not in finding.remedy


def test_an_mtu_that_nothing_says_is_told_so() -> None:
    states = (state("link", "eth0", speed=GIGABIT), NFS)
    (finding,) = findings(EvidenceSet(trials=(measured(116e6),), states=states), "link-limit")
    assert finding.evidence[2].where == (
        "ticket.txt:eth0, which nothing says and Ethernet has by default"
    )


def test_drbd_reads_its_own_copy() -> None:
    reads = measured(116e6, "read.bandwidth", "/dev/drbd0")
    writes = measured(116e6, "write.bandwidth", "/dev/drbd0")
    assert findings(EvidenceSet(trials=(reads,), states=(ETH,)), "link-limit") == []
    assert len(findings(EvidenceSet(trials=(writes,), states=(ETH,)), "link-limit")) == 1


def test_aoe_counts_its_own_frames() -> None:
    trial = measured(0.985 * payload(GIGABIT, 1500, [AOE]), target="/dev/etherd/e0.1")
    (finding,) = findings(EvidenceSet(trials=(trial,), states=(ETH,)), "link-limit")
    assert "98.5 % of the payload" in finding.message


def test_a_link_slower_than_its_card() -> None:
    case = of_texts("ethtool-composed/settings.txt")
    (finding,) = findings(case, "link-speed")
    assert finding.subject == "nfs2: eno1"
    assert finding.message == (
        "eno1 runs at 100 Mbit/s although it could 1 Gbit/s, and carries one direction at a time "
        "(half duplex): everything that crosses it is held to that."
    )
    full = state("link", "eth0", speed=GIGABIT, speed_max=GIGABIT, duplex="full")
    assert findings(EvidenceSet(states=(full, ETH)), "link-speed") == []


def test_damaged_frames() -> None:
    case = of_texts("net-tools-1.60/ifconfig.txt")
    (finding,) = findings(case, "link-errors")
    assert finding.subject == "node1: eth0"
    assert finding.message == (
        "On eth0 1 200 of 1 524 691 356 frames (one in 1 270 576) were damaged or lost: each "
        "costs a retransmission, during which the I/O of that connection waits."
    )


def test_a_bond_does_not_repeat_what_its_links_counted() -> None:
    case = of_texts("iproute2-6.1/bond.txt")
    assert [finding.subject for finding in findings(case, "link-errors")] == ["stor1: ens1f0"]


def test_dropped_frames_count_from_a_share_on() -> None:
    def counted(dropped: int) -> EvidenceSet:
        values = {"rx_packets": 1_000_000, "tx_packets": 10, "rx_dropped": dropped, "rx_errors": 0}
        counters = CounterEvidence(
            "ip", "link", "eth0", "client", values, "ticket.txt:9", "ticket.txt"
        )
        return EvidenceSet(counters=(counters,))

    (finding,) = findings(counted(2000), "link-errors")
    assert finding.severity == "warning"
    assert finding.message.startswith("eth0 dropped 0.2 % of the frames it received:")
    assert findings(counted(200), "link-errors")[0].severity == "note"
    assert findings(counted(50), "link-errors") == []


def test_collisions_alone_are_a_half_duplex_link() -> None:
    values = {"rx_packets": 100, "tx_packets": 100, "collisions": 3}
    counters = CounterEvidence("ifconfig", "link", "eth0", "", values, "ticket.txt:9", "ticket.txt")
    (finding,) = findings(EvidenceSet(counters=(counters,)), "link-errors")
    assert "3 collisions were counted, so the link is half duplex" in finding.message


def test_real_counters_without_errors_are_silent() -> None:
    case = of_texts("iproute2-6.1/ip-s-link.txt", "net-tools-2.10/ifconfig-a.txt")
    assert len(case.counters) == 8
    assert [finding for rule in RULES for finding in rule.find(case)] == []


def test_a_drive_with_half_its_lanes_at_half_their_speed() -> None:
    (finding,) = findings(of_texts("pciutils-3.7/nvme.txt"), "pcie-link")
    assert finding.message == (
        "Micron Technology Inc 7450 PRO NVMe SSD in slot 41:00.0 is linked at 8 GT/s x2 although "
        "it could do 16 GT/s x4: 1.83 GiB/s each way at most, 25 % of what it was built for."
    )
    assert findings(of_texts("pciutils-3.7/plain.txt"), "pcie-link") == []
