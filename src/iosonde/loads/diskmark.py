"""CrystalDiskMark's and KDiskMark's report as text; one trial per line of it.

CrystalDiskMark's MB is 10⁶ bytes, as its head says. KDiskMark says the same, but divides fio's
KiB/s by 1000: which unit a line of it means is decided by its IOPS times its block size; where
these leave it open, the difference is part of the rounding.

Source: CrystalDiskMark 3 to 8, its own head ("MB/s = 1,000,000 bytes/s"); KDiskMark,
src/benchmark.cpp, parseResult(), and the three reports in its README of as many years. Texts of
CrystalDiskMark 2.2 in forums do not say what their MB is: the difference is part of the rounding.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from typing_extensions import override

from iosonde import units
from iosonde.records.load import LoadResult
from iosonde.records.printed import OutputReading, PrintedTrial, Unreadable
from iosonde.records.stack import Json, Scalar
from iosonde.text.cursor import Output, TextCursor, compact, joined, lines, prompt_in
from iosonde.text.reader import close_lines, close_lines_above

_ROW = re.compile(r"^\W{0,60}(?:SEQ|RND|Sequential|Random) .{0,40}:\s+\d[\d.,]{0,12}(?: MB/s|$)")
_OWN = re.compile(
    r"^\s*+(?:-{20,}|(?:Crystal|K)DiskMark|Crystal Dew|Flexible I/O|\* (?:MB/s|KB) ?="
    r"|[\w/.]{1,10}$|\[(?:Read|Write|Mix)\]|(?:Profile|Test(?: Size)?|Mode|Time|Date|OS|Comment) ?:|https?://"
    r"|MB/s|\[? *+[\d.]*+ *IOPS\]"
    r"|<? *+[\d.]*+ *us>|SATA/\d|\[SATA/\d|= \d{3},000|bytes/s\]|bytes$)"
)
_REST = re.compile(r"^\s*(?:Profile|Test(?: Size)?|Mode|Time|Date|OS|Comment) ?:")
_TAIL = re.compile(
    r"^\s*(?P<name>Profile|Test(?: Size)?|Mode|Time|Date|OS|Comment) ?:\s*(?P<text>\S.{0,200}?)\s*$"
)
_TITLE = re.compile(r"(?P<tool>CrystalDiskMark|KDiskMark) \(?v?(?P<version>\d[\w.]{0,15})")
_UNIT = re.compile(r"MB/s = 1,000,000 byte")
_LINE = re.compile(
    r"\[(?P<section>Read|Write|Mix)\]"
    r"|(?P<how>SEQ|RND|Sequential|Random)(?P<way>Read|Write)?(?:(?P<size>\d{1,6})(?P<unit>[KM]i?B))?"
    r"(?:\((?:Q=(?P<depth>\d{1,4}),)?(?:T=(?P<threads>\d{1,4})|QD=(?P<queue>\d{1,4}))\))?"
    r":(?P<rate>\d{1,9}(?:\.\d{1,3})?)MB/s(?:\[(?P<iops>\d[\d.]{0,15})IOPS\])?"
    r"(?:<(?P<latency>\d[\d.]{0,15})us>)?"
)
_SECTION = re.compile(r"\s*(?P<section>\[(?:Read|Write|Mix)\])(?P<names>.{0,200})$")
_TEST = re.compile(r"\s*(?P<test>(?:SEQ|RND|Sequential|Random)\b[^:]{0,60}:)\s*")
_RESULT = re.compile(
    r"\d[\d.]{0,12} ?MB/s(?:\s{0,3}\[\s*[\d.]{1,16} IOPS\])?(?:\s{0,3}<\s*[\d.]{1,16} us>)?"
)
_GAP_OF_NAMES = re.compile(r"\s{2,}|\t")
_SIZE = re.compile(r"Test(?: Size)? ?:\s*(\d[\d.]{0,9} ?[KMG]i?B)")
_MB, _KIBI, _MIB = 1e6, 1024e3, float(units.MIB)
_NEAR = 0.002  # of a rate: fio cuts it to whole KiB/s, and means of several passes are rounded
_GAP = 3
_MOST = 80


class DiskMark(Output):
    tool = "CrystalDiskMark"
    anchors = (
        "MB/s = 1,000,000 byte", " IOPS] <", "T= 1):", "T= 1) :", "(QD=32) :", "Random Read 4KB :",
        "Random Write 4KB :", "Random Read 512KB :",
    )  # fmt: skip

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        if not _ROW.match(line) and not (_UNIT.search(line) and line.lstrip().startswith("*")):
            return None
        top = cursor.at
        for index, line in close_lines_above(cursor, cursor.at - 1, gap=_GAP):
            if not _is_own(line) or _REST.match(line):
                break
            top = index
        return top

    @override
    def read(self, cursor: TextCursor, first: int) -> OutputReading:
        last = _end(cursor, first)
        whole = joined(cursor, first, last)
        head = _TITLE.search(whole)
        tool = _tool(whole)
        size = _SIZE.search(whole)
        options: dict[str, Scalar] = {"size": units.parse_bytes(size[1])} if size else {}
        if tool == "KDiskMark":
            options |= {"ioengine": "libaio", "direct": True}
        version = head["version"] if head else ""
        columns = _columns(whole.split("\n")) or [("", compact(cursor, first, last))]
        trials = tuple(
            replace(trial, label=f"{name}: {trial.label}" if name else trial.label)
            for name, text in columns
            for trial in _trials(text, tool, version, options)
        )
        torn = sum(_torn(text) for _, text in columns)
        if not trials:
            raise Unreadable("its lines are torn" if torn else "it holds no result", last=last)
        if tail := _tail(cursor, first, last):
            trials = tuple(replace(trial, details={**trial.details, **tail}) for trial in trials)
        unread = ((first, last, f"{torn} of its lines are torn"),) if torn else ()
        return OutputReading(first, last, trials=trials, unread=unread)


def _tail(cursor: TextCursor, first: int, last: int) -> dict[str, Json]:
    """What stands below the results, as printed: profile, test, mode, times, date and system."""
    rows = (_TAIL.match(line) for _, line in lines(cursor, first, last - first + 1))
    return {row["name"].lower().replace(" ", "_"): row["text"] for row in rows if row}


def _torn(text: str) -> int:
    """How many rates stand in no line that is whole."""
    rates = len(re.findall(r"MB/s(?!=)", text))
    return rates - sum(1 for match in _LINE.finditer(text) if match["rate"])


def _columns(rows: Sequence[str]) -> list[tuple[str, str]]:
    """Name and compact text of each column, where an author set results of several beside another.

    The names stand behind the word in brackets that begins a section. Empty for one column.
    """
    counts = {count for row in rows if (count := row.count("MB/s")) and "=" not in row[-24:]}
    if len(counts) != 1 or counts == {1}:
        return []
    width = counts.pop()
    texts = [list[str]() for _ in range(width)]
    names = [f"column {place + 1}" for place in range(width)]
    for row in rows:
        if section := _SECTION.match(row):
            titles = [
                title.strip(" *_`") for title in _GAP_OF_NAMES.split(section["names"].strip())
            ]
            names = titles if len(titles) == width else names
            results = [section["section"]] * width
        elif test := _TEST.match(row):
            results = [test["test"] + result for result in _RESULT.findall(row, test.end())]
        else:
            continue
        if len(results) != width:
            return []
        for text, result in zip(texts, results, strict=True):
            text.append("".join(result.split()))
    return [(name, "".join(text)) for name, text in zip(names, texts, strict=True)]


def _tool(whole: str) -> str:
    """Which of the two it is, also without its title: KDiskMark puts a blank into "4 KiB"."""
    if "CrystalDiskMark" in whole:
        return "CrystalDiskMark"
    is_other = "KDiskMark" in whole or re.search(r"\d [KM]iB \(Q", whole)
    return "KDiskMark" if is_other else "CrystalDiskMark"


def _is_own(line: str) -> bool:
    return bool(_ROW.match(line) or _OWN.match(line))


def _end(cursor: TextCursor, first: int) -> int:
    """Index of the last line of one report: before the next one's head."""
    last, ended = first, False
    for index, line in close_lines(cursor, first, _MOST, gap=_GAP):
        rest = bool(_REST.match(line))
        if prompt_in(line) or not _is_own(line) or (ended and not rest):
            break
        ended = ended or rest
        last = index
    return last


