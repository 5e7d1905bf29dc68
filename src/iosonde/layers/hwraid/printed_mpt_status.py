"""`mpt-status` of LSI's Fusion-MPT controllers: volumes, their disks, how far a resync is.

Source: mpt-status 1.2.0, mpt-status.c (`__print_volume_classic()`, `__print_physdisk_classic()`,
the `…_advanced()` ones of -n, which alone know spares; -s prints the states alone;
GetResyncPercentage(): blocks done of all, by the disk's number whatever its label says). GB are
MaxLBA / (2 × 1024 × 1024), so of 1024, rounded down. Flags that it has no name for leave nothing
behind "flags". SMART ASC 0x5d: failure prediction threshold exceeded (SPC-4, annex D).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from typing_extensions import override

from iosonde import units
from iosonde.layers.hwraid.facts import data_disks, volume_state
from iosonde.records.printed import PrintedSubject, without_none
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import Items, StateOutput, start_of_own
from iosonde.text.wrapped_rows import any_of, cells_of, wrapped_rows

_FLAG = r"(?:ENABLED|QUIESCED|RESYNC_IN_PROGRESS|VOLUME_INACTIVE|OUT_OF_SYNC|NONE)"
_FLAGS = rf"(?: {_FLAG}){{0,4}}"
_VOLUME = "OPTIMAL|DEGRADED|FAILED|UNKNOWN"
_DISK = (
    "ONLINE|MISSING|NOT_COMPATIBLE|FAILED|INITIALIZING|OFFLINE_REQUESTED|FAILED_REQUESTED"
    "|OTHER_OFFLINE|UNKNOWN"
)
_ROW = any_of((
    r"ioc(?P<ioc>\d{1,2}) vol_id (?P<volume>\d{1,3}) type (?P<type>\w{1,8}), (?P<disks>\d{1,3}) "
    rf"phy, (?P<size>\d{{1,6}}) GB, state (?P<state>{_VOLUME}), flags(?P<flags>{_FLAGS})",
    r"ioc:(?P<ioc>\d{1,2}) vol_id:(?P<volume>\d{1,3}) type:(?P<type>\w{1,8}) raidlevel:\S{0,8} "
    rf"num_disks:(?P<disks>\d{{1,3}}) size\(GB\):(?P<size>\d{{1,6}}) state: (?P<state>{_VOLUME}) "
    rf"flags:(?P<flags>{_FLAGS})",
    r"ioc(?P<ioc>\d{1,2}) phy (?P<disk>\d{1,3}) scsi_id (?P<scsi>\d{1,3}) (?P<model>\S.{0,40}?), "
    rf"(?P<size>\d{{1,6}}) GB, state (?P<state>{_DISK}), flags(?P<flags>{_FLAGS})",
    r"ioc:(?P<ioc>\d{1,2}) (?P<role>phys|spare)_id:(?P<disk>\d{1,3}) scsi_id:(?P<scsi>\d{1,3}) "
    r"vendor:(?P<vendor>.{0,12}?) {0,8}product_id:(?P<model>.{0,24}?) {0,16}"
    r"revision:(?P<firmware>\S{0,8}) {0,8}"
    rf"size\(GB\):(?P<size>\d{{1,6}}) state: (?P<state>{_DISK}) flags:(?P<flags>{_FLAGS}) "
    r"sync_state: (?P<sync>\d{1,3}|n/a) ASC/ASCQ:(?P<asc>0x\w\w/0x\w\w) "
    r"SMART ASC/ASCQ:(?P<smart>0x\w\w/0x\w\w)",
    r"scsi_id:(?P<disk>\d{1,3}) (?P<sync>\d{1,3})%",
    rf"(?:log_id |vol_id:)(?P<volume>\d{{1,3}}) (?P<state>{_VOLUME})",
    rf"(?P<role>phys|spare)_id[ :](?P<disk>\d{{1,3}}) (?P<state>{_DISK})",
))  # fmt: skip
_BEGINS = re.compile(
    r"\s*(?:ioc:?\d{1,2} |scsi_id:\d{1,3} \d|log_id \d|vol_id:\d|(?:phys|spare)_id[ :]\d)"
)
_LEVELS = {"IS": "raid0", "IM": "raid1", "IME": "raid1e"}


class MptStatus(StateOutput):
    tool = "mpt-status"
    anchors = (
        " vol_id ", " vol_id:", "log_id ", " scsi_id ", " scsi_id:", "phys_id ", "spare_id:",
        " GB, state ", "raidlevel:RAID-", "SMART ASC/ASCQ:",
    )  # fmt: skip
    commands = ("mpt-status",)
    reach = 4
    nothing = "its row is cut"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        return start_of_own(cursor, _BEGINS.match, most=20)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        last, values_by_thing = first, dict[tuple[str, str], dict[str, Scalar]]()
        for row, index in wrapped_rows(cursor, first, _ROW, _BEGINS):
            last = index
            cells = {name: text.strip() for name, text in cells_of(row).items()}
            is_volume = "volume" in cells
            thing = ("hwraid", cells["volume"]) if is_volume else ("disk", cells["disk"])
            values = _of_volume(cells) if is_volume else _of_disk(cells)
            values_by_thing.setdefault(thing, {}).update(values)
        return last, _subjects(values_by_thing, prompt.host)


def _subjects(
    values_by_thing: Mapping[tuple[str, str], dict[str, Scalar]], host: str
) -> Iterator[PrintedSubject]:
    """What rows say of volumes and disks; a resync that they show has the progress of its disks."""
    done = [
        float(progress)
        for (kind, _), values in values_by_thing.items()
        if kind == "disk" and isinstance(progress := values.get("progress"), float)
    ]
    for (kind, number), values in values_by_thing.items():
        owner = str(values.get("controller", ""))
        name = f"{owner}/{'v' if kind == 'hwraid' else 'phy'}{number}".lstrip("/")
        own: dict[str, Scalar] = {"volume": name} if kind == "hwraid" else {}
        if done and values.get("active_operations") == "resync":
            own["active_operations"] = f"resync {round(100 * min(done))} %"
        yield PrintedSubject(kind, name, values | own, host)


def _of_volume(cells: Mapping[str, str]) -> dict[str, Scalar]:
    level = _LEVELS.get(cells.get("type", ""))
    disks = int(cells["disks"]) if "disks" in cells else None
    flags = cells.get("flags") or "NONE"
    return without_none(
        {
            "controller": f"ioc{cells['ioc']}" if "ioc" in cells else None,
            "raid_level": level,
            "disks": disks,
            "data_disks": data_disks(level, disks, None) if level != "raid1e" else None,
            "size": int(cells["size"]) * units.GIB if "size" in cells else None,
            "state": volume_state(cells["state"]),
            "flags": None if flags == "NONE" else flags,
            "active_operations": "resync" if "RESYNC" in flags else None,
        }
    )


def _of_disk(cells: Mapping[str, str]) -> dict[str, Scalar]:
    flags = cells.get("flags") or "NONE"
    sync = cells.get("sync", "")
    smart = cells.get("smart", "")
    model = " ".join(f"{cells.get('vendor', '')} {cells.get('model', '')}".split())
    return without_none(
        {
            "controller": f"ioc{cells['ioc']}" if "ioc" in cells else None,
            "scsi_id": int(cells["scsi"]) if "scsi" in cells else None,
            "model": model or None,
            "firmware": cells.get("firmware") or None,
            "size": int(cells["size"]) * units.GIB if "size" in cells else None,
            "role": "spare" if cells.get("role") == "spare" else None,
            "state": cells["state"].lower().replace("_", " ") if "state" in cells else None,
            "flags": None if flags == "NONE" else flags,
            "progress": int(sync) / 100 if sync.isdecimal() else None,
            "error_asc_ascq": cells.get("asc"),
            "smart_asc_ascq": smart or None,
            "smart_alert": True if smart.startswith("0x5d/") else None,
        }
    )
