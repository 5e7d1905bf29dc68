"""DRBD: /proc/drbd of 8.x, and what drbdadm and drbdsetup 9 print as status, also with statistics.

A subject is a volume with one of its peers: `drbd0` where the minor is told, else its resource,
with `/1` for a second volume. Counters have the tool's names, amounts in bytes.

Source: DRBD 8.4, drbd_proc.c, drbd_seq_show() (ns, nr, dw, dr, oos in KiB); drbd-utils 9.22,
user/v9/drbdsetup.c, resource_status(), device_status(), peer_device_status() (KiB, two blanks of
indent a level; `connection` is left out while it is Connected).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import ClassVar

from iosonde import units
from iosonde.passage import Passage, command_before, lines
from iosonde.printed import PrintedCounters, PrintedState, Reading, Subject, Unreadable
from iosonde.records import Json, Scalar

_DISK = (
    "Diskless|Attaching|Detaching|Failed|Negotiating|Inconsistent|Outdated|DUnknown|Consistent|"
    "UpToDate"
)
_MINOR = re.compile(r"^\s*(?P<minor>\d{1,7}): ?cs:")
_BLOCK = re.compile(
    rf"\d+:cs:(?P<cs>\w+?)(?:ro|st):(?P<role>\w+)/(?P<peer>\w+?)ds:(?P<disk>{_DISK})/"
    rf"(?P<far>{_DISK})(?P<protocol>[ABC])?"
)
_COUNT = re.compile(r"(ns|nr|dw|dr|al|bm|lo|pe|ua|ap|ep|oos):(\d+)")
_SYNCED = re.compile(r"sync'ed:([\d.]+)%")
_SPEED = re.compile(r"speed:([\d,]+)\([\d,]+\)(?:want:[\d,]+)?K/sec")
_KIBS = frozenset({"ns", "nr", "dw", "dr", "oos", "size", "read", "written", "received", "sent",
                   "out-of-sync"})  # fmt: skip
_RESOURCE = re.compile(r"^\s*[\w.-]+ (?:node-id:\d+ )?role:\w+")
_PEER = re.compile(r"^\s*(?P<name>[A-Za-z][\w.-]*)(?= (?:node-id|role|connection|local):?)")
_PAIR = re.compile(r"([a-z][a-z-]*):(\S+)")
_VOLUME = re.compile(r"^\s*(?:volume:(?P<volume>\d+)|(?:peer-)?disk:|replication:)")
_PART = re.compile(
    r"cs:|ns:|version:|GIT-hash|srcversion|role:|disk:|peer|volume:|replication:|sync'ed|oos:|"
    r"connection:|size:|\[[=>.]+|[=>.]{3,}\]|finish:|suspended|written:|congested|received:|pending|"
    r"blocked|write-ordering|unacked|speed:|^\s*[\w:.,/-]{1,24}$|K/sec"
)
_WORDS = {"disk": "disk_state", "peer-disk": "peer_disk_state", "replication": "replication",
          "connection": "connection", "suspended": "suspended"}  # fmt: skip


class Drbd:
    """See `iosonde.passage.Output`."""

    tool: ClassVar[str] = "drbd"
    anchors: ClassVar[tuple[str, ...]] = (
        ": cs:", "role:Primary", "role:Secondary", "peer-disk:", "(api:",
    )  # fmt: skip

    def begin(self, passage: Passage) -> int | None:
        """See `Output.begin`. The first resource of the output, or the version."""
        first = None
        for index in range(passage.at, max(passage.at - 60, -1), -1):
            line = passage.line(index)
            if line is None or (line and not _PART.search(line)):
                break
            if _MINOR.match(line) or _RESOURCE.match(line):
                first = index
            elif re.match(r"\s*version: \d", line):
                return index
        return first

    def read(self, passage: Passage, first: int) -> Reading:
        """See `Output.read`."""
        held, last = [], first
        for index, line in lines(passage, first, 600):
            if index - last > 3 or (line and not _PART.search(line)):
                break
            if line:
                held.append(line)
                last = index
        asked = command_before(
            passage, first, ("drbdadm", "drbdsetup", "cat", "watch", "drbd-overview")
        )
        command, host = (asked[1].command, asked[1].host) if asked else ("", "")
        old = any(_MINOR.match(line) for line in held)
        told = list(_old(held) if old else _new(held))
        if not told:
            raise Unreadable("no resource follows")
        subjects = tuple(Subject("drbd", name, values, host) for name, values, _ in told)
        counters = tuple(
            PrintedCounters(self.tool, "drbd", name, counts, host, command)
            for name, _, counts in told
            if counts
        )
        state = PrintedState(self.tool, subjects, host, command)
        return Reading(asked[0] if asked else first, last, states=(state,), counters=counters)


_Told = tuple[str, dict[str, Scalar], dict[str, Json]]


def _old(held: list[str]) -> Iterator[_Told]:
    """/proc/drbd: a block for each minor; its blanks do not matter."""
    starts = [place for place, line in enumerate(held) if _MINOR.match(line)]
    for start, end in zip(starts, [*starts[1:], len(held)], strict=True):
        text = "".join("".join(held[start:end]).split())
        found = _BLOCK.match(text)
        if not found:
            continue
        counts = {key: _amount(key, int(value)) for key, value in _COUNT.findall(text)}
        share, speed = _SYNCED.search(text), _SPEED.search(text)
        values: dict[str, Scalar] = {
            "connection": found["cs"], "role": found["role"], "peer_role": found["peer"],
            "disk_state": found["disk"], "peer_disk_state": found["far"],
            "protocol": found["protocol"], "out_of_sync": counts.get("oos"),
            "sync_share": float(share[1]) / 100 if share else None,
            "sync_speed": int(speed[1].replace(",", "")) * units.KIB if speed else None,
        }  # fmt: skip
        name = f"drbd{text.partition(':')[0]}"
        yield name, _known(values), dict(counts)


def _amount(key: str, figure: int) -> int:
    return figure * units.KIB if key in _KIBS else figure


@dataclass(slots=True)
class _Item:
    """A resource, a peer or a volume of either, with its pairs of name and value."""

    name: str
    pairs: dict[str, str] = field(default_factory=dict)
    volumes: dict[str, dict[str, str]] = field(default_factory=dict)
    peers: list[_Item] = field(default_factory=list)


def _new(held: list[str]) -> Iterator[_Told]:
    """The status of 9: a resource, its volumes, and each peer with the same volumes."""
    whole = list(_whole(held))
    base = min(len(line) - len(line.lstrip()) for line in whole)
    resources: list[_Item] = []
    now: _Item | None = None
    pairs: dict[str, str] = {}
    for line in whole:
        outer = len(line) - len(line.lstrip()) == base
        peer, volume = _PEER.match(line), _VOLUME.match(line)
        if outer and peer:
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
        if after[:1].isspace() or _RESOURCE.match(after):
            yield line
            line = after
        else:
            line += after if len(before) == width else f" {after}"
    yield line


def _volumes(resource: _Item) -> Iterator[_Told]:
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
            yield name, values, {**({} if place else _counts(own)), **_counts(far)}


def _values(
    resource: _Item, volume: str, own: dict[str, str], peer: _Item | None, far: dict[str, str]
) -> dict[str, Scalar]:
    values: dict[str, Scalar] = {"resource": resource.name, "volume": int(volume)}
    values["role"] = resource.pairs.get("role")
    for pairs in (resource.pairs, own):
        values.update({_WORDS[key]: text for key, text in pairs.items() if key in _WORDS})
    if peer:
        values["peer"] = peer.name
        values["peer_role"] = peer.pairs.get("role")
        values["connection"] = peer.pairs.get("connection", "Connected")
        values.update({_WORDS[key]: text for key, text in far.items() if key in _WORDS})
        if far.get("out-of-sync", "").isdecimal():
            values["out_of_sync"] = int(far["out-of-sync"]) * units.KIB
        if re.fullmatch(r"\d+(?:\.\d+)?", far.get("done", "")):
            values["sync_share"] = float(far["done"]) / 100
    return _known(values)


def _counts(pairs: dict[str, str]) -> dict[str, Json]:
    return {key: _amount(key, int(text)) for key, text in pairs.items()
            if text.isdecimal() and key not in {"minor", "volume"}}  # fmt: skip


def _known(values: dict[str, Scalar]) -> dict[str, Scalar]:
    return {name: value for name, value in values.items() if value is not None}
