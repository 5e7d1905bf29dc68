"""An AoE target and its initiator whose interfaces have different MTUs.

Source: Linux drivers/block/aoe/aoecmd.c; for MTUs see `iosonde.layers._mtus`.
"""

from __future__ import annotations

from collections.abc import Iterator

from iosonde.layers._mtus import MTU_SOURCES, mismatch, mtu_of
from iosonde.records.evidence import EvidenceSet, Rule, StateEvidence
from iosonde.records.finding import Evidence, Finding


def aoe_ends(case: EvidenceSet) -> Iterator[Finding]:
    """An AoE target and its initiator whose own interfaces have different MTUs.

    Other links of the two hosts may agree, which `one_side_only` would be content with.
    """
    links = {(link.source, link.host, link.name): link for link in case.with_value("mtu")}
    targets = {_address(target): target for target in case.of_kind("aoe_target")}
    for near in case.of_kind("aoe"):
        far = targets.get(_address(near))
        interface = str(near.values.get("interface") or "").split(",")[0]
        link = links.get((near.source, near.host, interface))
        own, other = mtu_of(link) if link else None, mtu_of(far) if far else None
        if link is None or far is None or own is None or other is None or own == other:
            continue
        most = max(own, other)
        yield mismatch(
            f"{near.host}, {far.host}",
            f"{near.name} is exported through an interface with an MTU of {other} and imported "
            f"through {interface} with {own}: frames of the longer are dropped without a word, or "
            "the shorter ones are used.",
            (Evidence(f"MTU of {interface} on {near.host}", own, "B", link.where),
             Evidence(f"MTU of {far.values.get('interface')} on {far.host}", other, "B",
                      far.where)),
            f"`mtu: {most}` for both ends in the stack file, where every port of the switch takes "
            "it, or the smaller one for both",
            most,
        )  # fmt: skip


def _address(state: StateEvidence) -> tuple[str, object, object]:
    """What a target and its initiators have in common: shelf and slot."""
    return state.source, state.values.get("shelf"), state.values.get("slot")


RULES: tuple[Rule, ...] = (
    Rule("jumbo-mismatch", "aoe, aoe_target, link", "The two ends of AoE with different MTUs.",
         f"{MTU_SOURCES}; Linux drivers/block/aoe/aoecmd.c", aoe_ends),
)  # fmt: skip