def _trials(
    text: str, tool: str, version: str, options: Mapping[str, Scalar]
) -> Iterator[PrintedTrial]:
    """The results, without those of zero: tests that were not run.

    Raises:
        Unreadable: whether a line is of reads or writes is cut off.
    """
    section = ""
    for match in _LINE.finditer(text):
        if match["section"]:
            section = match["section"]
            continue
        way = (match["way"] or section).lower().replace("mix", "mixed")
        if not float(match["rate"]):
            continue
        if not way:
            raise Unreadable("whether it read or wrote is cut off")
        random = match["how"] in {"RND", "Random"}
        kind = {"read": "read", "write": "write"}.get(way, "rw")
        own: dict[str, Scalar] = {**options, "rw": f"rand{kind}" if random else kind}
        size = _block(match)
        if size:
            own["bs"] = size
        depth = match["depth"] or match["queue"]
        own |= {"iodepth": int(depth or 1), "numjobs": int(match["threads"] or 1)}
        metrics, steps = _figures(match, way, size, tool, version)
        yield PrintedTrial(
            tool=tool,
            loops=(LoadResult.of(metrics),),
            version=version,
            label=" ".join(
                (str(own["rw"]), *([units.show_bytes(size)] if size else ()), f"Q{depth or 1}")
            ),
            options=own,
            steps=steps,
        )


