"""fio's normal output, 1.x to 3.x: one trial per block, that is per job or per reported group.

Read with blanks removed, so that it does not matter where its lines were broken; only names are
taken from the lines. A block without its header, as people cut it out, is read too. The date is in
the host's own time and taken for UTC.

Source:
    fio 3.33, stat.c, show_thread_status_normal(); init.c, add_job(); filesetup.c, setup_files().
    Older wordings are named in _fio_block.py.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from calendar import timegm
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import accumulate, pairwise
from typing import ClassVar

from typing_extensions import override

from iosonde import units
from iosonde.loads.fio import text_figures as _fio
from iosonde.loads.fio.text_block import DIRECTION, RATES, JobFigures, Precision, read_block
from iosonde.loads.fio.text_fragment import read_fragment
from iosonde.loads.fio.text_run import device_io, disk_details, disks, groups
from iosonde.records.printed import OutputReading, PrintedTrial, Unreadable
from iosonde.records.stack import Json
from iosonde.text.cursor import (
    REACH,
    Output,
    Prompt,
    TextCursor,
    command_before,
    compact,
    lines,
    prompt_in,
)

_HEADER = re.compile(
    r":\(groupid=(?P<group>\d{1,9}),jobs=(?P<jobs>\d{1,9})\):err=(?P<error>-?\d{1,9})"
    r"(?:\(.{0,300}?\))?:pid=-?\d{1,12}"
    r"(?::(?P<date>[A-Z][a-z]{2}[A-Z][a-z]{2}(?:\d{1,2})\d\d:\d\d:\d\d\d{4}))?"
)
_OPTIONS = re.compile(
    r":\(g=\d{1,9}\):rw=(?P<rw>[a-z,]{2,20}?),bs(?:\(seq/rand\))?=(?P<bs>.{1,120}?),"
    r"(?:bs_is_seq_rand,)?ioengine=(?P<engine>[\w:./-]{1,60}),iodepth=(?P<depth>\d{1,9})"
)
_SIZE = re.compile(r"(\d[\d.]*[KMGT]?i?B?)-(\d[\d.]*[KMGT]?i?B?)")
_LAID_OUT = re.compile(r":LayingoutIOfiles?(?:\(s\))?\(\d+files?(?:\(s\))?/(?:total)?(\d+)Mi?B\)")
_WHY = re.compile(r"err= ?-?\d+ \((.{0,300}?)\): ?pid=")
_DESCRIPTION = re.compile(r"Description : \[([^\]]{0,400})\]")
_VERSION = re.compile(r"(?:^|\s)fio(?:-| (?=[\d.]+$))(\d+\.\d[\w.-]*)(?:\s|$)")
_CLIENT = re.compile(r"^<(?P<host>[\w.:-]+)>\s*")

_HEAD = re.compile(r"\(groupid=\d|jobs=\d+\): ?err=")
_MEASURED = re.compile(r"(?P<name>read|write|trim|mixed) ?: ?(?:\*\*)?(?:IOPS=\d|io=\d)")
_DIRECTIONS = ("read", "write", "trim", "mixed")
_SHARED = re.compile(r"^\s*(?:cpu {2,}:|IO depths|issued|Run status|Disk stats)")
_PREAMBLE = re.compile(
    r"\(g=\d+\): ?rw=|ioengine=[\w:-]+, ?iodepth=|: Laying out IO file|^\s*Jobs: \d|^\s*fio[- ]\d"
    r"|^\s*Starting (?:\d+ )?(?:process|thread)|^\s*\.\.\.$|\dB?-\d[\d.]{0,9}[KMG]?i?B?[,/]"
    r"|\[eta [\dd:hms]+\]|^note: |\([RWT]\) \d|iodepth=\d+$"
)
_TORN = re.compile(r": ?\([groupid]{0,7}$")
_OWN = re.compile(
    r"IOPS=|BW=|\bio=|avg=|stdev=|percentiles|th=\[|\d=\d+\.\d+%|samples=|ctx=|IO depths"
    r"|issued|total=|short=|dropped=|Run status group|Disk stats|ios=\d|merge=|ticks=|util=|queue="
    r"|bw=|\brun=|m(?:in|ax)[tb]=|runt=|zone resets|target=|lat \(|Description  :|B/s\)|msec"
    r"|sync_file_range|attained=|: \d\d:\d\d:\d\d|^\s*[\d.,%/=>\]-]+$"
)
_OTHER = re.compile(r"^\s*[{\[]\s*$|^\s*[2-5];|(?:^|[\s/])fio --?\w")
_PRINTED = "as printed"
_MOST = 6000
_MOST_BEFORE = 1500
"""Lines of options, of as many jobs, before the first result."""
_LONGEST = 1 << 21
"""Characters of one output: some thousand jobs have them."""
_GAP = 6


@dataclass(frozen=True, slots=True)
class _Text:
    """Some lines, and the same without any blanks in one string."""

    first: int
    rows: tuple[str, ...]
    whole: str
    starts: tuple[int, ...]

    @staticmethod
    def of(first: int, rows: Sequence[str]) -> _Text:
        """Of some lines, the first of which has this index."""
        parts = ["".join(row.split()).replace("**", "") for row in rows]  # bold in Markdown
        starts = accumulate((len(part) for part in parts[:-1]), initial=0)
        return _Text(first, tuple(rows), "".join(parts), tuple(starts))

    def row(self, at: int) -> int:
        """Number of the row that a character of `whole` stands in."""
        return bisect_right(self.starts, at) - 1


class FioText(Output):
    """See `iosonde.text.cursor.Output`."""

    tool: ClassVar[str] = "fio"
    anchors: ClassVar[tuple[str, ...]] = (
        "(groupid=", "): rw=", ", iodepth=", ": Laying out IO file", ": IOPS=", " io=", "): err=",
        "clat percentiles (", "clat (usec): min=", "clat (nsec): min=", "clat (msec): min=",
        "IO depths    :", "issued rwt", "issued    : total", "Run status group ",
    )  # fmt: skip

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at) or ""
        if _PREAMBLE.search(line):
            return None if _goes_another_way(cursor) else _top(cursor, cursor.at)
        if _HEAD.search(line):
            return _top(cursor, _whole_head(cursor, cursor.at))
        if not _OWN.search(line):
            return None
        best, gap = cursor.at if _MEASURED.search(line) else None, 0
        for index in range(cursor.at - 1, max(cursor.at - REACH, 0) - 1, -1):
            above = cursor.line(index) or ""
            if _HEAD.search(above):
                return _top(cursor, _whole_head(cursor, index))
            if _MEASURED.search(above):
                best = index
            gap = 0 if not above or _OWN.search(above) else gap + 1
            if gap > 2:
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
        run = _Run(text, version, precision, prompt, status, devices)
        trials = run.trials(heads)
        if not trials:
            raise Unreadable("none of its blocks can be read")
        return OutputReading(begin, last, trials=trials)


# ── where it begins and ends ──────────────────────────────────────────────────────────────────


def _cut_short(cursor: TextCursor) -> bool:
    """Whether the anchor's line of rates ends behind the speed and the next one doesn't go on."""
    after = (cursor.line(cursor.at + 1) or "").lstrip()
    return bool(RATES.fullmatch(cursor.line(cursor.at) or "")) and not after.startswith("(")


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
    above = cursor.line(index - 1) if index else None
    return index - 1 if above and _TORN.search(above) else index


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


def _gathered(cursor: TextCursor, first: int) -> _Text:
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
            if gap > _GAP or (measured and (_PREAMBLE.search(line) or prompt_in(line))):
                break
        rows.append(line)
    del rows[size:]
    return _Text.of(first, rows)


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
        direction = _DIRECTIONS.index(measured["name"])
        broken = self.over or direction <= self.direction
        self.direction = direction
        return broken


def _apart(block: str) -> list[str]:
    """The figures of each job in a block: of several where headers were cut off and lines broken.

    The first holds what stands before its directions too.
    """
    places = [
        (_DIRECTIONS.index(match["name"]), match.start()) for match in DIRECTION.finditer(block)
    ]
    cuts = [start for (before, _), (after, start) in pairwise(places) if after <= before]
    return [block[begin:end] for begin, end in pairwise([0, *cuts, len(block)])]


def _devices(text: _Text, ended: int) -> tuple[list[dict[str, Json]], int]:
    """The disk statistics, and the index of the output's last line."""
    title = "Diskstats(read/write):"
    at = text.whole.find(title, ended)
    devices, end = disks(text.whole[at + len(title) :]) if at >= 0 else ([], 0)
    if end:
        ended = at + len(title) + end
    row = text.row(ended - 1) if ended else len(text.rows) - 1
    return devices, text.first + row


