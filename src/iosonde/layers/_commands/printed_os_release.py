"""/etc/os-release, lsb_release and /proc/cmdline: a distribution, and how its kernel was started.

Source: os-release(5) of systemd 252 (shell assignments, quoted where needed); lsb 11.1, lsb_release
(main()); Linux 6.6 Documentation/admin-guide/kernel-parameters.rst (`name=value` or a name, parted
by blanks; a value with blanks stands in double quotes; what comes twice is kept as the last).
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, lines, prompt_in
from iosonde.text.reader import Items, StateOutput, close_lines, close_rows, top_of

_RELEASE = re.compile(
    r"\s*(?P<name>NAME|VERSION|ID|ID_LIKE|PRETTY_NAME|VERSION_ID|VERSION_CODENAME|VARIANT|VARIANT_ID"
    r"|BUILD_ID|CPE_NAME|PLATFORM_ID|IMAGE_ID|IMAGE_VERSION|[A-Z][A-Z_]{2,40})="
    r"(?P<quote>[\"']?)(?P<value>[^\"']{0,200})(?P=quote)\s*$"
)
_KEPT = {
    "NAME": "distribution", "ID": "distribution_id", "VERSION_ID": "distribution_version",
    "PRETTY_NAME": "distribution_name", "VERSION_CODENAME": "distribution_codename",
    "ID_LIKE": "distribution_like",
    "DISTRIB_ID": "distribution", "DISTRIB_RELEASE": "distribution_version",
    "DISTRIB_DESCRIPTION": "distribution_name", "DISTRIB_CODENAME": "distribution_codename",
}  # fmt: skip
_OF_LSB = {
    "Distributor ID": "distribution", "Description": "distribution_name",
    "Release": "distribution_version", "Codename": "distribution_codename",
}  # fmt: skip
_LSB = re.compile(rf"\s*(?P<name>{'|'.join(_OF_LSB)}):\s{{1,12}}(?P<value>\S.{{0,120}}?)\s*$")
_ASKED = re.compile(r"[#$%>] ?lsb_release -\w{1,5}\s*$|^\s*lsb_release -\w{1,5}\s*$")
_NO_LSB = re.compile(r"\s*(?:No LSB modules are available\.|LSB Version:\s.{1,400})\s*$")
_PARAMETER = re.compile(
    r"(?P<name>[A-Za-z_][\w.-]{0,60})(?:=(?P<value>\"[^\"]{0,200}\"|\S{0,200}))?"
)
_LINE = re.compile(r"\s*(?:Command line: )?BOOT_IMAGE=\S{1,200}(?:\s+[A-Za-z_\"][^;|]{0,2000})?$")
_WRAPPED = 6  # lines that a mail may have made of one
_MOST = 40


class OsRelease(StateOutput):
    tool = "os-release"
    anchors = ("PRETTY", "DISTRIB_")
    commands = ("cat", "grep", "head", "more", "less")
    reach = 3
    nothing = "it names no distribution"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        match = _RELEASE.match(cursor.line(cursor.at))
        if match is None or match["name"] not in _KEPT:
            return None
        return top_of(cursor, lambda above: bool(_RELEASE.match(above)), most=_MOST)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        rows, last = close_rows(cursor, first, _RELEASE.match, _MOST)
        facts: dict[str, Scalar] = {
            _KEPT[row["name"]]: row["value"]
            for row in rows
            if row["name"] in _KEPT and row["value"]
        }
        return last, [PrintedSubject("host", "", facts, prompt.host)] if facts else []


class LsbRelease(StateOutput):
    """`lsb_release -a`, or some of its lines."""

    tool = "lsb_release"
    anchors = ("Distributor ID", "Codename:", "No LSB modules are", "_release -")
    commands = ("lsb_release",)
    reach = 3
    nothing = "it names no distribution"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        if _ASKED.search(line):  # for one of its lines
            return cursor.at + 1 if _is_lsb(cursor.line(cursor.at + 1)) else None
        return top_of(cursor, _is_lsb, most=8) if _is_lsb(line) else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        facts: dict[str, Scalar] = {}
        last = first
        for index, line in close_lines(cursor, first, 16):
            match = _LSB.match(line)
            if match is None and not _is_lsb(line):
                break
            if match and match["value"] != "n/a":
                facts[_OF_LSB[match["name"]]] = match["value"]
            last = index
        return last, [PrintedSubject("host", "", facts, prompt.host)] if facts else []


def _is_lsb(line: str) -> bool:
    return _LSB.match(line) is not None or _NO_LSB.match(line) is not None


class KernelCommandLine(StateOutput):
    tool = "kernel command line"
    anchors = ("IMAGE=",)
    commands = ("cat", "dmesg", "grep")
    reach = 2
    nothing = "no parameter follows"
    beginning = _LINE

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        text, last = cursor.line(first).strip(), first
        for index, line in lines(cursor, first + 1, _WRAPPED):
            names = [part.partition("=")[0] for part in line.split()]
            if not names or prompt_in(line) or not all(map(_PARAMETER.fullmatch, line.split())):
                break
            if not any("=" in part for part in line.split()):
                break  # a line of prose
            text, last = f"{text} {line.strip()}", index
        facts: dict[str, Scalar] = {
            match["name"]: (match["value"] or "").strip('"') if match["value"] is not None else True
            for match in _PARAMETER.finditer(text[text.index("BOOT_IMAGE=") :])
        }
        if len(facts) == 1:  # the image alone
            return last, []
        return last, [PrintedSubject("kernel", "command line", facts, prompt.host)]
