"""RAID controllers: caches that a power cut empties, batteries that are off duty, lost drives.

A controller's volume is kind "hwraid", its physical drives are disks with a name of the
controller's ("c0/e252/s3"), and its cache's battery is a value of kind "controller", or of the
volume where a host was asked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from iosonde import units
from iosonde.layers._raid.findings import reads_of_lost, severity_of_work
from iosonde.layers._raid.geometry import PARITY
from iosonde.layers.hwraid.facts import DRIVE
from iosonde.records.evidence import EvidenceSet, Rule, StateEvidence, called, subject_of
from iosonde.records.finding import Evidence, Finding

_GOOD = frozenset({
    "online", "ok", "hot spare", "unconfigured good", "unconfigured(good)", "jbod", "hotspare",
    "ready", "available", "standby", "pass through", "optimal", "not-present",
})  # fmt: skip
_LEFT = {  # what the tools mean by the words for what is left of the redundancy
    "partially degraded": "it stands the loss of one more drive",
    "degraded": "the next drive that fails may take data with it",
}
_GONE = {  # what they mean by the words for a volume of which nothing is left
    "offline": "is offline", "failed": "has failed", "missing": "is missing",
    "inoperable": "is inoperable", "incomplete": "is incomplete", "incompleted": "is incomplete",
}  # fmt: skip
_LATEST = 64  # different states of one volume that a further one is compared with
_OFF_DUTY = {"learning": "is in a learn cycle", "charging": "is charging", "failed": "has failed",
             "missing": "is missing"}  # fmt: skip


def _like(case: EvidenceSet, state: StateEvidence, kind: str, name: str) -> Iterator[StateEvidence]:
    """States of the same machine with a name, or of what hangs on it."""
    for other in case.of_kind(kind):
        near = other.source == state.source and (
            other.host == state.host or "" in {other.host, state.host}
        )
        if near and (other.name == name or other.name.startswith(f"{name}/")):
            yield other


def _members(case: EvidenceSet, volume: StateEvidence) -> Iterator[StateEvidence]:
    """The drives of a volume's controller that are in its drive group, or may be."""
    group = volume.values.get("drive_group")
    for disk in _like(case, volume, DRIVE, str(volume.values.get("controller"))):
        if group is None or disk.values.get("drive_group") in {None, group}:
            yield disk


def _volumes(case: EvidenceSet) -> list[StateEvidence]:
    """The virtual drives. What several outputs say of one is put together unless they differ.

    Only some outputs tell the host; the one that knows the volume's device gives the name.
    """
    by_place: dict[tuple[str, object], list[StateEvidence]] = {}
    for state in sorted(case.of_kind("hwraid"), key=lambda state: "/" in state.name):
        alike = by_place.setdefault((state.source, state.values.get("volume") or state.name), [])
        for at in range(max(len(alike) - _LATEST, 0), len(alike)):
            other = alike[at]
            if _agree(other, state):
                values = {**state.values, **other.values}
                alike[at] = replace(other, host=other.host or state.host, values=values)
                break
        else:
            alike.append(state)
    return [state for alike in by_place.values() for state in alike]


def _latest_volumes(case: EvidenceSet) -> Iterator[StateEvidence]:
    """Of each virtual drive the last that a text shows of its state: what was mended is not told.

    A drive group of a topology counts where no virtual drive of it is shown.
    """
    latest: dict[tuple[str, str, object, bool], StateEvidence] = {}
    for volume in _volumes(case):
        place = volume.values.get("volume") or volume.name
        latest[volume.source, volume.host, place, "state" in volume.values] = volume
    shown = {_group_of(each) for each in latest.values() if "/dg" not in each.name}
    for volume in latest.values():
        if not ("/dg" in volume.name and _group_of(volume) in shown):
            yield volume


def _group_of(volume: StateEvidence) -> tuple[str, object, object]:
    return volume.source, volume.values.get("controller"), volume.values.get("drive_group")


def _agree(volume: StateEvidence, other: StateEvidence) -> bool:
    """Whether two outputs may be of the same volume at the same time. Printed sizes are rounded."""
    common = (volume.values.keys() & other.values.keys()) - {"size"}
    same = all(volume.values[name] == other.values[name] for name in common)
    return same and (volume.host == other.host or "" in {volume.host, other.host})


def _called(state: StateEvidence) -> str:
    """A volume in words: its name, if the text says it, with its level and size."""
    level, size = state.values.get("raid_level"), state.values.get("size")
    parts = [str(level).upper().replace("RAID", "RAID ")] if level else []
    parts += [units.show_bytes(size)] if isinstance(size, int) else []
    return f"{called(state)} ({', '.join(parts)})" if parts else called(state)


