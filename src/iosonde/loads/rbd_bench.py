"""`rbd bench` and the older `rbd bench-write` of Ceph: one trial per run.

Its rate is that of the whole run. The lines on the way are cumulative too and stand in `details`.

Source: ceph 17, src/tools/rbd/action/Bench.cc, do_bench(): "bench  type write io_size …", a table
SEC OPS OPS/SEC BYTES/SEC, "elapsed: %5d  ops: %8d  ops/sec: %8.2f  bytes/sec: %8.2f", whose bytes
have prefixes of 1024 since 15 ("29 MiB/s"); ceph 10, src/tools/rbd/action/BenchWrite.cc.
"""

from __future__ import annotations

import re
from typing import TypeAlias

from typing_extensions import override

from iosonde import units
from iosonde.records.load import LoadResult
from iosonde.records.printed import OutputReading, PrintedTrial, Unreadable
from iosonde.records.stack import Json, Scalar
from iosonde.text.cursor import REACH, Output, TextCursor, command_before, flow, lines, prompt_in
from iosonde.text.reader import nearest

_HEAD = re.compile(
    r"^\s*bench(?:(?P<old>-write)| +type (?P<type>read|write|readwrite|rw))? +io_size "
    r"(?P<size>\d{1,15}) io_threads (?P<depth>\d{1,6})"
    r" bytes (?P<bytes>\d{1,18}) pattern (?P<pattern>\w{1,20})"
)
_SUM = re.compile(
    r"elapsed: +(?P<seconds>\d{1,9}(?:\.\d{1,6})?) +ops: +(?P<ops>\d{1,15}) +"
    r"ops/sec: +(?P<iops>\d{1,15}(?:\.\d{1,6})?) +"
    r"bytes/sec: +(?P<rate>\d{1,18}(?:\.\d{1,6})?(?: ?[KMGT]iB)?)"
)
_OWN = re.compile(
    r"^\s*(?:SEC +OPS|[\d.\sKMGTiBs/]{1,120}$|\.{2,}|elapsed:|ops|bytes|read_ops:|write_ops:"
    r"|warning)"
)
_ROW = re.compile(
    r"^\s*(?P<seconds>\d{1,9})\s+(?P<ops>\d{1,15})\s+(?P<iops>\d{1,15}\.\d{1,6})\s+"
    r"(?P<rate>\d{1,18}(?:\.\d{1,6})?(?: ?[KMGT]iB/s)?)\s*$"
)
_NAME = re.compile(r"[A-Za-z][\w.-]{0,100}(?:/[\w.-]{1,100}){0,2}")
_OWN_WORDS = frozenset({"sudo", "time", "rbd", "bench", "bench-write"})
_ASKED = re.compile(r"(?<![\w/.-])rbd\s[^|;]{0,200}?\bbench(?P<old>-write)?(?=\s|$)")
_OPTION = re.compile(
    r"(?<=\s)--(io-type|io-size|io-threads|io-pattern|io-total)[= ]\s{0,9}([\w-]{1,24})"
)
_TYPES = {"read": "read", "write": "write", "rw": "rw", "readwrite": "rw"}
_AMOUNT = re.compile(r"(?P<n>\d{1,18})(?P<prefix>[KMGTkmgt]?)(?:i?B)?")
_MOST = 4000


