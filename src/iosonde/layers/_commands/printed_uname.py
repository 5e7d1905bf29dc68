"""`uname -a` and /proc/version: which kernel a host runs.

Source: coreutils 9.1, uname.c ("Linux HOST RELEASE VERSION MACHINE GNU/Linux"); Linux
fs/proc/version.c and init/version.c, linux_proc_banner ("Linux version RELEASE (…").
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, flow
from iosonde.text.reader import Items, StateOutput, nearest

_RELEASE = r"(?P<release>\d{1,2}\.\d{1,3}[\w.+~-]{0,60})"
_UNAME = re.compile(
    rf"\s*Linux (?:(?P<host>[A-Za-z][\w.-]{{0,62}})|[<\[(][\w .-]{{1,40}}[>\])]|[*x]{{2,20}}) "
    rf"{_RELEASE} #\d+\S* "
)
"""With the host's name, or what stands for it where an author hides it."""
_ASKED = re.compile(r"(?:^|[#$>;]\s*|\s)uname -(?:r|sr|rs)\s*$")
_ALONE = re.compile(rf"\s*(?:Linux )?{_RELEASE}\s*$")
_VERSION = re.compile(rf"\s*Linux version {_RELEASE}(?: \(|\s*$)")


class Uname(StateOutput):
    """A mail may have broken it: the release stands first."""

    tool = "uname"
    anchors = ("Linux version ", " SMP", " PREEMPT", "GNU/Linux", "uname -")
    commands = ("uname", "cat")
    reach = 3

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        if _ASKED.search(cursor.line(cursor.at)):
            below = cursor.at + 1
            return below if _ALONE.match(cursor.line(below)) else None
        return nearest(cursor, 3, lambda line: _UNAME.match(line) or _VERSION.match(line))

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        line = cursor.line(first)
        match = _UNAME.match(line) or _VERSION.match(line) or _ALONE.match(line)
        if match is None:
            return first, ()
        host = prompt.host or match.groupdict().get("host") or ""
        facts: dict[str, Scalar] = {"kernel_release": match["release"]}
        if match.re is _ALONE:
            return first, [PrintedSubject("host", "", facts, host)]
        last = first
        while not _ENDED.search(cursor.line(last)) and last < first + 3:
            following = cursor.line(last + 1)
            if not following.strip() or _UNAME.match(following) or _VERSION.match(following):
                break
            last += 1
        last = last if _ENDED.search(cursor.line(last)) else first
        if match.re is _UNAME:
            facts |= {"hostname": match["host"]} if match["host"] else {}
            machine = _MACHINE.search(flow(cursor, first, last))
            facts |= {"machine": machine["machine"]} if machine else {}
        return last, [PrintedSubject("host", "", facts, host)]


_MACHINE = re.compile(
    r"\b(?P<machine>x86_64|aarch64|i[3-6]86|armv[5-8]\w{0,3}|ppc64(?:le)?|s390x|riscv64|loongarch64)"
    r"(?: \S{1,30}){0,2} GNU/Linux"
)
_ENDED = re.compile(r"(?:GNU/Linux|\b(?:19|20)\d\d)\s*$")