def _caches(case: EvidenceSet, volume: StateEvidence) -> Iterator[StateEvidence]:
    """What may tell of the cache in front of a volume: its controller, the battery, then itself."""
    for kind in ("controller", "battery"):
        yield from _like(case, volume, kind, str(volume.values.get("controller")))
    yield volume


def _battery(case: EvidenceSet, volume: StateEvidence) -> tuple[str, str]:
    """The state of the battery behind a volume's cache and where it was read; empty if unknown."""
    for cache in _caches(case, volume):
        if cache.values.get("battery"):
            return str(cache.values["battery"]), cache.where
    return "", ""


def _cache(case: EvidenceSet, volume: StateEvidence) -> tuple[int, str]:
    """Bytes of the cache in front of a volume and where they were read; 0 if unknown."""
    for cache in _caches(case, volume):
        size = cache.values.get("cache_size")
        if isinstance(size, int) and size:
            return size, cache.where
    return 0, ""


def _command(volume: StateEvidence, lsi: str, smart_array: str, adaptec: str = "") -> str:
    """The command that changes a setting, in the words of the tool that the volume's name is of.

    Source: storcli, ssacli: their help; Microsemi, ARCCONF Command Line Utility, SETCACHE.
    """
    controller = str(volume.values.get("controller") or "")
    place = str(volume.values.get("volume") or "/cN/vN").lstrip("/")
    if adaptec and "write_cache_setting" in volume.values:  # as arcconf alone calls it
        of = re.fullmatch(r"c(\d+)/v(\d+)", volume.name)
        number, drive = of.groups() if of else ("N", "N")
        return f"arcconf setcache {number} logicaldrive {drive} {adaptec}"
    if controller.startswith("slot"):
        return f"ssacli ctrl slot={controller.removeprefix('slot')} {smart_array}"
    return f"storcli /{place} {lsi}"


# ── unsafe-cache ──────────────────────────────────────────────────────────────────────────────


def _always_write_back(case: EvidenceSet) -> Iterator[Finding]:
    for volume in _volumes(case):
        if volume.values.get("write_policy") != "write_back_always":
            continue
        battery, where = _battery(case, volume)
        size, placed = _cache(case, volume)
        most = f", up to {units.show_bytes(size)} of them," if size else ""
        if battery in _OFF_DUTY:
            severity = "error" if battery in {"failed", "missing"} else "warning"
            message = (
                f"The controller acknowledges writes to {_called(volume)} from its cache although "
                f"the battery {_OFF_DUTY[battery]}: a power cut now loses acknowledged writes"
                f"{most} whatever the file system flushed."
            )
        else:
            severity = "warning"
            message = (
                f"Writes to {_called(volume)} are acknowledged from the controller's cache even "
                f"when its battery fails: from then on a power cut loses acknowledged writes{most} "
                "and nothing slows down to tell."
            )
        evidence = [Evidence("write policy", "write-back, with or without a battery", "",
                             volume.where)]  # fmt: skip
        if battery:
            evidence.append(Evidence("battery of the cache", battery, "", where))
        if size:
            evidence.append(Evidence("cache", size, "B", placed))
        command = _command(volume, "set wrcache=wb", "modify nobatterywritecache=disable", "wbb")
        yield Finding(
            "unsafe-cache", severity, subject_of(volume), message, tuple(evidence),
            f"{command} keeps write-back only while the battery is good; until it is, writes go "
            "through and get slower",
            "the write policy that the controller then shows, and the write latency measured again",
        )  # fmt: skip


def _drives_cache(case: EvidenceSet) -> Iterator[Finding]:
    for volume in _volumes(case):
        setting = volume.values.get("disk_cache")
        on = setting == "enabled"
        evidence = [Evidence("cache of the drives", str(setting), "", volume.where)]
        if setting == "default":
            drives = _members(case, volume)
            caching = [drive for drive in drives if drive.values.get("write_cache") == "write back"]
            on = bool(caching)
            evidence += [Evidence(f"write cache of {drive.name}", "on", "", drive.where)
                         for drive in caching[:4]]  # fmt: skip
        if not on:
            continue
        level = str(volume.values.get("raid_level") or "")
        torn = (
            ", and stripes half written then no longer match their parity"
            if level in PARITY
            else ""
        )
        command = _command(volume, "set pdcache=off", "modify drivewritecache=disable")
        yield Finding(
            "unsafe-cache", "warning", subject_of(volume),
            f"The drives under {_called(volume)} acknowledge writes from their own caches, which "
            f"no battery of the controller protects: a power cut loses what they hold{torn}.",
            tuple(evidence),
            f"{command}; small writes get slower, so measure again, and leave it on only for "
            "drives with power-loss protection of their own",
            "write throughput and latency with the drives' caches off",
        )  # fmt: skip