class RbdBench(Output):
    tool = "rbd bench"
    anchors = ("io_threads ", "ops/sec: ")

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        if _HEAD.match(line) or not re.match(r"\s*elapsed: +\d", line):
            return cursor.at if _HEAD.match(line) else None
        head = nearest(cursor, REACH, _HEAD.match)
        return cursor.at if head is None else head

    @override
    def read(self, cursor: TextCursor, first: int) -> OutputReading:
        begin, prompt = command_before(cursor, first, ("rbd",), about="bench")
        head = _HEAD.match(cursor.line(first))
        run = _run(head) if head else _asked(prompt.command)
        if run is None:
            raise Unreadable("whether it read or wrote is cut off")
        last, blanks, at = first, 0, None
        for index, line in lines(cursor, first + 1 if head else first, _MOST):
            blanks = 0 if line else blanks + 1
            if blanks > 1 or (line and (prompt_in(line) or not _OWN.match(line))):
                break
            at = index if at is None and "elapsed:" in line else at
            last = index if line else last
            if at is not None and index >= at + 2:
                break
        done = _SUM.search(flow(cursor, at, at + 2)) if at is not None else None
        if done is None:
            raise Unreadable("its sum at the end is cut off", last)
        way, options = run
        if way not in {"read", "write"}:
            raise Unreadable("its reads and writes are not told apart", last)
        iops, step = units.printed(done["iops"])
        rate, rate_step = units.printed(done["rate"].replace(" ", ""), binary=True)
        trial = PrintedTrial(
            tool=self.tool,
            loops=(LoadResult.of({f"{way}.iops": iops, f"{way}.bandwidth": rate}),),
            command=prompt.command,
            host=prompt.host,
            target=_image(prompt.command),
            elapsed=(float(done["seconds"]),),
            options={name: value for name, value in options.items() if value is not None},
            steps={f"{way}.iops": step, f"{way}.bandwidth": rate_step},
            details={"requests": int(done["ops"]), **_on_the_way(cursor, first, last)},
        )
        return OutputReading(begin, last, trials=(trial,))


_Run: TypeAlias = "tuple[str, dict[str, Scalar]]"  # read, write or what it says else; options


def _run(head: re.Match[str]) -> _Run:
    """What the line above the table says of the run."""
    way = "write" if head["old"] else head["type"] or ""
    random = head["pattern"].startswith("rand")
    return way, {
        "rw": f"rand{way}" if random else way, "bs": int(head["size"]),
        "iodepth": int(head["depth"]), "size": int(head["bytes"]), "pattern": head["pattern"],
    }  # fmt: skip


def _asked(command: str) -> _Run | None:
    """What the command asks for, where only its sum was kept; None where it says no direction.

    An option that it does not name is left out: defaults differ by version and configuration.
    """
    match = _ASKED.search(command)
    if match is None:
        return None
    given = dict(_OPTION.findall(command))
    way = "write" if match["old"] else _TYPES.get(given.get("io-type", ""), "")
    if not way:
        return None
    random = given.get("io-pattern", "").startswith("rand")
    return way, {
        "rw": f"rand{way}" if random else way, "bs": _bytes(given.get("io-size", "")),
        "iodepth": _bytes(given.get("io-threads", "")), "size": _bytes(given.get("io-total", "")),
    }  # fmt: skip


def _bytes(text: str) -> int | None:
    """A number with a prefix of 1024, as rbd takes it: 4096, 4K, 1G."""
    match = _AMOUNT.fullmatch(text)
    return int(match["n"]) << 10 * " KMGT".index(match["prefix"].upper() or " ") if match else None


def _on_the_way(cursor: TextCursor, first: int, last: int) -> dict[str, Json]:
    """The lines of the table, each of the run so far."""
    rows: list[Json] = []
    for _, line in lines(cursor, first, last - first + 1):
        if row := _ROW.match(line):
            rate = units.printed(row["rate"].replace(" ", ""), binary=True)[0]
            rows.append({
                "seconds": int(row["seconds"]), "requests": int(row["ops"]),
                "iops": float(row["iops"]), "bandwidth": rate,
            })  # fmt: skip
    return {"intervals": rows} if rows else {}


def _image(command: str) -> str:
    """The image that a command names."""
    before = ""
    for word in re.split(r"[;|&>]", command)[0].split():
        is_value = before.startswith("-") and "=" not in before
        if not is_value and _NAME.fullmatch(word) and word not in _OWN_WORDS:
            return word
        before = word
    return ""
