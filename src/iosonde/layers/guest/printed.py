"""Disks of virtual machines: libvirt's `<disk>`, and QEMU's -drive and -blockdev in a command.

Source: libvirt docs/formatdomain.rst, "Hard drives, floppy disks, CDROMs" (driver, source, target,
iotune: sizes in bytes, I/Os a second, blockio); qemu(1) 7.2, -drive and -blockdev (cache, aio,
discard, throttling.*).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from typing_extensions import override

from iosonde.layers.guest.command_line import options
from iosonde.records.printed import PrintedSubject, Unreadable
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, flow, joined, lines, prompt_in
from iosonde.text.reader import StateOutput, start_of

_OPEN = re.compile(r"<disk\s+[\w='\"\s-]{0,200}")
_ELEMENT = re.compile(
    r"<(\w{1,40})((?:\s+[\w:.-]{1,40}\s*=\s*(?:'[^']{0,400}'|\"[^\"]{0,400}\"))*)\s*/?>"
)
_ATTRIBUTE = re.compile(r"([\w:.-]{1,40})\s*=\s*(?:'([^']*)'|\"([^\"]*)\")")
_CONTENT = re.compile(r"<(total|read|write)_(bytes|iops)_sec>(\d{1,18})</")
_SERIAL = re.compile(r"<serial>([^<]{1,80})</serial>")
_OF_DRIVER = {
    "type": "format", "cache": "cache", "io": "aio", "discard": "discard",
    "detect_zeroes": "detect_zeroes", "queues": "queues", "iothread": "iothread",
}  # fmt: skip
_SOURCES = ("file", "dev", "name", "volume", "dir")
_MOST = 80
_WIDE = 60  # shorter lines of a command are not broken by anyone
_CODED = "it is quoted-printable inside of a text that is not"
_DRIVE = re.compile(
    r"(?<![\w-])--?(?P<flag>drive|blockdev)\s+(['\"]?)(?P<value>(?:[\w.-]+=|\{)\S{3,600})"
)
_OF_DRIVE = {
    "format": "format", "driver": "format", "if": "interface", "cache": "cache", "aio": "aio",
    "discard": "discard", "cache.direct": "cache_direct", "cache.no-flush": "cache_no_flush",
    "snapshot": "snapshot", "readonly": "read_only", "media": "media",
    "detect-zeroes": "detect_zeroes", "iops": "limit_iops", "iops_rd": "limit_read_iops",
    "iops_wr": "limit_write_iops", "bps": "limit_bandwidth", "bps_rd": "limit_read_bandwidth",
    "bps_wr": "limit_write_bandwidth", "throttling.iops-total": "limit_iops",
    "throttling.bps-total": "limit_bandwidth",
}  # fmt: skip
_PATHS = {"drive": ("file",), "blockdev": ("filename", "file.filename")}
_FIRMWARE = frozenset({"pflash", "floppy"})
_QEMU = ("qemu-system", "qemu-kvm", "/kvm", "kvm ", "-device", "-drive", "-blockdev", "-m ", "-smp")


class LibvirtDisks(StateOutput):
    tool = "libvirt disk"
    anchors = ("<disk ",)
    commands = ("virsh", "cat")
    reach = 3

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        near = flow(cursor, cursor.at, cursor.at + 8)
        is_disk = _OPEN.search(line) and re.search(r"<(?:driver|source|target)\b", near)
        return cursor.at if is_disk else None

    @override
    def items(
        self, cursor: TextCursor, first: int, prompt: Prompt
    ) -> tuple[int, Iterable[PrintedSubject]]:
        last = first
        for index, line in lines(cursor, first, _MOST):
            if prompt_in(line) or (index > first and "<disk " in line):
                raise Unreadable("the end of the <disk> is cut off", last)
            last = index
            if "</disk>" in line:
                break
        else:
            raise Unreadable("the end of the <disk> is cut off", last)
        if '=3D"' in cursor.line(last - 1) or "=3D'" in cursor.line(last - 1):
            raise Unreadable(_CODED, last)
        text = flow(cursor, first, last).partition("<disk")[2].partition("</disk>")[0]
        values, name = _of_disk(f"<disk{text}")
        if not name:
            raise Unreadable("it names no target", last)
        return last, (PrintedSubject("guest", name, values, prompt.host),)


def _attributes(text: str) -> dict[str, str]:
    return {name: single or double for name, single, double in _ATTRIBUTE.findall(text)}


def _of_disk(text: str) -> tuple[dict[str, Scalar], str]:
    """Facts of one `<disk>`, and the name that the guest's bus gives it."""
    values: dict[str, Scalar] = {}
    name = ""
    text = re.sub(r"<backingStore\b.*?</backingStore>", " ", text)
    for element, inner in _ELEMENT.findall(text):
        attributes = _attributes(inner)
        if element == "disk":
            values |= _kept(attributes, {"type": "type", "device": "device"})
        elif element == "driver":
            values |= _kept(attributes, _OF_DRIVER)
        elif element == "source":
            path = next((attributes[key] for key in _SOURCES if attributes.get(key)), "")
            values |= {"path": path} if path else {}
            values |= _kept(attributes, {"protocol": "protocol", "pool": "pool"})
        elif element == "target" and not name:
            name = attributes.get("dev", "")
            values |= _kept(attributes, {"bus": "bus"})
        elif element == "blockio":
            values |= _kept(
                attributes, {key: key for key in ("logical_block_size", "physical_block_size")}
            )
    for way, what, figure in _CONTENT.findall(text):
        ending = "bandwidth" if what == "bytes" else "iops"
        values["limit_" + ("" if way == "total" else f"{way}_") + ending] = int(figure)
    if serial := _SERIAL.search(text):
        values["serial"] = serial[1]
    return values, name


