"""`tgtadm --op show --mode target` and `tgt-admin --show`: targets of tgtd with their LUNs.

Of accounts only their number is taken.

Source: tgt 1.0, usr/target.c (tgt_target_show_all, print_disksize: MB of 10^6 bytes;
tgt_target_show_accounts: a name a line, " (outgoing)" behind it).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from typing_extensions import override

from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.labels import as_labelled
from iosonde.text.reader import HeadedOutput, nearest

_HEAD = re.compile(r"\s*Target (?P<number>\d{1,6}): (?P<name>\S{3,224})\s*$")
_LUN = re.compile(r"\s*LUN: (?P<number>\d{1,5})\s*$")
_SECTION = re.compile(r"\s*(?P<name>System|I_T nexus|LUN|Account|ACL) information:\s*$")
_PAIR = re.compile(r"\s*(?P<label>[A-Z][A-Za-z_-]*(?: [A-Za-z]+){0,3}): ?(?P<value>.{0,200})$")
_SIZE = re.compile(r"(?P<size>\d{1,15}) MB(?:, Block size: (?P<block>\d{1,7}))?")
_ALLOWED = re.compile(r"\s+(?P<address>[\w.:/*-]{3,100})\s*$")
_ACCOUNT = re.compile(r"\s+\S{1,100}(?: \(outgoing\))?\s*$")
_ACCOUNTS = 64  # of a target, at most
_MB = 10**6
_REACH = 5


class Tgtadm(HeadedOutput):
    tool = "tgtadm"
    anchors = ("System information:", "I_T nexus information:")
    commands = ("tgtadm", "tgt-admin")
    reach = 3
    beginning = _HEAD
    nothing = "it names no target"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        return nearest(cursor, _REACH, self.is_head)

    @override
    def goes_on(self, line: str, above: list[str]) -> bool:
        if _SECTION.match(line) or _PAIR.match(line) or _ALLOWED.match(line):
            return True
        return bool(_ACCOUNT.match(line)) and _section_of(above) == "Account"

    @override
    def block(self, text: str, prompt: Prompt) -> Iterator[PrintedSubject]:
        first, *rest = text.split("\n")
        head = _HEAD.match(first)
        if head is None:
            return
        target: dict[str, str] = {}
        luns: dict[int, dict[str, str]] = {}
        allowed: list[str] = []
        section, pairs = "", target
        for line in rest:
            if match := _SECTION.match(line):
                section, pairs = match["name"], target
            elif match := _LUN.match(line):
                pairs = luns.setdefault(int(match["number"]), {})
            elif section == "ACL" and (match := _ALLOWED.match(line)):
                allowed.append(match["address"])
            elif section in {"System", "LUN"} and (match := _PAIR.match(line)):
                pairs.setdefault(match["label"], match["value"])
        values: dict[str, Scalar] = {"iqn": head["name"], **as_labelled(target)}
        values["luns"] = len(luns)
        if (accounts := _accounts(rest)) is not None:
            values["accounts"] = accounts
        if allowed:
            values["initiators"] = " ".join(allowed)
        yield PrintedSubject("iscsi_target", head["name"], values, prompt.host)
        for number, lun in luns.items():
            own = _of_lun(head["name"], number, lun)
            yield PrintedSubject("iscsi_target", f"{head['name']}/lun_{number}", own, prompt.host)


def _accounts(rest: list[str]) -> int | None:
    """How many accounts a target has; None where its list of them is not there."""
    names, section = 0, ""
    has_list = False
    for line in rest:
        if match := _SECTION.match(line):
            section = match["name"]
            has_list = has_list or section == "Account"
        elif section == "Account" and _ACCOUNT.match(line):
            names += 1
    return names if has_list else None


def _section_of(above: list[str]) -> str:
    """The section that the last of some lines stands in; empty where none began near it."""
    return next(
        (match["name"] for line in above[:-_ACCOUNTS:-1] if (match := _SECTION.match(line))), ""
    )


def _of_lun(target: str, number: int, pairs: dict[str, str]) -> dict[str, Scalar]:
    values: dict[str, Scalar] = {"iqn": target, "lun": number}
    if size := _SIZE.match(pairs.get("Size", "")):
        values["size"] = int(size["size"]) * _MB
        if size["block"]:
            values["block_size"] = int(size["block"])
    path = pairs.get("Backing store path", "").strip()
    if path and path != "None":
        values["device"] = path
    return as_labelled(pairs, {"Size", "Backing store path"}) | values