def _no_flush(case: EvidenceSet) -> Iterator[Finding]:
    """File systems and mirrors that were told not to flush, over drives that need it."""
    for upper in case.states:
        how = _without_flush(upper)
        if not how:
            continue
        for disk in case.of_kind(DRIVE):
            same = disk.source == upper.source and disk.host == upper.host
            if not same or disk.values.get("write_cache") != "write back" or "/" in disk.name:
                continue
            device = str(upper.values.get("device") or "").removeprefix("/dev/")
            if not (device.startswith(disk.name) or disk.name in upper.below):
                continue
            yield Finding(
                "unsafe-cache", "error", subject_of(upper),
                f"{upper.name} never flushes the volatile write cache of {disk.name} ({how}): "
                "after a power cut what it had synchronised may be gone, its journal included.",
                (
                    Evidence("option", how, "", upper.where),
                    Evidence(f"write cache of {disk.name}", "write back", "", disk.where),
                ),
                "remove the option; synchronous writes then cost a flush of the drive each, unless "
                "the cache survives a power cut",
                "the rate of flushes (iostat -x, f/s), and the latency of fsync without the option",
            )  # fmt: skip


def _without_flush(state: StateEvidence) -> str:
    values = state.values
    if values.get("nobarrier") is True:
        return "nobarrier"
    if str(values.get("barrier")) in {"0", "False", "none"}:
        return "barrier=0"
    if values.get("disk_flushes") in {"no", False}:
        return "disk-flushes no"
    return ""


# ── write-back-suspended ──────────────────────────────────────────────────────────────────────


def _suspended(case: EvidenceSet) -> Iterator[Finding]:
    for volume in _volumes(case):
        values = volume.values
        wanted = values.get("write_policy_initial") or values.get("write_policy")
        if values.get("write_policy") == "write_back_always":
            continue
        battery, where = _battery(case, volume)
        through = values.get("write_policy") == "write_through"
        if wanted != "write_back" or not (through or battery in _OFF_DUTY):
            continue
        why = f" because its battery {_OFF_DUTY[battery]}" if battery in _OFF_DUTY else ""
        ends = (
            "until that is over" if battery in {"learning", "charging"} else "until that is mended"
        )
        evidence = [Evidence("write policy that is set", "write-back", "", volume.where)]
        if through:
            evidence.append(Evidence("write policy now", "write-through", "", volume.where))
        if battery:
            evidence.append(Evidence("battery of the cache", battery, "", where))
        yield Finding(
            "write-back-suspended", "warning", subject_of(volume),
            f"{_called(volume)} is set to write-back, but the controller writes through{why}: "
            f"writes have the drives' own latency {ends}, and measurements of this time do not "
            "compare with others.",
            tuple(evidence),
            "look at the battery (storcli /cN/bbu show, /cN/cv show; ssacli ctrl all show status); "
            "let learn cycles run when nothing is measured and nobody waits",
            "the same trial when the controller shows the battery as optimal",
        )  # fmt: skip


# ── degraded ──────────────────────────────────────────────────────────────────────────────────


def _degraded(case: EvidenceSet) -> Iterator[Finding]:
    for volume in _latest_volumes(case):
        state = str(volume.values.get("state") or "")
        if state not in _LEFT and state not in _GONE:
            continue
        bad = _bad_drives(case, volume)
        listed = ", ".join(f"{drive.name} {drive.values['state']}" for drive in bad[:3])
        named = f" ({listed})" if bad else ""
        if state in _GONE:
            message = (
                f"{_called(volume)} {_GONE[state]}{named}: nothing of it can be read or written."
            )
        else:
            level = str(volume.values.get("raid_level") or "")
            reads = reads_of_lost(level, "reads of what is missing", "the other drives")
            message = (
                f"{_called(volume)} is {state}{named}: {_LEFT[state]}, {reads}{', ' * bool(reads)}"
                "and figures measured now are not the array's."
            )
        yield Finding(
            "degraded", "error", subject_of(volume), message,
            (
                Evidence("state", state, "", volume.where),
                *(Evidence(f"state of {drive.name}", str(drive.values["state"]), "", drive.where)
                  for drive in bad[:6]),
            ),
            _REBUILT if bad and all(map(_is_rebuilding, bad)) else
            "replace the drive and let the controller rebuild; that takes hours of the drives' "
            "time, so measure after it",
            "the same trial on the optimal array",
        )  # fmt: skip


_REBUILT = "let the rebuild end, nothing is to be replaced meanwhile, and measure after it"


def _is_rebuilding(drive: StateEvidence) -> bool:
    return str(drive.values["state"]).lower().startswith("rebuild")


def _bad_drives(case: EvidenceSet, volume: StateEvidence) -> list[StateEvidence]:
    """Drives that are not at work, each once."""
    drives = {drive.name: drive for drive in _members(case, volume) if drive.values.get("state")}
    return [drive for drive in drives.values() if str(drive.values["state"]).lower() not in _GOOD]


