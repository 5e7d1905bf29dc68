"""perf report (and top), and perf stat: where a host's processors spent their time, and counts.

Source: Linux 6.1, tools/perf/ui/hist.c and util/sort.c: "Children" before "Self" with call graphs,
[k] the kernel, [.] a program; tools/perf/util/stat-display.c, print_header(), print_footer(),
print_noise_pct() and print_running(), util/stat-shadow.c for what stands behind a #;
perf-stat(1), CSV FORMAT: [time,]count,unit,event,run time,share of it[,metric,its unit].
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from typing_extensions import override

from iosonde.records.printed import Unreadable
from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor, lines, prompt_in
from iosonde.text.reader import Items, StateOutput, close_rows, top_of_own

_ROW = re.compile(
    r"^\s*+(?:[+-] *+)?(?P<share>\d{1,3}\.\d\d)% +(?:(?P<own>\d{1,3}\.\d\d)% +)?"
    r"(?P<where>(?:[^\s\[]\S{0,60} +|\[[^\]\s]{2,60}\] +){0,3})\[(?P<level>[k.guH])\] "
    r"(?P<symbol>\S.{0,200}?)\s*$"
)
_STATS = re.compile(r"^\s*Performance counter stats for (?P<of>.{1,300}?):?\s*$")
_COUNT = re.compile(
    r"^\s*(?P<count>\d{1,3}(?:[,\u202f ]\d{3}){1,6}|\d{1,18})"
    r"(?P<unit>(?:\.\d{1,6})? (?:msec|Joules|MiB))? +"
    r"(?P<event>[a-z][\w.:/,=-]{2,80})(?P<rest>\s+[#(].{0,160})?$"
)
"""A count of an event; only figures with a unit have decimals, for a dot may part thousands."""
_METRIC = re.compile(
    r"#\s{1,8}(?P<figure>\d{1,9}(?:\.\d{1,3})?)(?P<share>%)?\s{1,4}"
    r"(?P<of>(?:[KMG]?/sec|GHz|CPUs utilized|insn per cycle|stalled cycles per insn"
    r"|of all [\w -]{3,40}?|(?:frontend|backend) cycles idle)(?=\s{2}|\s*$|\s\())"
)
_DEVIATION = re.compile(r"\( ?\+- {1,3}(?P<share>\d{1,3}\.\d\d)% ?\)")
_MEASURED = re.compile(r"\((?P<share>\d{1,3}\.\d\d)%\)")
_RATES = {"/sec": 1.0, "K/sec": 1e3, "M/sec": 1e6, "G/sec": 1e9}
_ELAPSED = re.compile(
    r"^\s*(?P<seconds>\d{1,9}\.\d{3,12}) (?:\+- .{0,40} )?seconds "
    r"(?P<of>time elapsed|user|sys)"
)
_FIELDS = re.compile(
    r"\s*+(?:(?P<time>\d{1,9}\.\d{9}),)?"
    r"(?P<count>\d{1,18}(?:\.\d{1,6})?|<not (?:counted|supported)>),"
    r"(?P<unit>[A-Za-z]{0,12}),(?P<event>[A-Za-z][\w.:/=-]{2,80}),\d{1,18},\d{1,3}\.\d\d"
    r"(?:,[\d.]{0,20}(?:,.{0,60})?)?\s*"
)
_MOST = 400
_MOST_FIELDS = 20000


class PerfReport(StateOutput):
    tool = "perf"
    anchors = ("[k] ", "[.] ")

    commands = ("perf",)
    nothing = "no symbol follows"
    beginning = _ROW

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        rows, last = close_rows(cursor, first, _ROW.match, _MOST)
        symbols: list[Json] = [
            {
                "share": float(row["share"]) / 100,
                "self": float(row["own"]) / 100 if row["own"] else None,
                "where": " ".join(row["where"].split()),
                "kernel": row["level"] == "k",
                "symbol": row["symbol"],
            }
            for row in rows
        ]
        return last, [self.counted("host", "", {"symbols": symbols}, prompt)] if symbols else []


class PerfStat(StateOutput):
    tool = "perf"
    anchors = ("Performance counter stats for",)

    commands = ("perf",)
    beginning = _STATS

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        head = self.first_line(cursor, first)
        last, values = first, dict[str, Json]()
        for index, line in lines(cursor, first + 1, 80):
            figures = dict(_figures(line))  # what stands behind its # is no command
            if index > last + 3 or (line and not figures and prompt_in(line)):
                break
            if line and not figures and "not counted" not in line and "not supported" not in line:
                break
            values |= figures
            last = index if line else last
        if not values:
            raise Unreadable("no count follows", last)
        return last, [self.counted("host", "", {"of": head["of"], **values}, prompt)]


class PerfStatFields(StateOutput):
    """What perf stat prints with -x, and -I."""

    tool = "perf"
    anchors = (
        "-cycles,", ",instructions,", "-switches,", "-faults,", "-clock,", "-misses,",
    )  # fmt: skip
    commands = ("perf",)

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        return top_of_own(cursor, _FIELDS.fullmatch)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        events, times = dict[str, list[Json]](), dict[str, None]()
        rows, last = close_rows(cursor, first, _FIELDS.fullmatch, _MOST_FIELDS)
        for row in rows:
            count = None if row["count"].startswith("<") else row["count"]
            power = -3 if row["unit"] == "msec" else 0
            figure = float(f"{count}e{power}") if count else None
            events.setdefault(row["event"], []).append(figure)
            if row["time"]:
                times[row["time"]] = None
        values: dict[str, Json] = {"time": [float(time) for time in times]} if times else {}
        return last, [self.counted("host", "", {**values, **events}, prompt)]


def _figures(line: str) -> Iterator[tuple[str, Json]]:
    """The count of a line of perf stat, or a time of its end, in seconds."""
    if match := _ELAPSED.match(line):
        name = {"time elapsed": "elapsed", "user": "user", "sys": "system"}[match["of"]]
        yield name, float(match["seconds"])
    elif match := _COUNT.match(line):
        decimals, _, unit = (match["unit"] or "").partition(" ")
        plain = re.sub(r"[,\u202f ]", "", match["count"]) + decimals
        scale = 1e-3 if unit == "msec" else 1.0
        yield match["event"], float(plain) * scale
        yield from _beside(match["event"], match["rest"] or "")


def _beside(event: str, text: str) -> Iterator[tuple[str, Json]]:
    """What stands behind a count: what it means, how it varies, the share of time it was taken."""
    if metric := _METRIC.search(text):
        figure = float(metric["figure"])
        if rate := _RATES.get(metric["of"]):
            yield f"{event}.rate", round(figure * rate, 6)
        elif metric["of"] == "GHz":
            yield f"{event}.rate", round(figure * 1e9, 6)
        else:
            name = re.sub(r"\W+", "_", metric["of"].lower())
            yield f"{event}.{name}", figure / 100 if metric["share"] else figure
    if deviation := _DEVIATION.search(text):
        yield f"{event}.deviation", float(deviation["share"]) / 100
    if measured := _MEASURED.search(text):
        yield f"{event}.measured", float(measured["share"]) / 100
