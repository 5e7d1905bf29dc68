"""`cryptsetup status NAME`: cipher, key and place of a mapping; alike of integrity and verity.

Salts and root hashes are not kept.

Source: cryptsetup 2.6, src/cryptsetup.c, action_status(): "key location", "sector size" and
"flags" where there are any; offset and size in sectors of 512 bytes, since 2.8 also "[units]";
src/integritysetup.c and src/veritysetup.c, action_status().
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from typing_extensions import override

from iosonde import units
from iosonde.records.printed import PrintedSubject, Unreadable
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, lines
from iosonde.text.labels import as_labelled
from iosonde.text.reader import Items, StateOutput, start_of

_HEAD = re.compile(
    r"\s*/dev/mapper/(?P<name>\S{1,128}) is (?P<state>active|inactive)(?: and is in use)?\.\s*$"
)
_PAIR = re.compile(
    r"\s+(?P<name>(?:FEC |OPAL )?[a-z][a-z0-9 -]{2,40}(?: MAC)?):\s+(?P<value>\S.*?)\s*$"
)
_KEY = re.compile(r"\s+keysize:\s+\d{1,6} (?:bits|\[bits\])\s*$")
_INLINE = re.compile(r"\s+inline mode\s*$")
_SECTORS = re.compile(r"(\d{1,18}) (?:sectors|\[512-byte units\])")
_OTHER_TYPES = {"INTEGRITY", "VERITY"}
_READ = {"type", "cipher", "device", "flags", "keysize", "offset", "size", "sector size", "mode"}
_SECRET = {"salt", "root hash"}
_BYTES = re.compile(r"(\d{1,19}) (?:bytes|\[bytes\])(?:\s+(?P<note>\(.{1,60}\)))?")
_MILLISECONDS = re.compile(r"(\d{1,12}) (?:ms|\[ms\])")
_BITS = re.compile(r"(\d{1,6}) (?:bits|\[bits\])")


class CryptsetupStatus(StateOutput):
    tool = "cryptsetup status"
    anchors = (" is active and is in use", " is active.", " is inactive.", "keysize: ")
    commands = ("cryptsetup",)
    reach = 3

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        if _HEAD.match(line):
            return cursor.at
        first = start_of(cursor, _PAIR.match, most=12) if _KEY.match(line) else None
        if first is None or _HEAD.match(cursor.line(first - 1)):
            return None
        pairs = {
            pair["name"] for _, text in lines(cursor, first, 14) if (pair := _PAIR.match(text))
        }
        return first if pairs >= {"cipher", "device"} or pairs >= {"cipher", "offset"} else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        head = _HEAD.match(cursor.line(first))
        pairs, last = dict[str, str](), first
        for index, line in lines(cursor, first + (head is not None), 40):
            pair = _PAIR.match(line)
            if (line and pair is None and not _INLINE.match(line)) or index > last + 2:
                break
            last = index if line else last
            if pair:
                pairs[pair["name"]] = pair["value"]
        kind = "dm" if pairs.get("type") in _OTHER_TYPES else "dm_crypt"
        encrypts = {"cipher", "encryption"} & pairs.keys()
        state: dict[str, Scalar] = {"state": head["state"]} if head else {}
        if state.get("state") == "active" and not encrypts and kind == "dm_crypt":
            raise Unreadable("its cipher is cut off", last)
        values = {**state, **_values(pairs), **_others(pairs)}
        return last, [PrintedSubject(kind, head["name"] if head else "", values, prompt.host)]


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


def _others(pairs: Mapping[str, str]) -> dict[str, Scalar]:
    """What has no name of discovery's, by the tool's own: bytes, seconds, fractions."""
    values: dict[str, Scalar] = {}
    rest: dict[str, str] = {}
    for label, text in pairs.items():
        name = label.lower().replace(" ", "_").replace("-", "_")
        if label in _READ or label in _SECRET:
            continue
        if size := _BYTES.match(text):
            values[name] = int(size[1])
        elif sectors := _SECTORS.match(text):
            values[name] = int(sectors[1]) * units.SECTOR
        elif bits := _BITS.match(text):
            values[f"{name}_bits"] = int(bits[1])
        elif time := _MILLISECONDS.match(text):
            values[name] = int(time[1]) / 1000
        elif share := re.fullmatch(r"(\d{1,3})%", text):
            values[name] = int(share[1]) / 100
        else:
            rest[label] = text
    return values | as_labelled(rest)