# ── what it says ──────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class _Run:
    """One run of fio: what its jobs have in common."""

    text: _Text
    version: str
    precision: Precision
    asked: Prompt
    status: dict[int, Json]
    devices: list[dict[str, Json]]

    def trials(self, heads: list[re.Match[str]]) -> tuple[PrintedTrial, ...]:
        """One of each block."""
        whole = self.text.whole
        declared = _declared(self.text, heads[0].start() if heads else 0)
        stop = whole.find("Runstatusgroup")
        edges = [self._edge(head) for head in heads]
        edges.append(stop if stop > (edges[-1] if edges else -1) else len(whole))
        blocks: list[tuple[str, JobFigures, re.Match[str] | None]] = []
        if not heads:
            alone = _apart(whole[: edges[0]])
            blocks += [("", read_block(part, self.precision, 1), None) for part in alone]
        for head, (_, end) in zip(heads, pairwise(edges), strict=True):
            block, *more = _apart(whole[head.end() : end])
            sheet = read_block(block, self.precision, int(head["jobs"]))
            self._told(head, sheet)
            blocks.append((_named(self._row(head)), sheet, head))
            blocks += [("", read_block(part, self.precision, 1), None) for part in more]
        blocks = [block for block in blocks if block[1].metrics]
        if len(blocks) > 1:
            of_run = _of_run([sheet for _, sheet, _ in blocks])
            for _, sheet, _ in blocks:
                sheet.details |= of_run
        return tuple(self._trial(*block, declared) for block in blocks)

    def _edge(self, head: re.Match[str]) -> int:
        """Where the line of a header begins: its name may begin with a figure."""
        return self.text.starts[self.text.row(head.start())]

    def _told(self, head: re.Match[str], sheet: JobFigures) -> None:
        """What is said in words: why the job failed, and its description."""
        row = self.text.row(head.start())
        said = " ".join(" ".join(self.text.rows[row : row + 8]).split())
        if int(head["error"]):
            why = f": {match[1]}" if (match := _WHY.search(said)) else ""
            sheet.faults.insert(0, f"it ended with error {head['error']}{why}")
        if "Description" in said and (match := _DESCRIPTION.search(said)):
            sheet.details["description"] = match[1]

    def _row(self, head: re.Match[str]) -> str:
        return self.text.rows[self.text.row(head.start())].strip()

    def _trial(
        self,
        label: str,
        sheet: JobFigures,
        head: re.Match[str] | None,
        declared: dict[str, _fio.Options],
    ) -> PrintedTrial:
        only = next(iter(declared.values())) if len(declared) == 1 and not label else {}
        options = _fio.command_options(self.asked.command, label) | declared.get(label, only)
        if printed := options.pop(_PRINTED, None):
            sheet.details["options"] = printed
        started, client = None, None
        if head:
            client = _CLIENT.match(self._row(head))
            options["numjobs"] = int(head["jobs"])
            group = int(head["group"])
            sheet.details |= {"group": group, "jobs": int(head["jobs"]), "err": int(head["error"])}
            if group in self.status:
                sheet.details["run_status"] = self.status[group]
            started = _started(head["date"], sheet)
        depths = sheet.details.get("depths")
        if sheet.depth is not None:
            options.setdefault("iodepth", sheet.depth)
        elif isinstance(depths, dict) and depths.get("1") == 1:
            options.setdefault("iodepth", 1)
        sheet.details |= disk_details(self.devices)
        return PrintedTrial(
            tool="fio",
            loops=(sheet.result(device_io(self.devices), self.version),),
            version=self.version,
            command=self.asked.command,
            host=client["host"] if client else self.asked.host,
            target=_fio.target_of(options),
            label=label,
            started=started,
            elapsed=(sheet.seconds,) if sheet.seconds else None,
            options=options,
            steps=sheet.steps,
            details=sheet.details,
        )


