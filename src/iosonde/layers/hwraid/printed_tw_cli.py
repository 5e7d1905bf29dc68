"""`tw_cli` of 3ware's controllers: tables of units, ports, controllers and batteries.

Its source is not public. Source: tw_cli(8) 2.0 to 3.1 (/cx show: GB of 1024, as the blocks beside
them show; Cache: W for writes, Ri and Rb for reads, ON and OFF of older versions for writes), and
outputs of 9.3 to 10.2; nagios-plugin-check_raid 4.0 and check_mk, 3ware_disks (SMART_FAILURE). A
state that is not known is said as it stands.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TypeVar

from typing_extensions import override

from iosonde import units
from iosonde.layers.hwraid.facts import battery_state, data_disks, size_of, volume_state
from iosonde.records.printed import PrintedSubject, without_none
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, lines, prompt_in
from iosonde.text.labels import as_labelled
from iosonde.text.reader import Items, StateOutput
from iosonde.text.torn import joinings

T = TypeVar("T")
_HEADS: Mapping[str, frozenset[str]] = {
    "Unit": frozenset({
        "UnitType", "Status", "%Cmpl", "%RCmpl", "%V/I/M", "Port", "Stripe", "Size(GB)", "Cache",
        "AVrfy", "AVerify", "IgnECC", "Blocks", "VPort",
    }),
    "Port": frozenset({"Status", "Unit", "Size", "Blocks", "Serial"}),
    "VPort": frozenset({"Status", "Unit", "Size", "Type", "Phy", "Encl-Slot", "Model"}),
    "Ctl": frozenset({
        "Model", "(V)Ports", "Ports", "Drives", "Units", "NotOpt", "RRate", "VRate", "BBU",
    }),
    "Name": frozenset({
        "OnlineState", "BBUReady", "Status", "Volt", "Temp", "Hours", "LastCapTest",
    }),
}  # fmt: skip
_FIRST = {
    "Unit": re.compile(r"u\d{1,3}(?:-\d{1,2}){0,2}$"), "Port": re.compile(r"p\d{1,3}$"),
    "VPort": re.compile(r"p\d{1,3}$"), "Ctl": re.compile(r"c\d{1,3}$"),
    "Name": re.compile(r"bbu$"),
}  # fmt: skip
_RULE = re.compile(r"\s*-{2,}\s*$")
_SET = re.compile(
    r"\s*/c(?P<owner>\d{1,3})(?:/(?P<thing>[upe]\d{1,3}|bbu))? "
    r"(?P<label>[A-Za-z][\w ()/-]{1,48}?) = (?P<value>\S.{0,120})$"
)
_SIZED = re.compile(r"(?<=\d) (?=[KMGT]B\b)")
_OWNER = re.compile(r"(?:/|\s)c(\d{1,3})\b")
_TORN = re.compile(r"\s*(?=[A-Z-]*\d)[A-Z0-9-]{1,24}$")
"""What a wrap leaves of the last cell of a row."""
_LONG = 48
"""Characters of a line that a mail may have broken."""
_DRIVE_STATES = {"OK": "online", "SMART-FAILURE": "predictive failure",
                 "SMART_FAILURE": "predictive failure"}  # fmt: skip
_WORDS_OF_BBU = {"ok": "ok", "-": "missing"}


class TwCli(StateOutput):
    tool = "tw_cli"
    anchors = (
        "UnitType  Status", "VPort Status", "Unit   Size        Blocks", "(V)Ports  Drives",
        "OnlineState  BBUReady", "UnitType", "Controller Phys = ", "Total Optimal Units = ",
        "/u0 status = ", "/u0 Status = ",
    )  # fmt: skip
    commands = ("tw_cli", "tw-cli", "tw_cli.x86_64")
    reach = 4
    nothing = "no row stands below its head"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        if not (
            _SET.match(cursor.line(cursor.at)) or _whole(cursor, cursor.at, _head, longest=True)
        ):
            return None
        first = cursor.at
        for index in range(first - 1, max(first - 60, -1), -1):
            line = cursor.line(index)
            if _SET.match(line):
                first = index
            elif line:
                break
        return first

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        rows: dict[tuple[str, str], dict[str, str]] = {}
        named = _OWNER.search(prompt.command)
        owner = f"c{named[1]}" if named else ""
        head: list[str] = []
        broken, last = False, first
        for index, line in lines(cursor, first, 1200):
            if index > last + 5:
                break
            if index < last or (index == last and index > first) or not line.strip():
                continue
            if set_ := _SET.match(line):
                owner, last = f"c{set_['owner']}", index
                thing = set_["thing"] or owner
                rows.setdefault((_kind(thing), thing), {})[set_["label"]] = set_["value"]
            elif another := _whole(cursor, index, _head, longest=True):
                head, last = another
                broken = last > index
            elif read := _whole(cursor, index, partial(_row, head), longest=broken):
                row, last = read
                rows.setdefault((_kind(row[head[0]]), row[head[0]]), {}).update(row)
            elif _RULE.match(line):
                last = index
            else:
                break
        return last, _subjects(rows, owner, prompt.host)


def _whole(
    cursor: TextCursor, first: int, read: Callable[[str], T], *, longest: bool = False
) -> tuple[T, int] | None:
    """What a line says, and the index of its last line: a wrap may have made several of it.

    Args:
        cursor: to look at.
        first: index of the line.
        read: what a whole line says; nothing where it is none.
        longest: whether a part may say something as well, since the head was broken, too.
    """
    parts: list[str] = []
    best: tuple[T, int] | None = None
    for index in range(first, first + 4):
        line = cursor.line(index)
        if not line.strip():
            break
        ended = len(parts[-1]) < _LONG if parts else False
        if ended or (parts and (_is_start(line) or _RULE.match(line) or prompt_in(line))):
            break
        parts.append(line)
        if value := next(filter(None, map(read, joinings(parts))), None):
            best = value, index
            if not longest and not _TORN.match(cursor.line(index + 1)):
                break
    return best


def _is_start(line: str) -> bool:
    """Whether a row or a head may begin in a line."""
    first, _, rest = line.strip().partition(" ")
    return bool(rest) and (first in _HEADS or any(map(partial(_matches, first), _FIRST.values())))


def _matches(text: str, pattern: re.Pattern[str]) -> bool:
    return bool(pattern.match(text))


def _head(line: str) -> list[str]:
    """The names of the columns where a line is the head of a table."""
    cells = line.split()
    if len(cells) < 4 or cells[0] not in _HEADS or not set(cells[1:]) <= _HEADS[cells[0]]:
        return []
    return cells


def _row(head: list[str], line: str) -> dict[str, str]:
    """The cells of a row by the names of their columns; what a model has of blanks is its own."""
    if not head or prompt_in(line):
        return {}
    last = head[-1] in {"Model", "Serial", "LastCapTest"}
    cells = _SIZED.sub("", line).split(maxsplit=len(head) - 1 if last else -1)
    if head[0] == "Ctl" and len(cells) == len(head) - 1:
        head = head[:-1]  # without its battery
    if not cells or len(cells) != len(head) or not _FIRST[head[0]].match(cells[0]):
        return {}
    return {name: cell.strip() for name, cell in zip(head, cells, strict=True)}


def _kind(name: str) -> str:
    return {"u": "hwraid", "p": "disk", "e": "enclosure", "b": "battery"}.get(name[0], "controller")


def _subjects(
    rows: Mapping[tuple[str, str], dict[str, str]], owner: str, host: str
) -> list[PrintedSubject]:
    ports = [row for (kind, _), row in rows.items() if kind == "disk" and "Unit" in row]
    subjects: list[PrintedSubject] = []
    for (kind, name), row in rows.items():
        title = name if kind == "controller" else f"{owner}/{name}".lstrip("/")
        own: dict[str, Scalar] = {"controller": owner} if owner and kind != "controller" else {}
        if kind == "hwraid" and "-" in name:
            if (port := row.get("Port", row.get("VPort", "-"))) != "-":
                values = own | _of_disk(row) | {"unit": name.partition("-")[0]}
                subjects.append(PrintedSubject("disk", f"{owner}/{port}".lstrip("/"), values, host))
        elif kind == "hwraid":
            inner = [other for _, other in rows if re.match(rf"{name}-\d+$", other)]
            members = len(inner) or _members(row, [p for p in ports if p["Unit"] == name])
            values = own | {"volume": title} | _of_unit(row, members or None)
            subjects.append(PrintedSubject(kind, title, values, host))
        elif kind == "disk":
            subjects.append(PrintedSubject(kind, title, own | _of_disk(row), host))
        else:
            subjects.append(PrintedSubject(kind, title, own | _of_controller(row), host))
    return subjects


def _members(unit: Mapping[str, str], ports: Sequence[Mapping[str, str]]) -> int:
    """How many drives a unit has; 0 where one that it lacks is at no port any more."""
    lacks = unit.get("Status") in _LACKING and all(port.get("Status") == "OK" for port in ports)
    return 0 if lacks else len(ports)


_LACKING = frozenset({"DEGRADED", "INOPERABLE"})


def _plain(row: Mapping[str, str], *read: str) -> dict[str, Scalar]:
    """What has no name of its own, without what is not said."""
    shown = {name.replace("%", "percent "): cell for name, cell in row.items() if cell != "-"}
    return as_labelled(shown, {*read, *_HEADS})


def _of_unit(row: Mapping[str, str], disks: int | None) -> dict[str, Scalar]:
    level = row.get("UnitType", "").lower().replace("-", "")
    raid = level if re.fullmatch(r"raid\d{1,2}", level) else None
    cache = row.get("Cache", "-")
    writes = cache == "ON" or cache.endswith("W")
    blocks, size = row.get("Blocks", ""), row.get("Size(GB)", "")
    state = row.get("Status") or row.get("status")
    bytes_ = int(blocks) * units.SECTOR if blocks.isdecimal() else size_of(f"{size}GB")
    return _plain(row, "Status", "Size(GB)", "Blocks", "Stripe", "status") | without_none(
        {
            "raid_level": raid,
            "state": None if state in {None, "-"} else volume_state(str(state)),
            "size": bytes_,
            "strip_size": size_of(f"{row.get('Stripe', '')}B"),
            "disks": disks if raid else None,
            "data_disks": data_disks(raid, disks, None),
            "write_policy": None if cache == "-" else "write_back" if writes else "write_through",
        }
    )


def _of_disk(row: Mapping[str, str]) -> dict[str, Scalar]:
    blocks = row.get("Blocks", "")
    size = int(blocks) * units.SECTOR if blocks.isdecimal() else size_of(row.get("Size"))
    unit = row.get("Unit", "-")
    state = row.get("Status", row.get("status", "-"))
    kind = row.get("Type", "-").lower()
    read = ("Status", "Size", "Blocks", "Type", "status", "Size(GB)", "UnitType", "Stripe")
    return _plain(row, *read) | without_none(
        {
            "state": None if state == "-" else _DRIVE_STATES.get(state, state.lower()),
            "size": size or size_of(f"{row.get('Size(GB)', '')}GB"),
            "unit": unit if re.match(r"u\d", unit) else None,
            "transport": None if kind == "-" else kind,
        }
    )


def _of_controller(row: Mapping[str, str]) -> dict[str, Scalar]:
    memory = row.get("Available Memory")
    battery = row.get("BBU") or (row.get("Status") if "BBUReady" in row else None)
    values = _plain(row, "BBU") | {k: v for k, v in row.items() if k == "Model" and v != "-"}
    return {name.lower(): value for name, value in values.items()} | without_none(
        {
            "firmware": row.get("Firmware Version"),
            "cache_size": size_of(memory) if memory else None,
            "battery": _WORDS_OF_BBU.get(str(battery).lower(), battery_state(str(battery)))
            if battery
            else None,
        }
    )
