"""Data of bcachefs that lacks copies, and devices of it that are away.

Source: bcachefs-tools 1.37, src/commands/fs_usage.rs (columns of what is degraded: "-1x" are data
with one copy less); bcachefs(8) (`device online`, `data rereplicate`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from iosonde import units
from iosonde.records.evidence import EvidenceSet, Rule, StateEvidence, subject_of
from iosonde.records.finding import Finding

_LESS = re.compile(
    r"copies_(?:(?P<copies>\d{1,2})x|\d{1,2}_and_(?P<parity>\d{1,2}))_without_(?P<lost>\d{1,2})x$"
)


def _lost_copies(case: EvidenceSet) -> Iterator[Finding]:
    """File systems some of whose data have fewer copies than asked for, or none."""
    for state in case.of_kind("bcachefs"):
        lacking = {
            name: bool(_is_gone(match))
            for name in state.values
            if (match := _LESS.match(name)) and state.number(name)
        }
        if not lacking:
            continue
        gone = [name for name, is_lost in lacking.items() if is_lost]
        names = gone or list(lacking)
        size = units.show_bytes(sum(state.number(name) for name in names))
        yield Finding(
            "degraded", "error" if gone else "warning", subject_of(state),
            f"{size} of {state.name} "
            + ("cannot be read: every copy of it is on devices that are away."
               if gone else "have fewer copies than were asked for: the next device that fails may "
               "take data with it."),
            state.evidence(*lacking, units=dict.fromkeys(lacking, "B")),
            "bring back the device that is away (`bcachefs device online`)"
            + ("" if gone else ", or, where it is lost, `bcachefs data rereplicate` of the mounted "
               "file system while the others have space"),
            "`bcachefs fs usage` shows nothing in the columns of lost copies",
        )  # fmt: skip


def _is_gone(match: re.Match[str]) -> bool:
    """Whether as many copies are lost as there were, or more than the parity makes up for."""
    lost = int(match["lost"])
    return lost >= int(match["copies"]) if match["copies"] else lost > int(match["parity"])


def _offline_devices(case: EvidenceSet) -> Iterator[Finding]:
    """Devices that the file system knows, and that are away."""
    away: dict[str, list[StateEvidence]] = {}
    for state in case.of_kind("bcachefs_device"):
        if state.values.get("state") == "offline":
            away.setdefault(state.where, []).append(state)
    for devices in away.values():
        labels = ", ".join(
            str(device.values.get("label") or f"device {device.values.get('device_id')}")
            for device in devices
        )
        yield Finding(
            "degraded", "error", subject_of(devices[0]),
            f"A bcachefs runs without {labels}: what only this device holds cannot be read, and "
            "what is written now has no copy there.",
            tuple(part for device in devices for part in device.evidence("state", "label")),
            "look why it is away (cable, power, the kernel's log), then `bcachefs device online`; "
            "`bcachefs device remove` only once its data have copies elsewhere",
            "`bcachefs fs usage` lists it as rw",
        )  # fmt: skip


RULES: tuple[Rule, ...] = (
    Rule("degraded", "bcachefs", "Data with fewer copies than asked for.",
         "bcachefs-tools src/commands/fs_usage.rs", _lost_copies, stage="redundancy"),
    Rule("degraded", "bcachefs_device", "Devices that are away.",
         "bcachefs-tools src/commands/fs_usage.rs", _offline_devices, stage="redundancy"),
)  # fmt: skip
