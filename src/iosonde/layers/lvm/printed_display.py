"""lvdisplay, vgdisplay and pvdisplay: a block of labels for each volume, group and device.

Source: LVM2 2.03, lib/display/display.c (lvdisplay_full, vgdisplay_full, pvdisplay_full).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import ClassVar

from typing_extensions import override

from iosonde.layers._mapper.facts import mapper_name
from iosonde.layers.lvm.extent_maps import extent_map, is_map, of_map
from iosonde.layers.lvm.facts import size_of
from iosonde.records.printed import PrintedSubject, Unreadable, without_none
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.labels import as_labelled
from iosonde.text.reader import HeadedOutput, start_of

_HEAD = re.compile(r"\s*--- (?P<what>Logical volume|Volume group|(?:NEW )?Physical volume) ---\s*$")
_PAIR = re.compile(
    r"\s*(?P<label>(?:LV|VG|PV|PE|Current LE|Segments|Read ahead|- currently|Block device|Format"
    r"|Cur |Open |Act |Max |MAX |Total PE|Free +PE|Alloc|Allocatable|Allocated|# open|Metadata"
    r"|System ID|Clustered|Shared|Mirrored|COW|Snapshot|Mapped|Allocation|Type|Stripe|Persistent"
    r"|Num|Monitoring)[\w /#()-]{0,24}?)(?: {2,}|\t+| (?=\d|/dev/|\w+$))(?P<value>\S.*?)\s*$"
)
_READ = frozenset({
    "LV Name", "VG Name", "PV Name", "LV Size", "LV Status", "LV Pool name", "Segments",
    "Current LE", "Stripes", "Stripe size", "Read ahead sectors", "Block device", "PE Size",
    "VG Size", "Total PE", "Cur PV", "Cur LV", "Format", "VG Status", "PV Size", "Allocatable",
    "PE Size (KByte)",
})  # fmt: skip
"""Labels of what is kept by discovery's names."""
_OF_VOLUME = frozenset({
    "LV Path", "LV Name", "LV UUID", "LV Write Access", "LV Status", "LV Size", "LV Pool name",
    "LV Pool metadata", "LV Pool data", "LV Thin origin name", "LV snapshot status",
    "LV VDO Pool data", "Current LE", "COW-table size", "COW-table LE", "Allocated to snapshot",
    "Snapshot chunk size", "Mapped size", "Allocated pool data", "Allocated metadata",
    "Mirrored volumes", "# open",
})  # fmt: skip
_OF_GROUP = frozenset({
    "VG Size", "VG UUID", "VG Status", "VG Access", "Alloc PE / Size", "Free PE / Size", "Cur LV",
    "Open LV", "MAX LV", "Max PV", "Cur PV", "Act PV", "Metadata Areas", "Metadata Sequence No",
})  # fmt: skip
_OF_DEVICE = frozenset({
    "PV Name", "PV Size", "PV UUID", "PV Status", "PV#", "Allocatable", "Free PE", "Allocated PE",
})  # fmt: skip
_ANY = frozenset({"VG Name", "PE Size", "Total PE", "Format", "Segments", "Allocation",
                  "Read ahead sectors", "- currently set to", "Block device"})  # fmt: skip
_FIRM = frozenset({"LV Path", "LV Name", "LV Size", "LV Status", "LV UUID", "VG Size", "VG UUID",
                   "PV Name", "PV Size", "PV UUID", "Alloc PE / Size", "Free PE / Size",
                   "Total PE", "PE Size", "Current LE", "Allocated PE", "Free PE"})  # fmt: skip
"""Labels that no other program has."""
_OTHER = re.compile(
    r"\s+(?:--- (?:Physical )?Segments ---|LV Creation host, time .*"
    r"|\w[\w /,#-]{2,40}(?:\s{2,}\S.*|:?)\s*$|\"/dev/\S{1,120}\" is a new physical volume of "
    r"|(?P<snapshot>\w[\w+.-]{0,127} \[(?:IN)?active\])\s*$)",
    re.IGNORECASE,
)
_UNINDENTED = re.compile(
    r"(?:LV Creation host, time \S.{0,300}|(?:System ID|VG Name|LV Pool name)|# open\s+\d+)\s*$"
)
"""What a page without margins leaves of lines that have no label of their own, or no value."""
_LEFT_OUT = re.compile(r"\s*(?:\.{3,40}|\[\.{3}\]|\u2026)\s*$")
"""What stands where somebody left lines out."""
_MORE = re.compile(r"\s+(?P<label>[A-Z][\w /-]{1,30}?)(?: {2,}|\t+| (?=\d))(?P<value>\S.*?)\s*$")
"""A label that only some versions and kinds of volumes have, below its head."""
_CREATED = re.compile(
    r"\s*LV Creation host, time (?P<host>[\w.-]{1,253}),? (?P<time>\d[\d :+-]{8,40}\d)\s*$"
)
_LONGEST = 2000
"""Lines of one thing, which may have many segments."""
_SIZE = re.compile(r"<?(\d{1,9}(?:[.,]\d{1,3})?) ?([kKMGTPE])i?B\b")
_SHARE = re.compile(r"(\d{1,3}(?:\.\d{1,2})?)%")


