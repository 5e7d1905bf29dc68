"""`sas2ircu N DISPLAY` and `STATUS` (and sas3ircu): a controller, its volumes and disks; `LIST`.

Its source is not public. Source: Broadcom, SAS-2 Integrated RAID Configuration Utility (SAS2IRCU)
User Guide, DISPLAY (states of volumes and of disks with their codes; Inactive before a volume's)
and LIST; nagios-plugin-check_raid 4.0 and check_mk's sas2ircu, which read STATUS (Volume state)
and DISPLAY.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from typing_extensions import override

from iosonde import units
from iosonde.layers.hwraid.facts import volume_state
from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.labels import as_labelled, is_apart
from iosonde.text.reader import HeadedOutput, Items, StateOutput, close_lines

_PAIR = re.compile(r"\s*(?P<label>[A-Z][\w #/()\[\]-]{1,38}?) *: *(?P<value>\S.{0,200})?$")
_CONTROLLER = re.compile(r"\s*Controller type {2,}: \S")
_HEAD = re.compile(
    r"\s*(?:Device is a (?P<device>[A-Z][\w ]{2,40})|IR [Vv]olume (?P<volume>\d{1,3}))\s*$"
)
_OTHER = re.compile(
    r"\s*(?:-{20,}|(?:Controller|IR [Vv]olume|Physical device|Enclosure) information"
    r"|Initiator at ID #\d+)\s*$"
)
_NUMBER = re.compile(r"\bsas[23]ircu\s+(\d{1,3})\b")
_CODE = re.compile(r"[A-Z][\w ,]{1,30}\((?P<code>[A-Z]{3,4})\)$")
_DISK_STATES = {
    "ONL": "online", "OPT": "online", "HSP": "hot spare", "RDY": "ready", "AVL": "available",
    "FLD": "failed", "MIS": "missing", "SBY": "standby", "OSY": "out of sync", "DGD": "degraded",
    "RBLD": "rebuild",
}  # fmt: skip
_NAMED = frozenset({
    "State", "Status of volume", "Volume state", "Current operation", "RAID level", "Model Number",
    "Serial No", "Firmware Revision",
})  # fmt: skip
_SECTORS = re.compile(r"(?P<mb>\d{1,12})/(?P<sectors>\d{1,15})$")


class SasIrcu(HeadedOutput):
    tool = "sas2ircu"
    anchors = (
        "Controller type  ", "Device is a Hard disk", "IR volume ", "IR Volume ",
    )  # fmt: skip
    commands = ("sas2ircu", "sas3ircu")
    nothing = "nothing is said of it"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        return cursor.at if self.is_head(cursor.line(cursor.at)) else None

    @override
    def is_head(self, line: str) -> bool:
        return bool(_CONTROLLER.match(line) or _HEAD.match(line))

    @override
    def goes_on(self, line: str, above: list[str]) -> bool:
        is_own = _PAIR.match(line) and not is_apart(line, above)
        return bool(is_own or _OTHER.match(line))

    @override
    def block(self, text: str, prompt: Prompt) -> Iterator[PrintedSubject]:
        head = _HEAD.match(text.partition("\n")[0])
        pairs: dict[str, str] = {}
        for line in text.split("\n"):
            if pair := _PAIR.match(line):
                pairs.setdefault(pair["label"], (pair["value"] or "").strip())
        if not pairs:
            return
        number = _NUMBER.search(prompt.command)
        owner = f"c{number[1]}" if number else ""
        values = as_labelled(pairs, _NAMED)
        values |= {"controller": owner} if owner and head else {}
        if head is None:
            values = as_labelled(pairs)
            name = owner or pairs.get("Controller type", "")
            yield PrintedSubject("controller", name, values, prompt.host)
        elif head["volume"]:
            name = f"{owner}/v{head['volume']}".lstrip("/")
            own = _sized(pairs, values) | _of_volume(pairs) | {"volume": name}
            yield PrintedSubject("hwraid", name, own, prompt.host)
        else:
            place = f"e{pairs.get('Enclosure #', '')}/s{pairs.get('Slot #', '')}"
            kind = "disk" if "disk" in head["device"].lower() else "enclosure"
            own = _sized(pairs, values) | _disk_state(pairs.get("State", ""))
            named = {
                "model": "Model Number",
                "serial": "Serial No",
                "firmware": "Firmware Revision",
            }
            own |= {name: pairs[label] for name, label in named.items() if pairs.get(label)}
            yield PrintedSubject(kind, f"{owner}/{place}".lstrip("/"), own, prompt.host)


def _disk_state(text: str) -> dict[str, Scalar]:
    """A state by its code in brackets, in the words of other controllers' tools."""
    code = _CODE.match(text)
    name = _DISK_STATES.get(code["code"]) if code else None
    return {"state": name or text.lower()} if text else {}


def _of_volume(pairs: Mapping[str, str]) -> dict[str, Scalar]:
    level = pairs.get("RAID level", "").lower().replace(" ", "")
    members = sum(label.startswith("PHY[") for label in pairs)
    status = pairs.get("Status of volume", "")
    state = status.removeprefix("Inactive, ").partition(" (")[0] or pairs.get("Volume state", "")
    work = pairs.get("Current operation", "None")
    done = pairs.get("Percentage complete", "").removesuffix("%")
    return {
        **({"raid_level": level} if level else {}),
        **({"disks": members} if members else {}),
        **({"active": False} if status.startswith("Inactive") else {}),
        **({"state": volume_state(state)} if state else {}),
        **({"active_operations": f"{work.lower()} {done} %".replace("  %", "")}
           if work != "None" else {}),
    }  # fmt: skip


def _sized(pairs: dict[str, str], values: dict[str, Scalar]) -> dict[str, Scalar]:
    """With the size in bytes, from sectors where they are said and whole, else from MiB."""
    if match := _SECTORS.match(pairs.get("Size (in MB)/(in sectors)", "")):
        exact, rounded = int(match["sectors"]) * units.SECTOR, int(match["mb"]) * units.MIB
        return {**values, "size": exact if 0 <= exact - rounded < units.MIB else rounded}
    if (size := pairs.get("Size (in MB)", "")).isdecimal():
        return {**values, "size": int(size) * units.MIB}
    return values


_COLUMNS = re.compile(r"\s*Index +Type +ID +ID +Pci Address +Ven ID +Dev ID\s*$")
_LISTED = re.compile(
    r"\s*(?P<index>\d{1,3}) +(?P<model>\w{3,16}) +(?P<vendor_id>[0-9a-f]{1,4}h) +"
    r"(?P<device_id>[0-9a-f]{1,4}h) +(?P<pci_address>(?:[0-9a-f]{2}h:){3}[0-9a-f]{2}h) +"
    r"(?P<subsystem_vendor_id>[0-9a-f]{1,4}h) +(?P<subsystem_device_id>[0-9a-f]{1,4}h)\s*$"
)
_RULE = re.compile(r"\s*+-{3}[- ]*+$")


class SasIrcuList(StateOutput):
    tool = "sas2ircu list"
    anchors = ("Pci Address   ",)
    commands = ("sas2ircu", "sas3ircu")
    nothing = "no row stands below its head"
    beginning = _COLUMNS

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        last, subjects = first, list[PrintedSubject]()
        for index, line in close_lines(cursor, first + 1, 60):
            if row := _LISTED.match(line):
                values: dict[str, Scalar] = {
                    k: v for k, v in row.groupdict().items() if k != "index"
                }
                subjects.append(
                    PrintedSubject("controller", f"c{row['index']}", values, prompt.host)
                )
            elif not _RULE.match(line):
                break
            last = index
        return last, subjects
