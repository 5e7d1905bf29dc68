"""Imports whose target does not answer: what is read or written there waits, or fails.

Source:
    Linux drivers/nvme/host/core.c, nvme_sysfs_show_state() ("live", "connecting", "resetting",
    "deleting", "dead"); drivers/scsi/scsi_transport_iscsi.c, iscsi_session_state_names
    ("LOGGED_IN", "FAILED", "FREE"); drivers/block/aoe/aoeblk.c, aoedisk_show_state() ("up",
    "down", either with ",kickme" or ",closewait"); nvme-connect(1), iscsid.conf, aoe.rst for what
    happens how soon.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from iosonde.records.evidence import EvidenceSet, Rule, StateEvidence, subject_of
from iosonde.records.finding import Evidence, Finding
from iosonde.records.stack import Scalar

_WAITS = {
    "nvmeof": "I/O waits until fast_io_fail_tmo or ctrl_loss_tmo have passed, and fails then",
    "iscsi": "I/O waits until node.session.timeo.replacement_timeout has passed, and fails then",
    "aoe": "I/O fails once the target was silent for aoe_deadsecs",
}
_AGAIN = {
    "nvmeof": "`nvme list-subsys` shows when the path is live again; the kernel tries by itself "
    "every reconnect_delay seconds",
    "iscsi": "`iscsiadm -m session -P 1` shows it; the daemon logs in again by itself",
    "aoe": "`aoe-revalidate` asks the target again; one that was silent too long needs it",
}


def answers(kind: str, values: Mapping[str, Scalar]) -> bool | None:
    """Whether the target of an import answers, None where that is not known."""
    state = values.get("state")
    if not isinstance(state, str) or not state:
        return None
    if kind == "nvmeof":
        return state == "live"
    if kind == "iscsi":
        return state.upper() == "LOGGED_IN"
    return state.split(",")[0] == "up"


def silent(case: EvidenceSet) -> Iterator[Finding]:
    """Imports that have lost their target."""
    for state in case.of_kind(*_WAITS):
        if answers(state.kind, state.values) is False:
            yield _lost(state)


def _lost(state: StateEvidence) -> Finding:
    where = state.values.get("address") or state.values.get("interface")
    evidence = [Evidence("state", state.values["state"], "", state.where)]
    if isinstance(where, str) and where:
        evidence.append(Evidence("target", where, "", state.where))
    return Finding(
        rule="lost-target",
        severity="error",
        subject=subject_of(state),
        message=f"The target of {state.name} does not answer: {_WAITS[state.kind]}.",
        evidence=tuple(evidence),
        remedy=f"Look at the target's host and at the way there. {_AGAIN[state.kind]}.",
        confirm="the state, once the target is reached again",
    )


RULES: tuple[Rule, ...] = (
    Rule("lost-target", "nvmeof, iscsi, aoe", "Imports whose target does not answer.",
         "Linux drivers/nvme/host/core.c, scsi_transport_iscsi.c, aoeblk.c", silent),
)  # fmt: skip
