"""Lines of `ceph health detail` about placement groups and OSDs, below the checks or alone.

Source: Ceph 0.80, mon/PGMonitor.cc (note_stuck_detail(): "pg %s is stuck %s for %s, current state
%s, last acting %s"; get_health(): "osd.%d is near full at %d%%"), mon/OSDMonitor.cc ("osd.%d is
down since epoch %d, last address %s"); Ceph 18, mon/PGMap.cc (get_health_checks()), osd/OSDMap.cc
(check_health(): "osd.%d (root=…) is down"), mgr/DaemonHealthMetricCollector, mds/Beacon.cc (" slow
requests are blocked > "), os/bluestore/BlueStore.cc (" spilled over "), mon/PGMap.cc ("Slow OSD
heartbeats on back from "), mon/HealthMonitor.cc (" is down (out of quorum)"), pybind/mgr/crash/
module.py ("%s crashed on host %s at %s"), mon/PGMap.cc ("application not enabled on pool '%s'"),
osd/OSDMap.cc ("pool '%s' has no replicas configured"), pybind/mgr/pg_autoscaler/module.py ("Pool %s
has %d placement groups, should have %d"); Ceph 14 ("Slow heartbeat ping on back interface from "),
Ceph 12 ("osd.%d has blocked requests > %f sec"). Sizes of an MDS's cache are cut to whole units; up
to Ceph 14 its name stands behind "mds" without a point (mon/MDSMonitor.cc).
"""

from __future__ import annotations

import re
from typing import NamedTuple

from typing_extensions import override

from iosonde.layers.ceph.facts import SIZE, size
from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, lines, prompt_in
from iosonde.text.reader import Items, StateOutput, nearest, start_of

