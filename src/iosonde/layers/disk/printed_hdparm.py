"""hdparm without a timing: the settings of a drive (no option, -W, -A, -B, -C, -g), -I and -i.

Each drive has a line of its own with its device; values follow below, or behind it in that line.

Source: hdparm 9.65, hdparm.c (process_dev: "multcount", "readahead", "geometry", "write-caching" …)
and identify.c ("Model Number:", "device size with M = 1000*1000", a star before what is enabled);
hdparm(8): read-ahead is in sectors of 512 bytes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from typing_extensions import override

from iosonde import units
from iosonde.layers.disk.facts_hdparm import identity_rest, quick_rest
from iosonde.records.printed import PrintedSubject, without_none
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, prompt_in
from iosonde.text.reader import Items, StateOutput, close_lines

_DRIVE = re.compile(r"\s*/dev/(?P<name>[\w/.-]{1,60}):\s*(?P<rest>\S.*)?$")
_NAMES = (
    "multcount", "IO_support", "unmaskirq", "using_dma", "keepsettings", "nowerr", "readonly",
    "readahead", "geometry", "write-caching", "look-ahead", "APM_level", "acoustic",
    "queue_depth", "max sectors", "drive state is", "write-read-verify", "wdidle3",
)  # fmt: skip
_ITEM = re.compile(rf"\s*(?P<name>{'|'.join(_NAMES)})\s*[=:]\s*(?P<value>\S.*)$")
_SETTING = re.compile(r"\s*setting (?:[a-z]|drive|APM|Advanced|using)[\w -]{1,40} to ")
_FIGURE = re.compile(r"(\d{1,9})(?:\s*\(|\s*$)")
_GEOMETRY = re.compile(
    r"(?:.{0,60}?sectors\s*=\s*(?P<sectors>\d{1,18}))?(?:.{0,40}?start\s*=\s*(?P<start>\d{1,18}))?"
)
_PROTECTED = re.compile(
    r"(?P<now>\d{1,18})/(?P<native>\d{1,18})(?:\(\d{1,18}\?\))?"
    r"(?:, HPA (?:is |setting seems )?(?P<state>enabled|disabled|invalid))?"
)
"""-N: what the drive shows of its sectors, and what it has (hdparm.c, process_dev())."""
_SWITCHES = {
    "using_dma": "using_dma", "unmaskirq": "unmaskirq", "keepsettings": "keepsettings",
    "readonly": "read_only", "nowerr": "nowerr", "look-ahead": "look_ahead",
    "write-read-verify": "write_read_verify",
}  # fmt: skip
_COUNTS = {
    "multcount": "multcount", "IO_support": "io_support", "APM_level": "apm_level",
    "acoustic": "acoustic_level", "queue_depth": "queue_depth",
}  # fmt: skip
_IDENTITY = re.compile(
    r"\s*(?:(?:non-)?removable )?(?:ATA|ATAPI|CompactFlash ATA)[\w ]{0,20} device, with "
)
_LABEL = re.compile(r"\s*(?P<label>[A-Z][\w-]*(?: {1,2}[\w-]+){0,4}):\s+(?P<value>\S.*?)\s*$")
_LABELS = {
    "Model Number": "model", "Serial Number": "serial", "Firmware Revision": "firmware",
    "Form Factor": "form_factor", "Transport": "transport", "Checksum": "checksum",
    "Logical Unit WWN Device Identifier": "wwn", "Media Serial Num": "media_serial",
    "Media Manufacturer": "media_manufacturer",
}  # fmt: skip
_SIZES = {
    "LBA48 user addressable sectors": "sectors", "LBA user addressable sectors": "sectors_28",
    "Logical/Physical Sector size": "both", "Logical Sector size": "logical_block_size",
    "Physical Sector size": "physical_block_size", "Queue depth": "max_queue_depth",
    "Advanced power management level": "apm_level",
    "Nominal Media Rotation Rate": "rotation_rate",
}  # fmt: skip
_QUICK = re.compile(
    r"\b(Model|FwRev|SerialNo|BuffSize|MultSect|LBAsects|WriteCache)=(.*?)(?=,|\s+\w+=|\s*$)"
)
_QUICK_REST = re.compile(
    r"\s*(?:Config=\{|RawCHS=|BuffType=|CurCHS=|IORDY=|(?:PIO|DMA|UDMA) modes:|AdvancedPM="
    r"|Drive conforms to:|\(maybe\):|\* signifies the current active mode)"
)
"""Lines of -i besides those with the figures that are read."""
_FEATURE = re.compile(
    r"(?:\s*+(?P<star>\*))?\s++(?P<what>Write cache|Look-ahead|Native Command Queueing)\b"
)
_SPEED = re.compile(r"\s*\*\s+Gen(\d) signaling speed \((\d+(?:\.\d)?)Gb/s\)")
_BITS = 10**9
_LONGEST = 160


class HdparmSettings(StateOutput):
    tool = "hdparm settings"
    anchors = (
        "multcount", "IO_support", "using_dma", "readahead     =", "readahead =",
        "readonly      =", "readonly     =", "readonly =", "geometry      =", "geometry     =",
        "geometry =", "write-caching =", "look-ahead    =", "APM_level", "drive state is:",
        "max sectors   =", "write-read-verify =",
        "ATA device, with", "FwRev=",
    )  # fmt: skip
    commands = ("hdparm",)
    reach = 3
    nothing = "no value of it is known"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        drive = _DRIVE.match(line)
        if drive and drive["rest"]:
            return cursor.at if is_setting(drive["rest"]) else None
        if prompt_in(line) or not (is_setting(line) or _IDENTITY.match(line)):
            return None
        first = cursor.at
        for index in range(cursor.at - 1, max(cursor.at - 24, -1), -1):
            text = cursor.line(index)
            if _DRIVE.match(text):
                return index
            if is_setting(text):
                first = index
            elif text and not _SETTING.match(text):
                break
        return first

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        drives: list[tuple[str, list[str]]] = []
        last, identity = first, False
        for index, line in close_lines(cursor, first, 2000, gap=4):
            drive = _DRIVE.match(line)
            if drive:
                identity = False
                drives.append((drive["name"], []))
            elif prompt_in(line) and index > first:
                break
            text = (drive["rest"] or "") if drive else line
            identity = identity or bool(_IDENTITY.match(text))
            own = is_setting(text) or _SETTING.match(text) or (identity and _of_identity(text))
            if (text and not own) or (drives and len(drives[-1][1]) > _LONGEST):
                break
            if not drives:
                drives.append(("", []))
            drives[-1][1].append(text)
            last = index
        return last, [
            PrintedSubject("disk", name, values, prompt.host)
            for name, texts in drives
            if (values := values_of(texts))
        ]


def is_setting(line: str) -> bool:
    """Whether a line says what a drive is set to, or what -i prints of it."""
    return bool(
        _ITEM.match(line)
        or _QUICK_REST.match(line)
        or ("=" in line and len(_QUICK.findall(line)) > 1)
    )


def _of_identity(line: str) -> bool:
    """Whether a line may be part of what -I prints: indented, a heading of it, or a label."""
    return (
        line[:1].isspace()
        or line.rstrip().endswith(":")
        or bool(
            _IDENTITY.match(line)
            or _LABEL.match(line)
            or line.startswith(("Checksum", "Logical Unit", "HW reset"))
        )
    )


def values_of(texts: list[str]) -> dict[str, Scalar]:
    """What lines of hdparm say of one drive."""
    values: dict[str, Scalar] = {}
    for text in texts:
        if item := _ITEM.match(text):
            values |= _setting(item["name"], item["value"].strip())
        elif "=" in text and (pairs := _QUICK.findall(text)):
            values |= _quick({name: value.strip() for name, value in pairs})
    if any(map(_QUICK_REST.match, texts)):
        values = quick_rest(texts) | values
    identity = any(map(_IDENTITY.match, texts))
    return values | (identity_rest(texts) if identity else {}) | _identity(texts)


def _setting(name: str, text: str) -> Mapping[str, Scalar]:
    if name == "drive state is":
        return {"drive_state": text.partition("[")[0].strip()}
    if name == "geometry":
        match = _GEOMETRY.search(text)
        sizes = match.groupdict() if match else {}
        whole = re.match(r"\d{1,9}/\d{1,5}/\d{1,5}", text)
        return ({"geometry": whole[0]} if whole else {}) | {
            key: int(figure) * units.SECTOR
            for key, figure in (("size", sizes.get("sectors")), ("start", sizes.get("start")))
            if figure
        }
    if name == "max sectors" and (match := _PROTECTED.match(text)):
        now, native = int(match["now"]), int(match["native"])
        state = {"host_protected_area": match["state"]} if match["state"] else {}
        return {"max_sectors": now, "native_max_sectors": native, **state}
    if name == "wdidle3":
        return {name: text}
    figure = _FIGURE.match(text)
    return _figure(name, int(figure[1])) if figure else {}


def _figure(name: str, number: int) -> Mapping[str, Scalar]:
    if name == "readahead":
        return {"read_ahead_kb": number * units.SECTOR // units.KIB}
    if name == "write-caching":
        return {"write_cache": "write back" if number else "write through"}
    if name in _SWITCHES:
        return {_SWITCHES[name]: bool(number)}
    return {_COUNTS[name]: number} if name in _COUNTS else {}


def _quick(pairs: Mapping[str, str]) -> dict[str, Scalar]:
    """What -i prints: what the kernel knew of the drive when it found it."""
    sectors = pairs.get("LBAsects", "")
    cache = {"enabled": "write back", "disabled": "write through"}.get(pairs.get("WriteCache", ""))
    values: dict[str, Scalar] = {
        "model": pairs.get("Model"), "firmware": pairs.get("FwRev"),
        "serial": pairs.get("SerialNo"), "write_cache": cache,
        "size": int(sectors) * units.SECTOR if sectors.isdecimal() else None,
    }  # fmt: skip
    return without_none(values)


def _identity(texts: list[str]) -> dict[str, Scalar]:
    values: dict[str, Scalar] = {}
    for text in texts:
        if speed := _SPEED.match(text):
            values["interface_speed_max"] = round(float(speed[2]) * _BITS)
        elif feature := _FEATURE.match(text):
            if feature["what"] == "Write cache":
                values["write_cache"] = "write back" if feature["star"] else "write through"
        elif label := _LABEL.match(text):
            name = " ".join(label["label"].split())
            if name in _LABELS:
                values[_LABELS[name]] = label["value"]
            elif name in _SIZES:
                _size(values, _SIZES[name], label["value"])
    few, sectors = values.pop("sectors_28", None), values.pop("sectors", None)
    sectors = sectors or (None if few == _MOST_OF_28_BITS else few)
    if isinstance(sectors, int):
        block = values.get("logical_block_size", units.SECTOR)
        values["size"] = sectors * (block if isinstance(block, int) else units.SECTOR)
    return values


_COUNT, _BYTES = re.compile(r"\d{1,18}\b"), re.compile(r"\d{3,5}(?= bytes)")
_OF_SECTOR = frozenset({"both", "logical_block_size", "physical_block_size"})
_MOST_OF_28_BITS = 2**28 - 1
"""What a drive with more sectors says of those that 28 bits can number."""


def _size(values: dict[str, Scalar], name: str, text: str) -> None:
    if name == "rotation_rate" and text.startswith("Solid"):
        values["rotational"] = False
    elif match := (_BYTES if name in _OF_SECTOR else _COUNT).match(text):
        names = ("logical_block_size", "physical_block_size") if name == "both" else (name,)
        values |= dict.fromkeys(names, int(match[0]))
