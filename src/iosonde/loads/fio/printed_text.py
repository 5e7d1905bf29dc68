"""fio's normal output, 1.x to 3.x: one trial per block, that is per job or per reported group.

Read with blanks removed, so that it does not matter where its lines were broken; only names are
taken from the lines. A block without its header, as people cut it out, is read too. The date is in
the host's own time and taken for UTC.

Source:
    fio 3.33, stat.c, show_thread_status_normal(); init.c, add_job(); filesetup.c, setup_files().
    Older wordings are named in text_block.py.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from typing_extensions import override

from iosonde.loads.fio.text_block import DIRECTION, RATES, Precision
from iosonde.loads.fio.text_fragment import read_fragment
from iosonde.loads.fio.text_jobs import DIRECTIONS, BlanklessText, TextRun
from iosonde.loads.fio.text_run import disks, groups
from iosonde.records.printed import OutputReading, Unreadable
from iosonde.records.stack import Json
from iosonde.text.cursor import (
    REACH,
    Output,
    TextCursor,
    command_before,
    compact,
    lines,
    prompt_in,
)
from iosonde.text.prose import is_sentence
from iosonde.text.shell import is_prompt

_HEADER = re.compile(
    r":\(groupid=(?P<group>\d{1,9}),jobs=(?P<jobs>\d{1,9})\):err=(?P<error>-?\d{1,9})"
    r"(?:\(.{0,300}?\))?:pid=(?P<pid>-?\d{1,12})"
    r"(?::(?P<date>[A-Z][a-z]{2}[A-Z][a-z]{2}(?:\d{1,2})\d\d:\d\d:\d\d\d{4}))?"
)
_VERSION = re.compile(r"(?:^|\s)fio(?:-| (?=[\d.]+$))(\d+\.\d[\w.-]*)(?:\s|$)")

_HEAD = re.compile(r"\(groupid=\d|jobs=\d+\): ?err=")
_MEASURED = re.compile(
    r"(?P<name>read|write|trim|mixed)[ \t]?:[ \t]{0,4}(?:\*\*)?(?:IOPS=\d|io=\d)"
)
_SHARED = re.compile(r"^\s*(?:cpu {2,}:|IO depths|issued|Run status|Disk stats)")
_PREAMBLE = re.compile(
    r"\(g=\d+\): ?rw=|ioengine=[\w:-]+, ?iodepth=\d*\s*$|: Laying out IO file|^\s*Jobs: \d"
    r"|^\s*fio[- ]\d"
    r"|^\s*Starting (?:\d+ )?(?:process|thread)|^\s*\.\.\.$|\dB?-\d[\d.]{0,9}[KMG]?i?B?[,/]"
    r"|\[eta [\dd:hms]+\]|^note: |\([RWT]\) \d|iodepth=\d+$"
)
_TORN = re.compile(r": ?\([groupid]{0,7}$")
_OWN = re.compile(
    r"IOPS=|BW=|\bio=|avg=|stdev=|percentiles|th=\[|\d=\d+\.\d+%|samples=|ctx=|IO depths"
    r"|issued|total=|short=|dropped=|Run status group|Disk stats|ios=\d|merge=|ticks=|util=|queue="
    r"|bw=|\brun=|m(?:in|ax)[tb]=|runt=|zone resets|target=|lat \(|Description  :|B/s\)|msec"
    r"|sync_file_range|attained=|: \d\d:\d\d:\d\d|^\s*(?![-=]{3,}$)[\d.,%/=>\]-]+$"
)
_OTHER = re.compile(r"^\s*[{\[]\s*$|^\s*[2-5];|(?:^|[\s/])fio --?\w")
_COMMENT = re.compile(r"\s{0,12}(?:#{1,6}|//) {0,4}[^\W\d_]")
_SECTION = re.compile(r"#{2,6} {1,4}\S")
"""A heading of Markdown below a result."""
_LEFT_OUT = re.compile(r"\s*+(?:[\[(<{][^\d\n]{1,60}[\])>}]|\.{2,9}|…)")
"""What stands where lines were left out."""
_MOST = 6000
_MOST_BEFORE = 1500
"""Lines of options, of as many jobs, before the first result."""
_LONGEST = 1 << 21
"""Characters of one output: some thousand jobs have them."""
_GAP = 6


class FioText(Output):
    tool = "fio"
    anchors = (
        "(groupid=", "): rw=", ", iodepth=", ": Laying out IO file", ": IOPS=", ":\tIOPS=",
        " io=", "): err=",
        "clat percentiles (", "clat (usec): min=", "clat (nsec): min=", "clat (msec): min=",
        "IO depths    :", "issued rwt", "issued    : total", "Run status group ",
    )  # fmt: skip

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        if _PREAMBLE.search(line):
            return None if _goes_another_way(cursor) else _top(cursor, cursor.at)
        if _HEAD.search(line):
            return _top(cursor, _whole_head(cursor, cursor.at))
        if not _OWN.search(line):
            return None
        best, gap = cursor.at if _MEASURED.search(line) else None, 0
        for index in range(cursor.at - 1, max(cursor.at - REACH, 0) - 1, -1):
            above = cursor.line(index)
            if _HEAD.search(above):
                return _top(cursor, _whole_head(cursor, index))
            if _MEASURED.search(above):
                best = index
            gap = 0 if not above or _OWN.search(above) else gap + 1
            if gap > 2 or _SECTION.match(above):
                break
        return None if best == cursor.at and _cut_short(cursor) else best

    @override
    def read(self, cursor: TextCursor, first: int) -> OutputReading:
        try:
            _expect_result(cursor, first)
        except Unreadable:
            at = _status_below(cursor, first)
            if at is None:
                raise
            return replace(read_fragment(cursor, at), first=first)
        text = _gathered(cursor, first)
        heads = list(_HEADER.finditer(text.whole))
        version = next(
            (match[1] for row in text.rows if "fio" in row and (match := _VERSION.search(row))), ""
        )
        precision = Precision.of(version, text.whole)
        status, ended = groups(text.whole, precision)
        devices, last = _devices(text, ended)
        begin, prompt = command_before(cursor, first, ("fio",))
        run = TextRun(text, version, precision, prompt, status, devices)
        trials = run.trials(heads)
        if not trials:
            raise Unreadable("none of its blocks can be read")
        return OutputReading(begin, last, trials=trials)


# ── where it begins and ends ──────────────────────────────────────────────────────────────────


def _cut_short(cursor: TextCursor) -> bool:
    """Whether the anchor's line of rates ends behind the speed and the next one doesn't go on."""
    after = cursor.line(cursor.at + 1).lstrip()
    return bool(RATES.fullmatch(cursor.line(cursor.at))) and not after.startswith("(")


def _goes_another_way(cursor: TextCursor) -> bool:
    """Whether fio went on with JSON or terse lines: those are outputs of their own."""
    for _, line in lines(cursor, cursor.at + 1, 12):
        if _HEAD.search(line):
            return False
        if _OTHER.search(line):
            return True
    return False


def _whole_head(cursor: TextCursor, index: int) -> int:
    """The line of a header that was torn apart before "groupid="."""
    return index - 1 if _TORN.search(cursor.line(index - 1)) else index


def _top(cursor: TextCursor, index: int) -> int | None:
    """The first line of what fio prints before a job's header; None where it is out of reach."""
    top, gap = index, 0
    for above in range(index - 1, max(index - REACH, 0) - 1, -1):
        line = cursor.line(above)
        if not line:
            continue
        if _OTHER.search(line):
            break  # another form of the run, or its command
        if _PREAMBLE.search(line):
            top, gap = above, 0
        else:
            gap += 1
            if gap > 1:
                break
    return top if index - top < REACH - 1 else None


