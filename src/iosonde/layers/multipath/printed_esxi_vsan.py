"""`esxcli vsan`: disks, objects, controllers, limits, what is resynced, and checks of the health.

The disks of `vsan storage list` are read with the other devices of ESXi (`printed_esxi.py`).

Source: VMware vSAN Monitoring and Troubleshooting, "Using Esxcli Commands with vSAN" (debug disk
list and summary get, object list, object health summary get, controller list, limit get, vmdk
list); outputs of ESXi 6.5 to 8.0 (debug resync summary get, health cluster list, cluster get).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from typing_extensions import override

from iosonde.layers.multipath.printed_esxi import esxi_prompt
from iosonde.records.printed import PrintedCounters, PrintedSubject
from iosonde.records.stack import Json, Scalar
from iosonde.text.cursor import Prompt, TextCursor, prompt_in
from iosonde.text.labels import as_labelled
from iosonde.text.reader import Items, StateOutput, close_lines, close_rows

_UUID = r"(?P<name>[0-9a-f]{8}-[0-9a-f-]{10,40})"
_HEADS = (
    ("vsan_object", re.compile(rf"\s{{0,20}}Object(?: UUID)?: {_UUID}$")),
    ("disk", re.compile(rf"\s{{0,20}}UUID: {_UUID}$")),
    ("controller", re.compile(r"\s{0,20}Device Name: (?P<name>vmhba\d{1,3})$")),
    ("counters", re.compile(r"\s{0,20}(?=Total Number Of Resyncing Objects: \d)")),
    ("limits", re.compile(r"\s{0,20}(?=Component Limit Health: \w)")),
    ("cluster", re.compile(r"\s{0,20}Cluster Information$")),
    ("health", re.compile(r"\s{0,20}(?=Overall Health: \w)")),
)  # fmt: skip
"""What a thing begins with; a disk has its overall health, too."""
_PAIR = re.compile(
    r"\s{0,30}(?P<label>[A-Za-z][\w/() -]{1,60}):(?: {1,60}(?P<value>\S.{0,300})?)?$"
)
_PARTS = re.compile(r"\s{0,30}(?:RAID_\w{1,4}|Concatenation|(?:Component|Witness): \S{8,40})$")
_COMPONENT = re.compile(
    r"(?:Component|Witness): \S{8,40} Component State: (?P<state>[A-Z_]{3,20})\b"
)
_AFTER_BLANK = re.compile(
    r"\s{0,30}(?:Configuration|Type|Policy|Path|Group UUID|Directory Name|Version|Owner|Size|Used"
    r"|(?:[A-Z][a-z]{2,12} ){0,3}Health|CSN|[a-z]{2,20}(?:[A-Z][A-Za-z]{1,40})|Name|SSD|In Cmmds"
    r"|In Vsi|Congestion (?:Value|Area)|All Congestion Fields|State|Capacity|Reserved"
    r"|Device Display Name|Used By (?i:vsan)|PCI ID|Driver (?:Name|Version)"
    r"|Max Supported Queue Depth|Memory Pools \(\w{4,8}\)|(?:Max|Free) Components"
    r"|(?:(?:Lowest Free|Used|Total) Disk Space|(?:Reserved|Total) Read Cache Size)(?: \(GB\))?"
    r"|Total (?:Bytes|GB) Left To Resync|Enabled|Current Local Time|Local Node [\w ]{2,20}"
    r"|Sub-Cluster [\w ]{2,30}|Maintenance Mode State|Votes|Component State):(?: |$)"
)
"""Labels that are known here, below a blank line: an object has two, a page may have more."""
_PARENTS = {"Congestion Health": "congestion", "Space Health": "space"}
_NESTED = frozenset({"State", "Capacity", "Used", "Reserved"})
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_BYTES = re.compile(r"(\d{1,20}) bytes$")
_SHARE = re.compile(r"(\d{1,3}) %$")
_NAMES = {
    "Device Display Name": "description", "Driver Name": "driver",
    "Total Number Of Resyncing Objects": "resyncing_objects",
    "Total Bytes Left To Resync": "bytes_left_to_resync",
}  # fmt: skip
_ROOM = 28  # lines from a thing's head to what it is known by
_MOST = 20_000


class _Thing(NamedTuple):
    """What is listed: what it begins with, its identity, and its lines below the head."""

    head: str
    name: str
    lines: list[str]


def _head(line: str) -> tuple[str, str] | None:
    for kind, form in _HEADS:
        if match := form.match(line):
            return kind, match.groupdict().get("name") or ""
    return None


class EsxcliVsan(StateOutput):
    tool = "esxcli"
    anchors = (
        "In Cmmds:", "Object UUID: ", "Used By VSAN:", "Used By vSAN:", "Resyncing Objects:",
        "Component Metadata Health:", "Component Limit Health:", "Local Node Health State:",
        "Directory Name:",
    )  # fmt: skip
    commands = ("esxcli", "localcli")
    reach = 4

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        """The head of the thing that the anchor is of, which says more than one label."""
        first = None
        for index in range(cursor.at, max(cursor.at - _ROOM, -1), -1):
            line = cursor.line(index)
            if prompt_in(line) or (line and not (_PAIR.match(line) or _head(line))):
                break
            if _head(line):
                first = index
        below = [cursor.line(first + step) for step in (1, 2, 3)] if first is not None else []
        return first if any(map(_PAIR.match, below)) else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        prompt = esxi_prompt(cursor, first, prompt)
        things: list[_Thing] = []
        last = first
        for index, line in close_lines(cursor, first, _MOST, gap=3):
            if index > first and prompt_in(line):
                break
            head = _head(line)
            if head and not (head[0] == "health" and things and things[-1].head == "disk"):
                same = not things or things[-1].head == head[0]
                if not same:
                    break
                things.append(_Thing(*head, [] if head[1] else [line]))
            elif not _is_own(line, things[-1], below_blank=index > last + 1):
                break
            else:
                things[-1].lines.append(line)
            last = index
        return last, self._items_of(things, prompt)

    def _items_of(
        self, things: list[_Thing], prompt: Prompt
    ) -> Iterator[PrintedSubject | PrintedCounters]:
        for thing in things:
            values = _values(thing)
            if thing.head == "counters":
                yield self.counted("vsan", "", {**values}, prompt)
            elif thing.head == "disk":
                name = str(values.pop("name", "") or thing.name)
                yield PrintedSubject("disk", name, {"vsan_uuid": thing.name, **values}, prompt.host)
            else:
                kind = thing.head if thing.name else "vsan"
                yield PrintedSubject(kind, thing.name, values, prompt.host)


def _is_own(line: str, thing: _Thing, *, below_blank: bool) -> bool:
    """Whether a line is of a thing; a path may go on in the line below."""
    pair = _PAIR.match(line)
    if below_blank:
        return bool(
            _AFTER_BLANK.match(line) or (thing.head == "vsan_object" and _PARTS.match(line))
        )
    if thing.head == "vsan_object":
        above = thing.lines[-1].lstrip() if thing.lines else ""
        goes_on = above.startswith("Path:") and line[:1].isspace()
        return bool(pair or _PARTS.match(line) or goes_on or ", " in line)
    return pair is not None


def _values(thing: _Thing) -> dict[str, Scalar]:
    """What stands below a head; of an object, how many components it has in which state."""
    values: dict[str, Scalar] = {}
    parent = ""
    is_placement = False
    for line in thing.lines:
        pair = _PAIR.match(line)
        if pair is None or (is_placement := is_placement and pair["label"] != "Type"):
            continue
        label, text = pair["label"], (pair["value"] or "").strip()
        is_placement = label == "Configuration"
        parent = _PARENTS.get(label, parent)
        if not text or label.endswith("(GB)") or " GB " in label:
            continue
        apart = _CAMEL.sub("_", label)
        name = _NAMES.get(label) or next(iter(as_labelled({apart: "-"})), "")
        prefix = f"{parent}_" if parent and label in _NESTED else ""
        values.setdefault(prefix + name, _typed(text))
    flow = " ".join(" ".join(thing.lines).split())
    states = [match["state"] for match in _COMPONENT.finditer(flow)]
    if states:
        values["components"] = len(states)
        for state in dict.fromkeys(states):
            values[f"{state.lower()}_components"] = states.count(state)
    return values


def _typed(text: str) -> Scalar:
    """A switch, a count, bytes or a share as such, all else as it stands."""
    if text in {"true", "false", "True", "False"}:
        return text.lower() == "true"
    if size := _BYTES.match(text):
        return int(size[1])
    if share := _SHARE.match(text):
        return int(share[1]) / 100
    return int(text) if text.isdecimal() and len(text) < 20 else text[:200]


# ── tables ──────────────────────────────────────────────────────────────────────────────────────

_CHECKS = re.compile(r"\s{0,20}Health Test Name {1,80}Status\s{0,40}$")
_CHECK = re.compile(
    r"(?P<margin> {0,20})(?P<name>\S{1,60}(?: \S{1,60}){0,15}) {2,80}"
    r"(?P<status>green|yellow|red|info|skipped|unknown)(?: \([\w ]{1,20}\))?\s{0,40}$"
)
_OBJECTS = re.compile(r"\s{0,20}Health Status {1,80}Number Of Objects\s{0,40}$")
_STATE = re.compile(r"\s{0,20}(?P<name>[A-Za-z][A-Za-z-]{3,60}) {1,80}(?P<count>\d{1,12})\s{0,40}$")
_RULE = re.compile(r"\s{0,20}-{3,120}(?: {1,4}-{3,60})?\s{0,40}$")


class EsxcliVsanTables(StateOutput):
    tool = "esxcli"
    anchors = ("Health Test Name", "Number Of Objects")
    commands = ("esxcli", "localcli")
    reach = 4
    nothing = "it has no rows"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        return cursor.at if _CHECKS.match(line) or _OBJECTS.match(line) else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        prompt = esxi_prompt(cursor, first, prompt)
        ruled = (index for index in (first + 1, first + 2) if _RULE.match(cursor.line(index)))
        rows = next(ruled, first) + 1
        form = _CHECK if _CHECKS.match(cursor.line(first)) else _STATE
        matches, last = close_rows(cursor, rows, form.match, no_prompts=True)
        if form is _CHECK:
            return last, list(_checks(matches, prompt))
        counts: dict[str, Json] = {
            f"{match['name'].lower().replace('-', '_')}_objects": int(match["count"])
            for match in matches
        }
        return last, [self.counted("vsan", "", counts, prompt)] if counts else []


def _checks(matches: list[re.Match[str]], prompt: Prompt) -> Iterator[PrintedSubject]:
    """The checks with the group that they are indented below."""
    least = min((len(match["margin"]) for match in matches), default=0)
    group = ""
    for match in matches:
        is_group = len(match["margin"]) == least
        group = match["name"] if is_group else group
        facts: dict[str, Scalar] = {"status": match["status"]}
        if not is_group:
            facts["part_of"] = group
        yield PrintedSubject("vsan_check", match["name"], facts, prompt.host)
