"""`zdb -C`, `zdb` and `zdb -l`: the configuration of pools, in the pool or in a device's labels.

What holds what is seen by the margins; a text that lost these is not read. Of a pool's labels the
first that is printed counts, as all four say the same. Groups have the names of `zpool status`:
type, parity and id; a disk that is used whole lacks its partition there.

Source: OpenZFS 2.2, cmd/zdb/zdb.c (dump_cachefile(): "%s:" and the list with a margin of 4,
dump_config(): "MOS Configuration:" and one of 8, print_label_header(), dump_label():
"failed to unpack label %d"); lib/libnvpair/libnvpair.c, dump_nvlist();
include/sys/fs/zfs.h (ZPOOL_CONFIG_*, pool_state_t); lib/libzfs/libzfs_pool.c, zpool_vdev_name();
lib/libzutil/os/linux/zutil_device_path_os.c, zfs_strip_partition().
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import ClassVar

from typing_extensions import override

from iosonde.records.printed import PrintedSubject, Unreadable
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, command_before, lines, prompt_in
from iosonde.text.reader import Items, StateOutput, close_lines, close_rows, top_of

_ROW = re.compile(
    r"(?P<margin>\s*)(?P<name>[a-zA-Z][\w.-]{0,80}(?::[a-z]\w{0,80})?(?:\[\d{1,4}\])?)"
    r"(?P<colon>:)(?: (?P<value>\S.{0,400}?))?\s*$"
)
_FEATURE = re.compile(r"\s*[a-z][\w.-]{1,60}:[a-z]\w{1,60}\s*$")
_TITLE = re.compile(
    r"\s*(?:MOS Configuration:|Cached configuration:|-{20,60}|LABEL \d(?: .{0,60})?"
    r"|L2ARC device header(?: .{0,60})?)\s*$"
)
_LABEL = re.compile(r"\s*LABEL (?P<number>\d)\b")
_LABELS = re.compile(r"\s*labels = (?P<numbers>\d(?: \d){0,3})\s*$")
_FAILED = re.compile(r"\s*failed to (?:unpack|read) label (?P<number>[0-3])\s*$")
_CHILD = re.compile(r"children\[\d{1,4}\]$")
_ASHIFT = re.compile(r"\s*ashift: (?P<shift>\d{1,2})\s*$")
_LARGEST_ASHIFT = 16
_OF_POOL = {"version": "spa_version", "txg": "txg", "pool_guid": "pool_guid",
            "hostname": "last_host"}  # fmt: skip
_TEXTS = {"type": "vdev_type", "guid": "guid", "path": "path", "phys_path": "phys_path",
          "devid": "devid"}  # fmt: skip
_NUMBERS = {"asize": "allocatable_size", "nparity": "parity", "DTL": "dirty_time_log"}
_FLAGS = frozenset({"offline", "faulted", "degraded", "removed", "not_present", "resilvering"})
_STATES = ("active", "exported", "destroyed", "spare", "l2cache")
_GROUPS = frozenset({"root", "mirror", "raidz", "draid", "replacing", "spare"})
_PARTITION = re.compile(
    r"(?P<disk>(?:[hsv]d|xvd)[a-z]{1,4}(?=\d)|.{1,200}(?=-part\d)|.{0,200}\d(?=p\d))(?:-part|p)?\d{1,3}"
)
_MOST = 4000
_AHEAD = 60


@dataclass(slots=True)
class _Node:
    """A list of names and values, with the vdevs below it."""

    margin: int
    values: dict[str, str] = field(default_factory=dict)
    children: list[_Node] = field(default_factory=list)

    @property
    def name(self) -> str:
        """As `zpool status` has it."""
        kind, path = self.values.get("type", ""), self.values.get("path", "")
        if kind in _GROUPS or not path:
            return f"{kind}{self.values.get('nparity', '')}-{self.values.get('id', '')}"
        name = re.sub(r"^/dev/(?:disk/by-[a-z-]{2,12}/)?", "", path)
        part = _PARTITION.fullmatch(name) if self.values.get("whole_disk") == "1" else None
        return part["disk"] if part else name


@dataclass(slots=True)
class _Config:
    """One pool's configuration: its own values, and the tree below `vdev_tree`."""

    values: dict[str, str] = field(default_factory=dict)
    tree: _Node | None = None
    is_label: bool = False


class Zdb(StateOutput):
    tool = "zdb"
    anchors = (
        "vdev_tree:", "failed to unpack label ", "failed to read label ", "type: 'root'",
        "type: 'mirror'", "type: 'raidz'", "type: 'draid'", "type: 'disk'", "type: 'file'",
    )  # fmt: skip
    commands = ("zdb",)
    reach = 5
    nothing = "it names no pool and no device"
    looks_above: ClassVar[bool] = True

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        if _FAILED.match(line):
            return top_of(cursor, _is_own)
        first = top_of(cursor, _is_own)
        has_tree = any("vdev_tree:" in each for _, each in lines(cursor, first, _AHEAD))
        return first if has_tree and _ROW.match(line) else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        reading = _Reading()
        last = first
        for index, line in close_lines(cursor, first, _MOST, gap=4):
            if index > first and (prompt_in(line) or not _is_own(line)):
                break
            if not reading.take(line):
                break
            last = index
        subjects = [
            subject for config in reading.pools() for subject in _subjects(config, prompt.host)
        ]
        if (labels := reading.labels()) and prompt.path:
            subjects.append(PrintedSubject("disk", prompt.path, labels, prompt.host))
        return last, subjects


