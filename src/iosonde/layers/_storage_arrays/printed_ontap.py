"""NetApp ONTAP's tables: aggregates, volumes, disks, LUNs, mirrors and interfaces.

A cell that is longer than its column goes on below itself, or sends the rest of its row to the next
line, or moves it to the right. Sizes are of 1024: a volume of "1TB" has 1024 GB.

Source: NetApp, ONTAP 9 documentation and Clustered Data ONTAP 8.3 Commands: Manual Page Reference
(volume show, storage aggregate show, storage disk show, lun show, snapmirror show, network
interface show); outputs of ONTAP 8.3 to 9.14.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from typing_extensions import override

from iosonde import units
from iosonde.kerneltext import fields
from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cells import Column, assign
from iosonde.text.cursor import Prompt, TextCursor, prompt_in
from iosonde.text.reader import Items, StateOutput, before, close_lines

SIZE = re.compile(r"\d{1,12}(?:\.\d{1,3})?[KMGTP]?B")
_ANY = re.compile(r"\S{1,300}")
_SIZED = re.compile(rf"{SIZE.pattern}|-")
_SHARE = re.compile(r"\d{1,4}%|-")
_COUNT = re.compile(r"\d{1,9}|-")
_STATE = re.compile(r"[a-z][a-z-]{2,30}|-")
_RULE = re.compile(r"\s*+-{2,80}(?: {1,3}-{2,80}){3,12}\s*$")
_DASHES, _WORD = re.compile(r"-{2,80}"), re.compile(r"\S+")
_END = re.compile(r"\s*\d{1,7} entr(?:y was|ies were) displayed\.\s*$")
_PAGER = re.compile(r"\s*Press <space> to page down")
_MOST = 4000
_PIECES = 8  # lines that one row takes


class _Form(NamedTuple):
    """A table: the lines of its head, its columns, what its rows are and what they say."""

    head: tuple[str, ...]
    columns: tuple[Column, ...]
    kind: str
    name: Callable[[Mapping[str, str]], str]
    values: Callable[[Mapping[str, str]], dict[str, Scalar]]


def size_in(text: str) -> int | None:
    """Bytes of a size as ONTAP prints it; None where it prints none."""
    return round(units.printed(text, binary=True)[0]) if SIZE.fullmatch(text) else None


def _printed(**values: Scalar) -> dict[str, Scalar]:
    return {name: value for name, value in values.items() if value not in {None, "-"}}


def _share(text: str) -> float | None:
    return int(text[:-1]) / 100 if text.endswith("%") else None


def _whole(text: str) -> int | None:
    return int(text) if text.isdecimal() else None


def _volume(row: Mapping[str, str]) -> dict[str, Scalar]:
    return _printed(
        aggregate=row["Aggregate"], state=row["State"], type=row["Type"],
        size=size_in(row["Size"]), available=size_in(row["Available"]),
        used_share=_share(row["Used%"]),
    )  # fmt: skip


def raid_values(status: str) -> dict[str, Scalar]:
    """The level and the status of an aggregate's RAID.

    Args:
        status: as `storage aggregate show` lists it: raid_dp, hybrid, normal.
    """
    states = [word.strip() for word in status.split(",") if word.strip()]
    level = next((word for word in states if word.startswith("raid")), None)
    rest = ", ".join(word for word in states if word != level)
    return _printed(raid_level=level, raid_status=rest or None)


def _aggregate(row: Mapping[str, str]) -> dict[str, Scalar]:
    return _printed(
        size=size_in(row["Size"]), available=size_in(row["Available"]),
        used_share=_share(row["Used%"]), state=row["State"], volumes=_whole(row["#Vols"]),
        node=row["Nodes"],
    ) | raid_values(row.get("RAID Status", ""))  # fmt: skip


def _disk(row: Mapping[str, str]) -> dict[str, Scalar]:
    return _printed(
        size=size_in(row["Size"]), shelf=_whole(row["Shelf"]), bay=_whole(row["Bay"]),
        disk_type=row.get("Disk Type"), container_type=row["Container Type"],
        position=row.get("Position"), container=row.get("Container Name"), owner=row.get("Owner"),
    )  # fmt: skip


def _lun(row: Mapping[str, str]) -> dict[str, Scalar]:
    return _printed(
        state=row["State"], mapped=row["Mapped"] == "mapped", os_type=row["Type"],
        size=size_in(row["Size"]),
    )  # fmt: skip


def _mirror(row: Mapping[str, str]) -> dict[str, Scalar]:
    healthy = {"true": True, "false": False}.get(row["Healthy"])
    return _printed(
        source=row["Source"], type=row["Type"], state=row["State"], status=row["Status"],
        progress=row["Progress"], healthy=healthy, updated=row["Updated"],
    )  # fmt: skip


def _interface(row: Mapping[str, str]) -> dict[str, Scalar]:
    admin, _, oper = row["Status"].partition("/")
    home = {"true": True, "false": False}.get(row["Home"])
    return _printed(
        admin_state=admin, state=oper, address=row["Address"], node=row["Node"], port=row["Port"],
        is_home=home,
    )  # fmt: skip


_VSERVER = Column("Vserver", re.compile(r"[A-Za-z_][\w.-]{0,100}"))
_NODE = Column("Nodes", re.compile(r"[A-Za-z0-9][\w.-]{0,100}|-"))
_PLACED = (
    Column("Disk", re.compile(r"[A-Za-z0-9][\w.:-]{1,80}")), Column("Size", _SIZED),
    Column("Shelf", _COUNT), Column("Bay", _COUNT),
)  # fmt: skip
_CONTAINER = re.compile(
    r"aggregate|broken|foreign|labelmaint|maintenance|mediator|remote|shared|spare|unassigned"
    r"|unknown|unsupported|volume"
)
_CONTAINERS = re.compile(r"[\w.-]{1,80}(?:, [\w.-]{1,80}){0,8}")
_FORMS = (
    _Form(
        ("Vserver Volume Aggregate State Type Size Available Used%",),
        (_VSERVER, Column("Volume", _ANY), Column("Aggregate", _ANY), Column("State", _STATE),
         Column("Type", re.compile(r"[A-Z]{2,4}|-")), Column("Size", _SIZED),
         Column("Available", _SIZED), Column("Used%", _SHARE)),
        "storage_volume", lambda row: f"{row['Vserver']}:{row['Volume']}", _volume,
    ),
    _Form(
        ("Aggregate Size Available Used% State #Vols Nodes RAID Status",),
        (Column("Aggregate", re.compile(r"[A-Za-z_][\w.-]{0,100}")), Column("Size", _SIZED),
         Column("Available", _SIZED), Column("Used%", _SHARE), Column("State", _STATE),
         Column("#Vols", _COUNT), _NODE,
         Column("RAID Status", re.compile(r"-|[a-z][a-z0-9_ ,-]{2,80}"), empty=True, blanks=True)),
        "storage_pool", lambda row: row["Aggregate"], _aggregate,
    ),
    _Form(
        ("Usable Disk Container Container", "Disk Size Shelf Bay Type Type Name Owner"),
        (*_PLACED, Column("Disk Type", re.compile(r"[A-Z][A-Z-]{1,8}|-")),
         Column("Container Type", _CONTAINER),
         Column("Container Name", re.compile(rf"{_CONTAINERS.pattern}|-"), blanks=True),
         Column("Owner", re.compile(r"[\w.-]{1,100}"), empty=True)),
        "array_drive", lambda row: row["Disk"], _disk,
    ),
    _Form(
        ("Usable Container", "Disk Size Shelf Bay Type Position Aggregate Owner"),
        (*_PLACED, Column("Container Type", _CONTAINER),
         Column("Position", re.compile(r"[a-z]{3,12}|-")),
         Column("Container Name", re.compile(rf"{_CONTAINERS.pattern}|-"), blanks=True),
         Column("Owner", re.compile(r"[\w.-]{1,100}"), empty=True)),
        "array_drive", lambda row: row["Disk"], _disk,
    ),
    _Form(
        ("Vserver Path State Mapped Type Size",),
        (_VSERVER, Column("Path", re.compile(r"/vol/\S{1,300}")), Column("State", _STATE),
         Column("Mapped", re.compile(r"(?:un)?mapped|-")), Column("Type", _STATE),
         Column("Size", _SIZED)),
        "lun", lambda row: f"{row['Vserver']}:{row['Path']}", _lun,
    ),
    _Form(
        ("Progress", "Source Destination Mirror Relationship Total Last",
         "Path Type Path State Status Progress Healthy Updated"),
        (Column("Source", re.compile(r"\S{1,200}:\S{0,200}")),
         Column("Type", re.compile(r"[A-Z]{2,4}")),
         Column("Destination", re.compile(r"\S{1,200}:\S{0,200}")),
         Column("State", re.compile(r"[A-Z][A-Za-z-]{3,24}|-")),
         Column("Status", re.compile(r"[A-Z][A-Za-z-]{3,24}|-")), Column("Progress", _SIZED),
         Column("Healthy", re.compile(r"true|false|-")),
         Column("Updated", re.compile(r"\d\S{0,20}|-"))),
        "replication", lambda row: row["Destination"], _mirror,
    ),
    _Form(
        ("Logical Status Network Current Current Is",
         "Vserver Interface Admin/Oper Address/Mask Node Port Home"),
        (_VSERVER, Column("Interface", re.compile(r"[\w.-]{1,100}")),
         Column("Status", re.compile(r"(?:up|down)/(?:up|down|-)")),
         Column("Address", re.compile(r"[\da-fA-F:.]{2,45}(?:/\d{1,3})?|-")),
         Column("Node", _NODE.cell), Column("Port", re.compile(r"[\w.-]{1,40}")),
         Column("Home", re.compile(r"true|false|-"))),
        "logical_interface", lambda row: f"{row['Vserver']}:{row['Interface']}", _interface,
    ),
)  # fmt: skip


class OntapTables(StateOutput):
    tool = "ontap"
    anchors = (
        "Available Used%", "Shelf Bay Type ", "Mapped   Type ", "Healthy Updated",
        "Admin/Oper Address/Mask",
    )  # fmt: skip
    commands = (
        "volume", "vol", "storage", "aggr", "disk", "lun", "snapmirror", "network", "net", "ssh",
    )  # fmt: skip
    reach = 6
    nothing = "it has no row that is whole"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        form = _form(cursor.line(cursor.at))
        if form is None or not _RULE.match(_below(cursor, cursor.at)[1]):
            return None
        first = cursor.at
        for text in reversed(form.head[:-1]):
            above = before(cursor, first)
            if " ".join(fields(cursor.line(above))) != text:
                break
            first = above
        return first

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        at = next(at for at, line in close_lines(cursor, first, _PIECES) if _form(line))
        form = _form(cursor.line(at))
        rule, ruler = _below(cursor, at)
        last, things = rule, list[PrintedSubject]()
        for end, cells in _rows(cursor, rule, ruler, form) if form else ():
            last = end
            if form and cells:
                things.append(
                    PrintedSubject(form.kind, form.name(cells), form.values(cells), prompt.host)
                )
        return last, things


def _form(line: str) -> _Form | None:
    """The table whose head ends in a line."""
    text = " ".join(fields(line))
    return next((form for form in _FORMS if form.head[-1] == text), None)


def _below(cursor: TextCursor, index: int) -> tuple[int, str]:
    """The line below one, or below a blank one, with its index."""
    index += 1 if cursor.line(index + 1) else 2
    return index, cursor.line(index)


def _rows(
    cursor: TextCursor, rule: int, ruler: str, form: _Form
) -> Iterator[tuple[int, dict[str, str]]]:
    """The rows below the rule, each with the index of its last line; empty where it ends itself.

    A name that stands alone in a line may be of all rows that are indented below it.
    """
    margin = len(ruler) - len(ruler.lstrip())
    spans = [match.span() for match in _DASHES.finditer(ruler[margin:])]
    parts: list[str] = []
    group, last = "", rule
    for index, line in close_lines(cursor, rule + 1, _MOST):
        if _PAGER.match(line):
            continue
        own = line[margin:]
        ends = bool(_END.match(line) or prompt_in(line) or _form(line) or line[:margin].strip())
        begins = not own.startswith(" ")
        another = [group, own]
        if ends or begins or (group and _cells(another, spans, form)):
            if parts and parts != [group]:
                if not (cells := _cells(parts, spans, form)):
                    return
                yield last, cells
            if ends:
                yield (index if _END.match(line) else last), {}
                return
            parts = [own] if begins else another
            if begins:
                group = own if len(fields(own)) == 1 else ""
        elif not parts or len(parts) == _PIECES:
            return
        else:
            parts.append(own)
        last = index
    if parts and (cells := _cells(parts, spans, form)):
        yield last, cells


def _cells(
    parts: Sequence[str], spans: Sequence[tuple[int, int]], form: _Form
) -> dict[str, str] | None:
    """The cells of a row by where they stand or, where they were moved, by what they are."""
    placed = _placed(parts, spans, form.columns) if len(parts) > 1 else None
    if placed and all(
        column.cell.fullmatch(cell) if (cell := placed.get(column.name)) else column.empty
        for column in form.columns
    ):
        return placed
    return assign([word for part in parts for word in fields(part)], form.columns)


def _placed(
    parts: Sequence[str], spans: Sequence[tuple[int, int]], columns: Sequence[Column]
) -> dict[str, str] | None:
    """The words under each column; None where one is not: only the last of a line may be longer."""
    cells: dict[str, str] = {}
    for part in parts:
        matches = list(_WORD.finditer(part))
        for match in matches:
            at = next((at for at, (begin, end) in enumerate(spans)
                       if begin <= match.start() < end), None)  # fmt: skip
            if at is None or at >= len(columns):
                return None
            if match.end() > spans[at][1] and match is not matches[-1]:
                return None
            name, above = columns[at].name, cells.get(columns[at].name)
            between = " " if columns[at].blanks and above and above[-1] != "-" else ""
            cells[name] = f"{above}{between}{match[0]}" if above else match[0]
    return cells
