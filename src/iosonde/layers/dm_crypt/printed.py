"""`cryptsetup status NAME`: cipher, key and place of a mapping.

Source: cryptsetup 2.6, src/cryptsetup.c, action_status(): "key location", "sector size" and
"flags" where there are any; offset and size in sectors of 512 bytes, since 2.8 also "[units]".
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import ClassVar

from typing_extensions import override

from iosonde import units
from iosonde.records.printed import PrintedSubject, Unreadable
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, lines
from iosonde.text.reader import Items, StateOutput

_HEAD = re.compile(
    r"\s*/dev/mapper/(?P<name>\S{1,128}) is (?P<state>active|inactive)(?: and is in use)?\.\s*$"
)
_PAIR = re.compile(r"\s+(?P<name>[a-z][a-z ]{2,20}):\s+(?P<value>\S.*?)\s*$")
_SECTORS = re.compile(r"(\d{1,18}) (?:sectors|\[512-byte units\])")
_BITS = re.compile(r"(\d{1,6}) (?:bits|\[bits\])")


class CryptsetupStatus(StateOutput):
    """See `iosonde.text.cursor.Output`."""

    tool: ClassVar[str] = "cryptsetup status"
    anchors: ClassVar[tuple[str, ...]] = (
        " is active and is in use",
        " is active.",
        " is inactive.",
    )
    commands: ClassVar[tuple[str, ...]] = ("cryptsetup",)
    reach: ClassVar[int] = 3
    beginning: ClassVar[re.Pattern[str]] = _HEAD

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        head = _HEAD.match(cursor.line(first) or "")
        if head is None:
            raise Unreadable("it has no head")
        pairs, last = dict[str, str](), first
        for index, line in lines(cursor, first + 1, 40):
            pair = _PAIR.match(line)
            if (line and pair is None) or index > last + 2:
                break
            if pair:
                pairs[pair["name"]] = pair["value"]
                last = index
        if head["state"] == "active" and "cipher" not in pairs:
            raise Unreadable("its cipher is cut off", last)
        values: dict[str, Scalar] = {"state": head["state"], **_values(pairs)}
        return last, [PrintedSubject("dm_crypt", head["name"], values, prompt.host)]


def _values(pairs: Mapping[str, str]) -> dict[str, Scalar]:
    values: dict[str, Scalar] = {
        name: pairs[name] for name in ("cipher", "device", "flags") if name in pairs
    }
    if pairs.get("type", "n/a") != "n/a":
        values["format"] = pairs["type"]
    if bits := _BITS.match(pairs.get("keysize", "")):
        values["key_bits"] = int(bits[1])
    for label, name in (("offset", "data_offset"), ("size", "size")):
        if sectors := _SECTORS.match(pairs.get(label, "")):
            values[name] = int(sectors[1]) * units.SECTOR
    if size := re.match(r"\d{3,5}\b", pairs.get("sector size", "")):
        values["sector_size"] = int(size[0])
    if "mode" in pairs:
        values["read_only"] = pairs["mode"] == "readonly"
    return values
