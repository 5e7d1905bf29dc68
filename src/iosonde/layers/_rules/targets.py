"""Imports whose target does not answer: what is read or written there waits, or fails.

Which state means that, and what happens how soon, each kind says: `Layer.target_loss`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from iosonde.layers import LAYERS
from iosonde.records.evidence import EvidenceSet, Rule, StateEvidence, subject_of
from iosonde.records.finding import Evidence, Finding

if TYPE_CHECKING:
    from iosonde.layers.layer import TargetLoss


def silent(case: EvidenceSet) -> Iterator[Finding]:
    """Imports that have lost their target."""
    for evidence in case.states:
        state = evidence.values.get("state")
        if not isinstance(state, str) or not state or evidence.kind not in LAYERS:
            continue
        loss = LAYERS.load(evidence.kind).target_loss
        if loss and not loss.answers(state) and not _has_other_way(case, evidence):
            yield _lost(evidence, loss)


def _has_other_way(case: EvidenceSet, path: StateEvidence) -> bool:
    """Whether what it imports has other paths, of which another rule speaks (failed-paths)."""
    subsystem = path.values.get("subsystem")
    return bool(subsystem) and any(
        other.values.get("subsystem") == subsystem and other.name != path.name
        and (other.source, other.host, other.where) == (path.source, path.host, path.where)
        for other in case.of_kind(path.kind)
    )  # fmt: skip


def _lost(state: StateEvidence, loss: TargetLoss) -> Finding:
    where = state.values.get("address") or state.values.get("interface")
    evidence = [Evidence("state", state.values["state"], "", state.where)]
    if isinstance(where, str) and where:
        evidence.append(Evidence("target", where, "", state.where))
    return Finding(
        rule="lost-target",
        severity="error",
        subject=subject_of(state),
        message=f"The target of {state.name} does not answer: {loss.waits}.",
        evidence=tuple(evidence),
        remedy=f"Look at the target's host and at the way there. {loss.recovery}.",
        confirm="the state, once the target is reached again",
    )


RULES: tuple[Rule, ...] = (
    Rule("lost-target", "nvmeof, iscsi, aoe", "Imports whose target does not answer.",
         "Linux drivers/nvme/host/core.c, scsi_transport_iscsi.c, aoeblk.c", silent),
)  # fmt: skip
