"""`zpool status -j`, `zpool list -j`, `zpool get -j`, `zfs list -j` and `zfs get -j`.

Source: OpenZFS 2.3, cmd/zpool/zpool_main.c (status_callback_json(), vdev_stats_nvlist(),
scan_status_nvlist(), fill_vdev_info(), collect_pool(), collect_vdev_prop()), cmd/zfs/zfs_main.c
(fill_dataset_info()), lib/libzfs/libzfs_util.c (zprop_nvlist_one_property()),
lib/libzfs/libzfs_pool.c (zpool_state_to_name()); without -p numbers are abbreviated as in tables.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from typing_extensions import override

from iosonde.layers.zfs.facts import GROUP, STATES, counts_of, number, pool_state, whole
from iosonde.layers.zfs.printed_tables import FEW, pool_facts, property_value
from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt
from iosonde.text.json_output import JsonOutput, part

_NUMBER = re.compile(r"\d{1,20}(?:\.\d{1,3})?[KMGTPEZ]?B?")
_SECTIONS = {
    "logs": "logs", "l2cache": "cache", "spares": "spares", "special": "special", "dedup": "dedup",
}  # fmt: skip
_CLASSES = {
    "log": "logs", "l2cache": "cache", "spare": "spares", "special": "special", "dedup": "dedup",
}  # fmt: skip
_FAULTED = frozenset({"CORRUPT_DATA", "BAD_LOG"})
_COUNTS = ("read_errors", "write_errors", "checksum_errors", "slow_ios")
_ASHIFTS = {"configured_ashift": "block_size", "physical_ashift": "physical_block_size"}
_LARGEST_ASHIFT = 16
_POOL_TEXTS = ("pool_guid", "txg", "spa_version", "zpl_version", "action", "msgid", "moreinfo")
_DEVICE_TEXTS = ("guid", "vdev_type", "path", "phys_path", "devid")
_DEVICE_SIZES = {
    "alloc_space": "allocated", "total_space": "size", "def_space": "deflated_size",
    "rep_dev_size": "replaceable_size", "phys_space": "physical_size",
}  # fmt: skip
_SCAN_TIMES = ("start_time", "end_time", "scrub_pause", "pass_start")
_SCAN_SIZES = {
    name: f"scan_{name}"
    for name in ("to_examine", "examined", "skipped", "processed", "issued", "errors")
}
_COLUMNS = {
    "size": "SIZE", "allocated": "ALLOC", "free": "FREE", "checkpoint": "CKPOINT",
    "expandsize": "EXPANDSZ", "fragmentation": "FRAG", "capacity": "CAP", "dedupratio": "DEDUP",
    "health": "HEALTH", "altroot": "ALTROOT",
}  # fmt: skip
_SIZES = {"used": "used", "available": "available", "referenced": "referenced"}
_DEEPEST = 12


class ZfsJson(JsonOutput):
    tool = "zfs -j"
    anchors = (
        '"output_version"', '"zpool status"', '"zpool list"', '"zpool get"', '"zfs list"',
        '"zfs get"',
    )  # fmt: skip
    commands = ("zpool", "zfs")
    nothing = "it names no pool and no dataset"
    head = re.compile(
        r'\{\s*"output_version"\s*:\s*\{\s*"command"\s*:\s*"(?:zpool|zfs) (?:status|list|get)"'
    )

    @override
    def things(self, value: Any, prompt: Prompt) -> Iterable[PrintedSubject]:
        command = str(part(value, "output_version").get("command"))
        for key, item in part(value, "pools").items():
            pool = str(item.get("name") or key)
            if command == "zpool status":
                yield from _status(pool, item, prompt.host)
            else:
                yield from _listed(pool, item, prompt.host, is_list=command == "zpool list")
        for key, item in part(value, "datasets").items():
            facts = _dataset(item, is_list=command == "zfs list")
            yield PrintedSubject("dataset", str(item.get("name") or key), facts, prompt.host)


# ── zpool status ────────────────────────────────────────────────────────────────────────────────


def _status(pool: str, item: Mapping[str, Any], host: str) -> Iterator[PrintedSubject]:
    vdevs = part(item, "vdevs")
    root = part(vdevs, pool)
    rows = list(_below(part(root, "vdevs") or {k: v for k, v in vdevs.items() if k != pool}))
    for key, use in _SECTIONS.items():
        rows += [(name, {**facts, "use": use}) for name, facts in _below(part(item, key))]
    facts = _device(root) if root else {}
    if (state := item.get("state")) in STATES:
        facts |= pool_state(str(state), facts.get("state"))
    if item.get("status"):
        facts["status"] = " ".join(str(item["status"]).split())
    facts |= _texts(item, _POOL_TEXTS)
    errors = _figure(item.get("error_count"))
    if errors is not None:
        facts["data_errors"] = errors
    facts |= _scan(part(item, "scan_stats"))
    facts["devices"] = sum("group" not in own for _, own in rows)
    yield PrintedSubject("zpool", pool, facts, host)
    for name, own in rows:
        yield PrintedSubject("zpool_device", name, {"pool": pool, **own}, host)


def _texts(item: Mapping[str, Any], names: Iterable[str]) -> dict[str, Scalar]:
    """Identities, versions, times and advice as printed, without those that are not set."""
    texts = {name: " ".join(str(item[name]).split()) for name in names if name in item}
    return {name: text for name, text in texts.items() if text not in {"", "-"}}


def _below(
    vdevs: Mapping[str, Any], group: str = "", depth: int = 0
) -> Iterator[tuple[str, dict[str, Scalar]]]:
    """The vdevs and what they are made up of, in order, as the table of the status has them."""
    for name, vdev in vdevs.items():
        if not isinstance(vdev, dict):
            continue
        facts = _device(vdev)
        above = group or str(vdev.get("parent") or "")
        inner = above
        if GROUP.search(name):
            facts["group"] = True
            inner = above if name.startswith(("replacing", "spare")) else name
        elif above and (group or GROUP.search(above)):
            facts["part_of"] = above
        yield name, facts
        if depth < _DEEPEST:
            yield from _below(part(vdev, "vdevs"), inner, depth + 1)


def _device(vdev: Mapping[str, Any]) -> dict[str, Scalar]:
    facts: dict[str, Scalar] = {}
    state, reason = str(vdev.get("state")), str(vdev.get("aux") or "")
    if state in {"CANT_OPEN", "CLOSED"}:  # as zpool_state_to_name() calls them
        down = "FAULTED" if reason in _FAULTED else "UNAVAIL"
        state = down if state == "CANT_OPEN" else "OFFLINE"
    if state in STATES:
        facts["state"] = state
    facts |= _figures(vdev, {name: name for name in _COUNTS})
    facts |= counts_of({
        name: text for name in _COUNTS
        if isinstance(text := vdev.get(name), str) and _NUMBER.fullmatch(text)
    })  # fmt: skip
    for name, fact in _ASHIFTS.items():
        shift = _figure(vdev.get(name))
        if shift is not None and shift <= _LARGEST_ASHIFT:
            facts[fact] = 1 << shift
    facts |= _texts(vdev, _DEVICE_TEXTS) | _figures(vdev, _DEVICE_SIZES)
    if reason:
        facts["reason"] = reason.lower()
    if vdev.get("was"):
        facts["was"] = str(vdev["was"])
    if use := _CLASSES.get(str(vdev.get("class"))):
        facts["use"] = use
    return facts


def _scan(scan: Mapping[str, Any]) -> dict[str, Scalar]:
    """How far a scrub or a resilver is, or what the last one came to."""
    function, state = str(scan.get("function") or "NONE"), str(scan.get("state") or "NONE")
    if "NONE" in {function, state}:
        return {}
    facts: dict[str, Scalar] = {"scan_function": function.lower(), "scan_state": state.lower()}
    errors, processed = _figure(scan.get("errors")), _figure(scan.get("processed"))
    facts |= {f"scan_{name}": text for name, text in _texts(scan, _SCAN_TIMES).items()}
    facts |= _figures(scan, _SCAN_SIZES)
    if function == "SCRUB" and state == "FINISHED" and errors is not None:
        facts["scrub_errors"] = errors
    if function == "RESILVER" and processed is not None:
        facts["resilvered"] = processed
    examine, issued = _figure(scan.get("to_examine")), _figure(scan.get("issued"))
    if state == "SCANNING" and examine and issued is not None:
        left = examine - (_figure(scan.get("skipped")) or 0)
        digits = (
            2 if isinstance(scan["to_examine"], str) and scan["to_examine"][-1:].isalpha() else 6
        )
        if 0 <= issued <= left:
            facts["scan_share"] = round(issued / left, digits)
    return facts


def _figures(item: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Scalar]:
    """Counts and bytes by the names that facts have for them."""
    figures = {fact: _figure(item.get(name)) for name, fact in names.items()}
    return {fact: figure for fact, figure in figures.items() if figure is not None}


def _figure(value: object) -> int | None:
    """A count or bytes, exact or abbreviated."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    text = value if isinstance(value, str) else ""
    return round(number(text)) if _NUMBER.fullmatch(text) else None


