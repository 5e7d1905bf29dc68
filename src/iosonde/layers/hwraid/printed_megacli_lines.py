"""Lines of MegaCli that stand alone: picked by grep, quoted in a mail; progress; enclosures.

Source: outputs of MegaCLI 8.x (-PDList, -LDInfo, -AdpBbuCmd, -AdpAllInfo, -EncInfo, -PDRbld
-ShowProg); LSI's "MegaRAID SAS Software User Guide", chapter "MegaRAID Command Tool".
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from typing_extensions import override

from iosonde.layers.hwraid.facts_megacli import (
    ADAPTER_COUNTS,
    ITEM,
    MEGACLI,
    READ_OF_DISK,
    READ_OF_VOLUME,
    adapter_of,
    disk_of,
    volume_of,
)
from iosonde.records.printed import PrintedCounters, PrintedSubject
from iosonde.records.stack import Json, Scalar
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.labels import as_labelled
from iosonde.text.reader import HeadedOutput, Items, StateOutput, close_lines, top_of
from iosonde.text.torn import joined_match

_DRIVE = READ_OF_DISK | {
    "Enclosure position", "Device Id", "Last Predictive Failure Event Seq Number",
    "Shield Counter", "Sequence Number", "WWN", "Foreign State", "Device Speed", "Link Speed",
    "Connected Port Number", "Virtual Drive",
}  # fmt: skip
_VOLUME = READ_OF_VOLUME | {"Name", "Access Policy"}
_BATTERY = frozenset({
    "Battery State", "Battery Replacement required", "Battery Pack Missing", "Learn Cycle Active",
    "Learn Cycle Requested", "Charging Status", "isSOHGood", "BatteryType", "Voltage", "Current",
    "Temperature",
})  # fmt: skip
_ADAPTER = _BATTERY.union(ADAPTER_COUNTS)
_GAP = re.compile(r"\s*(?:-{2}|={4,}|Exit Code: 0x\w\w)\s*$")
_SURE = re.compile(
    r"\s*+(?:Slot Number|(?:Media|Other) Error Count|Predictive Failure Count|Enclosure Device ID)"
    r" ?: {0,9}\d{1,9}\s*$"
    r"|\s*+Firmware state ?: ?(?:Online|Offline|Failed|Unconfigured|Hotspare|Rebuild"
    r"|JBOD|Missing|C)"
    r"|\s*Raw Size: {1,9}\d{1,6}\.\d{1,4} [KMGTP]B \[0x[0-9a-f]{1,16} Sectors\]\s*$"
    r"|\s*(?:Current|Default) Cache Policy ?: ?Write\w{4,7}, ?\w{4,16}, ?(?:Direct|Cached)\b"
    r"|\s*RAID Level {1,14}: Primary-\d, Secondary-\d"
    r"|\s*(?:Battery Replacement required|Battery Pack Missing|Learn Cycle Active) {1,40}: \w"
    r"|\s*(?:Remaining|Full Charge|Design) Capacity: \d{1,6} mAh|\s*isSOHGood: \w"
    r"|\s*(?:Relative|Absolute) State of [Cc]harge: \d{1,3} ?%"
    r"|\s*(?:Critical|Failed) Disks {1,9}: \d|\s*Memory (?:Unc|C)orrectable Errors {1,4}: \d"
    r"|\s*Drive has flagged a S\.M\.A\.R\.T alert ?: ?(?:Yes|No)"
)


class MegaCliLines(StateOutput):
    tool = "MegaCli lines"
    anchors = (
        "Slot Number:", "Media Error Count:", "Other Error Count:", "Predictive Failure Count:",
        "Firmware state:", "Raw Size: ", "Cache Policy: Write", "Primary-",
        "Battery Replacement required", "Battery Pack Missing", "Learn Cycle Active", " mAh",
        "isSOHGood:", "State of Charge:",
        "Critical Disks", "Failed Disks", "orrectable Errors", "flagged a S.M.A.R.T",
    )  # fmt: skip
    commands = MEGACLI
    reach = 4
    nothing = "it says nothing of a drive"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        if not _SURE.match(cursor.line(cursor.at)):
            return None
        return top_of(cursor, _labelled, most=40)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        blocks: list[dict[str, str]] = []
        enclosure, last = "", first
        for index, line in close_lines(cursor, first, 2000, gap=2):
            pair = _labelled(line)
            if pair is None:
                if _GAP.match(line):
                    continue
                break
            label, text = pair["name"], pair["value"]
            last = index
            if label == "Enclosure Device ID":
                enclosure = text
            if not blocks or label in blocks[-1] or _begins(label, blocks[-1]):
                blocks.append({"Enclosure Device ID": enclosure} if enclosure else {})
            blocks[-1][label] = text
        return last, self._of_blocks(blocks, prompt)

    def _of_blocks(
        self, blocks: list[dict[str, str]], prompt: Prompt
    ) -> Iterator[PrintedSubject | PrintedCounters]:
        """What each block is about; several without a name are rows of the same counters."""
        nameless: dict[str, list[dict[str, Scalar]]] = {}
        for block in blocks:
            kind, name, values = _about(block)
            if name and values:
                yield PrintedSubject(kind, name, values, prompt.host)
            elif values:
                nameless.setdefault(kind, []).append(values)
        for kind, rows in nameless.items():
            if len(rows) == 1:
                yield PrintedSubject(kind, "", rows[0], prompt.host)
                continue
            names = dict.fromkeys(name for row in rows for name in row)
            columns: dict[str, Json] = {name: [row.get(name) for row in rows] for name in names}
            yield self.counted(kind, "", columns, prompt)


def _labelled(line: str) -> re.Match[str] | None:
    pair = ITEM.match(line)
    return pair if pair and pair["name"] in (_DRIVE | _VOLUME | _ADAPTER) else None


def _begins(label: str, block: dict[str, str]) -> bool:
    """Whether a label is of another drive than those above it."""
    above = set(block) - {"Enclosure Device ID"}
    if label in {"Slot Number", "Enclosure Device ID"}:
        return bool(above)
    return any(
        label in labels and not above & labels and above for labels in (_DRIVE, _VOLUME, _ADAPTER)
    )


def _about(block: dict[str, str]) -> tuple[str, str, dict[str, Scalar]]:
    if block.keys() & _ADAPTER:
        return "controller", "", adapter_of(block)
    if block.keys() & (_VOLUME - _DRIVE):
        return (
            "hwraid",
            "",
            volume_of("".join(f"{n}:{v}".replace(" ", "") for n, v in block.items())),
        )
    slot, enclosure = block.get("Slot Number", ""), block.get("Enclosure Device ID", "")
    place = f"e{enclosure}/s{slot}" if enclosure.isdecimal() else f"s{slot}"
    return "disk", place if slot else "", disk_of(block)


_PROGRESS = re.compile(
    r"\s*(?P<what>Rebuild|Copyback|Patrol Read|Clear|Check Consistency|Initialization"
    r"|Reconstruction|Background Initialization)(?: Progress)? on "
    r"(?:Device at Enclosure (?P<enclosure>\d{1,5}|N/A), Slot (?P<slot>\d{1,4})"
    r"|VD #(?P<volume>\d{1,4})(?: \(target id #\d{1,4}\))?) Completed? (?P<percent>\d{1,3})% in "
    r"(?P<minutes>\d{1,6}) Minutes"
)


class MegaCliProgress(StateOutput):
    tool = "MegaCli progress"
    anchors = ("at Enclosure ", " on VD #")
    commands = MEGACLI
    nothing = "it tells no progress"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        return cursor.at if joined_match(_PROGRESS, cursor.block(cursor.at, 2)) else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        subjects: list[PrintedSubject] = []
        last = first - 1
        for index, line in close_lines(cursor, first):
            if index <= last:
                continue
            row = _PROGRESS.match(line) or joined_match(_PROGRESS, cursor.block(index, 2))
            if row is None:
                break
            values: dict[str, Scalar] = {
                "operation": row["what"].lower(), "progress": int(row["percent"]) / 100,
                "elapsed": int(row["minutes"]) * 60,
            }  # fmt: skip
            enclosure = row["enclosure"] or ""
            place = f"e{enclosure}/s{row['slot']}" if enclosure.isdecimal() else f"s{row['slot']}"
            kind, name = ("hwraid", f"v{row['volume']}") if row["volume"] else ("disk", place)
            subjects.append(PrintedSubject(kind, name, values, prompt.host))
            last = index if _PROGRESS.match(line) else index + 1
        return last, subjects


_ENCLOSURE = re.compile(r"\s*Enclosure (?P<number>\d{1,3}):\s*$")
_ENCLOSURES = re.compile(r"\s*Number of enclosures on adapter (?P<adapter>\d{1,3}) -- \d{1,3}\s*$")
_ENCLOSURE_LABELS = re.compile(
    r"\s*+(?:Device ID|Number of [A-Z][\w ]{2,30}|Status|Position|Connector Name|Enclosure [Tt]ype"
    r"|FRU Part Number|(?:Enclosure|ESM) Serial Number|Enclosure Zoning Mode|Partner Device Id"
    r"|Inquiry data|(?:Vendor|Product) Identification|Product Revision Level|Vendor Specific"
    r"|Voltage Sensors|[\w ]{1,24} (?:Status|[Ss]ensor|Fan|Count) ?\d{0,2}) {0,40}:(?:\s|$)"
)


class MegaCliEnclosures(HeadedOutput):
    tool = "MegaCli enclosures"
    anchors = ("Number of enclosures on adapter",)
    commands = MEGACLI
    reach = 4
    nothing = "it names no enclosure"
    beginning = _ENCLOSURES

    @override
    def is_head(self, line: str) -> bool:
        return bool(_ENCLOSURE.match(line) or _ENCLOSURES.match(line))

    @override
    def goes_on(self, line: str, above: list[str]) -> bool:
        return bool(_ENCLOSURE_LABELS.match(line))

    @override
    def block(self, text: str, prompt: Prompt) -> Iterator[PrintedSubject]:
        head, *rest = text.split("\n")
        if not _ENCLOSURE.match(head):
            return
        pairs = {pair["name"]: pair["value"] for pair in map(ITEM.match, rest) if pair}
        values = as_labelled(pairs, {"Device ID"})
        if values:
            yield PrintedSubject("enclosure", f"e{pairs.get('Device ID', '')}", values, prompt.host)


_POLICY = re.compile(
    r"\s*Adapter (?P<adapter>\d{1,3}) ?- ?VD (?P<volume>\d{1,4}) ?(?:\(target id: ?\d{1,4}\))?: ?"
    r"(?:Cache Policy ?: ?(?P<write>Write\w{4,7}), ?(?P<ahead>\w{4,16}), ?(?P<io>Direct|Cached)"
    r"(?:, ?(?P<bad>(?:No )?Write Cache(?: OK)? if [Bb]ad BBU))?"
    r"|Disk Write Cache ?: ?(?P<disk>Disk'?s Default|Enabled?|Disabled?))\s*$"
)
_POLICY_SET = re.compile(
    r"\s*Set (?:(?P<disk>Disk Cache Policy)|(?P<write>Write Policy)|Read Policy|IO Policy"
    r"|(?:No )?Write Cache(?: OK)? if [Bb]ad BBU|Cache Policy) to (?P<value>[A-Z]\w{3,16}) on "
    r"Adapter (?P<adapter>\d{1,3}), VD (?P<volume>\d{1,4}) \(target id: ?\d{1,4}\) success\s*$"
)


class MegaCliPolicies(StateOutput):
    """What -LDGetProp says of a virtual drive's caches, and -LDSetProp of what it set."""

    tool = "MegaCli policies"
    anchors = ("Cache Policy:Write", "Cache Policy: Write", "Disk Write Cache", " on Adapter ")
    commands = MEGACLI
    nothing = "it tells no policy"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        for index in (cursor.at, cursor.at - 1):  # a mail may break its line
            if any(_policy_row(cursor, index, form) for form in (_POLICY, _POLICY_SET)):
                return index
        return None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        volumes: dict[str, dict[str, Scalar]] = {}
        last = first - 1
        for index, line in close_lines(cursor, first, gap=4):
            if index <= last:
                continue
            if row := _policy_row(cursor, index, _POLICY):
                own = _policies(row)
            elif row := _policy_row(cursor, index, _POLICY_SET):
                own = _policy_set(row)
            else:
                if _GAP.match(line):
                    continue
                break
            name = f"c{row['adapter']}/v{row['volume']}"
            volume = {"controller": f"c{row['adapter']}", "volume": name}
            volumes.setdefault(name, dict(volume)).update(own)
            last = index if row.re.match(line) else index + 1
        return last, [
            PrintedSubject("hwraid", name, values, prompt.host)
            for name, values in volumes.items()
            if len(values) > 2
        ]


