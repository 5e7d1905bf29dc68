"""Rules about file systems of btrfs: devices that are missing, and errors that it counted.

Source:
    btrfs-device(8), DEVICE STATS (what each counter counts, and that they stay until they are
    zeroed); btrfs-scrub(8) (errors that no copy could correct); btrfs-progs 6.6, cmds/filesystem.c,
    print_one_uuid() ("*** Some devices missing", "MISSING"); btrfs(5), MULTIPLE DEVICES (degraded).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from iosonde import units
from iosonde.layers._backing import where_to_look
from iosonde.records.evidence import CounterEvidence, EvidenceSet, Rule, StateEvidence, subject_of
from iosonde.records.finding import Finding
from iosonde.records.stack import Json

_STATS = "btrfs device stats"
_REQUESTS = ("write_io_errs", "read_io_errs", "flush_io_errs")
_CONTENTS = ("corruption_errs", "generation_errs")
_MISSING = ("(efault)", "<missing disk>")
"""Of a device without a name. Source: Linux fs/btrfs/volumes.h, btrfs_dev_name()."""
_IN_LOG = dict(zip((*_REQUESTS, *_CONTENTS), ("wr", "rd", "flush", "corrupt", "gen"), strict=True))
"""Counter → what the kernel's log calls it.

Source: Linux fs/btrfs/volumes.c, btrfs_dev_stat_print_on_error().
"""


def _devices(case: EvidenceSet) -> Iterator[CounterEvidence]:
    """Devices with the counters of `btrfs device stats`, which the kernel's log says, too.

    Of a log, which says them again and again as they grow, the largest; not where `btrfs device
    stats` shows the same device further down: they have grown since, or were zeroed.
    """
    yield from case.counted(_STATS)
    shown = {
        (device.source, device.name): place
        for place, device in enumerate(case.counters) if device.tool == _STATS
    }  # fmt: skip
    logged: dict[tuple[str, str], CounterEvidence] = {}
    for place, device in enumerate(case.counters):
        if device.tool != "kernel log" or shown.get((device.source, device.name), -1) > place:
            continue
        if device.kind == "btrfs" and "error_counts" in device.values:
            largest: dict[str, Json] = {}
            for counter, short in _IN_LOG.items():
                listed = device.values.get(short)
                every = listed if isinstance(listed, list) else []
                counts = (count for count in every if isinstance(count, int))
                largest[counter] = max(counts, default=0)
            name = "a missing device" if device.name in _MISSING else device.name
            counted = replace(
                device, name=name, values=largest | {"levels": device.values.get("levels")}
            )
            before = logged.setdefault((device.source, name), counted)
            if sum(map(counted.number, _IN_LOG)) > sum(map(before.number, _IN_LOG)):
                logged[device.source, name] = counted
    yield from logged.values()


def _is_old(device: CounterEvidence) -> bool:
    """Whether the log names the counters only as the file system was mounted: what was before.

    Source: Linux fs/btrfs/volumes.c, btrfs_dev_stat_print_on_load() (info), _on_error() (error).
    """
    return device.values.get("levels") == ["info"]


def _severity(device: CounterEvidence) -> str:
    return "warning" if _is_old(device) else "error"


def _before(device: CounterEvidence) -> str:
    return " and before it was mounted" if _is_old(device) else ""


def _called(system: StateEvidence) -> str:
    """Its label or mount point; a UUID is said in front of the message already."""
    return system.name if system.name and system.name != system.values.get("uuid") else "It"


def _missing(case: EvidenceSet) -> Iterator[Finding]:
    for system in case.latest("btrfs", "devices", "devices_missing", "missing"):
        size = system.number("missing")
        if not system.values.get("devices_missing") and not size:
            continue
        amount = f" ({units.show_bytes(size)})" if size else ""
        yield Finding(
            "degraded", "error", subject_of(system),
            f"{_called(system)} lacks devices{amount}: its data has less "
            "redundancy than it was made with, and what had none (single, RAID 0) is gone.",
            system.evidence("devices", "devices_missing", "missing", "missing_paths", "paths"),
            "bring the device back, or mount with `-o degraded` and `btrfs replace` it; then "
            "`btrfs balance` what was written meanwhile to the profile that it had",
            "`btrfs filesystem show` lists all devices; `btrfs scrub` finds no errors",
        )  # fmt: skip


def _requests(case: EvidenceSet) -> Iterator[Finding]:
    for device in _devices(case):
        writes, reads, flushes = map(device.number, _REQUESTS)
        if writes or reads or flushes:
            yield Finding(
                "io-errors", _severity(device), subject_of(device),
                f"Requests of btrfs to {device.name} ended with errors: {reads:,} reads, "
                f"{writes:,} writes and {flushes:,} flushes since the counters were zeroed"
                f"{_before(device)}.",
                device.evidence(*_REQUESTS),
                f"read the kernel's log of that time; {where_to_look(case, device, device.name)}",
                "`btrfs device stats -z`, `btrfs scrub`, and the counters stay 0",
            )  # fmt: skip


def _blocks(count: float) -> str:
    return f"{count:,} block{'s' * (count != 1)}"


def _contents(case: EvidenceSet) -> Iterator[Finding]:
    for device in _devices(case):
        sums, ages = map(device.number, _CONTENTS)
        said = [f"{_blocks(sums)} with a wrong checksum"] if sums else []
        said += [f"{_blocks(ages)} of another generation"] if ages else []
        if said:
            yield Finding(
                "checksum-errors", _severity(device), subject_of(device),
                f"{device.name} returned {' and '.join(said)} since the counters were zeroed"
                f"{_before(device)}: the device, the way to it or memory changes or loses data.",
                device.evidence(*_CONTENTS),
                f"{where_to_look(case, device, device.name)}, and at memory where several devices "
                "have them; `btrfs scrub`, and replace what goes on counting",
                "`btrfs device stats -z`, `btrfs scrub`, and the counters stay 0",
            )  # fmt: skip


def _uncorrectable(case: EvidenceSet) -> Iterator[Finding]:
    for system in case.of_kind("btrfs"):
        if count := system.number("scrub_uncorrectable_errors"):
            yield Finding(
                "damaged-files", "error", subject_of(system),
                f"The scrub of {system.name or 'the file system'} found {count:,} errors that no "
                "good copy could correct.",
                system.evidence("scrub_uncorrectable_errors", "scrub_errors", "scrub_started"),
                "the kernel's log names the files: restore them, then `btrfs scrub` again",
                "the scrub finds no uncorrectable errors",
            )  # fmt: skip


RULES: tuple[Rule, ...] = (
    Rule("degraded", "btrfs", "A file system that lacks devices.",
         "btrfs(5), MULTIPLE DEVICES; btrfs-progs cmds/filesystem.c", _missing, stage="redundancy"),
    Rule("io-errors", "btrfs", "A device whose requests ended with errors.",
         "btrfs-device(8), DEVICE STATS", _requests, stage="requests"),
    Rule("checksum-errors", "btrfs", "A device that returned wrong or old blocks.",
         "btrfs-device(8), DEVICE STATS", _contents),
    Rule("damaged-files", "btrfs", "A scrub that found what it could not correct.",
         "btrfs-scrub(8)", _uncorrectable, stage="data"),
)  # fmt: skip
