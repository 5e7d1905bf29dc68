"""virsh's tables and its lists of labels: machines, their disks, pools, volumes, snapshots.

A translation changes names of columns and labels, not their order: below a command that names the
sub-command they are read by that order. What is "yes" or "no" in another language is left out.

Source: libvirt 0.10 to 10, tools/virsh-domain-monitor.c (domblklist, domblkinfo, dominfo, list,
domblkerror), virsh-pool.c, virsh-volume.c, virsh-snapshot.c (columns and labels in their order;
vshPrettyCapacity: units of 1024, "bytes"), vsh-table.c (columns since 4.10 are as wide as their
widest cell, and three blanks are between them), virsh-domain.c (blockjob: percent and bytes/s).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from typing_extensions import override

from iosonde import units
from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cells import Column, Head, rows
from iosonde.text.cursor import Prompt, TextCursor, command_before, prompt_in
from iosonde.text.reader import Items, StateOutput, close_lines, close_pairs, start_of
from iosonde.text.ruled import ruled_head

_SIZE = re.compile(r"-|\d{1,19}(?:[.,]\d{1,3})?(?: (?:[KMGTPE]iB|B|bytes))?")
_TIME = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d [+-]\d{4}")
_ANY = re.compile(r"\S.{0,400}")
_COLUMNS = {
    column.name: column
    for column in (
        Column("Id", re.compile(r"-|\d{1,9}")),
        Column("Name", re.compile(r"\S.{0,200}"), blanks=True),
        Column("Target", re.compile(r"[a-z]{1,5}\d{0,3}[a-z]{0,2}\d{0,2}")),
        Column("Source", _ANY, blanks=True), Column("Path", _ANY, empty=True, blanks=True),
        Column("Type", re.compile(r"[a-z]{2,12}")), Column("Device", re.compile(r"[a-z]{2,12}")),
        Column("State", re.compile(r"[^\W\d][^\d]{1,24}"), blanks=True),
        Column("Creation Time", _TIME, blanks=True),
        Column("Parent", re.compile(r"\S.{0,200}"), empty=True, blanks=True),
        *(Column(name, re.compile(r"[^\W\d][^\W\d ]{0,12}(?: [^\W\d]{2,12})?"), blanks=True)
          for name in ("Autostart", "Persistent")),
        *(Column(name, _SIZE, blanks=True)
          for name in ("Capacity", "Allocation", "Available", "Physical")),
    )
}  # fmt: skip
_NAMES = {"Capacity": "size", "Source": "path", "Creation Time": "created", "CPU(s)": "vcpus"}
_SIZES = frozenset({"Capacity", "Allocation", "Available", "Physical", "Max memory", "Used memory"})
_ANSWERS = {"yes": True, "no": False, "enable": True, "disable": False}
_SWITCHES = frozenset({"Persistent", "Autostart", "Managed save"})
_COUNTS = frozenset({"Id", "CPU(s)"})
_ASKED = re.compile(
    r"\s(?:domblk(?:info|stat)|block(?:job|copy|commit|pull))\s+(?:--\S+\s+)*(?:--domain\s+)?"
    r"(?P<guest>[^\s-]\S*)\s+(?:--(?:device|path)\s+)?(?P<device>[^\s-]\S*)"
)
_TITLES = re.compile(r"\S+(?: \S+)*")
_RULE = re.compile(r"\s*-{8,}\s*$")


class _Form(NamedTuple):
    """A table or a list: of which sub-command, what it is of, its names in their order."""

    subcommand: str
    kind: str
    names: tuple[str, ...]
    named: str = "Name"
    """The column or label that names a thing."""


_POOL = ("Capacity", "Allocation", "Available")
_TABLES = (
    _Form("domblklist", "guest", ("Target", "Source"), "Target"),
    _Form("domblklist", "guest", ("Type", "Device", "Target", "Source"), "Target"),
    _Form("domblkinfo", "guest", ("Target", "Capacity", "Allocation", "Physical"), "Target"),
    _Form("pool-list", "libvirt_pool", ("Name", "State", "Autostart")),
    _Form("pool-list", "libvirt_pool", ("Name", "State", "Autostart", "Persistent", *_POOL)),
    _Form("vol-list", "libvirt_volume", ("Name", "Path")),
    _Form("vol-list", "libvirt_volume", ("Name", "Path", "Type", "Capacity", "Allocation")),
    _Form("snapshot-list", "libvirt_snapshot", ("Name", "Creation Time", "State")),
    _Form("snapshot-list", "libvirt_snapshot", ("Name", "Creation Time", "State", "Parent")),
    _Form("list", "libvirt_machine", ("Id", "Name", "State")),
)  # fmt: skip
_HEAD_OF_POOL = ("Name", "UUID", "State", "Persistent", "Autostart")
_LISTS = (
    _Form("domblkinfo", "guest", ("Capacity", "Allocation", "Physical"), ""),
    _Form("pool-info", "libvirt_pool", (*_HEAD_OF_POOL, *_POOL)),
    _Form("pool-info", "libvirt_pool", _HEAD_OF_POOL),
    _Form("vol-info", "libvirt_volume", ("Name", "Type", "Capacity", "Allocation")),
    _Form("vol-info", "libvirt_volume", ("Name", "Type", "Capacity", "Physical")),
    _Form("dominfo", "libvirt_machine", ("Name", "UUID", "State", "CPU(s)", "Max memory")),
)


def asked_disk(prompt: Prompt) -> str:
    """The disk that a command asks for."""
    asked = _ASKED.search(f" {prompt.command}")
    return asked["device"] if asked else "disk"


def _is_called(form: _Form, command: str) -> bool:
    return re.search(rf"\s{form.subcommand}(?:\s|$)", command) is not None


def _values(cells: Mapping[str, str], form: _Form) -> dict[str, Scalar]:
    """What is said of a thing; memory is in units of 1024, as virsh means its KiB."""
    values: dict[str, Scalar] = {}
    for name, text in cells.items():
        key = _NAMES.get(name, re.sub(r"\W+", "_", name.lower()).strip("_"))
        if name == form.named or text == "-":
            continue
        if name in _SIZES:
            figure = text.replace(",", ".").replace(" ", "").replace("bytes", "")
            values[key] = round(units.printed(figure)[0])
        elif name in _SWITCHES:
            values |= {key: _ANSWERS[text]} if text in _ANSWERS else {}
        elif name in _COUNTS:
            values |= {key: int(text)} if text.isdecimal() else {}
        elif name == "CPU time":
            values |= {"cpu_time": float(text[:-1].replace(",", "."))} if text[-1] == "s" else {}
        else:
            values[key] = text
    return values


# ── tables ──────────────────────────────────────────────────────────────────────────────────────


class VirshTable(StateOutput):
    tool = "virsh tables"
    anchors = (
        "Source", "Autostart", "Creation Time", "Allocation", "Id   Name", "Id    Name",
        "Id     Name", "virsh ",
    )  # fmt: skip
    commands = ("virsh",)
    reach = 3
    nothing = "nothing follows its head"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        if _english(cursor, cursor.at):
            return cursor.at
        first, command = _below_command(cursor)
        is_read = command and (_english(cursor, first) or _translated(cursor, first, command))
        return first if is_read else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        command = f" {prompt.command}"
        read = _english(cursor, first) or _translated(cursor, first, command)
        last, subjects = first, list[PrintedSubject]()
        if read:
            head, form = read
            last = head.last
            for row in rows(cursor, head):
                if any(map(prompt_in, cursor.block(last + 1, row.last - last))):
                    break
                name = row.cells[form.named]
                subjects.append(
                    PrintedSubject(form.kind, name, _values(row.cells, form), prompt.host)
                )
                last = row.last
        return last, subjects


def _below_command(cursor: TextCursor) -> tuple[int, str]:
    """Index of the line below a command in the anchor's, and the command; empty: it has none."""
    begin, prompt = command_before(cursor, cursor.at + 1, ("virsh",), reach=1)
    first = cursor.at + (1 if cursor.line(cursor.at + 1) else 2)
    return first, f" {prompt.command}" if begin == cursor.at and prompt.command else ""


