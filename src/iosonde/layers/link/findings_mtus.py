"""MTUs of links that do not fit: on two hosts, on two layers of one host, along a path.

Source: Linux Documentation/networking/bonding.rst; for MTUs see `iosonde.layers._mtus`.
"""

from __future__ import annotations

from collections.abc import Iterator

from iosonde.layers._mtus import MTU_SOURCES, mismatch, mtu_of
from iosonde.records.evidence import EvidenceSet, Rule, StateEvidence, subject_of
from iosonde.records.finding import Evidence, Finding

_STANDARD_MTU = 1500


def one_side_only(case: EvidenceSet) -> Iterator[Finding]:
    """Hosts of one document of which some send longer frames than any link of another takes."""
    for source in sorted({state.source for state in case.of_kind("link")}):
        longest: dict[str, StateEvidence] = {}
        for state in case.of_kind("link"):
            mtu = mtu_of(state)
            if state.source != source or not state.host or mtu is None:
                continue
            best = longest.get(state.host)
            if best is None or mtu > (mtu_of(best) or 0):
                longest[state.host] = state
        ordered = sorted(longest.values(), key=lambda link: mtu_of(link) or 0)
        if len(ordered) < 2:
            continue
        low, high = ordered[0], ordered[-1]
        least, most = mtu_of(low) or 0, mtu_of(high) or 0
        if most <= _STANDARD_MTU or least >= most:
            continue
        yield mismatch(
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
