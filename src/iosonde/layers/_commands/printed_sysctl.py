"""sysctl.conf and `sysctl -a`: names of the kernel's settings with their values.

Source: sysctl(8), sysctl.conf(5) of procps 4.0.2; Linux Documentation/admin-guide/sysctl/.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from typing_extensions import override

from iosonde.layers._mounts.facts import unmarked
from iosonde.records.printed import OutputReading, PrintedState, PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Output, TextCursor, command_before, lines

_TOPS = "abi|crypto|debug|dev|fs|kernel|net|sunrpc|user|vm"
_LINE = re.compile(
    rf"-?(?P<name>(?:{_TOPS})[./][a-zA-Z0-9_][\w./*:@-]{{1,120}})\s*=(?P<value>.{{0,400}})"
)
_FILE = re.compile(r"(?P<path>/(?:etc|run|usr)/[\w./-]*\w)[\s:`'\"*.)]*$")
_CELL = re.compile(r"\s\|\s{1,8}\S")
"""What stands behind a name and a value in the next cell of a table that explains them."""
_COMMENT = re.compile(r"\s*[#;]")
_LONG = 60
_WIDTHS = {72, 80}  # where terminals cut words, while mail programs fold between them


class SysctlOutput(Output):
    tool = "sysctl"
    anchors = (
        "vm.dirty", "vm.swappiness", "vm.vfs", "vm.min", "vm.nr", "vm.overcommit", "vm.max",
        "vm.zone", "vm.page-cluster", "vm.drop", "vm/dirty", "net.core.", "net.ipv4.", "net.ipv6.",
        "sunrpc.", "fs.aio", "fs.file-max", "fs.nr", "fs.inotify", "fs.nfs", "fs.xfs",
        "kernel.sched", "kernel.shm", "kernel.sem ", "kernel.msgm", "kernel.pid", "kernel.numa",
        "kernel.panic", "kernel.sysrq", "dev.raid.",
    )  # fmt: skip

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        if _parsed(cursor.line(cursor.at)) is None:
            return None
        first = cursor.at
        for index in range(cursor.at - 1, -1, -1):
            line = cursor.line(index)
            if _parsed(line) is not None:
                first = index
            elif (
                first - index > 2 or (line.strip() and not _COMMENT.match(line))
            ) and not _is_rest(line, cursor.line(index - 1)):
                break
        return first

    @override
    def read(self, cursor: TextCursor, first: int) -> OutputReading:
        values: dict[str, Scalar] = {}
        name, last, before = "", first, ""
        for index, line in lines(cursor, first, 4000):
            if setting := _parsed(line):
                name, value = setting
                values[name] = value
                last = index
            elif line.strip() and _is_rest(line, before):
                gap = " " if " " in str(values[name]) and len(before) not in _WIDTHS else ""
                values[name] = _value(f"{values[name]}{gap}{line}")
                last = index
            elif (line.strip() and not _COMMENT.match(line)) or index - last > 3:
                break
            before = line or before
        begin, path = _file(cursor, first)
        asked_at, prompt = command_before(cursor, first, ("sysctl", "cat", "grep"), reach=3)
        host: list[PrintedSubject] = [PrintedSubject("host", "", values)]
        if path:
            host.append(PrintedSubject("file", path, {"holds": "sysctl"}))
        state = PrintedState(self.tool, tuple(host), prompt.host, prompt.command)
        return OutputReading(min(begin, asked_at), last, states=(state,))


def _parsed(line: str) -> tuple[str, Scalar] | None:
    """Name and value in a line; None where it holds no setting."""
    match = _LINE.fullmatch(unmarked(line))
    if match is None or _CELL.search(match["value"]):
        return None
    name, value = match["name"], match["value"].strip()
    if "." not in name:
        name = name.replace("/", ".")
    return name, _value(value.partition(" #")[0])


def _value(text: str) -> Scalar:
    """A number as a number, several with single blanks between them."""
    parts = text.strip().strip("\"'").split()
    whole = " ".join(parts)
    return int(whole) if re.fullmatch(r"-?\d{1,20}", whole) else whole


def _is_rest(line: str, before: str) -> bool:
    """Whether a line is what a wrap left over of a long one before it."""
    torn = len(before) >= _LONG or before.endswith("=")
    return torn and bool(re.fullmatch(r"[\w\s.,:/-]{1,200}", line))


def _file(cursor: TextCursor, first: int) -> tuple[int, str]:
    """The file that the lines above say these settings stand in, and where they say so."""
    for index in range(first - 1, max(first - 5, -1), -1):
        line = cursor.line(index)
        if match := _FILE.search(line):
            return index, match["path"]
        if line.strip() and not _COMMENT.match(line):
            break
    return first, ""


def as_values(names: Mapping[str, str]) -> dict[str, Scalar]:
    """Settings given by name and text, as of `sysctl -w`."""
    return {name.replace("/", "."): _value(value) for name, value in names.items()}
