"""`metastat` of Solaris Volume Manager: mirrors, their halves, RAID 5, soft partitions, hot spares.

Source: Oracle Solaris 10 8/11, metastat(1M), Solaris Volume Manager Administration Guide (status
of submirrors and slices: Okay, Resyncing, Maintenance, Last Erred). A block has 512 bytes: 16790400
blocks are printed as 8.0 GB.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import ClassVar

from typing_extensions import override

from iosonde import units
from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt
from iosonde.text.reader import HeadedOutput

_HEAD = re.compile(
    r"\s*(?P<name>d\d{1,5}|[\w.-]{1,24}/d\d{1,5}|hsp\d{3}): (?:(?P<type>Mirror|RAID|Trans"
    r"|Concat/Stripe|Soft Partition)|Submirror of (?P<parent>\S{2,32})|(?P<spares>\d{1,4}|is empty)"
    r"(?: hot spares?)?)\s*$"
)
_SUBMIRROR = re.compile(r"\s*Submirror \d{1,2}: (?P<name>\S{2,32})\s*$")
_PAIR = re.compile(
    r"\s*(?P<label>State|Pass|Read option|Write option|Size|Device|Hot spare pool|Interlace"
    r"|Resync in progress|Initialization in progress|Invoke|Status|Original device): "
    r"(?P<value>\S.{0,80}?)\s*$"
)
_STRIPE = re.compile(r"\s*Stripe \d{1,3}:(?: \(interlace: (?P<blocks>\d{1,9}) blocks\))?\s*$")
_SLICE = re.compile(
    r"\s*(?P<name>c\d{1,3}(?:t\w{1,20})?d\d{1,4}s\d{1,2}|d\d{1,5}) +(?P<start>\d{1,12}) +"
    r"(?:Yes|No) +(?P<state>[A-Z][\w ]{2,14}?) +(?:Yes|No)(?: +\S{1,20})?\s*$"
)
_SPARE = re.compile(
    r"\s*(?P<name>c\d{1,3}(?:t\w{1,20})?d\d{1,4}s\d{1,2}) +(?P<state>Available|In use|Broken) +"
    r"(?P<blocks>\d{1,12}) blocks(?: +(?:Yes|No))?\s*$"
)
_TABLE = re.compile(
    r"\s*(?:Device +Start Block +Dbase|Device +Status +Length|Extent +Start Block"
    r"|\d+ +\d+ +\d+\s*$)"
)
_BLOCKS = re.compile(r"(?P<blocks>\d{1,15}) blocks\b")
_DONE = re.compile(r"(?P<percent>\d{1,3}) ?% done")


class Metastat(HeadedOutput):
    """See `iosonde.text.cursor.Output`."""

    tool: ClassVar[str] = "metastat"
    anchors: ClassVar[tuple[str, ...]] = (
        ": Mirror", ": Submirror of d", ": Soft Partition", ": Concat/Stripe", ": RAID",
    )  # fmt: skip
    commands: ClassVar[tuple[str, ...]] = ("metastat",)
    gap: ClassVar[int] = 3
    nothing: ClassVar[str] = "nothing is said below its name"
    beginning: ClassVar[re.Pattern[str]] = _HEAD

    @override
    def is_head(self, line: str) -> bool:
        return bool(_HEAD.match(line))

    @override
    def goes_on(self, line: str, above: list[str]) -> bool:
        patterns = (_SUBMIRROR, _PAIR, _STRIPE, _SLICE, _SPARE, _TABLE)
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
                halves[half] = match["value"].lower()
            else:
                half = half if match["label"] in {"Resync in progress", "State"} else ""
                values |= _of_pair(match["label"], match["value"])
        elif (match := _STRIPE.match(row)) and match["blocks"]:
            values["strip_size"] = int(match["blocks"]) * units.SECTOR
        elif match := _SLICE.match(row):
            slices.append(f"{match['name']} {match['state'].lower()}")
    if halves:
        values["submirrors"] = ", ".join(f"{name} {state}" for name, state in halves.items())
        bad = [state for state in halves.values() if state != "okay"]
        values["state"] = bad[0] if bad else "okay"
    return values | ({"devices": ", ".join(slices)} if slices else {})


def _of_pair(label: str, text: str) -> dict[str, Scalar]:
    name = label.lower().replace(" ", "_")
    if done := _DONE.match(text):
        return {"progress": int(done["percent"]) / 100}
    if label in {"Size", "Interlace"}:
        blocks = _BLOCKS.match(text)
        name = "strip_size" if label == "Interlace" else name
        return {name: int(blocks["blocks"]) * units.SECTOR} if blocks else {}
    return {name: int(text) if text.isdecimal() else text.lower() if label == "State" else text}