def _english(cursor: TextCursor, first: int) -> tuple[Head, _Form] | None:
    """The head of a table that begins in a line by its names; None where these say nothing."""
    head = ruled_head(cursor, first, _COLUMNS)
    names = tuple(column.name for column in head.columns) if head else ()
    form = next((form for form in _TABLES if form.names == names), None)
    return (head, form) if head and form and names != ("Name", "Path") else None


def _translated(cursor: TextCursor, first: int, command: str) -> tuple[Head, _Form] | None:
    """The head of a table by its sub-command and how many names it has; None where none is."""
    line = cursor.line(first)
    titles = tuple(match.span() for match in _TITLES.finditer(line))
    rule = next((at for at in (first + 1, first + 2) if _RULE.match(cursor.line(at))), None)
    for form in _TABLES:
        if rule and len(titles) == len(form.names) and _is_called(form, command):
            columns = tuple(_COLUMNS[name] for name in form.names)
            return Head(columns, titles, rule, broken=False, width=(len(line), False)), form
    return None


# ── lists of labels ─────────────────────────────────────────────────────────────────────────────

_PAIR = re.compile(r"\s*(?P<label>[^\W\d_][^:\n]{1,28}):(?: {1,24}(?P<value>\S.{0,200}?))?\s*$")
_MOST = 24


