"""`xfsdump` and `xfsrestore`: what a dump took, how it ended, and the inventory (`-I`).

Source: xfsdump 3.1, dump/content.c (content_init(): "level %d dump of %s:%s", "estimated dump size:
%llu bytes"; content_complete(): "dump size (non-dir files) : %llu bytes", "%ld seconds elapsed"),
restore/content.c ("%llu directories and %llu entries processed"), common/main.c ("Dump Status: "),
inventory/inv_stobj.c (DEBUG_sessprint(), invidx_print()).
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.records.printed import PrintedSubject, Unreadable
from iosonde.records.stack import Json, Scalar
from iosonde.text.cursor import Prompt, TextCursor, prompt_in
from iosonde.text.labels import as_labelled
from iosonde.text.reader import Items, StateOutput, close_lines, top_of, top_of_own

_BEGIN = re.compile(r"\s*(?P<tool>xfsdump|xfsrestore):\s{1,8}(?P<text>\S.{0,300}?)\s*$")
_SAYS = (
    re.compile(r"version (?P<version>\d[\w.]{1,20}) \(dump format (?P<format>\d[\d.]{0,8})\)"),
    re.compile(r"(?:resuming )?level (?P<level>\d) (?:incremental )?dump of (?P<of>\S{1,300})"),
    re.compile(r"dump date: (?P<date>[A-Z]\w\w [\w :]{12,24})$"),
    re.compile(r"session id: (?P<session_id>[0-9a-f-]{36})$"),
    re.compile(r"session label: \"(?P<session_label>[^\"]{0,200})\"$"),
    re.compile(r"estimated dump size: (?P<estimated_size>\d{1,20}) bytes$"),
    re.compile(r"(?:stream \d{1,3}: )?media file size (?P<media_file_size>\d{1,20}) bytes$"),
    re.compile(r"dump size \(non-dir files\) : (?P<dump_size>\d{1,20}) bytes$"),
    re.compile(r"(?P<directories>\d{1,15}) directories and (?P<entries>\d{1,15}) entries "
               r"processed$"),
    re.compile(r"(?:dump|restore) (?P<end>complete|interrupted): (?P<seconds>\d{1,9}) seconds "
               r"elapsed"),
    re.compile(r"(?:Dump|Restore) Status: (?P<status>[A-Z]{2,12})"),
    re.compile(r"(?:WARNING|ERROR): (?P<message>\S.{2,240})$"),
)  # fmt: skip
_ENDS = frozenset({"end", "seconds", "status"})
"""What a dump that is piped into a restore says, and the restore again."""
_TREE = re.compile(
    r"\s*(?:(?:file system|session|stream|media file) \d{1,6}:|fs id:|mount point:|device:|time:"
    r"|session label:|session id:|level:|resumed:|subtree:|streams:|pathname:|start:|end:"
    r"|interrupted:|media files?:|mfile (?:index|type|size|start|end):|media (?:label|id):)"
    r".{0,200}$"
)
_SESSION = re.compile(r"\s*session (?P<number>\d{1,6}):\s*$")
_LEAF = re.compile(
    r"\s*(?P<label>mount point|device|time|session label|session id|level|resumed|subtree|streams"
    r"|interrupted|media files|mfile size):\s*(?P<value>.{0,200}?)\s*$"
)
_MOST = 4000


class XfsDump(StateOutput):
    """The lines of a dump, or of a restore."""

    tool = "xfsdump"
    anchors = ("xfsdump: ", "xfsrestore: ")
    commands = ("xfsdump", "xfsrestore")
    reach = 3

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = _BEGIN.match(cursor.line(cursor.at))
        if line is None or not _said(line["text"]):
            return None
        return top_of(cursor, lambda above: bool(_BEGIN.match(above)))

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        values, messages, mount, last = dict[str, Json](), list[Json](), "", first
        tool = ""
        for index, line in close_lines(cursor, first, _MOST):
            text = _BEGIN.match(line)
            if text is None or prompt_in(line):
                break
            said = _said(text["text"])
            if "level" in said and "level" in values:
                break  # another dump
            last = index
            mount = said.get("of", mount)
            if message := said.pop("message", ""):
                messages.append(message)
            tool = tool or text["tool"]
            said = {
                f"restore_{name}" if name in _ENDS and text["tool"] != tool else name: part.strip()
                for name, part in said.items()
            }
            values |= {name: int(part) if part.isdecimal() else part for name, part in said.items()}
        if messages:
            values["messages"] = messages
        if not values:
            raise Unreadable("it says no figure", last)
        return last, [self.counted("xfs", mount.rpartition(":")[2], values, prompt)]


class XfsDumpInventory(StateOutput):
    """`xfsdump -I`, each session that it lists."""

    tool = "xfsdump inventory"
    anchors = ("session label:", "mfile index:", "mfile size:")
    commands = ("xfsdump", "xfsrestore")
    reach = 3
    nothing = "no session follows"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        return top_of_own(cursor, _TREE.match)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        sessions, last = list[dict[str, str]](), first
        size = 0
        for index, line in close_lines(cursor, first, _MOST):
            if not _TREE.match(line):
                break
            last = index
            if _SESSION.match(line):
                sessions.append({})
                size = 0
            elif (leaf := _LEAF.match(line)) and sessions:
                if leaf["label"] == "mfile size" and leaf["value"].isdecimal():
                    size += int(leaf["value"])
                    sessions[-1]["size"] = str(size)
                elif leaf["label"] not in sessions[-1]:
                    sessions[-1][leaf["label"]] = leaf["value"].strip('"')
        return last, [_session(session, prompt) for session in sessions if session]


def _said(text: str) -> dict[str, str]:
    for form in _SAYS:
        if match := form.match(text):
            return {name: part for name, part in match.groupdict().items() if part}
    return {}


def _session(session: dict[str, str], prompt: Prompt) -> PrintedSubject:
    """A session of the inventory; its size is the sum of its media files'."""
    name = session.get("session id", "")
    values: dict[str, Scalar] = {
        key: value == "YES" if value in {"YES", "NO"} else value
        for key, value in as_labelled(session, {"session id"}).items()
    }
    return PrintedSubject("xfsdump_session", name, values, prompt.host)
