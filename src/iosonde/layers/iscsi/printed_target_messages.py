"""What targetcli says when it has made, deleted or set a thing of a target of LIO.

Source: targetcli-fb 2.1, targetcli/ui_target.py and ui_backstore.py (shell.log.info(): "Created
target %s.", "Created TPG %d.", "Created LUN %d->%d mapping in node ACL %s", "Created network portal
%s:%d.", "Created fileio %s with size %s", "Created block storage object %s using %s.", "Deleted
storage object %s.", "iSER enable now: %s"), ui_node.py ("Parameter %s is now '%s'.").
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, lines, prompt_in
from iosonde.text.reader import Items, StateOutput
from iosonde.text.secrets import MASK

_WWN = r"(?:iqn\.\d{4}-\d\d\.|eui\.|naa\.|ib\.)[\w.:-]{1,220}?"
_FORMS = tuple((what, re.compile(rf"\s*{pattern}\s*$")) for what, pattern in (
    ("target", rf"Created target (?P<name>{_WWN})\."),
    ("deleted_target", rf"Deleted Target (?P<name>{_WWN})\."),
    ("tpg", r"Created TPG (?P<number>\d{1,5})\."),
    ("lun", r"Created LUN (?P<number>\d{1,5})\."),
    ("mapped_lun", rf"Created (?:mapped )?LUN \d{{1,5}}->(?P<number>\d{{1,5}}) mapping in node ACL "
     rf"(?P<name>{_WWN})"),
    ("initiator", rf"Created Node ACL for (?P<name>{_WWN})"),
    ("portal", r"Created default portal listening on all IPs \((?P<name>[\d.]{7,15}|\[?::0?\]?)\), "
     r"port (?P<number>\d{1,5})\."),
    ("portal", r"Created network portal (?P<name>[\d.]{7,15}|\[[0-9a-fA-F:]{2,39}\]):"
     r"(?P<number>\d{1,5})\."),
    ("sized", r"Created (?P<plugin>fileio|ramdisk) (?P<name>[\w.:-]{1,80}) with size "
     r"(?P<number>\d{1,20})\.?"),
    ("block", r"Created block storage object (?P<name>[\w.:-]{1,80}) using "
     r"(?P<device>/[\w./:-]{1,200}?)\."),
    ("deleted_store", r"Deleted storage object (?P<name>[\w.:-]{1,80})\."),
    ("removed_lun", r"(?:Removed|Deleted) LUN (?P<number>\d{1,5})\."),
    ("iser", r"iSER enable now: (?P<name>True|False)"),
    ("parameter", r"Parameter (?P<key>[A-Za-z]\w{2,60}) is now '(?P<name>[^']{0,80})'\."),
))  # fmt: skip
_BESIDE = re.compile(
    r"\s*(?:Global pref auto_add_|Using default IP port \d|Binding to INADDR_ANY|/[\w./:-]{0,200}> "
    r"|Entering new node|Generating a wwn|Allowing )"
)
_BEGUN = re.compile(r"\s*(?:Created |Deleted |Parameter )[\w ()]{3,60}")
_MOST = 200


class TargetcliMessages(StateOutput):
    tool = "targetcli messages"
    answers = True
    anchors = (
        "Created target", "Created TPG ", "Created LUN ", "Created Node ACL for",
        "Created default portal", "Created network portal ", "Created fileio ", "Created ramdisk ",
        "Created block storage object ", "Deleted storage object ", "Deleted Target ",
        "iSER enable now: ", " is now '",
    )  # fmt: skip
    commands = ("targetcli",)
    reach = 4

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        return cursor.at if _message(cursor, cursor.at)[1] else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        group: dict[str, Scalar] = {}
        things: dict[tuple[str, str], dict[str, Scalar]] = {}
        last = first
        for index, line in lines(cursor, first, _MOST):
            if index <= last and index > first:
                continue  # the rest of a message
            end, said = _message(cursor, index)
            if said is not None:
                _take(*said, group, things)
                last = end
            elif index > last + 2 or (line and not _BESIDE.match(line)) or prompt_in(line):
                break
        subjects = [PrintedSubject("iscsi_target", "", group, prompt.host)] if group else []
        subjects += [
            PrintedSubject(kind, name, values, prompt.host)
            for (kind, name), values in things.items()
        ]
        return last, subjects


def _message(
    cursor: TextCursor, index: int
) -> tuple[int, tuple[str, dict[str, str | None]] | None]:
    """Index of a message's last line, and what it says; a mail may have broken it once."""
    line = cursor.line(index)
    below = cursor.line(index + 1).strip()
    pieces = [(index, line)]
    if below and _BEGUN.match(line):
        pieces.append((index + 1, f"{line} {below}"))
    for end, text in pieces:
        for what, form in _FORMS:
            if match := form.match(text):
                return end, (what, match.groupdict())
    return index, None


def _take(
    what: str,
    parts: dict[str, str | None],
    group: dict[str, Scalar],
    things: dict[tuple[str, str], dict[str, Scalar]],
) -> None:
    """Takes in a message: of a named thing, or of the group that is worked on."""
    name = parts.get("name") or ""
    number = int(parts.get("number") or 0)
    if what in {"target", "deleted_target"}:
        state = "deleted" if what == "deleted_target" else "created"
        things[("iscsi_target", name)] = {"iqn": name, "state": state}
    elif what == "sized":
        key = ("backstore", f"{parts['plugin']}/{name}")
        things[key] = {"size": number, "state": "created"}
    elif what == "block":
        things[("backstore", f"block/{name}")] = {
            "device": parts["device"], "state": "created",
        }  # fmt: skip
    elif what == "deleted_store":
        things[("backstore", name)] = {"state": "deleted"}
    elif what == "portal":
        _add(group, "portal", f"{name}:{number}")
    elif what in {"tpg", "lun", "removed_lun"}:
        _add(group, what, number)
    elif what == "mapped_lun":
        _add(group, "mapped_lun", number)
        _add(group, "initiators", name)
    elif what == "initiator":
        _add(group, "initiators", name)
    elif what == "iser":
        group["iser"] = name == "True"
    else:
        parameter = parts.get("key") or ""
        group[parameter] = MASK if "password" in parameter.lower() and name else name


def _add(values: dict[str, Scalar], name: str, value: Scalar) -> None:
    """Sets a value; of several different ones all are named, with blanks between them."""
    before = values.get(name)
    if before is None:
        values[name] = value
    elif str(value) not in str(before).split(" "):
        values[name] = f"{before} {value}"
