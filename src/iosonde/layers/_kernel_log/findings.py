"""Rules about what the kernel's log says: data lost, devices reset, members failed, stalls.

Source:
    the files of the kernel that each technology's `kernel_log.py` names; Linux
    Documentation/admin-guide/sysctl/kernel.rst, hung_task_timeout_secs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial

from iosonde.layers import KERNEL_MESSAGES, LAYERS
from iosonde.layers._backing import backing_of, where_to_look
from iosonde.layers._kernel_log.causes import cause_of, unless_room
from iosonde.layers._kernel_log.events import Trouble, TroubleText
from iosonde.layers._kernel_log.printed import TOOL
from iosonde.records.evidence import CounterEvidence, EvidenceSet, Rule, subject_of
from iosonde.records.finding import Evidence, Finding
from iosonde.records.stack import Json

_REMOVABLE = re.compile(r"(?:sr|fd|scd)\d+$")
"""Drives whose empty or scratched media the kernel reports in the same words."""
_ENDING = re.compile(r"(?:ies|shes|ches|pses|s)$")
_INITIALS = re.compile(r"\bio ")
_UPTIME = re.compile(r"\d{1,9}\.\d{6}")
_BOOT = 300.0
_PROBING = 60.0  # seconds; ports that spin up their drives one after another take so long
"""Seconds after which a host has begun all its drives, one after the other."""
_SECONDS = re.compile(r"\{(\w+)\}")
_PART = re.compile(r"(?:(?<=\d)p)?\d+$")


_SAID: Mapping[Trouble, TroubleText] = {
    "data": TroubleText(
        "io-errors", "error",
        "what these requests carried was not read or not written.",
        "save the data; look at the drive (`smartctl -x`), its cable and its controller, and "
        "replace what is defective before anything is measured on it",
        "the log stays without such lines while the whole device is read",
    ),
    "contents": TroubleText(
        "checksum-errors", "error",
        "what was read there is not what was written, or is of another generation.",
        "save the data; scrub what has copies of it; look for the cause in the drive, its cable, "
        "the controller and memory",
        "a scrub finds nothing more, and the log stays without such lines",
    ),
    "device": TroubleText(
        "device-resets", "warning",
        "requests waited for seconds each time, which every latency and rate measured then holds.",
        "look at cable, backplane, power and firmware of the drive; leave measurements of that "
        "time out",
        "the log stays without such lines during a load of an hour",
    ),
    "gone": TroubleText(
        "device-resets", "error",
        "the kernel gave it up, and what stands on it does not reach it.",
        "look at power, cable, backplane and firmware, and at what the log says before; when it "
        "answers again, check what stands on it before it is used",
        "the device is listed again (`lsblk`), and the log stays without such lines",
    ),
    "member": TroubleText(
        "member-failed", "error",
        "the array runs, if at all, without a member.",
        "see `cat /proc/mdstat` and replace the member; figures of that time are those of a "
        "degraded array",
        "every member is listed as active again",
    ),
    "damage": TroubleText(
        "filesystem-errors", "error",
        "the file system is damaged, or stopped itself so as not to be.",
        "unmount it, save what can be read, find the cause below it, then check it with its own "
        "fsck or repair tool",
        "its check ends without errors, and the log stays without such lines",
    ),
    "stall": TroubleText(
        "hung-tasks", "warning",
        "these processes did not run for {blocked_seconds}: they waited for I/O, or for a lock "
        "whose holder waited.",
        "find what they waited for: the lines above and below in the log, `iostat -x 1`, "
        "/proc/PID/stack",
        "the log stays without such lines under the same load",
    ),
    "memory": TroubleText(
        "hung-tasks", "warning",
        "these processes waited for memory in one piece that there was none of, and whatever waits "
        "for them did, too.",
        "look at `free -m`, /proc/buddyinfo and `slabtop` at that time; files and directories in "
        "very many extents ask for large pieces",
        "the log stays without such lines under the same load",
    ),
    "lockup": TroubleText(
        "hung-tasks", "warning",
        "a processor did not leave the kernel for {stuck_seconds}, and nothing else ran on it.",
        "the trace below the line in the log says where it was; look for storms of interrupts, for "
        "a hypervisor that took the processor away, and for a newer kernel",
        "the log stays without such lines under the same load",
    ),
    "queued": TroubleText(
        "hung-tasks", "warning",
        "work that the kernel had put off was not begun for {stuck_seconds}: something kept its "
        "threads from running, or they waited.",
        "the lines below it in the log list what was under way and what waited; look there for "
        "what ran or waited so long, and at the load of the processors",
        "the log stays without such lines under the same load",
    ),
    "crash": TroubleText(
        "kernel-crash", "error",
        "what ran there ended in the kernel, the locks that it held stay held, and after a panic "
        "the whole host stands.",
        "start the host anew before anything is measured on it; the trace in the log says where it "
        "was: look for that function in the fixes of newer kernels, or report it",
        "the log stays without such lines under the same load",
    ),
    "misused": TroubleText(
        "kernel-crash", "error",
        "the kernel used memory that was freed or is another's: what lies there may be damaged, "
        "and what is written from it. A kernel that checks each access (KASAN) is also too slow to "
        "be measured.",
        "start the host anew before its data are trusted, and check its file systems; the report "
        "in the log says where it was: look for that function in the fixes of newer kernels, or "
        "report it",
        "the log stays without such lines under the same load",
    ),
    "warned": TroubleText(
        "kernel-warning", "note",
        "the kernel met a state that its authors had ruled out, and went on.",
        "the trace in the log says where it was: look for that function in the fixes of newer "
        "kernels, or report it with the trace and with what was done before",
        "the log stays without such lines when the same is done again",
    ),
    "unanswered": TroubleText(
        "unanswered-calls", "warning",
        "whatever used it waited, or was given an error.",
        "look at the server at that time (its threads and disks, `iostat -x`; `nfsstat -s` of "
        "NFS), and at the network between (`ip -s link`, `ethtool -S`); leave out what was "
        "measured then",
        "the log stays without such lines under the same load",
    ),
    "recovered": TroubleText(
        "corrected-reads", "note",
        "a member could not read these sectors; they were written anew from the others.",
        "let the array be checked, and look at the drive (`smartctl -x`): it may be about to fail",
        "a check of the array finds none",
    ),
}  # fmt: skip


_OTHERS: Mapping[Trouble, str] = {
    "crash": "crashes", "misused": "memory_errors", "warned": "warned_at",
}  # fmt: skip
"""The list that names what it is about, where that is not `others`."""
_NO_DRIVE: Mapping[Trouble, str] = {
    "data": "save the data; {look}; mend what is at fault before anything is measured on it",
    "contents": "save the data; scrub what has copies of it; {look}, and at memory",
    "device": "{look}; leave measurements of that time out",
    "gone": "{look}, and at what the log says before; when it answers again, check what stands on "
    "it before it is used",
    "recovered": "let the array be checked, and {look}: a member may be about to fail",
}
"""The remedies of what is no drive, or of which the text does not show that it is one."""
_ATA = re.compile(r"ata\d+(?:\.\d+)?$")
_STALLS: tuple[Trouble, ...] = ("stall", "memory", "lockup", "queued")


@cache
def _trouble() -> Mapping[tuple[str, str], Trouble]:
    """Kind of a layer and counter → what it is a sign of."""
    kinds = map(KERNEL_MESSAGES.load, KERNEL_MESSAGES)
    return {
        (message.kind, message.counts): message.trouble
        for kind in kinds
        for message in kind
        if message.trouble
    }


def _log(case: EvidenceSet, trouble: Trouble) -> Iterator[tuple[CounterEvidence, dict[str, int]]]:
    """The things of a log with such trouble, and their counters of it."""
    for thing in case.counted(TOOL):
        counts = {
            name: value for name, value in thing.values.items()
            if isinstance(value, int) and _trouble().get((thing.kind, name)) == trouble
        }  # fmt: skip
        if _is_beginning(thing):
            counts.pop("power_on_resets", None)
        if _is_probe(thing, counts):
            counts.pop("link_resets")
        if trouble == "device" and counts:
            counts |= _failed_requests(thing)
        if counts and not _REMOVABLE.match(thing.name):
            yield thing, counts


def _is_beginning(thing: CounterEvidence) -> bool:
    """Whether a device that says that it was powered on or reset was only just found.

    The first command that a device answers after it was powered on says so, and none of it fails.
    """
    seen = max(_number(thing, "found_devices"), _number(thing, "attached_generic_devices"))
    uptime = str(thing.values.get("last"))
    at_boot = _UPTIME.fullmatch(uptime) is not None and float(uptime) < _BOOT
    return at_boot or _number(thing, "power_on_resets") <= seen


def _is_probe(thing: CounterEvidence, counts: Mapping[str, int]) -> bool:
    """Whether a port was reset once, while the kernel began, and nothing else happened to it.

    Each port is reset to see what is at it; most drivers do not say so. Source: libata-core.c,
    ata_port_probe(); libata-eh.c, ata_eh_reset() (silent with ATA_EHI_QUIET).
    """
    uptime = str(thing.values.get("last"))
    at_boot = _UPTIME.fullmatch(uptime) is not None and float(uptime) < _PROBING
    return at_boot and counts == {"link_resets": 1}


def _failed_requests(thing: CounterEvidence) -> dict[str, int]:
    """The requests of an ATA drive that failed, its users' and the kernel's own.

    Without another sign of trouble of the link they are the drive's own errors.
    """
    failed = _number(thing, "failed_commands") + _number(thing, "failed_requests")
    return {"failed_requests": failed} if failed and _ATA.match(thing.name) else {}


def _number(thing: CounterEvidence, name: str) -> int:
    value = thing.values.get(name)
    return value if isinstance(value, int) else 0


def _find(trouble: Trouble, case: EvidenceSet) -> Iterator[Finding]:
    every = list(_log(case, trouble))
    there = {(thing.source, thing.host, thing.name) for thing, _ in every}
    for thing, counts in every:
        if _is_said_elsewhere(thing, [other for other, _ in every]):
            continue
        whole = _PART.sub("", thing.name)
        if whole != thing.name and (thing.source, thing.host, whole) in there:
            continue  # a partition of a disk that is named itself
        own = _own(thing.kind).get(trouble)
        said = own or _SAID[trouble]
        named_by = _OTHERS.get(trouble, "others")
        others = _of(thing, "panics" if trouble == "crash" and named_by not in thing.values
                     else named_by)  # fmt: skip
        events = _events(counts) if trouble == "crash" else counts
        if trouble == "crash" and max(events.values()) <= _on_purpose(thing):
            continue
        counted = ", ".join(_counted(name, value) for name, value in events.items())
        because, cause = cause_of(thing, trouble, counts)
        cause = unless_room(case, thing, cause)
        after = cause.after if cause and cause.after else said.after
        yield Finding(
            said.rule, said.severity,
            subject_of(thing) if thing.name else thing.host or "kernel log",
            f"The kernel's log counts {counted}{others}{_when(thing, events)}{because}: "
            f"{_SECONDS.sub(partial(_longest, thing), after)}",
            tuple(
                Evidence(name.replace("_", " "), value, "", thing.where)
                for name, value in counts.items()
            ),
            cause.remedy if cause else own.remedy if own else _remedy(case, thing, trouble),
            cause.confirm if cause else said.confirm,
        )  # fmt: skip


def _is_said_elsewhere(thing: CounterEvidence, every: Sequence[CounterEvidence]) -> bool:
    """Whether a text has the same lines in another place: quoted whole or in part, with its time.

    Of two that have the same lines the first stands for both.
    """
    own, place = thing.values.get("messages"), every.index(thing)
    for number, other in enumerate(every):
        theirs = other.values.get("messages")
        if other is thing or not isinstance(own, list) or not isinstance(theirs, list):
            continue
        is_alike = (other.source, other.kind, other.name) == (thing.source, thing.kind, thing.name)
        at_once = thing.values.get("first") in {None, other.values.get("first")}
        hosts = {thing.host, other.host} - {""}
        if is_alike and at_once and len(hosts) < 2 and all(line in theirs for line in own):
            is_same = len(own) == len(theirs) and thing.values.get("first") == other.values.get(
                "first")  # fmt: skip
            if not is_same or number < place:
                return True
    return False


def _events(counts: dict[str, int]) -> dict[str, int]:
    """Crashes without the oopses of the same: the kernel says of one what it was, then "Oops"."""
    crashes, oopses = counts.get("kernel_crashes", 0), counts.get("oopses", 0)
    less = "oopses" if oopses <= crashes else "kernel_crashes"
    return {name: value for name, value in counts.items() if not crashes or name != less}


def _on_purpose(thing: CounterEvidence) -> int:
    """How many crashes somebody asked for by SysRq, other than those that are said to be so."""
    return _number(thing, "triggered_crashes") - _number(thing, "triggered_panics")


def _own(kind: str) -> Mapping[Trouble, TroubleText]:
    """What a kind of layer says otherwise."""
    return LAYERS.load(kind).troubles if kind in LAYERS else {}


def _remedy(case: EvidenceSet, thing: CounterEvidence, trouble: Trouble) -> str:
    """What is to be done, by what is behind the disk that it is about."""
    usual, remedy = _SAID[trouble].remedy, _NO_DRIVE.get(trouble)
    if remedy is None:
        return usual
    members = thing.values.get("others") if trouble == "recovered" else None
    name = str(members[0]) if isinstance(members, list) and members else thing.name
    if backing_of(case, thing, name) == "drive":
        return usual
    return remedy.format(look=where_to_look(case, thing, name))


def _longest(thing: CounterEvidence, place: re.Match[str]) -> str:
    """The longest of the seconds that a log names."""
    listed = thing.values.get(place[1])
    every = listed if isinstance(listed, list) else []
    seconds = [each for each in every if isinstance(each, int)]
    return f"{max(seconds)} s or more" if seconds else "a long time"


def _counted(name: str, value: int) -> str:
    plural = _INITIALS.sub("I/O ", name.replace("_", " "))
    return f"{value:,} {plural if value != 1 else _ENDING.sub(_single, plural)}"


def _single(ending: re.Match[str]) -> str:
    """The end of a noun in the singular: recoveries, flushes, switches, oopses, errors."""
    return {"ies": "y", "shes": "sh", "ches": "ch", "pses": "ps"}.get(ending[0], "")


def _of(thing: CounterEvidence, named_by: str) -> str:
    """Whose it is, with the other names that the log has for it, in a list."""
    others = thing.values.get(named_by)
    listed = others if isinstance(others, list) else []
    names = [str(name) for name in listed if name != thing.name]
    more = f" and {len(names) - 4} more" if len(names) > 4 else ""
    inside = f" ({', '.join(names[:4])}{more})" if names else ""
    return f" of {thing.name}{inside}" if thing.name else inside


def _when(thing: CounterEvidence, counts: Mapping[str, int]) -> str:
    """When what is counted happened: the times of these counters, not of all in the record.

    Dates are not put in order: where the last of several counters is not known, only the first is
    said, in the order in which the log names them.
    """
    times = thing.values.get("times")
    names = {*counts, "failed_commands"} if "failed_requests" in counts else set(counts)
    spans = [
        span for name, span in times.items() if name in names and isinstance(span, list) and span
    ] if isinstance(times, dict) else []  # fmt: skip
    whole = thing.values.get("first"), thing.values.get("last")
    if not spans:
        return _span(*whole) if not isinstance(times, dict) else ""
    first, lasts = spans[0][0], [span[-1] for span in spans]
    seconds = [float(time) for span in spans for time in span if isinstance(time, float)]
    if len(seconds) == sum(map(len, spans)):
        return _span(f"{min(seconds):.6f}", f"{max(seconds):.6f}")
    if whole[1] in lasts or len({*map(str, lasts)}) == 1:
        return _span(first, whole[1] if whole[1] in lasts else lasts[0])
    return f" from {first} on"


def _span(first: Json, last: Json) -> str:
    if not first:
        return ""
    return f" at {first}" if first == last else f" from {first} to {last}"


def _lost(case: EvidenceSet) -> Iterator[Finding]:
    return _find("data", case)


def _changed(case: EvidenceSet) -> Iterator[Finding]:
    return _find("contents", case)


def _reset(case: EvidenceSet) -> Iterator[Finding]:
    yield from _find("device", case)
    yield from _find("gone", case)


def _failed(case: EvidenceSet) -> Iterator[Finding]:
    return _find("member", case)


def _damaged(case: EvidenceSet) -> Iterator[Finding]:
    return _find("damage", case)


def _hung(case: EvidenceSet) -> Iterator[Finding]:
    """What did not go on: for I/O, for memory, or since a processor was stuck."""
    for trouble in _STALLS:
        yield from _find(trouble, case)


def _crashed(case: EvidenceSet) -> Iterator[Finding]:
    yield from _find("crash", case)
    yield from _find("misused", case)


def _warned(case: EvidenceSet) -> Iterator[Finding]:
    """Warnings of the kernel in logs that show nothing else: an error often warns, too."""
    explained = {thing.where for trouble in _SAID if trouble != "warned"
                 for thing, _ in _log(case, trouble)}  # fmt: skip
    others = tuple(thing for thing in case.counters if thing.where not in explained)
    return _find("warned", replace(case, counters=others))


def _unanswered(case: EvidenceSet) -> Iterator[Finding]:
    return _find("unanswered", case)


def _corrected(case: EvidenceSet) -> Iterator[Finding]:
    return _find("recovered", case)


RULES = (
    Rule("io-errors", "disk", "Requests that the kernel's log says failed.",
         "Linux block/blk-core.c, blk_errors[]; fs/buffer.c, buffer_io_error()", _lost,
         stage="requests"),
    Rule("checksum-errors", "file systems", "Blocks that do not hold what was written to them.",
         "Linux fs/btrfs/disk-io.c, btrfs_validate_extent_buffer(); fs/btrfs/scrub.c", _changed),
    Rule("device-resets", "disk", "Devices and links that were reset, or given up.",
         "Linux drivers/ata/libata-eh.c; drivers/nvme/host/pci.c, nvme_timeout()", _reset,
         stage="device"),
    Rule("member-failed", "arrays", "Members that an array has lost, in the kernel's log.",
         "Linux drivers/md/raid1.c, raid5.c, raid10.c, md.c", _failed, stage="redundancy"),
    Rule("filesystem-errors", "file systems",
         "File systems that found errors in themselves, or stopped.",
         "Linux fs/ext4/super.c, fs/jbd2/journal.c, fs/xfs/xfs_fsops.c", _damaged, stage="data"),
    Rule("hung-tasks", "host", "Processes that the kernel saw waiting for minutes.",
         "Linux kernel/hung_task.c; Documentation/admin-guide/sysctl/kernel.rst", _hung,
         stage="waiting"),
    Rule("kernel-crash", "host", "Crashes of the kernel: bugs, oopses, panics, wrong memory.",
         "Linux kernel/panic.c; mm/kasan/report.c; Documentation/admin-guide/bug-hunting.rst",
         _crashed, stage="stopped"),
    Rule("kernel-warning", "host", "Warnings of the kernel's code for storage and file systems.",
         "Linux kernel/panic.c, __warn(); include/asm-generic/bug.h; mm/slub.c", _warned),
    Rule("unanswered-calls", "file systems", "Servers of files that did not answer in time.",
         "Linux net/sunrpc/clnt.c, rpc_check_timeout(); fs/smb/client/connect.c", _unanswered),
    Rule("corrected-reads", "arrays", "Sectors that an array had to restore.",
         "Linux drivers/md/raid1.c, raid5.c, raid10.c", _corrected),
)  # fmt: skip
