"""`bcachefs fs usage`: a file system, how its data is replicated, and what each device holds.

Sizes are bytes without -h. A summary table of the devices stands in place of their parts where
newer versions are not asked for them.

Source: bcachefs-tools 1.37, src/commands/fs_usage.rs (fs_usage_v1_to_text(),
replicas_summary_to_text(), dev_usage_full_to_text(), devs_usage_to_text()); c_src/cmd_fs.c of
versions before ("Data type Required/total Devices" without durability, no percentage of a device).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from typing_extensions import override

from iosonde import units
from iosonde.kerneltext import UUID, fields
from iosonde.records.printed import PrintedSubject, without_none
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import Items, StateOutput, close_rows

_SIZE = r"\d{1,20}(?:\.\d{1,3})?(?: ?(?:[KMGTPE]i?)?B| [KMGTPE])?(?![\w.])"
_HEAD = re.compile(rf"\s*Filesystem: (?P<uuid>{UUID})\s*$")
_TOTAL = re.compile(
    rf"\s*(?P<label>Size|Used|Online reserved|cached|reserved):\s+(?P<size>{_SIZE})\s*$"
)
_DURABLE = re.compile(
    rf"\s*(?P<copies>\d{{1,2}}x|\d{{1,2}}\+\d{{1,2}}):(?P<sizes>(?:\s+{_SIZE}){{1,4}})\s*$"
)
_DEGRADED = re.compile(r"\s*undegraded(?:\s+-\d{1,2}x){0,4}\s*$")
_REPLICAS = re.compile(
    r"\s*(?P<type>[a-z_]{2,20}):\s+(?P<required>\d{1,2})/(?P<total>\d{1,2})\s+"
    rf"(?:(?P<durability>\d{{1,2}})\s+)?\[(?P<devices>[\w./ !-]{{0,400}})\]\s+(?P<size>{_SIZE})\s*$"
)
_COMPRESSED = re.compile(
    rf"\s*(?P<type>[a-z][a-z0-9_]{{1,20}})\s+(?P<compressed>{_SIZE})\s+(?P<uncompressed>{_SIZE})\s+"
    rf"(?P<extent>{_SIZE})\s*$"
)
_DEVICE = re.compile(
    r"\s*(?P<label>\(no label\)|[\w.+-]{1,64}) \(device (?P<id>\d{1,4})\):\s+"
    r"(?P<name>[\w./!-]{1,64})\s+(?P<state>rw|ro|evacuating|failed|spare|offline)"
    rf"(?:\s+(?:(?P<size>{_SIZE})\s+(?P<used>{_SIZE})\s+)?(?P<share>\d{{1,3}})%"
    rf"(?:\s+(?P<leaving>{_SIZE}))?|\s+usage unavailable|(?:\s+-){{3}})?\s*$"
)
_HELD = re.compile(
    rf"\s*(?P<type>[a-z][a-z_ ]{{1,20}}):\s+(?P<size>{_SIZE})"
    rf"(?:\s+(?P<buckets>\d{{1,15}})(?:\s+(?P<fragmented>{_SIZE}))?)?\s*$"
)
_PENDING = re.compile(
    rf"\s*(?P<type>[a-z_]{{2,20}}):\s+(?P<data>{_SIZE})\s+(?P<metadata>{_SIZE})\s*$"
)
_TITLES = re.compile(
    r"\s*(?:Data type\s+Required/total\s|(?P<part>Compression|Btree usage|Replicated"
    r"|Pending rebalance work|Pending reconcile|Erasure coded \(data\+parity\)):"
    r"|type\s+compressed\s|data\s+buckets\s+fragmented|Device label\s+Device\s)"
)
_NAMES = {"Online reserved": "online_reserved"}
_HEADS = {"capacity": "size", "bucket size": "bucket_size"}
"""Labels of a device that are of all of it."""
_TARGET = re.compile(r"\busage\b.*\s(?P<path>/\S*)\s*$")


class BcachefsUsage(StateOutput):
    tool = "bcachefs fs usage"
    anchors = ("Filesystem: ",)
    commands = ("bcachefs",)
    reach = 3
    nothing = "its sizes are cut off"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        below = cursor.line(cursor.at + 1).lstrip()
        is_own = _HEAD.match(cursor.line(cursor.at)) and below.startswith("Size:")
        return cursor.at if is_own else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        head = _HEAD.match(cursor.line(first))
        usage = _Usage(head["uuid"] if head else "")
        _, last = close_rows(cursor, first + 1, usage.take, 2000, no_prompts=True)
        target = _TARGET.search(prompt.command)
        return last, usage.subjects(target["path"] if target else "", prompt.host)


class _Usage:
    """What was said so far, and of which part the next line is."""

    def __init__(self, uuid: str) -> None:
        self._whole: dict[str, Scalar] = {"uuid": uuid}
        self._parts: list[tuple[str, str, dict[str, Scalar]]] = []
        self._part = ""
        self._in_device = False
        self._columns: dict[int, str] = {}

    def take(self, line: str) -> bool:
        """Takes a line; False where it is none of this output."""
        if title := _TITLES.match(line):
            self._part = title["part"] or self._part
            return True
        if _DEGRADED.match(line):
            self._columns = {word.end(): word[0].strip("-") for word in re.finditer(r"\S+", line)}
            return True
        if row := _DEVICE.match(line):
            self._in_device = not row["size"] and row["state"] != "offline"
            self._parts.append(("bcachefs_device", row["name"], _of_device(row)))
        elif row := _REPLICAS.match(line):
            name = f"{row['type']} {row['required']}/{row['total']} [{row['devices']}]"
            self._parts.append(("bcachefs_replicas", name, _of_replicas(row)))
        elif self._in_device:
            return self._hold(line)
        elif row := _TOTAL.match(line):
            name = _NAMES.get(row["label"], row["label"].lower())
            self._whole[name] = _bytes(row["size"])
        elif row := _DURABLE.match(line):
            self._whole |= self._of_copies(row)
        else:
            return self._more(line)
        return True

    def _of_copies(self, row: re.Match[str]) -> dict[str, Scalar]:
        """What has so many copies, by how many of them are lost; cells of nothing are empty."""
        name = f"copies_{row['copies']}".replace("+", "_and_")
        values: dict[str, Scalar] = {}
        for cell in re.finditer(_SIZE, row["sizes"]):
            column = self._columns.get(row.start("sizes") + cell.end())
            if column is None:
                return {name: " ".join(fields(row["sizes"]))}
            lost = "" if column == "undegraded" else f"_without_{column}"
            values[f"{name}{lost}"] = _bytes(cell[0])
        return values

    def _hold(self, line: str) -> bool:
        """A row of a device: what it holds of a type of data."""
        row = _HELD.match(line)
        if row is None:
            return False
        values, type_ = self._parts[-1][2], row["type"].replace(" ", "_")
        values[_HEADS.get(row["type"], type_)] = _bytes(row["size"])
        if row["buckets"]:
            name = "buckets" if row["type"] == "capacity" else f"{type_}_buckets"
            values[name] = int(row["buckets"])
        if row["fragmented"]:
            values[f"{type_}_fragmented"] = _bytes(row["fragmented"])
        return True

    def _more(self, line: str) -> bool:
        """A row of compression, of the trees, or of work that is still to be done."""
        if self._part == "Compression" and (row := _COMPRESSED.match(line)):
            values = {
                "compressed": _bytes(row["compressed"]),
                "uncompressed": _bytes(row["uncompressed"]),
                "average_extent_size": _bytes(row["extent"]),
            }  # fmt: skip
            self._parts.append(("bcachefs_compression", row["type"], dict(without_none(values))))
        elif self._part == "Btree usage" and (row := _HELD.match(line)):
            self._whole[f"btree_{row['type']}"] = _bytes(row["size"])
        elif self._part == "Pending reconcile" and (row := _PENDING.match(line)):
            self._whole[f"pending_{row['type']}_data"] = _bytes(row["data"])
            self._whole[f"pending_{row['type']}_metadata"] = _bytes(row["metadata"])
        elif self._part == "Pending rebalance work" and re.fullmatch(rf"\s*{_SIZE}\s*", line):
            self._whole["pending_rebalance"] = _bytes(line.strip())
        else:
            return False
        return True

    def subjects(self, path: str, host: str) -> Iterator[PrintedSubject]:
        """The file system, by where it is mounted or its uuid, and its parts."""
        if "size" not in self._whole:
            return
        name = path or str(self._whole["uuid"])
        yield PrintedSubject("bcachefs", name, self._whole, host)
        for kind, part, values in self._parts:
            yield PrintedSubject(kind, part, {"filesystem": name, **values}, host)


def _of_device(row: re.Match[str]) -> dict[str, Scalar]:
    label = row["label"] if not row["label"].startswith("(") else None
    return without_none(
        {
            "label": label, "device_id": int(row["id"]), "state": row["state"],
            "size": _bytes(row["size"]), "used": _bytes(row["used"]),
            "used_share": int(row["share"]) / 100 if row["share"] else None,
            "leaving": _bytes(row["leaving"]),
        }
    )  # fmt: skip


def _of_replicas(row: re.Match[str]) -> dict[str, Scalar]:
    return without_none(
        {
            "data_type": row["type"], "required": int(row["required"]), "total": int(row["total"]),
            "durability": int(row["durability"]) if row["durability"] else None,
            "devices": row["devices"] or None, "size": _bytes(row["size"]),
        }
    )  # fmt: skip


def _bytes(text: str | None) -> int | None:
    if not text:
        return None
    plain = text.replace(" ", "")
    return int(plain) if plain.isdecimal() else round(units.printed(plain, binary=True)[0])
