"""Prometheus' text exposition: of node_exporter, and of others, such as Ceph's and Kubernetes'.

Of others, every figure keeps the labels that do not name what it is about.

Source: Prometheus documentation, "Exposition formats" (text format 0.0.4), and "Metric and label
naming" for the base units that names end in; node_exporter 1.8,
collector/diskstats_common.go, filesystem_common.go, mdadm_linux.go: names with their base units.
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.layers import LAYERS
from iosonde.layers._names import kind_by_module
from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import Items, StateOutput, close_lines, top_of, top_of_own

_SAMPLE = re.compile(
    r"\s*(?P<name>node_[a-zA-Z0-9_]{3,80})(?:\{(?P<labels>[^{}]{0,400})\})?\s+"
    r"(?P<value>[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?|NaN|[+-]Inf)(?:\s+\d{9,14})?\s*$"
)
_ANY = re.compile(
    r"\s*(?P<name>(?!node_)[a-zA-Z_:][a-zA-Z0-9_:]{2,100})(?:\{(?P<labels>[^{}]{0,800})\})?\s+"
    r"(?P<value>[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?|NaN|[+-]Inf)(?:\s+\d{9,14})?\s*$"
)
_ANY_COMMENT = re.compile(r"\s*# (?:HELP|TYPE) (?!node_)[a-zA-Z_:][a-zA-Z0-9_:]{2,100}(?: |$)")
_LABELS = re.compile(
    r'[a-zA-Z_]\w{0,60}="[^"]{0,400}"(?:,\s?[a-zA-Z_]\w{0,60}="[^"]{0,400}"){0,40},?'
)
_OWNERS = (
    "ceph_daemon", "persistentvolumeclaim", "volume", "device", "mountpoint", "osd", "disk",
)  # fmt: skip
"""Labels that name what a sample is about, the most telling first."""
_COMMENT = re.compile(r"\s*# (?:HELP|TYPE) node_[a-zA-Z0-9_]{3,80} ")
_LABEL = re.compile(r'(?P<name>[a-zA-Z_]\w{0,40})="(?P<value>[^"]{0,160})"')
_KINDS = {"filesystem": "mount", "network": "link", "memory": "memory", "zfs": "zfs"}
"""Collector of node_exporter → what it is about, if no kind or kernel module is called so."""
_SUBJECTS = ("mountpoint", "device", "pool", "cpu", "zpool", "uuid")
_DESCRIBES = {"filesystem": ("device", "fstype", "device_error")}
"""Labels of a collector that say something of the thing, but do not tell two samples apart."""
_MOST = 20000


class Exposition(StateOutput):
    tool = "node_exporter"
    anchors = (
        "node_disk_", "node_filesystem_", "node_md_", "node_xfs_", "node_zfs_", "node_memory_",
        "node_pressure_", "node_nfs", "node_vmstat_", "node_load", '{device="', '{cpu="',
        "node_cpu_", "node_network_", "node_netstat_", "node_hwmon_", "node_nvme_", "node_filefd_",
        "node_bcache_", "node_btrfs_", "node_infiniband_", "node_fibrechannel_",
        "node_mountstats_", "node_procs_", "node_uname_info", "node_os_", "node_boot_time_",
        "node_softirqs_", "node_schedstat_", "node_edac_", "node_scrape_", "node_textfile_",
    )  # fmt: skip
    commands = ("curl", "wget", "cat", "grep")
    nothing = "no sample with a value follows"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        return top_of_own(cursor, _is_own)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        things: dict[tuple[str, str], dict[str, Json]] = {}
        last = first
        for index, line in close_lines(cursor, first, _MOST):
            if not _is_own(line):
                break
            last = index
            if sample := _SAMPLE.match(line):
                kind, name, figures = _subject(sample)
                thing = things.setdefault((kind, name), {})
                for metric, value in figures.items():
                    thing.setdefault(metric, value)
        return last, [
            self.counted(kind, name, values, prompt) for (kind, name), values in things.items()
        ]


class ExpositionOfOthers(StateOutput):
    tool = "Prometheus exposition"
    anchors = (
        "# HELP ", "# TYPE ", '{namespace="', '{ceph_daemon="', '{driver_name="', '{instance="',
        '{volume="', '{pool_id="', '{cluster="', ',le="', '{le="', ',persistentvolumeclaim="',
        "_bytes{", "_percent{", "_ratio{", "_seconds{", "_total{",
    )  # fmt: skip
    commands = ("curl", "wget", "cat", "grep", "kubectl")
    nothing = "no sample with a value follows"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        sample = _sample(line)
        if not _ANY_COMMENT.match(line) and not (sample and sample["labels"]):
            return None
        return top_of(cursor, _is_of_others)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        things: dict[tuple[str, str], dict[str, Json]] = {}
        last = first
        for index, line in close_lines(cursor, first, _MOST):
            if not _is_of_others(line):
                break
            last = index
            if sample := _sample(line):
                kind, name, metric = _owner(sample["name"], sample["labels"] or "")
                things.setdefault((kind, name), {}).setdefault(metric, _number(sample["value"]))
        return last, [
            self.counted(kind, name, values, prompt) for (kind, name), values in things.items()
        ]


def _sample(line: str) -> re.Match[str] | None:
    """A sample of a line: its labels are pairs of names and quoted values, or it has none."""
    match = _ANY.match(line)
    if match is None or (match["labels"] and not _LABELS.fullmatch(match["labels"].strip())):
        return None
    return match if match["labels"] or "_" in match["name"] else None


def _is_of_others(line: str) -> bool:
    return bool(_ANY_COMMENT.match(line) or _sample(line))


def _owner(name: str, labels: str) -> tuple[str, str, str]:
    """Kind and name of what a sample is about, and its figure with all labels that are left."""
    named = {label["name"]: label["value"] for label in _LABEL.finditer(labels)}
    key = next((label for label in _OWNERS if named.get(label)), "")
    owner = named.pop(key, "")
    kind = "osd" if owner.startswith("osd.") else "ceph" if name.startswith("ceph_") else "host"
    rest = ",".join(f"{label}={value}" for label, value in named.items())
    return kind, owner, f"{name}{{{rest}}}" if rest else name


def _is_own(line: str) -> bool:
    return bool(_SAMPLE.match(line) or _COMMENT.match(line))


def _subject(sample: re.Match[str]) -> tuple[str, str, dict[str, Json]]:
    """Kind and name of what a sample is about, and its figure, named with the labels left over.

    What only describes a thing (`_DESCRIBES`, all labels of an _info) is a value of its own.
    """
    name, value = sample["name"], _number(sample["value"])
    collector = name.split("_")[1]
    own = collector if collector in LAYERS else kind_by_module(collector)
    kind = _KINDS.get(collector, own or "host")
    named = {label["name"]: label["value"] for label in _LABEL.finditer(sample["labels"] or "")}
    subject = next((named.pop(key) for key in _SUBJECTS if key in named), "")
    if name.endswith("_info"):
        return kind, subject, {f"{name}.{key}": text for key, text in named.items()}
    figures: dict[str, Json] = {}
    for key in _DESCRIBES.get(collector, ()):
        if text := named.pop(key, ""):
            figures[key] = text
    rest = ",".join(f"{key}={text}" for key, text in named.items())
    return kind, subject, {(f"{name}{{{rest}}}" if rest else name): value, **figures}


def _number(text: str) -> Json:
    """The value; None where it is no number."""
    if text.lstrip("+-") in {"NaN", "Inf"}:
        return None
    value = float(text)
    return int(value) if value.is_integer() and abs(value) < 2**53 else value