def _block(match: re.Match[str]) -> int | None:
    """Bytes of a request; the KB of CrystalDiskMark 3 are KiB. None where it does not say."""
    return units.parse_bytes(match["size"] + match["unit"]) if match["size"] else None


def _figures(
    match: re.Match[str], way: str, size: int | None, tool: str, version: str
) -> tuple[dict[str, float], dict[str, float]]:
    rate, half = units.printed(match["rate"])
    iops = units.printed(match["iops"]) if match["iops"] else None
    unit, slack = (_MB, 0.0) if tool != "KDiskMark" else _unit(rate, half, iops, size)
    queued = match["depth"] or match["queue"] or match["threads"]
    if version.startswith(("1.", "2.")) or not (version or queued):
        slack = _MIB / _MB - 1
    metrics = {f"{way}.bandwidth": rate * unit}
    steps = {f"{way}.bandwidth": half * unit + rate * unit * slack}
    if iops:
        metrics[f"{way}.iops"], steps[f"{way}.iops"] = iops
    if match["latency"]:
        latency, step = units.printed(match["latency"])
        metrics[f"{way}.latency.mean"], steps[f"{way}.latency.mean"] = latency * 1e-6, step * 1e-6
    return metrics, steps


def _unit(
    rate: float, half: float, iops: tuple[float, float] | None, size: int | None
) -> tuple[float, float]:
    """Bytes in what a line of KDiskMark calls MB, and by how much of it that may be wrong."""
    if iops and size:
        expected, slack = iops[0] * size, iops[1] * size
        fits = [
            unit for unit in (_MB, _KIBI, _MIB)
            if abs(rate * unit - expected) <= slack + half * unit + expected * _NEAR
        ]  # fmt: skip
        if len(fits) == 1:
            return fits[0], 0.0
    return _KIBI, 1 - _MB / _KIBI
