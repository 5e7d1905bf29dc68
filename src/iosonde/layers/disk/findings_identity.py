"""Two disks that carry one identifier: a clone beside its original, or one LUN seen twice.

Members of arrays and pools share the UUID of the whole, devices that stand on others show what lies
on these, and partitions of a master boot record have no identifier of their own: none of that is
reported.

Source: blkid(8), lsblk(8), UUID, UUID_SUB and PARTUUID; util-linux 2.38, libblkid/src/superblocks
(what each type's UUID is of); fstab(5); lvmdevices(8) and vgimportclone(8); tune2fs(8), -U;
xfs_admin(8), -U; xfs(5), nouuid; cryptsetup-luksUUID(8); sgdisk(8), -G.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations

from iosonde.layers import CARRIED
from iosonde.layers._names import kind_by_type
from iosonde.records.evidence import EvidenceSet, Rule, StateEvidence
from iosonde.records.finding import Evidence, Finding

_DISK = re.compile(
    r"(?P<disk>(?:sd|hd|vd|xvd)[a-z]{1,3})\d{0,3}|(?P<numbered>nvme\d{1,3}n\d{1,3}|mmcblk\d{1,3})"
    r"(?:p\d{1,3})?"
)
_GPT = re.compile(r"[\da-fA-F]{8}(?:-[\da-fA-F]{4}){3}-[\da-fA-F]{12}")
_MAPS = kind_by_type("mpath")
_LAST_WORDS = (
    "leave both as they are until it is clear what they are: `lsblk -o NAME,SIZE,SERIAL,WWN` shows "
    "one serial number where it is one LUN over several paths (then set up multipath), or a mirror "
    "of the BIOS; "
)


def _same_contents(case: EvidenceSet) -> Iterator[Finding]:
    """Disks or partitions of two disks that carry one UUID of a file system, LUKS or LVM."""
    for listing in _listings(case):
        for devices in _sharing(case, listing, "uuid"):
            first = devices[0]
            fstype = str(first.values.get("fstype") or "")
            content = CARRIED.load(fstype) if fstype in CARRIED else None
            if (
                content is None
                or not content.new_uuid
                or any(other.values.get("fstype") != fstype for other in devices)
            ):
                continue
            yield Finding(
                "duplicate-uuid", "warning", _subject(devices),
                f"{_names(devices)} carry the same UUID {first.values['uuid']} ({fstype}): "
                f"{content.until}.",
                tuple(Evidence(f"uuid of {device.name}", device.values["uuid"], "", device.where)
                      for device in devices),
                f"{_LAST_WORDS}where one is a copy that stays, take it off, or, not in use, give "
                f"it a UUID of its own ({content.new_uuid})",
                "`blkid` shows another UUID for each",
            )  # fmt: skip


def _same_tables(case: EvidenceSet) -> Iterator[Finding]:
    """Partitions of two disks that have one PARTUUID, and differ in what is on them."""
    for listing in _listings(case):
        shared = [
            devices for devices in _sharing(case, listing, "partuuid")
            if _GPT.fullmatch(str(devices[0].values["partuuid"])) and _differ(devices)
        ]  # fmt: skip
        for devices in shared[:1]:
            more = f", and {len(shared) - 1} more such pairs" if len(shared) > 1 else ""
            yield Finding(
                "duplicate-uuid", "note", _subject(devices),
                f"{_names(devices)} have the same PARTUUID {devices[0].values['partuuid']}{more}: "
                "a partition table was copied whole, and what is named by PARTUUID may be either "
                "of them.",
                tuple(Evidence(f"partuuid of {device.name}", device.values["partuuid"], "",
                               device.where) for device in devices),
                "where nothing refers to the copy's identifiers (`grep -r PARTUUID /etc/fstab "
                "/proc/cmdline`, `ls -l /dev/disk/by-partuuid`), `sgdisk -G` of the copy's disk "
                "gives it its own",
                "`blkid` shows another PARTUUID for each",
            )  # fmt: skip


def _listings(case: EvidenceSet) -> Iterator[list[StateEvidence]]:
    """The devices of each listing of a host whose LUNs are not put together from paths."""
    listings: dict[tuple[str, str, str], list[StateEvidence]] = {}
    for state in case.states:
        listings.setdefault((state.source, state.host, state.where), []).append(state)
    mapped = {state.source for state in case.of_kind(_MAPS)}
    for (source, _, _), listing in listings.items():
        if source not in mapped:
            yield listing


def _sharing(
    case: EvidenceSet, listing: Sequence[StateEvidence], name: str
) -> Iterator[list[StateEvidence]]:
    """Devices of different disks with the same value, where nothing else of the listing has it."""
    groups: dict[str, list[StateEvidence]] = {}
    for state in listing:
        if value := state.values.get(name):
            groups.setdefault(str(value), []).append(state)
    in_sets = {
        disk for state in listing
        if str(state.values.get("fstype") or "").endswith(("_raid_member", "mpath_member"))
        and (disk := _whole(state)) and disk == state.name
    }  # fmt: skip
    identity = {
        (state.name, key): str(state.values[key])
        for state in case.states if state.source == listing[0].source
        for key in ("serial", "wwn") if state.values.get(key)
    }  # fmt: skip
    for devices in groups.values():
        disks = [_whole(device) for device in devices]
        if len(set(disks)) < 2 or len(set(disks)) < len(disks) or not all(disks):
            continue
        if in_sets.isdisjoint(disks) and not _are_paths(disks, identity):
            yield devices


def _are_paths(disks: Iterable[str], identity: Mapping[tuple[str, str], str]) -> bool:
    """Whether two of them are one drive by what it says of itself, seen over two paths."""
    return any(
        identity[disk, key] == identity.get((other, key))
        for disk, other in combinations(disks, 2)
        for key in ("serial", "wwn")
        if (disk, key) in identity
    )


def _whole(device: StateEvidence) -> str:
    """The disk that it is, or is a partition of; empty of what stands on others."""
    match = _DISK.fullmatch(device.name)
    return (match["disk"] or match["numbered"]) if match else ""


def _differ(devices: Sequence[StateEvidence]) -> bool:
    """Whether they hold different things, of which none is a part of an array or a pool."""
    types = [str(device.values.get("fstype") or "") for device in devices]
    uuids = {str(device.values.get("uuid") or "") for device in devices}
    return not any(fstype.endswith("_member") for fstype in types) and len(uuids) == len(devices)


def _names(devices: Sequence[StateEvidence]) -> str:
    *others, last = (device.name for device in devices)
    return f"{', '.join(others)} and {last}"


def _subject(devices: Sequence[StateEvidence]) -> str:
    names = ", ".join(device.name for device in devices)
    return f"{devices[0].host}: {names}" if devices[0].host else names


RULES: tuple[Rule, ...] = (
    Rule("duplicate-uuid", "disk, partition", "Two disks that carry one UUID of what is on them.",
         "blkid(8); fstab(5); vgimportclone(8)", _same_contents),
    Rule("duplicate-uuid", "disk, partition", "Two disks with one PARTUUID.",
         "blkid(8); sgdisk(8), -G", _same_tables),
)  # fmt: skip
