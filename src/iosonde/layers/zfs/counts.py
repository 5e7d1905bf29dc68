"""How findings show counts of errors that `zpool status` shortens: "1.05K" is about 1,080."""

from __future__ import annotations

from iosonde.kerneltext import fields
from iosonde.layers.zfs.facts import ROUNDED
from iosonde.records.evidence import StateEvidence
from iosonde.records.finding import Evidence


def shown_count(device: StateEvidence, name: str) -> str:
    """A count in words: "about 1,080" of one that was printed in short."""
    about = "about " if name in _rounded(device) else ""
    return f"{about}{int(device.number(name)):,}"


def counts_evidence(device: StateEvidence, *names: str) -> tuple[Evidence, ...]:
    """Facts of a device as a finding shows them, without digits that were not printed."""
    rounded = _rounded(device)
    return tuple(
        Evidence(name.replace("_", " "), shown_count(device, name), "", device.where)
        if name in rounded else evidence
        for name in names for evidence in device.evidence(name)
    )  # fmt: skip


def _rounded(device: StateEvidence) -> list[str]:
    """Names of the counts that were printed in short."""
    return fields(str(device.values.get(ROUNDED, "")))
