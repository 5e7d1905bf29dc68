"""A fio job changed where fio alone would make figures that cannot be used, each change noted."""

from __future__ import annotations

from collections.abc import Callable

from iosonde.errors import ToolRefuses, UsageError
from iosonde.loads.fio.job import Effective, Job, Option, Section, effective, phases_of_jobs
from iosonde.loads.fio.options import LOGS

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
