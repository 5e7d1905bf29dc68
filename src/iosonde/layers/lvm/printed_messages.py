"""What LVM's commands say when they are done: what was created, activated, extended, removed.

Source: LVM2 2.03: tools/toollib.c and tools/pvcreate.c ("Physical volume "%s" successfully
created."), tools/vgcreate.c, vgextend.c, vgchange.c ("%d logical volume(s) in volume group "%s" now
active"), lib/metadata/lv_manip.c ("Logical volume "%s" created.", "Size of logical volume %s
changed from %s (%u extents) to %s (%u extents)."), lib/activate/activate.c.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from typing_extensions import override

from iosonde import units
from iosonde.layers import DEVICE_FOLDERS
from iosonde.layers._mapper.facts import mapper_name
from iosonde.layers.lvm.asked_size import asked_size
from iosonde.layers.lvm.refusals import refusal
from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, command_before, prompt_in
from iosonde.text.log_lines import log_prefix
from iosonde.text.reader import Items, StateOutput, close_lines, start_of

_NAME = r"[\w+.-]{1,128}"
_VOLUME = rf"(?:(?P<group>{_NAME})/)?(?P<volume>{_NAME})"
_SIZE = r"<?(?P<{}>\d{{1,9}}[.,]\d\d [KMGTPE]iB)"
_DONE = (
    r"(?P<done>created|extended|reduced|removed|changed|exported|imported|resized|converted|wiped)"
)
_DEVICE = re.compile(
    r'\s*(?:Physical volume|Labels on physical volume) "(?P<device>/dev/[\w/.:+-]{1,120})" '
    rf"(?:successfully )?{_DONE}\.?\s*$"
)
_GROUP = re.compile(rf'\s*Volume group "(?P<name>{_NAME})" successfully {_DONE}\.?\s*$')
_ACTIVE = re.compile(
    rf'\s*(?P<number>\d{{1,6}}) logical volume\(s\) in volume group "(?P<name>{_NAME})" '
    r"now active\s*$"
)
_LOGICAL = re.compile(
    rf'\s*Logical volume "?{_VOLUME}"? (?:successfully )?{_DONE}(?: and .{{1,60}})?\.?\s*$'
)
_SIZED = re.compile(
    rf"\s*Size of logical volume {_VOLUME} (?:changed from {_SIZE.format('old')} "
    rf"\(\d{{1,12}} extents\) to|unchanged from) {_SIZE.format('new')} "
    r"\((?P<extents>\d{1,12}) extents\)\.?\s*$"
)
_PARTIAL = re.compile(rf"\s*Refusing activation of partial LV {_VOLUME}\. {{1,2}}(?:Use|Try) '.*$")
_FREE = re.compile(
    r"\s*(?:Insufficient free space: (?P<needed>\d{1,12}) extents needed, "
    r"but only (?P<free>\d{1,12}) available"
    rf'|Volume group "(?P<name>{_NAME})" has insufficient free space '
    r"\((?P<left>\d{1,12}) extents\): (?P<required>\d{1,12}) required\.)\s*$"
)
_OTHERS = re.compile(
    r"\s*+(?:TEST MODE: |Using default stripesize \d|Rounding (?:up )?size |Reducing COW size "
    r"|Wiping [\w ]{1,30} signature on /dev/|Device /dev/\S{1,120} (?:excluded by a f|not found)"
    r"|Cannot use /dev/\S{1,120}: |Can't open /dev/\S{1,120} exclusively|Found duplicate PV "
    r"|WARNING: (?:\w[\w +-]{0,30} signature detected on /dev/|Device for PV |PV \S{1,128} prefers "
    r"|PV \S{1,128} in VG \S{1,128} is using an old PV header"
    r"|VG \S{1,128} (?:is missing|was missing|has unused reappeared) PV |VG \S{1,128} was prev"
    r"iously updated while PV |Not using device /dev/|Sum of all thin volume sizes )"
    r"|(?:WARNING: )?Couldn't find device with uuid |Found volume group |Reading all physical vol"
    r"|Reading volume groups from cache|Thin pool volume with chunk size \d"
    r"|Failed to activate new LV|Aborting\. Failed to |Volume group \"\S{1,128}\" not found$"
    r"|Cannot process volume group |device-mapper: |Aborted wiping of \w|Aborting \w{2}create on /"
    r"|\d{1,3} existing signatures? left on the device|Do you really want to "
    r"|(?:WARNING: )?Reducing active |THIS MAY DESTROY YOUR DATA|Unable to add physical volume "
    r"|/dev/\S{1,120}: already exists in filesystem|New volume group name \"|Command requires all "
    r"|(?:Creating|Loading table for|Resuming|Suspending|Removing) [\w+.-]{1,160}(?: \(\d|\s*$)"
    r"|(?:Dea|A)ctivating logical volume \S{1,160}\.?\s*$|activation/volume_list configuration "
    r"|Executing: /|/\S{1,60}/(?:thin|cache)_check failed: \d|Check of pool \S{1,160} failed \("
    r"|Use -ff? to force|Can't initialize physical volume )"
)
"""Other messages, which are only kept as they are."""
_COMMAND = re.compile(r"(?:^|/)(?:lv|vg)(?:create|extend|reduce|resize|remove|change|convert)$")
_OPERAND = re.compile(
    rf"/dev/(?P<of_path>{_NAME})/{_NAME}|(?P<of_name>\w[\w+.-]{{0,127}})(?:/{_NAME})?"
)
_FLAGS = frozenset(
    {
        "-y",
        "-f",
        "-ff",
        "-v",
        "-q",
        "-s",
        "-T",
        "-K",
        "-t",
        "--yes",
        "--force",
        "-ay",
        "-an",
        "-aay",
        "-aey",
        "-asy",
    }
)
"""Options that have no value behind them."""
_CHANGES = (
    "lvm", "pvcreate", "pvremove", "pvresize", "vgcreate", "vgextend", "vgreduce", "vgremove",
    "vgchange", "lvcreate", "lvextend", "lvreduce", "lvresize", "lvremove", "lvchange",
    "lvconvert", "lvrename", "vgrename", "vgmerge", "vgsplit", "pvmove", "vgexport",
    "vgimport", "vgcfgrestore", "vgcfgbackup",
)  # fmt: skip
_REPORTS = (
    "pvs", "vgs", "lvs", "pvscan", "vgscan", "lvscan", "pvdisplay", "vgdisplay", "lvdisplay",
    "vgck", "pvck",
)  # fmt: skip
"""Commands that only warn: what else they print are no messages."""
_REPORT = re.compile(rf"\b(?:{'|'.join(_REPORTS)})\b")
_KEPT = 60
_BEGINS = (
    "Cannot process volume group ", "Thin pool volume with chunk size ", "WARNING: PV ",
    "Check of pool ",
)  # fmt: skip
_SAYS = re.compile(r" {2}(?: {2})?(?!.{1,300} {3})[A-Z][A-Za-z]{0,20}:? [^|\[\]\t]{10,300}$")
"""Any other sentence of LVM's, which it begins with two blanks, below its command."""


