"""What an iSCSI write sends before it must wait for its target.

Source: RFC 7143, 13.10 to 13.14 (InitialR2T, ImmediateData, MaxBurstLength, FirstBurstLength).
"""

from __future__ import annotations

from collections.abc import Iterator

from iosonde import units
from iosonde.layers._requests import goes_to, has_direction, request_size, value_by_letters
from iosonde.records.evidence import EvidenceSet, Rule, StateEvidence, TrialEvidence
from iosonde.records.finding import Evidence, Finding

_KINDS = ("iscsi", "iscsi_initiator", "iscsi_target", "iser")


def iscsi_rounds(case: EvidenceSet) -> Iterator[Finding]:
    """iSCSI: writes that wait for the target to ask for their data."""
    for session in case.of_kind(*_KINDS):
        burst = value_by_letters(session, "maxburstlength")
        first = value_by_letters(session, "firstburstlength")
        immediate = value_by_letters(session, "immediatedata")
        waits = value_by_letters(session, "initialr2t") is not False
        for trial in case.trials:
            bs = request_size(trial)
            if not bs or not goes_to(trial, session) or not has_direction(trial, "write"):
                continue
            sent = _unasked(first, immediate, waits)
            if isinstance(burst, int) and burst > 0 and bs > burst:
                yield _rounds(session, trial, bs, burst)
            elif sent is not None and bs > sent:
                yield _asked_for(session, trial, bs, sent)


def _unasked(first: object, immediate: object, waits: bool) -> int | None:
    """Bytes of a write that go without being asked for; None where unknown."""
    if immediate is False and waits:
        return 0
    return first if isinstance(first, int) and not isinstance(first, bool) else None


def _rounds(session: StateEvidence, trial: TrialEvidence, bs: int, burst: int) -> Finding:
    count = -(-bs // burst)
    return Finding(
        "frame-block", "note", trial.label,
        f"Each write of {units.show_bytes(bs)} over {session.name} takes {count} bursts of at most "
        f"{units.show_bytes(burst)} (MaxBurstLength), for each of which the target must ask.",
        (
            Evidence("block size of the load", bs, "B", trial.where),
            Evidence("MaxBurstLength", burst, "B", session.where),
            Evidence("bursts of a write", count, "", "computed"),
        ),
        "node.session.iscsi.MaxBurstLength of at least the request (up to 16776192) at both ends, "
        "then log in again: the session is interrupted, and the target needs as much memory",
        "the same load with both values",
    )  # fmt: skip


def _asked_for(session: StateEvidence, trial: TrialEvidence, bs: int, sent: int) -> Finding:
    part = f"after its first {units.show_bytes(sent)}" if sent else "before any of its data go"
    return Finding(
        "frame-block", "note", trial.label,
        f"Each write of {units.show_bytes(bs)} over {session.name} waits for the target's R2T "
        f"{part}: one more round trip in its latency.",
        (
            Evidence("block size of the load", bs, "B", trial.where),
            Evidence("sent without being asked for", sent, "B", session.where),
        ),
        "ImmediateData=Yes, InitialR2T=No and a FirstBurstLength of at least the request at both "
        "ends, then log in again: the session is interrupted",
        "the latency of single writes with both settings",
    )  # fmt: skip


RULES: tuple[Rule, ...] = (
    Rule("frame-block", "iscsi", "iSCSI writes that wait for the target to ask for their data.",
         "RFC 7143, 13.10 to 13.14", iscsi_rounds),
)  # fmt: skip
