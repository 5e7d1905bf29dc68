"""The parts of fio's normal output, read from its characters without any blanks.

fio cuts whole numbers before it prints them and rounds those with a prefix. The decimals that
its older versions put before a prefix are not trusted: before 2.20 they were remainders of 1024,
and before 3.26 a fraction that rounds to one was printed as .0.

Source:
    fio 1.59, 2.0.8, 2.1.10, 2.16, 2.17, 2.21, 3.19, 3.33, 3.41: stat.c, show_ddir_status(),
    display_lat(), show_clat_percentiles(), show_lat(), show_group_stats(); diskutil.c,
    print_disk_util(); lib/num2str.c and its changes 9e55f2c7 (2.20) and c736b361 (3.26).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from iosonde import units
from iosonde.loads.fio.combine import span
from iosonde.loads.fio.text_figures import NAMES, samples_of
from iosonde.records.load import LoadResult
from iosonde.records.stack import Json

_NUMBER = r"(?:\d[\d.]*[kKMGTPE]?|-?nan)"
_SHARES = r"(?:>?=?\d{1,4}=[\d.]{1,8}%,?)+"

DIRECTION = re.compile(
    r"(?P<name>read|write|trim|mixed):(?:"
    r"IOPS=(?P<iops>\d[\d.]*[kMGTPE]?),BW=(?P<speed>\d[\d.]*(?:[kKMGTPE]?i?(?:B|bit)(?=/s)"
    r"|[kKMGTPE]i(?=\(\d[\d.]*[kMGTPE]\)\()))(?:/s)?"  # 3.7 of all clients: without a unit
    r"(?:\([^()]{1,24}\)){1,2}?\((?P<moved>\d[\d.]{0,15}[kKMGTPE]?i?B)/(?P<time>\d{1,12})msec\)"
    r"(?:;(?P<resets>\d{1,12})zoneresets|;Cachehit=(?P<hits>[\d.]{1,8})%)?"
    # of all directions with unified_rw_reporting=both, whose rates 3.33 prints as 0
    r"|IOPS=0,BW=0\(0\)\(0B/(?P<time0>\d{1,12})msec\)"
    r"|io=(?P<moved2>\d[\d.]{0,15}[KMGTPE]?B),bw=(?P<speed2>\d[\d.]{0,15}[KMGTPE]?(?:B|bit))/s,"
    r"iops=(?P<iops2>\d[\d.]*[KMG]?),runt=(?P<time2>\d{1,12})msec)"  # up to 2.16
)
RATES = re.compile(
    r"\s*+(?:(?P<label>[\w.+-][\w./+-]{0,60}(?: \([\w .,/+-]{1,40}\))?)\s{0,3}:\s+"
    r"|\((?P<remark>[\w .,/+-]{1,40})\)\s+)?(?P<rand>rand_?)?(?P<name>read|write|trim) ?:\s+(?:"
    r"(?:IOPS=(?P<iops>\d[\d.]*[kMG]?), {0,3})?(?:BW|bw)=(?P<speed>\d[\d.]*[kKMG]?i?(?:B|bit))/s"
    r"(?: \([^()]{1,24}\))?"
    r"|io=\d[\d.]{0,15}[KMGTPE]?B, ?bw=(?P<speed2>\d[\d.]{0,15}[KMGTPE]?(?:B|bit))/s"
    r"(?:, ?iops=(?P<iops2>\d[\d.]*[KMG]?))?)[ .,;]{0,3}"
)
"""A line of rates that was cut behind its speed; a name, as `grep` gives, may stand before it."""
_LATENCY = re.compile(
    rf"(?P<kind>slat|clat|lat|sync)\((?P<unit>[num])sec\):min=(?P<min>{_NUMBER}),"
    rf"max=(?P<max>{_NUMBER}),avg=(?P<mean>{_NUMBER}),stdev=(?P<stdev>{_NUMBER})"
)
_PERCENTILES = re.compile(
    r"(?P<kind>slat|clat|lat|sync)percentiles\((?P<unit>[num])sec\):(?P<list>[|\d.th=\[\],>]+)"
)
_PERCENTILE = re.compile(r"(\d{1,3}\.\d{1,20})th=\[>?=?(\d{1,30})\]")
_BANDWIDTH = re.compile(
    r"bw\((?P<unit>[kKM]i?(?:B|bit))/s\):min=(?P<min>\d+),max=(?P<max>\d+),per=(?P<per>\d{1,9}\.\d\d)%,"
    rf"avg=(?P<mean>{_NUMBER}),stdev=(?P<stdev>{_NUMBER})(?:,samples=(?P<samples>\d+))?"
)
_IOPS = re.compile(
    rf"iops:min=(?P<min>\d+),max=(?P<max>\d+),avg=(?P<mean>{_NUMBER}),stdev=(?P<stdev>{_NUMBER})"
    r",samples=(?P<samples>\d+)"
)
_SYNC = re.compile(r"fsync/fdatasync/sync_file_range(?:/syncfs)?:")
_DISTRIBUTION = re.compile(rf"lat\((?P<unit>[num])sec\):(?P<list>{_SHARES})")
_SHARE = re.compile(r"((?:>=)?\d+)=([\d.]+)%")
_CPU = re.compile(
    rf"cpu:usr=(?P<user>{_NUMBER})%,sys=(?P<system>{_NUMBER})%,ctx=(?P<ctx>\d+)"
    r"(?:,majf=(?P<majf>\d+),minf=(?P<minf>\d+))?"
)
_DEPTHS = re.compile(rf"(?P<what>IOdepths|submit|complete):(?P<list>{_SHARES})")
_ISSUED = re.compile(
    r"issued(?P<form>rwts|rwt|r/w/d)?:total=(?:r=)?(?P<read>\d+)[,/](?:w=)?(?P<write>\d+)[,/]"
    r"(?:d=)?(?P<trim>\d+)(?:,(?P<sync>\d+))?"
)
_DROPPED = re.compile(r"(short|drop(?:ped)?)=(?:r=)?(\d+)[,/](?:w=)?(\d+)[,/](?:d=)?(\d+)")
_ERRORS = re.compile(r"errors:total=(\d+),first_error=(-?\d+)/<([^>]{0,80})>")
_TARGET = re.compile(r"latency:target=[^,]{1,24},window=[^,]{1,24},percentile=[\d.]+%,depth=(\d+)")
_STEADY = re.compile(
    r"steadystate:attained=(yes|no),bw=[^,=]{1,48},iops=[^,=]{1,24},(?:lat=[^,=]{1,24},)?"
    r"(iops|bw|lat)(slope|meandev)=([\d.]+%?)"
)
_WHOLE = re.compile(r"\d+(?:B|bit)?")
_DECIMALS = re.compile(r"\.(\d+)")
_EXPONENT = {"n": "e-9", "u": "e-6", "m": "e-3"}
_GRAIN = {"n": 1e-9, "u": 1e-6, "m": 1e-3}
_MICROSECOND = 1e-6
_NARROWEST, _MORE, _UNSURE = 0.4, 1.5, 0.03
_SAMPLED = {
    "KiB": 1024.0, "KB": 1024.0, "kB": 1000.0, "MiB": 1024.0**2, "MB": 1024.0**2,
    "Kibit": 128.0, "Kbit": 128.0, "kbit": 125.0, "Mibit": 131072.0, "Mbit": 131072.0,
}  # fmt: skip
_PER_CENT = "e-2"
_MILLISECONDS = 1e3
_DIRECTIONS = ("read", "write", "trim")


@dataclass(frozen=True, slots=True)
class Precision:
    """How far the decimals of a version can be trusted; by its number, or by its wording."""

    remainders: bool = False
    cut_to_zero: bool = True

    @staticmethod
    def of(version: str, text: str) -> Precision:
        """Of a version such as "3.19"; where it is not known, of the output's wording."""
        match = re.match(r"(\d+)\.(\d+)", version)
        if match:
            number = (int(match[1]), int(match[2]))
            return Precision(number < (2, 20), number < (3, 26))
        old = ("issuedrwt:", "runt=", "aggrb=")
        return Precision(any(wording in text for wording in old))

    def step(self, text: str, *, binary: bool = False) -> tuple[float, float]:
        """A number that fio wrote with a prefix, and how far it may be from what it stands for."""
        value, half = units.printed(text, binary=binary)
        if _WHOLE.fullmatch(text):
            return value, 1.0
        decimals = match[1] if (match := _DECIMALS.search(text)) else ""
        unsure = self.remainders or (self.cut_to_zero and not decimals.strip("0"))
        if decimals and unsure:
            return value, half * 2 * 10.0 ** len(decimals)
        return value, half


