"""Tables of `multipathd show paths`, `show maps status` and the like, with any of their columns.

Source: multipath-tools 0.9, libmultipath/print.c (the wildcards of paths and of maps, and the heads
they print; snprint_next_check(): "XXXXX..... 10/20", snprint_queueing(): "5 chk") and
multipathd/cli_handlers.c (show_paths(), show_maps(), "list maps stats").
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from typing_extensions import override

from iosonde import units
from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cells import Column, head_at, rows
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import Items, StateOutput

_TEXT = r"\S{1,200}"
_CHECK = r"(?:[X.]{1,10} )?\d{1,6}/\d{1,6}|orphan|-|\[undef\]"
_VENDOR = r"[\w.][\w. -]{0,8},[\w][\w .+/-]{0,23}|-"
_FEATURES = r"\d{1,2}(?: [\w-]{1,30}){0,8}|-"
_SIZE = r"\d{1,9}(?:\.\d{1,3})?[KMGTPE]?"
_COUNT = r"\d{1,12}"
_NAMES = {
    "hcil": ("hctl", r"\d{1,5}:\d{1,5}:\d{1,5}:\d{1,20}|#:#:#:#"), "dev": ("device", r"\w{2,31}"),
    "dev_t": ("dev_t", r"\d{1,4}:\d{1,8}"), "pri": ("prio", r"-?\d{1,9}|#"),
    "dm_st": ("dm_state", r"active|failed|undef"), "chk_st": ("checker_state", r"\[?\w+\]?|i/o.*"),
    "dev_st": ("device_state", r"[a-z-]{3,20}"), "next_check": ("next_check", _CHECK),
    "uuid": ("uuid", _TEXT), "vend/prod/rev": ("vendor_product_revision", _VENDOR),
    "vend/prod": ("vendor_product", _VENDOR), "checker": ("checker", _TEXT),
    "size": ("size", _SIZE), "serial": ("serial", _TEXT), "multipath": ("multipath", _TEXT),
    "host WWNN": ("host_wwnn", _TEXT), "target WWNN": ("target_wwnn", _TEXT),
    "host WWPN": ("host_wwpn", _TEXT), "target WWPN": ("target_wwpn", _TEXT),
    "host adapter": ("host_adapter", _TEXT), "failures": ("failures", _COUNT),
    "protocol": ("protocol", _TEXT), "marginal_st": ("marginal_state", _TEXT),
    "foreign": ("foreign", _TEXT), "init_st": ("init_state", _TEXT), "LUN": ("lun", _TEXT),
    "name": ("name", _TEXT), "sysfs": ("sysfs", r"dm-\d{1,5}|nvme\w{1,20}|\S{1,20}"),
    "failback": ("failback", r"immediate|manual|followover|-|\d{1,6}(?:/\d{1,6})?"),
    "queueing": ("queueing", r"\d{1,6} (?:chk|sec)|on|off|-|!"), "paths": ("paths", _COUNT),
    "dm-st": ("dm_state", r"active|suspend|suspended|undef|-"), "write_prot": ("access", r"r[ow]"),
    "features": ("features", _FEATURES), "hwhandler": ("hwhandler", _FEATURES),
    "action": ("action", _TEXT),
    "path_faults": ("path_faults", _COUNT), "switch_grp": ("group_switches", _COUNT),
    "map_loads": ("map_loads", _COUNT), "total_q_time": ("total_queue_time", _COUNT),
    "q_timeouts": ("queue_timeouts", _COUNT), "map_failures": ("map_failures", _COUNT),
}  # fmt: skip
_BLANKS = frozenset({
    "next_check", "vend/prod/rev", "vend/prod", "queueing", "features", "hwhandler",
})  # fmt: skip
_COLUMNS = {
    name: Column(name, re.compile(cell), blanks=name in _BLANKS)
    for name, (_, cell) in _NAMES.items()
}
_OWN = frozenset({
    "dm_st", "chk_st", "dm-st", "path_faults", "sysfs", "next_check", "write_prot", "queueing",
    "vend/prod/rev", "vend/prod",
})  # fmt: skip
_UNKNOWN = frozenset({"#", "-", "[undef]", "#:#:#:#"})


class MultipathTables(StateOutput):
    tool = "multipathd show"
    anchors = (
        "hcil", "dm_st", "chk_st", "dm-st", "path_faults", "faults switch",
        "sysfs uuid", "next_check", "write_prot",
        "vend/prod",
    )  # fmt: skip
    commands = ("multipathd", "multipath")
    reach = 3
    nothing = "its first row is not whole"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        for first in range(cursor.at, max(cursor.at - 2, -1), -1):
            head = head_at(cursor, first, _COLUMNS)
            names = {column.name for column in head.columns} if head else set()
            if names & _OWN and names & {"dev", "hcil", "name", "sysfs"}:
                return first
        return None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        head = head_at(cursor, first, _COLUMNS)
        last, subjects = first, list[PrintedSubject]()
        for row in rows(cursor, head) if head else ():
            values = _values(row.cells)
            name = str(values.pop("device", "") or values.pop("name", "") or values.get("hctl", ""))
            kind = "disk" if {"dev", "hcil"} & row.cells.keys() else "multipath"
            subjects.append(PrintedSubject(kind, name, values, prompt.host))
            last = row.last
        return last, subjects


def _values(cells: Mapping[str, str]) -> dict[str, Scalar]:
    values: dict[str, Scalar] = {}
    for name, text in cells.items():
        if text in _UNKNOWN:
            continue
        label, cell = _NAMES[name]
        if cell in {_COUNT, _NAMES["pri"][1]}:
            values[label] = int(text)
        elif cell == _SIZE:
            values[label] = round(units.printed(text, binary=True)[0])
        else:
            values[label] = text
    return values