class ZdbAshift(StateOutput):
    """`zdb | grep ashift`: one line for each group of a pool."""

    tool = "zdb ashift"
    anchors = ("ashift: ",)
    commands = ("zdb",)
    reach = 3

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        if not _ASHIFT.match(cursor.line(cursor.at)):
            return None
        first = top_of(cursor, _ASHIFT.match)
        command = command_before(cursor, first, self.commands, reach=self.reach)[1].command
        return first if "grep" in command else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        rows, last = close_rows(cursor, first, _ASHIFT.match, _MOST)
        shifts = [int(row["shift"]) for row in rows]
        if not all(0 < shift <= _LARGEST_ASHIFT for shift in shifts):
            raise Unreadable("it is no size of blocks", last)
        pool = re.search(
            r"zdb (?:-[A-Za-z]{1,8} )*(?P<pool>[a-z][\w.:-]{0,80})\s*\|", prompt.command
        )
        sizes = [1 << shift for shift in dict.fromkeys(shifts)]
        values: dict[str, Scalar] = {"groups": len(shifts)}
        if len(sizes) == 1:
            values["block_size"] = sizes[0]
        else:
            values["block_sizes"] = " ".join(map(str, sizes))
        return last, [PrintedSubject("zpool", pool["pool"] if pool else "", values, prompt.host)]


class _Reading:
    """What the lines of an output have said so far."""

    def __init__(self) -> None:
        self._configs = [_Config()]
        self._nodes = list[_Node]()
        self._read, self._failed = set[str](), set[str]()
        self._label = False

    def take(self, line: str) -> bool:
        """Notes what a line says; false where it is of none of this."""
        if failed := _FAILED.match(line):
            self._failed.add(failed["number"])
        elif label := _LABEL.match(line):
            self._label = True
            self._read.add(label["number"])
        elif labels := _LABELS.match(line):
            self._read |= set(labels["numbers"].split(" "))
        elif (row := _ROW.match(line)) and not _TITLE.match(line):
            return self._take_row(row)
        return True

    def _take_row(self, row: re.Match[str]) -> bool:
        name, value, margin = row["name"], (row["value"] or "").strip("'"), len(row["margin"])
        config = self._configs[-1]
        if name in {"version", "name"} and (config.tree or name in config.values):
            config = _Config()
            self._configs.append(config)
            self._nodes = []
        config.is_label = self._label
        if name == "vdev_tree":
            config.tree = _Node(margin)
            self._nodes = [config.tree]
            return True
        while self._nodes and margin <= self._nodes[-1].margin:
            self._nodes.pop()
        if _CHILD.match(name) and not row["value"]:
            if not self._nodes:
                raise Unreadable("its margins are lost: what holds what is not said")
            node = _Node(margin)
            self._nodes[-1].children.append(node)
            self._nodes.append(node)
        elif self._nodes and not row["value"]:
            self._nodes.append(_Node(margin))  # what it holds is nothing of the vdev
        elif self._nodes:
            self._nodes[-1].values.setdefault(name, value)
        elif not config.tree:
            config.values[name] = value
        return True

    def pools(self) -> Iterator[_Config]:
        """The configuration of each pool, once."""
        seen = set[str]()
        for config in self._configs:
            guid = config.values.get("pool_guid", "")
            if config.values.get("name") and guid not in seen:
                seen.add(guid)
                yield config

    def labels(self) -> dict[str, Scalar]:
        """How many labels of a device were read, and how many could not be."""
        if not self._failed:
            return {}
        return {"zfs_labels": len(self._read - self._failed), "failed_labels": len(self._failed)}


def _is_own(line: str) -> bool:
    """Whether a line may be one of zdb's."""
    return any(form.match(line) is not None for form in (_ROW, _FEATURE, _TITLE, _LABELS, _FAILED))


def _subjects(config: _Config, host: str) -> Iterator[PrintedSubject]:
    """A pool, and its groups and devices as far as they are printed."""
    pool = config.values["name"]
    facts: dict[str, Scalar] = {
        fact: config.values[name] for name, fact in _OF_POOL.items() if config.values.get(name)
    }
    state = config.values.get("state", "")
    if config.is_label and state.isdecimal() and int(state) < len(_STATES):
        facts["label_state"] = _STATES[int(state)]
    yield PrintedSubject("zpool", pool, facts, host)
    if config.tree is None:
        return
    is_root = config.tree.values.get("type") == "root"
    for node in config.tree.children if is_root else [config.tree]:
        yield from _devices(node, pool, "", host)


def _devices(node: _Node, pool: str, group: str, host: str) -> Iterator[PrintedSubject]:
    """A device, or a group and what it is made up of."""
    facts: dict[str, Scalar] = {"pool": pool}
    kind = node.values.get("type", "")
    if not kind:
        raise Unreadable("a device has no type: its margins are lost")
    if kind in {"hole", "missing", "indirect"}:
        return  # of what was removed
    if kind in _GROUPS:
        facts["group"] = True
    if group:
        facts["part_of"] = group
    facts |= {fact: node.values[name] for name, fact in _TEXTS.items() if node.values.get(name)}
    for name, fact in _NUMBERS.items():
        if node.values.get(name, "").isdecimal():
            facts[fact] = int(node.values[name])
    shift = node.values.get("ashift", "")
    if shift.isdecimal() and 0 < int(shift) <= _LARGEST_ASHIFT:
        facts["block_size"] = 1 << int(shift)
    facts |= {name: True for name in _FLAGS if node.values.get(name) == "1"}
    if node.values.get("is_log") == "1":
        facts["use"] = "logs"
    yield PrintedSubject("zpool_device", node.name, facts, host)
    for child in node.children:
        inner = group if kind in {"replacing", "spare"} else node.name
        yield from _devices(child, pool, inner, host)
