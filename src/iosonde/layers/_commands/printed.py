"""Commands in a text that set something, and the variables of files of settings.

Nobody says that the commands were run: a state holds what the text sets.

Source: as for the commands, and as for the variables in their technology's folder.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from typing_extensions import override

from iosonde.layers import SETTINGS_FILES
from iosonde.layers._commands.facts import settings_in
from iosonde.layers._mounts.facts import unmarked
from iosonde.records.printed import OutputReading, PrintedState, PrintedSubject, Unreadable
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Output, TextCursor, prompt_in
from iosonde.text.reader import entries
from iosonde.text.torn import joinings

_VARIABLES = {
    holds: variables
    for holds in SETTINGS_FILES
    if (variables := SETTINGS_FILES.load(holds).variables) is not None
}
"""Whose file they stand in → the variables."""
_FILE = re.compile(r"(?P<path>/etc/[\w./-]*\w)[\s:`'\"*.)]*$")
_ECHOED = re.compile(r"echo\s+[\"']?(?P<value>[^\s\"'|]+)[\"']?\s*\|\s*(?:sudo\s+)?tee\s")
"""A value that tee prints as well."""
_LONG = 60


class ShellSettings(Output):
    tool = "shell"
    of_commands = True
    anchors = (
        "/queue/", "/device/queue", "/md/stripe", "/proc/sys/",
        "/proc/fs/nfsd/threads", "/sys/module/", "/sys/class/net/", "/cpufreq/scaling",
        "/proc/irq/", "--setra ", "txqueuelen ", " link set ", "ethtool -K", "ethtool -G",
        "ethtool -C", "ethtool -L", "ethtool -s ", "ethtool --", "sysctl -w", "sysctl vm",
        "sysctl net", "hdparm -W", "hdparm -a", "chkconfig ", "systemctl disable",
        "systemctl mask", "systemctl --now", "cacheratio=", " modify ", "mount -o", "mount -t",
        " mtu ", *(anchor for variables in _VARIABLES.values() for anchor in variables.anchors),
    )  # fmt: skip

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        if not _subjects_at(cursor, cursor.at)[0]:
            return None
        first = cursor.at
        for index in range(cursor.at - 1, max(cursor.at - 30, -1), -1):
            line = cursor.line(index)
            if line.strip() and not _subjects_at(cursor, index)[0]:
                break
            if line.strip():
                first = index
            elif first - index > 1:
                break
        return first

    @override
    def read(self, cursor: TextCursor, first: int) -> OutputReading:
        parsed, last = entries(cursor, first, _entry, gap=1, most=200)
        every = [subject for subjects, _ in parsed for subject in subjects]
        hosts = {host for _, host in parsed if host}
        if not every:
            raise Unreadable("nothing is set")
        host = hosts.pop() if len(hosts) == 1 else ""
        return OutputReading(first, last, states=(PrintedState(self.tool, _together(every), host),))


def _entry(cursor: TextCursor, index: int) -> tuple[tuple[list[PrintedSubject], str], int] | None:
    """What a line sets, and on which host; None where it sets nothing."""
    in_line, end = _subjects_at(cursor, index)
    prompt = prompt_in(cursor.line(index))
    return ((in_line, prompt.host if prompt else ""), end) if in_line else None


def _subjects_at(cursor: TextCursor, index: int) -> tuple[list[PrintedSubject], int]:
    """What a line sets, and the index of the line where that ends."""
    line = cursor.line(index)
    if len(line) > 600:
        return [], index
    subjects = list(settings_in(line)) or _variable(cursor, index, line)
    after = cursor.line(index + 1)
    if (len(line) < _LONG and not line.endswith("\\")) or not after.strip() or len(after) > 600:
        return subjects, index
    if list(settings_in(after)):
        return subjects, index
    if (echoed := _ECHOED.search(line)) and after.strip() == echoed["value"]:
        return subjects, index + 1
    tries = [list(settings_in(whole)) for whole in joinings([line.rstrip("\\"), after])]
    best = max(tries, key=_figures)
    return (best, index + 1) if _figures(best) > _figures(subjects) else (subjects, index)


def _figures(subjects: Iterable[PrintedSubject]) -> int:
    return sum(
        len(f"{name}{value}") for subject in subjects for name, value in subject.values.items()
    )


def _variable(cursor: TextCursor, index: int, line: str) -> list[PrintedSubject]:
    """A variable of a file of settings, known or not."""
    for holds, variables in _VARIABLES.items():
        if match := variables.line.fullmatch(unmarked(line)):
            text = match["value"].strip("\"'")
            value: Scalar = int(text) if text.isdecimal() and len(text) < 10 else text
            values = {"holds": holds, match["name"]: value}
            subject = variables.subject(match["name"], value)
            return [
                PrintedSubject("file", _file(cursor, index, variables.line), values),
                *([subject] if subject else []),
            ]
    return []


def _file(cursor: TextCursor, first: int, variable: re.Pattern[str]) -> str:
    """The file that the lines above say a variable stands in."""
    for index in range(first - 1, max(first - 6, -1), -1):
        line = cursor.line(index)
        if match := _FILE.search(line):
            return match["path"]
        if line.strip() and not variable.fullmatch(unmarked(line)) and line.lstrip()[0] != "#":
            break
    return ""


def _together(subjects: Iterable[PrintedSubject]) -> tuple[PrintedSubject, ...]:
    """One subject for each thing; of two values of one setting the later."""
    merged: dict[tuple[str, str], dict[str, Scalar]] = {}
    for subject in subjects:
        values = merged.setdefault((subject.kind, subject.name), {})
        for name, value in subject.values.items():
            before = values.get(name) if name == "services_off" else None
            values[name] = f"{before}, {value}" if before else value
    return tuple(PrintedSubject(kind, name, values) for (kind, name), values in merged.items())