def _policy_row(cursor: TextCursor, index: int, form: re.Pattern[str]) -> re.Match[str] | None:
    """A row that begins in a line; the next has the rest of it where a mail broke it."""
    if index < 0:
        return None
    return form.match(cursor.line(index)) or joined_match(form, cursor.block(index, 2))


def _policies(row: re.Match[str]) -> dict[str, Scalar]:
    """What a line of -LDGetProp says; older versions do not say what happens without a battery."""
    if row["disk"]:
        return {"disk_cache": _disk_cache(row["disk"])}
    always = bool(row["bad"]) and not row["bad"].startswith("No")
    back = "write_back_always" if always else "write_back"
    return {
        "write_policy": "write_through" if row["write"] == "WriteThrough" else back,
        "read_ahead": row["ahead"] not in {"ReadAheadNone", "Normal"},
        "io_policy": row["io"].lower(),
    }


def _policy_set(row: re.Match[str]) -> dict[str, Scalar]:
    """What a line of -LDSetProp says was set; a write policy says nothing of a bad battery."""
    if row["disk"]:
        return {"disk_cache": _disk_cache(row["value"])}
    through = row["value"] == "WriteThrough"
    return {"write_policy": "write_through"} if row["write"] and through else {}


def _disk_cache(text: str) -> str:
    """`enabled`, `disabled`, or what the drive has by itself."""
    return {"Enable": "enabled", "Disable": "disabled"}.get(text.rstrip("d"), "default")
