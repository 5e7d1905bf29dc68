"""`iscsiadm -m session`, with -P 1 to 3: sessions of the initiator, their state, their disks.

Source: open-iscsi 2.1, usr/session_mgmt.c (session_info_print_flat), usr/session_info.c
(print_scsi_state, session_info_print_tree): labels with one value a line, below their target.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from typing_extensions import override

from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.labels import as_labelled
from iosonde.text.reader import HeadedOutput, start_of, top_of

_FLAT = re.compile(
    r"\s*(?P<transport>tcp|iser|bnx2i|cxgb[34]i|qla4xxx|qedi|be2iscsi): \[(?P<sid>\d{1,6})\] "
    r"(?P<portal>\S{3,80}:\d{1,5}),(?P<group>-?\d{1,6}) (?P<target>\S{3,224})"
    r"(?: \((?P<flash>(?:non-)?flash)\))?\s*$"
)
_TREE = re.compile(r"\s*Target: (?P<target>\S{3,224})(?: \((?P<flash>(?:non-)?flash)\))?\s*$")
_PAIR = re.compile(r"\s*(?P<label>[A-Za-z][\w() /-]{1,40}?): ?(?P<value>\S.{0,200})?$")
_OTHER = re.compile(r"\s*(?:\*{5,}|scsi\d{1,4} Channel )")
_LABELS = frozenset({
    "Current Portal", "Persistent Portal", "Iface Name", "Iface Transport", "Iface Initiatorname",
    "Iface IPaddress", "Iface HWaddress", "Iface Netdev", "SID", "iSCSI Connection State",
    "iSCSI Session State", "Internal iscsid Session State", "Recovery Timeout",
    "Target Reset Timeout", "LUN Reset Timeout", "Abort Timeout", "HeaderDigest", "DataDigest",
    "MaxRecvDataSegmentLength", "MaxXmitDataSegmentLength", "FirstBurstLength", "MaxBurstLength",
    "ImmediateData", "InitialR2T", "MaxOutstandingR2T",
})  # fmt: skip
"""Of a session whose target is cut off."""
_SECTION = re.compile(
    r"\s*(?:Interface|Timeouts|CHAP|Negotiated iSCSI params|Attached SCSI devices|Host Number"
    r"|(?:password|username)(?:_in)?):"
)
_SHORT = re.compile(r"\S{1,224}(?: [A-Z]{2,12}){0,2}")
_STATE = re.compile(r"(?P<number>\d{1,6})\s+State: (?P<state>[\w -]{2,20})$")
_LUN = re.compile(
    r"\s*scsi(?P<host>\d{1,5}) Channel (?P<channel>\d{1,3}) Id (?P<id>\d{1,5}) "
    r"Lun: ?(?P<lun>\d{1,6})\s*$"
)
_VERSION = re.compile(
    r"\s*(?:iSCSI Transport Class )?version (?P<version>\d{1,2}\.\d{1,3}[\w.-]{0,16})\s*$"
)
_DISK = re.compile(r"\s*Attached scsi disk (?P<disk>\w{2,20})\s+State: (?P<state>\w{2,20})\s*$")


class IscsiSessions(HeadedOutput):
    tool = "iscsiadm"
    anchors = (
        "Target: iqn.", "Target: eui.", "Target: naa.", "tcp: [", "iser: [", "Attached scsi disk ",
        "iSCSI Connection State:", "iSCSI Session State:", "Iface Transport:", "Recovery Timeout:",
        "LUN Reset Timeout:", "Abort Timeout:", "Digest: ", "DataSegmentLength: ", "BurstLength: ",
        "Persistent Portal:", "MaxOutstandingR2T:", "InitialR2T:",
    )  # fmt: skip
    commands = ("iscsiadm",)
    reach = 5
    nothing = "it names no session"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        if self.is_head(line):
            return top_of(cursor, _VERSION.match, most=4)
        if _DISK.match(line):  # the rest of a session whose head is cut off
            first = start_of(cursor, _is_below_a_host, most=60)
            return first if _has_host(cursor, first) else None
        return start_of(cursor, _is_part, most=60) if _is_part(line) else None

    @override
    def is_head(self, line: str) -> bool:
        return bool(_FLAT.match(line) or _TREE.match(line))

    @override
    def goes_on(self, line: str, above: list[str]) -> bool:
        if above and _FLAT.match(above[0]):
            return False
        if above and _VERSION.match(above[0]):
            return _VERSION.match(line) is not None
        if above and not _TREE.match(above[0]):  # its target is cut off
            return _is_part(line) or _is_below_a_host(line)
        return bool(_DISK.match(line) or _PAIR.match(line) or _OTHER.match(line))

    @override
    def block(self, text: str, prompt: Prompt) -> Iterator[PrintedSubject]:
        first, *rest = text.split("\n")
        if flat := _FLAT.match(first):
            values: dict[str, Scalar] = {
                "iqn": flat["target"], "portal": flat["portal"], "session": int(flat["sid"]),
                "transport": flat["transport"], "portal_group": int(flat["group"]),
            }  # fmt: skip
            if flat["flash"]:
                values["flash"] = flat["flash"] == "flash"
            yield PrintedSubject("iscsi", flat["target"], values, prompt.host)
            return
        if version := _VERSION.match(first):
            versions: dict[str, Scalar] = {"transport_class_version": version["version"]}
            below = next(filter(None, rest), "")
            if tool := _VERSION.match(below):
                versions["tool_version"] = tool["version"]
                yield PrintedSubject("iscsi", "", versions, prompt.host)
            return
        tree = _TREE.match(first)
        target = tree["target"] if tree else ""
        rest = rest if tree else [first, *rest]
        sessions: list[list[str]] = [[]]
        labels = set[str]()
        for line in rest:
            pair = _PAIR.match(line)
            label = pair["label"] if pair and pair["label"] in _LABELS else ""
            if label in labels:  # the next session with the same target
                sessions.append([])
                labels.clear()
            labels |= {label} - {""}
            sessions[-1].append(line)
        of_target: dict[str, Scalar] = {"iqn": target} if target else {}
        if tree and tree["flash"]:
            of_target["flash"] = tree["flash"] == "flash"
        for session in sessions:
            yield PrintedSubject("iscsi", target, of_target | _values(session), prompt.host)


def _values(lines: list[str]) -> dict[str, Scalar]:
    """What the lines of one session say."""
    pairs: dict[str, str] = {}
    for line in lines:
        if (
            not _DISK.match(line)
            and not _LUN.match(line)
            and (pair := _PAIR.match(line))
            and pair["value"]
        ):
            pairs.setdefault(pair["label"], pair["value"])
    values: dict[str, Scalar] = as_labelled(pairs, {"SID", "Current Portal", "Host Number"})
    if number := pairs.get("Host Number", "").strip():
        state = _STATE.match(number)
        values["host_number"] = int(state["number"]) if state else number
        if state:
            values["host_state"] = state["state"]
    if sid := pairs.get("SID", "").strip():
        values["session"] = int(sid) if sid.isdecimal() else sid
    if portal := pairs.get("Current Portal", ""):
        values["portal"], _, group = portal.strip().partition(",")
        if group.isdecimal():
            values["portal_group"] = int(group)
    return values | _disks(lines)


def _disks(lines: list[str]) -> dict[str, Scalar]:
    """The disks of a session, their states, and host, channel, target and LUN of each."""
    disks: list[str] = []
    states: list[str] = []
    places: list[str] = []
    place = ""
    for line in lines:
        if lun := _LUN.match(line):
            place = ":".join(str(int(lun[name])) for name in ("host", "channel", "id", "lun"))
        elif disk := _DISK.match(line):
            disks.append(disk["disk"])
            states.append(f"{disk['disk']} {disk['state']}")
            places += [f"{disk['disk']} {place}"] if place else []
            place = ""
    values: dict[str, Scalar] = {}
    if disks:
        values |= {"disks": " ".join(disks), "disk_states": ", ".join(states)}
    if places:
        values["disk_addresses"] = ", ".join(places)
    return values


def _is_below_a_host(line: str) -> bool:
    """Whether a line is a heading of a session's part, a host, a LUN or a disk."""
    return bool(_SECTION.match(line) or _OTHER.match(line) or _DISK.match(line))


def _has_host(cursor: TextCursor, first: int) -> bool:
    """Whether the host or the LUN of a disk stands between a line and the anchor's."""
    above = cursor.block(first, cursor.at - first)
    return any("Host Number:" in line or _LUN.match(line) for line in above)


def _is_part(line: str) -> bool:
    """Whether a line is of a session: with a label that no other program has, and its value."""
    pair = _PAIR.match(line)
    if pair is None or pair["label"] not in _LABELS or not pair["value"]:
        return False
    label, value = pair["label"], pair["value"].strip()
    if label == "SID" or label.endswith(("Timeout", "Length", "OutstandingR2T")):
        return value.isdecimal()
    return _SHORT.fullmatch(value) is not None