@dataclass(slots=True)
class JobFigures:
    """Where the figures of one job are gathered."""

    metrics: dict[str, float] = field(default_factory=dict)
    units: dict[str, str] = field(default_factory=dict)
    steps: dict[str, float] = field(default_factory=dict)
    issued: dict[str, int] = field(default_factory=dict)
    details: dict[str, Json] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)
    seconds: float = 0.0
    times: dict[str, float] = field(default_factory=dict)
    depth: int | None = None

    def put(self, name: str, value: float, unit: str, step: float = 0.0) -> None:
        """A metric; a step of 0 means that it was printed exactly."""
        self.metrics[name], self.units[name] = value, unit
        if step:
            self.steps[name] = step

    def detail(self, name: str, direction: str, value: Json) -> None:
        """What was printed for one direction."""
        part = self.details.setdefault(name, {})
        if isinstance(part, dict):
            part[direction] = value

    def result(self, device_io: Mapping[str, Mapping[str, float]], version: str) -> LoadResult:
        """As a loop's result."""
        return LoadResult(
            metrics=self.metrics,
            units=self.units,
            device_io=device_io,
            issued=self.issued,
            faults=tuple(self.faults),
            tool_version=version,
        )


def read_block(text: str, precision: Precision, members: int) -> JobFigures:
    """What the block of one job says.

    Args:
        text: from after its header to the next one, without blanks.
        precision: of its version.
        members: how many processes it stands for.
    """
    sheet = JobFigures()
    directions = list(DIRECTION.finditer(text))
    ends = [*(direction.start() for direction in directions[1:]), len(text)]
    for direction, end in zip(directions, ends, strict=False):
        _direction(direction, text[direction.end() : end], precision, sheet)
    rest = text[directions[-1].end() :] if directions else text
    _after(rest, sheet)
    if sheet.seconds:
        sheet.seconds = span(sheet.times, sheet.issued, members)
        sheet.put("elapsed", sheet.seconds, "s")
        _processor(rest, members, sheet)
    return sheet


