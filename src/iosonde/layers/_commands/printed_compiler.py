"""What compilers, linkers and checkers of C print: errors and warnings with their places.

gcc and clang, ld and modpost, sparse, smatch, cppcheck and coccinelle, configure and make; as a
build prints it, and as the kernel's test robot repeats it.

Source: GCC 13, gcc/diagnostic.cc (diagnostic_build_prefix(): "%s:%d:%d: error: "); clang 17,
lib/Frontend/TextDiagnostic.cpp; binutils 2.41, ld/ldmain.c (undefined_symbol()); Linux 6.12,
scripts/mod/modpost.c (modpost_log()), scripts/coccinelle; sparse 0.6.4, lib.c (do_warn());
smatch, smatch.h (sm_prefix(): "%s:%d %s() "); GNU make 4.4, src/job.c (child_error()); autoconf
2.71, AS_ERROR, AS_WARN; intel/lkp-tests (prints "sparse: " for sparse's severity).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from typing_extensions import override

from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor, lines, prompt_in
from iosonde.text.reader import Items, StateOutput

_FILE = (
    r"(?P<file>[\w./~][\w./+@~-]{0,200}"
    r"(?:\.(?:[chsSyl]|cc|hh|cpp|cxx|hpp|rs|go|dtsi?|rst|cocci|y\.c|mod\.c)|/?CMakeLists\.txt"
    r"|meson\.build))"
)
_SEVERITY = (
    r"(?P<severity>fatal error|error|warning|note|ERROR|WARNING|style|performance|portability"
    r"|sparse: sparse|sparse)"
)
_PROGRAMS = (
    r"(?P<program>(?:[\w./+-]{0,80}[/-])?(?:ld(?:\.lld|\.bfd|\.gold)?|gcc|cc|c\+\+|g\+\+|clang"
    r"|cc1|cc1plus|collect2|configure)(?:-\d{1,2})?)"
)
_FORMS = tuple(map(re.compile, (
    rf"\s*{_FILE}:(?P<line>\d{{1,7}})(?::(?P<column>\d{{1,5}})(?:-\d{{1,5}})?)?: {_SEVERITY}: ?"
    r"(?P<message>.{0,600})$",
    rf"\s*{_FILE}:(?P<line>\d{{1,7}}) (?P<function>\w{{1,120}})\(\) "
    r"(?P<severity>warn|error|info|parse error): (?P<message>.{1,600})$",
    rf"\s*(?:[\w./+-]{{0,80}}ld(?:\.\w{{1,6}})?: )?{_FILE}:"
    r"(?:(?P<line>\d{1,7})|\((?P<section>[^()]{1,200})\)): "
    r"(?P<message>undefined reference to .{1,300})$",
    rf"\s*{_PROGRAMS}: (?P<severity>fatal error|error|warning|WARNING|note): "
    r"(?P<message>.{1,600})$",
    r"\s*(?P<severity>ERROR|WARNING|FATAL): (?P<program>modpost): (?P<message>.{1,600})$",
    r"\s*(?P<severity>ERROR): (?P<message>\"\w{1,120}\" \[[\w./-]{1,200}\.ko\] undefined!)$",
)))  # fmt: skip
_MAKE = re.compile(
    r"\s*g?make(?:\[(?P<level>\d{1,3})\])?: \*\*\* \[(?P<target>[^\]]{1,300})\] "
    r"(?P<how>Error|Segmentation fault|Killed|Terminated)(?: (?P<status>\d{1,3}))?"
)
_COUNTS = re.compile(
    r"\s*(?P<said>\d{1,6} (?:warning|error)s?(?: and \d{1,6} errors?)? generated)\.\s*$"
)
_CONTEXT = re.compile(
    r"\s*+(?:In file included from .|from [\w./~-]{1,200}:\d|"
    r"[\w./+~-]{1,200}: (?:In (?:member |static )?function|In constructor|At top level|in function)"
    r"|[\w./+-]{1,200}ld(?:\.\w{1,6})?: .{1,400}(?: in function .|undefined references to .)"
    r"|\d{1,7} \| |\| |[~^|+-]{1,200}\s*$|~{0,120}\^|cc1\w{0,4}: \w{3,4} warnings|"
    r"compilation terminated|make(?:\[\d{1,3}\])?: |(?:CC|LD|AR|HOSTCC|CHECK|MODPOST) {1,9}\S"
    r"|--\s*$|vim \+\d|fatal error: too many errors|referenced by |did you mean: )"
)
_DIRECTIVE = re.compile(r"\s*#\s*(?:define|include|if\w{0,4}|el\w{2,4}|endif|undef|error|pragma)\b")
_OPTION = re.compile(r"\s*\[(?P<option>-W[\w=+,-]{2,120}|[a-z]{2,40}[A-Z][A-Za-z]{2,40})\]\s*$")
_COUNTED = {
    "fatal error": "errors", "error": "errors", "fatal": "errors", "parse error": "errors",
    "warning": "warnings", "warn": "warnings", "note": "notes", "info": "infos",
    "sparse: sparse": "sparse", "sparse": "sparse", "style": "style",
    "performance": "performance", "portability": "portability",
}  # fmt: skip
"""Severity as printed → what it is counted as; sparse's of the robot has no severity."""
_MOST = 4000
_GAP = 8  # lines of code and blank ones from one message to the next
_KEPT = 200  # messages
_WRAPPED = range(60, 101)  # characters up to the next word: where mails break lines