_PG = r"pg (?P<pg>\d{1,10}\.[0-9a-f]{1,8}) is "
_ACTING = r"acting (?P<acting>\[(?:-?\d{1,10}(?:,-?\d{1,10}){0,40})?\])"
_MDS = r"mds\.?(?P<mds>[\w-][\w.-]{0,80})\(mds\.(?P<rank>\d{1,4})\): "
_DETAILS = tuple(
    re.compile(rf"\s*{pattern}")
    for pattern in (
        rf"{_PG}stuck (?P<stuck>[a-z]{{4,12}}) (?:for (?P<stuck_for>\d{{1,12}}(?:\.\d{{1,9}})?"
        rf"[a-z]{{0,2}})|since (?P<stuck_since>forever)), current state "
        rf"(?P<state>[a-z]{{4,20}}(?:\+[a-z_]{{3,30}}){{0,14}}), last {_ACTING}",
        rf"{_PG}(?P<state>[a-z]{{4,20}}(?:\+[a-z_]{{3,30}}){{0,14}}), {_ACTING}"
        r"(?:, (?P<unfound>\d{1,12}) unfound)?",
        r"osd\.(?P<osd>\d{1,7}) is (?P<fullness>near full|backfill full|full) at "
        r"(?P<full>\d{1,3})%",
        r"osd\.(?P<osd>\d{1,7})(?: \((?P<place>[^()]{3,120})\))? is (?P<status>down)"
        r"(?: since epoch (?P<down_since_epoch>\d{1,9}), last address (?P<address>\S{3,120}))?$",
        r"(?P<blocked_operations>\d{1,9}) ops are blocked > (?P<blocked_longer_than>[\d.]{1,12}) "
        r"sec on osd\.(?P<osd>\d{1,7})",
        r"osd\.(?P<osd>\d{1,7}) has (?:blocked|slow) requests > "
        r"(?P<blocked_longer_than>[\d.]{1,12}) sec",
        r"(?P<blocked_operations>\d{1,9}) ops are blocked > (?P<longer_than>\d[\d.]{0,11}) sec$",
        r"osd\.(?P<osd>\d{1,7}) (?P<slow_bluestore>observed slow operation) indications in "
        r"BlueStore",
        rf"osd\.(?P<osd>\d{{1,7}}) spilled over (?P<spilled_over>{SIZE}) metadata from 'db' device "
        rf"\((?P<db_used>{SIZE}) used of (?P<db_size>{SIZE})\) to slow device",
        r"Slow (?:OSD heartbeats|heartbeat ping) on (?P<network>back|front)(?: interface)? "
        r"from osd\.(?P<osd>\d{1,7})"
        r"(?: \[[^\]]{0,80}\])?(?: \(down\))? to (?P<far>osd\.\d{1,7})(?: \[[^\]]{0,80}\])?"
        r"(?: \(down\))? (?P<ping>\d{1,12}\.\d{1,6}) msec",
        rf"{_MDS}(?P<slow_requests>\d{{1,9}}) slow requests are blocked > "
        r"(?P<blocked_longer_than>\d{1,9}) secs",
        rf"{_MDS}(?P<slow_metadata>\d{{1,9}}) slow metadata IOs are blocked > "
        r"(?P<blocked_longer_than>\d{1,9}) secs, oldest blocked for "
        r"(?P<oldest_blocked>\d{1,12}) secs",
        rf"{_MDS}MDS cache is too large \((?P<cache_used>{SIZE})/(?P<cache_limit>{SIZE})\)"
        r"(?:; (?P<inodes_in_use>\d{1,18}) inodes in use by clients, "
        r"(?P<stray_files>\d{1,18}) stray files)?",
        r"pool (?P<pool>\S{1,128}) objects per pg \((?P<objects_per_pg>\d{1,12})\) is more than "
        r"(?P<times_average>[\d.e+]{1,14}) times cluster average "
        r"\((?P<average_objects_per_pg>\d{1,12})\)",
        r"(?P<large_omap_objects>\d{1,9}) large objects found in pool '(?P<pool>[^']{1,128})'",
        r"application (?P<application>not enabled) on pool '(?P<pool>[^']{1,128})'",
        r"Pool (?P<pool>\S{1,128}) has (?P<pgs>\d{1,9}) placement groups, should have "
        r"(?P<pgs_wanted>\d{1,9})",
        r"pool '(?P<pool>[^']{1,128})' has (?P<replicas>no replicas) configured",
        r"mon\.(?P<mon>[\w.-]{1,80}) has (?P<available>\d{1,3})% avail",
        r"mon\.(?P<mon>[\w.-]{1,80}) \(rank (?P<rank>\d{1,4})\) addr (?P<address>\S{3,200}) is "
        r"(?P<status>down) \(out of quorum\)",
        r"(?:osd\.(?P<osd>\d{1,7})|mds\.(?P<mds>[\w.-]{1,80})|mon\.(?P<mon>[\w.-]{1,80})|"
        r"mgr\.(?P<mgr>[\w.-]{1,80})|client\.(?P<client>[\w.-]{1,80})) crashed on host "
        r"(?P<crashed_on>\S{1,253}) at (?P<crashed_at>\d{4}-\d\d-\d\d[T ][\d:.]{8,18}Z?)$",
    )
)
_BEGUN = re.compile(
    r"\s*(?:pg \d{1,10}\.[0-9a-f]{1,8} is [a-z]|osd\.\d{1,7} |Slow OSD heartbeats on "
    r"|Slow heartbeat ping on |pool \S{1,128} objects per pg \(|mds[\w.-]{1,81}\(mds\.\d{1,4}\): "
    r"|(?:mds|mon|mgr|client)\.[\w.-]{1,80} (?:crashed on|\(rank ))"
)
_SECONDS = frozenset({"stuck_for", "blocked_longer_than", "oldest_blocked"})
_SHARES = frozenset({"full", "available"})
_SIZES = frozenset({"spilled_over", "db_used", "db_size", "cache_used", "cache_limit"})
_TIMES = frozenset({"crashed_on", "crashed_at"})
_KINDS = {
    "pg": "ceph_pg", "osd": "osd", "mds": "mds", "mon": "ceph_mon", "mgr": "ceph_mgr",
    "client": "ceph_client", "pool": "ceph_pool",
}  # fmt: skip
_OWN_NAMES = frozenset({"pg", "pool"})
"""Kinds whose names stand alone, without their kind before them."""
_FLOAT = re.compile(r"\d{1,12}(?:\.\d{1,9})?")
_MOST = 20_000
_INSIDE = (" ops are blocked > ", " large objects found in pool '")
"""What lines hold that begin with a count."""