def _busy(case: EvidenceSet) -> Iterator[Finding]:
    """A rebuild, an initialisation or a check that shares the drives with the load."""
    for volume in _latest_volumes(case):
        work = str(volume.values.get("active_operations") or "none")
        rebuilding = volume.values.get("state") in {"rebuild", "recovery"}
        if work.lower() == "none" and not rebuilding:
            continue
        what = "a rebuild" if rebuilding else f"an operation in the background ({work})"
        progress = f", {work}" if rebuilding and work.lower() != "none" else ""
        yield Finding(
            "background-work", "warning" if rebuilding else severity_of_work(case, volume),
            subject_of(volume),
            f"{_called(volume)} shares its drives with {what}{progress}: figures measured "
            "meanwhile are lower than the array's own.",
            (Evidence("state", volume.values.get("state") or work, "", volume.where),),
            "measure when it is done; the controller's rebuild and check rates decide how much it "
            "takes, and a lower rate leaves the array longer without redundancy",
            "the same trial when no operation is active",
        )  # fmt: skip


def _batteries(case: EvidenceSet) -> Iterator[Finding]:
    """Failed batteries of controllers of whose volumes, and so of their caches, nothing is said."""
    for controller in case.of_kind("controller", "battery"):
        owner = controller.values.get("controller") or controller.name
        volumes = (
            volume
            for volume in case.of_kind("hwraid")
            if volume.source == controller.source
            and volume.values.get("controller") in {None, owner}
        )
        if controller.values.get("battery") != "failed" or any(volumes):
            continue
        yield Finding(
            "cache-battery", "warning", subject_of(controller),
            f"The battery of the cache of {owner or called(controller)} has failed: its volumes "
            "are written through, with the drives' own latency, or lose what the cache holds in a "
            "power cut.",
            controller.evidence("battery", "battery_state", "battery_replacement_required"),
            "replace the battery or its module, and look at the write policies of the volumes",
            "the state of the battery after it was charged",
        )  # fmt: skip


def _memory(case: EvidenceSet) -> Iterator[Finding]:
    for controller in case.of_kind("controller"):
        if errors := controller.number("memory_uncorrectable_errors"):
            yield Finding(
                "cache-memory", "error", subject_of(controller),
                f"The memory of {called(controller)} had {errors:,} errors that its code could not "
                "correct: data that went through its cache may be wrong.",
                controller.evidence("memory_uncorrectable_errors", "memory_correctable_errors"),
                "seat or replace the memory of the controller, or the controller, and check the "
                "file systems on its volumes",
                "the counter after a restart: it stays 0",
            )  # fmt: skip


RULES: tuple[Rule, ...] = (
    Rule(
        "unsafe-cache", "hwraid",
        "Write-back that goes on without a battery: acknowledged writes are lost in a power cut.",
        "Broadcom StorCLI reference manual, wrcache=AWB; HPE SSA CLI guide, nobatterywritecache",
        _always_write_back,
    ),
    Rule(
        "unsafe-cache", "hwraid, disk",
        "Caches of the drives under a controller's volume are on and protected by nothing.",
        "Broadcom StorCLI reference manual, pdcache; HPE SSA CLI guide, drivewritecache",
        _drives_cache,
    ),
    Rule(
        "unsafe-cache", "disk, ext4, xfs, drbd",
        "Flushes are switched off over a drive whose write cache is volatile.",
        "Linux Documentation/block/writeback_cache_control.rst; ext4(5) barrier; drbd.conf(5)",
        _no_flush,
    ),
    Rule(
        "write-back-suspended", "hwraid, controller",
        "The controller writes through: the battery of its cache learns, charges or failed.",
        "Broadcom 12Gb/s MegaRAID SAS Software User Guide, write policy and learn cycle",
        _suspended,
    ),
    Rule(
        "degraded", "hwraid",
        "A virtual drive lacks members or is offline.",
        "Broadcom StorCLI reference manual, states of virtual drives; HPE SSA CLI guide; "
        "tw_cli(8); Dell OpenManage Storage Management User's Guide, virtual disk states",
        _degraded,
        stage="redundancy",
    ),
    Rule(
        "background-work", "hwraid",
        "A rebuild, initialisation or check runs on a virtual drive.",
        "Broadcom StorCLI reference manual, background operations",
        _busy,

    ),
    Rule(
        "cache-battery", "hwraid, controller",
        "A controller whose battery failed, where its volumes are not shown.",
        "Broadcom 12Gb/s MegaRAID SAS Software User Guide, write policy",
        _batteries,
    ),
    Rule(
        "cache-memory", "hwraid, controller",
        "A controller whose memory had errors that its code did not correct.",
        "Broadcom MegaRAID SAS Software User Guide, adapter information (memory errors)",
        _memory,
    ),
)  # fmt: skip
