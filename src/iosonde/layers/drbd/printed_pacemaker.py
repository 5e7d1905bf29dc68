"""`pcs status` and `crm_mon -1`: resources of a cluster, and the actions of theirs that failed.

Resources of every class are kept: a file system that is mounted on another node explains as much
as one that failed. A clone that lists its nodes has no agent in older versions.

Source: Pacemaker 1.1.10 to 2.1, lib/pengine/native.c (native_print(),
pcmk__native_output_string(): "NAME (CLASS:PROVIDER:TYPE): ROLE NODE (FLAGS)", "ocf::heartbeat" and
"Master" until 2.1), clone.c ("Masters: [ … ]"), lib/pengine/pe_output.c
(failed_action_friendly(), failed_action_technical()), tools/crm_mon_print.c ("Failed Actions:"
until 2.0).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from typing_extensions import override

from iosonde.records.printed import PrintedSubject, without_none
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, prompt_in
from iosonde.text.reader import Items, StateOutput, close_lines

_ROLES = "Started|Stopped|Master|Slave|Promoted|Unpromoted|Starting|Stopping"
_NAME = r"[A-Za-z_][\w.:-]{0,79}"
_ROW = re.compile(
    rf"[\s|]*(?:\* )?(?P<name>{_NAME})\s+"
    r"\((?P<agent>(?:ocf|lsb|systemd|service|stonith|upstart|nagios):{1,2}[\w:.@-]{1,80})\):?\s+"
    rf"(?P<state>(?:ORPHANED )?(?:FAILED|{_ROLES})\b[^\n]{{0,160}})$"
)
_SET = re.compile(
    rf"\s*(?:\* )?(?:Master/Slave|Clone) Set: (?P<clone>{_NAME})(?: \[(?P<name>{_NAME})\]|\s*$)"
)
_ON_NODES = re.compile(
    r"\s*(?:\* )?(?P<role>Masters|Slaves|Promoted|Unpromoted|Started|Stopped): "
    r"\[(?P<nodes>(?: [\w.-]{1,80}){1,40}) \]\s*$"
)
_NODES = re.compile(
    r"\s*(?:\* )?(?P<role>Online|OFFLINE|RemoteOnline|GuestOnline): "
    r"\[(?P<nodes>(?: [\w.:@-]{1,80}){1,40}) \]"
)
_NODE = re.compile(
    r"\s*(?:\* )?Node (?P<node>[\w.-]{1,80})(?: \([\w.-]{1,80}\))?: "
    r"(?P<state>[A-Za-z][\w() -]{2,40})"
)
_DC = re.compile(
    r"\s*(?:\* )?Current DC: (?P<dc>[\w.-]{1,80})[^\n]{0,120}?"
    r"(?P<quorum>partition (?:with|WITHOUT) quorum)"
)
_CLUSTER = re.compile(r"\s*Cluster name: (?P<name>[\w.-]{1,80})\s*$")
_FAILED = re.compile(r"\s*Failed (?:Resource Actions|Actions|actions):\s*$")
_ACTION = r"(?P<action>start|stop|monitor|promote|demote|notify)"
_KEY = rf"(?P<resource>{_NAME})_{_ACTION}_(?P<interval>\d{{1,9}})"
_WHERE = r"(?P<node>[\w.-]{1,80})"
_ACTIONS = tuple(
    re.compile(rf"\s*(?:\* )?{pattern}")
    for pattern in (
        rf"{_KEY} on {_WHERE} '(?P<result>[^'\n]{{1,60}})' \((?P<code>\d{{1,4}})\): call=",
        rf"{_KEY} \(node={_WHERE}, call=-?\d{{1,9}}, rc=(?P<code>\d{{1,4}}), "
        r"status=[^)\n]{1,200}\): (?P<result>[^\n]{1,60}?)\s*$",
        rf"(?P<resource>{_NAME}) (?:\d[\w.]{{0,20}}-interval )?{_ACTION} on {_WHERE} "
        r"(?:returned '(?P<result>[^'\n]{1,60})'(?: \((?P<reason>[^\n]{1,300}?)\))?"
        r"|could not be executed \((?P<status>[^():\n]{1,60})"
        r"(?:: (?P<why>[^\n]{1,300}?))?\)) at \w",
    )
)
_REASON = re.compile(r"exitreason='(?P<reason>[^\n]{1,300}?)'(?:,|\s*$)")
_OF_ACTION = re.compile(r"\s+(?:exitreason=|last-rc-change=|queued=|exec=)")
_OWN = re.compile(
    r"\s*+(?:\* )?(?:Cluster (?:name|Summary):|Stack: |Current DC: |Last (?:updated|change): "
    r"|Version: |={6,}|\d{1,6} [Nn]odes? (?:and \d{1,6} resources? )?configured"
    r"|\d{1,6} [Rr]esources? (?:instances? )?configured"
    r"|Node List:|(?:Full [Ll]ist of|Active|Inactive) [Rr]esources:|Daemon Status:|PCSD Status:"
    r"|WARNINGS?:|No (?:active|inactive|stonith) |Resource Group: "
    r"|(?:corosync|pacemaker|pcsd|sbd): \w+/|Fencing History:|Migration Summary:|Node Attributes:"
    r"|The cluster is|\*\*\* Resource management)"
)
_FLAGS = ("blocked", "disabled", "unmanaged", "failure ignored", "maintenance")
_MOST = 1000
_REACH = 80  # lines above the first resource
_GAP = 4


class PacemakerStatus(StateOutput):
    tool = "pacemaker"
    anchors = ("(ocf:", "Failed Resource Actions:", "Failed Actions:", "Failed actions:")
    commands = ("pcs", "crm_mon", "crm")
    reach = 4

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        is_head = _FAILED.match(line) and any(
            pattern.match(cursor.line(cursor.at + 1)) for pattern in _ACTIONS
        )
        if not is_head and not _ROW.match(line):
            return None
        first = cursor.at
        for index in range(first - 1, max(first - _REACH, 0) - 1, -1):
            above = cursor.line(index)
            if first - index > _GAP or (above and (prompt_in(above) or not _is_own(above))):
                break
            first = index if above else first
        return first

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        status, last = _Status(), first
        for index, line in close_lines(cursor, first, _MOST, gap=_GAP):
            if prompt_in(line) or not _is_own(line):
                break
            status.take(line)
            last = index
        return last, status.subjects(prompt.host)


def _is_own(line: str) -> bool:
    forms = (_OWN, _ROW, _SET, _ON_NODES, _NODES, _NODE, _FAILED, _OF_ACTION, *_ACTIONS)
    return any(form.match(line) for form in forms)


class _Status:
    """What was said so far."""

    def __init__(self) -> None:
        self._name = ""
        self._cluster: dict[str, Scalar] = {}
        self._resources: dict[str, list[dict[str, Scalar]]] = {}
        self._clones: dict[str, dict[str, Scalar]] = {}
        self._failures: list[tuple[str, dict[str, Scalar]]] = []
        self._clone = ""

    def take(self, line: str) -> None:
        """Takes a line of it."""
        if row := _ROW.match(line):
            self._resources.setdefault(row["name"], []).append(_of_resource(row))
        elif row := _SET.match(line):
            self._clone = row["name"] or row["clone"]
            if row["name"]:
                self._clones.setdefault(row["name"], {})["clone"] = row["clone"]
        elif (row := _ON_NODES.match(line)) and self._clone:
            values = self._clones.setdefault(self._clone, {})
            values[f"{row['role'].lower()}_on"] = row["nodes"].strip()
        elif action := next(filter(None, (form.match(line) for form in _ACTIONS)), None):
            self._failures.append(_of_action(action, line))
        elif _OF_ACTION.match(line) and self._failures and (reason := _REASON.search(line)):
            self._failures[-1][1]["reason"] = reason["reason"]
        else:
            self._of_cluster(line)

    def _of_cluster(self, line: str) -> None:
        if row := _CLUSTER.match(line):
            self._name = row["name"]
        elif row := _DC.match(line):
            self._cluster |= {"dc": row["dc"], "quorum": row["quorum"].endswith("with quorum")}
        elif row := _NODES.match(line):
            self._cluster[f"nodes_{row['role'].lower()}"] = row["nodes"].strip()
        elif row := _NODE.match(line):
            self._cluster[f"node_{row['node']}"] = row["state"].strip()

    def subjects(self, host: str) -> Iterator[PrintedSubject]:
        """The cluster, its resources, and the actions that failed."""
        if self._cluster:
            yield PrintedSubject("pacemaker", self._name, self._cluster, host)
        for name in dict.fromkeys([*self._clones, *self._resources]):
            values = self._clones.get(name, {}) | _together(self._resources.get(name, []))
            yield PrintedSubject("pacemaker_resource", name, values, host)
        for name, values in self._failures:
            yield PrintedSubject("pacemaker_failure", name, values, host)


def _of_resource(row: re.Match[str]) -> dict[str, Scalar]:
    """Agent, role, node and flags: `FAILED Master n1 (blocked)`, `Slave n2 (unmanaged) FAILED`."""
    said = row["state"]
    flags = [flag for flag in _FLAGS if re.search(rf"\([^)]{{0,80}}{flag}", said)]
    plain = re.sub(r"\([^)]{0,80}\)", " ", said)
    roles = re.findall(rf"\b(?:{_ROLES})\b", plain)
    nodes = re.sub(rf"\b(?:{_ROLES}|FAILED|ORPHANED)\b|[\[\]]", " ", plain)
    values: dict[str, Scalar] = {
        "agent": row["agent"].replace("::", ":"), "role": roles[0] if roles else None,
        "node": " ".join(nodes.split()) or None, "failed": True if "FAILED" in plain else None,
        "flags": ", ".join(flags) or None,
    }  # fmt: skip
    return without_none(values)


def _together(instances: list[dict[str, Scalar]]) -> dict[str, Scalar]:
    """The values of a resource; of one with instances on several nodes, the nodes of each role."""
    values = {name: value for instance in instances for name, value in instance.items()}
    if len(instances) < 2:
        return values
    values = {name: value for name, value in values.items() if name not in {"role", "node"}}
    for instance in instances:
        if instance.get("node") and instance.get("role"):
            name = f"{str(instance['role']).lower()}_on"
            before = f"{values[name]} " if name in values else ""
            values[name] = f"{before}{instance['node']}"
    return values


def _of_action(match: re.Match[str], line: str) -> tuple[str, dict[str, Scalar]]:
    """An action that failed: what on which node, with what result and why."""
    named = match.groupdict()
    reason = named.get("reason") or named.get("why")
    if reason is None and (said := _REASON.search(line)):
        reason = said["reason"]
    interval = int(named.get("interval") or 0)
    values: dict[str, Scalar] = {
        "resource": named["resource"], "action": named["action"], "node": named["node"],
        "result": named.get("result") or named.get("status"),
        "exit_code": int(named["code"]) if named.get("code") else None,
        "interval_ms": interval or None, "reason": reason,
    }  # fmt: skip
    name = f"{named['resource']} {named['action']} on {named['node']}"
    return name, without_none(values)
