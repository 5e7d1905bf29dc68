"""What a row of lsblk says of a device, however the row was printed.

Facts have the names that discovery gives them. `below` names what a device stands on, as far as
the tree or PKNAME tells.

Source: util-linux 2.38, misc-utils/lsblk.c: sizes with prefixes of 1024, RA in KiB, START in
sectors of 512; lsblk(8).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from iosonde import units
from iosonde.layers import FSTYPES
from iosonde.layers._grid import alignment_facts, believed_stripe
from iosonde.layers._lsblk import MAPPER_TYPES, named_type
from iosonde.layers._names import kind_by_name, kind_by_type
from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cells import Column
from iosonde.text.labels import as_labelled

_WORD, _TEXT = re.compile(r"\S+"), re.compile(r"\S.*")
_SIZE = re.compile(r"\d+(?:[.,]\d+)?[BKMGTPE]?")
_NUMBER, _FLAG = re.compile(r"-?\d+"), re.compile(r"[01]")
_TYPES = (
    "disk|part|lvm|crypt|dmraid|mpath|path|dm|loop|md|linear|raid\\d+|rom|tape|changer|printer|"
    "processor|worm|mo-disk|scanner|comm|enclosure|rbc|osd|no-lun|vdo|stratis|faulty|container"
)
_TYPE = re.compile(f"(?:{_TYPES})", re.IGNORECASE)
_NAME = re.compile(
    rf"(?!(?:{_TYPES}|none|mq-deadline|deadline|noop|cfq|bfq|kyber)$)"
    r"(?![0-9a-fA-F]{8}-[0-9a-fA-F]{4}-)(?:/dev/(?:mapper/)?)?(?:[A-Za-z]|\d(?=[0-9a-f]{16}))"
    r"[\w!.:+-]*(?:/\S+)?(?: \([\w-]+\))?"
)
"""Also the WWID of a multipath map that has no other name: `3600a098038314b7334245854726b6548`."""
_UUID = r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
_HIDDEN = r"[0-9a-fA-F]{4,8}[0-9a-fA-F-]{0,28}\*{2,40}"
"""A UUID of which its owner shows the beginning."""
_IDENTITY = re.compile(
    rf"{_UUID}|[0-9A-Za-z]{{6}}(?:-[0-9A-Za-z]{{4}}){{5}}-[0-9A-Za-z]{{6}}"
    r"|[0-9a-fA-F]{8}(?::[0-9a-fA-F]{8}){3}|\d{4}(?:-\d\d){6}|[\w-]{1,20}"
    rf"|{_HIDDEN}"
)
"""A UUID of a file system, of LVM, of md or of a CD, or one as short as FAT's or a partition's."""
_ALIKE: tuple[tuple[str, re.Pattern[str], bool, bool], ...] = (  # names, cell, empty, words
    ("NAME", _NAME, False, True),  # lvol (dm-0)
    ("MAJ:MIN", re.compile(r"\d+:\d+"), False, False),
    ("SIZE", _SIZE, False, False),
    ("TYPE", _TYPE, False, False),
    ("RM RO ROTA HOTPLUG RAND DAX", _FLAG, False, False),
    ("ALIGNMENT MIN-IO OPT-IO PHY-SEC LOG-SEC RA", _NUMBER, False, False),
    ("RQ-SIZE START PARTN MAJ MIN MQ DISK-SEQ", _NUMBER, True, False),
    ("DISC-GRAN DISC-MAX WSAME DISC-ALN DISC-ZERO FSSIZE FSAVAIL FSUSED ZONE-SZ ZONE-WGRAN "
     "ZONE-APP ZONE-NR ZONE-OMAX ZONE-AMAX", _SIZE, True, False),
    ("FSUSE%", re.compile(r"\d+%"), True, False),
    ("MOUNTPOINT MOUNTPOINTS", re.compile(r"/.*|\[SWAP\]"), True, True),
    ("SCHED", re.compile(r"none|mq-deadline|deadline|noop|cfq|bfq|kyber"), True, False),
    ("TRAN", re.compile(r"[a-z]+"), True, False),
    ("KNAME PATH PKNAME ZONED OWNER GROUP MODE STATE", _WORD, True, False),
    ("FSTYPE", re.compile(r"[a-z][a-z0-9_.]*(?:_LUKS)?|LVM[12]_member|DM_\w+|BitLocker|VMFS\w*"),
     True, False),
    ("FSVER", re.compile(r"(?:LVM2 )?v?\d[\d.]*|FAT\d\d|JR|Joliet Extension"), True, True),
    ("HCTL", re.compile(r"[\d:]+"), True, False),
    ("UUID PTUUID PARTUUID", _IDENTITY, True, False),
    ("WWN SERIAL REV VENDOR PTTYPE PARTTYPE PARTFLAGS SUBSYSTEMS FSROOTS ID ID-LINK",
     _WORD, True, False),
    ("LABEL", re.compile(rf"(?!(?:{_UUID}|{_HIDDEN})$){_TEXT.pattern}"), True, True),
    ("MODEL PARTLABEL PARTTYPENAME", _TEXT, True, True),
)  # fmt: skip
COLUMNS: Mapping[str, Column] = {
    name: Column(name, cell, empty, several_words)
    for names, cell, empty, several_words in _ALIKE
    for name in names.split()
}
_FACTS = {
    "ROTA": "rotational", "SCHED": "scheduler", "RA": "read_ahead_kb", "RQ-SIZE": "nr_requests",
    "PHY-SEC": "physical_block_size", "LOG-SEC": "logical_block_size", "MIN-IO": "io_min",
    "OPT-IO": "io_opt", "TRAN": "transport", "MODEL": "model", "SERIAL": "serial",
    "VENDOR": "vendor", "REV": "firmware", "WWN": "wwn", "HCTL": "hctl", "RO": "read_only",
    "FSTYPE": "fstype", "ALIGNMENT": "alignment_offset", "MAJ:MIN": "maj_min",
    "KNAME": "kernel_name", "PATH": "path", "RM": "removable", "HOTPLUG": "hotplug",
}  # fmt: skip
_SIZES = {
    "SIZE": "size", "DISC-GRAN": "discard_granularity", "DISC-MAX": "discard_max_bytes",
    "FSSIZE": "fssize", "FSAVAIL": "fsavail", "FSUSED": "fsused",
}  # fmt: skip
_SHARE = "FSUSE%"
_FLAGS = frozenset({"rotational", "read_only", "removable", "hotplug"})
_WHOLE = frozenset({
    "read_ahead_kb", "nr_requests", "physical_block_size", "logical_block_size", "io_min",
    "io_opt", "alignment_offset",
})  # fmt: skip
_READ = frozenset({
    *_FACTS, *_SIZES, _SHARE, "NAME", "KNAME", "PATH", "PKNAME", "TYPE", "MOUNTPOINT",
    "MOUNTPOINTS", "START",
})  # fmt: skip
"""Columns that are facts by other names, or names of devices."""
_PARTITION = kind_by_type("part")
_MAPPED = frozenset(map(kind_by_type, MAPPER_TYPES))
_KERNEL_NAME = re.compile(r"dm-\d+")

_DRIVES = frozenset({"rom", "tape", "worm", "scanner", "processor", "changer"})
"""Types of SCSI devices (lsblk.c, get_type(); sysfs `device/type`) that are no disks."""


def subjects(
    table: Iterable[tuple[Mapping[str, str], tuple[str, ...]]], host: str
) -> tuple[PrintedSubject, ...]:
    """The devices of a table, each once, and the file systems that are mounted.

    Args:
        table: cells by the names of the columns, and names of what the device stands on.
        host: as the prompt names it.
    """
    by_name: dict[str, tuple[str, dict[str, Scalar]]] = {}
    mounts: dict[str, PrintedSubject] = {}
    places: dict[str, str] = {}
    for cells, below in table:
        plain = _plain(cells["NAME"])
        kind = _kind(cells, plain, bool(below))
        is_mapped = kind in _MAPPED and "/" not in plain and not _KERNEL_NAME.fullmatch(plain)
        name = f"mapper/{plain}" if is_mapped else plain
        places[plain] = name
        values = by_name.setdefault(name, (kind, {}))[1]
        values.update(_values(cells, kind))
        kernel = cells["NAME"].partition(" ")[2].strip("()")
        if kernel.startswith("dm-"):  # before util-linux 2.23
            values["kernel_name"] = kernel
        under = [places.get(name, name) for name in map(_plain, below)]
        already = str(values.get("below") or "").split()
        if under := list(dict.fromkeys([*already, *under])):
            values["below"] = " ".join(under)
        for point in (cells.get("MOUNTPOINTS") or cells.get("MOUNTPOINT") or "").split("\n"):
            if point.startswith("/") and values.get("fstype"):
                mounts[point] = _mounted(point, name, str(values["fstype"]), host)
    devices = [PrintedSubject(kind, name, values, host) for name, (kind, values) in by_name.items()]
    return (*devices, *mounts.values())


def _plain(name: str) -> str:
    """A device without /dev/, its kernel's name, and the marks that stand for a slash."""
    return name.partition(" ")[0].rpartition("/dev/")[2].replace("!", "/")


