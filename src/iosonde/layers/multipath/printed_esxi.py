"""ESXi's lists: `esxcli storage core|nmp|hpp device list`, `core path list`, `vsan storage list`.

So are those of sessions of iSCSI, of interfaces and what these count, and `esxcfg-scsidevs -l`,
which has several labels in a line. Each thing has a line with its identifier; below it stand its
labels, indented by three blanks. What a label tells of a disk, a path or the paths of a LUN has the
names that rules know.

Source: outputs of ESXi 5.0 to 8.0; Broadcom, ESXCLI Reference (storage core device list: Size in
MB of 1024 × 1024 bytes; Status on, off, degraded, dead timeout; storage core path list: State
active, standby, off, dead; storage core device stats get; nvme device log smart get).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from typing_extensions import override

from iosonde import units
from iosonde.layers import ESXI_LABELS
from iosonde.records.printed import PrintedCounters, PrintedSubject
from iosonde.records.stack import Json, Scalar
from iosonde.text.cursor import Prompt, TextCursor, prompt_in
from iosonde.text.labels import as_labelled, is_apart
from iosonde.text.reader import Items, StateOutput, before, close_lines, top_of
from iosonde.text.torn import is_full

_ID = re.compile(
    r"\s*(?P<id>(?:naa|eui|t10|mpx|fc|fcoe|sas|sata|ide|usb|iqn|nqn|pcie|rdma|tcp|uuid|unknown|"
    r"vmhba\d{1,3})[.:]\S{3,300}|vmhba\d{1,3}(?=:\s*$)|vmhba\d{1,3},(?:iqn|eui|naa)\.\S{3,240}|"
    r"vmk\d{1,3}|NIC statistics for (?P<nic>vmnic\d{1,3})):?\s*$"
)
_PAIR = re.compile(r"\s*(?P<label>[A-Z][\w/() -]{1,60}?):(?:\s+(?P<value>\S.*?))?\s*$")
_BESIDE = re.compile(
    r"\s+(?=(?:Model|Revis): )|(?:(?<=\d)|(?<=true)|(?<=false))\s+(?=(?:Is [A-Z]\w{2,8}|Status): )"
)
_SMART = re.compile(r"\s*SMART And Health Info:\s*$")
_DEVICE = re.compile(r"\s(?:-d|--device)[= ]?\s?(\S{4,200})")
_ADAPTER = re.compile(r"\s(?:-A|--adapter)[= ]?\s?(vmhba\d{1,3})\b")
_ONE_PATH = re.compile(r"\s(?:-p|--path)\b|\bgrep\b")
_NUMBER = re.compile(r"(?:(?P<hex>0x[0-9a-f]{1,15})|(?P<figure>\d{1,18})(?: (?P<unit>[K%]))?)$")
_PROMPT = re.compile(
    r"\s*\[[a-z_][\w-]{0,30}@(?P<host>[\w.-]{1,80}):[^\]\s]{1,60}\] (?P<command>\S.{1,400})$"
)
"""ESXi's shell since 6.0: no sign follows the bracket."""
_TEXTS = re.compile(r"Identifier|UID|Serial|Name|Path")
"""Labels whose value is a text even if it looks like a number."""
_COLUMN = 66  # where mails break their lines, at least
_MOST = 20_000
_KINDS = (
    ("counters", ("Successful Commands", "Failed Commands", "Packets received")),
    *((kind, (label,)) for label, kind in ESXI_LABELS.items()),
    ("path", ("Runtime Name",)),
    ("disk", ("Has Settable Display Name", "Devfs Path", "Multipath Plugin", "VAAI Status",
              "Is Perennially Reserved", "Other UIDs", "ATS Status", "In CMMDS",
              "VSAN Disk Group UUID")),
    ("multipath", ("Path Selection Policy", "Path Selection Scheme", "Storage Array Type",
                   "Working Paths", "Working Path Set")),
)  # fmt: skip
"""What a thing is by its labels; the first that fits."""
_COUNTED = {"vmhba": "controller", "vmnic": "link"}
_HEALTH: Mapping[str, tuple[str, float]] = {
    "Composite Temperature": ("temperature", 1),
    "Available Spare": ("spare", 0.01),
    "Available Spare Threshold": ("spare_threshold", 0.01),
    "Percentage Used": ("media_wear", 0.01),
    "Data Units Read": ("read", 512_000),
    "Data Units Written": ("written", 512_000),
    "Power Cycles": ("power_cycles", 1),
    "Power On Hours": ("power_on_time", 3600),
    "Unsafe Shutdowns": ("unsafe_shutdowns", 1),
    "Media Errors": ("media_errors", 1),
    "Number Of Error Info Log Entries": ("error_log_entries", 1),
    "Number of Error Info Log Entries": ("error_log_entries", 1),
    "Warning Composite Temperature Time": ("warning_temperature_time", 60),
    "Critical Composite Temperature Time": ("critical_temperature_time", 60),
}
_KELVIN = 273


