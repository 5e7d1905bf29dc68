"""FreeBSD's `diskinfo`: what a disk is (-v), how long seeks take, how fast it reads (-t, -i, -S).

Its kbytes are KiB: it reads blocks of 1 MiB and counts 1024 for each.

Source: FreeBSD 14, usr.sbin/diskinfo/diskinfo.c: main() for the facts with their names behind a
number sign, TN() and TR() for seeks and transfer rates, TI() for the requests of -i, slogbench()
for the writes of -S ("usec/IO").
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import ClassVar

from typing_extensions import override

from iosonde import units
from iosonde.records.load import LoadResult
from iosonde.records.printed import (
    OutputReading,
    PrintedCounters,
    PrintedState,
    PrintedSubject,
    PrintedTrial,
    Unreadable,
)
from iosonde.records.stack import Json, Scalar
from iosonde.text.cursor import Output, Prompt, TextCursor, command_before, lines
from iosonde.text.reader import first_match

_DEVICE = re.compile(r"\s*(?:/dev/)?(?P<device>[a-z]{2,8}\d{1,4}(?:[ps]\d{1,3}[a-z]?)?)\s*$")
_FACT = re.compile(
    r"\s*(?P<value>\S.{0,60}?)\s{1,40}# (?P<name>sectorsize|mediasize in bytes|mediasize in sectors"
    r"|stripesize|stripeoffset|(?:Cylinders|Heads|Sectors) according to firmware"
    r"|Disk descr|Disk ident|Attachment|Physical path|TRIM/UNMAP support|Rotation rate in RPM"
    r"|Zone Mode)\b"
)
_TITLE = re.compile(
    r"\s*(?P<title>I/O command overhead|Seek times|Transfer rates|Asynchronous random reads"
    r"|Synchronous random writes):\s*$"
)
_SEEK = re.compile(
    r"\s*(?P<what>[A-Z][a-z]{2,8} (?:stroke|forward|backward|outer|inner)):\s{1,9}"
    r"(?P<count>\d{1,6}) iter in\s{1,9}(?P<in>[\d.]{1,16}) sec ="
    r"\s{1,9}(?P<msec>\d{1,9}\.\d{3}) msec\s*$"
)
_RATE = re.compile(
    r"\s*(?P<zone>outside|middle|inside):\s{1,12}(?P<done>\d{1,9}) kbytes in\s{1,9}"
    r"(?P<seconds>[\d.]{1,16}) sec =\s{1,9}(?P<kib>\d{1,12}) kbytes/sec\s*$"
)
_REQUESTS = re.compile(
    r"\s*(?P<size>sectorsize|\d{1,5} kbytes):\s{1,12}(?P<ops>\d{1,12}) ops in\s{1,9}"
    r"(?P<seconds>[\d.]{1,12}) sec =\s{1,9}(?P<iops>\d{1,12}) IOPS\s*$"
)
_WRITES = re.compile(
    r"\s*(?P<size>\d{1,6}(?:\.\d)?) kbytes:\s{1,9}(?P<usec>\d{1,12}\.\d) usec/IO ="
)
_OVERHEAD = re.compile(r"\s*(?:time to read |calculated command overhead)")
_NAMES = {
    "mediasize in bytes": "size", "sectorsize": "logical_block_size", "stripesize": "stripe_size",
    "stripeoffset": "stripe_offset", "Disk descr": "model", "Disk ident": "serial",
    "Rotation rate in RPM": "rotation_rate", "TRIM/UNMAP support": "discard",
    "mediasize in sectors": "sectors", "Cylinders according to firmware": "cylinders",
    "Heads according to firmware": "heads", "Sectors according to firmware": "track_sectors",
    "Zone Mode": "zoned", "Attachment": "attachment", "Physical path": "physical_path",
}  # fmt: skip
_MOST = 120
_GAP = 4


class Diskinfo(Output):
    tool = "diskinfo"
    anchors = (
        "# sectorsize", "Full stroke:", "kbytes/sec", " usec/IO =", "Asynchronous random reads:",
    )  # fmt: skip
    commands: ClassVar[tuple[str, ...]] = ("diskinfo",)

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        at = cursor.at
        line = cursor.line(at)
        if _TITLE.match(line):
            return at if any(_REQUESTS.match(below) for below in cursor.block(at + 1, 3)) else None
        if not any(pattern.match(line) for pattern in (_FACT, _SEEK, _RATE, _WRITES)):
            return None
        for index in range(at - 1, max(at - 6, -1), -1):
            above = cursor.line(index)
            if _TITLE.match(above) or _DEVICE.match(above):
                return index
            if above:
                break
        return at

    @override
    def read(self, cursor: TextCursor, first: int) -> OutputReading:
        begin, prompt = command_before(cursor, first, self.commands, reach=6)
        matches = _matches(cursor, first)
        if not matches:
            raise Unreadable("no fact and no figure follows", first)
        device = next((match["device"] for _, match in matches if match.re is _DEVICE), "")
        device = device or prompt.command.rpartition(" ")[2].removeprefix("/dev/")
        facts = _facts(match for _, match in matches if match.re is _FACT)
        seeks = _seeks(match for _, match in matches if match.re is _SEEK)
        sector = facts.get("logical_block_size", units.SECTOR)
        trials = [
            trial
            for _, match in matches
            if (trial := _trial(match, device, sector if isinstance(sector, int) else 0, prompt))
        ]
        subject = PrintedSubject("disk", device, facts, prompt.host)
        state = PrintedState(self.tool, (subject,), prompt.host, prompt.command)
        counted = PrintedCounters(
            self.tool, "seek times", device, seeks, prompt.host, prompt.command
        )
        return OutputReading(
            begin,
            matches[-1][0],
            trials=tuple(trials),
            states=(state,) if facts else (),
            counters=(counted,) if seeks else (),
        )


def _matches(cursor: TextCursor, first: int) -> list[tuple[int, re.Match[str]]]:
    """Index and match of each line that says something, of one disk."""
    matches: list[tuple[int, re.Match[str]]] = []
    last, rates = first, False
    for index, line in lines(cursor, first, _MOST):
        if not line or _OVERHEAD.match(line) or _TITLE.match(line):
            continue
        match = _match(line)
        if match is None or index > last + _GAP or _begins_another(match, matches, rates=rates):
            break
        rates = rates or match.re is _RATE
        last = index
        matches.append((index, match))
    while matches and matches[-1][1].re is _DEVICE:
        matches.pop()
    return matches


def _begins_another(
    match: re.Match[str], before: list[tuple[int, re.Match[str]]], *, rates: bool
) -> bool:
    """Whether a line is the first of another disk."""
    return (match.re is _DEVICE and bool(before)) or (rates and match.re is _FACT)


def _match(line: str) -> re.Match[str] | None:
    patterns = (_FACT, _SEEK, _RATE, _REQUESTS, _WRITES, _DEVICE)
    return first_match(patterns, line)


def _facts(matches: Iterator[re.Match[str]]) -> dict[str, Scalar]:
    """What the disk is: numbers as such, sizes in bytes."""
    facts: dict[str, Scalar] = {}
    for match in matches:
        name, value = _NAMES.get(match["name"]), match["value"]
        if name == "discard":
            facts[name] = value == "Yes"
        elif name:
            facts[name] = int(value) if value.isdecimal() and name != "serial" else value
    return facts


def _seeks(matches: Iterator[re.Match[str]]) -> dict[str, Json]:
    """Seconds of each kind of seek, and how many were done in how many seconds."""
    seeks: dict[str, Json] = {}
    for match in matches:
        name = match["what"].lower().replace(" ", "_")
        seeks |= {
            name: float(match["msec"]) / 1000, f"{name}.count": int(match["count"]),
            f"{name}.seconds": float(match["in"]),
        }  # fmt: skip
    return seeks


def _trial(match: re.Match[str], device: str, sector: int, prompt: Prompt) -> PrintedTrial | None:
    """A transfer rate, the requests of -i, or the writes of -S; None of any other line."""
    options: dict[str, Scalar]
    if match.re is _RATE:
        metrics = {"read.bandwidth": float(match["kib"]) * units.KIB}
        step, label = 0.5 * units.KIB, match["zone"]
        options = {"rw": "read", "bs": units.MIB, "iodepth": 1}
    elif match.re is _REQUESTS:
        metrics, step, label = {"read.iops": float(match["iops"])}, 0.5, match["size"]
        size = match["size"].removesuffix(" kbytes")
        options = {"rw": "randread", "bs": int(size) * units.KIB if size.isdecimal() else sector}
    elif match.re is _WRITES:
        metrics, step = {"write.latency.mean": float(match["usec"]) * 1e-6}, 0.05e-6
        size, label = match["size"], f"{match['size']} kbytes"
        options = {"rw": "randwrite", "bs": int(float(size) * units.KIB), "iodepth": 1}
    else:
        return None
    counted: dict[str, Json] = {}
    if match.re is _RATE:
        counted["bytes"] = int(match["done"]) * units.KIB
    elif match.re is _REQUESTS:
        counted["requests"] = int(match["ops"])
    return PrintedTrial(
        tool=Diskinfo.tool,
        loops=(LoadResult.of(metrics),),
        command=prompt.command,
        host=prompt.host,
        target=device,
        label=label,
        elapsed=(float(match["seconds"]),) if "seconds" in match.groupdict() else None,
        options=options,
        steps=dict.fromkeys(metrics, step),
        details=counted,
    )