class LvmDisplay(HeadedOutput):
    tool = "lvm display"
    anchors = (
        "--- Logical volume ---", "--- Volume group ---", "Physical volume ---", "LV Size  ",
        "VG Size  ", "PV Size  ", "PE Size  ", "LV Path  ", "LV Name  ", "PV Name  ", "Total PE  ",
        "Alloc PE / Size", "PE / Size  ", "Allocated PE  ", "Free PE  ", "Current LE  ",
    )  # fmt: skip
    looks_above: ClassVar[bool] = True
    in_parts: ClassVar[bool] = True
    commands = ("lvdisplay", "vgdisplay", "pvdisplay", "lvm")
    beginning = _HEAD
    nothing = "the name of the volume is cut off"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        if _HEAD.match(line):
            return cursor.at
        pair = _pair(line)
        if pair is None or pair[0] not in _FIRM or not _fits(pair):
            return None
        return start_of(cursor, _is_part, most=40)

    @override
    def is_part(self, line: str) -> bool:
        return _HEAD.match(line) is not None or _is_part(line) or line.lstrip()[:7] == "# open "

    @override
    def goes_on(self, line: str, above: list[str]) -> bool:
        if above and not _HEAD.match(above[0]):  # its head is cut off
            return _is_part(line)
        is_own = any(form.match(line) for form in (_PAIR, _OTHER, _MORE, _UNINDENTED, _LEFT_OUT))
        return len(above) < _LONGEST and bool(is_own or (is_map(above) and of_map(line)))

    @override
    def is_command(self, line: str) -> bool:
        """A count such as "# open  1" is none."""
        return super().is_command(line) and not line.lstrip().startswith("# open ")

    @override
    def block(self, text: str, prompt: Prompt) -> Iterable[PrintedSubject]:
        head, *rest = text.split("\n")
        match = _HEAD.match(head)
        if match is None:
            yield from _parts(text, prompt)
            return
        at = next((at for at, line in enumerate(rest) if is_map([line])), len(rest))
        rest, segments = rest[:at], rest[at:]
        pairs = dict(pair for line in rest if (pair := _pair(line) or _more(line)))
        what = match["what"]
        if what == "Logical volume":
            group, name = pairs.get("VG Name", ""), pairs.get("LV Name", "").rpartition("/")[2]
            if name:
                geometry = dict(pair for line in reversed(segments) if (pair := _pair(line)))
                values = as_labelled(pairs, _READ) | _volume(geometry | pairs)
                values |= _of_snapshots(rest) | extent_map(segments)
                yield PrintedSubject("lvm", mapper_name(group, name), values, prompt.host)
        elif what == "Volume group":
            if name := pairs.get("VG Name", ""):
                values = as_labelled(pairs, _READ) | _group(pairs)
                yield PrintedSubject("lvm_group", name, values, prompt.host)
        elif name := pairs.get("PV Name", "").removeprefix("/dev/"):
            values = as_labelled(pairs, _READ) | _device(pairs) | extent_map(segments)
            yield PrintedSubject("lvm_pv", name, values, prompt.host)


def _more(line: str) -> tuple[str, str] | None:
    more = _MORE.match(line)
    return (more["label"], more["value"]) if more else None


def _of_snapshots(rest: Iterable[str]) -> dict[str, Scalar]:
    """When and where a volume was made, and the snapshots of it, which stand below its status."""
    values: dict[str, Scalar] = {}
    snapshots: list[str] = []
    for line in rest:
        if created := _CREATED.match(line):
            values |= {"creation_host": created["host"], "creation_time": created["time"]}
        elif (other := _OTHER.match(line)) and other["snapshot"]:
            snapshots.append(other["snapshot"])
    return values | ({"snapshots": ", ".join(snapshots)} if snapshots else {})


def _pair(line: str) -> tuple[str, str] | None:
    pair = _PAIR.match(line)
    if pair is None or pair["label"] in {"LV", "VG", "PV"}:  # "VG Name" without one
        return None
    return " ".join(pair["label"].split()), pair["value"]


