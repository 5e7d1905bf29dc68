"""`tw_cli /cx/ex show all` of 3ware's controllers: fans, sensors, power supplies and slots.

Source: tw_cli(8) 2.0 and 3.1 (/cx/ex show all), outputs of 10.2: a blank-separated table for each
kind of element, "-" and N/A for what is not there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from typing_extensions import override

from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import Items, StateOutput, close_lines

_SET = re.compile(
    r"\s*/c(?P<owner>\d{1,3})/e(?P<number>\d{1,3}) (?P<label>[A-Z][\w ]{1,24}?)"
    r"(?: ?=\d{1,3}, Firmware Version)? = (?P<value>\S.{0,60})$"
)
_STATE = re.compile(
    r"\s*/c(?P<owner>\d{1,3})/e(?P<number>\d{1,3}) +(?P<state>[A-Z][A-Z-]{1,30})\s*$"
)
_HEADS = {
    "Fan": ("Status", "State", "Step", "RPM", "Identify"),
    "TempSensor": ("Status", "Temperature", "Identify"),
    "PowerSupply": ("Status", "State", "Voltage", "Current", "Identify"),
    "Slot": ("Status", "(V)Port", "Identify"),
    "Alarm": ("Status", "State", "Audibility"),
    "Encl": ("Status",),
}
_THINGS = {"fan": "Fan", "temp": "TempSensor", "pwrs": "PowerSupply", "slot": "Slot",
           "alm": "Alarm"}  # fmt: skip
_ROW = re.compile(
    r"\s*(?P<name>(?P<kind>fan|temp|pwrs|slot|alm)\d{1,3})(?P<cells>(?: +\S+){3,5})\s*$"
)
_RULE = re.compile(r"\s*(?:-{10,}|-{3}Speed-{3})\s*$")
_ABSENT = frozenset({"NOT-INSTALLED", "NO-DEVICE"})
_HEAT = re.compile(r"(-?\d{1,3})C\(-?\d{1,3}F\)$")


def _is_head(line: str) -> bool:
    name, *columns = line.split() or [""]
    return _HEADS.get(name) == tuple(columns)


def _is_own(line: str) -> bool:
    patterns = (_SET, _STATE, _ROW, _RULE)
    return _is_head(line) or any(pattern.match(line) for pattern in patterns)


class TwCliEnclosure(StateOutput):
    tool = "tw_cli enclosure"
    anchors = (
        "Fan         Status", "TempSensor  ", "PowerSupply  ", "(V)Port       Identify",
    )  # fmt: skip
    commands = ("tw_cli", "tw-cli", "tw_cli.x86_64")
    reach = 4
    nothing = "no row stands below its head"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        if not _is_head(cursor.line(cursor.at)):
            return None
        first = cursor.at
        for index in range(first - 1, max(first - 60, -1), -1):
            line = cursor.line(index)
            if line and not _is_own(line):
                break
            first = index if line else first
        return first

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        last, name = first, ""
        values_by_name: dict[str, dict[str, Scalar]] = {}
        for index, line in close_lines(cursor, first, 1200, gap=5):
            row = _ROW.match(line)
            set_ = _SET.match(line) or _STATE.match(line)
            if set_:
                name = f"c{set_['owner']}/e{set_['number']}"
                own = values_by_name.setdefault(name, {})
                own.update(_of_enclosure(set_))
            elif row:
                values_by_name.setdefault(name, {}).update(_of_element(row))
            elif not (_is_head(line) or _RULE.match(line)):
                break
            last = index
        return last, _subjects(values_by_name, prompt.host)


def _subjects(values_by_name: dict[str, dict[str, Scalar]], host: str) -> Iterator[PrintedSubject]:
    for name, values in values_by_name.items():
        if values:
            yield PrintedSubject("enclosure", name, values, host)


def _of_enclosure(row: re.Match[str]) -> dict[str, Scalar]:
    cells = row.groupdict()
    if "state" in cells:
        return {"state": row["state"].lower()}
    label = "Firmware Version" if row["label"] == "SEP" else row["label"]
    return {label.lower().replace(" ", "_"): row["value"].strip()}  # a revision keeps its zeros


def _of_element(row: re.Match[str]) -> dict[str, Scalar]:
    """What is said of a fan, sensor, power supply, slot or alarm; nothing where none is."""
    columns = _HEADS[_THINGS[row["kind"]]]
    cells = row["cells"].split()
    if len(cells) != len(columns) or cells[0] in _ABSENT:
        return {}
    values: dict[str, Scalar] = {}
    for column, cell in zip(columns, cells, strict=True):
        label = f"{row['name']}_{column.removeprefix('(V)').lower()}"
        heat = _HEAT.match(cell)
        if column == "Identify" or cell in {"-", "N/A"}:
            continue
        values[label] = int(heat[1]) if heat else int(cell) if cell.isdecimal() else cell.lower()
    return values
