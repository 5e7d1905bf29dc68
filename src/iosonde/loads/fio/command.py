"""How one loop of a fio job is run: a job file, and the guard's options on the command line.

Options of the command line come first and become defaults that no section can override, because
`declare` has taken those options out of the sections.

Source: fio 3.33. iolog.c (`init_iolog_write()`, `log_io_u()`): all jobs append to the file of that
name, each through a buffer of its own, so that lines of several jobs are torn; a line is written
when a request is issued, and takes about 40 bytes. filesetup.c, get_next_str() and get_next_file():
a colon separates several names, a backslash escapes it. parse.c and ini.c: ; and # begin a comment
in a job file, blanks at the ends are cut, and a $ begins a variable.
"""

from __future__ import annotations

import re
from dataclasses import replace

from iosonde import kerneltext
from iosonde.errors import UsageError
from iosonde.loads.fio.demand import ceiling, checksums, demand_of, jobs_of, verifies
from iosonde.loads.fio.job import JOB_FILE, Job, Option, Section, effective, job_of, phases
from iosonde.loads.fio.options import ALIASES, LOGS
from iosonde.loads.load import REQUESTS
from iosonde.records.load import Load, LoadCommand, Target, TargetKind

RESULT = "fio.json"
_GRACE = 300.0  # seconds for what is in flight and in the page cache to reach a slow device


def command(load: Load, target: Target, *, directory: str, seconds: float | None) -> LoadCommand:
    """See `LoadEngine.command`. Several phases share `seconds` evenly."""
    job = job_of(load)
    _check_target(job, target)
    timed = _timed(job, seconds)
    logged, logs = _logged(timed, directory)
    demand = demand_of(timed, where=load.name)
    result = f"{directory}/{RESULT}"
    file = f"{directory}/{JOB_FILE}"
    argv = [
        "fio", f"--output={result}", "--output-format=json+", "--eta=never",
        f"--aux-path={directory}", *job.arguments,
        *(["--readonly"] if not demand.writes and "--readonly" not in job.arguments else []),
        filename_option(target.path), "--allow_file_create=0",
        file,
    ]  # fmt: skip
    return LoadCommand(
        argv=tuple(argv),
        files={file: kerneltext.encoded(logged.text())},
        outputs=(result, *logs),
        timeout=_timeout(timed, load.name),
    )


def _check_target(job: Job, target: Target) -> None:
    fills = [section.name for section in effective(job) if section.has("fill_device")]
    if fills and target.kind is TargetKind.FILE:
        raise UsageError(
            "fill_device on a file would fill the whole file system",
            where=f"job {fills[0]}",
            hint="give it a size",
        )


def _timed(job: Job, seconds: float | None) -> Job:
    """With the loop's length in each section, but for those that verify or write what is verified.

    fio ends the verify phase too when the runtime is over, and a section that reads back what
    another wrote finds errors where that one did not get to. So they run by their size.
    """
    if seconds is None:
        return job
    sections = effective(job)
    share = seconds / len(phases(sections))
    text = f"{share:g}" if share == int(share) else f"{max(round(share * 1000), 1)}ms"
    checked = (
        {section.name for section in sections if checksums(section)}
        if any(verifies(section) for section in sections)
        else set()
    )
    own: list[Option] = [("time_based", None), ("runtime", text)]
    return Job(
        tuple(
            section
            if section.is_global or section.name in checked
            else Section(section.name, (*_without_time(section), *own))
            for section in job.sections
        ),
        job.arguments,
        job.notes,
    )


def _without_time(section: Section) -> list[Option]:
    return [
        (key, value)
        for key, value in section.options
        if ALIASES.get(key, key) not in {"runtime", "time_based"}
    ]


def _logged(job: Job, directory: str) -> tuple[Job, tuple[str, ...]]:
    """With every log's path led into the directory, and the paths that fio then writes."""
    wanted = sorted(
        {option for section in effective(job) for option in section.options if option in LOGS}
    )
    if not wanted:
        return job, ()
    sections = tuple(
        Section(
            section.name,
            tuple(
                (key, f"{directory}/{key}" if key in LOGS else value)
                for key, value in section.options
            ),
        )
        for section in job.sections
    )
    threads = range(1, sum(jobs_of(section, "logs") for section in effective(job)) + 1)
    paths = tuple(
        f"{directory}/{option}_{kind}{number}.log"
        for option in wanted
        for kind in LOGS[option]
        for number in ("", *(f".{thread}" for thread in threads))
    )
    return Job(sections, job.arguments, job.notes), paths


def _timeout(job: Job, where: str) -> float | None:
    """When fio must have ended by itself; None where only its size ends a section."""
    total = _GRACE
    for phase in phases(effective(job)):
        ends = [ceiling(section, where) for section in phase]
        limits = [end for end in ends if end is not None]
        if len(limits) < len(ends):
            return None
        total += max(limits) * 1.1
    return total


# ── the requests it makes ───────────────────────────────────────────────────────────────────────


def recorded(load: Load, command: LoadCommand, *, directory: str) -> LoadCommand:
    """See `RecordingEngine.recorded`; a load of several jobs stays as it is."""
    sections = effective(job_of(load))
    if sum(jobs_of(section, load.name) for section in sections) != 1:
        return command
    path = f"{directory}/{REQUESTS}"
    *options, file = command.argv
    return replace(
        command,
        argv=(*options, f"--write_iolog={path}", file),
        outputs=(*command.outputs, path),
    )


# ── names of files ──────────────────────────────────────────────────────────────────────────────


_UNNAMEABLE = re.compile(r"[;#\\\x00-\x1f\x7f]|^\s|\s$")


def escaped(path: str) -> str:
    """An absolute path as the value of fio's `filename`.

    Raises:
        UsageError: fio cannot be told this path.
    """
    if not path.startswith("/") or _UNNAMEABLE.search(path):
        raise UsageError(
            f"fio cannot open {path!r}: it needs an absolute path without ; # and backslash",
            where="target",
        )
    return path.replace(":", "\\:")


def filename_option(path: str) -> str:
    """The option of fio's command line that names the only file of a job."""
    return f"--filename={escaped(path)}"


def filename_line(path: str) -> str:
    """The same as a line of a job file.

    Raises:
        UsageError: fio would fill in a variable for a part of the path.
    """
    if "$" in path:
        raise UsageError(
            f"fio takes the $ in {path!r} for a variable in a job file",
            where="target",
            hint="choose a path without it, or say `simultaneous` in place of `together`",
        )
    return f"filename={escaped(path)}"
