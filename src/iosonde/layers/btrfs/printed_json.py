"""`btrfs --format json`: counters of devices, block groups, subvolumes and quota groups.

Source: btrfs-progs 6.19, common/format-output.c (fmt_start(): "__header"), cmds/device.c
(device_stats_rowspec), cmds/filesystem.c (print_df_json(): bytes), cmds/subvolume.c
(btrfs_subvolume_rowspec), cmds/qgroup.c (qgroup_show_rowspec: bytes, "none" is no limit).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from typing_extensions import override

from iosonde.layers.btrfs.printed import group_name, mount_point
from iosonde.records.printed import PrintedCounters, PrintedSubject
from iosonde.records.stack import Json, Scalar
from iosonde.text.cursor import Prompt
from iosonde.text.json_output import JsonOutput, number, objects
from iosonde.text.json_tree import key_name

_SUBVOLUME = {
    "cgeneration": "created_in", "otime": "created", "stransid": "send_transid",
    "rtransid": "receive_transid", "stime": "sent", "rtime": "received",
}  # fmt: skip


class _BtrfsJson(JsonOutput):
    """One list below the header that all have."""

    commands = ("btrfs",)
    reach = 3
    nothing = "it lists nothing"


def _headed(key: str) -> re.Pattern[str]:
    """How the JSON of a command begins, by the key of its list."""
    return re.compile(
        rf'\{{\s*"__header"\s*:\s*\{{\s*"version"\s*:\s*"\d{{1,4}}"\s*\}}\s*,\s*"{key}"\s*:\s*\['
    )


class BtrfsStatsJson(_BtrfsJson):
    tool = "btrfs device stats"
    anchors = ('"device-stats"',)
    head = _headed("device-stats")

    @override
    def things(self, value: Any, prompt: Prompt) -> Iterator[PrintedCounters]:
        for row in objects(value.get("device-stats")):
            if isinstance(device := row.get("device"), str):
                counts: dict[str, Json] = {
                    key: _count(count) for key, count in row.items() if key != "device"
                }
                yield self.counted("btrfs", device.removeprefix("/dev/"), counts, prompt)


class BtrfsDfJson(_BtrfsJson):
    tool = "btrfs filesystem df"
    anchors = ('"filesystem-df"',)
    head = _headed("filesystem-df")

    @override
    def things(self, value: Any, prompt: Prompt) -> Iterator[PrintedSubject]:
        facts: dict[str, Scalar] = {}
        for row in objects(value.get("filesystem-df")):
            kind, profile = str(row.get("bg-type") or ""), str(row.get("bg-profile") or "")
            if kind and profile:
                kind = group_name(kind, profile, facts)
                facts[f"{kind}_profile"] = profile.lower()
                for key in ("total", "used", "zone_unusable"):
                    if (figure := number(row.get(key))) is not None:
                        facts[f"{kind}_{key}"] = figure
        if facts:
            yield PrintedSubject("btrfs", mount_point(prompt), facts, prompt.host)


class BtrfsSubvolumesJson(_BtrfsJson):
    tool = "btrfs subvolume list"
    anchors = ('"subvolume-list"',)
    head = _headed("subvolume-list")

    @override
    def things(self, value: Any, prompt: Prompt) -> Iterator[PrintedSubject]:
        for row in objects(value.get("subvolume-list")):
            if isinstance(path := row.get("path"), str):
                values = {_SUBVOLUME.get(key, key): text for key, text in _single(row, "path")}
                yield PrintedSubject("btrfs_subvolume", path, values, prompt.host)


class BtrfsQgroupsJson(_BtrfsJson):
    tool = "btrfs qgroup show"
    anchors = ('"qgroup-show"',)
    head = _headed("qgroup-show")

    @override
    def things(self, value: Any, prompt: Prompt) -> Iterator[PrintedSubject]:
        for row in objects(value.get("qgroup-show")):
            if isinstance(name := row.get("qgroupid"), str):
                values = dict(_single(row, "qgroupid"))
                for key in ("parents", "children"):
                    if isinstance(others := row.get(key), list) and others:
                        values[key] = " ".join(map(str, others))
                yield PrintedSubject("btrfs_qgroup", name, values, prompt.host)


def _single(row: Mapping[str, Any], without: str) -> Iterator[tuple[str, Scalar]]:
    """The single values of a row; null and "-" are none."""
    for key, value in row.items():
        if key != without and isinstance(value, str | int) and value not in {"", "-"}:
            yield key_name(key), value


def _count(value: object) -> Json:
    """A counter; before 6.0 some stood as texts."""
    return int(value) if isinstance(value, str) and value.isdecimal() else number(value)
