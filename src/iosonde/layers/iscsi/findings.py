"""What an iSCSI write sends before it must wait for its target, and where a target keeps it.

Source:
    RFC 7143, 13.10 to 13.14 (InitialR2T, ImmediateData, MaxBurstLength, FirstBurstLength).
    Linux drivers/target/target_core_file.c (fd_configure_device(): FDBD_HAS_BUFFERED_IO_WCE opens
    the file without O_DSYNC and reports a write cache; fd_execute_sync_cache() syncs the file);
    targetcli-fb, ui_backstore.py (write_back is on unless `write_back=false`).
"""

from __future__ import annotations

from collections.abc import Iterator

from iosonde import units
from iosonde.layers._requests import goes_to, has_direction, request_size, value_by_letters
from iosonde.records.evidence import (
    EvidenceSet,
    Rule,
    StateEvidence,
    TrialEvidence,
    subject_of,
)
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


def _volatile_files(case: EvidenceSet) -> Iterator[Finding]:
    """Files that LIO exports through the page cache; those that it does not export lose nothing."""
    for store in case.of_kind("backstore"):
        is_file = store.name.startswith("fileio/")
        is_used = store.values.get("state") != "deactivated"
        if is_file and is_used and store.values.get("write_policy") == "write_back":
            yield Finding(
                "unsafe-cache", "warning", subject_of(store),
                f"The target keeps writes to {store.name} in its memory and confirms them before "
                "they are on its disk: when it loses power or crashes, those that no initiator has "
                "flushed are lost. It reports a write cache, so an initiator that flushes is safe.",
                store.evidence("device", "write_policy", "emulate_write_cache", "state"),
                "where something does not flush what it was told is written, make the storage "
                "object anew with `write_back=false` (`/backstores/fileio create`; the file keeps "
                "its data, the LUN must be mapped again), or export a block device; figures taken "
                "without flushes are those of the target's memory",
                "`targetcli ls` shows write-thru",
            )  # fmt: skip


def _late_networks(case: EvidenceSet) -> Iterator[Finding]:
    """Entries of fstab whose disk is reached over the network, and that do not say so."""
    for state in case.states:
        fails_softly = state.values.get("nofail") or state.values.get("noauto")
        if state.values.get("_netdev") is not False or fails_softly:
            continue
        yield Finding(
            "mount-before-network", "warning", subject_of(state),
            f"{state.name} is mounted from a disk that is reached over iSCSI, without `_netdev`: "
            "systemd takes it for a local disk, waits for it before there is a network, and the "
            "host may stop in emergency mode at boot; at shutdown the network may go first.",
            state.evidence("device"),
            "add `_netdev` to its options in /etc/fstab (and `nofail`, if the host shall start "
            "without it), then `systemctl daemon-reload`",
            "`systemctl list-dependencies remote-fs.target` names its mount",
        )  # fmt: skip


RULES: tuple[Rule, ...] = (
    Rule("mount-before-network", "iscsi", "Disks over iSCSI in fstab without `_netdev`.",
         "systemd.mount(5); mount(8), _netdev", _late_networks),
    Rule("frame-block", "iscsi", "iSCSI writes that wait for the target to ask for their data.",
         "RFC 7143, 13.10 to 13.14", iscsi_rounds),
    Rule("unsafe-cache", "iscsi_target", "Files that LIO exports write-back, through its memory.",
         "Linux drivers/target/target_core_file.c, fd_configure_device()", _volatile_files),
)  # fmt: skip
