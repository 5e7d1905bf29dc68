"""Reads fio's JSON and JSON+ output, whatever stands around it.

fio prints complaints into its JSON where both go to one stream, repeats keys, leaves keys out, and
names its list of jobs `client_stats` when it ran on other hosts.

Source:
    fio 3.33, stat.c, __show_run_stats(), show_thread_status_json(); client.c.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from typing import NoReturn, cast

from iosonde import kerneltext
from iosonde.errors import LoadFailed, UsageError
from iosonde.loads.fio.combine import combine, ios_of
from iosonde.loads.fio.job import JOB_FILE, Job, effective, phases_of_jobs, read_job_file
from iosonde.records.load import LoadResult, RawOutput
from iosonde.records.stack import Json

_LISTS = ("jobs", "client_stats")
# A line of pretty-printed JSON: brackets, or "key" : value, or a bare value of an array.
_JSON_LINE = re.compile(
    r'\s*+([\[\]{}]++\s*+,?|"(?:[^"\\]|\\.)*+"\s*+(:\s*+\S.*+)?,?|-?[\d.][\d.eE+-]*+,?)\s*'
)
_NOT_A_NUMBER = re.compile(r"(:\s*)-?(?:nan|inf(?:inity)?)\b", re.IGNORECASE)
_DAMAGED = 1000  # beginnings of documents that are none, after which the text is no result
_NOT_MADE = "file creation disallowed"
_VERIFY = re.compile(r"verify[^\n]*?(?:at file (?P<file>\S+) offset (?P<offset>\d+))[^\n]*")
_RATES = (".iops", ".bandwidth")
_QUOTED = 400  # characters of a tool's complaint that a message repeats


def parse(raw: RawOutput) -> LoadResult:
    """See `LoadEngine.parse`. The JSON is the fetched file, or else standard output."""
    stderr = _text(raw.stderr)
    texts = [_text(content) for name, content in raw.files.items() if name.endswith(".json")]
    texts.append(_text(raw.stdout))
    if raw.status:
        _require_target("\n".join([stderr, *texts]))
    document = next((candidate for text in texts if (candidate := find_document(text))), None)
    if document is None:
        _no_result(raw.status, stderr, texts)
    # With --output fio puts its complaints into that file as well as on standard error.
    said = "\n".join([stderr, *texts])
    try:
        return _result(document, raw.status, said, stderr, _phases(raw))
    except (KeyError, TypeError, ValueError, AttributeError, ArithmeticError) as problem:
        raise LoadFailed(
            f"fio's result cannot be read: {type(problem).__name__} {problem}"
        ) from None


def moved(result: LoadResult) -> LoadResult:
    """The result of a load that moved something.

    Requests beyond the end of a file count as I/Os of no bytes: they have latencies and no rate.

    Raises:
        LoadFailed: it has no rate, so what was measured is no I/O.
    """
    rates = [value for name, value in result.metrics.items() if name.endswith(_RATES)]
    if any(rates):
        return result
    count = sum(result.issued.values())
    raise LoadFailed(
        f"fio moved no data: its {count:,} requests ended with nothing read or written",
        hint="is the target smaller than one request, or empty?",
    )


def find_document(text: str) -> dict[str, Json] | None:
    """The last complete JSON result of fio in a text; None where there is none."""
    if "{" not in text:
        return None
    plain = _NOT_A_NUMBER.sub(r"\1null", text)
    document = _last_document(plain)
    if document is None:
        lines = [line for line in kerneltext.lines(plain) if _JSON_LINE.fullmatch(line)]
        document = _last_document("\n".join(lines))
    return document


def whole_document(text: str) -> dict[str, Json] | None:
    """A text that is one JSON object and nothing else; None for any other, or with NaN in it."""
    try:
        document = json.loads(text, object_pairs_hook=_merged_pairs, parse_constant=_refused)
    except (ValueError, RecursionError):
        return None
    return document if isinstance(document, dict) else None


def _refused(constant: str) -> None:
    raise ValueError(f"{constant} is not JSON")


def _last_document(text: str) -> dict[str, Json] | None:
    decoder = json.JSONDecoder(object_pairs_hook=_merged_pairs)
    last = None
    # fio's own document begins with a brace at the beginning of a line.
    starts = [match.start() for match in re.finditer(r"^[^\S\n]*\{", text, re.MULTILINE)]
    end = failed = 0
    for start in starts:
        if start < end:
            continue
        try:
            value, end = decoder.raw_decode(text, text.index("{", start))
        except (ValueError, RecursionError):
            failed += 1
            if failed == _DAMAGED:  # each costs the decoder a look through all of the text
                break
            continue
        if isinstance(value, dict) and any(isinstance(value.get(name), list) for name in _LISTS):
            last = value
    return last


def _merged_pairs(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    """An object; of a repeated key the value that says more is kept."""
    plain = dict(pairs)
    if len(plain) == len(pairs):
        return plain
    merged: dict[str, Json] = {}
    for key, value in pairs:
        if merged.get(key) and not value:
            continue
        merged[key] = value
    return merged


def _phases(raw: RawOutput) -> dict[tuple[int, str], int] | None:
    """See `phases_of_jobs`; None of a loop that was stored without its job file."""
    text = raw.files.get(JOB_FILE)
    if text is None:
        return None
    try:
        return phases_of_jobs(effective(Job(tuple(read_job_file(_text(text), where=JOB_FILE)))))
    except UsageError:
        return None


def _result(
    document: dict[str, Json],
    status: int,
    said: str,
    stderr: str,
    phase_of: Mapping[tuple[int, str], int] | None,
) -> LoadResult:
    jobs = _jobs(document)
    failed = [job for job in jobs if _number(job.get("error")) and not _went_on(job)]
    if failed:
        _fail(failed[0], said)
    if not jobs:
        _no_result(status, stderr, [said])
    version = str(document.get("fio version") or "")
    disks = [disk for disk in _list(document, "disk_util") if isinstance(disk, dict)]
    defaults = document.get("global options")
    result = combine(
        jobs,
        disks,
        defaults=cast("Mapping[str, Json]", defaults) if isinstance(defaults, dict) else {},
        version=version.removeprefix("fio-"),
        faults=tuple(_faults(jobs, status, stderr)),
        phase_of=phase_of,
    )
    if not result.metrics:
        spoke = stderr.strip() or _complaints(said)
        raise LoadFailed(
            f"fio ended with status {status} and did no I/O{_quoted(spoke)}",
            hint="the job's offset, size or zones may lie behind the target's end",
        )
    return result


def _jobs(document: dict[str, Json]) -> list[dict[str, Json]]:
    """The jobs; the sum that fio's client appends is left out where its parts are there."""
    for name in _LISTS:
        jobs = [job for job in _list(document, name) if isinstance(job, dict)]
        if jobs:
            parts = [job for job in jobs if job.get("jobname") != "All clients"]
            return parts or jobs
    return []


