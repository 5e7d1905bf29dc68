"""sg_rtpg: the target port groups of a LUN, by ALUA: state, preference, ports.

A group is named "sdb group 1"; without a device in the command, "group 1". Ports keep their hex.

Source: sg3_utils 1.48, src/sg_rtpg.c: states by their numbers, whether -d names them or not; the
count of ports is hex.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

from typing_extensions import override

from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import Items, StateOutput, close_rows

_HEAD = re.compile(r"\s*Report target port groups:\s*$")
_REFUSED = re.compile(
    r"\s*(?:sg_rtpg: )?(?P<why>Report Target Port Groups command not supported"
    r"|bad field in Report Target Port Groups cdb including unsupported service action)\s*$"
)
_GROUP = re.compile(
    r"\s*target port group id : 0x(?P<id>[\da-f]{1,4}) , Pref=(?P<pref>[01])(?:, Rtpg_fmt=\d)?\s*$"
)
_STATE = re.compile(r"\s*target port group asymmetric access state : 0x(?P<state>[\da-f]{2})\b")
_SUPPORTED = re.compile(r"\s*T_SUP : [01], O_SUP : [01], ")
_STATUS = re.compile(r"\s*status code : 0x(?P<status>[\da-f]{2})\b")
_COUNT = re.compile(r"\s*target port count : (?P<ports>[\da-f]{2})\s*$")
_PORT = re.compile(r"\s*0x(?P<port>[\da-f]{2,4})\s*$")
_OTHERS = re.compile(
    r"\s*(?:vendor unique status : |Relative target port ids:|Implicit transition time: \d)"
)
_STATES = {
    0x0: "active/optimized", 0x1: "active/non-optimized", 0x2: "standby", 0x3: "unavailable",
    0x4: "logical block dependent", 0xE: "offline", 0xF: "transitioning",
}  # fmt: skip
_STATUSES = {
    0x1: "changed by SET TARGET PORT GROUPS", 0x2: "changed by the target itself",
}  # fmt: skip
_DEVICE = re.compile(r"\s(?:/dev/)?(?P<device>[a-z][\w/.:-]{1,80})\s*$")


class SgRtpg(StateOutput):
    tool = "sg_rtpg"
    anchors = (
        "Report target port groups:", "Report Target Port Groups command not supported",
        "bad field in Report Target Port Groups cdb",
    )  # fmt: skip
    commands = ("sg_rtpg",)
    reach = 4
    nothing = "no group follows"
    beginnings = (_HEAD, _REFUSED)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        named = _DEVICE.search(prompt.command.partition("|")[0])
        device = named["device"] if named else ""
        if answer := _REFUSED.match(cursor.line(first)):
            refused: dict[str, Scalar] = {"target_port_groups": answer["why"]}
            return first, [PrintedSubject("disk", device, refused, prompt.host)]
        groups: list[dict[str, Scalar]] = []
        _, last = close_rows(cursor, first + 1, partial(_take, groups), no_prompts=True)
        return last, _subjects(groups, device, prompt.host)


def _take(groups: list[dict[str, Scalar]], line: str) -> bool:
    """Takes a line; False where it is none of the groups'."""
    if match := _GROUP.match(line):
        groups.append({"id": int(match["id"], 16), "preferred": match["pref"] == "1"})
    elif not groups:
        return _OTHERS.match(line) is not None
    elif match := _STATE.match(line):
        code = int(match["state"], 16)
        groups[-1]["state"] = _STATES.get(code, f"0x{match['state']}")
    elif match := _SUPPORTED.match(line):
        states = re.findall(r"\b([A-Z]{1,3})_SUP : 1\b", line)
        groups[-1]["supported_states"] = " ".join(states)
    elif match := _STATUS.match(line):
        if status := _STATUSES.get(int(match["status"], 16)):
            groups[-1]["status"] = status
    elif match := _COUNT.match(line):
        groups[-1]["ports"] = int(match["ports"], 16)
    elif match := _PORT.match(line):
        before = f"{groups[-1]['port_ids']} " if "port_ids" in groups[-1] else ""
        groups[-1]["port_ids"] = f"{before}0x{match['port']}"
    else:
        return _OTHERS.match(line) is not None
    return True


def _subjects(groups: list[dict[str, Scalar]], device: str, host: str) -> Iterator[PrintedSubject]:
    """Each group that has its state."""
    for group in groups:
        name = f"{device} group {group['id']}".strip()
        values = {name: value for name, value in group.items() if name != "id"}
        if "state" in values:
            yield PrintedSubject("port_group", name, values, host)
