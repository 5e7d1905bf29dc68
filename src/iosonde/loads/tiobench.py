"""tiobench: its tables of sequential and random reads and writes; one trial for each row.

Rates are MiB a second. The longest times and the shares of requests that took seconds are details,
as is the CPU's share and what the rate is divided by it.

Source: tiobench 0.3.5, tiobench.pl (report formats) and tiotest.h (MBYTE is 1024*1024); kernel
developers' mails of 2000 to 2008 leave out the columns of sizes.
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde import units
from iosonde.records.load import LoadResult
from iosonde.records.printed import OutputReading, PrintedTrial, Unreadable
from iosonde.records.stack import Json, Scalar
from iosonde.text.cursor import Output, Prompt, TextCursor, command_before, prompt_in
from iosonde.text.reader import close_lines, nearest

_TITLE = re.compile(r"^\s*(?P<how>Sequential|Random) (?P<way>Read|Write)s\b.{0,20}$")
_HEAD = re.compile(
    r"^\s*(?:File +Blk +)?Num +Avg +Maximum +Lat% |^\s*\S+ +(?:Size +Size +)?Thr +Rate +\(CPU%\) "
    r"|^\s*-[- ]{20,}$"
)
_COLUMNS = re.compile(r"^\s*\S+ +(?P<sizes>Size +Size +)?Thr +Rate +\(CPU%\) +Latency +Latency ")
_N = r"\d{1,9}(?:\.\d{1,6})?"
_ROW = re.compile(
    rf"^\s*(?P<name>\S.{{0,40}}?) +(?:(?P<size>\d{{1,9}}) +(?P<block>\d{{1,9}}) +)?"
    rf"(?P<threads>\d{{1,5}}) +(?P<rate>{_N}) +(?P<cpu>{_N})% *(?P<mean>\d{{1,9}}\.\d{{1,3}}) +"
    rf"(?P<max>\d{{1,9}}\.\d\d) +(?P<over_2s>{_N})(?: +(?P<over_10s>{_N}))? +"
    r"(?P<efficiency>\d{1,9})\s*$"
)  # fmt: skip
_LEGEND = re.compile(
    r"^\s*(?:Unit information|=+$|(?:File size|Blk Size|Rate|CPU%|Latency|Lat%|CPU Eff) += )"
)
_MOST = 400


class Tiobench(Output):
    tool = "tiobench"
    anchors = (" Rate  (CPU%) ", "(CPU%)  Latency")

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        if not _COLUMNS.match(cursor.line(cursor.at)):
            return None
        title = nearest(cursor, 6, _TITLE.match)
        if title is None:
            return None
        first = title
        for index in range(title - 1, max(title - 14, 0) - 1, -1):
            line = cursor.line(index)
            if line and not _LEGEND.match(line):
                break
            first = index if line else first
        return first

    @override
    def read(self, cursor: TextCursor, first: int) -> OutputReading:
        begin, prompt = command_before(cursor, first, ("tiobench", "tiobench.pl"))
        last, title, torn = first, None, 0
        trials = list[PrintedTrial]()
        for index, line in close_lines(cursor, first, _MOST, gap=4):
            following, row = _TITLE.match(line), _ROW.match(line)
            if prompt_in(line):
                break
            if following:
                title = following
            elif row and title:
                trials.append(_trial(title, row, prompt))
            elif not _HEAD.match(line) and not _LEGEND.match(line):
                if not re.match(r"^\s*\S+ +\d[\d. %]+$", line) or not title:
                    break
                torn += 1
            last = index
        if not trials:
            raise Unreadable("no row follows", last)
        unread = ((first, last, f"{torn} of its rows are torn"),) if torn else ()
        return OutputReading(begin, last, trials=tuple(trials), unread=unread)


def _trial(title: re.Match[str], row: re.Match[str], asked: Prompt) -> PrintedTrial:
    """Of one row; latencies in seconds."""
    way = title["way"].lower()
    rate, latency, longest = (units.printed(row[name]) for name in ("rate", "mean", "max"))
    figures = {
        f"{way}.bandwidth": (rate, float(units.MIB)),
        f"{way}.latency.mean": (latency, 1e-3),
        f"{way}.latency.max": (longest, 1e-3),
    }
    options: dict[str, Scalar] = {
        "rw": f"rand{way}" if title["how"] == "Random" else way, "numjobs": int(row["threads"]),
    }  # fmt: skip
    if row["size"]:
        options |= {"size": int(row["size"]) * units.MIB, "bs": int(row["block"])}
    details: dict[str, Json] = {
        "identifier": row["name"].strip(),
        "cpu": round(float(row["cpu"]) / 100, 8),
        "cpu_efficiency": int(row["efficiency"]),
    }
    if row["over_10s"]:
        details["over_2s"] = round(float(row["over_2s"]) / 100, 10)
    late = row["over_10s"] or row["over_2s"]
    details["over_10s"] = round(float(late) / 100, 10)
    return PrintedTrial(
        tool="tiobench",
        loops=(LoadResult.of(
            {name: printed[0] * scale for name, (printed, scale) in figures.items()}
        ),),
        command=asked.command, host=asked.host,
        label=f"{title['how']} {title['way']}s, {row['name'].strip()}",
        options=options,
        steps={name: printed[1] * scale for name, (printed, scale) in figures.items()},
        details=details,
    )  # fmt: skip
