"""`gluster volume status`, also with `detail`: bricks, daemons and tasks of volumes.

Source: glusterfs 3.4 to 11, cli/src/cli-rpc-ops.c (gf_cli_status_cbk(), cli_print_line(): a name of
more than 43 characters goes on in the next line, before the ports; "Y" or "N";
cli_print_detailed_status(): labels padded to 20 characters, sizes as in facts.py).
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.kerneltext import fields
from iosonde.layers.gluster.facts import BRICK, size_of
from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, prompt_in
from iosonde.text.labels import as_labelled
from iosonde.text.reader import Items, StateOutput, close_lines, nearest
from iosonde.text.torn import joinings

_VOLUME = re.compile(r"\s*Status of volume: (?P<name>\S{1,200})\s*$")
_HEAD = re.compile(r"\s*Gluster process\s+(?:TCP )?Port\b")
_HEAD_REST = re.compile(r"(?:\s*(?:RDMA|Port|Online|Pid))+\s*$")
_RULE = re.compile(r"\s*-{2,}\s*$")
_TASKS = re.compile(r"\s*(?:Task Status of Volume \S{1,200}|There are no active volume tasks)\s*$")
_SERVICE = r"(?:Self-heal|Quota|Bitrot|Scrubber|Snapshot|Tier) Daemon|NFS Server|Bit-?rot Daemon"
_BEGUN = re.compile(rf"\s*(?:Brick \S|(?:{_SERVICE}) on \S)")
_PROCESS = re.compile(
    rf"\s*(?P<name>Brick {BRICK}|(?:{_SERVICE}) on [\w.:-]{{1,120}})"
    r"\s+(?P<ports>(?:(?:\d{1,5}|N/A)\s+){1,2})(?P<online>[YN])\s+(?P<pid>\d{1,8}|N/A)\s*$"
)
_LABEL = re.compile(r"\s*(?P<label>[A-Z][A-Za-z ]{1,24}?)\s*: (?P<value>\S.{0,300}?)\s*$")
_TASK = re.compile(
    r"\s*(?P<label>Task|ID|Status|Removed bricks|Source Brick)\s*:\s*(?P<value>\S.*)$"
)
_MOST = 20_000
_SIZES = {"Disk Space Free": "available", "Total Disk Space": "size"}


class GlusterStatus(StateOutput):
    tool = "gluster volume status"
    anchors = ("Status of volume: ", "Gluster process")
    commands = ("gluster",)
    reach = 4
    nothing = "no brick follows"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        if _VOLUME.match(line):
            return cursor.at
        return nearest(cursor, 4, _VOLUME.match) if _HEAD.match(line) else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        rows = list(close_lines(cursor, first, _MOST, gap=3))
        reading = _Status()
        at = last = 0
        while at < len(rows):
            line = rows[at][1]
            if at and prompt_in(line):
                break
            count = reading.take([text for _, text in rows[at : at + 4]])
            if not count:
                break
            at += count
            last = at - 1
        return rows[last][0] if rows else first, reading.subjects(prompt.host)


class _Status:
    """The volumes and processes read so far; a detailed list has labels for each brick."""

    def __init__(self) -> None:
        self._volumes: dict[str, dict[str, Scalar]] = {}
        self._bricks: dict[tuple[str, str], dict[str, Scalar]] = {}
        self._labels: dict[str, str] = {}
        self._volume = ""
        self._in_tasks = False

    def take(self, lines: list[str]) -> int:
        """How many lines belong to what begins in the first; 0 where nothing of it does."""
        line = lines[0]
        if volume := _VOLUME.match(line):
            self._volume, self._in_tasks = volume["name"], False
            self._volumes[self._volume] = {}
        elif _TASKS.match(line):
            self._in_tasks = True
        elif self._in_tasks and (task := _TASK.match(line)):
            self._volumes[self._volume] |= as_labelled(
                {f"task {task['label']}" if task["label"] != "Task" else "task": task["value"]}
            )
        elif _BEGUN.match(line):
            return self._process(lines)
        elif label := _LABEL.match(line):
            self._label(label["label"].strip(), label["value"])
        elif not any(pattern.match(line) for pattern in (_HEAD, _HEAD_REST, _RULE)):
            return 0
        return 1

    def _process(self, lines: list[str]) -> int:
        others = (_BEGUN, _RULE, _VOLUME, _TASKS)
        whole = next((at for at, line in enumerate(lines)
                      if at and any(p.match(line) for p in others)), len(lines))  # fmt: skip
        for count in range(whole, 0, -1):
            for text in joinings([part.rstrip() for part in lines[:count]]):
                if process := _PROCESS.match(text):
                    self._put(process)
                    return count
        return 0

    def _put(self, process: re.Match[str]) -> None:
        name = process["name"]
        kind = "gluster_brick" if name.startswith("Brick ") else "gluster_daemon"
        values: dict[str, Scalar] = {"volume": self._volume, **_state(process["online"])}
        for port, text in zip(("tcp_port", "rdma_port"), fields(process["ports"]), strict=False):
            if text != "N/A":
                values[port] = int(text)
        if process["pid"] != "N/A":
            values["pid"] = int(process["pid"])
        self._bricks[kind, name.removeprefix("Brick ")] = values

    def _label(self, label: str, value: str) -> None:
        if label == "Brick":
            name = value.removeprefix("Brick ")
            self._bricks["gluster_brick", name] = {"volume": self._volume}
            return
        if not self._bricks:
            return
        values = self._bricks[list(self._bricks)[-1]]
        if label in _SIZES and (size := size_of(value)) is not None:
            values[_SIZES[label]] = size
        elif label == "Online":
            values |= _state(value)
        elif value != "N/A":
            values |= as_labelled({label: value})

    def subjects(self, host: str) -> list[PrintedSubject]:
        """Volumes with the bricks that are down, and every process."""
        if not self._bricks:
            return []
        for volume, values in self._volumes.items():
            own = [facts for (kind, _), facts in self._bricks.items()
                   if kind == "gluster_brick" and facts["volume"] == volume]  # fmt: skip
            if own:
                down = sum(facts.get("state") == "offline" for facts in own)
                values |= {"bricks_online": len(own) - down, "bricks_offline": down}
        return [
            *(PrintedSubject("gluster_volume", name, values, host)
              for name, values in self._volumes.items() if values),
            *(PrintedSubject(kind, name, values, host)
              for (kind, name), values in self._bricks.items()),
        ]  # fmt: skip


def _state(online: str) -> dict[str, Scalar]:
    return {"state": "online" if online == "Y" else "offline"}
