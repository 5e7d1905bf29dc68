"""A job file of fio as it stands in a text: `[global]` and `[job]` with options below them.

It is a load that can be run again, not a measurement. It is given as the command line that does
the same, as `fio --showcmd` makes it: what stands before the first --name holds for all jobs.

Source: fio 3.33, HOWTO, "Job file format" and "Command line options" (--name=global); init.c,
__parse_jobs_ini().
"""

from __future__ import annotations

import re
import shlex
from typing import ClassVar, NamedTuple

from typing_extensions import override

from iosonde.errors import UsageError
from iosonde.loads.fio.job import Section, read_job_file
from iosonde.loads.fio.options import ALIASES, FLAGS, OPTION_NAMES
from iosonde.records.printed import OutputReading, PrintedLoad, Unreadable
from iosonde.text.cursor import Output, TextCursor, joined, lines, prompt_in

_HEAD = re.compile(r"\s*\[(?P<name>[^\[\]=]{1,100})\]\s*(?:[;#].*)?")
_OPTION = re.compile(r"\s*(?P<key>[a-z]\w{1,40})\s?=\s?(?P<value>\S.*)")
_COMMENT = re.compile(r"\s*[;#]")
_TELLING = re.compile(
    r"\s*(?:(?:rw|readwrite)\s?=\s?(?:read|write|rw|readwrite|randread|randwrite|randrw|trim"
    r"|randtrim|trimwrite|randtrimwrite|\$\{\w+\})(?::[\w.+-]+)?|ioengine\s?=\s?[a-z][\w:./-]*)"
    r"\s*(?:[;#].*)?"
)
_ANCHORS = (
    "[global]", "rw=read", "rw=write", "rw=rand", "rw=trim", "rw=rw", "rw=${", "rw = ",
    "readwrite=", "readwrite = ", "ioengine=", "ioengine = ",
)  # fmt: skip
_NAMES = OPTION_NAMES | ALIASES.keys() | FLAGS
_PIPED = re.compile(r"['\"]\s*+\|\s*+(?:sudo )?fio\b[^\n]*$", re.MULTILINE)
"""What stands behind a job file that a shell's `echo '…' | fio -` gives to fio."""
_BLANKS = 3
_MOST = 400


class _JobFile(NamedTuple):
    """Lines of one job file: index of the last, and of the first that makes it one of fio."""

    last: int
    telling: int | None


class FioJobFile(Output):
    tool = "fio"
    looks_above: ClassVar[bool] = True  # what a line of it sets may be an output of its own
    anchors = _ANCHORS

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        """Only from its first anchor, for what it gives is read again."""
        if not _is_own(cursor.line(cursor.at), ended=False):
            return None
        first = _top(cursor)
        if first is None:
            return None
        if any(_is_anchored(line) for line in cursor.block(first, cursor.at - first)):
            return None
        return first if _extent(cursor, first).telling is not None else None

    @override
    def read(self, cursor: TextCursor, first: int) -> OutputReading:
        last = _extent(cursor, first).last
        try:
            text = _PIPED.sub("", joined(cursor, first, last))
            sections = read_job_file(text, where="")
        except UsageError as problem:
            raise Unreadable(f"its job file cannot be read: {problem}", last=last) from None
        if all(section.is_global for section in sections):
            raise Unreadable("no job follows its [global]", last=last)
        load = PrintedLoad("fio", _command(sections))
        return OutputReading(first, last, loads=(load,))


def _is_anchored(line: str) -> bool:
    return any(anchor in line for anchor in _ANCHORS)


def _top(cursor: TextCursor) -> int | None:
    """Index of the first [section] of the file that the anchor's line is part of."""
    top, blanks = None, 0
    for index in range(cursor.at, -1, -1):
        line = cursor.line(index)
        if not _is_own(line, ended=blanks > 0):
            return top
        blanks = 0 if line else blanks + 1
        if blanks > _BLANKS:
            return top
        head = _HEAD.fullmatch(line)
        if head:
            top = index
            if head["name"].startswith("global") and _begins_anew(cursor, index):
                return top
    return top if cursor.at < _MOST // 8 else None  # of a longer one the first anchor is above


def _begins_anew(cursor: TextCursor, index: int) -> bool:
    """Whether a `[global]` begins another file: nothing stands right above it."""
    above = cursor.line(index - 1)
    return not above or not _is_own(above, ended=False)


def _extent(cursor: TextCursor, first: int) -> _JobFile:
    """The file that begins with a [section] in line `first`."""
    last, telling, jobs, blanks = first, None, False, 0
    for index, line in lines(cursor, first, _MOST):
        if not line:
            blanks += 1
            continue
        if blanks > _BLANKS or not _is_own(line, ended=blanks > 0):
            break
        head = _HEAD.fullmatch(line)
        if head:
            is_global = head["name"].startswith("global")
            if jobs and is_global and _begins_anew(cursor, index):
                break
            jobs = jobs or not is_global
        if telling is None and _TELLING.fullmatch(line):
            telling = index
        blanks = 0
        if not _COMMENT.match(line):
            last = index
    return _JobFile(last, telling)


def _is_own(line: str, *, ended: bool) -> bool:
    """Whether a line may be part of a job file; `ended`: a blank one stands between."""
    if not line or _HEAD.fullmatch(line):
        return True
    if _COMMENT.match(line):
        return prompt_in(line) is None or "fio" not in line
    option = _OPTION.fullmatch(line)
    if option:
        return option["key"] in _NAMES or not ended
    return re.split("[;#]", line, maxsplit=1)[0].strip() in _NAMES


def _command(sections: list[Section]) -> str:
    parts = ["fio"]
    for place, section in enumerate(sections):
        if place or not section.is_global:
            parts.append(f"--name={section.name}")
        parts += [
            f"--{key}" if value is None else f"--{key}={value}" for key, value in section.options
        ]
    return shlex.join(parts)