def _direction(match: re.Match[str], text: str, precision: Precision, sheet: JobFigures) -> None:
    name = match["name"]
    # fsync's own latencies follow those of the last direction
    own = text[: cut.start()] if (cut := _SYNC.search(text)) else text
    if match["time0"] is None:
        _rates(match, precision, sheet)
    _own_figures(name, own, sheet)


def read_rates(match: re.Match[str], precision: Precision, sheet: JobFigures) -> None:
    """Puts what a line of rates says (see RATES)."""
    name, old = match["name"], "2" if match["speed2"] else ""
    if iops := match[f"iops{old}"]:
        value, step = precision.step(iops)
        sheet.put(f"{name}.iops", value, "1/s", step)
    value, step = amount(match[f"speed{old}"], precision, binary=bool(old))
    sheet.put(f"{name}.bandwidth", value, "B/s", step)


def read_tail(text: str, direction: str) -> JobFigures:
    """What the end of a job's block says, from which the line of its last direction was cut off.

    Args:
        text: up to the run status, without blanks.
        direction: what the latencies are of that stand before those of fsync; empty: not known.
    """
    sheet = JobFigures()
    sync = _sync_start(text)
    _latencies("sync", text[sync:], sheet)
    _after(text, sheet)
    if direction:
        own = text[:sync]
        unit = "" if sheet.issued.get("sync") else _unit_of(own, direction, text, sheet)
        if unit:
            own = f"clatpercentiles({unit}sec):{own}"
        _own_figures(direction, own, sheet)
    return sheet


def _unit_of(own: str, direction: str, text: str, sheet: JobFigures) -> str:
    """The unit of percentiles whose title was cut off: the only one that fits the distribution.

    That is of all directions together. Where several units fit, none is returned.
    """
    listed = [(float(share) / 100, int(value)) for share, value in _PERCENTILE.findall(own)]
    spread = [
        (
            math.inf if bound.startswith(">") else float(bound + _EXPONENT[match["unit"]]),
            float(part),
        )
        for match in _DISTRIBUTION.finditer(text)
        for bound, part in _SHARE.findall(match["list"])
    ]
    if _PERCENTILES.search(own) or not (listed and spread and sheet.issued):
        return ""
    part = sheet.issued.get(direction, 0) / sum(sheet.issued.values())
    fitting = [
        unit
        for unit, grain in _GRAIN.items()
        if all(_fits(spread, part, share, value * grain) for share, value in listed)
    ]
    return fitting[0] if len(fitting) == 1 else ""


