"""A block device's queue by its files in sysfs, as grep, head, tail or cat show them.

Source: Linux Documentation/ABI/stable/sysfs-block (queue/*); grep(1) and head(1) for what they put
before each file's text.
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.records.printed import PrintedSubject, Unreadable
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, lines, prompt_in, prompt_with_path
from iosonde.text.reader import Items, StateOutput

_PLACE = (
    r"(?:/sys/(?:class/)?block|\.)?/?"
    r"(?P<device>(?:sd|hd|vd|xvd|nvme|md|dm-|loop|zram|ram|sr(?=\d)|nbd|rbd|drbd|bcache|"
    r"mmcblk|pmem|etherd!|cciss!)[\w!.-]{0,24})/queue/(?P<name>[a-z]\w{1,40})"
)
_SEVERAL = re.compile(
    r"(?:sudo )?cat\s+(?P<paths>/sys/(?:class/)?block/[\w!.,*?\[\]{}-]{1,120}/queue/[a-z]\w{1,40}"
    r"(?:\s+/sys/(?:class/)?block/[\w!.-]{1,40}/queue/[a-z]\w{1,40}){0,15})\s*$"
)
_FILE = re.compile(r"/block/(?P<device>[^/]+)/queue/(?P<name>\w+)")
_BRACES = re.compile(r"\{([^{}]*)\}")
_GREPPED = re.compile(
    rf"\s*+(?:[#$] (?:sudo )?cat )?{_PLACE}(?: ?[:=] ?|\s{{1,12}})(?P<value>\S.*)$"
)
"""Also `# cat FILE:4096`, as some note a command and what it printed in one line."""
_HEADED = re.compile(rf"\s*==> {_PLACE} <==\s*$")
_SHOWN = re.compile(rf"(?:sudo )?(?:cat|head|tail|more)\s+(?:-\S+ )*{_PLACE}\s*$")
_FIGURE = re.compile(r"-?\d{1,19}$")
_ACTIVE = re.compile(r"\[([\w-]+)\]")
_SCHEDULERS = re.compile(
    r"\[?(?:none|noop|deadline|cfq|anticipatory|mq-deadline|kyber|bfq)\]?"
    r"(?:\s+\[?(?:none|noop|deadline|cfq|anticipatory|mq-deadline|kyber|bfq)\]?)*$"
)
_TEXTS = {
    "write_cache": re.compile(r"write (?:back|through)$"),
    "zoned": re.compile(r"none|host-(?:aware|managed)$"),
    "scheduler": _SCHEDULERS,
}
_FACTS = {"minimum_io_size": "io_min", "optimal_io_size": "io_opt"}
_SWITCHES = {"rotational", "fua", "iostats", "add_random", "stable_writes", "dax"}


class QueueFiles(StateOutput):
    tool = "queue files"
    anchors = ("/queue/", "/queue# ", "/queue$ ")
    commands = ("grep", "head", "tail", "cat", "more")

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        at = cursor.at
        return at if _entry(cursor, at) or _asked(cursor.line(at)) else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        devices: dict[str, dict[str, Scalar]] = {}
        host, last, after = prompt.host, first, first
        if several := _several(cursor, first):
            return several
        for index, line in lines(cursor, first, 4000):
            if index < after or not line:
                if index > last + 3:
                    break
                continue
            entry = _entry(cursor, index)
            if entry is None:
                break
            device, name, value, after, named = entry
            host = host or named
            last = after - 1
            if value is not None:
                devices.setdefault(device, {})[_FACTS.get(name, name)] = value
        return last, [
            PrintedSubject("disk", device.replace("!", "/"), values, host)
            for device, values in devices.items()
        ]


def _entry(cursor: TextCursor, index: int) -> tuple[str, str, Scalar, int, str] | None:
    """Device, file, value, index of the line after it, and host; None where none begins."""
    line = cursor.line(index)
    if match := _GREPPED.match(line):
        value = _value(match["name"], match["value"].strip())
        return None if value is None else (match["device"], match["name"], value, index + 1, "")
    prompt = prompt_with_path(line)
    shown = _HEADED.match(line) or _SHOWN.match(prompt.command if prompt else line.strip())
    if not shown:
        return None
    value = _value(shown["name"], cursor.line(index + 1).strip())
    host = prompt.host if prompt else ""
    return None if value is None else (shown["device"], shown["name"], value, index + 2, host)


def _asked(line: str) -> tuple[list[str], Prompt] | None:
    """The paths of a `cat` of several files, braces expanded; None where a line is none."""
    prompt = prompt_in(line) or Prompt(line.strip())
    match = _SEVERAL.match(prompt.command)
    if not match or (
        len(paths := _expanded(match["paths"])) == 1 and not re.search(r"[*?\[]", paths[0])
    ):
        return None
    return paths, prompt


def _expanded(text: str) -> list[str]:
    """The paths that a shell makes of braces; what stands for any name is left."""
    paths: list[str] = []
    for path in text.split():
        braces = _BRACES.search(path)
        if braces is None:
            paths.append(path)
            continue
        paths += [path.replace(braces[0], name, 1) for name in braces[1].split(",")]
    return paths


def _several(cursor: TextCursor, first: int) -> tuple[int, list[PrintedSubject]] | None:
    """The values of several files below the command that asks for them, one a line.

    Raises:
        Unreadable: it is not said which device each of them is of.
    """
    asked = _asked(cursor.line(first))
    if asked is None:
        return None
    paths, prompt = asked
    files = [match for path in paths if (match := _FILE.search(path))]
    if not files:
        return None
    values: list[Scalar] = []
    for _, line in lines(cursor, first + 1, 64):
        value = None if prompt_in(line) else _value(files[0]["name"], line.strip())
        if value is None:
            break
        values.append(value)
    last = first + len(values)
    if not values:
        raise Unreadable("no value follows", last)
    if len(values) != len(files) and (len(files) > 1 or len(set(map(str, values))) > 1):
        raise Unreadable("which device each value is of is not said", last)
    devices = [
        (file["device"], file["name"], value) for file, value in zip(files, values, strict=False)
    ]
    return last, [
        PrintedSubject(
            "disk", device.replace("!", "/"), {_FACTS.get(name, name): value}, prompt.host
        )
        for device, name, value in devices
    ]


def _value(name: str, text: str) -> Scalar:
    """What a file holds; None where it holds no such thing."""
    if name in _TEXTS:
        if not _TEXTS[name].match(text):
            return None
        active = _ACTIVE.search(text)
        single = text if " " not in text or name == "write_cache" else None
        return active[1] if active else single
    if not _FIGURE.match(text):
        return None
    return text == "1" if name in _SWITCHES and text in {"0", "1"} else int(text)