def _of_run(sheets: Sequence[JobFigures]) -> dict[str, Json]:
    """I/Os and bytes of all jobs together, with which the disk statistics are to be compared."""
    total: dict[str, Json] = {}
    moved: dict[str, Json] = {}
    for sheet in sheets:
        for name, count in sheet.issued.items():
            before = total.get(name, 0)
            total[name] = count + (before if isinstance(before, int) else 0)
        by_direction = sheet.details.get("moved")
        for name, figures in by_direction.items() if isinstance(by_direction, dict) else ():
            size, before = figures.get("bytes") if isinstance(figures, dict) else 0, moved.get(name)
            if isinstance(size, int | float):
                moved[name] = size + (before if isinstance(before, int | float) else 0)
    return {"run_issued": total, "run_moved": moved}


def _named(row: str) -> str:
    """What stands before the first bracket of a line, without the client's host."""
    return _CLIENT.sub("", row.strip()).split(": (")[0].split(":(")[0].strip()


def _started(date: str | None, sheet: JobFigures) -> float | None:
    """When the job began: fio prints the date at the end."""
    if not date:
        return None
    try:
        ended = datetime.strptime(date[3:], "%b%d%H:%M:%S%Y")
    except ValueError:
        return None
    sheet.details["date"] = ended.isoformat(sep=" ")
    return timegm(ended.timetuple()) - sheet.seconds