def _kind(cells: Mapping[str, str], name: str, stands: bool) -> str:
    word = cells.get("TYPE") or named_type(name)
    if word:
        return kind_by_type(word)
    is_mapped = kind_by_name(name) == "disk" and (stands or "-" in name)
    return kind_by_type("dm") if is_mapped else kind_by_name(name)


def _sizes(cells: Mapping[str, str]) -> dict[str, Scalar]:
    """What columns say in bytes, and how full a file system is."""
    values: dict[str, Scalar] = {
        fact: units.parse_bytes(cells[column].replace(",", ".").removesuffix("B"))
        for column, fact in _SIZES.items() if cells.get(column)
    }  # fmt: skip
    if share := cells.get(_SHARE):
        values["fsused_share"] = int(share.removesuffix("%")) / 100
    return values


def _values(cells: Mapping[str, str], kind: str) -> dict[str, Scalar]:
    values = _sizes(cells)
    for column, fact in _FACTS.items():
        text = cells.get(column)
        if not text:
            continue
        if fact in _FLAGS:
            values[fact] = text in {"1", "true"}
        elif fact not in _WHOLE:
            values[fact] = text
        elif text.lstrip("-").isdecimal() and (int(text) or fact != "io_opt"):
            values[fact] = int(text)
    if mounted := cells.get("MOUNTPOINTS") or cells.get("MOUNTPOINT"):
        values["mounts"] = mounted.replace("\n", " ")
    others = {name: text for name, text in cells.items() if name not in _READ}
    values |= as_labelled(others)
    word = cells.get("TYPE", "")
    if word.startswith(("raid", "linear")):
        values["level"] = word
    elif word in _DRIVES or word.lower() not in kind:
        values |= as_labelled({"type": word})
    if kind == _PARTITION and cells.get("START", "").isdecimal():
        start = int(cells["START"]) * units.SECTOR
        values |= {"start": start, **_alignment(start, values)}
    return values


def _alignment(start: int, values: Mapping[str, Scalar]) -> dict[str, Scalar]:
    """How the start lies on the grid, where the physical sectors are told."""
    physical, least, best = (values.get(name) for name in ("physical_block_size", "io_min",
                                                           "io_opt"))  # fmt: skip
    if not isinstance(physical, int) or physical <= 0:
        return {}
    stripe = None
    if isinstance(least, int) and isinstance(best, int):
        stripe = believed_stripe(physical, least, best)
    return alignment_facts(start, physical, stripe)


def _mounted(point: str, device: str, fstype: str, host: str) -> PrintedSubject:
    values: dict[str, Scalar] = {"device": f"/dev/{device}", "fstype": fstype}
    return PrintedSubject(fstype if fstype in FSTYPES else "filesystem", point, values, host)
