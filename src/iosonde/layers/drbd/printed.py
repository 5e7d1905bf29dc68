"""DRBD: /proc/drbd of 8.x, and what drbdadm and drbdsetup 9 print as status, also with statistics.

A subject is a volume with one of its peers: `drbd0` where the minor is told, else its resource,
with `/1` for a second volume. Counters have the tool's names, amounts in bytes.

Source: drbd-utils 9.22, user/v9/drbdsetup.c, resource_status(), device_status(),
peer_device_status() (KiB, two blanks of indent a level; `connection` is left out while it is
Connected); of /proc/drbd facts.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from typing_extensions import override

from iosonde import units
from iosonde.layers.drbd.facts import amount, parse_volumes
from iosonde.records.printed import PrintedCounters, PrintedSubject, without_none
from iosonde.records.stack import Json, Scalar
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import Items, StateOutput, end_of

_MINOR = re.compile(r"^\s*(?P<minor>\d{1,7}): ?cs:")
_RESOURCE = re.compile(r"^\s*[\w.-]+ (?:node-id:\d+ )?role:\w+")
_UNCONNECTED = re.compile(r"[A-Za-z][\w.-]* connection:\w+$")
_PEER = re.compile(r"^\s*(?P<name>[A-Za-z][\w.-]*)(?= (?:node-id|role|connection|local):?)")
_PAIR = re.compile(r"([a-z][a-z-]{0,63}):(\S+)")
_VOLUME = re.compile(r"^\s*(?:volume:(?P<volume>\d+)|(?:peer-)?disk:|replication:)")
_FAR = re.compile(r"(?<!\S)(?:connection|replication|peer-disk):")
"""What is said of a peer, and of no resource."""
_PART = re.compile(
    r"cs:|ns:|version:|GIT-hash|srcversion|role:|disk:|peer|volume:|replication:|sync'ed|oos:|"
    r"connection:|size:|\[[=>.]+|[=>.]{3,}\]|finish:|suspended|written:|congested|received:|pending|"
    r"blocked|write-ordering|unacked|speed:|Transports \(|^\s*(?!-{2,24}$)[\w:.,/-]{1,24}$|K/sec"
)
_VERSION = re.compile(
    r"\s*version: (?P<version>\d[\w.-]{0,20}) \(api:(?P<api>\d{1,3})/proto:(?P<protocols>\d{1,3}"
    r"(?:-\d{1,3})?)\)\s*$"
)
_BUILT = re.compile(
    r"\s*GIT-hash: (?P<hash>[0-9a-f]{7,40})\b(?: (?:debian/\S{1,80} )?"
    r"build by (?P<by>[^\s,]{1,80}),? (?P<when>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d))?"
)
_SOURCE = re.compile(r"\s*srcversion: (?P<version>[0-9A-F]{8,40})\s*$")
_TRANSPORTS = re.compile(r"\s*Transports \(api:\d{1,3}\): ?(?P<transports>.{0,120})")
_ABOUT = re.compile(r"\s*(?:GIT-hash|srcversion|Transports \(|SVN Revision)")
_NOT_OTHERS = frozenset({"role", "minor", "volume", "out-of-sync", "done", "peer-client"})
"""What has a name of its own, or names what the rest is about."""
_FACT_NAMES = {"disk": "disk_state", "peer-disk": "peer_disk_state", "replication": "replication",
          "connection": "connection", "suspended": "suspended"}  # fmt: skip


class DrbdOutput(StateOutput):
    tool = "drbd"
    anchors = (
        ": cs:", "role:Primary", "role:Secondary", "peer-disk:", "(api:",
    )  # fmt: skip

    commands = (
        "drbdadm", "drbdsetup", "cat", "watch", "drbd-overview",
    )  # fmt: skip
    nothing = "no resource follows"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        """The first resource of the output, or the version."""
        first = None
        for index in range(cursor.at, max(cursor.at - 60, -1), -1):
            line = cursor.line(index)
            if line and not _PART.search(line):
                break
            if _MINOR.match(line) or _RESOURCE.match(line):
                first = index
            elif re.match(r"\s*version: \d", line):
                return index
        return first

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        last = end_of(cursor, first, _PART.search, gap=3, most=600)
        held = [line for line in cursor.block(first, last - first + 1) if line]
        old = any(_MINOR.match(line) for line in held)
        items: list[PrintedSubject | PrintedCounters] = []
        module: PrintedSubject | None = None
        if version := _VERSION.match(held[0]):
            module = PrintedSubject("drbd", "", _module(version, held), prompt.host)
            if all(map(_ABOUT.match, held[1:])):
                return last, [module]
        for name, values, counts in _old(held) if old else _new(held):
            items.append(PrintedSubject("drbd", name, values, prompt.host))
            if counts:
                items.append(self.counted("drbd", name, counts, prompt))
        return last, [*items, module] if module else items


_Row = tuple[str, dict[str, Scalar], dict[str, Json]]
"""Name, states and counters of a subject."""


def _module(version: re.Match[str], held: list[str]) -> dict[str, Scalar]:
    """What /proc/drbd says of the module: since 9 it lists no resources."""
    values: dict[str, Scalar] = {
        "version": version["version"], "api": int(version["api"]),
        "protocols": version["protocols"],
    }  # fmt: skip
    for line in held[1:4]:
        if match := _BUILT.match(line):
            values["git_hash"] = match["hash"]
            if match["when"]:
                values |= {"built_by": match["by"], "built": match["when"]}
        elif match := _SOURCE.match(line):
            values["source_version"] = match["version"]
        elif match := _TRANSPORTS.match(line):
            values["transports"] = match["transports"].strip()
    return values


def _old(held: list[str]) -> Iterator[_Row]:
    """/proc/drbd: a block for each minor."""
    for volume in parse_volumes("\n".join(held)):
        synced = {"sync_share": volume.synced, "sync_speed": volume.speed}
        yield (
            f"drbd{volume.minor}",
            without_none({**volume.states, **synced}),
            dict(volume.counters),
        )


@dataclass(slots=True)
class _Item:
    """A resource, a peer or a volume of either, with its pairs of name and value."""

    name: str
    pairs: dict[str, str] = field(default_factory=dict)
    volumes: dict[str, dict[str, str]] = field(default_factory=dict)
    peers: list[_Item] = field(default_factory=list)


def _new(held: list[str]) -> Iterator[_Row]:
    """The status of 9: a resource, its volumes, and each peer with the same volumes."""
    whole = list(_whole(held))
    base = min(len(line) - len(line.lstrip()) for line in whole)
    resources: list[_Item] = []
    now: _Item | None = None
    pairs: dict[str, str] = {}
    flat = all(line[:1] != " " for line in whole)  # a page took the blanks off
    for line in whole:
        outer = len(line) - len(line.lstrip()) == base
        peer, volume = _PEER.match(line), _VOLUME.match(line)
        if outer and peer and not (flat and now and _FAR.search(line)):
            now = _Item(peer["name"])
            resources.append(now)
            pairs = now.pairs
        elif now is None:
            continue
        elif peer:
            now = _Item(peer["name"])
            resources[-1].peers.append(now)
            pairs = now.pairs
        elif volume:
            pairs = now.volumes.setdefault(volume["volume"] or "0", {})
        pairs.update(_PAIR.findall(line))
    for resource in resources:
        yield from _volumes(resource)


def _whole(held: list[str]) -> Iterator[str]:
    """The lines, those that a wrap broke made whole: what goes on has no blanks before it."""
    width = max(map(len, held))
    line = held[0]
    for before, after in pairwise(held):
        if after[:1].isspace() or _RESOURCE.match(after) or _UNCONNECTED.match(after):
            yield line
            line = after
        else:
            line += after if len(before) == width else f" {after}"
    yield line


def _volumes(resource: _Item) -> Iterator[_Row]:
    for volume, own in (resource.volumes or {"0": {}}).items():
        minor = own.get("minor", "")
        name = f"drbd{minor}" if minor.isdecimal() else resource.name
        if not minor and volume != "0":
            name = f"{resource.name}/{volume}"
        if not resource.peers:
            yield name, _values(resource, volume, own, None, {}), _counts(own)
        for place, peer in enumerate(resource.peers):
            far = peer.volumes.get(volume, {})
            values = _values(resource, volume, own, peer, far)
            counts = {**({} if place else _counts(own)), **_counts(far)}
            yield name, values, {"peer": peer.name, **counts} if counts else counts


def _values(
    resource: _Item, volume: str, own: dict[str, str], peer: _Item | None, far: dict[str, str]
) -> dict[str, Scalar]:
    values: dict[str, Scalar] = {"resource": resource.name, "volume": int(volume)}
    values["role"] = resource.pairs.get("role")
    for pairs in (resource.pairs, own):
        values.update({_FACT_NAMES[key]: text for key, text in pairs.items() if key in _FACT_NAMES})
        values.update(_others(pairs, ""))
    if peer:
        values["peer"] = peer.name
        values["peer_role"] = peer.pairs.get("role")
        values["connection"] = peer.pairs.get("connection", "Connected")
        far = {**peer.pairs, **far}  # without blanks a volume is not told from its peer
        if "disk" in far:
            far.setdefault("peer-disk", far.pop("disk"))  # as the first of 9.0 call it
        values.update({_FACT_NAMES[key]: text for key, text in far.items() if key in _FACT_NAMES})
        values.update(_others(far, "peer_"))
        if far.get("out-of-sync", "").isdecimal():
            values["out_of_sync"] = int(far["out-of-sync"]) * units.KIB
        if far.get("peer-client") == "yes":
            values["peer_client"] = True
        if re.fullmatch(r"\d+(?:\.\d+)?", far.get("done", "")):
            values["sync_share"] = float(far["done"]) / 100
    return without_none(values)


def _others(pairs: dict[str, str], before: str) -> dict[str, Scalar]:
    """What has no name of ours, by the tool's; of a peer with `peer_` before it."""
    return {
        key.replace("-", "_")
        if key.startswith("peer")
        else f"{before}{key.replace('-', '_')}": text
        for key, text in pairs.items()
        if key not in _FACT_NAMES and key not in _NOT_OTHERS and not text.isdecimal()
    }


def _counts(pairs: dict[str, str]) -> dict[str, Json]:
    return {key: amount(key, int(text)) for key, text in pairs.items()
            if text.isdecimal() and key not in {"minor", "volume"}}  # fmt: skip
