"""`radosgw-admin bucket stats`, `user stats` and `bucket limit check`: what is stored in a gateway.

Source: Ceph 12 to 19, rgw/rgw_bucket.cc (dump_bucket_usage(): "usage" by category, "num_objects";
RGWBucketAdminOp::limit_check(): "objects_per_shard", "fill_status": OK, WARN or OVER N %),
rgw/rgw_admin.cc (user stats: "stats", "last_stats_sync"); sizes are in bytes, `_kb` in KiB.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from typing_extensions import override

from iosonde import kerneltext
from iosonde.records.printed import PrintedSubject, Unreadable
from iosonde.text.cursor import Prompt
from iosonde.text.json_output import JsonOutput, leaves

_OWNER = re.compile(r"\s--(?:uid|user)[= ](\S{1,120})")


class _RgwJson(JsonOutput):
    """What all have in common."""

    commands = ("radosgw-admin",)
    reach = 6


class RgwBucketStats(_RgwJson):
    tool = "radosgw-admin bucket stats"
    anchors = ('"bucket_quota"',)
    head = re.compile(r'\{\s*"bucket"\s*:')

    @override
    def things(self, value: Any, prompt: Prompt) -> Iterable[PrintedSubject]:
        if "usage" not in value:
            raise Unreadable("it does not say what the bucket holds")
        yield PrintedSubject("rgw_bucket", str(value["bucket"]), dict(leaves(value)), prompt.host)


class RgwUserStats(_RgwJson):
    tool = "radosgw-admin user stats"
    anchors = ('"last_stats_sync"',)
    head = re.compile(r'\{\s*"stats"\s*:')

    @override
    def things(self, value: Any, prompt: Prompt) -> Iterable[PrintedSubject]:
        user = _OWNER.search(prompt.command)
        yield PrintedSubject("rgw_user", user[1] if user else "", dict(leaves(value)), prompt.host)


class RgwLimitCheck(_RgwJson):
    tool = "radosgw-admin bucket limit check"
    anchors = ('"objects_per_shard"',)
    head = re.compile(r'\{\s*"user_id"\s*:')

    @override
    def things(self, value: Any, prompt: Prompt) -> Iterable[PrintedSubject]:
        buckets = value.get("buckets")
        if not isinstance(buckets, list):
            raise Unreadable("it lists no buckets")
        for bucket in buckets:
            if isinstance(bucket, Mapping) and "bucket" in bucket:
                values = {"user_id": str(value["user_id"]), **dict(leaves(bucket))}
                fill = kerneltext.fields(str(bucket.get("fill_status", "")))
                if fill:
                    values["state"] = fill[0].lower()
                yield PrintedSubject("rgw_bucket", str(bucket["bucket"]), values, prompt.host)
