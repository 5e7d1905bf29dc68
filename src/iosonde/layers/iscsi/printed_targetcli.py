"""targetcli's `ls`: targets of LIO with their portals, LUNs and initiators, and backstores.

Source: configshell-fb 1.1, configshell/node.py (_render_tree: "o- NAME .... [STATUS]");
targetcli-fb 2.1, targetcli/ui_target.py and ui_backstore.py (what stands in the brackets; states
of ALUA: alua_state_names).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from typing_extensions import override

from iosonde import units
from iosonde.records.printed import PrintedSubject, Unreadable
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, lines, prompt_in
from iosonde.text.json_tree import key_name
from iosonde.text.reader import Items, StateOutput

_NODE = re.compile(
    r"(?P<branches>[\s|]*)o- (?P<name>\S{1,224})(?: \.*(?: \[(?P<status>[^\]]{0,240})\])?)?\s*$"
)
_REST = re.compile(r"\s*(?=[.\[])\.{0,200} ?(?:\[[^\]]{0,240}\])?\s*$")
"""What a mail put below a node: its dots, its brackets, or both."""
_TARGET = re.compile(r"(?:iqn\.\d{4}-\d\d\.|eui\.|naa\.)\S+$")
_GROUP = re.compile(r"tpgt?\d+$")
_LUN = re.compile(r"lun(\d{1,5})$")
_LINKED = re.compile(
    r"(?P<store>\w+/[\w.:-]+)(?: \((?P<device>/[^)\s]+)\))?(?: \((?P<group>[\w.-]{1,224})\))?"
)
_STORED = re.compile(
    r"(?P<device>/\S+)? ?(?P<nullio>nullio )?\((?P<size>\d+(?:\.\d+)?(?:(?:[KMGTP]i?)?B| bytes))\)"
    r"(?: (?P<readonly>ro))?(?: (?P<mode>write-\w+))?(?: (?P<state>(?:de)?activated))?"
)
_ALUA = re.compile(r"ALUA state: (?P<state>[A-Za-z][\w/ -]{3,40})$")
_COUNTED = re.compile(r"Storage Objects: (\d{1,6})$")
_TARGETS = re.compile(r"Targets: (\d{1,6})$")
_PLUGINS = frozenset({"block", "fileio", "pscsi", "ramdisk"})
_NVMET = re.compile(r"[\s|]*+o- (?:hosts|subsystems|ports) \.")
"""A group of the tree that nvmetcli prints."""
_PORTAL = re.compile(r"(?:\d{1,3}(?:\.\d{1,3}){3}|\[[0-9a-fA-F:]+\]):\d{1,5}$")
_MOST = 4000


@dataclass(frozen=True, slots=True)
class _Node:
    """One line of the tree: what it is below, its name, and what stands in its brackets."""

    above: tuple[str, ...]
    name: str
    status: str


class Targetcli(StateOutput):
    tool = "targetcli"
    anchors = (
        "o- / ..", "[TPGs: ", "[Storage Objects: ", "[Portals: ", "[LUNs: ", "[Mapped LUNs: ",
        "[Targets: ", "[ALUA state: ",
    )  # fmt: skip
    commands = ("targetcli",)
    reach = 3

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        first = _node_of(cursor)
        if first is None:
            return None
        for index in range(first - 1, max(first - 60, -1), -1):
            line = cursor.line(index)
            if line and not _NODE.match(line) and not _REST.match(line):
                break
            first = index if _NODE.match(line) else first
        below = (cursor.line(first + step) for step in range(1, 6))
        return None if any(map(_NVMET.match, below)) else first

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        nodes: list[_Node] = []
        above: list[tuple[int, str]] = []
        last = first
        for index, line in lines(cursor, first, _MOST):
            if index <= last and index > first:
                continue  # the rest of a node
            node = _NODE.match(line)
            if node is None:
                if line or index > last + 1 or prompt_in(line):
                    break
                continue
            end, whole = _whole(cursor, index, line)
            node = _NODE.match(whole) or node
            depth = len(node["branches"])
            while above and above[-1][0] >= depth:
                above.pop()
            nodes.append(
                _Node(tuple(name for _, name in above), node["name"], node["status"] or "")
            )
            above.append((depth, node["name"]))
            last = end
        things = list(_things(nodes, prompt.host))
        if not things:
            raise Unreadable("no target and no backstore is in it", last)
        return last, things


def _node_of(cursor: TextCursor) -> int | None:
    """Index of the line of the node that the anchor belongs to."""
    for index in range(cursor.at, max(cursor.at - 3, -1), -1):
        line = cursor.line(index)
        if _NODE.match(line):
            return index
        if not _REST.match(line):
            break
    return None


def _whole(cursor: TextCursor, index: int, line: str) -> tuple[int, str]:
    """Index of a node's last line, and the node with its dots and brackets in one piece."""
    for end in (index + 1, index + 2):
        below = cursor.line(end)
        if "[" in line or not below or not _REST.match(below):
            break
        line, index = f"{line.rstrip()} {below.strip()}".replace(". .", ".."), end
    return index, line