def _fits(spread: Sequence[tuple[float, float]], part: float, share: float, latency: float) -> bool:
    """Whether that share of a part of the I/Os can have been as fast, by the distribution.

    A class begins at 0.4 of its end or above; lat, which is distributed, is somewhat above clat.
    """
    faster = sum(percent for end, percent in spread if end * _NARROWEST <= latency * _MORE) / 100
    slower = sum(percent for end, percent in spread if end >= latency) / 100
    within = latency <= max(end for end, _ in spread) * _MORE
    return within and faster >= share * part - _UNSURE and slower >= (1 - share) * part - _UNSURE


def has_latencies(text: str) -> bool:
    """Whether latencies of reads or writes stand in a tail (see `read_tail`)."""
    own = text[: _sync_start(text)]
    return bool(_LATENCY.search(own) or _PERCENTILES.search(own) or _PERCENTILE.search(own))


def _sync_start(text: str) -> int:
    """Where the latencies of fsync begin, with their title or without; the end where none do."""
    matches = (*_LATENCY.finditer(text), *_PERCENTILES.finditer(text))
    places = [match.start() for match in matches if match["kind"] == "sync"]
    if title := _SYNC.search(text):
        places.append(title.start())
    return min(places, default=len(text))


def _own_figures(name: str, own: str, sheet: JobFigures) -> None:
    _latencies(name, own, sheet)
    for key, pattern in (("bw_samples", _BANDWIDTH), ("iops_samples", _IOPS)):
        if samples := pattern.search(own):
            scale = _SAMPLED.get(samples["unit"], 1.0) if key == "bw_samples" else 1.0
            sheet.detail(key, name, samples_of(samples, scale))


def _rates(match: re.Match[str], precision: Precision, sheet: JobFigures) -> None:
    name = match["name"]
    old = match["iops2"] is not None
    speed, iops = match["speed2" if old else "speed"], match["iops2" if old else "iops"]
    value, step = precision.step(iops)
    sheet.put(f"{name}.iops", value, "1/s", step)
    value, step = amount(speed, precision, binary=old)
    sheet.put(f"{name}.bandwidth", value, "B/s", step)
    moved, step = amount(match["moved2" if old else "moved"], precision, binary=old)
    seconds = int(match["time2" if old else "time"]) / _MILLISECONDS
    sheet.times[name] = seconds
    sheet.seconds = max(sheet.seconds, seconds)
    for key, group in (("zone_resets", "resets"), ("cache_hits", "hits")):
        if text := match[group]:
            sheet.detail(key, name, float(text + _PER_CENT) if group == "hits" else int(text))
    sheet.detail("moved", name, {"bytes": moved, "step": step, "seconds": seconds})


def amount(text: str, precision: Precision, *, binary: bool = False) -> tuple[float, float]:
    """Bytes (per second) of "346MiB", "28455KB" or "1453Mibit", and their step."""
    value, step = precision.step(text, binary=binary or "K" in text)
    share = 8 if "bit" in text else 1
    return value / share, step / share


def _latencies(name: str, text: str, sheet: JobFigures) -> None:
    kinds: dict[str, re.Match[str]] = {}
    for match in _LATENCY.finditer(text):
        kinds.setdefault(match["kind"], match)
    listed: dict[str, Json] = {}
    for kind, match in kinds.items():
        figures = dict(_statistics(match))
        listed[kind] = {key: value for key, (value, _) in figures.items()}
        if kind in {"lat", "sync"} or (kind == "clat" and "lat" not in kinds):
            for key, (value, step) in figures.items():
                sheet.put(f"{name}.latency.{key}", value, "s", step)
    if listed:
        sheet.detail("latency", name, listed)
    _percentiles(name, text, sheet)


def _statistics(match: re.Match[str]) -> Iterator[tuple[str, tuple[float, float]]]:
    """Mean and deviation have decimals; the extremes are cut to whole µs or ms."""
    exponent = _EXPONENT[match["unit"]]
    grain = _GRAIN[match["unit"]]
    for key in ("mean", "min", "max", "stdev"):
        text = match[key]
        if text.isdigit():
            yield key, (float(text + exponent), 0.0 if grain < _MICROSECOND else grain)
        elif text[-1].isdigit():
            yield key, (float(text + exponent), grain / 2 / 10.0 ** len(text.partition(".")[2]))
        elif "nan" not in text:
            value, half = units.printed(text)
            yield key, (value * grain, half * grain)


