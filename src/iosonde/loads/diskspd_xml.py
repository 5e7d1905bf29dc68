"""diskspd -Rxml: reads and writes of each time span, all threads and targets together.

Rates are counted bytes and requests over the seconds of the test.

Source: microsoft/diskspd 2.1, XmlResultParser/XmlResultParser.cpp, ParseResults() (TestTimeSeconds,
Thread/Target), _PrintTargetResults() (bytes and counts), _PrintLatencyPercentiles() (milliseconds;
percentile 0 is the least, 100 the greatest), _PrintCpuUtilization() (per cent);
Common/Common.cpp, Target::GetXml() (the profile).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from typing_extensions import override

from iosonde.records.load import LoadResult
from iosonde.records.printed import OutputReading, PrintedTrial, Unreadable
from iosonde.records.stack import Json, Scalar
from iosonde.text.cursor import Output, TextCursor, lines

_Leaves: TypeAlias = Sequence[tuple[tuple[str, ...], str]]
"""Texts of an XML document, each with the names of the elements around it."""
_TOKEN = re.compile(
    r"<(?P<open>[A-Za-z]\w{0,60})(?:\s[^<>]{0,600})?(?P<empty>/)?(?<!\?)>(?P<text>[^<]{0,600})"
    r"|</(?P<close>[A-Za-z]\w{0,60})>"
)
_FIGURE = re.compile(r"\d{1,19}(?:\.\d{1,9})?")
_ROOT, _SPAN = "<Results>", "<TimeSpan>"
_WAYS = ("Read", "Write")
_SHARES = frozenset({"1", "5", "10", "25", "50", "75", "90", "95", "99"})
_MOST = 200_000
_HALF = 0.005
"""Half of the last digit of the seconds."""


class DiskspdXml(Output):
    tool = "diskspd"
    anchors = (_ROOT, "<TestTimeSeconds>")

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at).strip()
        if line.endswith(_ROOT):
            following = cursor.line(cursor.at + 1).strip()
            return cursor.at if following.startswith("<System>") else None
        above = cursor.line(cursor.at - 1).strip()
        return cursor.at - 1 if above == _SPAN and line.startswith("<TestTime") else None

    @override
    def read(self, cursor: TextCursor, first: int) -> OutputReading:
        is_whole = cursor.line(first).strip().endswith(_ROOT)
        ending = "</Results>" if is_whole else "</TimeSpan>"
        rows: list[str] = []
        last, closed = first, False
        for index, line in lines(cursor, first, _MOST):
            if line and not line.lstrip().startswith("<"):
                break
            rows.append(line)
            last = index if line else last
            if ending in line:
                closed = True
                break
        text = "\n".join(rows)
        if not closed:  # of a time span that is cut off the sums would be too small
            text = text[: text.rfind("</TimeSpan>") + 1]
        leaves = tuple(_leaves(text))
        trials = tuple(_trials(leaves, 1 if is_whole else 0))
        if not trials:
            raise Unreadable("no result follows, or it is cut off", last)
        cut = () if closed else ((last, last, "it is cut off here"),)
        return OutputReading(first, last, trials=trials, unread=cut)


def _leaves(text: str) -> Iterator[tuple[tuple[str, ...], str]]:
    """The texts, and an empty one for the beginning of each element that holds others."""
    path: list[str] = []
    for token in _TOKEN.finditer(text):
        if name := token["open"]:
            value = token["text"].strip()
            yield (*path, name), value
            if not token["empty"]:
                path.append(name)
        elif token["close"] in path:
            while path.pop() != token["close"]:
                pass


def _groups(leaves: _Leaves, path: tuple[str, ...]) -> list[_Leaves]:
    """What stands within each element with this path, by the names below it."""
    groups: list[list[tuple[tuple[str, ...], str]]] = []
    for names, text in leaves:
        if names == path:
            groups.append([])
        elif names[: len(path)] == path and groups:
            groups[-1].append((names[len(path) :], text))
    return [tuple(group) for group in groups]


def _values(leaves: _Leaves) -> dict[str, str]:
    """The texts of the elements right below, the first of each name."""
    values: dict[str, str] = {}
    for names, text in leaves:
        if len(names) == 1:
            values.setdefault(names[0], text)
    return values


def _trials(leaves: _Leaves, depth: int) -> Iterator[PrintedTrial]:
    """A trial of each time span; `depth` is how many elements are around one."""
    root = ("Results",)[:depth]
    profiles = _groups(leaves, (*root, "Profile", "TimeSpans", "TimeSpan"))
    system = _values([*(_groups(leaves, (*root, "System")) or [()])[0]])
    tool = _values([*(_groups(leaves, (*root, "System", "Tool")) or [()])[0]])
    for place, span in enumerate(_groups(leaves, (*root, "TimeSpan"))):
        profile = profiles[place] if place < len(profiles) else ()
        targets = [_values(group) for group in _groups(profile, ("Targets", "Target"))]
        trial = _trial(span, targets, system.get("ComputerName", ""), tool.get("Version", ""))
        if trial:
            yield trial


def _trial(
    span: _Leaves, targets: Sequence[Mapping[str, str]], host: str, version: str
) -> PrintedTrial | None:
    values = _values(span)
    seconds = _number(values.get("TestTimeSeconds"))
    every = [_values(group) for group in _groups(span, ("Thread", "Target"))]
    threads = str(len(_groups(span, ("Thread",))))
    if not seconds or not every or values.get("ThreadCount", threads) != threads:
        return None
    metrics: dict[str, float] = {}
    for way in _WAYS:
        counts = [_number(target.get(f"{way}Count")) for target in every]
        sizes = [_number(target.get(f"{way}Bytes")) for target in every]
        if None in counts or None in sizes or not sum(count or 0 for count in counts):
            continue
        metrics[f"{way.lower()}.iops"] = sum(count or 0 for count in counts) / seconds
        metrics[f"{way.lower()}.bandwidth"] = sum(size or 0 for size in sizes) / seconds
    if not metrics:
        return None
    steps = {name: value * _HALF / seconds for name, value in metrics.items()}
    details = _latencies(span, metrics, steps)
    details |= _processors(span, values)
    paths = {target.get("Path", "") for target in every}
    lengths = {target.get("FileSize", "") for target in every}
    if len(lengths) == 1 and (text := lengths.pop()).isdecimal():
        details["file_size"] = int(text)
    kinds = {
        name: "1/s" if name.endswith("iops") else "B/s" if name.endswith("bandwidth") else "s"
        for name in metrics
    }
    return PrintedTrial(
        tool=DiskspdXml.tool,
        loops=(LoadResult(metrics=metrics, units=kinds),),
        version=version,
        host=host,
        target=paths.pop() if len(paths) == 1 else "",
        elapsed=(seconds,),
        options=_options(targets, metrics),
        steps=steps,
        details=details,
    )


def _latencies(
    span: _Leaves, metrics: dict[str, float], steps: dict[str, float]
) -> dict[str, Json]:
    """Puts means, deviations and the usual percentiles among the metrics; returns all others."""
    group = (_groups(span, ("Latency",)) or [()])[0]
    means = _values(group)
    rest: dict[str, dict[str, Json]] = {}

    def put(way: str, name: str, text: str | None) -> None:
        figure = _number(text)
        if figure is not None and f"{way.lower()}.iops" in metrics:
            metrics[f"{way.lower()}.latency.{name}"] = figure / 1000
            steps[f"{way.lower()}.latency.{name}"] = 0.5e-6

    for way in _WAYS:
        put(way, "mean", means.get(f"Average{way}Milliseconds"))
        put(way, "stdev", means.get(f"{way}LatencyStdev"))
        for bucket in map(_values, _groups(group, ("Bucket",))):
            share, text = bucket.get("Percentile", ""), bucket.get(f"{way}Milliseconds")
            if share in {"0", "100"}:
                put(way, "min" if share == "0" else "max", text)
            elif share in _SHARES or share.startswith("99."):
                put(way, f"p{share.replace('.', '_')}", text)
            elif (figure := _number(text)) is not None:
                rest.setdefault(way.lower(), {})[share] = round(figure / 1000, 9)
    details: dict[str, Json] = {}
    if rest:
        details["latency percentiles"] = {way: dict(shares) for way, shares in rest.items()}
    both = {"mean": means.get("AverageTotalMilliseconds"), "stdev": means.get("LatencyStdev")}
    figures = {name: _number(text) for name, text in both.items()}
    together: dict[str, Json] = {
        name: round(figure / 1000, 9) for name, figure in figures.items() if figure is not None
    }
    return {**details, "latency of both": together} if together else details


def _processors(span: _Leaves, values: Mapping[str, str]) -> dict[str, Json]:
    """Threads, processors, and the shares of these that all of them were busy."""
    details: dict[str, Json] = {
        name: int(values[key])
        for key, name in (("ThreadCount", "threads"), ("ProcCount", "processors"))
        if values.get(key, "").isdecimal()
    }
    for group in _groups(span, ("CpuUtilization", "Average"))[:1]:
        for key, text in _values(group).items():
            if (share := _number(text)) is not None and key.endswith("Percent"):
                name = f"cpu_{key.removesuffix('Percent').lower()}"
                details[name] = round(share / 100, 6)
    return details


def _options(
    targets: Sequence[Mapping[str, str]], metrics: Mapping[str, float]
) -> dict[str, Scalar]:
    """Of the load in fio's words, where all targets of the profile say the same."""
    ways = [way for way in ("read", "write") if f"{way}.iops" in metrics]
    mode = ways[0] if len(ways) == 1 else "rw"
    if not targets:
        return {}
    options: dict[str, Scalar] = {}
    if all("Random" in target for target in targets):
        mode = f"rand{mode}"
    options["rw"] = mode
    for key, name in (
        ("BlockSize", "bs"), ("RequestCount", "iodepth"), ("ThreadsPerFile", "numjobs"),
    ):  # fmt: skip
        given = {target.get(key, "") for target in targets}
        if len(given) == 1 and (text := given.pop()).isdecimal():
            options[name] = int(text)
    ratios = {target.get("WriteRatio", "") for target in targets}
    if len(ratios) == 1 and (text := ratios.pop()).isdecimal() and len(ways) > 1:
        options["rwmixread"] = 100 - int(text)
    if all(target.get("DisableOSCache") == "true" for target in targets):
        options["direct"] = True
    if any(
        target.get(key, "0") != "0" for target in targets for key in ("ThinkTime", "Throughput")
    ):
        options["paced"] = True
    return options


def _number(text: str | None) -> float | None:
    return float(text) if text and _FIGURE.fullmatch(text) else None