def _things(nodes: Sequence[_Node], host: str) -> Iterator[PrintedSubject]:
    targets: dict[str, dict[str, Scalar]] = {}
    stores: dict[str, dict[str, Scalar]] = {}
    luns: list[PrintedSubject] = []
    fabrics: dict[str, int] = {}
    piece: dict[str, Scalar] = {}
    for node in nodes:
        target = next((name for name in (*node.above, node.name) if _TARGET.match(name)), "")
        if target and "acls" not in node.above:
            values = targets.setdefault(target, {"iqn": target})
            _of_target(node, values)
            if lun := _lun(node, target):
                luns.append(PrintedSubject("iscsi_target", f"{target}/lun_{lun['lun']}", lun, host))
        elif target and "acls" in node.above and _TARGET.match(node.name):
            values = targets.setdefault(target, {"iqn": target})
            before = values.get("initiators")
            values["initiators"] = f"{before} {node.name}" if before else node.name
        elif not target and (store := _store(node)):
            stores["/".join(_below(node))] = store
        elif not target and (group := _alua(node)):
            stores.setdefault("/".join(_below(node)[:-2]), {}).update(group)
        elif not target and (count := _TARGETS.match(node.status)):
            fabrics[node.name] = int(count[1])
        elif not target:
            _of_target(node, piece)  # a part of a tree, without its target
    yield from (
        PrintedSubject("fabric", name, {"targets": number}, host)
        for name, number in fabrics.items()
    )
    yield from (PrintedSubject("backstore", name, of, host) for name, of in stores.items())
    if piece:
        yield PrintedSubject("iscsi_target", "", piece, host)
    yield from (
        PrintedSubject("iscsi_target", name, values, host) for name, values in targets.items()
    )
    yield from luns


def _of_target(node: _Node, values: dict[str, Scalar]) -> None:
    """What a line below a target says of it."""
    if _GROUP.match(node.name):
        values[node.name] = node.status
        if "no-auth" in node.status.split(", "):
            values["authentication"] = False
    elif node.name in {"luns", "acls", "portals"} and (
        count := re.search(r"(\d{1,6})$", node.status)
    ):
        values[node.name] = int(count[1])
    elif _PORTAL.match(node.name):
        before = values.get("portal")
        values["portal"] = f"{before} {node.name}" if before else node.name
        if node.status == "iser":
            values["iser"] = True


def _lun(node: _Node, target: str) -> dict[str, Scalar] | None:
    number, linked = _LUN.match(node.name), _LINKED.match(node.status)
    if not number or not linked or "luns" not in node.above:
        return None
    values: dict[str, Scalar] = {
        "iqn": target, "lun": int(number[1]), "backstore": linked["store"],
    }  # fmt: skip
    for name, key in (("device", "device"), ("group", "alua_tg_pt_gp_name")):
        if linked[name]:
            values[key] = linked[name]
    return values


def _below(node: _Node) -> tuple[str, ...]:
    return (*(name for name in node.above if name not in {"/", "backstores"}), node.name)


def _is_plugin(name: str) -> bool:
    return name.partition(":")[0] in _PLUGINS | {"user"}


def _alua(node: _Node) -> dict[str, Scalar] | None:
    """The state of a group of ports of a storage object, by the group's name."""
    path = _below(node)
    state = _ALUA.match(node.status)
    if not state or path[-2:-1] != ("alua",) or (len(path) > 2 and not _is_plugin(path[0])):
        return None
    return {f"alua_{key_name(node.name)}": state["state"]}


def _store(node: _Node) -> dict[str, Scalar] | None:
    """A plug-in with its count, or a storage object with its device, size and caching."""
    path = _below(node)
    if not _is_plugin(path[0]):
        return None
    if len(path) == 1 and (count := _COUNTED.match(node.status)):
        return {"storage_objects": int(count[1])}
    stored = _STORED.match(node.status) if len(path) == 2 else None
    if not stored:
        return None
    text = stored["size"].replace(" bytes", "B")
    values: dict[str, Scalar] = {"size": round(units.printed(text, binary=True)[0])}
    values |= {name: True for name in ("nullio", "readonly") if stored[name]}
    for name, key in (("device", "device"), ("mode", "write_policy"), ("state", "state")):
        if stored[name]:
            values[key] = (
                stored[name].replace("write-", "write_") if name == "mode" else stored[name]
            )
    return values
