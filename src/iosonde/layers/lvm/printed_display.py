"""lvdisplay, vgdisplay and pvdisplay: a block of labels for each volume, group and device.

Source: LVM2 2.03, lib/display/display.c (lvdisplay_full, vgdisplay_full, pvdisplay_full).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import ClassVar

from typing_extensions import override

from iosonde.layers._mapper.facts import mapper_name
from iosonde.layers.lvm.facts import size_of
from iosonde.records.printed import PrintedSubject, without_none
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.labels import as_labelled
from iosonde.text.reader import HeadedOutput

_HEAD = re.compile(r"\s*--- (?P<what>Logical volume|Volume group|(?:NEW )?Physical volume) ---\s*$")
_PAIR = re.compile(
    r"\s*(?P<label>(?:LV|VG|PV|PE|Current LE|Segments|Read ahead|- currently|Block device|Format"
    r"|Cur |Open |Act |Max |MAX |Total PE|Free +PE|Alloc|Allocatable|Allocated|# open|Metadata"
    r"|System ID|Clustered|Shared|Mirrored|COW|Snapshot|Mapped|Allocation|Type|Stripe|Persistent"
    r"|Num|Monitoring)[\w /#-]{0,24}?)(?: {2,}|\t+| (?=\d|/dev/|\w+$))(?P<value>\S.*?)\s*$"
)
_READ = frozenset({
    "LV Name", "VG Name", "PV Name", "LV Size", "LV Status", "LV Pool name", "Segments",
    "Current LE", "Stripes", "Stripe size", "Read ahead sectors", "Block device", "PE Size",
    "VG Size", "Total PE", "Cur PV", "Cur LV", "Format", "VG Status", "PV Size", "Allocatable",
})  # fmt: skip
"""Labels of what is kept by discovery's names."""
_OTHER = re.compile(
    r"\s+(?:--- Segments ---|LV Creation host, time .*|\w[\w /,#-]{2,40}(?:\s{2,}\S.*|:?)\s*$)"
)
_SIZE = re.compile(r"<?(\d{1,9}(?:[.,]\d{1,3})?) ?([kKMGTPE])i?B\b")
_SHARE = re.compile(r"(\d{1,3}(?:\.\d{1,2})?)%")


class LvmDisplay(HeadedOutput):
    """See `iosonde.text.cursor.Output`."""

    tool: ClassVar[str] = "lvm display"
    anchors: ClassVar[tuple[str, ...]] = (
        "--- Logical volume ---", "--- Volume group ---", "Physical volume ---",
    )  # fmt: skip
    commands: ClassVar[tuple[str, ...]] = ("lvdisplay", "vgdisplay", "pvdisplay", "lvm")
    nothing: ClassVar[str] = "the name of the volume is cut off"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        return cursor.at if _HEAD.match(cursor.line(cursor.at) or "") else None

    @override
    def is_head(self, line: str) -> bool:
        return _HEAD.match(line) is not None

    @override
    def goes_on(self, line: str, above: list[str]) -> bool:
        return len(above) < 60 and bool(_PAIR.match(line) or _OTHER.match(line))

    @override
    def is_command(self, line: str) -> bool:
        """See `HeadedOutput.is_command`; "# open  1" is none."""
        return super().is_command(line) and not line.lstrip().startswith("# open ")

    @override
    def block(self, text: str, prompt: Prompt) -> Iterable[PrintedSubject]:
        head, *rest = text.split("\n")
        match = _HEAD.match(head)
        pairs = {
            " ".join(pair["label"].split()): pair["value"]
            for line in rest
            if (pair := _PAIR.match(line))
        }
        what = match["what"] if match else ""
        if what == "Logical volume":
            group, name = pairs.get("VG Name", ""), pairs.get("LV Name", "").rpartition("/")[2]
            if name:
                values = as_labelled(pairs, _READ) | _volume(pairs)
                yield PrintedSubject("lvm", mapper_name(group, name), values, prompt.host)
        elif what == "Volume group":
            if name := pairs.get("VG Name", ""):
                values = as_labelled(pairs, _READ) | _group(pairs)
                yield PrintedSubject("lvm_group", name, values, prompt.host)
        elif name := pairs.get("PV Name", "").removeprefix("/dev/"):
            values = as_labelled(pairs, _READ) | _device(pairs)
            yield PrintedSubject("lvm_pv", name, values, prompt.host)


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
    free = _count(pairs.get("Free PE", ""))
    return without_none(
        {
            "volume_group": pairs.get("VG Name"),
            "size": _bytes(pairs.get("PV Size", "")),
            "extent_size": extent,
            "extents": _count(pairs.get("Total PE", "")),
            "free": free * extent if free is not None and extent else None,
            "allocatable": pairs.get("Allocatable"),
        }
    )
