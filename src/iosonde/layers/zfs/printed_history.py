"""`zpool history` (also -i and -l) and `zpool events` (also -v and -H).

Source: OpenZFS 2.2, cmd/zpool/zpool_main.c: get_history_one() and print_history_records()
("History for '%s':", "%F.%T" and the command, "[internal …]" or "[txg:%d] …", -l: "[user … on …]"),
zpool_do_events_short() (the date of ctime() with nanoseconds, then the class) and
zpool_do_events_nvprint() (-v: "name = value"); zpool-events(8).
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import ClassVar

from typing_extensions import override

from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor, lines, prompt_in
from iosonde.text.reader import Items, StateOutput, close_lines, start_of

_HEAD = re.compile(r"\s*History for '(?P<pool>[\w.:-]{1,120})':\s*$")
_RECORD = re.compile(
    r"\s*(?P<time>\d{4}-\d\d-\d\d\.\d\d:\d\d:\d\d) "
    r"(?P<said>(?P<own>\[|\(internal |ioctl )?\S.{0,2000})$"
)
_EVENT = re.compile(
    r"\s*(?P<month>[A-Z][a-z]{2}) (?P<day>[ \d]\d) (?P<year>\d{4}) (?P<clock>\d\d:\d\d:\d\d)"
    r"\.\d{9}\s+(?P<class>(?:ereport|sysevent|resource)\.[\w.]{3,80})\s*$"
)
_TITLE = re.compile(r"\s*TIME\s+CLASS\s*$")
_PAIR = re.compile(r"\s*(?P<name>[a-z_]{2,40}) = (?P<value>\S.{0,2000})$")
_AROUND = re.compile(r"\s*\((?:start|end) [a-z_]{2,40}\)\s*$|\s*vdev_\w{2,40} = *$")
_LISTED = {"pool": "pools", "vdev_path": "vdev_paths", "zio_err": "errors"}
"""What -v says of an event and is kept, each value once."""
_KEPT = 60
_FOLDED = 76  # signs of a line whose rest a mail or a terminal moved into the next
_MOST = 20_000


class ZpoolHistory(StateOutput):
    tool = "zpool history"
    anchors = ("History for '",)
    commands = ("zpool",)
    reach = 3
    looks_above: ClassVar[bool] = True
    in_parts: ClassVar[bool] = True
    beginning = _HEAD

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        head = self.first_line(cursor, first)
        commands, times, internal = list[Json](), list[str](), 0
        last, own = first, ""
        for index, line in close_lines(cursor, first + 1, _MOST):
            record = _RECORD.match(line)
            if record is None:
                is_rest = index == last + 1 and times and len(cursor.line(last)) >= _FOLDED
                if not is_rest or prompt_in(line) or _HEAD.match(line):
                    break
                if not own:
                    commands[-1] = f"{commands[-1]} {line.strip()}"
                last = index
                continue
            last, own = index, record["own"]
            times.append(record["time"].replace(".", " "))
            if own:
                internal += 1
            else:
                commands.append(f"{times[-1]} {record['said']}")
        values: dict[str, Json] = {"commands": len(commands)}
        if times:
            values |= {"first": times[0], "last": times[-1]}
        if internal:
            values["internal_records"] = internal
        values["last_commands"] = commands[-_KEPT:]
        return last, [self.counted("zpool", head["pool"], values, prompt)]


class ZpoolEvents(StateOutput):
    tool = "zpool events"
    anchors = (" ereport.", " sysevent.", " resource.", "\tereport.", "\tsysevent.", "\tresource.")
    commands = ("zpool",)
    reach = 3

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        if not _EVENT.match(cursor.line(cursor.at)):
            return None
        first = start_of(cursor, _EVENT.match)
        return first - 1 if _TITLE.match(cursor.line(first - 1)) else first

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        counts: dict[str, Json] = {}
        lists: dict[str, dict[str, None]] = {}
        times, last = list[str](), first
        for index, line in lines(cursor, first, _MOST):
            if not line:
                continue
            if event := _EVENT.match(line):
                count = counts.get(event["class"], 0)
                counts[event["class"]] = (count if isinstance(count, int) else 0) + 1
                times += _times(event)
            elif pair := _PAIR.match(line) if times else None:
                if pair["name"] in _LISTED:
                    value = pair["value"].strip().strip('"')
                    lists.setdefault(_LISTED[pair["name"]], {})[value] = None
            elif prompt_in(line) or not (_TITLE.match(line) or _AROUND.match(line)):
                break
            last = index
        if not counts:
            return last, []
        named: dict[str, Json] = {}
        for name, values in lists.items():
            kept: list[Json] = [*values]
            named[name] = kept[:_KEPT]
        span: dict[str, Json] = {"first": times[0], "last": times[-1]} if times else {}
        pools = [*lists.get("pools", {})]
        pool = pools[0] if len(pools) == 1 else ""
        return last, [self.counted("zpool", pool, {**counts, **span, **named}, prompt)]


def _times(event: re.Match[str]) -> list[str]:
    """When an event was, "2024-03-05 10:11:12"; none where its month is not in English."""
    text = f"{event['month']} {event['day'].strip()} {event['year']} {event['clock']}"
    try:
        return [str(datetime.strptime(text, "%b %d %Y %H:%M:%S"))]
    except ValueError:
        return []