class _Message(NamedTuple):
    severity: str
    place: dict[str, Json]
    text: str


class Compiler(StateOutput):
    tool = "compiler"
    anchors = (
        ": error: ", ": warning: ", ": fatal error: ", ": sparse: ", "() warn: ", "() error: ",
        "undefined reference to ", ": modpost: ", ".ko] undefined!", ": ERROR: ", ": WARNING: ",
        "make: *** [", "]: *** [", ": style: ", ": performance: ", ": portability: ",
    )  # fmt: skip
    commands = (
        "make", "gcc", "cc", "clang", "g++", "configure", "cppcheck", "ninja",
    )  # fmt: skip

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        if _message(line) is None and _MAKE.match(line) is None:
            return None
        above = cursor.stamped(cursor.at - 1).startswith(("Subject:", "subject:"))
        return None if above else cursor.at

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        messages: list[_Message] = []
        said: dict[str, list[Json]] = {"make_errors": [], "generated": []}
        last, torn = first, ""
        for index, line in lines(cursor, first, _MOST):
            if index > last + _GAP or (index > first and _is_command(line)):
                break
            if message := _message(line):
                messages.append(message)
            elif failed := _MAKE.match(line):
                said["make_errors"].append(_failed(failed))
            elif counts := _COUNTS.match(line):
                said["generated"].append(counts["said"])
            elif line and not _CONTEXT.match(line):
                if messages and torn and _goes_on(torn, line):
                    text = f"{messages[-1].text} {line.strip()}"
                    messages[-1] = messages[-1]._replace(text=text)
                    last, torn = index, line
                    continue
                if not line[0].isspace():
                    break
                torn = ""
                continue
            last = index if line else last
            torn = line if message else (torn and line)
        values = _counted(messages) | {name: rows for name, rows in said.items() if rows}
        return last, [self.counted("host", "", values, prompt)]


def _is_command(line: str) -> bool:
    """Whether a line is a command behind a prompt, and no line of C."""
    return prompt_in(line) is not None and not (_DIRECTIVE.match(line) or _message(line))


def _message(line: str) -> _Message | None:
    """What a line says of the sources; None where it says nothing of them."""
    for form in _FORMS:
        match = form.match(line)
        if match is None:
            continue
        parts = match.groupdict()
        place: dict[str, Json] = {
            name: int(parts[name]) if name in ("line", "column") else parts[name]
            for name in ("file", "line", "column", "function", "section", "program")
            if parts.get(name)
        }
        return _Message((parts.get("severity") or "error").lower(), place, parts["message"])
    return None


def _goes_on(above: str, line: str) -> bool:
    """Whether a mail broke a message after the line above: no blank begins what follows."""
    if line[0].isspace() or _OPTION.search(above):
        return False
    return len(above.strip()) + len(line.split(maxsplit=1)[0]) + 1 in _WRAPPED or bool(
        _OPTION.fullmatch(line)
    )


def _failed(match: re.Match[str]) -> dict[str, Json]:
    """A target that make could not build."""
    row: dict[str, Json] = {"target": match["target"], "how": match["how"]}
    if match["status"]:
        row["status"] = int(match["status"])
    if match["level"]:
        row["level"] = int(match["level"])
    return row


def _counted(messages: Iterable[_Message]) -> dict[str, Json]:
    """How many of each severity, and the messages but for notes; sparse's details are no others."""
    counts: dict[str, int] = {}
    rows: list[Json] = []
    for message in messages:
        if message.severity.startswith("sparse") and message.text.startswith(" "):
            continue
        counted = _COUNTED[message.severity]
        counts[counted] = counts.get(counted, 0) + 1
        if counted == "notes":
            continue
        option = _OPTION.search(message.text)
        text = message.text[: option.start()] if option else message.text
        row: dict[str, Json] = {**message.place, "severity": message.severity.rpartition(": ")[2]}
        row["message"] = text.strip()
        if option:
            row["option"] = option["option"]
        rows.append(row)
    values: dict[str, Json] = dict(counts)
    if rows:
        values["messages"] = rows[:_KEPT]
    if len(rows) > _KEPT:
        values["messages_left_out"] = len(rows) - _KEPT
    return values
