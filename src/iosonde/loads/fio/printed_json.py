"""fio's JSON and JSON+, whatever stands around and between its lines: one trial per job.

The document begins with the brace before "fio version" and ends with the one that closes it. Both
are found by counting brackets, so that a text is gone through once however long it is.

Source:
    fio 2.1.10, 2.21, 3.33: stat.c, __show_run_stats(), show_thread_status_json(); client.c.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from typing_extensions import override

from iosonde.loads.fio import text_figures as _fio
from iosonde.loads.fio.combine import DIRECTIONS, combine, part_of, size_of, sync_part
from iosonde.loads.fio.json_cut import document_of_cut
from iosonde.loads.fio.result import find_document, whole_document
from iosonde.loads.fio.text_run import disk_details
from iosonde.records.load import LoadResult
from iosonde.records.printed import OutputReading, PrintedTrial, Unreadable
from iosonde.records.stack import Json
from iosonde.text.cursor import REACH, Output, Prompt, TextCursor, command_before, lines

_OPENING = re.compile(r"\{\s*$|^\s*\{")
_VERSION = re.compile(r'"fio\s?version"\s*:')
_TEXT = re.compile(r'"(?:[^"\\]|\\.)*"')
_KEY = re.compile(r'\s*"[^"]{1,80}"\s:\s|\s*[{}\[\]],?\s*$')
_LIKE_JSON = re.compile(r'[{}\[\]":,]|^\s*-?[\d.]+\s*$')
_CUT = "it is cut off, or its brackets don't close"
_AHEAD = 256
"""Lines looked at together."""
_DEEPEST = 40
_LONGEST = 32 << 20
"""Characters of a document; JSON+ of a thousand jobs has about half as many."""
_STRAY = 40
"""Lines in a row that are no JSON: what fio complained of in between."""
_UNITS = {"lat_ns": 1e-9, "clat_ns": 1e-9, "slat_ns": 1e-9, "lat": 1e-6, "clat": 1e-6, "slat": 1e-6}
_KEPT = (
    "usr_cpu", "sys_cpu", "ctx", "majf", "minf", "latency_depth", "latency_target",
    "latency_percentile", "latency_window", "job_runtime", "job_start", "total_err", "first_error",
    "steadystate", "desc",
)  # fmt: skip


class FioJson(Output):
    tool = "fio"
    anchors = ('"fio version"', '"jobname"', '"global options"')

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        for index in range(cursor.at, max(cursor.at - REACH, 0) - 1, -1):
            line = cursor.line(index)
            if not line or "{" not in line or not _OPENING.search(line):
                continue
            after = "".join(more for _, more in lines(cursor, index, 3))
            if _VERSION.search(after[:400]):
                return index
        return None

    @override
    def read(self, cursor: TextCursor, first: int) -> OutputReading:
        last, document = _undamaged(cursor, first) or (first, None)
        is_cut = False
        if document is None:
            last, document, is_cut = _damaged(cursor, first)
        begin, prompt = command_before(cursor, first, ("fio",))
        jobs = _jobs(document)
        issued = _of_run(jobs) if len(jobs) > 1 else {}
        entries = Counter(map(_entry, jobs))
        trials = [_trial(document, job, prompt, issued, entries[_entry(job)]) for job in jobs]
        measured = tuple(trial for trial in trials if trial.loops[0].metrics)
        if not measured:
            raise Unreadable(_CUT if is_cut else "none of its jobs has done any I/O")
        return OutputReading(
            begin, last, trials=measured, unread=((last, last, "it is cut off here"),) * is_cut
        )


# ── where it ends ─────────────────────────────────────────────────────────────────────────────


def _undamaged(cursor: TextCursor, first: int) -> tuple[int, dict[str, Json]] | None:
    """Index of the last line, and the document, where it stands as fio wrote it.

    Its last line is then the first that closes a brace as far to the left as the first opens one.
    """
    begin = cursor.line(first)
    if begin.strip() != "{":
        return None
    text, at, closed = f"{begin}\n", first + 1, f"\n{begin.replace('{', '}')}\n"
    while len(text) < _LONGEST:
        block = cursor.block(at, _AHEAD)
        more = "\n".join(block) + "\n"
        end = f"\n{more}".find(closed)
        if end >= 0:
            document = whole_document(text + more[: end + len(closed) - 1])
            return (at + more.count("\n", 0, end), document) if document else None
        another = more.count('"fio version"') > (at == first + 1)
        if another or len(block) < _AHEAD or not _LIKE_JSON.search(block[-1]):
            return None
        text, at = text + more, at + len(block)
    return None


def _damaged(cursor: TextCursor, first: int) -> tuple[int, dict[str, Json], bool]:
    """The same where lines are broken, or others stand between them; and whether it is cut off."""
    last, rows, is_whole = _extent(cursor, first)
    document = _document(rows) if is_whole else document_of_cut("\n".join(rows))
    if document is None:
        raise Unreadable("it is not valid JSON" if is_whole else _CUT)
    return last, document, not is_whole


def _extent(cursor: TextCursor, first: int) -> tuple[int, list[str], bool]:
    """Index of the document's last line, its lines, and whether it ends there by itself."""
    rows = [_opened(cursor.line(first))]
    depth, torn = _depth(rows[0], 0, torn=False)
    if not depth:
        return first, rows, True
    size = stray = 0
    last = first
    for index, line in lines(cursor, first + 1, _LONGEST):
        rows.append(line)
        size += len(line)
        stray = 0 if '"' in line or not line or _LIKE_JSON.search(line) else stray + 1
        last = last if stray or not line else index
        if torn or "{" in line or "}" in line or line.count('"') & 1:
            depth, torn = _depth(line, depth, torn=torn and not _KEY.match(line))
            if not depth:
                return index, rows, True
        if depth > _DEEPEST or stray > _STRAY or size > _LONGEST:
            break
        if 'version"' in line and index > first + 3 and _VERSION.search(line):
            del rows[-1]
            while rows[-1].strip() in {"", "{"} and len(rows) > 1:
                del rows[-1]  # the next document's own brace
            last = min(last, first + len(rows) - 1)
            break
    if depth > _DEEPEST or size > _LONGEST:
        raise Unreadable(_CUT)
    return last, rows[: last - first + 1], False


