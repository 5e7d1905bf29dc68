"""Options of a fio job that are lists: `bs: [4k, 64k]` in a study, `--bs={4k,64k}` in a command."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from iosonde.errors import UsageError
from iosonde.loads.fio import figures
from iosonde.loads.fio.demand import jobs_of
from iosonde.loads.fio.job import Effective, Job, Option, Section, effective, job_of, phases
from iosonde.loads.fio.options import ALIASES, OPTION_NAMES, REFUSED, SET_HERE, SYNCHRONOUS
from iosonde.records.load import Load
from iosonde.records.stack import Json, Scalar

_LIST = re.compile(r"\{\s*([^{},\s]+(?:\s*,\s*[^{},\s]+)+)\s*\}")
_TEXTS = frozenset({"name", "description", "comm", "filename_format", "verify_pattern"})
_VARIED = OPTION_NAMES - SET_HERE.keys() - REFUSED.keys() - _TEXTS
_NAMES = {"rwmix": "rwmixread"}
_COUNTS = {"iodepth": (1, 10**6), "numjobs": (1, 4096), "rwmixread": (0, 100),
           "rwmixwrite": (0, 100)}  # fmt: skip
_SIZES = frozenset({"bs", "size", "io_size"})


def without_lists(spec: Mapping[str, Json], where: str) -> dict[str, Json]:
    """A mapping of options with each list as `{a,b}`, as a command line has it.

    Raises:
        UsageError: a list is empty or nested, or of an option that cannot be varied.
    """
    plain: dict[str, Json] = {}
    for key, value in spec.items():
        if not isinstance(value, list):
            plain[key] = value
            continue
        option = main_name(key)
        place = f"{where}, {key}"
        if option not in _VARIED:
            raise UsageError(f"{key} needs one value: it cannot be varied", where=place)
        if not value or any(isinstance(item, dict | list) for item in value):
            raise UsageError(
                f"{key} needs one value, or a list of values", where=place,
                hint=f"such as {key}: [1, 2, 4]",
            )  # fmt: skip
        texts = tuple(str(int(item) if isinstance(item, bool) else item).strip() for item in value)
        plain[option] = texts[0] if len(texts) == 1 else f"{{{','.join(texts)}}}"
    return plain


def main_name(option: str) -> str:
    """The name of an option that may be an alias."""
    return _NAMES.get(option, ALIASES.get(option, option))


def lists_of(sections: list[Section], where: str) -> dict[str, tuple[str, ...]]:
    """The options whose whole value is a list in braces.

    A file's name, a list of one value or of none, and braces in braces stay what they are.

    Raises:
        UsageError: two sections list different values.
    """
    lists: dict[str, tuple[str, ...]] = {}
    for key, value in (option for section in sections for option in section.options):
        if (values := _listed(key, value)) is None:
            continue
        option = main_name(key)
        if lists.setdefault(option, values) != values:
            raise UsageError(
                f"two sections list different values of {option}", where=f"{where}, {key}",
                hint="a list holds for all sections: give each the same, or put it under global",
            )  # fmt: skip
    return lists


def _listed(key: str, value: str | None) -> tuple[str, ...] | None:
    match = _LIST.fullmatch(value.strip()) if value and main_name(key) in _VARIED else None
    return tuple(text.strip() for text in match[1].split(",")) if match else None


def chosen_in(sections: list[Section], chosen: Mapping[str, str]) -> list[Section]:
    """The sections with one value for each option that is chosen."""

    def options(section: Section) -> Iterator[Option]:
        for key, value in section.options:
            option = main_name(key)
            yield (option, chosen[option]) if option in chosen else (key, value)

    return [Section(section.name, tuple(options(section))) for section in sections]


def require_depth(jobs: Iterable[Effective], where: str) -> None:
    """See that `iodepth` has an effect in jobs for which it is chosen.

    Raises:
        UsageError: the I/O engine of one has one I/O in flight.
    """
    for job in jobs:
        if (engine := job.text("ioengine")) in SYNCHRONOUS:
            raise UsageError(
                f"iodepth has no effect: ioengine={engine} keeps one I/O in flight whatever it is",
                where=f"{where}, iodepth",
                hint="take ioengine=libaio or io_uring, or vary numjobs",
            )


def with_depth(
    sections: list[Section], chosen: Mapping[str, str], where: str
) -> tuple[list[Section], list[str]]:
    """Sections in which `iodepth` is what fio keeps in flight, and a note on what that took.

    Raises:
        UsageError: iodepth is varied, and the I/O engine has one I/O in flight.
    """
    if "iodepth" not in chosen:
        return sections, []
    jobs = {job.name: job for job in effective(Job(tuple(sections)))}
    require_depth(jobs.values(), where)
    added: dict[str, None] = {}
    changed = []
    for section in sections:
        own: list[Option] = []
        if not section.is_global and not jobs[section.name].text("ioengine"):
            own.append(("ioengine", "libaio"))
            if not jobs[section.name].options.keys() & {"direct", "buffered", "atomic"}:
                own.append(("direct", "1"))
        added.update(dict.fromkeys(f"{key}={value}" for key, value in own))
        changed.append(Section(section.name, (*section.options, *own)))
    if not added:
        return sections, []
    are = "are" if len(added) > 1 else "is"
    return changed, [
        f"{' and '.join(added)} {are} set: else fio keeps one I/O in flight whatever iodepth says"
    ]


def coordinate(option: str, value: str, *, where: str) -> Scalar:
    """See `VariedEngine.coordinate`."""
    place = f"{where}, {option}"
    if option in _SIZES and "," not in value:
        size = figures.size(value, kb_base=1024, what=option, where=place)
        if option == "bs" and not size:
            raise UsageError(f"bs={value} is not a size of one I/O", where=place)
        return value if size is None else size
    if option in _COUNTS:
        least, most = _COUNTS[option]
        count = figures.count(value, what=option, where=place)
        if not least <= count <= most:
            raise UsageError(f"{option}={value} is not within {least} to {most}", where=place)
        return count
    return int(value) if re.fullmatch(r"\d{1,15}", value) else value


def in_flight(load: Load) -> int | None:
    """See `VariedEngine.in_flight`."""
    sections = effective(job_of(load))
    if len(phases(sections)) != 1:
        return None
    return sum(jobs_of(section, load.name) * _depth(section, load.name) for section in sections)


def _depth(section: Effective, where: str) -> int:
    if section.text("ioengine", "psync") in SYNCHRONOUS:
        return 1
    return max(figures.count(section.text("iodepth", "1"), what="iodepth", where=where), 1)