def _expect_result(cursor: TextCursor, first: int) -> None:
    """Looks for the first result before anything is done with the lines.

    Raises:
        Unreadable: there is none.
    """
    heads = 0
    for index, line in lines(cursor, first, _MOST_BEFORE):
        if _MEASURED.search(line):
            if DIRECTION.search(compact(cursor, index, index + 6).replace("**", "")):
                return
            break
        heads += "(groupid=" in line
        if heads > 1 or _OTHER.search(line):
            break
    raise Unreadable("no result follows")


def _status_below(cursor: TextCursor, first: int) -> int | None:
    """Where the run status begins that stands below what fio prints before its jobs."""
    for index, line in lines(cursor, first, REACH):
        if line.startswith("Run status group "):
            return index
        if line and not _PREAMBLE.search(line):
            break
    return None


def _gathered(cursor: TextCursor, first: int) -> BlanklessText:
    """The output's lines, and perhaps some more."""
    rows: list[str] = []
    size = gap = length = 0
    measured = ended = False
    order = _Order()
    for _, line in lines(cursor, first, _MOST):
        length += len(line)
        if length > _LONGEST:
            break
        if "=[" in line or "avg=" in line or ".0%, " in line:
            # most lines are of these kinds
            rows.append(line)
            size, gap = len(rows), 0
            continue
        head = ("err=" in line or "(groupid=" in line) and bool(_HEAD.search(line))
        if head or (not measured and (_TORN.search(line) or _PREAMBLE.search(line))):
            if ended:
                break
            measured, gap = measured or head, 0
            size = len(rows) + 1
            order = _Order() if head else order
        elif _OWN.search(line):
            if _OTHER.search(line) or order.broken_by(line):
                break  # of another run or job, whose header was cut off
            measured = measured or bool(_MEASURED.search(line))
            ended = ended or "Run status" in line or "Disk stats" in line
            size, gap = len(rows) + 1, 0
        elif line:
            gap += 1
            said = _is_said(line)
            if gap > _GAP or (measured and _is_next(line, said=said)):
                break
            rows.append("" if said else line)
            continue
        rows.append(line)
    del rows[size:]
    return BlanklessText.of(first, rows)


def _is_next(line: str, *, said: bool) -> bool:
    """Whether a line below figures is of another run: what fio prints before one, or a command."""
    if said or _SECTION.match(line):
        return _SECTION.match(line) is not None
    return any(form.search(line) for form in (_PREAMBLE, _OTHER)) or prompt_in(line) is not None


def _is_said(line: str) -> bool:
    """Whether a line among those of fio is its author's: a comment, a sentence, `[...]`."""
    if _LEFT_OUT.fullmatch(line) or is_sentence(line):
        return True
    return _COMMENT.match(line) is not None and not is_prompt(line)


@dataclass(slots=True)
class _Order:
    """The lines of one job: reads before writes before trims, then what all of them share."""

    direction: int = -1
    over: bool = False

    def broken_by(self, line: str) -> bool:
        """Whether a line begins another job's figures: its direction was there, or is past."""
        measured = _MEASURED.search(line)
        if not measured:
            self.over = self.over or bool(_SHARED.search(line))
            return False
        direction = DIRECTIONS.index(measured["name"])
        broken = self.over or direction <= self.direction
        self.direction = direction
        return broken


def _devices(text: BlanklessText, ended: int) -> tuple[list[dict[str, Json]], int]:
    """The disk statistics, and the index of the output's last line."""
    title = "Diskstats(read/write):"
    at = text.whole.find(title, ended)
    devices, end = disks(text.whole[at + len(title) :]) if at >= 0 else ([], 0)
    if end:
        ended = at + len(title) + end
    row = text.row(ended - 1) if ended else len(text.rows) - 1
    return devices, text.first + row