def _opened(line: str) -> str:
    """The first line from the document's own brace on: it may be a part of another one."""
    match = re.search(r'\{\s*"fio\s?v', line)
    return line[match.start() if match else line.rindex("{") :]


def _depth(line: str, depth: int, *, torn: bool) -> tuple[int, bool]:
    """The depth of braces after a line, 0 where the document ends; whether it ends in a string.

    Args:
        line: of the document.
        depth: before it.
        torn: whether it begins in a string.
    """
    whole = f'"{line}' if torn else line
    bare = _TEXT.sub("", whole) if '"' in whole else whole
    ends_in_string = '"' in bare
    bare = bare.partition('"')[0]
    return max(depth + bare.count("{") - bare.count("}"), 0), ends_in_string


def _document(rows: list[str]) -> dict[str, Json] | None:
    """The document; its lines may have been broken at blanks or anywhere."""
    for between in ("\n", " ", ""):
        document = find_document(between.join(rows))
        if document is not None:
            return document
    return None


# ── what it says ──────────────────────────────────────────────────────────────────────────────


def _jobs(document: Mapping[str, Json]) -> list[dict[str, Json]]:
    """The jobs; the sum that fio's client appends is left out where its parts are there."""
    listed = document.get("jobs") or document.get("client_stats")
    jobs = [job for job in listed if isinstance(job, dict)] if isinstance(listed, list) else []
    return [job for job in jobs if job.get("jobname") != "All clients"] or jobs