@dataclass(slots=True)
class _Thing:
    """An identifier and its labels."""

    name: str
    pairs: dict[str, str] = field(default_factory=dict)

    def file(self, line: str) -> str:
        """Keep the labels of a line with their values; the last one is returned."""
        label = ""
        for part in filter(None, map(_PAIR.match, _BESIDE.split(line))):
            label = part["label"]
            self.pairs.setdefault(label, part["value"] or "")
        return label

    @property
    def kind(self) -> str:
        """What it is by its labels; empty where these tell nothing."""
        return next((kind for kind, labels in _KINDS if any(x in self.pairs for x in labels)), "")


class EsxcliLists(StateOutput):
    tool = "esxcli"
    anchors = (
        "Has Settable Display Name:", "Device Display Name:", "Multipath Plugin:",
        "Is Perennially Reserved:", "Path Selection Policy:", "Path Selection Scheme:",
        "Working Paths: vmhba", "Runtime Name: vmhba", "Successful Commands:",
        "SMART And Health Info:", "ATS Status:", "In CMMDS:", "VSAN Disk Group UUID:",
        "Adapter: vmhba", "NIC statistics for vmnic", "Netstack Instance:",
    )  # fmt: skip
    commands = ("esxcli", "localcli", "esxcfg-mpath", "esxcfg-scsidevs")
    reach = 4
    nothing = "it does not say of what"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        if _SMART.match(line) or line.lstrip().startswith("NIC statistics for "):
            return cursor.at
        if prompt_in(line) or not _PAIR.match(line) or _is_of_vsan(cursor):
            return None
        for index in range(cursor.at - 1, max(cursor.at - 60, -1), -1):
            text = cursor.line(index)
            if _ID.match(text) and not cursor.line(index - 1).endswith(":"):
                return index
            if text and not _PAIR.match(text) and not _goes_on(cursor, index):
                break
        return top_of(cursor, _PAIR.match, most=60)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        prompt = esxi_prompt(cursor, first, prompt)
        device = _DEVICE.search(prompt.command) or _ADAPTER.search(prompt.command)
        things = [_Thing(device[1].rstrip(",;|") if device else "")]
        last, label, above, labelled = first, "", "", list[str]()
        for index, line in close_lines(cursor, first, _MOST, gap=3):
            if index > first and (prompt_in(line) or _PROMPT.match(line)):
                break
            pair = _PAIR.match(line)
            full = bool(above) and index == last + 1 and is_full(len(above), line, _COLUMN)
            if full and label and not things[-1].pairs[label]:
                _join(things[-1], label, line.strip())
            elif identifier := _ID.match(line):
                things.append(_Thing(identifier["nic"] or identifier["id"]))
                label, labelled = "", []
            elif pair and not _SMART.match(line):
                if is_apart(line, labelled):
                    break
                labelled.append(line)
                label = things[-1].file(line)
            elif full:
                _join(things[-1], label, line.strip())
            elif not _SMART.match(line):
                break
            last, above = index, line
        smart = bool(_SMART.match(cursor.line(first)))
        if smart:
            return last, [PrintedSubject("disk", things[0].name, _health(things[0].pairs),
                                         prompt.host)]  # fmt: skip
        return last, self._items_of(things, prompt)

    def _items_of(
        self, things: Iterable[_Thing], prompt: Prompt
    ) -> Iterator[PrintedSubject | PrintedCounters]:
        """What each thing is, and of devices whose paths are all there how many these are."""
        paths: dict[str, dict[str, str]] = {}
        for thing in things:
            kind, name = thing.kind, thing.pairs.get("Device") or thing.name
            if kind == "counters":
                values: dict[str, Json] = dict(_typed(thing.pairs, ("Device",)))
                what = next((w for begin, w in _COUNTED.items() if name.startswith(begin)), "disk")
                yield self.counted(what, name, values, prompt)
            elif kind == "path":
                runtime = thing.pairs["Runtime Name"]
                state = thing.pairs.get("State") or thing.pairs.get("Group State") or ""
                paths.setdefault(name, {})[runtime] = state
                yield PrintedSubject("path", runtime, _typed(thing.pairs), prompt.host)
            elif kind == "disk":
                yield PrintedSubject("disk", thing.name, _disk(thing.pairs), prompt.host)
            elif kind in ESXI_LABELS.values():
                own = thing.pairs.get("Target") or thing.name
                yield PrintedSubject(kind, own, _typed(thing.pairs, ("Name",)), prompt.host)
            elif kind == "multipath":
                yield PrintedSubject("multipath", thing.name, _paths(thing.pairs), prompt.host)
        for device, states in paths.items():
            if all(states.values()) and (len(states) > 1 or not _is_some(prompt)):
                yield PrintedSubject("multipath", device, path_states(states), prompt.host)