class LvmMessages(StateOutput):
    tool = "lvm messages"
    answers = True
    anchors = (
        '" successfully ', 'hysical volume "/dev/', " logical volume(s) in volume group ",
        "Logical volume ", "Size of logical volume ", "Refusing activation of partial LV ",
        "Insufficient free space: ", " has insufficient free space (", "No device found for /dev/",
        " signature detected on /dev/", " exclusively. ", "find device with uuid ",
        "Wrote out consistent volume group ", " is missing PV ", " was missing PV ",
        " is already in volume group '", "matches existing size (", "excluded by a filter",
        "ignored by filtering)",
        "Cannot use /dev/", " physical volumes missing.", "Cannot process volume group ",
        "Flushing ", ": Moved: ", ": Merged: ", ": Converted: ", "Renamed \"", "Removed \"/dev/",
        "Restored volume group ", "No data to move for ",
        "Merging of volume ", " physical volume(s) resized", "Thin pool volume with chunk size ",
        " is using an old PV header", "Check of pool ",
    )  # fmt: skip
    commands = (*_CHANGES, *_REPORTS)
    reach = 4

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        if log_prefix(cursor.stamped(cursor.at)) or not (
            next(_said(line), None) or line.strip().startswith(_BEGINS)
        ):
            return None
        first = start_of(cursor, _is_own)  # messages above it are of the same command
        begun = start_of(cursor, lambda above: _is_own(above) or _SAYS.match(above))
        asked = command_before(cursor, begun, _CHANGES, reach=1)[1].command
        return begun if asked else first

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        messages, last = list[str](), first
        subjects: dict[tuple[str, str], dict[str, Scalar]] = {}
        group = ""
        restored = _restored(prompt.command)
        may_say = prompt.command and not _REPORT.search(prompt.command)
        for index, line in close_lines(cursor, first):
            said = list(_said(line))
            is_own = said or _OTHERS.match(line) or (may_say and _SAYS.match(line))
            if prompt_in(line) or not is_own:
                break
            for kind, name, values in said:
                if "missing" in values and f"--uuid {name}" in restored:
                    continue
                subjects.setdefault((kind, name), {}).update(values)
                group = name if kind == "lvm_group" else group
            messages.append(line.strip())
            last = index
        if any(message.startswith("TEST MODE") for message in messages):
            subjects = {thing: values | {"test": True} for thing, values in subjects.items()}
        if not any(message.startswith("Rounding") for message in messages):
            _ask(subjects, prompt.command)
        asked = _group_of(prompt.command) or group
        things: dict[tuple[str, str], dict[str, Scalar]] = {}
        for (kind, name), values in subjects.items():
            things.setdefault((kind, _whole(kind, name, asked, prompt.path)), {}).update(values)
        every = [
            PrintedSubject(kind, name, values, prompt.host)
            for (kind, name), values in things.items()
        ]
        counters = self.counted("host", "", {"messages": [*messages[:_KEPT]]}, prompt)
        return last, [*every, counters]


