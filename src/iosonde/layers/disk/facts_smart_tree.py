"""What `smartctl --json` says of a drive besides the figures of its health.

Values have the names that the text gives them, where it has them: a rule does not ask which form
was printed. All others have the keys on the way to them as their name; lists are tables.

Source: smartmontools 7.5, ataprint.cpp, scsiprint.cpp (scsiPrintErrorCounterLog(): the tool prints
processed units of 10^9 bytes as text) and nvmeprint.cpp: jglb[…].
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from iosonde.layers.disk.facts_health import health_of_tree
from iosonde.layers.disk.facts_nvme_log import HEALTH_KEYS
from iosonde.records.stack import Json, Scalar
from iosonde.text.json_tree import key_name, scalars, tables

_NAMES: Mapping[str, str] = {
    "model_name": "model", "scsi_model_name": "model", "scsi_product": "model",
    "scsi_vendor": "vendor", "scsi_revision": "firmware", "firmware_version": "firmware",
    "user_capacity_bytes": "size", "nvme_total_capacity": "size",
    "form_factor_name": "form_factor", "sata_version_string": "sata_version",
    "scsi_grown_defect_list": "reallocated_sectors", "temperature_drive_trip":
    "drive_trip_temperature", "local_time_asctime": "local_time_is",
    "ata_smart_error_log_summary_count": "ata_errors",
    "ata_smart_error_log_extended_count": "ata_errors",
    "ata_pending_defects_log_count": "pending_defects",
    "host_reads": "host_read_commands", "host_writes": "host_write_commands",
}  # fmt: skip
"""Key in the JSON → the name that discovery and the text's reader have."""
_HEALTH = frozenset({
    "smart_status_passed", "temperature_current", "power_on_time_hours", "power_cycle_count",
    "json_format_version",
})  # fmt: skip
"""Keys of which `health_of_tree` says the same."""
_LOG = "nvme_smart_health_information_log_"
_COUNTERS = {
    "errors_corrected_by_eccfast": "corrected_fast",
    "errors_corrected_by_eccdelayed": "corrected_delayed",
    "errors_corrected_by_rereads_rewrites": "repeated",
    "total_errors_corrected": "corrected",
    "correction_algorithm_invocations": "correction_invocations",
    "total_uncorrected_errors": "uncorrected",
}
_GIGABYTES = re.compile(r"\d{1,9}\.\d{3}")


def facts_of_tree(tree: Mapping[str, Any]) -> dict[str, Scalar]:
    """All single values that an object of smartctl holds, those of health by their own names.

    Args:
        tree: the object.
    """
    facts: dict[str, Scalar] = {}
    for path, value in scalars(tree).items():
        key = path.removeprefix(_LOG)
        if path not in _HEALTH and not (key != path and key in HEALTH_KEYS):
            facts.setdefault(_NAMES.get(key, key), value)
    named = (_attributes, _statistics, _scsi_counters, _recovery_limits, _last_test, _defects)
    for name, value in ((name, value) for part in named for name, value in part(tree)):
        facts.setdefault(name, value)
    version = _at(tree, "smartctl", "version")
    if isinstance(version, list) and version and all(isinstance(part, int) for part in version):
        facts["smartctl_version"] = ".".join(map(str, version))
    if problem := _problem(tree):
        facts["smart_problem"] = problem
    return facts | health_of_tree(tree)


def says_nothing(facts: Mapping[str, Scalar]) -> bool:
    """Whether facts of an object are only of smartctl itself and of the drive's name."""
    return all(name.startswith(("smartctl_", "device_", "local_time_")) for name in facts)


def drives_of_scan(tree: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Scalar]]]:
    """Drives of `smartctl --scan --json` and how they are talked to: name → type and protocol.

    Args:
        tree: the object.
    """
    for row in _rows(tree.get("devices")):
        name, kind = row.get("name"), row.get("type")
        if not isinstance(name, str) or not isinstance(kind, str):
            continue
        facts: dict[str, Scalar] = {"smart_type": kind, "protocol": str(row.get("protocol") or "")}
        if problem := row.get("open_error"):
            facts["smart_problem"] = str(problem)
        name = name.removeprefix("/dev/")
        many = "[" in str(row.get("info_name") or "").partition("[SAT]")[0]
        yield f"{name} {kind}" if many else name, facts


def _problem(tree: Mapping[str, Any]) -> str:
    """Why smartctl did not read the drive; empty where it names no error."""
    for message in _rows(_at(tree, "smartctl", "messages")):
        if message.get("severity") == "error":
            return str(message.get("string") or "")[:200]
    return ""


