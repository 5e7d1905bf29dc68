"""drbd.conf, its included resources, and what `drbdadm dump` and `drbdsetup show` print alike.

Source: drbd.conf(5) of drbd-utils 9.22: sections in braces within each other, statements that end
with a semicolon; user/shared/drbdadm_dump.c, which writes comments behind `#`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from typing_extensions import override

from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.nested import ConfigSection, in_braces, opened_head
from iosonde.text.reader import Items, StateOutput, over_comments

_TOP = re.compile(r"(?:resource \"?[\w.-]{1,80}\"?|global|common|_this_host|_remote_host)$")
_INNER = re.compile(
    r"(?:net|disk|options|syncer|startup|handlers|proxy|plugin|connection|connection-mesh"
    r"|stacked-on-top-of \S+|on \S+(?: \S+){0,3}|floating \S+|volume \d+|path|_peer_device_options"
    r"|_this_host|_remote_host)$"
)
_LONE = re.compile(r"net|disk|syncer|startup|handlers")
"""Sections that are shown without the one around them."""
_PAIR = re.compile(r"(?P<key>[a-z][a-z0-9-]{1,40})(?:\s+(?P<value>\S.{0,300}))?$")
_FLAG = re.compile(r"(?:no|allow|always|use)-")
"""How statements begin that may have no value."""
_REACH = 60


class DrbdConf(StateOutput):
    tool = "drbd.conf"
    anchors = (
        "resource r", "meta-disk ", "flexible-meta-disk", "usage-count", "max-buffers ",
        "al-extents ", "allow-two-primaries", "after-sb-0pri", "resync-rate ", "c-max-rate ",
        "disk-flushes", "protocol C;", "protocol A;", "protocol B;", "connection-mesh",
        "resource \"", "sndbuf-size", "quorum majority",
    )  # fmt: skip
    commands = (
        "cat", "drbdadm", "drbdsetup", "vi", "vim", "nano", "tee", "grep",
    )  # fmt: skip
    reach = 4
    nothing = "its sections are empty"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        lone: int | None = None
        for index in range(cursor.at, max(cursor.at - _REACH, -1), -1):
            head = opened_head(cursor.line(index))
            if lone is None and _LONE.fullmatch(head):
                lone = index
            if _TOP.match(head) and self._holds(cursor, index, _TOP):
                return over_comments(cursor, index, self.commands)
        if lone is not None and self._holds(cursor, lone, _LONE):
            return over_comments(cursor, lone, self.commands)
        return None

    @staticmethod
    def _holds(cursor: TextCursor, first: int, top: re.Pattern[str]) -> bool:
        """Whether the section that opens in a line is DRBD's and reaches to the anchor."""
        most = max(cursor.at - first + 1, 4)
        last, sections = in_braces(cursor, first, top.match, most=most, ended_by=";")
        inner = any(_INNER.match(section.heads[-1]) for section in sections[1:])
        stated = any(_PAIR.match(line) for section in sections for line in section.lines)
        return last >= cursor.at and (inner or stated) and "=" not in "".join(sections[0].lines)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        begin = first
        while cursor.line(begin).strip().startswith("#") and begin < first + _REACH:
            begin += 1
        top = _TOP if _TOP.match(opened_head(cursor.line(begin))) else _LONE
        last, sections = in_braces(cursor, begin, top.match, ended_by=";")
        return last, [
            PrintedSubject("drbd_config", name, values, prompt.host)
            for name, values in _values(sections).items()
            if values
        ]


def _values(sections: Iterable[ConfigSection]) -> dict[str, dict[str, Scalar]]:
    """Resource → its settings with the sections that they stand in before them.

    Without a name where the text shows no resource around a section.
    """
    things: dict[str, dict[str, Scalar]] = {}
    for section in sections:
        around = section.heads[:1] if _TOP.match(section.heads[0]) else ()
        own = things.setdefault("".join(around).removeprefix("resource ").strip('"'), {})
        outer = "".join(f"{head}." for head in section.heads[len(around) :])
        for line in section.lines:
            if (pair := _PAIR.match(line)) is None or pair["key"] == "shared-secret":
                continue
            if not pair["value"] and not _FLAG.match(pair["key"]):
                continue
            text = (pair["value"] or "yes").strip().strip('"')
            own[f"{outer}{pair['key']}"] = int(text) if re.fullmatch(r"\d{1,18}", text) else text
    return things
