"""A fio load from what the user wrote, with everything out of it that would escape the guard."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from functools import cache
from types import MappingProxyType

from iosonde.errors import ToolRefuses, UsageError
from iosonde.loads.fio.demand import demand_of, verifies
from iosonde.loads.fio.job import (
    Effective,
    Job,
    Option,
    Section,
    effective,
    is_job_file,
    job_of,
    phases_of_jobs,
    read_command_line,
    read_job_file,
)
from iosonde.loads.fio.options import (
    ALIASES,
    ARGUMENTS,
    ENGINES,
    FLAGS,
    LOGS,
    OPTION_NAMES,
    REFUSED,
    SET_HERE,
)
from iosonde.loads.fio.varied import chosen_in, lists_of, require_depth, with_depth, without_lists
from iosonde.records.load import Load
from iosonde.records.stack import Json

_OPTION = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
# fio ends a job file's value at ; and #, and cannot hold a line's end in it.
_UNWRITABLE = re.compile(r"[;#\x00-\x1f\x7f]")
_KEYWORD = re.compile(r"\$(pagesize|mb_memory|ncpus)")
# Longer than fio's own limit is never meant.
_LONGEST = 4096


def declare(
    spec: str | Mapping[str, Json],
    *,
    name: str,
    where: str,
    chosen: Mapping[str, str] = MappingProxyType({}),
) -> Load:
    """See `LoadEngine.declare`; `chosen` is a value for each option that is a list."""
    sections, notes = _read(spec, name, where)
    if chosen:
        sections, added = with_depth(chosen_in(sections, chosen), chosen, where)
        notes += added
    # First, because the options of another engine would be refused for a lesser reason.
    for section in effective(Job(tuple(sections))):
        _check_engine(section, where)
    job = mended(_checked(sections, notes, where), where)
    jobs = effective(job)
    if not jobs:
        raise UsageError("no job is declared, only defaults for jobs", where=where)
    demand_of(job, where=where)
    job = Job(job.sections, job.arguments, (*job.notes, *_advice(jobs)))
    title = jobs[0].name if len(jobs) == 1 and not isinstance(spec, Mapping) else name
    return Load(engine="fio", name=title, spec=job.spec())


def lists(
    spec: str | Mapping[str, Json], *, name: str, where: str
) -> Mapping[str, tuple[str, ...]]:
    """See `VariedEngine.lists`."""
    return lists_of(_read(spec, name, where)[0], where)


def _read(spec: str | Mapping[str, Json], name: str, where: str) -> tuple[list[Section], list[str]]:
    """The sections of a declaration, and notes on what was mended in it."""
    if isinstance(spec, Mapping):
        return _from_mapping(spec, name, where), []
    if is_job_file(spec):
        return read_job_file(spec, where=where), []
    return read_command_line(spec, name=name, where=where)


def _from_mapping(spec: Mapping[str, Json], name: str, where: str) -> list[Section]:
    """`{option: value}` is one section; `{section: {option: value}}` are several."""
    nested = {key: value for key, value in spec.items() if isinstance(value, dict)}
    if nested and len(nested) < len(spec):
        stray = next(key for key in spec if key not in nested)
        raise UsageError(
            f"{stray!r} stands beside sections",
            where=where,
            hint="put options that hold for all sections under `global:`",
        )
    parts: Mapping[str, Mapping[str, Json]] = nested or {name: spec}
    return [
        Section(title, tuple(_valued(options, f"{where}, {title}")))
        for title, options in parts.items()
    ]


def _valued(options: Mapping[str, Json], where: str) -> list[Option]:
    listed: list[Option] = []
    for key, value in without_lists(options, where).items():
        if isinstance(value, bool):
            if key in FLAGS:
                listed += [(key, None)] if value else []
            else:
                listed.append((key, str(int(value))))
        elif isinstance(value, dict):
            raise UsageError(f"{key} needs one value", where=where)
        else:
            listed.append((key, None if value is None else str(value).strip()))
    return listed


def _checked(sections: list[Section], notes: list[str], where: str) -> Job:
    """Options that iosonde sets taken out with a note; those that escape the guard refused."""
    kept: list[Section] = []
    arguments: list[str] = []
    noted = list(notes)
    _check_one_target(sections, where)
    for section in sections:
        if not re.fullmatch(r"[^\[\]/\x00-\x1f\x7f;#]{1,200}", section.name):
            raise UsageError(f"{section.name!r} cannot be the name of a job", where=where)
        own: list[Option] = []
        for key, value in section.options:
            place = f"{where}, {key}"
            _check_option(key, value, place)
            if key in SET_HERE:
                noted.append(f"{key} is left out: {SET_HERE[key]}")
            elif key in ARGUMENTS:
                arguments.append(f"--{key}" if value is None else f"--{key}={value}")
            elif key == "name":
                continue  # as in a job file, where the section's name came first
            else:
                own.append((key, value))
        kept.append(Section(section.name, _last_of_each(own)))
    return Job(tuple(kept), tuple(arguments), tuple(dict.fromkeys(noted)))


def _last_of_each(options: list[Option]) -> tuple[Option, ...]:
    """Without repetitions: fio sorts options before it reads them, so either of two may hold."""
    last = {ALIASES.get(key, key): (key, value) for key, value in options}
    return tuple(last.values())


def _check_one_target(sections: list[Section], where: str) -> None:
    """Jobs on several files are several loads; on one file they are aimed at the target."""
    files = {
        f"{key}={value}"
        for section in sections
        for key, value in section.options
        if key == "filename" and value
    }
    listed = [name for name in files if re.search(r"(?<!\\):", name)]
    if len(files) > 1 or listed:
        raise UsageError(
            f"the job names several files: {', '.join(sorted(files))}",
            where=where,
            hint="a load has one target; list several targets in the study",
        )


def _check_option(key: str, value: str | None, where: str) -> None:
    if key in REFUSED:
        raise UsageError(f"fio's {key} is not allowed here: {REFUSED[key]}", where=where)
    if not _OPTION.fullmatch(key):
        raise UsageError(f"{key!r} cannot be an option of fio", where=where)
    if key not in OPTION_NAMES | ARGUMENTS | SET_HERE.keys() and (near := _meant(key)):
        raise ToolRefuses(f"fio has no option {key!r}", where=where, hint=f"did you mean {near!r}?")
    if value is None or key in SET_HERE:
        return
    if "/" in value and key not in OPTION_NAMES:
        raise UsageError(
            f"{key}={value} may name a path beside the target, and {key} is not known here",
            where=where,
        )
    _check_value(key, value, where)


def _check_value(key: str, value: str, where: str) -> None:
    if _UNWRITABLE.search(value) or len(value) > _LONGEST:
        raise UsageError(
            f"the value of {key} holds what a fio job file cannot: a line's end, ; or #",
            where=where,
        )
    if "$" in _KEYWORD.sub("", value) or "`" in value:
        raise UsageError(
            f"{key}={value} waits for a shell or an environment to fill it in",
            where=where,
            hint="write the value itself",
        )
    name = ALIASES.get(key, key)
    if name == "mem" and re.search(r"[:/]", value):
        raise UsageError(f"{key}={value} opens a file beside the target", where=where)
    if name == "nrfiles" and value.strip() not in {"0", "1"}:
        raise UsageError(f"{key}={value}: a load has one target", where=where, hint="leave it out")
    if name in {"buffer_pattern", "verify_pattern"} and "'" in value:
        raise UsageError(f"{key}={value} reads a file beside the target", where=where)


@cache
def _plain() -> dict[str, str]:
    """Known options by their letters and digits alone; of two that are alike the first."""
    names = sorted(OPTION_NAMES | REFUSED.keys() | SET_HERE.keys(), reverse=True)
    return {re.sub(r"[_-]", "", name): name for name in names}


def _meant(key: str) -> str:
    """A known option that differs only in _ and -, or in one or two letters; "" where none."""
    if name := _plain().get(re.sub(r"[_-]", "", key.lower())):
        return name
    near = get_close_matches(key, OPTION_NAMES, n=1, cutoff=0.85)
    return near[0] if near else ""


def _check_engine(section: Effective, where: str) -> None:
    engine = section.text("ioengine", "psync")
    place = f"{where}, job {section.name}"
    if engine not in ENGINES:
        near = get_close_matches(engine, ENGINES, n=1)
        raise UsageError(
            f"ioengine={engine} is not among those known to reach only the target",
            where=place,
            hint=f"did you mean {near[0]}?" if near else f"one of {', '.join(sorted(ENGINES))}",
        )


def _advice(jobs: tuple[Effective, ...]) -> list[str]:
    """Notes on what fio does with the options, where that is rarely meant."""
    notes = []
    for section in jobs:
        if verifies(section) and section.has("time_based") and section.text("runtime"):
            notes.append(
                f"{section.name}: fio's verify phase ends when the runtime is over, "
                "so a time_based job may verify nothing"
            )
        for option in ("bs", "size", "offset", "io_size"):
            value = section.text(option)
            if section.text("kb_base", "1024") == "1024" and re.search(
                r"\d[kmgt]ib?\b", value, re.IGNORECASE
            ):
                notes.append(
                    f"{option}={value}: fio reads KiB as 1000 bytes; write it without the i"
                )
    return list(dict.fromkeys(notes))


def adjust(load: Load, options: Mapping[str, Json], *, where: str) -> Load:
    """The load with options changed: in the sections that have them, or else in all."""
    changes = dict(_valued(options, where))
    job = job_of(load)
    sections = [_adjusted(section, changes, job) for section in job.sections]
    again = mended(_checked(sections, list(job.notes), where), where)
    demand_of(again, where=where)
    for section in effective(again):
        _check_engine(section, where)
    if "iodepth" in changes:
        require_depth((section for section in effective(again) if section.text("iodepth")), where)
    whole = Job(again.sections, job.arguments, again.notes)
    return Load(engine="fio", name=load.name, spec=whole.spec(), about=load.about)


def _adjusted(section: Section, changes: Mapping[str, str | None], job: Job) -> Section:
    main = {ALIASES.get(key, key): (key, value) for key, value in changes.items()}
    placed = {ALIASES.get(key, key) for section in job.sections for key, _ in section.options}
    own = [main.get(ALIASES.get(key, key), (key, value)) for key, value in section.options]
    if not section.is_global:
        own += [option for name, option in main.items() if name not in placed]
    return Section(section.name, tuple(own))


# ── what would make figures that cannot be used ─────────────────────────────────────────────────


_EVERY = 1000
"""Milliseconds that a line of a log stands for, where the job does not say."""


def mended(job: Job, where: str) -> Job:
    """The job with averaged logs, and with reports of its own for each job that waits for another.

    Raises:
        UsageError: a log of every I/O is asked for, or a job waits for none before it.
    """
    _check_waiting(effective(job), where)
    return _averaged(_apart(job), where)


def _check_waiting(sections: tuple[Effective, ...], where: str) -> None:
    """Fio reads the whole run's jobs first and then drops one whose `wait_for` it does not know."""
    names: list[str] = []
    for section in sections:
        waits = section.text("wait_for")
        if waits and names.count(waits) != 1:
            raise ToolRefuses(
                f"wait_for={waits} has to name one job that stands before it",
                where=f"{where}, job {section.name}",
                hint=f"one of {', '.join(dict.fromkeys(names))}" if names else "leave it out",
            )
        names.append(section.name)


