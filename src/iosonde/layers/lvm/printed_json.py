"""`lvs`, `vgs`, `pvs` and `lvm fullreport` with --reportformat json or json_std.

Source: LVM2 2.03, lib/report/columns.h (which heading a field has in tables), libdm/libdm-report.c
(json: every value a text; json_std: numbers and lists as such, null where there is none),
tools/reporter.c and lib/config/defaults.h (fullreport: "vg", "pv", "lv", "pvseg" and "seg" of each
group; segments name their volume by lv_uuid); lvs(8): --units, --nosuffix.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from typing_extensions import override

from iosonde.layers.lvm.facts import units_of
from iosonde.layers.lvm.rows import of_fields, subjects
from iosonde.records.printed import PrintedSubject
from iosonde.text.cursor import Prompt
from iosonde.text.json_output import JsonOutput, objects


class LvmJson(JsonOutput):
    tool = "lvm"
    anchors = ('"report"',)
    commands = ("lvs", "vgs", "pvs", "lvm")
    nothing = "no volume follows"
    head = re.compile(r'\{\s*"report"\s*:\s*\[\s*\{\s*"(?:lv|vg|pv|seg|pvseg|log)"\s*:')

    @override
    def things(self, value: Any, prompt: Prompt) -> Iterable[PrintedSubject]:
        units = units_of(prompt.command)
        for report in objects(value.get("report")):
            groups = objects(report.get("vg"))
            group = {"vg_name": groups[0]["vg_name"]} if _names_one(groups) else {}
            for part in ("vg", "pv", "lv"):
                rows = objects(report.get(part))
                if part == "lv":
                    rows = _with_segments(rows, objects(report.get("seg")))
                cells = [of_fields(_texts({**group, **row})) for row in rows]
                yield from subjects(cells, units, prompt.host)


def _names_one(groups: list[Mapping[str, Any]]) -> bool:
    """Whether a part of a full report is about one group, which its volumes do not name."""
    return len(groups) == 1 and "vg_name" in groups[0]


def _with_segments(
    volumes: list[Mapping[str, Any]], segments: list[Mapping[str, Any]]
) -> list[Mapping[str, Any]]:
    """A row for each segment, with what is said of its volume."""
    by_volume: dict[object, list[Mapping[str, Any]]] = {}
    for segment in segments:
        by_volume.setdefault(segment.get("lv_uuid"), []).append(segment)
    return [
        {**volume, **segment}
        for volume in volumes
        for segment in by_volume.get(volume.get("lv_uuid") or "", [{}])
    ]


def _texts(row: Mapping[str, Any]) -> dict[str, str]:
    """The cells as tables have them: lists of json_std joined by commas, null as empty."""
    return {str(name): _text(str(name), value) for name, value in row.items()}


def _text(name: str, value: object) -> str:
    if isinstance(value, list):
        return ",".join(map(str, value))
    if isinstance(value, int | float) and name.endswith("_percent"):
        return f"{value:.2f}"
    return "" if value is None else str(value).strip()