# ── properties ──────────────────────────────────────────────────────────────────────────────────


def _properties(item: Mapping[str, Any]) -> dict[str, str]:
    """Property → its value as it is printed, without those that are not set."""
    values = {
        name: part(item, "properties", name).get("value") for name in part(item, "properties")
    }
    return {name: str(value) for name, value in values.items() if value not in {None, "-", ""}}


def _sources(item: Mapping[str, Any]) -> dict[str, Scalar]:
    """Where values of properties come from, as the table says it; the default of few."""
    sources: dict[str, Scalar] = {}
    names = part(item, "properties")
    kept = {"local", "received", "temporary"} | ({"default"} if len(names) <= FEW else set())
    for name in names:
        source = part(item, "properties", name, "source")
        kind, data = str(source.get("type") or "").lower(), str(source.get("data") or "")
        if kind in kept:
            sources[f"{name}_source"] = kind
        elif kind == "inherited" and data:
            sources[f"{name}_source"] = f"inherited from {data}"
    return sources


def _listed(
    pool: str, item: Mapping[str, Any], host: str, *, is_list: bool
) -> Iterator[PrintedSubject]:
    properties = _properties(item)
    if not is_list:
        facts = {name: property_value(value) for name, value in properties.items()}
        facts |= _sources(item)
        yield PrintedSubject("zpool", pool, facts, host)
        return
    facts = _columns(properties) | _texts(item, _POOL_TEXTS)
    yield PrintedSubject("zpool", pool, facts, host)
    groups = {"": part(item, "vdevs")} | {use: part(item, key) for key, use in _SECTIONS.items()}
    for use, vdevs in groups.items():
        for name, own in _vdevs(vdevs):
            if name != pool:
                facts = {"pool": pool, **({"use": use} if use else {}), **_columns(own)}
                yield PrintedSubject("zpool_device", name, facts, host)


