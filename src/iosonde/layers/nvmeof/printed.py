"""nvme list: NVMe namespaces with model, size and format, as a table or as JSON (-o json).

Source: nvme-cli 1.x and 2.x, nvme-print-stdout.c, stdout_simple_topology and stdout_list_items:
sizes are of 1000, with the point or comma of the locale; the column "Generic" came with 2.0; since
2.x the dashes below the head are as wide as the columns. nvme-cli 2.10 nests JSON:
devices, subsystems, controllers, namespaces; 2.16, nvme-print-json.c (json_detail_list(),
json_detail_list_v2(): of multipath the controllers stand below namespaces, as "Paths").
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from typing_extensions import override

from iosonde import units
from iosonde.kerneltext import fields
from iosonde.records.printed import PrintedSubject, without_none
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, lines, prompt_in
from iosonde.text.json_output import object_at, object_with, opening
from iosonde.text.reader import PartlyReadItems, StateOutput

_HEAD = re.compile(r"^\s*Node +(?:Generic +)?SN +Model")
_KEY = re.compile(r'"Devices"\s*:\s*\[')
_CONTROLLER = re.compile(r"c\d+(?=n\d+$)")
"""What a path has in its name, and its namespace not: nvme0c1n1, nvme0n1."""
_DASHES = re.compile(r"\s*-[- ]*")
_PIECES = 16
"""Lines between the beginnings of two rows: head and dashes in 20 columns are 14."""
_MOST_ROWS = 64
_FOLDED = 3
"""Lines of a row that a mail folded."""
_ROW = re.compile(
    r"(?P<node>/dev/nvme\d+n\d+) (?:(?P<generic>/dev/ng\w+) )?(?P<serial>\S{1,20}) "
    r"(?:(?P<model>\S(?:(?!/dev/).){0,48}?) )?(?P<id>0x[\da-f]{1,8}|\d{1,10}) +"
    r"(?P<used>[\d.,]{1,12} [kMGTP]?B) / (?P<size>[\d.,]{1,12} [kMGTP]?B) "
    r"(?P<block>\d+ [KM]?i?B) \+ (?P<meta>\d+ B) ?(?P<firmware>(?!/dev/)\S{0,8})"
)


_BROKEN = re.compile(r"\s*(?P<node>/dev/nvme\d+n\d+)\s{2,}\S")


class NvmeList(StateOutput):
    tool = "nvme list"
    anchors = (
        "Namespace Usage", "Namespace  Usage", "Format           FW Rev", "Node             SN  ",
        "Node                  Generic", " B +  0 B", "iB +  0 B",
        '"DevicePath"', '"ModelNumber"',
    )  # fmt: skip

    commands = ("nvme",)
    reach = 3
    nothing = "no namespace follows"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        for index in range(cursor.at, max(cursor.at - 40, -1), -1):
            line = cursor.line(index)
            if index < cursor.at and prompt_in(line):
                break
            if _HEAD.match(line):
                return index
            if _KEY.search(line):
                return opening(cursor, index)
        return _without_head(cursor)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> PartlyReadItems:
        if "{" in cursor.line(first):
            answer, last = object_at(cursor, first, object_with("Devices"))
            return last, _devices(answer, prompt.host)
        return _table(cursor, first, prompt.host)


# ── table ─────────────────────────────────────────────────────────────────────────────────────


def _table(cursor: TextCursor, first: int, host: str) -> PartlyReadItems:
    last, pieces, texts = first, 0, [(first, cursor.line(first))]
    for index, line in lines(cursor, first + 1, 2000):
        begins = line.lstrip().startswith("/dev/nvme")
        if prompt_in(line) or _HEAD.match(line) or index > texts[-1][0] + (3 if begins else 2):
            break
        if begins:
            last, pieces = index, 0
        elif line:
            pieces += 1
            if pieces > _PIECES:
                break
        if line:
            texts.append((index, line))
    rows = " ".join(" ".join(_unwrapped([text for _, text in texts])).split())
    matches = list(_ROW.finditer(rows))
    if matches:
        last = max(last, _line_before(texts, rows[matches[-1].end() :]))
    nodes = {match["node"] for match in matches}
    cut = ((at, row["node"]) for at, text in texts if (row := _BROKEN.match(text)))
    broken = [(at, at, "a cell of it is missing") for at, node in cut if node not in nodes]
    return last, [*(_subject(match, host) for match in matches), *(broken if matches else ())]


def _without_head(cursor: TextCursor) -> int | None:
    """Index of the first of some rows whose head was cut off, as `nvme list | grep` leaves them."""
    first = None
    for index in range(cursor.at, max(cursor.at - _MOST_ROWS, -1), -1):
        line = cursor.line(index)
        if line.lstrip().startswith("/dev/nvme"):
            whole = " ".join(fields(" ".join(cursor.block(index, _FOLDED))))
            if not _ROW.match(whole):
                break
            first = index
        elif not line or prompt_in(line) or (first or cursor.at) - index >= _FOLDED:
            break
    return first


def _line_before(texts: list[tuple[int, str]], rest: str) -> int:
    """Index of the line in which the text before `rest` ends; `rest` is how the lines end."""
    characters = _without_blanks(rest)
    for index, text in reversed(texts):
        characters -= _without_blanks(text)
        if characters < 0:
            return index
    return texts[0][0]


def _without_blanks(text: str) -> int:
    """How many characters it has that are no blanks."""
    return sum(map(len, text.split()))


def _unwrapped(texts: list[str]) -> list[str]:
    """The rows, each in one piece where a terminal cut all of them at the same column."""
    start = next((at for at, text in enumerate(texts) if _DASHES.fullmatch(text) and text), None)
    if start is None or start + 1 >= len(texts) or not _DASHES.fullmatch(texts[start + 1] or "x"):
        return texts
    width = len(texts[start])
    rows: list[str] = []
    for text in texts[start:]:
        if rows and not text.lstrip().startswith("/dev/nvme"):
            rows[-1] = rows[-1].ljust(-(-len(rows[-1]) // width) * width) + text
        else:
            rows.append(text)
    return rows


def _subject(row: re.Match[str], host: str) -> PrintedSubject:
    size, used = (
        units.printed(row[name].replace(" ", "").replace(",", "."))[0] for name in ("size", "used")
    )
    values: dict[str, Scalar] = {
        "model": row["model"],
        "serial": row["serial"],
        "generic": (row["generic"] or "").removeprefix("/dev/") or None,
        "namespace": int(row["id"], 0),
        "firmware": row["firmware"] or None,
        "transport": "nvme",
        "size": round(size),
        "used": round(used),
        "logical_block_size": units.parse_bytes(row["block"].replace(" ", "")),
        "metadata_size": int(row["meta"].split()[0]) or None,
    }
    return PrintedSubject("disk", row["node"].removeprefix("/dev/"), without_none(values), host)


# ── JSON ──────────────────────────────────────────────────────────────────────────────────────


def _devices(answer: Mapping[str, Any], host: str) -> Iterator[PrintedSubject]:
    for device in answer["Devices"]:
        if "DevicePath" in device:
            yield _device(str(device["DevicePath"]), {**device, "Flat": True}, host)
        for subsystem in device.get("Subsystems", []):
            own = {key: device.get(key) for key in ("HostNQN", "HostID")} | subsystem
            shared = subsystem.get("Namespaces", [])
            for controller in subsystem.get("Controllers", []):
                paths = {_CONTROLLER.sub("", path["Path"]): path
                         for path in controller.get("Paths", [])}  # fmt: skip
                for space in (*controller.get("Namespaces", []), *shared):
                    name = str(space["NameSpace"])
                    yield _device(name, own | controller | paths.get(name, {}) | space, host)
            if "Controllers" not in subsystem:  # they stand below the namespaces
                for space in shared:
                    for path in space.get("Paths", []) or [{}]:
                        yield _device(str(space["NameSpace"]), own | path | space, host)


_TEXTS = {
    "ModelNumber": "model", "SerialNumber": "serial", "Firmware": "firmware", "Address": "address",
    "Generic": "generic", "GenericPath": "generic", "ProductName": "product", "Slot": "slot",
    "Controller": "controller", "Cntlid": "controller_id", "Subsystem": "subsystem",
    "SubsystemNQN": "nqn", "Path": "path", "ANAState": "ana_state",
    "HostNQN": "hostnqn", "HostID": "hostid",
}  # fmt: skip
_NUMBERS = {
    "PhysicalSize": "size", "UsedBytes": "used", "SectorSize": "logical_block_size",
    "MaximumLBA": "maximum_lba", "NSID": "namespace", "Index": "index",
}  # fmt: skip


def _device(path: str, row: Mapping[str, Any], host: str) -> PrintedSubject:
    """A namespace with its controller and subsystem; sizes in bytes, `maximum_lba` in blocks."""
    bus = str(row.get("Transport", "pcie"))
    values: dict[str, Scalar] = {"transport": "nvme" if bus == "pcie" else f"nvme-{bus}"}
    for key, name in _TEXTS.items():
        text = str(row[key]).strip() if row.get(key) is not None else ""
        if text:
            values[name] = text.removeprefix("/dev/") if name == "generic" else text
    values |= {name: int(row[key]) for key, name in _NUMBERS.items() if key in row}
    if row.get("Flat") and isinstance(row.get("NameSpace"), int):
        values["namespace"] = row["NameSpace"]
    return PrintedSubject("disk", path.removeprefix("/dev/"), values, host)
