"""Smart Arrays without HP's own tools: /proc/driver/cciss/ccissN, and `cciss_vol_status`.

Source: Linux 2.6.18 to 4.13, drivers/block/cciss.c (cciss_seq_show_header(), cciss_seq_show(): GB
of 10⁹ bytes; before 2.6.8 of 1048576000, with the label "1(0+1)"); cciss_vol_status 1.09 to 1.12,
cciss_vol_status.c (decode_status[], spare_drive_status_msg[], print_volume_status(),
print_bus_status(), format_phys_drive_location(), check_physical_drive()).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from typing_extensions import override

from iosonde.layers.hwraid.facts import size_of, volume_state
from iosonde.records.printed import PrintedSubject, without_none
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.labels import as_labelled
from iosonde.text.reader import Items, StateOutput, close_lines, top_of
from iosonde.text.wrapped_rows import any_of, cells_of, wrapped_rows

_HEAD = re.compile(r"\s*(?P<name>cciss\d{1,2}): (?P<model>HP \w.{2,60}?) Controller\s*$")
_LABEL = re.compile(
    r"\s*(?P<label>Board ID|Firmware Version|IRQ|Logical drives|Sector size|Current Q depth"
    r"|Current # commands on controller|Max Q depth since init"
    r"|Max # commands on controller since init|Max SG entries since init"
    r"|Sequential access devices): {1,4}(?P<value>\w[\w.]{0,16})\s*$"
)
_PROC_VOLUME = re.compile(
    r"\s*(?P<name>cciss/c\d{1,2}d\d{1,3}):\s{1,12}(?P<size>\d{1,7}\.\d\d)GB\s{1,12}"
    r"RAID (?P<level>[\w+()]{1,12})\s*$"
)
_LEVELS = {"0": "raid0", "4": "raid4", "5": "raid5", "6": "raid6", "ADG": "raid6", "1": "raid1"}
_OLD = "1(0+1)"


class CcissProc(StateOutput):
    tool = "proc cciss"
    anchors = (
        "Board ID: 0x", "Current Q depth: ", "Max Q depth since init: ", "cciss/c0d0:",
    )  # fmt: skip
    commands = ("cat", "more", "grep")
    reach = 2
    about = "cciss"
    nothing = "it names no controller and no volume"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        if not _of_proc(cursor.line(cursor.at)):
            return None
        first = top_of(cursor, _of_proc, most=20)
        for index in range(first, cursor.at):
            if _HEAD.match(cursor.line(index)):
                return index
        return first if _PROC_VOLUME.match(cursor.line(cursor.at)) else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        last, name, model = first, "", ""
        pairs: dict[str, str] = {}
        volumes: list[PrintedSubject] = []
        for index, line in close_lines(cursor, first, 120, gap=3):
            if head := _HEAD.match(line):
                if name or pairs or volumes:
                    break
                name, model = head["name"], head["model"]
            elif pair := _LABEL.match(line):
                pairs.setdefault(pair["label"], pair["value"])
            elif volume := _PROC_VOLUME.match(line):
                volumes.append(_proc_volume(volume, prompt.host))
            else:
                break
            last = index
        if not name:
            return last, volumes
        values = {"model": model} | as_labelled(pairs, {"Firmware Version"})
        if "Firmware Version" in pairs:
            values["firmware"] = pairs["Firmware Version"]
        return last, [PrintedSubject("controller", name, values, prompt.host), *volumes]


def _of_proc(line: str) -> bool:
    return bool(_HEAD.match(line) or _LABEL.match(line) or _PROC_VOLUME.match(line))


def _proc_volume(row: re.Match[str], host: str) -> PrintedSubject:
    """A volume. The level of mirrors is not told: 1(1+0) is printed of two disks and of eight."""
    old = row["level"] == _OLD
    values = without_none(
        {
            "controller": row["name"].partition("/c")[0] + row["name"][7:].partition("d")[0],
            "volume": row["name"],
            "size": None if old else round(float(row["size"]) * 1_000_000_000),
            "raid_level": _LEVELS.get(row["level"]),
            "printed_level": row["level"],
        }
    )
    return PrintedSubject("hwraid", row["name"], values, host)


_SPARE = (
    r"At least one (?:spare drive (?:designated|activated and currently rebuilding|has failed"
    r"|activated|remains available)"
    r"|activated on-line spare drive is completely rebuilt on this logical drive)\."
)
_DEVICE = r"(?P<device>/dev/[\w/-]{2,40}|unknown-scsi-device)"
_DRIVE = (
    r"(?:b\d{1,3}t\d{1,3} )? {0,20}connector (?P<connector>\w\w) box (?P<box>\d{1,3}) "
    r"bay (?P<bay>\d{1,3})"
)
_DRIVE_STATE = r"(?: {1,3}(?P<drive_state>OK|S\.M\.A\.R\.T\. predictive failure\.))?"
_ROW = any_of((
    rf"{_DEVICE}: \((?P<model>[\w. -]{{2,40}})\) "
    r"(?P<level>RAID [\w+()]{1,9}|\(Unknown RAID level "
    r"\(tolerance_type = -?\d{1,5}\)) Volume (?P<volume>\d{1,4})(?:\(\?\))? status: "
    rf"(?P<state>[A-Z][\w ]{{1,60}})\.(?P<spares>(?: {{1,4}}{_SPARE}){{0,6}})",
    rf"{_DEVICE}: \((?P<model>[\w. -]{{2,40}})\) Enclosure (?P<enclosure>[\w /.-]{{0,24}}?) "
    r"\(S/N: (?P<serial>[^()]{0,40})\) on Bus (?P<bus>\d{1,4}), Physical Port (?P<port>\S{0,2}) "
    r"status: (?P<state>[A-Z][\w ,]{1,120})\.",
    rf"{_DEVICE} ?\((?P<model>[\w. -]{{2,40}}):\d{{1,3}}\): (?P<cache>Non-Volatile Cache status):",
    r"Controller: (?P<controller>[\w. -]{2,40})",
    r"(?P<label>Board ID|Logical drives|Running firmware|ROM firmware|Physical drives"
    r"|Cache configured|Total cache memory|Cache Ratio|Read cache memory|Write cache memory"
    r"|Write cache enabled|Battery count|Battery \d status): {1,3}(?P<value>\S.{0,40})",
    r"(?P<remark>Flash backed cache present|Write [Cc]ache (?:temporarily|permanently) disabled"
    r".{0,80})",
    r"(?P<title>Failed drives:|'Replacement' drives:"
    r"|Drives currently substituted for by spares:)",
    r"Total of (?P<failed>\d{1,4}) failed physical drives detected on this logical drive\.",
    rf"{_DRIVE} (?P<fixed>.{{40}} .{{40}} .{{8}}){_DRIVE_STATE}",
    rf"{_DRIVE} +(?P<vendor>\S{{1,8}}) +(?P<product>\S{{2,16}}) +(?P<number>\w{{4,40}}) +"
    rf"(?P<firmware>(?!OK\b)\w{{2,8}}){_DRIVE_STATE}",
))  # fmt: skip
_BEGINS = re.compile(
    r"\s*(?:/dev/[\w/-]{2,40} ?[:(]|unknown-scsi-device:|Controller: |Board ID: |Logical drives: "
    r"|(?:Running|ROM) firmware: |Physical drives: |Cache (?:configured|Ratio): "
    r"|(?:Total|Read|Write) cache |Write Cache |Battery |Flash backed|Failed drives:"
    r"|'Replacement' |Drives currently|Total of \d|(?:b\d{1,3}t\d{1,3} {1,20})?connector \w)"
)
_SURE = re.compile(
    r"\s*(?:(?:/dev/[\w/-]{2,40}|unknown-scsi-device):? ?\(|Controller: (?:Smart|MSA|HP|P\d))"
)
_TITLES = {"Failed drives:": "failed", "'Replacement' drives:": "replacement"}
_CACHES = {"Total cache memory": "cache_size", "Read cache memory": "read_cache_size",
           "Write cache memory": "write_cache_size"}  # fmt: skip


class CcissVolStatus(StateOutput):
    tool = "cciss_vol_status"
    anchors = (
        *(f"RAID {level} Volume " for level in ("0", "1", "4", "5", "6", "1(1+0)")),
        "Non-Volatile Cache status", ", Physical Port ", "Unknown RAID level (tolerance",
    )  # fmt: skip
    commands = ("cciss_vol_status",)
    reach = 3
    nothing = "its row is cut"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        first = top_of(cursor, _BEGINS.match, most=70)
        while first < cursor.at and not _SURE.match(cursor.line(first)):
            first += 1
        return first if _SURE.match(cursor.line(first)) else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        last, status = first - 1, _Status()
        for row, index in wrapped_rows(cursor, first, _ROW, _BEGINS, gap=3, most=600):
            last = index
            status.take({
                name: text if name == "fixed" else text.strip()
                for name, text in cells_of(row).items()
            })  # fmt: skip
        return max(last, first), status.subjects(prompt.host)


class _Status:
    """What the rows so far say, by what they are about."""

    def __init__(self) -> None:
        self.values: dict[tuple[str, str], dict[str, Scalar]] = {}
        self.owner = ""
        self.title = ""
        self.waiting: dict[str, Scalar] = {}  # of a controller whose device comes below
        self.volume: dict[str, Scalar] = {}

    def take(self, cells: Mapping[str, str]) -> None:
        """Files one row."""
        if "device" in cells:
            self._own(cells)
        if "volume" in cells:
            self._take_volume(cells)
        elif "enclosure" in cells:
            self._take_enclosure(cells)
        elif "controller" in cells:
            self.owner, self.waiting = "", {"model": cells["controller"]}
        elif "connector" in cells:
            self._take_drive(cells)
        elif "title" in cells:
            self.title = _TITLES.get(cells["title"], "substituted")
        elif "failed" in cells:
            self.volume["failed_disks"], self.title = int(cells["failed"]), ""
        elif "remark" in cells:
            self._controller()["cache_state"] = cells["remark"].lower().rstrip(".")
        elif "label" in cells:
            self._take_label(cells["label"], cells["value"])

    def _own(self, cells: Mapping[str, str]) -> None:
        """The controller: by its number where the device has one, else by its model."""
        numbered = re.match(r"/dev/cciss/c(\d{1,2})d", cells["device"])
        self.owner = f"cciss{numbered[1]}" if numbered else cells["model"]
        self._controller().setdefault("model", cells["model"])
        self._controller().update(self.waiting)
        self.waiting, self.title = {}, ""

    def _controller(self) -> dict[str, Scalar]:
        if not self.owner:
            return self.waiting
        return self.values.setdefault(("controller", self.owner), {})

    def _take_volume(self, cells: Mapping[str, str]) -> None:
        level = _LEVELS.get(cells["level"].removeprefix("RAID "))
        device = cells["device"].removeprefix("/dev/")
        place = f"{self.owner}/v{cells['volume']}"
        name = place if device.startswith(("cciss", "unknown")) else device
        self.volume = self.values.setdefault(("hwraid", name), {})
        self.volume.update(
            without_none(
                {
                    "controller": self.owner,
                    "volume": place,
                    "raid_level": None if level == "raid1" else level,
                    "printed_level": cells["level"].removeprefix("RAID "),
                    "state": volume_state(cells["state"]),
                    "spares": cells.get("spares") or None,
                }
            )
        )

    def _take_enclosure(self, cells: Mapping[str, str]) -> None:
        values: dict[str, Scalar] = {
            "controller": self.owner, "model": cells["enclosure"], "bus": int(cells["bus"]),
            "port": cells["port"], "state": cells["state"].lower(),
        }  # fmt: skip
        if cells["serial"]:
            values["serial"] = cells["serial"]
        self.values[("enclosure", f"{self.owner}/bus{cells['bus']}")] = values

    def _take_drive(self, cells: Mapping[str, str]) -> None:
        name = f"{self.owner}/{cells['connector']}:{cells['box']}:{cells['bay']}".lstrip("/")
        if "fixed" in cells:
            text = cells["fixed"]
            model, serial, firmware = text[:40], text[41:81], text[82:]
        else:
            model = f"{cells['vendor']} {cells['product']}"
            serial, firmware = cells["number"], cells["firmware"]
        state = cells.get("drive_state", "")
        own = {"OK": "ok", "": self.title or None}.get(state, "predictive failure")
        self.values.setdefault(("disk", name), {}).update(
            without_none(
                {
                    "model": " ".join(model.split()) or None,
                    "serial": serial.strip() or None,
                    "firmware": firmware.strip() or None,
                    "state": own,
                }
            )
        )

    def _take_label(self, label: str, value: str) -> None:
        self.title = ""
        controller = self._controller()
        if label in _CACHES:
            size = size_of(value)
            controller.update({} if size is None else {_CACHES[label]: size})
        elif label == "Running firmware":
            controller["firmware"] = value
        else:
            controller.update(as_labelled({label: value}))

    def subjects(self, host: str) -> Iterator[PrintedSubject]:
        """The controllers, volumes, drives and enclosures."""
        for (kind, name), values in self.values.items():
            if values:
                yield PrintedSubject(kind, name, values, host)
