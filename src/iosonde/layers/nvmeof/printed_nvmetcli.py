"""nvmetcli's `ls`: ports and subsystems of the kernel's NVMe target, with their namespaces.

Source: configshell-fb 1.1, configshell/node.py (_render_tree: "o- NAME .... [STATUS]"); nvmetcli
0.7, UIPortNode.summary, UISubsystemNode.summary, UINamespaceNode.summary (what the brackets hold).
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.records.printed import PrintedSubject, Unreadable
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.labels import as_labelled
from iosonde.text.reader import Items, StateOutput, close_lines, start_of_own

_NODE = re.compile(
    r"(?P<branches>[\s|]*+)o- (?P<name>\S{1,224})"
    r"(?:\s+\.*(?:\s*\[(?P<status>[^\]]{0,300})\])?)?\s*$"
)
_PAIR = re.compile(r"(?P<label>[a-z_]{2,24})=(?P<value>[^,]{1,200})")
_NAMES = frozenset({
    "/", "hosts", "ports", "subsystems", "allowed_hosts", "namespaces", "referrals", "ana_groups",
    "passthru",
})  # fmt: skip
_MOST = 4000


class Nvmetcli(StateOutput):
    tool = "nvmetcli"
    anchors = (
        "o- allowed_hosts", "o- subsystems", "[trtype=", ", allow_any=", "o- ana_groups",
    )  # fmt: skip
    commands = ("nvmetcli",)
    reach = 6

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        return start_of_own(cursor, _NODE.match, most=200)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        things: dict[str, dict[str, Scalar]] = {}
        subsystem = port = group = ""
        last = first
        for index, line in close_lines(cursor, first, _MOST):
            node = _NODE.match(line)
            if node is None:
                break
            last = index
            name, status = node["name"], node["status"] or ""
            if name in _NAMES:
                group = name
                continue
            pairs = {pair["label"]: pair["value"] for pair in _PAIR.finditer(status)}
            if "trtype" in pairs:
                port, subsystem = f"port_{name}", ""
                things[port] = as_labelled(pairs)
            elif "allow_any" in pairs:
                port, subsystem = "", name
                things[subsystem] = {"nqn": name, **as_labelled(pairs)}
            elif group == "namespaces" and subsystem and name.isdecimal():
                states = {word for word in status.split(", ") if word in {"enabled", "disabled"}}
                own = as_labelled(pairs) | {"namespace": int(name)}
                state = {"state": states.pop()} if states else {}
                things[f"{subsystem}/namespace_{name}"] = own | state
            elif group == "subsystems" and port:
                before = things[port].get("subsystems")
                things[port]["subsystems"] = f"{before} {name}" if before else name
        if not things:
            raise Unreadable("no port and no subsystem is in it", last)
        return last, [
            PrintedSubject("nvmeof_target", name, values, prompt.host)
            for name, values in things.items()
        ]
