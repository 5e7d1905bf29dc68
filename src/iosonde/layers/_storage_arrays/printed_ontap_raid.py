"""RAID of Data ONTAP in 7-mode: `sysconfig -r`, `aggr status -r`, `vol status -r|-f|-s`.

An aggregate has one plex, or two that mirror each other; a plex has RAID groups, these have disks.
Sizes of disks are "MB/blocks" of 512 bytes, of which the blocks are exact.

Source: NetApp, na_sysconfig(1), na_aggr(1); outputs of Data ONTAP 7.3 to 8.2.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from typing_extensions import override

from iosonde.layers._storage_arrays.printed_ontap import raid_values
from iosonde.records.printed import PrintedSubject, without_none
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import Items, StateOutput, close_rows, nearest

_TOP = re.compile(
    r"\s*(?:[Aa]ggregate|Volume) (?P<name>[A-Za-z_][\w.-]{0,100}) \((?P<states>[^()]{3,120})\)"
    r"(?: \([^()]{3,60}\))?\s*$"
)
_PLEX = re.compile(r"\s*Plex (?P<name>/\S{3,120}) \([^()]{3,120}\)\s*$")
_GROUP = re.compile(r"\s*RAID [Gg]roup (?P<name>/\S{3,120}) \((?P<state>[^()]{3,120})\)\s*$")
_SECTION = re.compile(
    r"\s*(?:(?P<broken>Broken) disks|(?:Pool\d )?[Ss]pare disks|Partner disks)(?: \(empty\))?\s*$"
)
_HEAD = re.compile(r"\s*RAID Disk\s+Device\s+HA\s+SHELF\s+BAY\b")
_RULE = re.compile(r"\s*-{5,12}(?:\s+-{2,20}){4,12}\s*$")
_NOTE = re.compile(r"\s*Spare disks for \S.{0,100}$")
_DISK = re.compile(
    r"\s*(?P<role>[a-z]{3,10}(?: [a-z]{3,8})?)\s+(?P<name>\w{1,6}(?:\.\w{1,6}){1,3})\s+"
    r"(?P<adapter>\w{1,6})\s+(?P<shelf>\d{1,3}|\?)\s+(?P<bay>\d{1,3}|\?)\s+"
    r"(?P<channel>[A-Z]{2}:\w(?:\.\d)?)\s+(?P<pool>\d|-)\s+"
    r"(?P<type>[A-Z]{3,6})\s+(?P<rpm>\d{4,5}|N/A)\s+\d{1,9}/(?P<used>\d{1,13})"
    r"(?:\s+\d{1,9}/(?P<size>\d{1,13}))?(?:\s+\((?P<note>[^()]{3,80})\))?\s*$"
)
_GONE = re.compile(r"\s*(?P<role>[a-z]{4,10})\s+FAILED\s+N/A\s+\d{1,9}/(?:\d{1,13}|\s?-)?\s*$")
_SECTOR = 512
_BROKEN = "broken"


class OntapRaid(StateOutput):
    tool = "ontap raid"
    anchors = ("RAID Disk ", "/plex0/rg0 (")
    commands = ("sysconfig", "aggr", "vol", "ssh")
    reach = 6
    nothing = "no disk stands in it"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        if not (_HEAD.match(line) or _GROUP.match(line)):
            return None
        top = nearest(cursor, 12, lambda text: _TOP.match(text) or _SECTION.match(text))
        between = range(cursor.at if top is None else top, cursor.at)
        is_own = all(not cursor.line(index) or _is_own(cursor.line(index)) for index in between)
        return top if top is not None and is_own else cursor.at

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        own, last = close_rows(
            cursor, first, lambda line: line if _is_own(line) else None, 4000, gap=3,
            no_prompts=True,
        )  # fmt: skip
        return last, list(_subjects(own, prompt.host))


def _is_own(line: str) -> bool:
    forms = (_DISK, _TOP, _PLEX, _GROUP, _SECTION, _HEAD, _RULE, _GONE, _NOTE)
    return any(form.match(line) for form in forms)


def _subjects(lines: list[str], host: str) -> Iterator[PrintedSubject]:
    """The aggregates, with how many disks they miss, and the disks."""
    pools: dict[str, dict[str, Scalar]] = {}
    drives: list[PrintedSubject] = []
    pool = group = ""
    for line in lines:
        if top := _TOP.match(line):
            pool, group = top["name"], ""
            state, _, status = top["states"].partition(", ")
            pools[pool] = {"state": state, **raid_values(status)}
        elif section := _SECTION.match(line):
            pool, group = "", _BROKEN if section["broken"] else ""
        elif match := _GROUP.match(line):
            group = match["name"]
            _add(pools.get(pool, {}), match)
        elif disk := _DISK.match(line):
            drives.append(
                PrintedSubject("array_drive", disk["name"], _drive(disk, pool, group), host)
            )
        elif pool and _GONE.match(line):
            pools[pool]["missing_disks"] = int(str(pools[pool].get("missing_disks", 0))) + 1
    yield from (
        PrintedSubject("storage_pool", name, values, host) for name, values in pools.items()
    )
    yield from drives


def _add(pool: dict[str, Scalar], group: re.Match[str]) -> None:
    """Keep the state of a RAID group that is not normal."""
    state = group["state"].partition(",")[0]
    if state != "normal":
        above = pool.get("raid_groups")
        text = f"{group['name']} {state}"
        pool["raid_groups"] = f"{above}, {text}" if above else text


def _drive(disk: re.Match[str], pool: str, group: str) -> dict[str, Scalar]:
    """A disk of an aggregate's RAID group, a spare or a broken one."""
    is_broken = group == _BROKEN
    return without_none({
        "container": pool or None, "container_type": _BROKEN if is_broken else None,
        "raid_group": group if group and not is_broken else None,
        "position": disk["role"], "adapter": disk["adapter"], "channel": disk["channel"],
        "shelf": int(disk["shelf"]) if disk["shelf"] != "?" else None,
        "bay": int(disk["bay"]) if disk["bay"] != "?" else None,
        "disk_type": disk["type"], "rpm": int(disk["rpm"]) if disk["rpm"].isdecimal() else None,
        "used_size": int(disk["used"]) * _SECTOR,
        "size": int(disk["size"]) * _SECTOR if disk["size"] else None, "note": disk["note"],
    })  # fmt: skip
