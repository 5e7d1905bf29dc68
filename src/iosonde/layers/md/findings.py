"""Arrays of md that are not whole, and resyncs that do not go on or take longer than anybody waits.

Source:
    Linux drivers/md/md.c, md_seq_show(), status_resync() ("PENDING": the array is auto-read-only,
    or waits for its first write; "DELAYED": another array on the same disks is at work),
    action_show() ("frozen"), degraded; mdadm(8), --readwrite.
"""

from __future__ import annotations

from collections.abc import Iterator

from iosonde import units
from iosonde.kerneltext import fields
from iosonde.layers._raid.findings import busy, reads_of_lost, stands_still, written_parity
from iosonde.layers._raid.geometry import MIRRORED, PARITY
from iosonde.layers.md.lacking import is_shown_idle, lacking_states
from iosonde.layers.md.rebuilds import (
    being_filled,
    is_filled,
    is_new,
    lost_copies,
    may_be_lost,
    not_running,
    spare_losses,
)
from iosonde.records.evidence import (
    EvidenceSet,
    Rule,
    StateEvidence,
    TrialEvidence,
    called,
    subject_of,
)
from iosonde.records.finding import Evidence, Finding

_PAGE = 4 * units.KIB
_CACHE = 256  # entries of the stripe cache, unless set
_DAY = 86400.0
_LONGEST = 14 * _DAY
_BEGUN = 5e-4  # share done: before, its speed is that of its first seconds
_IDLE = frozenset({"", "idle", "none", "frozen"})


def stuck(case: EvidenceSet) -> Iterator[Finding]:
    """Arrays whose resync stands still."""
    every = list(case.of_kind("md"))
    for place, state in enumerate(every):
        if not any(is_shown_idle(state, other) for other in every[place + 1 :]):
            yield from _stuck(state)


