"""`metastat` of Solaris Volume Manager: mirrors, their halves, RAID 5, soft partitions, hot spares.

Source: Solaris Volume Manager in OpenSolaris, usr/src/lib/lvm/libmeta/common: meta_mirror.c
(`mirror_report()`, `sm_state_to_name()`: Okay, Resyncing, Resync cancelled, Needs maintenance,
Unavailable; `sm_state_to_action()`), meta_stripe.c (`comp_state_to_name()`, `subdev_row_report()`,
`toplev_row_report()`: a stripe that nothing stands on has no column of states), meta_raid.c
(`raid_state_to_name()`, `raid_report()`: the first size is the device's, those below are of its
parts), meta_hotspares.c (`hs_state_to_name()`), meta_sp.c (`meta_sp_report()`). A block has
DEV_BSIZE = 512 bytes; work that is done has a decimal on large devices, and none on old ones.
Solaris 8 has no column Reloc.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from typing_extensions import override

from iosonde import units
from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt
from iosonde.text.reader import HeadedOutput

_HEAD = re.compile(
    r"\s*(?P<name>d\d{1,5}|[\w.-]{1,24}/d\d{1,5}|(?:[\w.-]{1,24}/)?hsp\d{3}): (?:(?P<type>Mirror"
    r"|RAID|Trans|Concat/Stripe|Soft Partition)|Submirror of (?P<parent>\S{2,32})"
    r"|(?P<spares>\d{1,4}|is empty)(?: hot spares?)?(?: \(\d{1,4} big device\(s\)\))?)\s*$"
)
_SUBMIRROR = re.compile(r"\s*Submirror \d{1,2}: (?P<name>\S{2,32})\s*$")
_WORK = (
    "Resync in progress|Resync cancelled|Initialization in progress|Parity regeneration in progress"
)
_PAIR = re.compile(
    r"\s*(?P<label>State|Pass|Read option|Write option|Resync option|Owner|Size|Device"
    r"|Hot spare pool|Interlace|Invoke|Status|Master Device|Logging Device"
    rf"|(?P<work>{_WORK})): {{1,2}}(?P<value>\S.{{0,100}}?)\s*$"
)
_PART = re.compile(r"\s*(?:Original device|Concatenated Devices):\s*$")
_ADVICE = re.compile(
    r"\s*(?:Reconnect disk and invoke: metastat -i|metareplace \S{1,40} \S{1,40} <new device>)\s*$"
)
_STATE = re.compile(
    r"(?i:okay|resyncing|resync cancelled|needs maintenance|unavailable"
    r"|initializing|initialization failed|regen|invalid)(?= |$)"
)
_STRIPE = re.compile(r"\s*Stripe \d{1,3}:(?: \(interlace: (?P<blocks>\d{1,9}) blocks\))?\s*$")
_SLICE_NAME = r"(?:c\d{1,3}(?:t\w{1,32})?d\d{1,4}s\d{1,2}|(?:[\w.-]{1,24}/)?d\d{1,5})"
_SLICE = re.compile(
    rf"\s*(?P<name>{_SLICE_NAME}) +(?P<start>\d{{1,12}}) +(?:Yes|No) +"
    r"(?P<state>Okay|Maintenance|Last Erred|Resyncing|Unavailable|Initializing|Unknown|invalid|-)"
    rf"(?: +(?:Yes|No)(?= |$))?(?: +(?P<spare>{_SLICE_NAME}))?\s*$"
)
_STATELESS = re.compile(
    rf"\s*(?P<name>{_SLICE_NAME}) +(?P<start>\d{{1,12}}) +(?:Yes|No)(?:\s+(?:Yes|No))?\s*$"
)
_SPARE = re.compile(
    rf"\s*(?P<name>{_SLICE_NAME}) +(?P<state>Available|In use|Broken|invalid) +"
    r"(?P<blocks>\d{1,12}) blocks(?:\s+(?:Yes|No))?\s*$"
)
_TABLE = re.compile(
    r"\s*(?:Device +Start(?: Block)? +Dbase|Device +Status +Length|Extent +Start Block"
    r"|\d+ +\d+ +\d+\s*$)"
)
_BLOCKS = re.compile(r"(?P<blocks>\d{1,15}) blocks\b")
_DONE = re.compile(r"(?P<percent>\d{1,3}(?:\.\d)?) ?% done")
_WORST = ("needs maintenance", "last erred", "unavailable", "resync cancelled", "resyncing")


class Metastat(HeadedOutput):
    tool = "metastat"
    anchors = (
        ": Mirror", ": Submirror of d", ": Soft Partition", ": Concat/Stripe", ": RAID",
    )  # fmt: skip
    commands = ("metastat",)
    gap = 3
    nothing = "nothing is said below its name"
    beginning = _HEAD

    @override
    def goes_on(self, line: str, above: list[str]) -> bool:
        patterns = (_SUBMIRROR, _PAIR, _STRIPE, _SLICE, _STATELESS, _SPARE, _TABLE, _PART, _ADVICE)
        return any(pattern.match(line) for pattern in patterns)

    @override
    def block(self, text: str, prompt: Prompt) -> Iterator[PrintedSubject]:
        first, *rest = text.split("\n")
        head = _HEAD.match(first)
        if head is None or not any(map(str.strip, rest)):
            return
        if head["spares"]:
            values: dict[str, Scalar] = {"type": "hot spare pool"}
            for spare in filter(None, map(_SPARE.match, rest)):
                values[spare["name"]] = spare["state"].lower()
            yield PrintedSubject("metadevice", head["name"], values, prompt.host)
            return
        values = {"type": (head["type"] or "Submirror").lower()}
        values |= {"parent": head["parent"]} if head["parent"] else {}
        yield PrintedSubject("metadevice", head["name"], values | _of_device(rest), prompt.host)


def _of_device(rows: list[str]) -> dict[str, Scalar]:
    """What the rows below a device's name say; a state below a submirror's is the submirror's."""
    values: dict[str, Scalar] = {}
    halves: dict[str, str] = {}
    slices: list[str] = []
    half = ""
    for row in rows:
        if match := _SUBMIRROR.match(row):
            half = match["name"]
            halves[half] = "unknown"
        elif match := _PAIR.match(row):
            if match["label"] == "State" and half:
                halves[half] = _state(match["value"])
            else:
                half = half if match["work"] or match["label"] == "State" else ""
                values = {**_of_pair(match["label"], match["value"]), **values}
        elif (match := _STRIPE.match(row)) and match["blocks"]:
            values["strip_size"] = int(match["blocks"]) * units.SECTOR
        elif match := _SLICE.match(row):
            state = "" if match["state"] == "-" else f" {match['state'].lower()}"
            spare = f" (hot spare {match['spare']})" if match["spare"] else ""
            slices.append(f"{match['name']}{state}{spare}")
        elif match := _STATELESS.match(row):
            slices.append(match["name"])
    if halves:
        values["submirrors"] = ", ".join(f"{name} {state}" for name, state in halves.items())
        bad = [state for state in halves.values() if state != "okay"]
        rank = {state: number for number, state in enumerate(_WORST)}
        values["state"] = min(bad, key=lambda state: rank.get(state, 0)) if bad else "okay"
    return values | ({"devices": ", ".join(slices)} if slices else {})


def _state(text: str) -> str:
    """A state as it is said without the time that -t puts behind it."""
    match = _STATE.match(text)
    return match[0].lower() if match else text.lower()


def _of_pair(label: str, text: str) -> dict[str, Scalar]:
    name = label.lower().replace(" ", "_")
    if done := _DONE.match(text):
        work = label.lower().removesuffix(" in progress")
        return {"work": work, "progress": round(float(done["percent"]) / 100, 3)}
    if label in {"Size", "Interlace"}:
        blocks = _BLOCKS.match(text)
        name = "strip_size" if label == "Interlace" else name
        return {name: int(blocks["blocks"]) * units.SECTOR} if blocks else {}
    return {name: int(text) if text.isdecimal() else _state(text) if label == "State" else text}