def _is_part(line: str) -> bool:
    pair = _pair(line)
    return pair is not None and pair[0] in _OF_VOLUME | _OF_GROUP | _OF_DEVICE | _ANY


def _fits(pair: tuple[str, str]) -> bool:
    """Whether a value is one of its label: a size, a count, a name."""
    label, value = pair
    if label.endswith(("PE", "LE")):
        return _count(value) is not None
    if label.endswith(" Size") and "/" not in label:
        return re.match(_SIZE, value) is not None
    return label.endswith("/ Size") or (" " not in value and "|" not in value) or "Status" in label


def _parts(text: str, prompt: Prompt) -> Iterable[PrintedSubject]:
    """What lines say whose head is cut off; a label that comes again begins another thing."""
    things: list[dict[str, str]] = [{}]
    for line in text.split("\n"):
        pair = _pair(line)
        if pair is None:
            continue
        if pair[0] in things[-1]:
            things.append({})
        things[-1][pair[0]] = pair[1]
    for pairs in things:
        path = pairs.get("LV Path", "").removeprefix("/dev/").partition("/")
        if pairs.keys() & _OF_VOLUME:
            name = mapper_name(
                pairs.get("VG Name", path[0]), pairs.get("LV Name", path[2]).rpartition("/")[2]
            )
            kind, values = "lvm", _volume(pairs)
            name = name if pairs.keys() & {"LV Name", "LV Path"} else ""
        elif pairs.keys() & _OF_DEVICE:
            kind, values = "lvm_pv", _device(pairs)
            name = pairs.get("PV Name", "").removeprefix("/dev/")
        elif pairs.keys() & _OF_GROUP:
            kind, values, name = "lvm_group", _group(pairs), pairs.get("VG Name", "")
        else:
            raise Unreadable("whether it is of a group or of a device is cut off")
        yield PrintedSubject(kind, name, as_labelled(pairs, _READ) | values, prompt.host)


def _bytes(text: str) -> int | None:
    match = _SIZE.search(text)
    return size_of(f"{match[1]}{match[2].lower()}") if match else None


def _count(text: str) -> int | None:
    match = re.match(r"\d{1,15}(?!\S)", text)
    return int(match[0]) if match else None


def _volume(pairs: Mapping[str, str]) -> dict[str, Scalar]:
    values: dict[str, Scalar] = {
        "volume_group": pairs.get("VG Name"),
        "size": _bytes(pairs.get("LV Size", "")),
        "state": pairs.get("LV Status"),
        "pool": pairs.get("LV Pool name"),
        "segments": _count(pairs.get("Segments", "")),
        "extents": _count(pairs.get("Current LE", "")),
        "stripes": _count(pairs.get("Stripes", "")),
        "stripe_size": _bytes(pairs.get("Stripe size", "")),
        "read_ahead": pairs.get("Read ahead sectors"),
        "device_number": pairs.get("Block device"),
    }
    for label, name in (("Allocated pool data", "full"), ("Mapped size", "full"),
                        ("Allocated metadata", "metadata_full")):  # fmt: skip
        if share := _SHARE.match(pairs.get(label, "")):
            values[name] = round(float(share[1]) / 100, 6)
    return without_none(values)


def _group(pairs: Mapping[str, str]) -> dict[str, Scalar]:
    extent = _bytes(pairs.get("PE Size", ""))
    free = _count(pairs.get("Free PE / Size", ""))
    return without_none(
        {
            "size": _bytes(pairs.get("VG Size", "")),
            "extent_size": extent,
            "free": free * extent if free is not None and extent else None,
            "extents": _count(pairs.get("Total PE", "")),
            "volumes": _count(pairs.get("Cur PV", "")),
            "logical_volumes": _count(pairs.get("Cur LV", "")),
            "format": pairs.get("Format"),
            "status": pairs.get("VG Status"),
        }
    )


def _device(pairs: Mapping[str, str]) -> dict[str, Scalar]:
    extent = _bytes(pairs.get("PE Size", ""))
    if kilobytes := _count(pairs.get("PE Size (KByte)", "")):  # of older versions
        extent = kilobytes << 10
    free = _count(pairs.get("Free PE", ""))
    return without_none(
        {
            "volume_group": pairs.get("VG Name", "").removesuffix(" (exported)") or None,
            "exported": pairs.get("VG Name", "").endswith(" (exported)") or None,
            "size": _bytes(pairs.get("PV Size", "")),
            "not_usable": _bytes(pairs.get("PV Size", "").partition("not usable")[2]),
            "extent_size": extent,
            "extents": _count(pairs.get("Total PE", "")),
            "free": free * extent if free is not None and extent else None,
            "allocatable": pairs.get("Allocatable"),
        }
    )
