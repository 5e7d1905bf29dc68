"""Logs of programs in Go: logfmt (`time=… level=error msg="…" key=value`), and klog's lines.

CSI drivers, Rook, Longhorn and Prometheus write the first, Kubernetes and its sidecars the second.
Each line is kept with its time, level, message and keys; the levels are counted.

Source: github.com/kr/logfmt (keys and values, quotes with backslashes); sirupsen/logrus,
text_formatter.go (time, level, msg first); go-kit/log, logfmt_logger.go (ts, caller, level); klog
v2, klog.go (formatHeader(): "Lmmdd hh:mm:ss.uuuuuu threadid file:line] msg").
"""

from __future__ import annotations

import re
from abc import abstractmethod
from typing import ClassVar

from typing_extensions import override

from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor, prompt_in
from iosonde.text.reader import Items, StateOutput, close_lines, top_of
from iosonde.text.torn import is_full, joinings

_PAIR = re.compile(
    r'\s*(?P<key>[A-Za-z_][\w./@-]{0,60})=(?:"(?P<quoted>(?:[^"\\]|\\.){0,4000}+)"|'
    r'(?P<bare>[^\s"=][^\s"]{0,400}+)?)(?=\s|$)'
)
_BEGUN = re.compile(r"\s*(?:(?:time|ts|t)=\"?[\dT:.Z+-]{8,40}|level=[a-z]{4,8} )")
_LEVELS = frozenset({"trace", "debug", "info", "warn", "warning", "error", "fatal", "panic"})
_TIMES = ("time", "ts", "t")
_KLOG = re.compile(
    r"\s*(?P<level>[IWEF])(?P<time>\d{4} \d\d:\d\d:\d\d\.\d{6})\s{1,8}(?P<thread>\d{1,9})\s"
    r"(?P<source>[\w./-]{1,80}:\d{1,6})\] (?P<message>\S.{0,4000})$"
)
_KLOG_BEGUN = re.compile(r"\s*[IWEF]\d{4} \d\d:\d\d:\d\d\.\d{6}\s")
_KLOG_LEVELS = {"I": "info", "W": "warning", "E": "error", "F": "fatal"}
_QUOTED = re.compile(r'"(?P<text>(?:[^"\\]|\\.){1,2000}+)"(?P<pairs>(?: .{0,4000})?)$')
_WHOLE = re.compile(r"0|-?[1-9]\d{0,17}")
_ESCAPED = re.compile(r"\\(.)")
_PLAIN = {"n": "\n", "t": "\t"}
_COLUMN = 66  # where mails break their lines, at least
_PARTS = 12  # lines that one entry may have become
_MOST = 20_000
_KEPT = 200  # entries
_LONGEST = 1000  # characters of a value


def _unescaped(text: str) -> str:
    return _ESCAPED.sub(lambda match: _PLAIN.get(match[1], match[1]), text)[:_LONGEST]


def _pairs(text: str) -> dict[str, Json] | None:
    """The keys and values that a text is made of; None where it holds anything else."""
    pairs: dict[str, Json] = {}
    at = 0
    stop = len(text.rstrip())
    while at < stop:
        match = _PAIR.match(text, at)
        if match is None:
            return None
        quoted = match["quoted"]
        bare = match["bare"] or ""
        value: Json = int(bare) if _WHOLE.fullmatch(bare) else bare
        pairs.setdefault(match["key"], _unescaped(quoted) if quoted is not None else value)
        at = match.end()
    return pairs


class _GoLog(StateOutput):
    """What both kinds of logs have in common."""

    commands = (
        "kubectl", "oc", "docker", "podman", "crictl", "journalctl", "cat", "tail", "grep", "less",
    )  # fmt: skip
    reach = 3
    nothing = "no line of it is whole"
    start: ClassVar[re.Pattern[str]]

    @abstractmethod
    def entry(self, text: str) -> dict[str, Json] | None:
        """What a line says, with its level; None where it is none."""

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        if prompt_in(cursor.line(cursor.at)):
            return None
        line = cursor.line(cursor.at)
        first = cursor.at if self.start.match(line) else cursor.at - 1
        if not self.start.match(cursor.line(first)) or self._read(cursor, first) is None:
            return None
        return top_of(cursor, self.start.match) if first == cursor.at else first

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        entries: list[Json] = []
        levels: dict[str, Json] = {}
        last = taken = first - 1
        left_off = 0
        for index, line in close_lines(cursor, first, _MOST):
            if index <= taken:
                continue
            read = self._read(cursor, index) if self.start.match(line) else None
            if read is None:
                break
            entry, last = read
            taken = last
            level = str(entry["level"])
            levels[level] = int(str(levels.get(level, 0))) + 1
            if len(entries) < _KEPT:
                entries.append(entry)
            else:
                left_off += 1
        if not entries:
            return max(last, first), ()
        values: dict[str, Json] = {"levels": levels, "entries": entries}
        if left_off:
            values["entries_left_off"] = left_off
        return last, [self.counted("host", "", values, prompt)]

    def _read(self, cursor: TextCursor, index: int) -> tuple[dict[str, Json], int] | None:
        """The entry that begins in a line, with what a mail broke off it, and its last line."""
        parts = [cursor.line(index)]
        last = index
        while len(parts) < _PARTS:
            at, more = last + 1, cursor.line(last + 1)
            if more == "":
                at, more = last + 2, cursor.line(last + 2)
            above = parts[-1]
            if not more or self.start.match(more) or prompt_in(more):
                break
            if not is_full(len(above), more, _COLUMN) or (at > last + 1 and len(above) < _COLUMN):
                break
            parts.append(more)
            last = at
        for count in range(len(parts), 0, -1):
            # Mails break at blanks: with blanks it is whole, unless a terminal cut a word.
            ways = map(self.entry, reversed(list(joinings(parts[:count]))))
            if whole := max(filter(None, ways), key=len, default=None):
                return whole, last if count == len(parts) else index + count - 1
        return None


class Logfmt(_GoLog):
    tool = "logfmt"
    anchors = (
        "level=error", "level=info", "level=warn", "level=fatal", "level=debug",
    )  # fmt: skip
    start = _BEGUN

    @override
    def entry(self, text: str) -> dict[str, Json] | None:
        pairs = _pairs(text)
        if pairs is None or pairs.get("level") not in _LEVELS or len(pairs) < len(_TIMES):
            return None
        time = next((pairs.pop(name) for name in _TIMES if name in pairs), "")
        message = pairs.pop("msg", None) or pairs.pop("message", None)
        if not time or (message is None and not ({"err", "error"} & pairs.keys())):
            return None
        return {"time": time, "level": pairs.pop("level"), "message": message or "", **pairs}


class Klog(_GoLog):
    tool = "klog"
    anchors = (".go:",)
    start = _KLOG_BEGUN

    @override
    def entry(self, text: str) -> dict[str, Json] | None:
        match = _KLOG.match(text)
        if match is None:
            return None
        entry: dict[str, Json] = {
            "time": match["time"], "level": _KLOG_LEVELS[match["level"]],
            "source": match["source"], "message": match["message"].strip()[:_LONGEST],
        }  # fmt: skip
        quoted = _QUOTED.match(match["message"].strip())
        pairs = _pairs(quoted["pairs"]) if quoted else None
        if quoted and pairs is not None:
            entry |= {"message": _unescaped(quoted["text"]), **pairs}
        return entry