def _stuck(state: StateEvidence) -> Iterator[Finding]:
    values, name = state.values, state.name
    if values.get("sync_waits") == "pending":
        yield stands_still(
            state, f"The {values.get('sync_action')} of {name} has not begun, because the array is "
            "read-only until somebody writes to it", "sync_waits", "pending",
            f"`mdadm --readwrite /dev/{name}`",
        )  # fmt: skip
    elif values.get("sync_action") == "frozen" and values.get("degraded"):
        yield stands_still(
            state, f"{name} lacks a member, and its resync is frozen: no spare is taken in",
            "sync_action", "frozen", f"`echo idle > /sys/block/{name}/md/sync_action`, after "
            "whoever froze it (mdadm while it reshapes) is done",
        )  # fmt: skip
    elif (left := _too_long(state)) is not None:
        word = "recovery" if values["sync_action"] == "recover" else values["sync_action"]
        days = "without end" if left == float("inf") else f"for {round(left / _DAY):,} days more"
        yield stands_still(
            state, f"At its present speed {name} goes on {days} with its {word}",
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


def _too_long(state: StateEvidence) -> float | None:
    """Seconds until a resync is done, if nobody waits so long and it has done some of it."""
    share, left = state.values.get("sync_share"), _left(state)
    if left is None or left <= _LONGEST:
        return None
    stands = left == float("inf")
    return left if stands or (isinstance(share, float) and share >= _BEGUN) else None


def not_whole(case: EvidenceSet) -> Iterator[Finding]:
    """Arrays of md that lack members."""
    for state in lacking_states(case):
        missing = state.values.get("degraded")
        if isinstance(missing, int) and not isinstance(missing, bool) and missing > 0:
            if is_filled(state, missing):
                if _too_long(state) is None:  # else `stuck` speaks of it
                    yield being_filled(state, missing, is_new=is_new(case, state))
                continue
            yield _lacking(state, missing)


def at_work(case: EvidenceSet) -> Iterator[Finding]:
    """Arrays of md that are busy with themselves, and lack nothing by that."""
    for state in lacking_states(case):
        action = str(state.values.get("sync_action") or "")
        waits = state.values.get("sync_waits") or _too_long(state) is not None
        if state.values.get("degraded") and action == "recover":
            continue  # which is said of what it lacks
        if is_filled(state, int(state.number("degraded"))):
            continue
        if state.name and action not in _IDLE and not waits:
            yield busy(
                case,
                state,
                action,
                state.values.get("sync_share"),
                done="done",
                remedy="`sysctl dev.raid.speed_limit_max` slows it down",
                confirm="/proc/mdstat shows no progress line",
            )


def _lacking(state: StateEvidence, missing: int) -> Finding:
    level, disks = state.values.get("level"), state.values.get("raid_disks")
    failed = state.values.get("faulty")
    of = f" of its {disks} members" if isinstance(disks, int) else f" member{'s'[: missing - 1]}"
    name = f"{called(state)} ({level.upper().replace('RAID', 'RAID ')})" if isinstance(
        level, str) else called(state)  # fmt: skip
    reads = reads_of_lost(str(level), "reads of what is gone", "all others")
    cost = f"{reads}, " * bool(reads)
    more = spare_losses(state, missing)
    left = may_be_lost(more)
    evidence = [Evidence("members missing", missing, "", state.where)]
    if failed:
        evidence.append(Evidence("failed", str(failed), "", state.where))
    of_member = "magic" in state.values  # what the superblock of a member says of its array
    array = (not of_member and state.name) or "ARRAY"
    lacks = f"{'By its superblock, the array of ' * of_member}{name} lacks {missing}{of}"
    if more < 0 and level in PARITY:
        return _broken(state, f"{lacks}, more than its level stands", tuple(evidence))
    if "FAILED" in str(state.values.get("state")):  # Detail.c of mdadm: not enough members
        return _broken(state, f"{lacks}, and mdadm calls it failed", tuple(evidence))
    if places := lost_copies(state):
        held = f"among them all that hold the same data (places {', '.join(map(str, places))})"
        gone = "what they hold has no copy left, and the array cannot be read as it is"
        return _broken(state, f"{lacks}, {held}", tuple(evidence), gone)
    if state.values.get("active_members") == 0:
        return _broken(state, f"{lacks}, and none of the others is active", tuple(evidence))
    if not isinstance(level, str):
        return _unknown(state, lacks, tuple(evidence))
    return Finding(
        rule="degraded",
        severity="error",
        subject=subject_of(state),
        message=f"{lacks}: {cost}{left}, and what is measured now is not the whole array's.",
        evidence=tuple(evidence),
        remedy=_filled_up(state, missing, array, "its copies on" if level in MIRRORED else "all"),
        confirm="/proc/mdstat shows U for each member; then the same trial",
    )


def _filled_up(state: StateEvidence, missing: int, array: str, others: str) -> str:
    """What brings back members that are gone: a spare may be on the way already."""
    share = state.values.get("sync_share")
    reads = f"the rebuild reads {others} other members and takes bandwidth until it is done"
    if state.values.get("sync_action") != "recover" or state.values.get("sync_waits"):
        return f"`mdadm /dev/{array} --add NEW` after the failed one is removed; {reads}"
    done = f" ({units.show_fraction(share)} done)" if isinstance(share, float) else ""
    filled = len(fields(str(state.values.get("rebuilding") or "")))
    more = f"; then `mdadm /dev/{array} --add NEW` for what is still missing"
    return f"a recovery onto a spare is under way{done}: let it end; {reads}" + more * (
        0 < filled < missing)  # fmt: skip


def _unknown(state: StateEvidence, lacks: str, evidence: tuple[Evidence, ...]) -> Finding:
    """An array whose level is not shown: what it stands is not known, nor whether it runs."""
    return Finding(
        rule="degraded",
        severity="error",
        subject=subject_of(state),
        message=f"{lacks}; its level, which is not shown, decides whether it still runs.",
        evidence=evidence,
        remedy="look at its level and state (`mdadm --detail`, /proc/mdstat) before anything is "
        "added or written: to an array that does not run nothing is added",
        confirm="/proc/mdstat shows the array active, and its level",
    )


_STANDS = "it does not run, and what is on it cannot be read as it is"


def _broken(
    state: StateEvidence, lacks: str, evidence: tuple[Evidence, ...], after: str = _STANDS
) -> Finding:
    """An array that lacks more members than it can do without: it cannot run, or not be read."""
    return Finding(
        rule="degraded",
        severity="error",
        subject=subject_of(state),
        message=f"{lacks}: {after}.",
        evidence=evidence,
        remedy="write nothing to its members, create and add nothing: compare Events, Update Time "
        "and Device Role of each (`mdadm --examine`), look at the drives that are gone, and try "
        "`mdadm --assemble --force` on overlays or copies first",
        confirm="the array runs from copies, and its file system's check reads it",
    )


def stripe_cache(case: EvidenceSet) -> Iterator[Finding]:
    """The default stripe cache of md under writes."""
    seen: set[tuple[str, str]] = set()
    for trial, load, array in written_parity(case):
        size = array.values.get("stripe_cache_size")
        key = array.host, array.name
        if array.kind != "md" or str(size) != str(_CACHE) or key in seen:
            continue
        seen.add(key)
        evidence = [Evidence("stripe_cache_size", _CACHE, "", array.where)]
        if load.block and load.flying:
            evidence.append(Evidence("writes in flight", load.block * load.flying, "B", load.where))
        rate = "write.bandwidth" if trial.mean("write.bandwidth") else "write.iops"
        if (mean := trial.mean(rate)) is not None:
            evidence.append(Evidence(rate, mean, trial.metrics[rate].unit, trial.where))
        memory = f" ({units.show_bytes(4096 * _PAGE * array.disks)})" if array.disks else ""
        yield Finding(
            rule="raid-penalty",
            severity="note",
            subject=array.subject,
            message=f"{array.called} was written to with the default stripe cache, which has room "
            f"for {_CACHE} rows of 4 KiB, {units.show_bytes(_CACHE * _PAGE)} of each member: "
            "neighbouring writes that come later than that no longer meet to whole stripes.",
            evidence=tuple(evidence),
            remedy=f"`echo 4096 > /sys/block/{array.name}/md/stripe_cache_size`; it takes 4 KiB "
            f"of memory for each entry and member{memory} and is gone after a reboot",
            confirm="the same write load with 256, 1024 and 4096",
        )


def measured_meanwhile(case: EvidenceSet) -> Iterator[Finding]:
    """Trials that were measured while an array worked for itself."""
    groups: dict[tuple[str, str], list[TrialEvidence]] = {}
    for trial in case.trials:
        if trial.background:
            groups.setdefault((trial.source, "; ".join(trial.background)), []).append(trial)
    for (_, work), trials in groups.items():
        more = f" and {len(trials) - 1} more" if len(trials) > 1 else ""
        yield Finding(
            rule="background-work",
            severity="warning",
            subject=f"{trials[0].label}{more}",
            message=f"The array worked for itself while this was measured: {work}.",
            evidence=tuple(
                Evidence("background work", work, "", trial.where) for trial in trials[:4]
            ),
            remedy="measure again when it is idle (`prepare: wait_idle` in a study)",
            confirm="the same load without background work",
        )


_MD = "Linux drivers/md/md.c; Documentation/admin-guide/md.rst"
_RAID5 = "Linux drivers/md/raid5.c; Documentation/admin-guide/md.rst"


def _metadevices(case: EvidenceSet) -> Iterator[Finding]:
    """Mirrors and RAID 5 of Solaris Volume Manager with a part that must be mended."""
    for device in case.of_kind("metadevice"):
        state = str(device.values.get("state") or "")
        if device.values.get("type") not in {"mirror", "raid"} or state not in _MAINTENANCE:
            continue
        halves = device.values.get("submirrors")
        named = f" ({halves})" if halves else ""
        yield Finding(
            rule="degraded",
            severity="error",
            subject=subject_of(device),
            message=f"{device.name} {_MAINTENANCE[state]}{named}: it has less redundancy than it "
            "was built with, and figures measured now are not those of the whole device.",
            evidence=(Evidence("state", state, "", device.where),),
            remedy="replace the slice that failed and run the metareplace that metastat names "
            "behind “Invoke”; the resync takes hours of the drives' time",
            confirm="metastat shows Okay, and the same trial then",
        )


_MAINTENANCE = {
    "needs maintenance": "needs maintenance",
    "last erred": "erred last, so its other parts need maintenance first",
    "unavailable": "is unavailable",
    "resync cancelled": "has a resync that was cancelled",
    "initialization failed": "could not be initialised",
}


def _geoms(case: EvidenceSet) -> Iterator[Finding]:
    """Mirrors and RAID of FreeBSD's GEOM with a component that is gone or not yet in step."""
    for geom in case.of_kind("geom"):
        state, type_ = geom.values.get("state"), geom.values.get("type")
        if state not in {"DEGRADED", "BROKEN"} or type_ not in {"mirror", "raid", "raid3", None}:
            continue
        name = geom.name or "a GEOM"
        shares = {
            key.removesuffix("_synchronised"): value
            for key, value in geom.values.items()
            if key.endswith("_synchronised") and isinstance(value, float)
        }
        parts = ", ".join(f"{part} is at {share:.0%}" for part, share in shares.items())
        if state == "BROKEN":
            does = "is BROKEN: it lacks more components than it stands, and does not run"
            remedy = "write nothing to its components; look for the drives that are gone"
        elif parts:
            does = f"is DEGRADED while a component is being synchronised ({parts}), which takes "
            does += "bandwidth from all else; until then it has less redundancy"
            remedy = "wait for it, and measure again afterwards"
        else:
            does = "is DEGRADED: a component is gone or stale, and it has less redundancy"
            remedy = "see what became of the drive that is missing in its list; `gmirror forget` "
            remedy += "and `insert`, or `graid insert`, put a new one in its place"
        yield Finding(
            rule="degraded",
            severity="warning" if parts and state == "DEGRADED" else "error",
            subject=subject_of(geom),
            message=f"{name} {does}.",
            evidence=(Evidence("state", str(state), "", geom.where),),
            remedy=remedy,
            confirm="its status is COMPLETE (gmirror, graid3) or OPTIMAL (graid)",
        )


RULES: tuple[Rule, ...] = (
    Rule("raid-penalty", "md", "Writes through the default stripe cache of a parity array.", _RAID5,
         stripe_cache),
    Rule("background-work", "md", "Background work of an array while a trial was measured.", _RAID5,
         measured_meanwhile),
    Rule("degraded", "md", "Arrays that lack members, or are being filled.", _MD, not_whole,
         stage="redundancy"),
    Rule("background-work", "md", "Arrays that are busy with themselves.", _MD, at_work),
    Rule("degraded", "md", "Arrays that are put together and do not run.",
         "Linux drivers/md/md.c, md_seq_show(), array_state_show()", not_running,
         stage="redundancy"),
    Rule("resync-stuck", "md", "Resyncs that have not begun, are frozen, or would take weeks.", _MD,
         stuck, stage="waiting"),
    Rule("degraded", "md", "A mirror of Solaris Volume Manager that needs maintenance.",
         "OpenSolaris libmeta, sm_state_to_name(), raid_state_to_name()", _metadevices,
         stage="redundancy"),
    Rule("degraded", "md", "A mirror or RAID of FreeBSD's GEOM that is degraded or broken.",
         "FreeBSD g_raid.c, g_raid_volume_state2str(); gmirror(8), graid(8)", _geoms,
         stage="redundancy"),
)  # fmt: skip