def _entry(job: Mapping[str, Json]) -> tuple[Json, ...]:
    """What the clones of one job have in common: each has its entry, or all of them a single one.

    With group_reporting, which the document need not name, a group's jobs share an entry.
    """
    return job.get("jobname"), job.get("groupid"), job.get("hostname")


def _trial(
    document: Mapping[str, Json],
    job: Mapping[str, Json],
    asked: Prompt,
    issued: dict[str, Json],
    entries: int,
) -> PrintedTrial:
    version = str(document.get("fio version") or "").removeprefix("fio-")
    defaults = part_of(document, "global options")
    label = str(job.get("jobname") or "")
    listed = document.get("disk_util")
    disks = [disk for disk in listed if isinstance(disk, dict)] if isinstance(listed, list) else []
    result = combine([job], disks, defaults=defaults, version=version, faults=tuple(_faults(job)))
    options = _fio.command_options(asked.command, label)
    printed: dict[str, Json] = {**defaults, **part_of(job, "job options")}
    options |= _fio.options_of(printed)
    more: dict[str, Json] = {"options": printed} if printed else {}
    more |= issued
    clones = options.get("numjobs", 1)
    if isinstance(clones, int):
        more["jobs"] = max(1, clones // entries)
    if (depth := job.get("latency_depth")) and isinstance(depth, int):
        options.setdefault("iodepth", depth)
    elapsed = result.metrics.get("elapsed")
    client = job.get("hostname")
    return PrintedTrial(
        tool="fio",
        loops=(result,),
        version=version,
        command=asked.command,
        host=str(client) if isinstance(client, str) and client else asked.host,
        target=_fio.target_of(options),
        label=label,
        started=_started(document, job, elapsed),
        elapsed=None if elapsed is None else (elapsed,),
        options=options,
        details=_details(job, disks, result) | more,
    )


def _started(
    document: Mapping[str, Json], job: Mapping[str, Json], elapsed: float | None
) -> float | None:
    """When the job began: as it says itself (3.36 and newer), or before the report was written."""
    start = job.get("job_start")
    if isinstance(start, int) and start > 0:
        return start / 1000
    written = document.get("timestamp_ms") or document.get("timestamp")
    if not isinstance(written, int):
        return None
    seconds = written / 1000 if "timestamp_ms" in document else float(written)
    return seconds - (elapsed or 0.0)


def _faults(job: Mapping[str, Json]) -> Iterator[str]:
    if (total := job.get("total_err")) and isinstance(total, int):
        yield f"{total} I/O errors, the first: errno {job.get('first_error')}"
    elif error := job.get("error"):
        yield f"it ended with error {error}"


def _details(
    job: Mapping[str, Json], disks: list[dict[str, Json]], result: LoadResult
) -> dict[str, Json]:
    """The same names as of the normal output."""
    details: dict[str, Json] = {name: job[name] for name in _KEPT if name in job}
    details |= {"group": job.get("groupid"), "err": job.get("error")}
    spread = [
        [float(f"{bound}{exponent}") if bound.isdigit() else None, float(share) / 100]
        for unit, exponent in (("ns", "e-9"), ("us", "e-6"), ("ms", "e-3"))
        for bound, share in part_of(job, f"latency_{unit}").items()
        if isinstance(share, int | float) and share > 0
    ]
    if spread:
        details["latency_distribution"] = [list(bucket) for bucket in spread]
    for ours, theirs in (
        ("depths", "iodepth_level"), ("submit", "iodepth_submit"), ("complete", "iodepth_complete")
    ):  # fmt: skip
        shares = part_of(job, theirs)
        if shares:
            details[ours] = {key: _number(share) / 100 for key, share in shares.items()}
    for direction in (*DIRECTIONS, "sync"):
        if f"{direction}.latency.mean" not in result.metrics and direction not in result.issued:
            continue
        for name, value in _of_direction(part_of(job, direction), direction):
            own = details.setdefault(name, {})
            if isinstance(own, dict):
                own[direction] = value
    details |= disk_details([_disk(disk) for disk in disks])
    return details


def _of_direction(part: Mapping[str, Json], direction: str) -> Iterator[tuple[str, Json]]:
    yield from _moved(part, direction)
    for prefix, scale in (("bw", 1024.0), ("iops", 1.0)):
        if _number(part.get(f"{prefix}_max")):
            names = {"min": "min", "max": "max", "mean": "mean", "stdev": "dev"}
            samples: dict[str, Json] = {
                ours: _number(part.get(f"{prefix}_{theirs}", part.get(f"{prefix}_std{theirs}")))
                * scale
                for ours, theirs in names.items()
            }
            if prefix == "bw" and "bw_agg" in part:
                samples["per"] = round(_number(part["bw_agg"]) / 100, 8)
            if f"{prefix}_samples" in part:
                samples["samples"] = part[f"{prefix}_samples"]
            yield f"{prefix}_samples", samples
    latency: dict[str, Json] = {}
    for kind, scale in _UNITS.items():
        stat = part_of(part, kind)
        if _number(stat.get("max")):
            latency["sync" if direction == "sync" else kind.removesuffix("_ns")] = {
                "mean": _number(stat.get("mean")) * scale, "min": _number(stat.get("min")) * scale,
                "max": _number(stat.get("max")) * scale,
                "stdev": _number(stat.get("stddev")) * scale,
            }  # fmt: skip
        listed = part_of(stat, "percentile")
        if listed and kind.startswith(("clat", "lat")):
            yield (
                "percentiles",
                {
                    f"{float(share):g}": _number(value) * scale
                    for share, value in listed.items()
                    if float(share)
                },
            )
    if latency:
        yield "latency", latency


def _moved(part: Mapping[str, Json], direction: str) -> Iterator[tuple[str, Json]]:
    """Bytes and seconds of a direction, and the I/Os that were dropped."""
    if direction == "sync":
        return
    yield "io_bytes", size_of(part)
    yield "run_seconds", _number(part.get("runtime")) / 1000
    if dropped := _number(part.get("drop_ios")):
        yield "dropped", int(dropped)


def _number(value: Json) -> float:
    return float(value) if isinstance(value, int | float) else 0.0


def _disk(disk: Mapping[str, Json]) -> dict[str, Json]:
    own = _disk_figures(disk, "")
    if any(name.startswith("aggr_") for name in disk):
        own["aggr"] = _disk_figures(disk, "aggr_")
    return {"name": disk.get("name"), **own}


def _disk_figures(disk: Mapping[str, Json], prefix: str) -> dict[str, Json]:
    """`aggr_write_merge` is spelt so by fio."""
    figures: dict[str, Json] = {}
    for ours, theirs, scale in (
        ("reads", "read_ios", 1), ("writes", "write_ios", 1), ("read_sectors", "read_sectors", 1),
        ("write_sectors", "write_sectors", 1), ("read_merges", "read_merges", 1),
        ("write_merges", "write_merges", 1), ("write_merges", "write_merge", 1),
        ("read_time", "read_ticks", 1e-3), ("write_time", "write_ticks", 1e-3),
        ("queue_time", "in_queue", 1e-3), ("util", "util", 1e-2),
    ):  # fmt: skip
        value = disk.get(f"{prefix}{theirs}")
        if isinstance(value, int | float):
            figures[ours] = value * scale
    return figures


def _of_run(jobs: Sequence[Mapping[str, Json]]) -> dict[str, Json]:
    """I/Os and bytes of all jobs together, with which the disk statistics are to be compared."""
    total: dict[str, Json] = {}
    moved: dict[str, Json] = {}
    for job in jobs:
        for name in (*DIRECTIONS, "sync"):
            part = sync_part(job) if name == "sync" else part_of(job, name)
            count = _number(part.get("total_ios"))
            if count:
                total[name] = int(_number(total.get(name)) + count)
            if count and name != "sync":
                moved[name] = _number(moved.get(name)) + size_of(part)
    return {"run_issued": total, "run_moved": moved} if total else {}