def tables_of_tree(tree: Mapping[str, Any]) -> dict[str, Json]:
    """The tables that an object of smartctl holds, by the keys on the way to them.

    Args:
        tree: the object.
    """
    return tables(tree, ("json_format_version", "smartctl", "devices"))


def _at(tree: object, *keys: str) -> object:
    """What stands behind some keys; None where one of them is missing."""
    for key in keys:
        tree = tree.get(key) if isinstance(tree, Mapping) else None
    return tree


def _rows(value: object) -> Iterator[Mapping[str, Any]]:
    for row in value if isinstance(value, list) else ():
        if isinstance(row, Mapping):
            yield row


def _attributes(tree: Mapping[str, Any]) -> Iterator[tuple[str, Scalar]]:
    """Raw values by the names of the attributes, and when one was below its threshold."""
    for row in _rows(_at(tree, "ata_smart_attributes", "table")):
        name, raw = row.get("name"), _at(row, "raw", "value")
        if not isinstance(name, str) or not isinstance(raw, int) or isinstance(raw, bool):
            continue
        text = str(_at(row, "raw", "string") or raw)
        whole = re.match(r"\d{1,18}(?!\S)", text)  # the raw value as the tool splits it
        if whole:
            yield name.lower(), int(whole[0])
        else:
            yield name.lower(), text
        if failed := {"now": "FAILING_NOW", "past": "In_the_past"}.get(str(row.get("when_failed"))):
            yield f"{name.lower()}_failed", failed


def _statistics(tree: Mapping[str, Any]) -> Iterator[tuple[str, Scalar]]:
    """Device statistics and the counters of a SATA link by their descriptions."""
    for page in _rows(_at(tree, "ata_device_statistics", "pages")):
        for row in _rows(page.get("table")):
            yield from _named(row)
    for row in _rows(_at(tree, "sata_phy_event_counters", "table")):
        yield from _named(row)


def _named(row: Mapping[str, Any]) -> Iterator[tuple[str, Scalar]]:
    name, value = row.get("name"), row.get("value")
    if isinstance(name, str) and isinstance(value, int) and not isinstance(value, bool):
        yield key_name(name), value


def _scsi_counters(tree: Mapping[str, Any]) -> Iterator[tuple[str, Scalar]]:
    """Errors in reading, writing and verifying of a SCSI drive."""
    for way in ("read", "write", "verify"):
        for key, name in _COUNTERS.items():
            value = _at(tree, "scsi_error_counter_log", way, key)
            if isinstance(value, int) and not isinstance(value, bool):
                yield f"{way}_{name}", value
        processed = _at(tree, "scsi_error_counter_log", way, "gigabytes_processed")
        if isinstance(processed, str) and _GIGABYTES.fullmatch(processed):
            yield f"{way}_processed", int(processed.replace(".", "")) * 10**6


def _recovery_limits(tree: Mapping[str, Any]) -> Iterator[tuple[str, Scalar]]:
    """How long a drive tries to read or write a sector, in seconds."""
    for way in ("read", "write"):
        limit = _at(tree, "ata_sct_erc", way)
        tenths = _at(limit, "deciseconds")
        if _at(limit, "enabled") is False:
            yield f"{way}_recovery_limit", "disabled"
        elif isinstance(tenths, int) and not isinstance(tenths, bool):
            yield f"{way}_recovery_limit", tenths / 10


def _defects(tree: Mapping[str, Any]) -> Iterator[tuple[str, Scalar]]:
    """The first sector of the log of pending defects of an ATA drive."""
    for row in _rows(_at(tree, "ata_pending_defects_log", "table")):
        for key, name in (("lba", ""), ("power_on_hours", "_hours")):
            value = row.get(key)
            if isinstance(value, int) and not isinstance(value, bool):
                yield f"first_pending_defect{name}", value
        return


def _last_test(tree: Mapping[str, Any]) -> Iterator[tuple[str, Scalar]]:
    """The result of the last self-test of an ATA drive, and the sector at which it ended."""
    for log in ("extended", "standard"):
        for row in _rows(_at(tree, "ata_smart_self_test_log", log, "table")):
            result, lba = _at(row, "status", "string"), row.get("lba")
            if isinstance(result, str):
                yield "self_test", result
            if isinstance(lba, int) and not isinstance(lba, bool):
                yield "self_test_lba", lba
            return
