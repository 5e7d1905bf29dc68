"""MTUs of links that do not fit: on two hosts, on two layers of one host, along a path.

Source: Linux Documentation/networking/bonding.rst; moby libnetwork/netutils, GenerateMACFromIP()
(02:42 and the address); for MTUs see `iosonde.layers._mtus`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from ipaddress import ip_interface

from iosonde.kerneltext import fields
from iosonde.layers._mtus import MTU_SOURCES, mismatch, mtu_of
from iosonde.records.evidence import EvidenceSet, Rule, StateEvidence, subject_of
from iosonde.records.finding import Evidence, Finding

_STANDARD_MTU = 1500
_DOCKER_MAC = "02:42:"
_VIRTUAL = re.compile(
    r"veth|docker|br-[\da-f]{12}$|virbr|vnet\d|tap|tun|wg\d|vxlan|flannel|cni\d|cali|cilium|lxc|lxd"
    r"|weave|kube|geneve|genev_|ovs-|ovn|nerdctl|podman|ppp\d|zt[\da-z]{8}|tailscale"
)
"""Names that Docker, LXC, libvirt and the overlays of Kubernetes give, and those of tunnels."""


def one_side_only(case: EvidenceSet) -> Iterator[Finding]:
    """Hosts of one document of which some send longer frames than any link of another takes."""
    for source in sorted({state.source for state in case.of_kind("link")}):
        hosts: dict[str, list[StateEvidence]] = {}
        for state in case.of_kind("link"):
            if state.source == source and state.host and mtu_of(state) is not None:
                hosts.setdefault(state.host, []).append(state)
        if pair := _unequal(hosts):
            yield _one_side(*pair)


def _unequal(
    hosts: Mapping[str, Sequence[StateEvidence]],
) -> tuple[StateEvidence, StateEvidence] | None:
    """The link with the least MTU and that with the most, of two hosts that may share a network."""
    longest = [max(links, key=_mtu) for links in hosts.values()]
    lows = [link for link in sorted(longest, key=_mtu) if not _is_virtual(link)]
    highs = [link for links in hosts.values() for link in links if not _is_virtual(link)]
    for high in sorted(highs, key=_mtu, reverse=True):
        if _mtu(high) <= _STANDARD_MTU:
            break
        for low in lows:
            if _mtu(low) < _mtu(high) and not _are_apart(high, hosts[low.host]):
                return low, high
    return None


def _mtu(link: StateEvidence) -> int:
    return mtu_of(link) or 0


def _is_virtual(link: StateEvidence) -> bool:
    """Whether its frames stay in its host, or go through an overlay that makes them shorter."""
    container = str(link.values.get("address") or "").startswith(_DOCKER_MAC)
    return container or _VIRTUAL.match(link.name) is not None


def _are_apart(high: StateEvidence, others: Sequence[StateEvidence]) -> bool:
    """Whether the addresses of a link and of all another host's are of different networks."""
    near, far = _networks(high), {network for link in others for network in _networks(link)}
    return bool(near) and bool(far) and near.isdisjoint(far)


def _networks(link: StateEvidence) -> set[str]:
    """The networks of its addresses; those of every link (fe80::/10) tell nothing."""
    networks: set[str] = set()
    for address in fields(f"{link.values.get('ipv4') or ''} {link.values.get('ipv6') or ''}"):
        with suppress(ValueError):
            network = ip_interface(address).network
            networks |= set() if network.is_link_local else {str(network)}
    return networks


def _one_side(low: StateEvidence, high: StateEvidence) -> Finding:
    least, most = _mtu(low), _mtu(high)
    return mismatch(
        f"{low.host}, {high.host}",
        f"{high.host} sends frames of up to {most} bytes ({high.name}), and no interface of "
        f"{low.host} has an MTU above {least}: where both are on one network, longer frames "
        "are dropped without a word (AoE, storage over UDP) or TCP falls back to the shorter.",
        (Evidence(f"MTU of {high.name} on {high.host}", most, "B", high.where),
         Evidence(f"largest MTU on {low.host} ({low.name})", least, "B", low.where)),
        f"`ip link set INTERFACE mtu {most}` on {low.host} and jumbo frames on every port of "
        "the switch, or the smaller MTU everywhere; setting it interrupts the link",
        most,
    )  # fmt: skip


def above_its_link(case: EvidenceSet) -> Iterator[Finding]:
    """A bond, bridge or VLAN whose frames its own link does not take."""
    links = list(case.of_kind("link"))
    for upper in links:
        most = mtu_of(upper)
        if most is None:
            continue
        names = {*upper.below, str(upper.values.get("lower") or "")}
        for lower in links:
            below = lower.name in names or lower.values.get("master") == upper.name
            least = mtu_of(lower)
            if not below or least is None or least >= most:
                continue
            if (lower.source, lower.host) != (upper.source, upper.host):
                continue
            yield mismatch(
                subject_of(upper),
                f"{upper.name} has an MTU of {most}, and {lower.name} below it takes frames of up "
                f"to {least} bytes: longer ones are dropped there.",
                (Evidence(f"MTU of {upper.name}", most, "B", upper.where),
                 Evidence(f"MTU of {lower.name}", least, "B", lower.where)),
                f"`ip link set {lower.name} mtu {most}`, where card and switch take it; it "
                "interrupts the link",
                most,
            )  # fmt: skip


def shorter_path(case: EvidenceSet) -> Iterator[Finding]:
    """A path whose MTU, where it was probed, is less than that of the link it begins with."""
    for state in case.with_value("path_mtu"):
        path = state.values["path_mtu"]
        own = mtu_of(state) or max(
            (mtu_of(link) or 0 for link in case.of_kind("link")
             if (link.source, link.host) == (state.source, state.host)), default=0,
        )  # fmt: skip
        if not isinstance(path, int) or path >= own:
            continue
        yield mismatch(
            state.name or state.host,
            f"The path to {state.name or 'the other end'} takes packets of {path} bytes, and the "
            f"link sends up to {own}: what is longer is cut up, sent again or lost on the way.",
            (Evidence("MTU of the path", path, "B", state.where),
             Evidence("MTU of the link", own, "B", state.where)),
            f"jumbo frames on every port and router between, or an MTU of {path} at both ends",
            own,
        )  # fmt: skip


RULES: tuple[Rule, ...] = (
    Rule("jumbo-mismatch", "link", "Jumbo frames on one side only.", MTU_SOURCES, one_side_only),
    Rule("jumbo-mismatch", "link", "A bond, bridge or VLAN above a link with a smaller MTU.",
         MTU_SOURCES, above_its_link),
    Rule("jumbo-mismatch", "link, host", "A path with a smaller MTU than its link.", MTU_SOURCES,
         shorter_path),
)  # fmt: skip
