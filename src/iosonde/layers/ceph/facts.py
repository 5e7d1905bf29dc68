"""How Ceph prints sizes and counts, what its health says in figures, and its tables.

Source:
    ceph include/types.h: up to 12 (si_t, pretty_si_t, prettybyte_t, kb_t) all prefixes shift by ten
    bits and have no "i"; since 13 byte_u_t prints KiB, and si_u_t counts with prefixes of 1000.
    Texts of health checks: mon/PGMap.cc, mon/OSDMap.cc, mds/MDSMap.cc (get_health_checks()),
    messages/MMDSBeacon.h (mds_metric_summary()), mon/HealthMonitor.cc ("1/3 mons down, quorum "),
    pybind/mgr/crash/module.py (it counts crashes); up to 10 mon/PGMonitor.cc (" pgs are stuck
    inactive for more than ") and mon/OSDMonitor.cc ("1/5 in osds are down"); Ceph 14 says "Long
    heartbeat ping times on back interface seen, longest is 1118.001 msec".
    common/TextTable.cc: cells are parted by blanks, and hold some ("12 TiB", "RAW USE").
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from iosonde import kerneltext, units
from iosonde.records.stack import Json, Scalar
from iosonde.text.cursor import TextCursor, lines

_NUMBER = r"\d{1,18}(?:\.\d{1,6})?"
SIZE = rf"{_NUMBER} ?(?:[kKMGTPE]i?B?|B|bytes)"
COUNT = rf"{_NUMBER}[kMGTPE]?"
SECRET = re.compile(r"key$|passw|secret|token|credential")
"""What names of options hold whose values no record says."""
_UNIT = re.compile(r"(?:[kKMGTPE]i?)?B|bytes")
_BARE = re.compile(_NUMBER)
_CHECKS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, re.compile(rf"(?<![\w.])(\d{{1,9}}) {phrase}"))
    for name, phrase in (
        ("osds_near_full", r"near ?full osd"),
        ("osds_backfill_full", r"backfillfull osd"),
        ("osds_full", r"full osd"),
        ("osds_down", r"osds? down\b"),
        ("scrub_errors", r"(?:OSD )?scrub errors"),
        ("slow_requests", r"slow ops\b"),
        ("slow_requests", r"(?:slow )?requests are blocked"),
        ("pgs_inconsistent", r"pgs? inconsistent"),
        ("pgs_degraded", r"pgs? (?:stuck )?degraded"),
        ("pgs_undersized", r"pgs? (?:stuck )?undersized"),
        ("pgs_inactive", r"pgs? (?:(?:are )?stuck )?inactive"),
        ("down_pgs", r"pgs? down\b"),
        ("incomplete_pgs", r"pgs? incomplete\b"),
        ("peering_pgs", r"pgs? peering\b"),
        ("stale_pgs", r"pgs? (?:stuck )?stale\b"),
        ("pools_full", r"pool\(s\) full"),
        ("pools_near_full", r"pool\(s\) nearfull"),
        ("filesystems_degraded", r"filesystems? (?:is|are) degraded"),
        ("filesystems_offline", r"filesystems? (?:is|are) offline"),
        ("mds_damaged", r"mds daemons? damaged"),
        ("mds_with_damaged_metadata", r"MDSs report damaged metadata"),
        ("mds_read_only", r"MDSs are read only"),
        ("mds_with_slow_requests", r"MDSs? report slow requests"),
        ("mds_with_slow_metadata_io", r"MDSs? report slow metadata IOs"),
        ("mds_with_oversized_cache", r"MDSs? report oversized cache"),
        ("recent_crashes", r"daemons have recently crashed"),
        ("recent_module_crashes", r"mgr modules have recently crashed"),
        ("pools_with_many_objects", r"pools have many more objects per pg than average"),
        ("large_omap_objects", r"large omap objects"),
    )
)
_MONITORS = re.compile(
    r"(?<![\w.])(?P<monitors_down>\d{1,4})(?:/(?P<monitors>\d{1,4}))? mons? down\b"
    r"(?:, quorum (?:\d{1,3}(?:,\d{1,3}){0,30} )?(?P<quorum>[\w.-]{1,60}(?:,[\w.-]{1,60}){0,30}))?"
)
_IN_OSDS = re.compile(r"(?<![\w./])(\d{1,7})/(\d{1,7}) in osds are down")
_MANY_OBJECTS = re.compile(r"(?<!\w)pool \S{1,128} has many more objects per pg than average")
_OLDEST = re.compile(
    r"oldest one blocked for (\d{1,12}) sec(?:, (?:daemons )?((?:osd|mon|mds)\.[\w.-]{1,60}(?= has)"
    r"|\[[\w.,-]{3,900}\]) ha(?:s|ve) slow ops)?"
)
_PING = re.compile(
    r"(?:OSD heartbeats on (?P<on>back|front) \(longest |"
    r"heartbeat ping times on (?P<seen>back|front) interface seen, longest is )"
    r"(?P<ms>\d{1,12}(?:\.\d{1,6})?) ?ms(?:ec)?\b"
)
_SKEWED = re.compile(r"clock skew detected on (mon\.[\w.-]{1,60}(?:, ?mon\.[\w.-]{1,60}){0,30})")
_FLAGS = re.compile(r"([a-z][a-z,-]{3,200}) flag\(s\) set")


_STATE = re.compile(
    r"(?:^|\s)(?P<count>\d{1,9})\s+(?P<state>(?:active|creating|peering|down|incomplete|stale|"
    r"unknown|undersized|remapped|activating|peered|clean|degraded|inactive|premerge|laggy|wait)"
    r"(?:\+[a-z_]{3,30}){0,12})(?=[\s;,]|$)(?! pgs)"
)
_RATES: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, re.compile(pattern))
    for name, pattern in (
        ("read.bandwidth", rf"({SIZE})/s rd"),
        ("write.bandwidth", rf"({SIZE})/s wr"),
        ("read.iops", rf"({COUNT}) ?op/s rd"),
        ("write.iops", rf"({COUNT}) ?op/s wr"),
        ("iops", rf"({COUNT}) ?op/s(?! rd| wr)"),
    )
)


def groups_by_state(text: str) -> dict[str, Scalar]:
    """How many placement groups are in each state: `pgs_STATE`."""
    return {f"pgs_{match['state']}": int(match["count"]) for match in _STATE.finditer(text)}


def not_whole(what: str, objects: str, of: str) -> dict[str, int | float]:
    """How many objects are degraded, misplaced or unfound, and which share of all."""
    share = {f"{what}_share": int(objects) / int(of)} if int(of) else {}
    return {f"objects_{what}": int(objects), **share}


def client_rates(text: str, *, binary: bool) -> dict[str, Json]:
    """What clients read and write a second; `binary` as in `count`."""
    rates: dict[str, Json] = {}
    for name, pattern in _RATES:
        if match := pattern.search(text):
            is_count = name.endswith("iops")
            rates[name] = count(match[1], binary=binary) if is_count else size(match[1])
    return rates


def size(text: str) -> int:
    """Bytes of a size as Ceph prints it: prefixes are of 1024, with and without "i"."""
    return round(units.printed(text.replace(" bytes", ""), binary=True)[0])


def count(text: str, *, binary: bool) -> int:
    """A count with its prefix, of 1024 up to Ceph 12 (`binary`) and of 1000 since."""
    return round(units.printed(text, binary=binary)[0])


def figures_in(checks: str) -> dict[str, Scalar]:
    """What the messages of the health checks count."""
    values: dict[str, Scalar] = {}
    for name, pattern in _CHECKS:
        if name not in values and (match := pattern.search(checks)):
            values[name] = int(match[1])
    if in_osds := _IN_OSDS.search(checks):
        values |= {"osds_down": int(in_osds[1]), "osds_in": int(in_osds[2])}
    if pools := len(_MANY_OBJECTS.findall(checks)):
        values.setdefault("pools_with_many_objects", pools)
    if flags := _FLAGS.search(checks):
        values["flags"] = flags[1]
    values |= _skewed(checks)
    if oldest := _OLDEST.search(checks):
        values["oldest_blocked"] = int(oldest[1])
        if oldest[2]:
            values["slow_daemons"] = oldest[2].strip("[]")
    for ping in _PING.finditer(checks):
        network = ping["on"] or ping["seen"]
        values[f"longest_heartbeat_{network}"] = round(float(ping["ms"]) / 1000, 9)
    if monitors := _MONITORS.search(checks):
        values |= {
            name: int(text) if text.isdecimal() and name != "quorum" else text
            for name, text in monitors.groupdict().items()
            if text
        }
    return values


def _skewed(checks: str) -> dict[str, Scalar]:
    """The monitors whose clocks differ too much."""
    match = _SKEWED.search(checks)
    names = re.findall(r"mon\.([\w.-]{1,60})", match[1]) if match else []
    return {"monitors_with_clock_skew": ",".join(names)} if names else {}


@dataclass(frozen=True, slots=True)
class Token:
    """A word of a table, a number together with its unit, and the index of its line."""

    text: str
    line: int


class Tokens:
    """The words of a table, by index; the text is read as far as it is asked for."""

    def __init__(self, source: Iterable[Token]) -> None:
        self._source = iter(source)
        self._read: list[Token] = []

    def get(self, at: int) -> Token | None:
        """The word with an index; None behind the last."""
        while at >= len(self._read):
            token = next(self._source, None)
            if token is None:
                return None
            self._read.append(token)
        return self._read[at]

    def text(self, at: int) -> str:
        """What the word with an index is; empty behind the last."""
        token = self.get(at)
        return token.text if token else ""

    def onward(self, at: int) -> Iterator[Token]:
        """The words from an index on."""
        while token := self.get(at):
            yield token
            at += 1


def tokens(cursor: TextCursor, first: int, most: int) -> Iterator[Token]:
    """The words of the lines from `first` on, up to three blank lines in a row."""
    before: Token | None = None
    last = first
    for index, line in lines(cursor, first, most):
        if line.strip():
            last = index
        elif index - last > 3:
            break
        for text in kerneltext.fields(line):
            if before and _UNIT.fullmatch(text) and _BARE.fullmatch(before.text):
                before = Token(f"{before.text} {text}", index)
                continue
            if before:
                yield before
            before = Token(text, index)
    if before:
        yield before


def head_of(parts: Tokens, names: Mapping[str, str]) -> tuple[tuple[str, ...], int]:
    """The columns that the first words name, and how many words these are."""
    columns: list[str] = []
    at = 0
    while text := parts.text(at):
        pair = f"{text} {parts.text(at + 1)}"
        if pair in names:
            columns.append(names[pair])
            at += 2
        elif text in names:
            columns.append(names[text])
            at += 1
        else:
            break
    return tuple(columns), at


def rows_of(
    every: Iterable[Token],
    columns: Sequence[str],
    cells: Mapping[str, re.Pattern[str]],
    is_empty: Callable[[str, Mapping[str, str], str], bool],
) -> Iterator[tuple[dict[str, str], int]]:
    """The rows that follow a head, wherever their lines break.

    Args:
        every: behind the head.
        columns: of the head.
        cells: what a cell of a column looks like.
        is_empty: whether the column of that name has no cell in the row that so far has these
            cells, where that word follows.

    Yields:
        The cells by their columns, and the index of the row's last line.
    """
    parts = Tokens(every)
    at = 0
    while parts.get(at):
        row: dict[str, str] = {}
        for column in columns:
            text = parts.text(at)
            if is_empty(column, row, text):
                continue
            if not text or not cells[column].fullmatch(text):
                return
            row[column] = text
            at += 1
        read = parts.get(max(at - 1, 0))
        yield row, read.line if read else 0
