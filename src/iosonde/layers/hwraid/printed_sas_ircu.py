"""`sas2ircu N DISPLAY` and `sas3ircu N DISPLAY`: a controller, its volumes and the disks it sees.

Source: Broadcom, SAS-2 Integrated RAID Configuration Utility (SAS2IRCU) User Guide, DISPLAY.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import ClassVar

from typing_extensions import override

from iosonde import units
from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.labels import as_labelled
from iosonde.text.reader import HeadedOutput

_PAIR = re.compile(r"\s*(?P<label>[A-Z][\w #/()\[\]-]{1,38}?) *: *(?P<value>\S.{0,200})?$")
_CONTROLLER = re.compile(r"\s*Controller type {2,}: \S")
_HEAD = re.compile(
    r"\s*(?:Device is a (?P<device>[A-Z][\w ]{2,40})|IR [Vv]olume (?P<volume>\d{1,3}))\s*$"
)
_OTHER = re.compile(
    r"\s*(?:-{20,}|(?:Controller|IR [Vv]olume|Physical device|Enclosure) information"
    r"|Initiator at ID #\d+)\s*$"
)
_SECTORS = re.compile(r"(?P<mb>\d{1,12})/(?P<sectors>\d{1,15})$")


class SasIrcu(HeadedOutput):
    """See `iosonde.text.cursor.Output`."""

    tool: ClassVar[str] = "sas2ircu"
    anchors: ClassVar[tuple[str, ...]] = (
        "Controller type  ", "Device is a Hard disk", "IR volume ", "IR Volume ",
    )  # fmt: skip
    commands: ClassVar[tuple[str, ...]] = ("sas2ircu", "sas3ircu")
    reach: ClassVar[int] = 12
    nothing: ClassVar[str] = "nothing is said of it"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        return cursor.at if self.is_head(cursor.line(cursor.at) or "") else None

    @override
    def is_head(self, line: str) -> bool:
        return bool(_CONTROLLER.match(line) or _HEAD.match(line))

    @override
    def goes_on(self, line: str, above: list[str]) -> bool:
        return bool(_PAIR.match(line) or _OTHER.match(line))

    @override
    def block(self, text: str, prompt: Prompt) -> Iterator[PrintedSubject]:
        head = _HEAD.match(text.partition("\n")[0])
        pairs: dict[str, str] = {}
        for line in text.split("\n"):
            if pair := _PAIR.match(line):
                pairs.setdefault(pair["label"], (pair["value"] or "").strip())
        if not pairs:
            return
        values = as_labelled(pairs)
        if head is None:
            yield PrintedSubject(
                "controller", pairs.get("Controller type", ""), values, prompt.host
            )
        elif head["volume"]:
            yield PrintedSubject(
                "logical_drive", f"volume {head['volume']}", _sized(pairs, values), prompt.host
            )
        else:
            place = f"{pairs.get('Enclosure #', '')}:{pairs.get('Slot #', '')}"
            kind = "physical_drive" if "disk" in head["device"].lower() else "enclosure"
            yield PrintedSubject(kind, place, _sized(pairs, values), prompt.host)


def _sized(pairs: dict[str, str], values: dict[str, Scalar]) -> dict[str, Scalar]:
    """With the size in bytes, from sectors where they are said, else from MiB."""
    if match := _SECTORS.match(pairs.get("Size (in MB)/(in sectors)", "")):
        return {**values, "size": int(match["sectors"]) * units.SECTOR}
    if (size := pairs.get("Size (in MB)", "")).isdecimal():
        return {**values, "size": int(size) * units.MIB}
    return values
