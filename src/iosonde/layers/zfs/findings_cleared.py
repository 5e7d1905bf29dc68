"""Errors of devices of ZFS that a later output does not show any more.

Source: zpool-clear(8) (clears errors, and brings a device online again that was faulted for them;
it mends nothing); zpool-status(8); OpenZFS message ZFS-8000-9P; cmd/zpool/zpool_main.c,
zpool_do_offline() (VDEV_AUX_EXTERNAL, which is "external device fault", is of `zpool offline -f`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from iosonde.layers._backing import where_to_look
from iosonde.layers.zfs.counts import counts_evidence, shown_count
from iosonde.records.evidence import EvidenceSet, Rule, StateEvidence, subject_of
from iosonde.records.finding import Finding

_COUNTERS = {
    "read_errors": "failed reads", "write_errors": "failed writes",
    "checksum_errors": "wrong checksums",
}  # fmt: skip
_NOTHING = re.compile(r"scrub repaired 0B? in\b")
_MARKED = frozenset({"DEGRADED", "FAULTED"})
_BY_HAND = "external device fault"
"""What stands beside a device that `zpool offline -f` faulted: it need not have any error."""


def is_cleared(case: EvidenceSet, device: StateEvidence) -> bool:
    """Whether a later output of the same text shows the device online and without errors."""
    later = False
    last: StateEvidence | None = None
    for other in case.of_kind("zpool_device"):
        if _key(other) == _key(device):
            last = other if later else None
            later = later or other is device
    return (
        last is not None and last.where != device.where and last.values.get("state") == "ONLINE"
        and not any(map(last.number, _COUNTERS)) and "checksum_errors" in last.values
    )  # fmt: skip


def _key(device: StateEvidence) -> tuple[str, str, object, str]:
    return device.source, device.host, device.values.get("pool"), device.name


def is_scrubbed(case: EvidenceSet, state: StateEvidence, pool: object) -> bool:
    """Whether the text ends with a scrub after an output that found and repaired nothing."""
    later, scans = False, set[object]()
    last: StateEvidence | None = None
    for other in case.states:
        if other.kind == "zpool" and (other.source, other.host, other.name) == (
            state.source, state.host, pool
        ):  # fmt: skip
            if later and other.where != state.where:
                last = other
            else:
                scans.add(other.values.get("scan"))
        later = later or other is state
    return (
        last is not None and last.values.get("scrub_errors") == 0
        and not last.number("data_errors") and last.values.get("scan") not in scans
        and _NOTHING.match(str(last.values.get("scan"))) is not None
    )  # fmt: skip


def _cleared(case: EvidenceSet) -> Iterator[Finding]:
    worst: dict[tuple[str, str, object, str], StateEvidence] = {}
    for device in case.of_kind("zpool_device"):
        errors = sum(map(device.number, _COUNTERS))
        is_marked = (
            device.values.get("state") in _MARKED
            and device.values.get("note") not in {None, "", _BY_HAND}
        )  # fmt: skip
        if device.values.get("group") or not (errors or is_marked) or not is_cleared(case, device):
            continue
        if is_scrubbed(case, device, device.values.get("pool")):
            continue
        before = worst.get(_key(device))
        if before is None or errors >= sum(map(before.number, _COUNTERS)):
            worst[_key(device)] = device
    for device in worst.values():
        counts = [f"{shown_count(device, name)} {what}" for name, what in _COUNTERS.items()
                  if device.number(name)]  # fmt: skip
        note = device.values.get("note")
        state = f"{device.values.get('state')}{f', {note}' if note else ''}"
        yield Finding(
            "cleared-errors", "warning", subject_of(device),
            f"Errors of {device.name} were cleared: an earlier output shows it "
            + " with ".join([state, *([", ".join(counts)] if counts else [])])
            + ", a later one ONLINE without any. Clearing mends nothing; unless another device "
            "took its place, what caused them is still there.",
            counts_evidence(device, "state", "note", *_COUNTERS),
            f"{where_to_look(case, device, device.name)}; then `zpool scrub "
            f"{device.values.get('pool')}` and watch it: replace what counts again",
            "`zpool status` after the scrub and some weeks later: READ, WRITE and CKSUM stay 0",
        )  # fmt: skip


RULES: tuple[Rule, ...] = (
    Rule("cleared-errors", "zfs", "Devices whose errors were cleared.",
         "zpool-clear(8); OpenZFS message ZFS-8000-9P", _cleared),
)  # fmt: skip
