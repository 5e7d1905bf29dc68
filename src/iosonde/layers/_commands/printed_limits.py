"""Limits of processes: limits.conf, `ulimit -a` and /proc/PID/limits.

Source: limits.conf(5) of Linux-PAM 1.5 (core, data, fsize, memlock, rss, stack and as in KiB); bash
5.2, builtins/ulimit.def (the unit in brackets; a block's size depends on its mode and is kept);
Linux fs/proc/base.c, proc_pid_limits().
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde import units
from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, lines, prompt_in
from iosonde.text.reader import Items, StateOutput, over_comments

_ITEMS = (
    "as|chroot|core|cpu|data|fsize|locks|maxlogins|maxsyslogins|memlock|msgqueue|nice|nofile"
    "|nonewprivs|nproc|priority|rss|rtprio|sigpending|stack"
)
_KIB = frozenset({"core", "data", "fsize", "memlock", "rss", "stack", "as"})
_CONF = re.compile(
    rf"\s*+(?:(?:sudo )?echo ['\"]?)?(?P<domain>[@%]?[\w*:.-]{{1,40}})\s+(?P<type>soft|hard|-)\s+"
    rf"(?P<item>{_ITEMS})\s+(?P<value>unlimited|infinity|-?\d{{1,19}})"
    r"['\"]?\s*(?:#.{0,200}|(?:\||>>?) ?.{0,120})?$"
)
_SHELL = re.compile(
    r"\s*(?P<label>[A-Za-z][A-Za-z -]{3,30}?)\s*\((?:(?P<unit>blocks|kbytes|bytes|512 bytes"
    r"|seconds|microseconds), )?-(?P<letter>[a-zA-Z])\)\s+(?P<value>unlimited|\d{1,20})"
    r"(?:\s+#.{0,200})?$"
)
_PROC = re.compile(
    r"\s*(?P<label>Max [a-z -]{3,20}?)\s{2,}(?P<soft>unlimited|\d{1,20})\s+"
    r"(?P<hard>unlimited|\d{1,20})(?:\s+(?P<unit>seconds|bytes|processes|files|locks|signals|us))?$"
)
_HEAD = re.compile(r"\s*Limit\s+Soft Limit\s+Hard Limit\s+Units\s*$")
_FACTORS = {"kbytes": units.KIB, "512 bytes": 512}
_UNITS = {"blocks": "_blocks", "seconds": "_seconds", "microseconds": "_microseconds"}


class ProcessLimits(StateOutput):
    tool = "limits"
    anchors = (
        "nofile", "memlock", "nproc ", "(blocks, -", "(kbytes, -", "open files  ",
        "Max open files", "Max locked memory", "max locked memory", "max user processes",
        "pending signals",
    )  # fmt: skip
    commands = ("cat", "ulimit", "grep", "vi", "vim", "nano", "tee")
    reach = 3

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        if not _is_own(cursor.line(cursor.at)):
            return None
        first = cursor.at
        for index in range(first - 1, max(first - 60, -1), -1):
            line = cursor.line(index)
            if _is_own(line) or _HEAD.match(line):
                first = index
            elif first - index > 2 or (line.strip() and not line.lstrip().startswith("#")):
                break
        return over_comments(cursor, first, self.commands)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        things: dict[str, dict[str, Scalar]] = {}
        last = first
        for index, line in lines(cursor, first, 400):
            if index > last + 3:
                break
            text = line.strip()
            if not text or text.startswith("#"):
                continue
            if prompt_in(line) and index > first and not _is_own(line):
                break
            if row := _CONF.match(line):
                _of_file(row, things.setdefault(row["domain"], {}))
            elif row := _SHELL.match(line):
                _of_shell(row, things.setdefault("", {}))
            elif row := _PROC.match(line):
                _of_process(row, things.setdefault("", {}))
            elif not _HEAD.match(line):
                break
            last = index
        return last, [
            PrintedSubject("limits", name, values, prompt.host) for name, values in things.items()
        ]


def _is_own(line: str) -> bool:
    return bool(_CONF.match(line) or _SHELL.match(line) or _PROC.match(line))


def _number(text: str, factor: int = 1) -> Scalar:
    if text in {"unlimited", "infinity", "-1"}:
        return "unlimited"
    return int(text) * factor


def _of_file(row: re.Match[str], values: dict[str, Scalar]) -> None:
    """A line of limits.conf; "-" sets both limits."""
    factor = units.KIB if row["item"] in _KIB else 1
    for kind in ("soft", "hard") if row["type"] == "-" else (row["type"],):
        values[f"{kind}.{row['item']}"] = _number(row["value"], factor)


def _of_shell(row: re.Match[str], values: dict[str, Scalar]) -> None:
    unit = row["unit"] or ""
    name = "_".join(row["label"].lower().replace("-", " ").split())
    values[f"{name}{_UNITS.get(unit, '')}"] = _number(row["value"], _FACTORS.get(unit, 1))


def _of_process(row: re.Match[str], values: dict[str, Scalar]) -> None:
    name = "_".join(row["label"].removeprefix("Max ").replace("-", " ").split())
    ending = {"seconds": "_seconds", "us": "_microseconds"}.get(row["unit"] or "", "")
    values[f"soft.{name}{ending}"] = _number(row["soft"])
    values[f"hard.{name}{ending}"] = _number(row["hard"])