def _apart(job: Job) -> Job:
    """Fio adds up the jobs of a group as if they ran together; what waits for another does not."""
    sections = effective(job)
    if not any(section.has("group_reporting") for section in sections):
        return job
    phases_of_group: dict[int, set[int]] = {}
    for (group, _), phase in phases_of_jobs(sections).items():
        phases_of_group.setdefault(group, set()).add(phase)
    if all(len(phases) == 1 for phases in phases_of_group.values()):
        return job
    note = "group_reporting is left out: jobs of one group wait for each other"
    return Job(
        _each(job, lambda section: _without(section, "group_reporting")),
        job.arguments,
        (*job.notes, note),
    )


def _averaged(job: Job, where: str) -> Job:
    """Without an interval fio writes a line for every I/O, gigabytes of them in an hour."""
    set_to: dict[str, str] = {}
    for section in effective(job):
        logs = [option for option in LOGS if option in section.options]
        every = "log_hist_msec" if logs == ["write_hist_log"] else "log_avg_msec"
        if not logs or section.has(every):
            continue
        if every in section.options:
            raise UsageError(
                f"{logs[0]} with {every}=0 writes a line for every I/O",
                where=f"{where}, job {section.name}",
                hint=f"set {every}={_EVERY}; percentiles come from fio's histograms without a log",
            )
        set_to[every] = logs[0]
    if not set_to:
        return job
    own: list[Option] = [(every, str(_EVERY)) for every in set_to]
    notes = tuple(
        f"{every}={_EVERY} is set: {log} would write a line for every I/O"
        for every, log in set_to.items()
    )
    sections = _each(
        job,
        lambda section: Section(
            section.name,
            (*section.options, *(option for option in own if _logs_without(section, option[0]))),
        ),
    )
    return Job(sections, job.arguments, (*job.notes, *notes))


def _logs_without(section: Section, every: str) -> bool:
    names = [key for key, _ in section.options]
    return any(name in LOGS for name in names) and every not in names


def _without(section: Section, option: str) -> Section:
    return Section(
        section.name, tuple((key, text) for key, text in section.options if key != option)
    )


def _each(job: Job, change: Callable[[Section], Section]) -> tuple[Section, ...]:
    return tuple(change(section) for section in job.sections)
