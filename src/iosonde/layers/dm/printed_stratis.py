"""`stratis pool list`, `filesystem list` and `blockdev list`: tables of Stratis.

Sizes are of 1024 as they stand there, the physical ones in three figures; in a row's cells of
several figures " / " stands between them as in the head.

Source: stratis-cli 2.4 to 3.6, src/stratis_cli/_actions/_list_pool.py ("Total / Used / Free",
Properties: Ca for a cache, Cr for encryption, Op for overprovisioning, "~" where not),
_list_filesystem.py ("Total / Used / Free / Limit"), _physical.py ("Physical Size", "Tier"); before
3.0 "Total Physical" and "Used" of file systems.
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde import units
from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import Items, StateOutput, close_rows

_SIZE = r"\d{1,6}(?:\.\d{1,2})? (?:[KMGTPE]i)?B"
_UUID = r"[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}"
_NAME = r"[\w.:+-]{1,120}"
_POOL_HEAD = re.compile(r"\s*Name +Total(?: Physical)?(?: Size)?(?: / Used / Free)? +Properties\b")
_POOL = re.compile(
    rf"\s*(?P<name>{_NAME}) +(?P<total>{_SIZE}) / (?P<used>{_SIZE}) / (?P<free>{_SIZE}) +"
    rf"(?P<properties>~?[A-Z][a-z](?:, ?~?[A-Z][a-z]){{0,5}})(?: +(?P<uuid>{_UUID}))?"
    r"(?: +(?P<alerts>[A-Z]{2}\d{3}(?:, ?[A-Z]{2}\d{3}){0,5}))?\s*$"
)
_FS_HEAD = re.compile(r"\s*Pool(?: Name)? +(?:Filesystem|Name) +(?:Total / Used / Free|Used)\b")
_FS = re.compile(
    rf"\s*(?P<pool>{_NAME}) +(?P<name>{_NAME}) +(?:(?P<total>{_SIZE}) / )?(?P<used>{_SIZE})"
    rf"(?: / (?P<free>{_SIZE})(?: / (?P<limit>{_SIZE}|None))?)? +"
    rf"(?:(?P<created>[A-Z][a-z]{{2}} \d\d \d{{4}} \d\d:\d\d) +)?"
    rf"(?P<device>/\S{{1,200}})(?: +{_UUID})?\s*$"
)
_DEVICE_HEAD = re.compile(r"\s*Pool(?: Name)? +Device Node +Physical Size +(?:State +)?Tier\b")
_DEVICE = re.compile(
    rf"\s*(?P<pool>{_NAME}) +(?P<device>/\S{{1,200}}) +(?P<size>{_SIZE}) +(?:[A-Za-z-]{{3,20}} +)?"
    rf"(?P<tier>[A-Za-z]{{4,8}})(?: +{_UUID})?\s*$"
)
_PROPERTIES = {"Ca": "has_cache", "Cr": "encrypted", "Op": "overprovisioning"}


class Stratis(StateOutput):
    tool = "stratis"
    anchors = (" / Used / Free", "Total Physical", "Device Node ", "Filesystem ")
    commands = ("stratis",)
    reach = 3
    nothing = "no row follows"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        heads = (_POOL_HEAD, _FS_HEAD, _DEVICE_HEAD)
        return cursor.at if any(head.match(line) for head in heads) else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        head = cursor.line(first)
        form = _POOL if _POOL_HEAD.match(head) else _FS if _FS_HEAD.match(head) else _DEVICE
        subjects = list[PrintedSubject]()
        rows, last = close_rows(cursor, first + 1, form.match)
        for row in rows:
            kind, name, values = (
                ("stratis_pool", row["name"], _of_pool(row)) if form is _POOL
                else ("stratis_filesystem", row["name"], _of_filesystem(row)) if form is _FS
                else ("disk", row["device"].removeprefix("/dev/"), _of_device(row))
            )  # fmt: skip
            subjects.append(PrintedSubject(kind, name, values, prompt.host))
        return last, subjects


def _bytes(text: str) -> int:
    return round(units.printed(text.replace(" ", ""), binary=True)[0])


def _of_pool(row: re.Match[str]) -> dict[str, Scalar]:
    values: dict[str, Scalar] = {
        "size": _bytes(row["total"]),
        "used": _bytes(row["used"]),
        "free": _bytes(row["free"]),
    }
    for text in row["properties"].replace(" ", "").split(","):
        if name := _PROPERTIES.get(text.lstrip("~")):
            values[name] = not text.startswith("~")
    return values | ({"alerts": row["alerts"]} if row["alerts"] else {})


def _of_filesystem(row: re.Match[str]) -> dict[str, Scalar]:
    values: dict[str, Scalar] = {"pool": row["pool"], "used": _bytes(row["used"])}
    for group, name in (("total", "size"), ("free", "free"), ("limit", "limit")):
        if row[group] and row[group] != "None":
            values[name] = _bytes(row[group])
    created: dict[str, Scalar] = {"created": row["created"]} if row["created"] else {}
    return {**values, "device": row["device"].removeprefix("/dev/"), **created}


def _of_device(row: re.Match[str]) -> dict[str, Scalar]:
    return {
        "stratis_pool": row["pool"], "size": _bytes(row["size"]),
        "stratis_tier": row["tier"].lower(),
    }  # fmt: skip
