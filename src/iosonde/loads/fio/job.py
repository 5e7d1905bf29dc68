"""A fio job as it is kept in `Load.spec`: sections of options in the order they were written.

    {"sections": [["global", [["direct", "1"]]], ["j", [["bs", "4M"], ["thread", null]]]],
     "arguments": ["--idle-prof=system"], "notes": ["…"]}

An option without a value is a flag.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias, cast

from iosonde.loads.fio.options import ALIASES
from iosonde.records.load import Load
from iosonde.records.stack import Json

Option: TypeAlias = tuple[str, str | None]


@dataclass(frozen=True, slots=True)
class Section:
    """One `[name]` of a job file; options in the order written."""

    name: str
    options: tuple[Option, ...]

    @property
    def is_global(self) -> bool:
        """Whether it sets defaults for the sections after it (fio compares only the beginning)."""
        return self.name.startswith("global")


@dataclass(frozen=True, slots=True)
class Job:
    """The sections, what goes on fio's command line, and what the user should know."""

    sections: tuple[Section, ...]
    arguments: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def spec(self) -> dict[str, Json]:
        """As JSON."""
        sections: list[Json] = [
            [section.name, [[key, value] for key, value in section.options]]
            for section in self.sections
        ]
        return {
            "sections": sections, "arguments": list(self.arguments), "notes": list(self.notes),
        }  # fmt: skip

    def text(self) -> str:
        """As a job file that fio reads."""
        lines: list[str] = []
        for section in self.sections:
            lines.append(f"[{section.name}]")
            lines += [key if value is None else f"{key}={value}" for key, value in section.options]
        return "\n".join(lines) + "\n"


def job_of(load: Load) -> Job:
    """The job in a load's spec."""
    sections = tuple(
        Section(name, tuple((key, value) for key, value in options))
        for name, options in cast(
            "list[tuple[str, list[tuple[str, str | None]]]]", load.spec["sections"]
        )
    )
    arguments = cast("list[str]", load.spec.get("arguments", []))
    notes = cast("list[str]", load.spec.get("notes", []))
    return Job(sections, tuple(arguments), tuple(notes))


@dataclass(frozen=True, slots=True)
class Effective:
    """A job section with the globals before it folded in; aliases under their main name."""

    name: str
    options: Mapping[str, str | None]

    def has(self, flag: str) -> bool:
        """Whether a flag or boolean is set."""
        return flag in self.options and self.options[flag] not in {"0", "false", "no"}

    def text(self, option: str, default: str = "") -> str:
        """Its value, or the default where it is absent or a bare flag."""
        return self.options.get(option) or default


def effective(job: Job) -> tuple[Effective, ...]:
    """Every section that is run, with all options that hold for it."""
    defaults: dict[str, str | None] = {}
    found = []
    for section in job.sections:
        own = {ALIASES.get(key, key): value for key, value in section.options}
        if section.is_global:
            defaults |= own
        else:
            found.append(Effective(section.name, {**defaults, **own}))
    return tuple(found)


def phases_of_jobs(sections: tuple[Effective, ...]) -> dict[tuple[int, str], int]:
    """Fio's number of a group and the name of a job in it → the phase it runs in, both from 0.

    `stonewall` and `new_group` begin a group; `stonewall` and `wait_for` begin a phase.

    Source:
        fio 3.33, init.c, add_job(), groupid; backend.c, run_threads(), waitee_running().
    """
    numbers = _phase_numbers(sections)
    found: dict[tuple[int, str], int] = {}
    group = 0
    for place, section in enumerate(sections):
        group += bool(place) and (section.has("stonewall") or section.has("new_group"))
        found[group, section.name] = numbers[place]
    return found


def phases(sections: tuple[Effective, ...]) -> list[list[Effective]]:
    """Sections that run together, phase after phase.

    `stonewall` waits for all before it, `wait_for` for the section of that name before it.
    """
    numbers = _phase_numbers(sections)
    return [
        [section for section, number in zip(sections, numbers, strict=True) if number == phase]
        for phase in sorted(set(numbers))
    ]


def _phase_numbers(sections: tuple[Effective, ...]) -> list[int]:
    """The phase of each section; one that waits for no section before it runs with the others."""
    numbers: list[int] = []
    named: dict[str, int] = {}
    first = 0  # phase in which sections begin since the last stonewall
    for section in sections:
        if numbers and section.has("stonewall"):
            first = max(numbers) + 1
        number = max(first, named.get(section.text("wait_for"), -1) + 1)
        numbers.append(number)
        named[section.name] = number
    return numbers
