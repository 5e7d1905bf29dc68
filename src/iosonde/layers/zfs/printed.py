"""`zpool status` (also -v and -x) and `zpool import`: pools of ZFS, their devices and errors.

What is cut off at either end is read as far as it stands there.

Source: OpenZFS 2.2, cmd/zpool/zpool_main.c (status_callback, print_status_reason,
print_status_config, show_import), lib/libzfs/libzfs_pool.c, zpool_get_state_str(): a pool that is
suspended is called so, whatever state its root vdev is in, which the table says.
"""

from __future__ import annotations

import re
from typing import ClassVar

from typing_extensions import override

from iosonde.layers.zfs.facts import STATES, devices_of, is_key_line, keys_of, pool_state, whole
from iosonde.records.printed import PrintedSubject, Unreadable
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, flow, lines, prompt_in
from iosonde.text.reader import PartlyReadItems, StateOutput

_POOL = re.compile(r"\s*pool: (\S+)\s*$")
_STATE = re.compile(rf"\s*state: (?:{'|'.join(STATES)})\b")
_ERRORS = re.compile(r"(\d+) data errors")
_PROGRESS = re.compile(
    r"(?:resilver|scrub)\b.{0,60}? in progress\b.{0,400}?\b(\d{1,3}(?:[.,]\d{1,3})?)% done"
)
_AMOUNT = r"(\d{1,19}(?:[.,]\d{1,3})?[KMGTPE]?)B?"
_RESILVERED = re.compile(rf"(?<!\S){_AMOUNT} resilvered|resilvered {_AMOUNT} in ")
_REPAIRED = re.compile(r"(?:scrub )?repaired (\S+) in .{1,40}? with (\d+) errors")
_ENDED = re.compile(r"in (?:(\d{1,4}) days )?(\d{1,3}):(\d\d):(\d\d) with (\d{1,12}) errors")
_SAID = ("id", "comment", "status", "scan", "remove", "checkpoint", "errors")
"""Parts that are kept in their own words; `zpool import` has the pool's number."""
_REASON = re.compile(
    r"\s*status: (?:One or more (?:devices (?:could not|has|have|is|are)|features are"
    r"|failure domains)|The pool (?:metadata is|is (?:formatted|suspended)|has been upgraded"
    r"|cannot be accessed|can only be)|Some supported (?:and requested )?features are not"
    r"|An intent log record|Mismatch between pool hostid|This pool has a compatibility) "
)
"""What a `status:` begins with, of those that print_status_reason() has."""
_CUT_OFF = "the table of its devices is cut off"
_MESSAGE = re.compile(r"\S{1,80}/(ZFS-\d{4}-[0-9A-Z]{2})\b")
"""What `see:` links: the number of the message that OpenZFS' handbook explains."""
_LONGEST = 1500  # lines of one pool
_GAP = 4
_INSIDE = re.compile(r"\s+\S+ +(?:ONLINE|DEGRADED|FAULTED|OFFLINE|UNAVAIL|REMOVED|SUSPENDED)\b")
_BARE = frozenset({"$", "#"})  # prompts
_OUTSIDE = re.compile(r"(?!errors:|dedup:)\S")
"""What somebody wrote below a table of devices that is indented."""


class ZpoolStatus(StateOutput):
    tool = "zpool status"
    anchors = (
        "pool: ", "errors: No known data errors", " state: DEGRADED", " state: ONLINE",
        " state: FAULTED", " state: UNAVAIL", " state: SUSPENDED", "status: One or more ",
        "status: The pool ", "status: Some supported ", "status: An intent log record",
        "status: Mismatch between pool", "status: This pool has a",
    )  # fmt: skip
    commands = ("zpool",)
    in_parts: ClassVar[bool] = True
    looks_above: ClassVar[bool] = True

    @override
    def is_part(self, line: str) -> object:
        return _POOL.match(line) or _STATE.match(line) or _INSIDE.match(line)

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        at = cursor.at
        return at if _begins(cursor, at) or _is_cut(cursor, at) else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> PartlyReadItems:
        last = _last(cursor, first)
        keys = keys_of(_with_config(flow(cursor, first, last)))
        devices = devices_of(keys.get("config", ""))
        if not devices:
            end, keys = _above_table(cursor, first, last)
            if not keys:
                raise Unreadable(_CUT_OFF, last)
            last = end
        if "pool" not in keys:
            keys["pool"] = devices[0][0] if devices else ""  # its first line is cut off
        if devices and devices[0][0] != keys["pool"]:
            raise Unreadable("the table of its devices does not begin with the pool", last)
        pool = PrintedSubject("zpool", keys["pool"], _pool_facts(keys, devices), prompt.host)
        if not devices:
            cut_off = () if not keys["pool"] else ((last, last, _CUT_OFF),)
            return last, [pool, *cut_off]
        return last, [
            pool,
            *(
                PrintedSubject("zpool_device", name, {"pool": keys["pool"], **own}, prompt.host)
                for name, own in devices[1:]
            ),
        ]


_TABLE = " NAME STATE READ WRITE CKSUM "


def _with_config(text: str) -> str:
    """The words of a status whose table stands below `config:`, also where somebody left it out."""
    return text if " config:" in text else text.replace(_TABLE, f" config:{_TABLE}", 1)