def _list(document: Mapping[str, Json], name: str) -> list[Json]:
    value = document.get(name)
    return value if isinstance(value, list) else []


def _number(value: Json) -> float:
    return float(value) if isinstance(value, int | float) else 0.0


def _went_on(job: Mapping[str, Json]) -> bool:
    """Whether the job was told to go on after errors: fio then counts them."""
    return "total_err" in job


def _faults(jobs: list[dict[str, Json]], status: int, stderr: str) -> list[str]:
    faults = [
        f"job {job.get('jobname')}: {int(_number(job['total_err']))} I/O errors, the first: "
        f"{_strerror(int(_number(job.get('first_error'))))}"
        for job in jobs
        if _number(job.get("total_err"))
    ]
    if status != 0 and not faults:
        faults.append(f"fio ended with status {status}{_quoted(stderr)}")
    for job in jobs:
        options = job.get("job options")
        if isinstance(options, dict) and _verified_nothing(job, options):
            faults.append(f"job {job.get('jobname')}: it was to verify, but read nothing back")
    return faults


def _verified_nothing(job: Mapping[str, Json], options: Mapping[str, Json]) -> bool:
    wanted = options.get("verify") not in {None, "0", "none", "null"}
    written, read = job.get("write"), job.get("read")
    if not wanted or options.get("do_verify") == "0":
        return False
    if not isinstance(written, dict) or not isinstance(read, dict):
        return False
    return ios_of(written) > 0 and ios_of(read) == 0


def _fail(job: Mapping[str, Json], said: str) -> NoReturn:
    number = int(_number(job.get("error")))
    name = job.get("jobname") or "?"
    verify = _VERIFY.search(said)
    if verify:
        raise LoadFailed(
            f"job {name}: what was written is not what was read back, at offset "
            f"{verify['offset']} of {verify['file']}{_quoted(verify[0])}",
            hint="the storage lost or changed data; look at the kernel's log",
        )
    raise LoadFailed(f"job {name} failed: {_strerror(number)}{_quoted(_complaints(said))}")


def _require_target(said: str) -> None:
    """Refuse to repeat what fio makes of a target that it cannot look at.

    Source: fio 3.33, filesetup.c, setup_files(): a file whose size cannot be asked for (ENOENT, but
    EIO and ETIMEDOUT of a lost server too) is to be made, which iosonde does not let it.

    Raises:
        LoadFailed: it was there when the loop began, and fio did not reach it.
    """
    if _NOT_MADE in said:
        raise LoadFailed(
            "fio could not reach its target, which was there before: its server, its device or its "
            f"mount was lost{_quoted(_complaints(said))}",
            hint="see what the kernel's log of that host says, and whether the server answers",
        )


def _strerror(number: int) -> str:
    return f"{os.strerror(number)} (errno {number})" if 0 < number < 4096 else f"error {number}"


def _no_result(status: int, stderr: str, texts: list[str]) -> NoReturn:
    said = stderr.strip() or "\n".join(_complaints(text) for text in texts).strip()
    began = any("{" in text for text in texts)
    what = "its result is cut off or not JSON" if began else "it gave no result"
    raise LoadFailed(f"fio ended with status {status}, and {what}{_quoted(said)}")


def spoken(text: str) -> list[str]:
    """The lines of a text that are not JSON: what fio said beside its result."""
    return [line for line in kerneltext.lines(text) if not _JSON_LINE.fullmatch(line)]


def _complaints(text: str) -> str:
    return "\n".join(spoken(text))


def _quoted(said: str) -> str:
    lines = [line.strip() for line in kerneltext.lines(said.strip()) if line.strip()]
    quoted = " / ".join(dict.fromkeys(lines))[:_QUOTED]
    return f": {quoted}" if quoted else ""


def _text(content: bytes) -> str:
    return content.decode(errors="replace").replace("\0", "")
