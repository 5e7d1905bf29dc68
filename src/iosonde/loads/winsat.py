"""Windows' `winsat disk`: rates and latencies of a drive; one trial for each rate and latency.

MB are 10^6 or 2^20 bytes, which its text does not say: the difference is part of the rounding. The
scores of the Windows Experience Index behind them are details. Lines of other assessments
(processor, memory, graphics) stay unread.

Source: Microsoft, "Winsat disk" of the Windows commands reference (-ran, -seq, -flush: random and
sequential reads and writes; the sizes behind their names are KiB), and its printed lines in forums.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from typing_extensions import override

from iosonde import units
from iosonde.records.load import LoadResult
from iosonde.records.printed import OutputReading, PrintedTrial, Unreadable
from iosonde.records.stack import Json, Scalar
from iosonde.text.cursor import Output, Prompt, TextCursor, command_before, lines
from iosonde.text.reader import top_of

_ROW = re.compile(
    r"^\s*(?:> )?(?P<name>Disk {1,4}(?P<how>Random|Sequential) (?P<size>\d{1,6}(?:\.\d)?) "
    r"(?P<way>Read|Write)|Average Read Time with (?:Sequential|Random) Writes"
    r"|Latency: (?:95th Percentile|Maximum)|Responsiveness: [A-Z][\w ]{3,60}?)"
    r" {1,60}(?P<value>\d{1,9}\.\d{1,5})(?: (?P<unit>MB/s|ms))?"
    r"(?: {1,40}(?P<score>\d{1,2}\.\d))?\s*$"
)
_OWN = re.compile(
    r"^\s*(?:> )?(?:Windows System Assessment Tool|Running: |Run Time |Disk {1,4}(?:Random|Seq)"
    r"|Average Read Time|Latency: |Responsiveness: |Dshow |Total Run Time|WinSAT )"
)
_MB, _SLACK = 1e6, (1 << 20) - 1e6
_MOST = 80


class Winsat(Output):
    tool = "winsat"
    anchors = (
        "Disk  Random ", "Disk  Sequential ", "Average Read Time with ", "Latency: 95th Percentile",
    )  # fmt: skip

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        return top_of(cursor, _OWN.match) if _ROW.match(cursor.line(cursor.at)) else None

    @override
    def read(self, cursor: TextCursor, first: int) -> OutputReading:
        last, rows = first, list[re.Match[str]]()
        for index, line in lines(cursor, first, _MOST):
            if index > last + 2 or (line and not _OWN.match(line)):
                break
            last = index if line else last
            if row := _ROW.match(line):
                rows.append(row)
        begin, prompt = command_before(cursor, first, ("winsat", "winsat.exe"))
        if not prompt.command:
            begin, prompt = _command(cursor, first)
        trials = _trials(rows, prompt)
        if not trials:
            raise Unreadable("it holds no result of a disk", last)
        return OutputReading(begin, last, trials=tuple(trials))


def _command(cursor: TextCursor, first: int) -> tuple[int, Prompt]:
    r"""The command behind a prompt of Windows, `C:\> winsat disk -drive d`."""
    match = re.search(r">\s{0,2}(winsat(?:\.exe)? .{1,80})$", cursor.line(first - 1))
    return (first - 1, Prompt(match[1])) if match else (first, Prompt(""))


def _trials(rows: Sequence[re.Match[str]], asked: Prompt) -> list[PrintedTrial]:
    """One for each rate and time; those without a direction are details of the first."""
    trials, others = list[PrintedTrial](), dict[str, Json]()
    drive = re.search(r"-drive (\w)\b", asked.command)
    for row in rows:
        value, step = units.printed(row["value"])
        name = " ".join(row["name"].split())
        key = name.lower().replace(": ", ".").replace(" ", "_")
        details: dict[str, Json] = {"score": float(row["score"])} if row["score"] else {}
        if row["unit"] == "MB/s" and row["way"]:
            way = row["way"].lower()
            figure = (f"{way}.bandwidth", value * _MB, step * _MB + value * _SLACK)
            options: dict[str, Scalar] = {
                "rw": f"rand{way}" if row["how"] == "Random" else way,
                "bs": round(float(row["size"]) * 1024),
            }
        elif row["unit"] == "ms" and name.startswith("Average Read Time"):
            figure, options = ("read.latency.mean", value / 1e3, step / 1e3), {}
        else:
            others[key] = value / 1e3 if row["unit"] == "ms" else value
            continue
        trials.append(PrintedTrial(
            tool=Winsat.tool,
            loops=(LoadResult.of({figure[0]: figure[1]}),),
            command=asked.command, target=f"{drive[1].upper()}:" if drive else "", label=name,
            options=options, steps={figure[0]: figure[2]}, details=details,
        ))  # fmt: skip
    if trials and others:
        trials[0] = replace(trials[0], details={**trials[0].details, **others})
    return trials