class Detail(NamedTuple):
    """A line about a group or an OSD: what it is about, what it says, and its last line."""

    kind: str
    name: str
    values: dict[str, Scalar]
    last: int


def detail_at(cursor: TextCursor, index: int) -> Detail | None:
    """What the line says, with what a mail broke off it; None where it is another line."""
    line = cursor.line(index)
    for last in (index, index + 1):
        for pattern in _DETAILS:
            if match := pattern.match(line):
                return _detail(match, last)
        more = cursor.line(index + 1)
        if not _BEGUN.match(line) or not more or _BEGUN.match(more) or prompt_in(more):
            break
        line = f"{line} {more.strip()}"
    return None


def _detail(match: re.Match[str], last: int) -> Detail:
    groups = {name: text for name, text in match.groupdict().items() if text}
    kind = next((name for name in _KINDS if name in groups), "")
    number = groups.pop(kind, "")
    name = number if kind in _OWN_NAMES else f"{kind}.{number}"
    if "longer_than" in groups:  # of all OSDs together
        blocked = f"operations_blocked_longer_than_{groups['longer_than']}"
        return Detail("ceph", "ceph", {blocked: int(groups["blocked_operations"])}, last)
    if "ping" in groups:
        ping = {
            f"heartbeat_{groups['network']}_to_{groups['far']}": round(
                float(groups["ping"]) / 1000, 9
            )
        }
        return Detail("osd", name, dict(ping), last)
    values = {key: _value(key, text) for key, text in groups.items()}
    return Detail(_KINDS[kind], name, values, last)


def _value(name: str, text: str) -> Scalar:
    """Fractions, seconds and bytes."""
    if name in _SHARES:
        return int(text) / 100
    if name in _SECONDS:
        return float(text) if _FLOAT.fullmatch(text) else text
    if name in _SIZES:
        return size(text)
    if name == "slow_bluestore":
        return True
    if name == "times_average":
        return float(text)
    return int(text) if text.isdecimal() else text


def add(things: dict[tuple[str, str], dict[str, Scalar]], detail: Detail) -> None:
    """Put what a line says beside what others say of the same thing, each crash with its time."""
    values = things.setdefault((detail.kind, detail.name), {})
    for name, value in detail.values.items():
        before = values.get(name) if name in _TIMES else None
        values[name] = value if before is None else f"{before}, {value}"


class CephHealthDetails(StateOutput):
    tool = "ceph health detail"
    anchors = (
        " is stuck ", ", acting [", " full at ", " is down since epoch ", " ops are blocked > ",
        " has blocked requests > ", " indications in BlueStore", "metadata from 'db' device",
        "OSD heartbeats on ", " slow metadata IOs are", " slow requests are blocked > ",
        "heartbeat ping on ", "MDS cache is too large (", " is down (out of quorum)",
        " crashed on host ", " times cluster average (", " large objects found in pool '",
    )  # fmt: skip
    commands = ("ceph",)
    reach = 3

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        first = nearest(
            cursor, 2, lambda line: _BEGUN.match(line) or any(map(line.__contains__, _INSIDE))
        )
        detail = detail_at(cursor, first) if first is not None else None
        if first is None or detail is None or detail.kind == "ceph":  # the last is not enough
            return None
        return start_of(cursor, _BEGUN.match, most=60) if first == cursor.at else first

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        last, subjects = details(cursor, first, prompt.host)
        return last, subjects


def details(cursor: TextCursor, first: int, host: str) -> tuple[int, list[PrintedSubject]]:
    """What such lines from one on say, by what they are about, and the index of the last."""
    by_name: dict[tuple[str, str], dict[str, Scalar]] = {}
    last = first - 1
    for index, line in lines(cursor, first, _MOST):
        if index <= last or (not line and index == last + 1):
            continue
        detail = detail_at(cursor, index)
        if detail is None:
            break
        add(by_name, detail)
        last = detail.last
    return max(last, first), [
        PrintedSubject(kind, name, values, host) for (kind, name), values in by_name.items()
    ]
