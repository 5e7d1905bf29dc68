"""`radosgw-admin bucket stats`, `user stats` and `bucket limit check`: what is stored in a gateway.

Source: Ceph 12 to 19, rgw/rgw_bucket.cc (dump_bucket_usage(): "usage" by category, "num_objects";
RGWBucketAdminOp::limit_check(): "objects_per_shard", "fill_status": OK, WARN or OVER N %),
rgw/rgw_admin.cc (user stats: "stats", "last_stats_sync"); sizes are in bytes, `_kb` in KiB.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, ClassVar

from typing_extensions import override

from iosonde import kerneltext
from iosonde.records.printed import PrintedSubject, Unreadable
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, joined, lines
from iosonde.text.reader import Items, StateOutput, nearest
from iosonde.text.torn import decoded, opening

_MOST = 20_000
_LONGEST = 200  # characters of a value
_OWNER = re.compile(r"\s--(?:uid|user)[= ](\S{1,120})")


class _RgwJson(StateOutput):
    """An object in JSON that one key tells."""

    commands: ClassVar[tuple[str, ...]] = ("radosgw-admin",)
    reach: ClassVar[int] = 6
    first_key: ClassVar[re.Pattern[str]]
    """The key that the object begins with."""

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        top = nearest(cursor, 80, self.first_key.search)
        return None if top is None else opening(cursor, top)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        last = _end(cursor, first)
        value = decoded(joined(cursor, first, last), self.first_key)
        return last, list(self.subjects(value, prompt))

    @abstractmethod
    def subjects(self, value: Mapping[str, Any], prompt: Prompt) -> Iterable[PrintedSubject]:
        """What the object says."""


def _end(cursor: TextCursor, first: int) -> int:
    """Index of the line in which as many braces are closed as were opened."""
    depth = 0
    last = first
    for index, line in lines(cursor, first, _MOST):
        depth += line.count("{") - line.count("}")
        last = index
        if depth <= 0 and "}" in line:
            break
    return last


def _flat(value: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Scalar]]:
    """The values within each other, by the keys that lead to them; lists are none."""
    for key, inner in value.items():
        name = f"{prefix}{key}"
        if isinstance(inner, Mapping):
            yield from _flat(inner, f"{name}.")
        elif isinstance(inner, str):
            if inner:
                yield name, inner[:_LONGEST]
        elif isinstance(inner, bool | int | float):
            yield name, inner


class RgwBucketStats(_RgwJson):
    """See `iosonde.text.cursor.Output`."""

    tool: ClassVar[str] = "radosgw-admin bucket stats"
    anchors: ClassVar[tuple[str, ...]] = ('"bucket_quota"',)
    first_key: ClassVar[re.Pattern[str]] = re.compile(r'"bucket"\s*:')

    @override
    def subjects(self, value: Mapping[str, Any], prompt: Prompt) -> Iterable[PrintedSubject]:
        if "usage" not in value:
            raise Unreadable("it does not say what the bucket holds")
        yield PrintedSubject("rgw_bucket", str(value["bucket"]), dict(_flat(value)), prompt.host)


class RgwUserStats(_RgwJson):
    """See `iosonde.text.cursor.Output`."""

    tool: ClassVar[str] = "radosgw-admin user stats"
    anchors: ClassVar[tuple[str, ...]] = ('"last_stats_sync"',)
    first_key: ClassVar[re.Pattern[str]] = re.compile(r'"stats"\s*:')

    @override
    def subjects(self, value: Mapping[str, Any], prompt: Prompt) -> Iterable[PrintedSubject]:
        user = _OWNER.search(prompt.command)
        yield PrintedSubject("rgw_user", user[1] if user else "", dict(_flat(value)), prompt.host)


class RgwLimitCheck(_RgwJson):
    """See `iosonde.text.cursor.Output`."""

    tool: ClassVar[str] = "radosgw-admin bucket limit check"
    anchors: ClassVar[tuple[str, ...]] = ('"objects_per_shard"',)
    first_key: ClassVar[re.Pattern[str]] = re.compile(r'"user_id"\s*:')

    @override
    def subjects(self, value: Mapping[str, Any], prompt: Prompt) -> Iterable[PrintedSubject]:
        buckets = value.get("buckets")
        if not isinstance(buckets, list):
            raise Unreadable("it lists no buckets")
        for bucket in buckets:
            if isinstance(bucket, Mapping) and "bucket" in bucket:
                values = {"user_id": str(value["user_id"]), **dict(_flat(bucket))}
                fill = kerneltext.fields(str(bucket.get("fill_status", "")))
                if fill:
                    values["state"] = fill[0].lower()
                yield PrintedSubject("rgw_bucket", str(bucket["bucket"]), values, prompt.host)
