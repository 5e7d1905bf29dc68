"""What fio's normal output says of a run's jobs: their blocks, options, names and times.

Source:
    fio 3.33, stat.c, show_thread_status_normal(); init.c, add_job(); filesetup.c, setup_files().
"""

from __future__ import annotations

import re
from bisect import bisect_right
from calendar import timegm
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import accumulate, pairwise

from iosonde import units
from iosonde.loads.fio import text_figures as _fio
from iosonde.loads.fio.text_block import DIRECTION, JobFigures, Precision, read_block
from iosonde.loads.fio.text_run import device_io, disk_details
from iosonde.records.printed import PrintedTrial
from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt

_OPTIONS = re.compile(
    r":\(g=\d{1,9}\):rw=(?P<rw>[a-z,]{2,20}?),bs(?:\(seq/rand\))?=(?P<bs>.{1,120}?),"
    r"(?:bs_is_seq_rand,)?ioengine=(?P<engine>[\w:./-]{1,60}),iodepth=(?P<depth>\d{1,9})"
)
_SIZE = re.compile(r"(\d[\d.]*[KMGT]?i?B?)-(\d[\d.]*[KMGT]?i?B?)")
_LAID_OUT = re.compile(r":LayingoutIOfiles?(?:\(s\))?\(\d+files?(?:\(s\))?/(?:total)?(\d+)Mi?B\)")
_WHY = re.compile(r"err= ?-?\d+ \((.{0,300}?)\): ?pid=")
_DESCRIPTION = re.compile(r"Description : \[([^\]]{0,400})\]")
_CLIENT = re.compile(r"^<(?P<host>[\w.:-]+)>\s*")
_PRINTED = "as printed"
DIRECTIONS = ("read", "write", "trim", "mixed")


@dataclass(frozen=True, slots=True)
class BlanklessText:
    """Some lines, and the same without any blanks in one string."""

    first: int
    rows: tuple[str, ...]
    whole: str
    starts: tuple[int, ...]

    @staticmethod
    def of(first: int, rows: Sequence[str]) -> BlanklessText:
        """Of some lines, the first of which has this index."""
        parts = ["".join(row.split()).replace("**", "") for row in rows]  # bold in Markdown
        starts = accumulate((len(part) for part in parts[:-1]), initial=0)
        return BlanklessText(first, tuple(rows), "".join(parts), tuple(starts))

    def row(self, at: int) -> int:
        """Number of the row that a character of `whole` stands in."""
        return bisect_right(self.starts, at) - 1


def _apart(block: str) -> list[str]:
    """The figures of each job in a block: of several where headers were cut off and lines broken.

    The first holds what stands before its directions too.
    """
    places = [
        (DIRECTIONS.index(match["name"]), match.start()) for match in DIRECTION.finditer(block)
    ]
    cuts = [start for (before, _), (after, start) in pairwise(places) if after <= before]
    return [block[begin:end] for begin, end in pairwise([0, *cuts, len(block)])]


@dataclass(frozen=True, slots=True)
class TextRun:
    """One run of fio: what its jobs have in common."""

    text: BlanklessText
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
            self._add_text(head, sheet)
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

    def _add_text(self, head: re.Match[str], sheet: JobFigures) -> None:
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
            sheet.details["pid"] = int(head["pid"])
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


def _declared(text: BlanklessText, end: int) -> dict[str, _fio.Options]:
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


def _depth(text: BlanklessText, match: re.Match[str]) -> int:
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
