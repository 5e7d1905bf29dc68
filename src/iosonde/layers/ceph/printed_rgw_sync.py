"""`radosgw-admin sync status`: how far a zone's metadata and data are behind other zones.

Source: Ceph 12 to 19, rgw/rgw_admin.cc (sync_status(), get_md_sync_status(),
get_data_sync_status(), tab_dump(): a heading in its column, then what push_ss() wrote below each
other: "full sync: N/M shards", "data is behind on N shards", "behind shards: […]", "N shards are
recovering", "failed to retrieve sync info: (N) …").
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from typing_extensions import override

from iosonde.records.printed import PrintedSubject, Unreadable
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, prompt_in
from iosonde.text.reader import Items, StateOutput, close_lines, top_of

_NAMED = r"(?P<id>[0-9a-f]{8}-[0-9a-f-]{27}) \((?P<name>[^()]{1,100})\)"
_ZONE = re.compile(rf"\s*(?P<what>realm|zonegroup|zone) {_NAMED}\s*$")
_TIME = re.compile(r"\s*current time (?P<time>\d{4}-\d\d-\d\dT\S{8,20})\s*$")
_FEATURES = re.compile(r"\s*zonegroup features (?P<what>enabled): (?P<value>\S.{0,120}?)\s*$")
_METADATA = re.compile(r"\s*metadata sync (?P<state>\S.{2,80}?)\s*$")
_SOURCE = re.compile(rf"\s*(?:data sync )?source: {_NAMED}\s*$")
_STATE = re.compile(
    r"\s*(?P<state>syncing|init|preparing for full sync|not syncing.{0,60}|no sync.{0,60}|"
    r"failed to .{5,120}|sync status: failed.{0,80})\s*$"
)
_SHARDS = re.compile(
    r"\s*(?P<how>full|incremental) sync: (?P<done>\d{1,7})/(?P<all>\d{1,7}) shards"
)
_COUNTS = tuple(
    (name, re.compile(rf"\s*{pattern}"))
    for name, pattern in (
        ("to_sync", r"full sync: (\d{1,12}) (?:buckets|entries) to sync"),
        ("behind_shards", r"(?:meta)?data is behind on (\d{1,7}) shards"),
        ("recovering_shards", r"(\d{1,7}) shards are recovering"),
    )
)
_CAUGHT_UP = re.compile(r"\s*(?:meta)?data is caught up with (?:master|source)\s*$")
_OLDEST = re.compile(r"\s*oldest incremental change not applied: ?(?P<when>\S.{5,60}?)\s*$")
_OLDEST_BEGUN = re.compile(r"\s*oldest incremental change not applied:")
_WHEN = re.compile(r"\d{4}-\d\d-\d\d[T ][\d:.]{8,24}s?(?:[+-]\d{4}|Z)?(?: \[\d{1,6}\])?")
_LIST = re.compile(r"\s*(?:behind|recovering) shards: \[[\d,\s]{1,2000}\]?\s*$")
_DISABLED = re.compile(r"\s*disabled: \S")
_OWN = (
    _ZONE, _TIME, _FEATURES, _METADATA, _SOURCE, _STATE, _SHARDS, _CAUGHT_UP, _OLDEST_BEGUN,
    _LIST, _DISABLED, *(pattern for _, pattern in _COUNTS),
)  # fmt: skip
_LONG = 48  # shorter lines were not broken by a mail
_MOST = 600


class RgwSync(StateOutput):
    tool = "radosgw-admin sync status"
    anchors = ("metadata sync ", "data sync source: ", "data is behind on ")
    commands = ("radosgw-admin",)
    reach = 3

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        if not _is_own(cursor.line(cursor.at)):
            return None
        first = top_of(cursor, _is_own)
        below = cursor.block(first, 60)
        named = any(_ZONE.match(line) or _SOURCE.match(line) for line in below)
        return first if named and any(map(_SHARDS.match, below)) else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        zone: dict[str, Scalar] = {}
        sources: dict[str, dict[str, Scalar]] = {}
        name, values, prefix, last = "", zone, "metadata_", first
        for end, line in _whole(cursor, first):
            last = end
            if place := _ZONE.match(line):
                zone |= {place["what"]: place["name"], f"{place['what']}_id": place["id"]}
                name = place["name"] if place["what"] == "zone" else name
            elif source := _SOURCE.match(line):
                values = sources.setdefault(source["name"], {"id": source["id"]})
                prefix = ""
            elif time := _TIME.match(line):
                zone["current_time"] = time["time"]
            elif features := _FEATURES.match(line):
                zone["features_enabled"] = features["value"]
            elif metadata := _METADATA.match(line):
                zone["metadata_sync"] = metadata["state"]
            else:
                values |= {f"{prefix}{key}": value for key, value in _progress(line).items()}
        if not name and not sources:
            raise Unreadable("neither its zone nor a source is named", last)
        subjects = [PrintedSubject("rgw_zone", name, zone, prompt.host)] if zone else []
        return last, subjects + [
            PrintedSubject("rgw_sync", source, facts, prompt.host)
            for source, facts in sources.items()
        ]


def _is_own(line: str) -> bool:
    return any(pattern.match(line) for pattern in _OWN)


def _whole(cursor: TextCursor, first: int) -> Iterator[tuple[int, str]]:
    """Its lines, each with what a mail broke off it, and the index of the last of them."""
    text, last = "", first
    for index, line in close_lines(cursor, first, _MOST):
        if text and _is_own(line):
            yield last, text
            text, last = line, index
        elif not text:
            text, last = line, index
        elif len(text) >= _LONG and not prompt_in(line) and index == last + 1:
            text, last = _rejoined(text, line.strip()), index
        else:
            break
    if text:
        yield last, text


def _rejoined(text: str, rest: str) -> str:
    """A line with what was broken off it: within a time a terminal may have cut it."""
    for between in ("", " "):
        match = _OLDEST.match(f"{text}{between}{rest}")
        if match and _WHEN.fullmatch(match["when"]):
            return match[0]
    return f"{text} {rest}"


def _progress(line: str) -> dict[str, Scalar]:
    """What a line says of how far a synchronisation is."""
    if shards := _SHARDS.match(line):
        return {f"{shards['how']}_sync_shards": int(shards["done"]), "shards": int(shards["all"])}
    for name, pattern in _COUNTS:
        if match := pattern.match(line):
            return {name: int(match[1])}
    if _CAUGHT_UP.match(line):
        return {"behind_shards": 0}
    if oldest := _OLDEST.match(line):
        return {"oldest_change_not_applied": oldest["when"]}
    state = _STATE.match(line)
    return {"state": state["state"]} if state else {}
