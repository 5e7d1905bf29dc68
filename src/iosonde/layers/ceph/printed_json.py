"""`ceph -s`, `health`, `df`, `osd df` and `osd tree` with -f json or json-pretty.

Source: Ceph 10 to 19, mon/Monitor.cc (get_cluster_status()), mon/PGMap.cc (PGMapDigest::
print_summary(), recovery_summary(), client_io_rate_summary(), dump_cluster_stats(),
dump_pool_stats_full()), mon/health_check.h (dump()), osd/OSDMap.cc (print_summary(),
OSDUtilizationFormatter: "kb" in KiB, "utilization" in percent; OSDTreeFormatter, "nodes" with the
buckets' "children"). Since 14 "percent_used" is a share of one; before, where no pool has "stored",
it is not taken.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from typing_extensions import override

from iosonde.layers.ceph.facts import figures_in, not_whole
from iosonde.records.printed import PrintedCounters, PrintedSubject
from iosonde.records.stack import Json, Scalar
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.json_output import JsonOutput, begin_of, number, objects, part
from iosonde.units import KIB

_ID = r'"[0-9a-f]{8}-[0-9a-f-]{27}"'
_LOST = ("degraded", "misplaced", "unfound")
_RATES = {
    "read_bytes_sec": "read.bandwidth", "write_bytes_sec": "write.bandwidth",
    "read_op_per_sec": "read.iops", "write_op_per_sec": "write.iops",
    "recovering_bytes_per_sec": "recovery.bandwidth", "recovering_keys_per_sec": "recovery.keys",
    "recovering_objects_per_sec": "recovery.objects",
}  # fmt: skip
_PGMAP = {
    "num_pgs": "pgs", "num_pools": "pools", "num_objects": "objects", "data_bytes": "stored",
    "bytes_used": "used", "bytes_avail": "available", "bytes_total": "size",
}  # fmt: skip
_OSDMAP = {
    "num_osds": "osds", "num_up_osds": "osds_up", "num_in_osds": "osds_in",
    "epoch": "osdmap_epoch", "num_remapped_pgs": "remapped_pgs",
}  # fmt: skip
_NODE = {
    "crush_weight": "weight", "reweight": "reweight", "primary_affinity": "affinity",
    "var": "variance", "pgs": "pgs",
}  # fmt: skip
_KIB = {
    "kb": "size", "kb_used": "used", "kb_used_data": "data", "kb_used_omap": "omap",
    "kb_used_meta": "metadata", "kb_avail": "available",
}  # fmt: skip
_SUMMARY = {
    "total_kb": "size", "total_kb_used": "used", "total_kb_used_data": "data",
    "total_kb_used_omap": "omap", "total_kb_used_meta": "metadata", "total_kb_avail": "available",
}  # fmt: skip
_STATS = {
    "total_bytes": "size", "total_avail_bytes": "available", "total_used_bytes": "used",
    "total_used_raw_bytes": "raw_used",
}  # fmt: skip
_POOL = {
    "stored": "stored", "objects": "objects", "bytes_used": "used", "max_avail": "available",
    "stored_data": "data", "stored_omap": "omap", "dirty": "dirty",
}  # fmt: skip


class _CephJson(JsonOutput):
    """What all have in common."""

    commands = ("ceph", "microceph.ceph")


class CephStatusJson(_CephJson):
    tool = "ceph -s"
    anchors = (
        '"pgs_by_state"', '"quorum_names"', '"election_epoch"', '"pgmap"', '"osdmap"',
    )  # fmt: skip
    nothing = "none of its figures is there"
    head = re.compile(
        rf'\{{\s*"fsid"\s*:\s*{_ID}\s*,\s*"(?:health|election_epoch)"\s*:'
        r'|\{\s*"(?:health|election_epoch)"\s*:\s*(?:\{|\d)'
    )

    @override
    def things(self, value: Any, prompt: Prompt) -> Iterable[PrintedSubject | PrintedCounters]:
        if not {"pgmap", "osdmap"} & value.keys():
            return
        values: dict[str, Scalar] = {"id": str(value["fsid"])} if value.get("fsid") else {}
        values |= _health(part(value, "health")) | _monitors(value) | _osds(value)
        pgmap = part(value, "pgmap")
        values |= dict(_named(pgmap, _PGMAP)) | _groups(pgmap) | _ranks(part(value, "fsmap"))
        if values:
            yield PrintedSubject("ceph", "ceph", values, prompt.host)
        rates: dict[str, Json] = dict(_named(pgmap, _RATES))
        if rates:
            yield self.counted("ceph", "ceph", rates, prompt)


def _named(value: Mapping[str, Any], names: Mapping[str, str]) -> Iterator[tuple[str, int | float]]:
    """The numbers of an object, by other names."""
    for key, name in names.items():
        figure = number(value.get(key))
        if figure is not None:
            yield name, figure


def _health(health: Mapping[str, Any]) -> dict[str, Scalar]:
    """Health, checks by their codes, and what their messages count.

    Args:
        health: of Ceph 12 and later with "checks", of older ones with "summary".
    """
    state = health.get("status") or health.get("overall_status")
    checks = {
        code: str(part(check, "summary").get("message"))
        for code, check in part(health, "checks").items()
        if part(check, "summary").get("message")
    }
    old = [str(item["summary"]) for item in objects(health.get("summary")) if item.get("summary")]
    messages = list(checks.values()) or old
    values: dict[str, Scalar] = {"health": str(state)} if state else {}
    if messages:
        values |= {**figures_in(" ".join(messages)), "health_checks": "; ".join(messages)}
    return values


def _monitors(value: Mapping[str, Any]) -> dict[str, Scalar]:
    values: dict[str, Scalar] = {}
    monmap = part(value, "monmap")
    monitors = number(monmap.get("num_mons")) or len(objects(monmap.get("mons")))
    if monitors:
        values["monitors"] = monitors
    names = value.get("quorum_names")
    if isinstance(names, list) and names:
        values["quorum"] = ",".join(map(str, names))
    values |= dict(_named(value, {"election_epoch": "election_epoch"}))
    values |= dict(_named(monmap, {"epoch": "monmap_epoch"}))
    mgrmap = part(value, "mgrmap")
    if mgrmap.get("active_name"):
        values["mgr_active"] = str(mgrmap["active_name"])
    if mgrmap.get("available") is False:
        values["mgr"] = "no daemons active"
    return values


def _osds(value: Mapping[str, Any]) -> dict[str, Scalar]:
    osdmap = part(value, "osdmap", "osdmap") or part(value, "osdmap")  # twice up to Ceph 14
    return dict(_named(osdmap, _OSDMAP))


def _groups(pgmap: Mapping[str, Any]) -> dict[str, Scalar]:
    values: dict[str, Scalar] = {}
    for what in _LOST:
        lost, of = number(pgmap.get(f"{what}_objects")), number(pgmap.get(f"{what}_total"))
        if lost is not None and of is not None:
            values |= not_whole(what, str(lost), str(of))
    for key, name in (("unknown_pgs_ratio", "unknown"), ("inactive_pgs_ratio", "not_active")):
        share = number(pgmap.get(key))
        if share is not None:
            values[f"pgs_{name}_share"] = round(share, 6)
    for state in objects(pgmap.get("pgs_by_state")):
        count = number(state.get("count"))
        if count is not None and state.get("state_name"):
            values[f"pgs_{state['state_name']}"] = count
    return values


def _ranks(fsmap: Mapping[str, Any]) -> dict[str, Scalar]:
    """How many MDS hold ranks, and the ranks that do not serve."""
    names = {"epoch": "fsmap_epoch", "up": "mds_up", "in": "mds_in", "max": "mds_max",
             "up:standby": "mds_standby"}  # fmt: skip
    values: dict[str, Scalar] = dict(_named(fsmap, names))
    for rank in objects(fsmap.get("by_rank")):
        state = str(rank.get("status") or "").removeprefix("up:")
        if state and state != "active" and number(rank.get("rank")) is not None:
            values[f"mds_rank_{rank['rank']}"] = state
    return values


class CephHealthJson(_CephJson):
    tool = "ceph health"
    anchors = (
        '"HEALTH_OK"', '"HEALTH_WARN"', '"HEALTH_ERR"', '"mutes"',
    )  # fmt: skip
    reach = 3
    nothing = "it does not say the health"
    head = re.compile(
        r'\{\s*"status"\s*:\s*"HEALTH_[A-Z]{2,4}"\s*,\s*"checks"\s*:'
        r'|\{\s*"checks"\s*:\s*\{(?:\s*\}|\s*"[A-Z_]{5,60}"\s*:\s*\{)'
        r'|\{\s*"health"\s*:\s*\{(?:\s*\}|\s*"health_services"\s*:)'
    )

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        """That of a status is not its own."""
        first = super().begin(cursor)
        if first is None:
            return None
        above = cursor.line(first)[: begin_of(cursor, first, self.head)].rstrip()
        return None if (above or cursor.line(first - 1) or "").endswith(":") else first

    @override
    def things(self, value: Any, prompt: Prompt) -> Iterable[PrintedSubject]:
        values = _health(value)
        if "health" not in values:
            return
        for code, check in part(value, "checks").items():
            message = part(check, "summary").get("message")
            if message:
                values[code] = str(message)
        yield PrintedSubject("ceph", "ceph", values, prompt.host)


class CephOsdsJson(_CephJson):
    tool = "ceph osd"
    anchors = ('"nodes"', '"crush_weight"')
    nothing = "it lists no OSD"
    head = re.compile(
        r'\{\s*"nodes"\s*:\s*\[\s*\{\s*"id"\s*:\s*-?\d{1,10}\s*,'
        r'(?:\s*"device_class"\s*:\s*"[^"]{0,40}"\s*,)?\s*"name"\s*:\s*"[^"]{1,120}"\s*,'
        r'\s*"type"\s*:\s*"[^"]{1,40}"\s*,\s*"type_id"\s*:'
    )

    @override
    def things(self, value: Any, prompt: Prompt) -> Iterable[PrintedSubject]:
        nodes = [*objects(value.get("nodes")), *objects(value.get("stray"))]
        hosts = {
            child: str(node.get("name"))
            for node in nodes
            if node.get("type") == "host"
            for child in node.get("children") or ()
        }
        for node in nodes:
            if node.get("type") == "osd" and isinstance(node.get("id"), int):
                values = _node(node)
                if node["id"] in hosts:
                    values["host"] = hosts[node["id"]]
                yield PrintedSubject("osd", f"osd.{node['id']}", values, prompt.host)
            elif "kb" in node and node.get("name"):
                values = {"type": str(node.get("type")), **_node(node)}
                values.pop("reweight", None)  # -1: a bucket has none
                yield PrintedSubject("ceph_bucket", str(node["name"]), values, prompt.host)
        if cluster := _spread(part(value, "summary")):
            yield PrintedSubject("ceph", "ceph", cluster, prompt.host)


def _node(node: Mapping[str, Any]) -> dict[str, Scalar]:
    values: dict[str, Scalar] = {**dict(_named(node, _NODE))}
    values |= {name: round(figure * KIB) for name, figure in _named(node, _KIB)}
    values |= {name: figure / 100 for name, figure in _named(node, {"utilization": "full"})}
    for key, name in (("device_class", "class"), ("status", "status")):
        if node.get(key):
            values[name] = str(node[key])
    if node.get("exists") == 0:
        values["status"] = "DNE"
    return values


def _spread(summary: Mapping[str, Any]) -> dict[str, Scalar]:
    """The room of all OSDs, and how differently they are filled."""
    values: dict[str, Scalar] = {n: round(k * KIB) for n, k in _named(summary, _SUMMARY)}
    values |= dict(_named(summary, {"min_var": "variance_min", "max_var": "variance_max"}))
    shares = {"average_utilization": "full", "dev": "full_deviation"}
    return values | {name: round(figure / 100, 6) for name, figure in _named(summary, shares)}


class CephDfJson(_CephJson):
    tool = "ceph df"
    anchors = ('"total_avail_bytes"', '"stats":')
    nothing = "it says no size"
    head = re.compile(r'\{\s*"stats"\s*:\s*\{\s*"total_bytes"\s*:\s*\d')

    @override
    def things(self, value: Any, prompt: Prompt) -> Iterable[PrintedSubject]:
        if stats := _stats(part(value, "stats")):
            yield PrintedSubject("ceph", "ceph", stats, prompt.host)
        for name, stats in part(value, "stats_by_class").items():
            yield PrintedSubject("ceph_class", name, _stats(stats), prompt.host)
        for pool in objects(value.get("pools")):
            if pool.get("name"):
                yield PrintedSubject("ceph_pool", str(pool["name"]), _pool(pool), prompt.host)


def _stats(stats: Mapping[str, Any]) -> dict[str, Scalar]:
    values: dict[str, Scalar] = dict(_named(stats, _STATS))
    return values | dict(_named(stats, {"total_used_raw_ratio": "full"}))


def _pool(pool: Mapping[str, Any]) -> dict[str, Scalar]:
    stats = part(pool, "stats")
    values: dict[str, Scalar] = dict(_named(pool, {"id": "id"}))
    values |= dict(_named(stats, _POOL))
    if "stored" in stats:
        values |= dict(_named(stats, {"percent_used": "full"}))
    return values
