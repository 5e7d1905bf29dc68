"""What robots built of the kernel: tree, commit, configuration and compiler of their reports.

Source: reports of Linaro's LKFT ("Build", "Source" or "metadata"), and of intel/lkp-tests (0-day
CI) as its lists archive them: lines "tree:", "head:", "url:", "base:", "patch subject:", "commit:",
"config:", "compiler:" before "reproduce".
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.records.printed import PrintedSubject, Unreadable
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, lines
from iosonde.text.reader import Items, StateOutput, top_of

_ROW = re.compile(
    r"\s*(?P<name>tree|head|url|base|patch link|patch subject|date|commit|config|compiler"
    r"|docutils|:{6} branch date|:{6} commit date|rustc):\s{1,6}(?P<value>\S.{0,400})$"
)
_CONFIG = re.compile(
    r"(?P<architecture>[a-z]\w{1,20})-(?P<config>[\w.+()-]{2,120})"
    r"(?: \((?:https?:\S{1,300}|attached as \.config)\)?| \(attached| \(https?:\S{1,200})?\s*$"
)
_COMMIT = re.compile(
    r"(?P<commit>[0-9a-f]{8,40})(?: \[(?P<of>\d{1,5}/\d{1,5})\] (?P<subject>.+))?$"
)
_TESTED = re.compile(
    r"\s*(?:\* )?(?P<name>kernel version|kernel|make_kernelversion|git|git tree|git repo|git branch"
    r"|git sha|git commit|git describe|architectures?|toolchain(?: version)?|kernel[ -]config)"
    r": (?P<value>\S.{0,200})$"
)
_BESIDE = re.compile(
    r"\s*(?:\* )?(?:(?:Project|[Tt]est|build) (?:details|link|log|name|history)|target.{0,12}): ?"
    r"|\s*https?://\S+$|\s*(?:## (?:Build|Source|metadata)|metadata:|Build details:)\s*$"
)
_RENAMED = {
    "git": "tree", "git tree": "tree", "git repo": "tree", "git branch": "branch",
    "git sha": "commit", "git commit": "commit", "git describe": "describe",
    "kernel version": "kernel", "make_kernelversion": "kernel", "architecture": "architectures",
    "toolchain version": "toolchain", "kernel-config": "config", "kernel config": "config",
}  # fmt: skip
_DIRECT = frozenset({"tree", "head", "base", "patch subject", "compiler", "rustc"})
_MOST = 30
_LEAST = 3
_WRAPPED = 60


class RobotBuild(StateOutput):
    tool = "kernel test robot"
    anchors = ("config: ", "compiler: ")
    commands = ()
    reach = 0
    nothing = "it names neither a commit nor a base"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        if not _ROW.match(cursor.line(cursor.at)):
            return None
        first = top_of(cursor, _is_own, most=_MOST)
        while first < cursor.at and not _ROW.match(cursor.line(first)):
            first += 1
        names = {
            row["name"] for _, line in lines(cursor, first, _MOST) if (row := _ROW.match(line))
        }
        return first if len(names) >= _LEAST and "config" in names else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        rows: dict[str, str] = {}
        last, name, above = first, "", ""
        for index, line in lines(cursor, first, _MOST):
            row = _ROW.match(line)
            if row and row["name"] in rows:
                break
            if row:
                name = row["name"]
                rows[name] = row["value"].strip()
            elif (
                line
                and name
                and len(above) > _WRAPPED
                and not line.lstrip().startswith("reproduce")
            ):
                rows[name] = f"{rows[name]} {line.strip()}"
            elif line or index > last + 1:
                break
            last, above = (index, line) if line else (last, above)
        values = _values(rows)
        if "config" not in values:
            raise Unreadable("its line `config:` names no configuration", last)
        return last, [PrintedSubject("kernel", "", values, prompt.host)]


class LkftBuild(StateOutput):
    tool = "lkft"
    anchors = ("git describe: ",)
    commands = ()
    reach = 0

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        if not _TESTED.match(cursor.line(cursor.at)):
            return None
        return top_of(cursor, lambda line: _TESTED.match(line) or _BESIDE.match(line), most=16)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        values: dict[str, Scalar] = {}
        last = first
        for index, line in lines(cursor, first, _MOST):
            row = _TESTED.match(line)
            name = _RENAMED.get(row["name"], row["name"]) if row else ""
            if index > last + 2 or (line and not row and not _BESIDE.match(line)):
                break
            if row and name not in values:
                values[name] = row["value"].strip()
            last = index if line else last
        if "commit" not in values and "kernel" not in values:
            raise Unreadable("it names neither a commit nor a version", last)
        return last, [PrintedSubject("kernel", "", values, prompt.host)]


def _is_own(line: str) -> bool:
    """Whether a line may stand in the list; a mail breaks its longest ones."""
    return _ROW.match(line) is not None or (bool(line) and len(line) < _WRAPPED * 2)


def _values(rows: dict[str, str]) -> dict[str, Scalar]:
    """What was built, of which commit, by which compiler."""
    values: dict[str, Scalar] = {}
    for name, text in rows.items():
        if name in _DIRECT:
            values[name.replace(" ", "_")] = text
        elif name == "config" and (config := _CONFIG.match(text)):
            values |= {"architecture": config["architecture"], "config": config["config"]}
        elif name == "commit" and (commit := _COMMIT.match(text)):
            values["commit"] = commit["commit"]
            if commit["of"]:
                values |= {"commit_of": commit["of"], "subject": commit["subject"]}
    return values