def _pool_facts(
    keys: dict[str, str], devices: list[tuple[str, dict[str, Scalar]]]
) -> dict[str, Scalar]:
    """What the parts of a status say of the pool, and the first row of the table."""
    keys.setdefault("scan", keys.get("scrub", ""))  # as it was called before 2010
    facts: dict[str, Scalar] = {**devices[0][1]} if devices else {}
    if (state := keys.get("state", "").partition(" ")[0]) in STATES:
        facts |= pool_state(state, facts.get("state"))
    facts |= {key: keys[key] for key in _SAID if keys.get(key)}
    if match := _MESSAGE.match(keys.get("see", "")):
        facts["msgid"] = match[1]
    if match := _ERRORS.match(keys.get("errors", "")):
        facts["data_errors"] = int(match[1])
    elif keys.get("errors", "").startswith("No known data errors"):
        facts["data_errors"] = 0
    facts |= _scan_facts(keys.get("scan", ""))
    if devices:
        facts["devices"] = sum("group" not in own for _, own in devices[1:])
    return facts


def _above_table(cursor: TextCursor, first: int, last: int) -> tuple[int, dict[str, str]]:
    """The last line of what stands above a table that is cut off, and what it says.

    Nothing where it says no more than a name and a state; a sentence without its end is left out.
    """
    end = first
    for index, line in lines(cursor, first + 1, last - first):
        if not line or not (line[0].isspace() or is_key_line(line)):
            break
        end = index
    keys = keys_of(flow(cursor, first, end))
    keys.pop("config", None)
    for name in ("status", "action"):
        if not keys.get(name, ".").endswith("."):
            del keys[name]
    return end, keys if {"status", "scan", "scrub", "errors"} & keys.keys() else {}


def _scan_facts(scan: str) -> dict[str, Scalar]:
    """How far a scrub or a resilver is, or what the last one came to."""
    facts: dict[str, Scalar] = {}
    if match := _REPAIRED.search(scan):
        facts["scrub_errors"] = int(match[2])
    if match := _PROGRESS.search(scan):
        facts["scan_share"] = round(float(match[1].replace(",", ".")) / 100, 6)
    if match := _RESILVERED.search(scan):
        facts["resilvered"] = whole(match[1] or match[2])
    return facts


def _is_cut(cursor: TextCursor, index: int) -> bool:
    """Whether a pool's part is from its state or from its status on, with what is above cut off."""
    if _REASON.match(f"{cursor.line(index)} "):
        above = [cursor.line(index - step) for step in (1, 2, 3)]
        return not any(_POOL.match(line) or _STATE.match(line) for line in above)
    if not _STATE.fullmatch(cursor.line(index)):
        return False
    above = [cursor.line(index - step) for step in (1, 2, 3)]
    below = [cursor.line(index + step).strip() for step in range(1, 14)]
    return (
        not any(map(_POOL.match, above))
        and "config:" in below
        and any(line.startswith(("status: ", "scan: ", "action: ")) for line in below)
    )


def _last(cursor: TextCursor, first: int) -> int:
    """The last line of a pool's part: what is said of errors, or the table of its devices."""
    last, configured, indented = first, False, False
    for index, line in lines(cursor, first + 1, _LONGEST):
        if index > last + _GAP or _ends(cursor, index, line):
            break
        if indented and index > last + 1 and _OUTSIDE.match(line):
            break
        configured |= line.lstrip().startswith("config:")
        indented |= configured and bool(_INSIDE.match(line))
        last = index if line else last
        if line.lstrip().startswith("errors: ") and "following files" not in line:
            break
    return last


def _ends(cursor: TextCursor, index: int, line: str) -> bool:
    """Whether something else begins: a command, another pool, what `zfs get` prints."""
    if prompt_in(line) or line.strip() in _BARE or line.split()[:2] == ["NAME", "PROPERTY"]:
        return True
    return _begins(cursor, index)


def _begins(cursor: TextCursor, index: int) -> bool:
    """Whether a pool's part begins in a line: its name, and then its state."""
    if not _POOL.match(cursor.line(index)):
        return False
    return any(_STATE.match(cursor.line(index + step)) for step in (1, 2, 3))


_DATED = re.compile(r" \d\d:\d\d:\d\d \d{4}$")
_DATE = re.compile(r"\s*(?:[A-Z][a-z]{2} )?(?:\d{1,2} )?\d\d:\d\d:\d\d \d{4}$")
"""What a mail broke off the date that a line of a scan ends with."""


class ZpoolLine(StateOutput):
    """`zpool status -x` of sound pools, and a line of a scan that stands alone."""

    tool = "zpool status"
    anchors = ("all pools are healthy", "scan: ")
    commands = ("zpool",)
    reach = 3
    beginning = re.compile(r"\s*(?:all pools are healthy$|scan: (?:resilvered|scrub repaired) \S)")

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        """A scan with the rest of its pool's status is no line alone."""
        around = [cursor.line(cursor.at + step) for step in (-2, -1, 1, 2)]
        if any(re.match(r"\s*(?:state|status|config|action|see|errors):", line) for line in around):
            return None
        return super().begin(cursor)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> PartlyReadItems:
        line, last = cursor.line(first).strip(), first
        scan = line.partition("scan: ")[2]
        if scan and (rest := _DATE.match(cursor.line(first + 1))) and not _DATED.search(scan):
            scan, last = f"{scan} {rest[0].strip()}", first + 1
        if not scan:
            return first, [PrintedSubject("zpool", "", {"status": line}, prompt.host)]
        facts: dict[str, Scalar] = {"scan": scan, **_scan_facts(scan)}
        if match := _ENDED.search(scan):
            days, hours, minutes, seconds, errors = (int(part or 0) for part in match.groups())
            facts["scan_time"] = ((days * 24 + hours) * 60 + minutes) * 60 + seconds
            facts["scan_errors"] = errors
        return last, [PrintedSubject("zpool", "", facts, prompt.host)]