def path_states(states: Mapping[str, str]) -> dict[str, Scalar]:
    """What the states of all paths of a LUN come to.

    Args:
        states: runtime name of each path → its state.
    """
    dead = [name for name, state in states.items() if state == "dead"]
    values: dict[str, Scalar] = {
        "paths": len(states), "failed_paths": len(dead),
        "path_states": ", ".join(f"{name} {state}" for name, state in states.items()),
    }  # fmt: skip
    if dead:
        values["failed"] = " ".join(dead)
    for state in ("standby", "off"):
        if count := sum(each == state for each in states.values()):
            values[f"{state}_paths"] = count
    return values


def _is_some(prompt: Prompt) -> bool:
    """Whether a list may lack paths of a LUN that it names: one was asked for, or none is known."""
    return not prompt.command or bool(_ONE_PATH.search(prompt.command))


def _join(thing: _Thing, label: str, rest: str) -> None:
    """Files what a mail broke off a line: of an identifier without a blank, of words with one."""
    if label:
        between = " " if " " in thing.pairs[label] else ""
        thing.pairs[label] += f"{between}{rest}"
    else:
        thing.name += rest


_OF_DISK = {"Vendor": "vendor", "Model": "model", "Revision": "firmware", "Revis": "firmware"}


def _disk(pairs: Mapping[str, str]) -> dict[str, Scalar]:
    """A device, its size in bytes."""
    values = _typed(pairs, ("Size", *_OF_DISK))
    for label, name in _OF_DISK.items():
        if text := pairs.get(label, "").strip():
            values[name] = text
    if (size := pairs.get("Size", "").removesuffix(" MB")).isdecimal():
        values["size"] = int(size) * units.MIB
    if pairs.get("Is SSD") == "true":
        values["rotational"] = False
    return values


def _paths(pairs: Mapping[str, str]) -> dict[str, Scalar]:
    """How a device's paths are used: all and those that work, counted and by name."""
    named = {"Working Paths": "working_path", "Working Path Set": "working_path", "Paths": "path"}
    values = _typed(pairs, named)
    for label, name in named.items():
        if label in pairs:
            paths = [path.strip() for path in pairs[label].split(",") if path.strip()]
            values |= {f"{name}s": len(paths), f"{name}_names": ", ".join(paths)}
    return values


def _typed(pairs: Mapping[str, str], read: Collection[str] = ()) -> dict[str, Scalar]:
    """Values by labels: true and false as such, hexadecimal counts as numbers, names as texts."""
    values: dict[str, Scalar] = {}
    for label, text in pairs.items():
        for name, value in as_labelled({label: text}, read).items():
            number = _NUMBER.fullmatch(text.strip())
            if text in {"true", "false"}:
                values[name] = text == "true"
            elif number and number["hex"]:
                values[name] = int(number["hex"], 16)
            else:
                values[name] = text.strip() if _TEXTS.search(label) else value
    return values


def _is_of_vsan(cursor: TextCursor) -> bool:
    """Whether a display name is one of a controller in a list of vSAN's controllers."""
    return cursor.line(before(cursor, cursor.at)).lstrip().startswith("Device Name: vmhba")


def _goes_on(cursor: TextCursor, index: int) -> bool:
    """Whether a line may be what was broken off the one above it."""
    above, line = cursor.line(index - 1), cursor.line(index)
    return bool(above) and is_full(len(above), line, _COLUMN)


def esxi_prompt(cursor: TextCursor, first: int, prompt: Prompt) -> Prompt:
    """The command above an output: as it was read, or after a prompt that only ESXi has."""
    above = _PROMPT.match(cursor.line(before(cursor, first)))
    return Prompt(above["command"], above["host"]) if above and not prompt.command else prompt


def _health(pairs: Mapping[str, str]) -> dict[str, Scalar]:
    """An NVMe drive's log of its health, by the names that other tools' have."""
    values = _typed(pairs, _HEALTH)
    for label, (name, factor) in _HEALTH.items():
        match = _NUMBER.match(pairs.get(label, ""))
        if match is None:
            continue
        number = int(match["hex"], 16) if match["hex"] else int(match["figure"])
        if match["unit"] == "K":
            number -= _KELVIN
        values[name] = number * factor if factor < 1 else number * int(factor)
    return values
