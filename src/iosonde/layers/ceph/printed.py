"""`ceph -s` and `ceph health detail`: how a cluster is, its OSDs, placement groups and room.

Source:
    ceph 12 to 19, mon/Monitor.cc (get_cluster_status), mon/PGMap.cc (PGMapDigest::print_summary,
    overall_client_io_rate_summary), mon/health_check.h; ceph 10, Monitor::get_cluster_status.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import ClassVar

from typing_extensions import override

from iosonde import kerneltext
from iosonde.layers.ceph.facts import (
    COUNT,
    SIZE,
    client_rates,
    count,
    figures_in,
    groups_by_state,
    not_whole,
    size,
)
from iosonde.layers.ceph.facts_status import daemons
from iosonde.layers.ceph.printed_health import add, detail_at
from iosonde.records.printed import PrintedCounters, PrintedSubject, Unreadable
from iosonde.records.stack import Json, Scalar
from iosonde.text.cursor import Prompt, TextCursor, flow, joined, lines, prompt_in
from iosonde.text.reader import StateOutput, nearest, start_of

_HEALTH = re.compile(r"\s*health:? (?:HEALTH_(?:OK|WARN|ERR)\b)")
_CLUSTER = re.compile(r"\s*cluster(?::$| [0-9a-f]{8}-[0-9a-f-]{27}$)")
_OWN = re.compile(
    r"\s*+(?:(?:cluster|id|health|services|mon|mgr|mds|osd|rgw|nfs|rbd-mirror|cephfs-mirror|iscsi|"
    r"tcmu-runner|task status|data|volumes|pools|objects|usage|pgs|io|client|recovery|cache|"
    r"progress|rebalance):(?:\s|$)|(?:cluster|health|monmap|mdsmap|fsmap|osdmap|pgmap|client io|"
    r"recovery io|cache io|recovery|election epoch|flags) |"
    r"\d{1,6} osds: \d|\d{1,8} pgs: \d|\d{1,9}\s+[a-z]+(?:\+[a-z_]+)*$|"
    r"\d{1,18}/\d{1,18} objects |\d[\d.]*% pgs |"
    r"\d[\d.]* ?\w{1,5} used, )"
)
_AFTER_HEALTH = re.compile(r"\s*(?:services:|data:|monmap |osdmap |pgmap |pgs:|osd: )")
_SUMMARY = re.compile(rf"(\d{{1,8}}) pgs: \d.{{0,400}}; ({SIZE}) data, ({SIZE}) used")
_OBJECTS = re.compile(r"(\d{1,18})/(\d{1,18}) objects (degraded|misplaced|unfound)")
_ROUNDED = 0.02
"""By what share the sum of two rounded sizes may miss the third."""
_USAGE = re.compile(rf"({SIZE}) used, ({SIZE}) / ({SIZE}) avail")
_POOLS = re.compile(r"(?<!\w)(\d{1,6}) pools, (\d{1,8}) pgs")
_POOLS_OLD = re.compile(
    rf"(\d{{1,8}}) pgs, (\d{{1,6}}) pools, ({SIZE}) data, ({COUNT}) ?([kM]?)objects"
)
_STORED = re.compile(rf"objects: ({COUNT}) objects, ({SIZE})")
_OSDS = re.compile(r"(?<!\w)(\d{1,6}) osds: (\d{1,6}) up(?: \(since [^)]{1,20}\))?, (\d{1,6}) in\b")
_MONS = re.compile(r"(?<!\w)(?:mon: (\d{1,4}) daemons?|e\d+: (\d{1,4}) mons at)")
_FLAGS = re.compile(r"\bflags ([a-z][\w,-]{2,200})")
_ID = re.compile(r"(?:id:|cluster) +([0-9a-f]{8}-[0-9a-f-]{27})(?![0-9a-f])")
_CLIENT = re.compile(r"client(?: io|:) (.{0,160}?)(?= recovery| cache| progress|$)")
_OLD_CLIENT = re.compile(rf"{SIZE} avail; (?=[^;]{{0,40}}/s)([^;]{{1,160}}op/s)")
_RECOVERY = re.compile(
    rf"recovery(?: io|:) ({SIZE})/s(?:, (\d{{1,9}}) keys/s)?(?:, ({COUNT}) objects/s)?"
)
_SERVICE = re.compile(
    r"\s*(?:monmap e\d{1,9}: \d{1,4} mons at \{|mon: \d{1,4} daemons?, quorum \w"
    r"|(?:mds|fs)map e\d{1,9}: \d{1,4}/\d{1,4}/\d{1,4} up)"
)
_CODE = re.compile(r"\s*(?:\(MUTED[^)]{0,30}\) )?(?:\[(?:WRN|ERR)\] )?(?P<code>[A-Z][A-Z_]{5,60})"
                   r"(?: \(muted\))?:? (?P<message>\S.*)$")  # fmt: skip
_CHECK = re.compile(
    r"\s*(?:\(MUTED[^)]{0,30}\) )?(?:\[(?:WRN|ERR)\] (?P<code>[A-Z][A-Z_]{5,60}): "
    r"|(?:SLOW_OPS|(?:REQUEST|OSD|PG|OBJECT|MDS|FS|BLUESTORE|OSDMAP|BLUEFS|POOL|MON|RECENT|MANY"
    r"|LARGE)_[A-Z_]{3,40}) (?=\d{1,9}(?:/\d{1,4})? |Degraded data|Reduced data|Possible data"
    r"|Slow OSD|Long heartbeat|[a-z,-]{4,60} flag|mons? \S))"
)
"""How a check begins where the line above them is cut off."""
_SUMMARY_ALONE = re.compile(
    r"\s*(?:(?:Reduced data availability|Degraded data redundancy|Possible data damage): \d"
    r"[\w ,/().%]{3,300}|\d{1,9} slow ops, oldest one blocked for \d{1,12} sec, "
    r"(?:daemons \[\S{3,900}\] have|\S{3,80} has) slow ops|"
    r"\d{1,4}/\d{1,4} mons down, quorum \S{1,300}|\d{1,6} (?:daemons|mgr modules) have recently "
    r"crashed|\d{1,4} MDSs report [a-z][A-Za-z ]{3,40}|"
    r"\d{1,7}/\d{1,7} in osds are down|"
    r"\d{1,9} pgs (?:are )?stuck (?:inactive|unclean|stale|undersized|degraded)"
    r"(?: for more than \d{1,9} seconds)?|\d{1,6} pools have many more objects per pg than average|"
    r"\d{1,9} large omap objects|"
    r"Slow OSD heartbeats on (?:back|front) \(longest [\d.]{1,16}ms\)|"
    r"Long heartbeat ping times on (?:back|front) interface seen, longest is [\d.]{1,16} msec)\.?$"
)
"""The message of a check that is a line of its own, without its code."""
_SUMMARY_OF = re.compile(
    r"\d{1,9}(?:/\d{1,18})? (?:pool(?:s|\(s\))? |OSD\(s\) |(?:(?:near ?|backfill)?full )?osds? |"
    r"in osds are down|pgs? |hosts? |clients? |MDSs? |mons? |monitors |daemons |mgr modules |"
    r"filesystems? |objects (?:degraded|misplaced|unfound)|large omap objects|scrub errors|slow |"
    r"failed cephadm|stray |requests are |cache pools? |mds daemons? )|"
    r"[a-z][a-z,-]{3,200} flag\(s\) set|too (?:few|many) PGs per OSD \(|clock skew detected on |"
    r"no active mgr|insufficient standby |application not enabled on |"
    r"Reduced data availability|Degraded data redundancy|Possible data damage|"
    r"Slow OSD heartbeats|Long heartbeat ping|Low space hindering|"
    r"Full OSDs blocking|OSD count \d|mons? \S{1,300} (?:is|are) |mons are allowing|Module '|"
    r"crush map has |client is using |pool \S{1,128} has many more objects "
)
"""How the first message behind the health begins, where no check stands below it."""
_SUM = re.compile(r"\s*(?P<health>HEALTH_(?:OK|WARN|ERR))(?:[ :] ?(?P<what>\S.*))?$")
_MOST = 120
_DETAILS = 2000
_STRANGE = 2  # lines in a row that a wrap may have left over


class CephStatus(StateOutput):
    tool = "ceph -s"
    anchors = (
        "health: HEALTH_", "health HEALTH_", " osds: ", " pgs: ", " pools, ", " avail",
        "monmap e", " daemons, quorum ", "mdsmap e", "fsmap e",
    )  # fmt: skip
    commands = ("ceph", "microceph.ceph")

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        if prompt_in(line) or not (_OWN.match(line) and _says(line)):
            return None
        health = nearest(cursor, 40, _HEALTH.match)
        if health is not None:
            top = next((at for at in range(health - 1, max(health - 4, -1), -1)
                        if _CLUSTER.match(cursor.line(at))), None)  # fmt: skip
            return health if top is None else top
        return start_of(cursor, _OWN.match)

    @override
    def items(
        self, cursor: TextCursor, first: int, prompt: Prompt
    ) -> tuple[int, Iterable[PrintedSubject | PrintedCounters]]:
        last = _end(cursor, first)
        text = flow(cursor, first, last)
        values = {**daemons(text), **_values(text)}
        health = _health(joined(cursor, first, last))
        cluster_id = {"id": match[1]} if (match := _ID.search(text)) else {}
        values = {**cluster_id, **health, **values}
        if not values:
            raise Unreadable("none of its figures is there", last)
        items: list[PrintedSubject | PrintedCounters] = [
            PrintedSubject("ceph", "ceph", values, prompt.host)
        ]
        if rates := _rates(text):
            items.append(self.counted("ceph", "ceph", rates, prompt))
        return last, items


def _says(line: str) -> bool:
    return any(
        pattern.search(line)
        for pattern in (_HEALTH, _OSDS, _POOLS, _POOLS_OLD, _USAGE, _SUMMARY, _SERVICE)
    )


def _end(cursor: TextCursor, first: int) -> int:
    """Index of the last line: below it stand a prompt, blank lines, or what is not its own."""
    last, in_checks = first, False
    for index, line in lines(cursor, first, _MOST):
        if index > first and (prompt_in(line) or _CLUSTER.match(line)):
            break
        if _AFTER_HEALTH.match(line) or not line.strip():
            in_checks = False
        if _OWN.match(line) or in_checks:
            last = index
        elif index - last > _STRANGE + (not line.strip()):
            break
        in_checks = in_checks or bool(_HEALTH.match(line))
    return last


def _health(text: str) -> dict[str, Scalar]:
    """The health and the messages below it, each of which begins where the first one does."""
    state, checks, indent = "", list[str](), -1
    for line in kerneltext.lines(text):
        if not state and (match := _HEALTH.match(line)):
            state, _, more = line[match.start() :].partition("HEALTH_")[2].partition(" ")
            checks.extend([more.strip()] if more.strip() else [])
        elif state and (_AFTER_HEALTH.match(line) or not line.strip()):
            break
        elif state:
            deep = len(line) - len(line.lstrip())
            indent = deep if indent < 0 else indent
            if deep < indent and checks:
                checks[-1] += f" {line.strip()}"
            else:
                checks.append(line.strip())
    if not state:
        return {}
    values: dict[str, Scalar] = {"health": f"HEALTH_{state}"}
    if checks:
        values["health_checks"] = "; ".join(checks)
    return values | figures_in(" ".join(checks))


def _values(text: str) -> dict[str, Scalar]:
    values: dict[str, Scalar] = {}
    if mons := _MONS.search(text):
        values["monitors"] = int(mons[1] or mons[2])
    if osds := _OSDS.search(text):
        values |= {"osds": int(osds[1]), "osds_up": int(osds[2]), "osds_in": int(osds[3])}
    if flags := _FLAGS.search(text):
        values["flags"] = flags[1]
    values |= _stored(text)
    for match in _OBJECTS.finditer(text.partition("data:")[2] or text):
        values |= not_whole(match[3], match[1], match[2])
    return values | groups_by_state(text)


def _stored(text: str) -> dict[str, Scalar]:
    """Pools and placement groups, what is stored in them, and the room of all OSDs."""
    values: dict[str, Scalar] = {}
    if pools := _POOLS.search(text):
        values |= {"pools": int(pools[1]), "pgs": int(pools[2])}
    elif old := _POOLS_OLD.search(text):
        values |= {
            "pgs": int(old[1]), "pools": int(old[2]), "stored": size(old[3]),
            "objects": count(old[4] + old[5], binary=True),
        }  # fmt: skip
    elif summary := _SUMMARY.search(text):
        values |= {"pgs": int(summary[1]), "stored": size(summary[2]), "used": size(summary[3])}
    if stored := _STORED.search(text):
        binary = "iB" not in text
        values |= {"objects": count(stored[1], binary=binary), "stored": size(stored[2])}
    if usage := _USAGE.search(text):
        used, available, whole = map(size, usage.groups())
        values |= {"available": available, "size": whole}
        if abs(used + available - whole) <= _ROUNDED * whole:  # else a digit of it was lost
            values["used"] = used
    return values


def _rates(text: str) -> dict[str, Json]:
    """What clients and the recovery move a second."""
    binary = "iB" not in text
    rates: dict[str, Json] = {}
    if client := _CLIENT.search(text) or _OLD_CLIENT.search(text):
        rates |= client_rates(client[1], binary=binary)
    if recovery := _RECOVERY.search(text):
        rates["recovery.bandwidth"] = size(recovery[1])
        for name, figure in zip(("keys", "objects"), recovery.groups()[1:], strict=True):
            if figure:
                rates[f"recovery.{name}"] = count(figure, binary=binary)
    return rates


def _said(messages: Sequence[str]) -> dict[str, Scalar]:
    """The messages of checks, and what they count."""
    text = "; ".join(messages)
    return {**figures_in(text), "health_checks": text} if text else {}


class CephHealth(StateOutput):
    tool = "ceph health"
    anchors = (
        "HEALTH_OK", "HEALTH_WARN", "HEALTH_ERR", "[WRN] ", "[ERR] ", "SLOW_OPS ", "REQUEST_S",
        "OSD_DOWN ", "OSD_NEARFULL ", "OSD_SLOW_PING", "PG_DEGRADED ", "PG_AVAILABILITY ",
        "OBJECT_MISPLACED ", "OBJECT_DEGRADED ", "MDS_SLOW_", "BLUESTORE_SLOW_OP", "OSDMAP_FLAGS ",
        "BLUEFS_SPILLOVER", "POOL_NEARFULL ", "PG_DAMAGED ", "MON_DISK_LOW", "MON_DOWN ",
        "RECENT_CRASH ", "RECENT_MGR_MODULE_CRASH ", "MDS_CACHE_OVERSIZED ", "FS_DEGRADED ",
        "Reduced data availability: ", "Degraded data redundancy: ", "Possible data damage: ",
        " slow ops, oldest one ", " mons down, quorum ", " have recently crashed",
        " MDSs report ", "OSD heartbeats on ", "heartbeat ping times on ", " in osds are down",
        " pgs stuck ", " pgs are stuck ", " many more objects per pg", " large omap objects",
    )  # fmt: skip
    commands = ("ceph",)
    joined_by: ClassVar[str] = "; "
    reach = 3

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        top = _SUM.match(line)
        if top is None:
            is_alone = _SUMMARY_ALONE.match(line) and nearest(cursor, 20, _HEALTH.match) is None
            return cursor.at if is_alone or _CHECK.match(line) else None
        asked = prompt_in(cursor.line(cursor.at - 1))
        below = [cursor.line(cursor.at + step) for step in (1, 2)]
        named = asked is not None and "health" in asked.command
        is_detailed = any(map(_CODE.match, below)) or detail_at(cursor, cursor.at + 1) is not None
        counts = _SUMMARY_OF.match(top["what"] or "") is not None
        return cursor.at if named or is_detailed or counts else None

    @override
    def items(
        self, cursor: TextCursor, first: int, prompt: Prompt
    ) -> tuple[int, Iterable[PrintedSubject]]:
        top = _SUM.match(cursor.line(first))
        messages = [top["what"]] if top and top["what"] else []
        checks: dict[str, str] = {}
        things: dict[tuple[str, str], dict[str, Scalar]] = {("ceph", "ceph"): {}}
        last, code = first, ""
        for index, line in lines(cursor, first + (top is not None), _DETAILS):
            if index <= last and index > first:
                continue
            if not line.strip() or prompt_in(line):
                break
            detail = detail_at(cursor, index)
            if detail:
                add(things, detail)
                last = detail.last
                continue
            if match := _CODE.match(line):
                code = match["code"]
                checks[code] = match["message"]
            elif _SUMMARY_ALONE.match(line):
                messages.append(line.strip())
            elif (code and not line.startswith(" ")) or index - last > _STRANGE:
                break
            elif not code and not _SUMMARY_OF.match(line.strip()):
                continue  # if at all, what a wrap left over
            last = index
        messages = list(checks.values()) or messages
        values: dict[str, Scalar] = {"health": top["health"]} if top else {}
        values |= _said(messages)
        things["ceph", "ceph"] = {**values, **checks, **things["ceph", "ceph"]}
        return last, [
            PrintedSubject(kind, name, facts, prompt.host) for (kind, name), facts in things.items()
        ]