def _kept(attributes: Mapping[str, str], names: Mapping[str, str]) -> dict[str, Scalar]:
    return {names[key]: _scalar(value) for key, value in attributes.items() if key in names}


def _scalar(text: str) -> Scalar:
    return int(text) if re.fullmatch(r"\d{1,18}", text) else text


class QemuDrives(StateOutput):
    tool = "qemu drives"
    anchors = ("-drive ", "-blockdev ")
    commands = ("ps",)
    reach = 3
    nothing = "it names no file or device, or a wrap tore their names"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        if not any(True for _ in _drives(cursor.line(cursor.at))):
            return None
        first = start_of(cursor, lambda line: line.rstrip().endswith("\\"))
        near = flow(cursor, max(first - 2, 0), cursor.at + 2)
        return first if sum(word in near for word in _QEMU) > 1 else None

    @override
    def items(
        self, cursor: TextCursor, first: int, prompt: Prompt
    ) -> tuple[int, Iterable[PrintedSubject]]:
        last = first
        for index, line in lines(cursor, first, 200):
            last = index
            after = cursor.line(index + 1)
            goes_on = line.rstrip().endswith("\\") or after.lstrip().startswith("-")
            if not goes_on and not (len(line) > _WIDE and after and not prompt_in(after)):
                break
        text = joined(cursor, first, last)
        if "=3D" in text:
            raise Unreadable(_CODED, last)
        after = cursor.line(last + 1)
        return last, [
            PrintedSubject("guest", name, values, prompt.host)
            for name, values in _drives(f"{text}\n{after}", len(text))
        ]


def _drives(text: str, end: int = 1 << 30) -> Iterator[tuple[str, dict[str, Scalar]]]:
    """Name and facts of each drive in a command line that has a file or a device.

    Args:
        text: the command, and the line below it.
        end: where the command ends in it.
    """
    for number, match in enumerate(_DRIVE.finditer(text, 0, end)):
        if _is_torn(text[match.end() :]):
            continue
        given = options(match["value"].rstrip("'\"\\:;.)"))
        path = next((given[key] for key in _PATHS[match["flag"]] if given.get(key)), "")
        if not path or "$" in path or given.get("if") in _FIRMWARE or path.endswith(".fd"):
            continue
        values: dict[str, Scalar] = {"path": path}
        values |= _kept(given, _OF_DRIVE)
        yield given.get("id") or given.get("node-name") or f"drive{number}", values


def _is_torn(after: str) -> bool:
    """Whether a line ends in what may be a longer value, and not after a backslash."""
    line = after[1:].partition("\n")[0] if after.startswith("\n") else ""
    return bool(line.strip()) and not line.lstrip().startswith("-") and not prompt_in(line)
