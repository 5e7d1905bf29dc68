"""Resyncs that do not go on, or not within any time that somebody waits.

Source:
    Linux drivers/md/md.c, md_seq_show(), status_resync() ("PENDING": the array is auto-read-only,
    or waits for its first write; "DELAYED": another array on the same disks is at work),
    action_show() ("frozen"); mdadm(8), --readwrite; drbdsetup(8), pause-sync, resync-after;
    lvmraid(7).
"""

from __future__ import annotations

from collections.abc import Iterator

from iosonde import units
from iosonde.records.evidence import EvidenceSet, Rule, StateEvidence, subject_of
from iosonde.records.finding import Evidence, Finding

_DAY = 86400.0
_LONGEST = 14 * _DAY
_PAUSED = frozenset({"PausedSyncS", "PausedSyncT"})


def stuck(case: EvidenceSet) -> Iterator[Finding]:
    """Arrays and replicas whose resync stands still."""
    for state in case.of_kind("md"):
        yield from _md(state)
    for state in case.of_kind("drbd"):
        link = str(state.values.get("replication") or state.values.get("connection") or "")
        if link in _PAUSED:
            yield _finding(
                state, f"The resync of {state.name} is paused ({link})", "replication", link,
                f"`drbdadm resume-sync {state.name}`, unless it waits for another resource by "
                "resync-after, which then has to end first",
            )  # fmt: skip


def _md(state: StateEvidence) -> Iterator[Finding]:
    values, name = state.values, state.name
    if values.get("sync_waits") == "pending":
        yield _finding(
            state, f"The {values.get('sync_action')} of {name} has not begun, because the array is "
            "read-only until somebody writes to it", "sync_waits", "pending",
            f"`mdadm --readwrite /dev/{name}`",
        )  # fmt: skip
    elif values.get("sync_action") == "frozen" and values.get("degraded"):
        yield _finding(
            state, f"{name} lacks a member, and its resync is frozen: no spare is taken in",
            "sync_action", "frozen", f"`echo idle > /sys/block/{name}/md/sync_action`, after "
            "whoever froze it (mdadm while it reshapes) is done",
        )  # fmt: skip
    elif (left := _left(state)) is not None and left > _LONGEST:
        days = "without end" if left == float("inf") else f"for {round(left / _DAY):,} days more"
        yield _finding(
            state, f"At its present speed {name} goes on {days} with its {values['sync_action']}",
            "sync_speed", values.get("sync_speed"), "look for a disk that answers slowly or not at "
            "all (`iostat -x`, `smartctl -a`, the kernel's log), at sync_max, and at "
            "`sysctl dev.raid.speed_limit_min`, which is raised where other I/O holds it back",
            unit="B/s",
        )  # fmt: skip


def _left(state: StateEvidence) -> float | None:
    """Seconds until a resync is done; None where it has no known speed."""
    size, share, speed = (state.values.get(name) for name in ("size", "sync_share", "sync_speed"))
    members = state.values.get("data_members") or 1
    if not isinstance(share, float) or not isinstance(speed, int) or isinstance(speed, bool):
        return None
    if not speed:
        return float("inf")
    if not isinstance(size, int) or not isinstance(members, int):
        return None
    return (1 - share) * size / members / speed


def _finding(
    state: StateEvidence,
    said: str,
    what: str,
    value: str | float | None,
    remedy: str,
    *,
    unit: str = "",
) -> Finding:
    shown = units.show(float(value), unit) if unit and isinstance(value, int | float) else value
    return Finding(
        rule="resync-stuck",
        severity="warning",
        subject=subject_of(state),
        message=f"{said}: until it is done there is no redundancy for what is not yet alike.",
        evidence=(Evidence(what.replace("_", " "), shown, "", state.where),),
        remedy=remedy,
        confirm="a share in sync that grows (/proc/mdstat, `drbdadm status`)",
    )


RULES: tuple[Rule, ...] = (
    Rule("resync-stuck", "md, drbd", "Resyncs that have not begun, are frozen or paused, or would "
         "take weeks.", "Linux drivers/md/md.c; drbdsetup(8)", stuck),
)  # fmt: skip