class VirshLabels(StateOutput):
    tool = "virsh labels"
    anchors = ("Allocation: ", "Autostart: ", "Used memory: ", "virsh ")
    commands = ("virsh",)
    reach = 3
    nothing = "it does not say of what"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        if not _PAIR.match(cursor.line(cursor.at)):
            first, command = _below_command(cursor)
            pairs, _ = _pairs(cursor, first)
            return first if command and pairs and _of_command(pairs, command) else None
        first = start_of(cursor, _PAIR.match, most=_MOST)
        pairs, _ = _pairs(cursor, first)
        return first if _by_names(pairs) else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        pairs, last = _pairs(cursor, first)
        form = _by_names(pairs)
        if form is None and (form := _of_command(pairs, f" {prompt.command}")):
            pairs = dict(zip(form.names, pairs.values(), strict=True))
        if form is None:
            return last, ()
        name = pairs[form.named] if form.named else asked_disk(prompt)
        return last, [PrintedSubject(form.kind, name, _values(pairs, form), prompt.host)]


def _pairs(cursor: TextCursor, first: int) -> tuple[dict[str, str], int]:
    """The labels and values up to the first label that comes again; index of the last line."""

    def pair(line: str) -> tuple[str, str] | None:
        match = _PAIR.match(line)
        return (match["label"], match["value"] or "") if match else None

    return close_pairs(cursor, first, pair, _MOST, no_prompts=True)


def _by_names(pairs: Mapping[str, str]) -> _Form | None:
    """The form whose labels these are: all of it, in its order; a machine has more of them."""
    for form in _LISTS:
        own = tuple(label for label in pairs if label in form.names)
        exact = form.subcommand != "dominfo"
        if own == form.names and (tuple(pairs) == own or not exact) and _has_sizes(pairs):
            return form
    return None


def _of_command(pairs: Mapping[str, str], command: str) -> _Form | None:
    """The form of a translated list, by its sub-command and its count of labels."""
    for form in _LISTS:
        named = dict(zip(form.names, pairs.values(), strict=False))
        if form.subcommand == "dominfo" or len(pairs) != len(form.names):
            continue
        if _is_called(form, command) and _has_sizes(named):
            return form
    return None


def _has_sizes(pairs: Mapping[str, str]) -> bool:
    return all(_SIZE.fullmatch(text) for name, text in pairs.items() if name in _SIZES)


# ── jobs and errors of disks ────────────────────────────────────────────────────────────────────

_JOB = re.compile(
    r"\s*(?P<job>(?:Active )?Block (?:Copy|Commit|Pull)): "
    r"\[ {0,2}(?P<share>\d{1,3}(?:\.\d\d)?) ?%\]"
    r"(?:\s+Bandwidth limit: (?P<limit>\d{1,19}) bytes/s(?: \([^()]{1,30}\))?)?\s*$"
)
_UNLIMITED = 1 << 62
"""What some versions print where nothing limits a job."""
_ERROR = re.compile(r"\s*(?P<device>[a-z]{2,5}\d{0,3}): (?P<error>unspecified error|no space)\s*$")


class VirshJobs(StateOutput):
    """What a job on a disk has done, and which disks are in error."""

    tool = "virsh blockjob"
    anchors = (
        "Block Copy: [",
        "Block Commit: [",
        "Block Pull: [",
        ": unspecified error",
        ": no space",
    )
    commands = ("virsh",)
    reach = 3
    beginnings = (_JOB, _ERROR)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        disks: dict[str, dict[str, Scalar]] = {}
        last = first
        for index, line in close_lines(cursor, first, gap=1):
            if job := _JOB.match(line):
                values = disks.setdefault(asked_disk(prompt), {})
                values |= {"job": job["job"].lower(), "done": float(job["share"]) / 100}
                if job["limit"] and int(job["limit"]) < _UNLIMITED:
                    values["limit_bandwidth"] = int(job["limit"])
            elif error := _ERROR.match(line):
                disks[error["device"]] = {"error": error["error"]}
            else:
                break
            last = index
        return last, [PrintedSubject("guest", n, v, prompt.host) for n, v in disks.items()]