def _restored(command: str) -> str:
    """A command that makes a physical volume under its old uuid, which is said to be missing then.

    Source: LVM2 2.03, lib/metadata/metadata.c, pvcreate_each_device(); pvcreate(8), --restorefile.
    """
    return command.replace("--uuid=", "--uuid ").replace('"', "") if "pvcreate" in command else ""


def _is_own(line: str) -> bool:
    return not prompt_in(line) and bool(_OTHERS.match(line) or next(_said(line), None))


def _said(line: str) -> Iterator[tuple[str, str, Mapping[str, Scalar]]]:
    """What a message says: kind, name and values of each thing; sizes in bytes."""
    if match := _DEVICE.match(line):
        yield "lvm_pv", match["device"].removeprefix("/dev/"), {match["done"]: True}
    elif match := _GROUP.match(line):
        yield "lvm_group", match["name"], {match["done"]: True}
    elif match := _ACTIVE.match(line):
        yield "lvm_group", match["name"], {"active_volumes": int(match["number"])}
    elif match := _LOGICAL.match(line):
        yield "lvm", _volume(match), {match["done"]: True}
    elif match := _SIZED.match(line):
        values: dict[str, Scalar] = {
            "size": _bytes(match["new"]), "extents": int(match["extents"]),
        }  # fmt: skip
        if match["old"]:
            values["size_before"] = _bytes(match["old"])
        yield "lvm", _volume(match), values
    elif match := _PARTIAL.match(line):
        yield "lvm", _volume(match), {"partial": True}
    elif match := _FREE.match(line):
        free, needed = match["free"] or match["left"], match["needed"] or match["required"]
        yield "lvm_group", match["name"] or "", {
            "free_extents": int(free), "extents_needed": int(needed),
        }  # fmt: skip
    elif refused := refusal(line):
        yield refused


def _ask(subjects: Mapping[tuple[str, str], dict[str, Scalar]], command: str) -> None:
    """Gives a volume that was created the size for which its command asks."""
    for (kind, name), values in subjects.items():
        size = asked_size(command, name) if kind == "lvm" and values.get("created") else None
        if size:
            values.setdefault("size", size)


def _volume(match: re.Match[str]) -> str:
    return mapper_name(match["group"] or "", match["volume"])


def _bytes(size: str) -> int:
    return units.parse_bytes(size.replace(",", "."))


def _group_of(command: str) -> str:
    """The group in the first operand of a command, as "vg0", "vg0/home" or "/dev/vg0/home"."""
    parts = command.partition("|")[0].split()
    at = next((at for at, part in enumerate(parts) if _COMMAND.search(part)), len(parts))
    for before, part in zip(parts[at:], parts[at + 1 :], strict=False):
        is_value = before.startswith("-") and "=" not in before and before not in _FLAGS
        operand = _OPERAND.fullmatch(part)
        group = (operand["of_path"] or operand["of_name"]) if operand else ""
        if group and not is_value and group not in DEVICE_FOLDERS:
            return group
    return ""


def _whole(kind: str, name: str, group: str, path: str) -> str:
    """The name of a volume or group, whole where the message leaves out a part or all of it."""
    if kind == "lvm" and path.startswith("mapper/"):
        own = name.replace("-", "--")
        if not name or (path.endswith(f"-{own}") and "mapper/" not in name):
            return path
    if kind == "lvm" and not name:
        of_path = _OPERAND.fullmatch(f"/dev/{path}")
        return mapper_name(group, path.rpartition("/")[2]) if of_path else ""
    if kind == "lvm_group":
        return name or group
    return mapper_name(group, name) if kind == "lvm" and not name.startswith("mapper/") else name