def _columns(properties: Mapping[str, str]) -> dict[str, Scalar]:
    """Properties by the names that the table's columns have as facts, others by their own."""
    columns = [name for name in properties if name in _COLUMNS]
    others = {name: property_value(properties[name]) for name in properties if name not in _COLUMNS}
    return {
        **pool_facts([_COLUMNS[name] for name in columns], [properties[name] for name in columns]),
        **others,
    }


def _vdevs(vdevs: Mapping[str, Any], depth: int = 0) -> Iterator[tuple[str, dict[str, str]]]:
    for name, vdev in vdevs.items():
        if isinstance(vdev, dict):
            yield name, _properties(vdev)
            if depth < _DEEPEST:
                yield from _vdevs(part(vdev, "vdevs"), depth + 1)


def _dataset(item: Mapping[str, Any], *, is_list: bool) -> dict[str, Scalar]:
    facts: dict[str, Scalar] = {}
    for name, value in _properties(item).items():
        if not is_list:
            facts[name] = property_value(value)
        elif value != "none":
            is_size = name in _SIZES and _NUMBER.fullmatch(value)
            fact = "mount" if name == "mountpoint" else name
            facts[fact] = (
                whole(value) if is_size else value if fact == "mount" else property_value(value)
            )
    return facts if is_list else facts | _sources(item)