def _percentiles(name: str, text: str, sheet: JobFigures) -> None:
    """Those of clat, else of lat. fio rounds them up to whole µs or ms."""
    kinds: dict[str, re.Match[str]] = {}
    for list_of_kind in _PERCENTILES.finditer(text):
        kinds.setdefault(list_of_kind["kind"], list_of_kind)  # a second one is of another run
    match = kinds.get("clat") or kinds.get("lat") or kinds.get("sync")
    if not match:
        return
    exponent = _EXPONENT[match["unit"]]
    step = 0.0 if match["unit"] == "n" else float(f"1{exponent}")
    listed: dict[str, Json] = {}
    for percentile in _PERCENTILE.finditer(match["list"]):
        share = f"{float(percentile[1]):g}"
        listed[share] = value = float(percentile[2] + exponent)
        if share in NAMES:
            sheet.put(f"{name}.latency.{NAMES[share]}", value, "s", step)
    sheet.detail("percentiles", name, listed)


def _after(text: str, sheet: JobFigures) -> None:
    """What fio prints once for all directions of a job."""
    if sync := _SYNC.search(text):
        _latencies("sync", text[sync.end() :], sheet)
    spread: list[Json] = []
    for match in _DISTRIBUTION.finditer(text):
        spread += _spread(match)
    if spread:
        sheet.details["latency_distribution"] = spread
    for match in _DEPTHS.finditer(text):
        name = "depths" if match["what"] == "IOdepths" else match["what"]
        sheet.details[name] = {
            key: float(share + _PER_CENT) for key, share in _SHARE.findall(match["list"])
        }
    if goal := _TARGET.search(text):
        sheet.depth = int(goal[1])
    if steady := _STEADY.search(text):
        sheet.details["steadystate"] = {
            "attained": steady[1] == "yes", "criterion": f"{steady[2]} {steady[3]}",
            "value": steady[4],
        }  # fmt: skip
    if errors := _ERRORS.search(text):
        total = int(errors[1])
        sheet.details["errors"] = {"total": total, "first": int(errors[2])}
        if total:
            sheet.faults.append(f"{total} I/O errors, the first: errno {errors[2]}")
    _issued(text, sheet)


def _spread(match: re.Match[str]) -> Iterator[Json]:
    """Upper bound in seconds (None: no bound) and share of the I/Os under it."""
    for bound, share in _SHARE.findall(match["list"]):
        upper = None if bound.startswith(">") else float(bound + _EXPONENT[match["unit"]])
        yield [upper, float(share + _PER_CENT)]


def _issued(text: str, sheet: JobFigures) -> None:
    match = _ISSUED.search(text)
    if not match:
        return
    totals = {name: int(match[name]) for name in _DIRECTIONS}
    if "mixed" in sheet.times and len(sheet.times) == 1:
        totals = {"mixed": sum(totals.values())}
    if match["sync"]:
        totals["sync"] = int(match["sync"])
    for what, *counts in _DROPPED.findall(text, match.end(), match.end() + 120):
        named = dict(zip(_DIRECTIONS, map(int, counts), strict=True))
        if what == "short" and "sync.latency.mean" in sheet.metrics:
            totals["sync"] = totals.get("sync", 0) + _stray_syncs(totals, named)
        if any(named.values()):
            sheet.details["short" if what == "short" else "dropped"] = dict(named)
    sheet.issued |= {name: total for name, total in totals.items() if total}


def _stray_syncs(totals: Mapping[str, int], short: dict[str, int]) -> int:
    """Takes the calls that fio up to 3.42 counted among short I/Os out of them (see `sync_part`).

    fdatasync stands among the reads; sync_file_range among the writes, where no other call is.
    """
    calls = 0
    if not totals.get("sync") or not totals.get("read"):
        calls, short["read"] = short["read"], 0
    if not totals.get("sync") and not calls:
        calls, short["write"] = short["write"], 0
    return calls


def _processor(text: str, members: int, sheet: JobFigures) -> None:
    """Shares of a core: fio prints the mean over the job's processes."""
    match = _CPU.search(text)
    if not match:
        return
    sheet.details["cpu"] = {
        key: int(match[key]) for key in ("ctx", "majf", "minf") if match[key] is not None
    }
    if "nan" in match["user"] + match["system"]:
        return
    for name in ("user", "system"):
        sheet.detail("cpu_printed", name, float(match[name] + _PER_CENT))
    both = 0.0
    for key in ("user", "system"):
        value, half = units.printed(match[key] + _PER_CENT)
        sheet.put(f"cpu.{key}", value * members, "cores", half * members)
        both += value * members
    if total := sum(sheet.issued.get(name, 0) for name in (*_DIRECTIONS, "mixed")):
        each = sheet.seconds / total
        sheet.put("cpu.per_io", both * each, "s", 2 * sheet.steps["cpu.user"] * each)
