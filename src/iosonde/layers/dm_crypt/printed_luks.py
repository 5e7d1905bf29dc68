"""`cryptsetup luksDump`: a LUKS header with its segments, keyslots, tokens and digests.

Salts, digests and keys themselves are not kept.

Source: cryptsetup 2.6 and 2.8, lib/setup.c (_luks_dump(): LUKS1, offsets in sectors of 512 bytes),
lib/luks2/luks2_json_metadata.c (LUKS2_hdr_dump(), hdr_dump_segments(), hdr_dump_keyslots()),
luks2_keyslot_luks2.c (luks2_keyslot_dump(): memory in KiB), luks2_keyslot_reenc.c.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from typing_extensions import override

from iosonde import units
from iosonde.records.printed import PrintedSubject, Unreadable
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, prompt_in
from iosonde.text.labels import as_labelled
from iosonde.text.reader import Items, StateOutput, close_lines, top_of

_HEAD = re.compile(r"\s*LUKS header information(?: for (?P<device>\S{1,200}))?\s*$")
_SECTION = re.compile(r"\s*(?P<section>Data segments|Keyslots|Tokens|Digests):\s*$")
_SLOT = re.compile(r"\s*Key Slot (?P<number>[0-7]): (?P<state>ENABLED|DISABLED)\s*$")
_NUMBERED = re.compile(
    r"\s*(?P<number>\d{1,2}): (?P<type>[a-z][\w-]{1,60})(?P<unbound>\s{1,3}\(unbound\))?\s*$"
)
_LABELS = (
    "Version|Epoch|Metadata area|Keyslots area|UUID|Label|Subsystem|Flags|Requirements|Cipher name"
    "|Cipher mode|Hash spec|Payload offset|MK bits|MK digest|MK salt|MK iterations|Iterations|Salt"
    "|Key material offset|AF stripes|offset|length|cipher|sector|integrity|integrity key size"
    "|flags ?|Key|Priority|Cipher|Cipher key|PBKDF|Hash|Time cost|Memory|Threads|AF hash"
    "|Area offset|Area length|Digest ID|Digest|Keyslot|Mode|Direction|Resilience|Hash data"
    "|Shift size|OPAL segment number|OPAL key|OPAL segment length|Key description"
    "|HW OPAL (?:and SW )?encryption|HW OPAL encryption"
)
_PAIR = re.compile(rf"\s*+(?P<label>{_LABELS}):\s*(?P<value>.{{0,200}}?)\s*$")
_TOKEN = re.compile(r"\s*(?P<label>[a-z][a-z0-9]{1,11}-[\w-]{2,40}):\s*(?P<value>.{0,600}?)\s*$")
"""What a token of systemd says: `tpm2-pcrs:`, `fido2-credential:`."""
_BYTES = re.compile(r"\s*[0-9a-f]{1,2}(?:[ :]?[0-9a-f]{2}){0,63}[0-9a-f]?\s*$")
"""The rest of a salt, a digest or a blob."""
_SIZE = re.compile(r"(\d{1,20}) ?\[bytes\]")
_BITS = re.compile(r"(\d{1,6}) bits")
_SECRET = {"MK digest", "MK salt", "Salt", "Digest"}
_NONE = re.compile(r"\((?:no [\w ]{2,12}|unknown|whole device)\)")
_KEPT = (
    "Hash spec", "Metadata area", "Keyslots area", "UUID", "Label", "Subsystem", "Flags",
    "Requirements", "Epoch",
)  # fmt: skip
_LUKS1 = {"Payload offset", "MK bits", "MK iterations", "Key material offset"}
_OF_TYPE = {"crypt": "Data segments", "linear": "Data segments", "luks2": "Keyslots",
            "reencrypt": "Keyslots", "pbkdf2": "Digests"}  # fmt: skip
"""In which section rows of a type stand, where its head is cut off."""
_ALL = 8  # keyslots that a LUKS1 header always lists


class _Pair(NamedTuple):
    """A label with its value, and in which part of the header it stands."""

    section: str
    number: str
    label: str
    value: str


class LuksDump(StateOutput):
    tool = "cryptsetup luksDump"
    anchors = (
        "LUKS header information", "Keyslots area:", "MK iterations", "Area offset:",
        "Key material offset:",
    )  # fmt: skip
    commands = ("cryptsetup",)
    reach = 3

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        if _HEAD.match(line):
            return cursor.at
        return top_of(cursor, _is_own) if _PAIR.match(line) else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        head = _HEAD.match(cursor.line(first))
        pairs, last = list[_Pair](), first
        section, number = "", ""
        for index, line in close_lines(cursor, first, 600, gap=4):
            if index > first and (_HEAD.match(line) or prompt_in(line) or not _is_own(line)):
                break
            last = index
            if part := _SECTION.match(line):
                section, number = part["section"], ""
                pairs.append(_Pair(section, "", "", ""))
            elif row := _SLOT.match(line) or _NUMBERED.match(line):
                is_first = "state" in row.groupdict()
                number = row[1]
                section = "Key Slot" if is_first else section or _OF_TYPE.get(row[2], "Tokens")
                state = row[2] + (" unbound" if row.groupdict().get("unbound") else "")
                pairs.append(_Pair(section, number, "type", state))
            elif pair := _PAIR.match(line) or _TOKEN.match(line):
                pairs.append(_Pair(section, number, pair["label"].strip(), pair["value"]))
        device = head["device"] if head and head["device"] else prompt.path
        return last, list(_subjects(pairs, device.removeprefix("/dev/"), prompt.host, last))


def _is_own(line: str) -> bool:
    forms = (_HEAD, _SECTION, _SLOT, _NUMBERED, _PAIR, _TOKEN, _BYTES)
    return any(form.match(line) for form in forms)


def _subjects(pairs: list[_Pair], device: str, host: str, last: int) -> Iterator[PrintedSubject]:
    """The header, and each keyslot that is in use.

    Raises:
        Unreadable: nothing but its head was sent.
    """
    values = _header(pairs)
    slots: dict[str, dict[str, str]] = {}
    for pair in pairs:
        if pair.section in {"Keyslots", "Key Slot"} and pair.number and pair.label not in _SECRET:
            slots.setdefault(pair.number, {})[pair.label] = pair.value
    used = {number: slot for number, slot in slots.items() if slot.get("type") != "DISABLED"}
    sections = {pair.section for pair in pairs}
    if len(slots) == _ALL or "Tokens" in sections or "Digests" in sections:
        values["keyslots"] = len(used)
    if len(values) < 2 and not used:
        raise Unreadable("its fields are cut off", last)
    yield PrintedSubject("dm_crypt", device, values, host)
    for number, slot in used.items():
        yield PrintedSubject("luks_keyslot", f"{device} {number}".strip(), _keyslot(slot), host)


def _header(pairs: list[_Pair]) -> dict[str, Scalar]:
    """What the header says apart from its keyslots; sizes in bytes."""
    top = {pair.label: pair.value for pair in pairs if not pair.section and pair.label}
    labels = {pair.label for pair in pairs}
    is_first = bool(labels & _LUKS1) or any(pair.section == "Key Slot" for pair in pairs)
    values: dict[str, Scalar] = {"format": "LUKS1" if is_first else "LUKS2"}
    if is_first and "Cipher name" in top and "Cipher mode" in top:
        values["cipher"] = f"{top['Cipher name']}-{top['Cipher mode']}"
    for label, name, unit in (("MK bits", "key_bits", 1), ("MK iterations", "mk_iterations", 1),
                              ("Payload offset", "data_offset", units.SECTOR)):  # fmt: skip
        if top.get(label, "").isdecimal():
            values[name] = int(top[label]) * unit
    values |= _plain({label: top[label] for label in _KEPT if label in top})
    for number in dict.fromkeys(pair.number for pair in pairs if pair.section == "Data segments"):
        segment = _of(pairs, "Data segments", number)
        prefix = "" if number in {"", "0"} else f"segment_{number}_"
        for label, name in (("offset", "data_offset"), ("length", "size"), ("cipher", "cipher"),
                            ("sector", "sector_size"), ("integrity", "integrity"),
                            ("type", "segment"), ("flags", "segment_flags")):  # fmt: skip
            if label in segment:
                values |= _plain({f"{prefix}{name}": segment[label]})
    for number in dict.fromkeys(pair.number for pair in pairs if pair.section == "Tokens"):
        token = _of(pairs, "Tokens", number)
        values |= _plain({f"token {number} {label}": text for label, text in token.items()
                          if number and "blob" not in label and "salt" not in label})  # fmt: skip
    for number in dict.fromkeys(pair.number for pair in pairs if pair.section == "Digests"):
        digest, prefix = _of(pairs, "Digests", number), "" if number in {"", "0"} else f"{number} "
        values |= _plain({f"digest {prefix}{label}": digest[label]
                          for label in ("Hash", "Iterations") if label in digest})  # fmt: skip
    return values


def _of(pairs: list[_Pair], section: str, number: str) -> dict[str, str]:
    return {pair.label: pair.value for pair in pairs
            if (pair.section, pair.number) == (section, number) and pair.label}  # fmt: skip


def _keyslot(slot: Mapping[str, str]) -> dict[str, Scalar]:
    """A keyslot's fields; offsets, lengths and memory in bytes."""
    units_of = {"Key material offset": units.SECTOR, "Memory": units.KIB}
    values: dict[str, Scalar] = {}
    for label, text in slot.items():
        if label in units_of and text.isdecimal():
            values |= {label.lower().replace(" ", "_"): int(text) * units_of[label]}
        elif bits := _BITS.fullmatch(text):
            values |= {f"{label.lower().replace(' ', '_')}_bits": int(bits[1])}
        elif label != "type" or not text.startswith("ENABLED"):
            values |= _plain({label: text})
    return values


def _plain(pairs: Mapping[str, str]) -> dict[str, Scalar]:
    """By names in snake case; sizes as bytes; what says that there is none is left out."""
    sizes = {label: match[1] if (match := _SIZE.match(text)) else text
             for label, text in pairs.items() if not _NONE.fullmatch(text)}  # fmt: skip
    return as_labelled(sizes)
