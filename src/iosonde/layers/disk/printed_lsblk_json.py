"""lsblk -J: the devices as nested objects, with whatever columns were asked for.

Source: as in layers/_lsblk.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from typing_extensions import override

from iosonde.layers._lsblk import devices_in
from iosonde.layers.disk.facts import COLUMNS, subjects
from iosonde.records.printed import PrintedSubject, Unreadable
from iosonde.text.cursor import Prompt
from iosonde.text.json_output import JsonOutput, object_with

_Row = tuple[Mapping[str, str], tuple[str, ...]]


class LsblkJson(JsonOutput):
    tool = "lsblk"
    anchors = ('"blockdevices"',)

    commands = ("lsblk",)
    nothing = "it lists no devices"
    head = object_with("blockdevices")

    @override
    def things(self, value: Any, prompt: Prompt) -> Iterable[PrintedSubject]:
        devices = value["blockdevices"]
        if not isinstance(devices, list):
            raise Unreadable(self.nothing)
        return subjects(_rows(devices), prompt.host)


def _rows(devices: list[Any]) -> Iterator[_Row]:
    """The devices as rows of cells, each with what it hangs on."""
    for device, parent in devices_in(devices, {}):
        cells = {str(key).upper(): _text(value) for key, value in device.items()
                 if key != "children"}  # fmt: skip
        kept = {key: text for key, text in cells.items()
                if text and (key not in COLUMNS or COLUMNS[key].cell.fullmatch(text)
                             or "MOUNT" in key)}  # fmt: skip
        below = _text(parent.get("name")) or kept.get("PKNAME", "")
        yield {"NAME": cells["NAME"], **kept}, (below,) if below else ()


def _text(value: object) -> str:
    """A value as the table prints it."""
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, list):
        return "\n".join(str(item) for item in value if item)
    return "" if value is None else str(value)
