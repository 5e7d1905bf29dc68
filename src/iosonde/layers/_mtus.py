"""MTUs that do not fit, whoever sends the frames.

Source: IEEE 802.3 has no way to tell the other end, what is too long for it is dropped; ip-link(8);
RFC 8899 for probing a path.
"""

from __future__ import annotations

from iosonde.records.evidence import StateEvidence
from iosonde.records.finding import Evidence, Finding

_LONGEST_FRAME = 16110  # what some cards take; InfiniBand and loopback have more


def mtu_of(state: StateEvidence) -> int | None:
    """The MTU of an Ethernet link; None where unknown or of loopback and InfiniBand."""
    mtu = state.values.get("mtu")
    if not isinstance(mtu, int) or state.values.get("loopback") or mtu > _LONGEST_FRAME:
        return None
    return mtu


def mismatch(
    subject: str, message: str, evidence: tuple[Evidence, ...], remedy: str, mtu: int
) -> Finding:
    """The finding that ends have different MTUs, of which `mtu` is the larger."""
    return Finding(
        "jumbo-mismatch", "warning", subject, message, evidence, remedy,
        f"`ping -M do -s {mtu - 28} OTHER-END` from both sides: it must answer",
    )  # fmt: skip


MTU_SOURCES = "IEEE 802.3; ip-link(8); RFC 8899"
