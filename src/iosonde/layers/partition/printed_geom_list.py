"""`geom disk list`, `gpart list`, `geli list`, `gmirror list` and their like of FreeBSD.

Source: FreeBSD 14, sbin/geom/core/geom.c (list_one_geom(): "Geom name: %s", the geom's own values,
"Providers:" and "Consumers:" with "%u. Name: %s" and indented values of each); what the classes
add: sys/geom/geom_disk.c (g_disk_dumpconf(): descr, ident, lunid, rotationrate, 0 for what does not
turn), sys/geom/part/g_part.c (g_part_dumpconf(): scheme, state, type, label, index, start, end),
sys/geom/eli/g_eli.c (g_eli_dumpconf(): EncryptionAlgorithm, KeyLength, Crypto, Flags),
sys/geom/mirror/g_mirror.c (g_mirror_dumpconf(): State, Components, Balance).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from typing_extensions import override

from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt
from iosonde.text.reader import HeadedOutput

_HEAD = re.compile(r"\s*Geom name: (?P<name>\S.{0,120}?)\s*$")
_SECTION = re.compile(r"\s*(?P<section>Providers|Consumers):\s*$")
_ITEM = re.compile(r"\s*\d{1,4}\. Name: (?P<name>\S.{0,120}?)\s*$")
_VALUE = re.compile(r"\s*(?P<key>[A-Za-z][\w -]{0,40}):(?: (?P<value>\S.{0,200}?))?\s*$")
_SIZE = re.compile(r"(\d{1,20}) \(")
_PROVIDER = {"Mediasize": "size", "Sectorsize": "logical_block_size", "Stripesize": "stripe_size"}
_DISK = {"descr": "model", "ident": "serial", "lunid": "wwn"}
_PARTITION = {"type": "type", "label": "label", "start": "first_sector", "end": "last_sector",
              "rawuuid": "partition_uuid"}  # fmt: skip
_GEOM = {
    "State": "state", "state": "state", "Components": "components", "Balance": "balance",
    "EncryptionAlgorithm": "cipher", "KeyLength": "key_bits", "Crypto": "crypto", "Flags": "flags",
    "Type": "type", "Status": "status", "scheme": "partition_table",
}  # fmt: skip
_ABSENT = frozenset({"(null)", "(none)", "NONE", "unknown", "N/A", ""})
_MEMBERS = 64

_Values = dict[str, str]


class GeomList(HeadedOutput):
    tool = "geom list"
    anchors = ("Geom name: ",)
    commands = (
        "geom", "gpart", "geli", "gmirror", "glabel", "gstripe", "gconcat", "graid", "gmultipath",
        "gjournal", "gnop", "gvirstor", "gcache", "gmountver", "gshsec", "graid3",
    )  # fmt: skip
    reach = 3
    beginning = _HEAD
    nothing = "no value follows the name of the geom"

    @override
    def goes_on(self, line: str, above: list[str]) -> bool:
        return bool(_SECTION.match(line) or _ITEM.match(line) or _VALUE.match(line))

    @override
    def block(self, text: str, prompt: Prompt) -> Iterable[PrintedSubject]:
        lines = text.split("\n")
        name = _head(lines[0])
        own, providers, consumers = _parts(lines[1:])
        for kind, thing, values in _things(name, own, providers, consumers):
            if values:
                yield PrintedSubject(kind, thing, values, prompt.host)


def _head(line: str) -> str:
    match = _HEAD.match(line)
    return match["name"] if match else ""


def _parts(lines: list[str]) -> tuple[_Values, dict[str, _Values], dict[str, _Values]]:
    """The geom's own values, and those of its providers and consumers by their names."""
    own: _Values = {}
    items: dict[str, dict[str, _Values]] = {"Providers": {}, "Consumers": {}}
    values, section = own, ""
    for line in lines:
        if match := _SECTION.match(line):
            section = match["section"]
        elif section and (match := _ITEM.match(line)):
            values = items[section].setdefault(match["name"], {})
        elif (match := _VALUE.match(line)) and (match["value"] or "") not in _ABSENT:
            values.setdefault(match["key"], match["value"])
    return own, items["Providers"], items["Consumers"]


def _things(
    name: str, own: _Values, providers: dict[str, _Values], consumers: dict[str, _Values]
) -> Iterator[tuple[str, str, dict[str, Scalar]]]:
    """Kind, name and values of what a geom is about."""
    if "scheme" in own:
        table = _renamed(own, _GEOM)
        table.pop("state", None)
        table["partition_table"] = own["scheme"].lower()
        if own.get("state", "OK") != "OK":
            table["partition_table_state"] = own["state"].lower()
        disk = consumers.get(name, {})
        yield "disk", name, _provider(disk) | table
        for part, values in providers.items():
            yield "partition", part, _provider(values) | _renamed(values, _PARTITION)
    elif not consumers and name in providers:
        values = providers[name]
        yield "disk", name, _provider(values) | _renamed(values, _DISK) | _turning(values)
    else:
        geom = _renamed(own, _GEOM)
        members = list(consumers)[:_MEMBERS]
        if members:
            geom["members"] = ", ".join(members)
        for member in members:
            if state := consumers[member].get("State"):
                geom[f"{member}_state"] = state
        for values in providers.values():
            geom |= _provider(values)
            break
        yield "geom", next(iter(providers), name), geom


def _renamed(values: _Values, names: dict[str, str]) -> dict[str, Scalar]:
    return {
        ours: int(values[theirs]) if values[theirs].isdecimal() and ours != "serial"
        else values[theirs]
        for theirs, ours in names.items() if theirs in values
    }  # fmt: skip


def _provider(values: _Values) -> dict[str, Scalar]:
    """Sizes of a provider; a stripe of a disk is its physical sector."""
    said: dict[str, Scalar] = {}
    if size := _SIZE.match(values.get("Mediasize", "")):
        said["size"] = int(size[1])
    for theirs in ("Sectorsize", "Stripesize"):
        if (text := values.get(theirs, "")).isdecimal():
            said[_PROVIDER[theirs]] = int(text)
    return said


def _turning(values: _Values) -> dict[str, Scalar]:
    rate = values.get("rotationrate", "")
    if not rate.isdecimal():
        return {}
    return {"rotational": rate != "0"} | ({"rotation_rate": int(rate)} if rate != "0" else {})
