"""How a drive says it is: the SMART log of NVMe, SMART attributes and statistics of ATA and SCSI.

Whatever tool printed it, the figures have the same names: seconds, bytes, fractions, degrees
Celsius. What a tool does not say is left out; what no drive can mean (negative, beyond 63 bits,
text) too.

Source: NVM Express Base Specification 2.0, 5.16.1.3 (figure 207): temperatures in kelvin, data
units of 1000 × 512 bytes, times above the temperature thresholds in minutes, times of thermal
management in seconds; ACS-4, 9.5 (device statistics); smartmontools 7.3, nvmeprint.cpp,
ataprint.cpp and scsiprint.cpp (JSON since 7.0); nvme-cli 1.16 and 2.3, nvme-print-json.c (2.x
prints counters of 128 bits as text).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from iosonde.exact import from_json
from iosonde.records.stack import Scalar
from iosonde.text.json_output import objects, part

HEALTH_UNITS: Mapping[str, str] = {
    "critical_warning": "", "temperature": "°C", "media_wear": "fraction",
    "spare": "fraction", "spare_threshold": "fraction", "written": "B", "read": "B",
    "power_cycles": "", "power_on_time": "s", "unsafe_shutdowns": "", "media_errors": "",
    "error_log_entries": "", "warning_temperature_time": "s", "critical_temperature_time": "s",
    "throttle_time": "s", "throttle_count": "", "reallocated_sectors": "", "pending_sectors": "",
    "uncorrectable_sectors": "", "interface_errors": "", "interface_speed": "bit/s",
    "interface_speed_max": "bit/s",
}  # fmt: skip
"""Name → unit of the figures that a drive says of its health; `health_passed` is yes or no."""

ALARMS: Mapping[str, str] = {
    "warning_temperature_time": "temperature-throttling",
    "critical_temperature_time": "temperature-throttling",
    "throttle_time": "temperature-throttling",
    "throttle_count": "temperature-throttling",
    "media_errors": "media-errors",
    "reallocated_sectors": "media-errors",
    "pending_sectors": "media-errors",
    "uncorrectable_sectors": "media-errors",
    "unsafe_shutdowns": "unsafe-shutdowns",
    "interface_errors": "interface-errors",
}
"""Counter → the rule that speaks of it when it rises while a load runs."""

TOO_HOT = 2
"""Bit of `critical_warning`: a temperature beyond a threshold of the drive."""

STATES: Mapping[str, Mapping[int, str]] = {"critical_warning": {TOO_HOT: "temperature-throttling"}}
"""Figure made of bits → bit → the rule that speaks of it while it is set."""

_DATA_UNIT = 1000 * 512
_KELVIN = 273
_DIGITS = re.compile(r"[0-9]{1,39}")  # 128 bits
_LARGEST = 2**63 - 1
# Name → the names of smartctl and of nvme-cli, and what one of the tool's units is in ours.
_NVME: Mapping[str, tuple[tuple[str, ...], float]] = {
    "critical_warning": (("critical_warning",), 1),
    "media_wear": (("percentage_used", "percent_used"), 0.01),
    "spare": (("available_spare", "avail_spare"), 0.01),
    "spare_threshold": (("available_spare_threshold", "spare_thresh"), 0.01),
    "read": (("data_units_read",), _DATA_UNIT),
    "written": (("data_units_written",), _DATA_UNIT),
    "power_cycles": (("power_cycles",), 1),
    "power_on_time": (("power_on_hours",), 3600),
    "unsafe_shutdowns": (("unsafe_shutdowns",), 1),
    "media_errors": (("media_errors",), 1),
    "error_log_entries": (("num_err_log_entries",), 1),
    "warning_temperature_time": (("warning_temp_time",), 60),
    "critical_temperature_time": (("critical_comp_time",), 60),
}
_THROTTLE = {
    "throttle_time": (
        "thm_temp1_total_time", "thm_temp2_total_time",
        "thermal_mgmt_temperature_1_total_time", "thermal_mgmt_temperature_2_total_time",
    ),
    "throttle_count": (
        "thm_temp1_trans_count", "thm_temp2_trans_count",
        "thermal_mgmt_temperature_1_transition_count",
        "thermal_mgmt_temperature_2_transition_count",
    ),
}  # fmt: skip
_ATTRIBUTES = {
    5: "reallocated_sectors", 197: "pending_sectors", 198: "uncorrectable_sectors",
    199: "interface_errors",
}  # fmt: skip
_UNSAFE = frozenset({"Unsafe_Shutdown_Count", "Unexpect_Power_Loss_Ct", "Unexpected_Power_Loss"})
_STATISTICS: Mapping[str, tuple[str, float]] = {
    "Percentage Used Endurance Indicator": ("media_wear", 0.01),
    "Time in Over-Temperature": ("warning_temperature_time", 60),
    "Logical Sectors Written": ("written", 512),
    "Logical Sectors Read": ("read", 512),
}


def health_of_smartctl(text: str | bytes) -> dict[str, Scalar]:
    """What `smartctl --json` says of a drive's health; empty where it says nothing.

    Raises:
        ValueError: it is no JSON.
    """
    return health_of_tree(_tree(text))


def health_of_nvme(text: str | bytes) -> dict[str, Scalar]:
    """What `nvme smart-log --output-format=json` says of a drive's health.

    Raises:
        ValueError: it is no JSON.
    """
    return health_of_log(_tree(text), kelvin=True)


def health_of_tree(tree: Mapping[str, Any]) -> dict[str, Scalar]:
    """See `health_of_smartctl`; of the object itself."""
    values = health_of_log(part(tree, "nvme_smart_health_information_log"), kelvin=False)
    passed = part(tree, "smart_status").get("passed")
    if isinstance(passed, bool):
        values["health_passed"] = passed
    _put(values, "temperature", part(tree, "temperature").get("current"), 1)
    _put(values, "power_cycles", tree.get("power_cycle_count"), 1)
    _put(values, "power_on_time", part(tree, "power_on_time").get("hours"), 3600)
    _put(values, "media_wear", tree.get("scsi_percentage_used_endurance_indicator"), 0.01)
    _put(values, "media_wear", part(tree, "endurance_used").get("current_percent"), 0.01)
    _put(values, "reallocated_sectors", tree.get("scsi_grown_defect_list"), 1)
    values |= health_of_table(
        (row.get("id"), row.get("name"), part(row, "raw").get("value"))
        for row in _rows(part(tree, "ata_smart_attributes"))
    )
    for page in _rows(part(tree, "ata_device_statistics"), "pages"):
        for row in _rows(page):
            values |= health_of_statistics({str(row.get("name")): row.get("value")})
    for which, name in (("current", "interface_speed"), ("max", "interface_speed_max")):
        link = part(tree, "interface_speed", which)
        rate, bits = link.get("units_per_second", ""), link.get("bits_per_unit", "")
        if _is_count(rate) and _is_count(bits):
            _put(values, name, int(rate) * int(bits), 1)
    return values


def health_of_log(log: Mapping[str, Any], *, kelvin: bool) -> dict[str, Scalar]:
    """The figures of an NVMe SMART log, by the names of smartctl or of nvme-cli.

    Args:
        log: name → figure.
        kelvin: it is nvme-cli's: its temperature is in kelvin, and counters may be text.
    """
    values: dict[str, Scalar] = {}
    for name, (theirs, factor) in _NVME.items():
        for key in theirs:
            value = log.get(key)
            if isinstance(value, Mapping):  # critical_warning of nvme-cli --verbose
                value = value.get("value")
            _put(values, name, _counter(value) if kelvin else value, factor)
    for name, keys in _THROTTLE.items():
        parts = [part for key in keys if _is_count(part := _counter(log.get(key)))]
        if parts:
            _put(values, name, sum(int(str(part)) for part in parts), 1)
    temperature = _counter(log.get("temperature", "")) if kelvin else log.get("temperature", "")
    if isinstance(temperature, int) and _is_count(temperature):
        _put(values, "temperature", temperature - (_KELVIN if kelvin else 0), 1)
    return values


def health_of_statistics(rows: Mapping[str, object]) -> dict[str, Scalar]:
    """Device statistics of ATA: description → figure, which may be text."""
    values: dict[str, Scalar] = {}
    for label, figure in rows.items():
        if label in _STATISTICS:
            name, factor = _STATISTICS[label]
            _put(values, name, _counter(figure), factor)
    return values


def health_of_table(rows: Iterable[tuple[object, object, object]]) -> dict[str, Scalar]:
    """ATA attributes that mean the same on all drives: number, name, raw value."""
    values: dict[str, Scalar] = {}
    for number, name, raw in rows:
        if isinstance(name, str) and name in _UNSAFE:
            _put(values, "unsafe_shutdowns", raw, 1)
        elif isinstance(number, int) and number in _ATTRIBUTES:
            _put(values, _ATTRIBUTES[number], raw, 1)
    return values


def _counter(value: object) -> object:
    """A counter that is printed as text, or with a point and a zero, as the number that it is."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return int(value) if isinstance(value, str) and _DIGITS.fullmatch(value) else value


def _put(values: dict[str, Scalar], name: str, value: object, factor: float) -> None:
    """A figure in our unit, where it is one that a drive can mean."""
    if not isinstance(value, int) or isinstance(value, bool):
        return
    if name != "temperature" and not _is_count(value):
        return
    figure = value * factor
    if abs(figure) <= _LARGEST:
        values[name] = round(figure, 4) if factor < 1 else int(figure)


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _LARGEST


def _tree(text: str | bytes) -> Mapping[str, Any]:
    tree = from_json(text)
    return tree if isinstance(tree, dict) else {}


def _rows(tree: Mapping[str, Any], key: str = "table") -> list[Mapping[str, Any]]:
    return objects(tree.get(key))