def _declared(text: _Text, end: int) -> dict[str, _fio.Options]:
    """Options by job, from the lines before the results."""
    by_job: dict[str, _fio.Options] = {}
    for match in _OPTIONS.finditer(text.whole, 0, end or len(text.whole)):
        row = text.row(match.start())
        options: _fio.Options = {
            "rw": match["rw"], "ioengine": match["engine"], "iodepth": _depth(text, match),
            **_block_sizes(match["rw"], match["bs"]), _PRINTED: match[0].partition("):")[2],
        }  # fmt: skip
        by_job.setdefault(_named(text.rows[row]), options)
    for match in _LAID_OUT.finditer(text.whole, 0, end or len(text.whole)):
        name = text.rows[text.row(match.start())].strip().rpartition(": Laying out")[0]
        by_job.setdefault(_CLIENT.sub("", name), {})["size"] = int(match[1]) * units.MIB
    return by_job


def _depth(text: _Text, match: re.Match[str]) -> int:
    """The digits up to the line's end, where another job's line follows: its name may have some."""
    after = text.row(match.start("depth")) + 1
    digits = match["depth"]
    if after < len(text.starts) and "(g=" in text.rows[after]:
        digits = digits[: text.starts[after] - match.start("depth")]
    return int(digits)


def _block_sizes(rw: str, printed: str) -> _fio.Options:
    """`bs` in bytes, where it is one size; fio prints the ranges of reads, writes and trims."""
    ranges = [
        tuple(round(units.printed(part, binary=True)[0]) for part in pair)
        for pair in _SIZE.findall(printed)
    ]
    plain = rw.removeprefix("rand")
    used = {"read": ranges[:1], "write": ranges[1:2], "trim": ranges[2:3]}.get(plain, ranges[:2])
    sizes = {size for pair in used for size in pair}
    if len(sizes) == 1:
        return {"bs": sizes.pop()}
    return {"bsrange": ",".join(f"{low}-{high}" for low, high in used)} if sizes else {}
