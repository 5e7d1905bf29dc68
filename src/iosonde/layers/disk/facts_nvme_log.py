"""What the JSON of nvme-cli says of a drive: its SMART log, and the logs that are like it.

Source: nvme-cli 2.16, src/nvme-print-json.c (json_smart_log(), json_endurance_log()); NVM Express
Base Specification 2.0, 5.16.1.3 (sensors in kelvin, busy time in minutes) and 5.16.1.10 (data units
of an endurance group are 10^9 bytes).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from iosonde.layers.disk.facts_health import health_of_log
from iosonde.records.stack import Scalar
from iosonde.text.json_tree import scalars

_KELVIN = 273
_BILLION = 10**9
_LARGEST = 2**63 - 1
_WHOLE = re.compile(r"0|-?[1-9]\d{0,17}")
HEALTH_KEYS = frozenset({
    "percent_used", "percentage_used", "critical_warning", "temperature", "avail_spare",
    "available_spare", "spare_thresh", "available_spare_threshold", "power_cycles",
    "power_on_hours", "unsafe_shutdowns", "media_errors", "num_err_log_entries",
    "warning_temp_time", "critical_comp_time", "data_units_read", "data_units_written",
    "critical_warning_value",
})  # fmt: skip
"""Figures that `health_of_log` gives in our units, by our names."""


def facts_of_nvme_log(log: Mapping[str, Any]) -> dict[str, Scalar]:
    """All figures of a SMART log; those of health in our units and by our names.

    Args:
        log: name → figure, as nvme-cli prints them.
    """
    rest: dict[str, Scalar] = {}
    for name, value in scalars(log).items():
        figure = as_number(value)
        if name.startswith("temperature_sensor_") and isinstance(figure, int):
            figure -= _KELVIN
        if name not in HEALTH_KEYS:
            rest[name] = figure
    if "avl_spare" in log:
        return rest | _of_group(log)
    return rest | health_of_log(log, kelvin=True)


def _of_group(log: Mapping[str, Any]) -> dict[str, Scalar]:
    """What the log of an endurance group says; it has no temperature and no hours."""
    facts = health_of_log(
        {name: value for name, value in log.items() if not name.startswith("data_units_")}
        | {"avail_spare": log.get("avl_spare"), "spare_thresh": log.get("avl_spare_threshold"),
           "media_errors": log.get("media_data_integrity_err")}, kelvin=True,
    )  # fmt: skip
    for key, name in (("data_units_read", "read"), ("data_units_written", "written")):
        figure = as_number(log.get(key))
        if isinstance(figure, int) and 0 <= figure * _BILLION <= _LARGEST:
            facts[name] = figure * _BILLION
    return facts


def as_number(value: object) -> Scalar:
    """A figure that is printed as text, or with a point and a zero, as the number that it is."""
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and _WHOLE.fullmatch(value):
        return int(value)
    if isinstance(value, float) and value.is_integer() and abs(value) <= _LARGEST:
        return int(value)
    return value if isinstance(value, str | int | float) else None
