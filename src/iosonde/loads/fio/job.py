r"""A fio job as it is kept in `Load.spec`: sections of options in the order they were written.

    {"sections": [["global", [["direct", "1"]]], ["j", [["bs", "4M"], ["thread", null]]]],
     "arguments": ["--idle-prof=system"], "notes": ["…"]}

An option without a value is a flag. It is read from a job file, or from a pasted command line as
fio's getopt_long_only reads it: the dashes, curly quotes and `\_` that pages make of `--`, quotes
and `_` are read as meant.

Source:
    fio 3.33, init.c, __parse_jobs_ini(); parse.c, strip_blank_end(): a value ends at ; or #.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias, cast

from iosonde import kerneltext
from iosonde.errors import UsageError
from iosonde.loads.fio.options import (
    ALIASES,
    ARGUMENT_FLAGS,
    ARGUMENTS,
    FLAGS,
    OPTION_NAMES,
    PROFILE_NAMES,
    REFUSED,
    SET_HERE,
    TWICE,
)
from iosonde.records.load import Load
from iosonde.records.stack import Json

Option: TypeAlias = tuple[str, str | None]
_NAMES = OPTION_NAMES | ARGUMENTS | SET_HERE.keys() | REFUSED.keys() | PROFILE_NAMES


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
    sections = []
    for section in job.sections:
        own = {ALIASES.get(key, key): value for key, value in section.options}
        if section.is_global:
            defaults |= own
        else:
            sections.append(Effective(section.name, {**defaults, **own}))
    return tuple(sections)


def phases_of_jobs(sections: tuple[Effective, ...]) -> dict[tuple[int, str], int]:
    """Fio's number of a group and the name of a job in it → the phase it runs in, both from 0.

    `stonewall` and `new_group` begin a group; `stonewall` and `wait_for` begin a phase.

    Source:
        fio 3.33, init.c, add_job(), groupid; backend.c, run_threads(), waitee_running().
    """
    numbers = _phase_numbers(sections)
    phases: dict[tuple[int, str], int] = {}
    group = 0
    for place, section in enumerate(sections):
        group += bool(place) and (section.has("stonewall") or section.has("new_group"))
        phases[group, section.name] = numbers[place]
    return phases


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


# ── a job file ──────────────────────────────────────────────────────────────────────────────────


JOB_FILE = "job.fio"
"""Its name in the directory of a loop, and in what is kept of it."""

_SECTION = re.compile(r"\s*\[(.+)\]\s*")


def is_job_file(text: str) -> bool:
    """Whether the text has a `[section]` on a line of its own."""
    return any(
        _SECTION.fullmatch(_uncommented(line))
        for line in kerneltext.lines(text.replace("\r\n", "\n"))
    )


def read_job_file(text: str, *, where: str) -> list[Section]:
    """The sections in the order written.

    Raises:
        UsageError: an option before the first section, or `include`.
    """
    parts: list[tuple[str, list[Option]]] = []
    for number, line in enumerate(kerneltext.lines(text.replace("\r\n", "\n")), 1):
        bare = _uncommented(line).strip()
        if not bare:
            continue
        section = _SECTION.fullmatch(bare)
        if section:
            parts.append((section[1], []))
            continue
        place = f"{where}, line {number}"
        if not parts:
            raise UsageError(f"{bare!r} stands before the first [section]", where=place)
        if bare.startswith("include"):
            raise UsageError(
                "include is not read", where=place, hint="paste the included lines in its place"
            )
        key, mark, value = bare.partition("=")
        parts[-1][1].append((key.strip(), value.strip() if mark else None))
    return [Section(name, tuple(options)) for name, options in parts]


def _uncommented(line: str) -> str:
    return re.split(r"[;#]", line, maxsplit=1)[0]


# ── a command line ──────────────────────────────────────────────────────────────────────────────


_CURLY = str.maketrans({"“": '"', "”": '"', "„": '"', "‘": "'", "’": "'", "\u00a0": " "})
_PROMPT = re.compile(r"^\s*(\[[^]\n]*\]|[\w.@:~/-]*@[\w.:~/-]*)?[$#>]\s+")
_DASHES = re.compile(r"(?<!\S)[–—−](?=[A-Za-z])")
_SHELL = frozenset("();<>|&")


def read_command_line(text: str, *, name: str, where: str) -> tuple[list[Section], list[str]]:
    """The sections of a command line, and notes on what was mended in it.

    Args:
        text: the command, with or without the word fio; may go over several lines.
        name: of the section, where the command has no --name.
        where: for messages.

    Raises:
        UsageError: shell syntax, a job file among the options, or no option at all.
    """
    mended, notes = _mend(text)
    arguments = _arguments(mended, where)
    options = _options(_after_fio(arguments, where), where)
    return _sections(options, name), notes


def _mend(text: str) -> tuple[str, list[str]]:
    notes = []
    plain = re.sub(r"\\\r?\n", " ", text).translate(_CURLY)
    plain = _PROMPT.sub("", plain)
    dashed = _DASHES.sub("--", plain).replace("\\_", "_")
    if dashed != plain or plain != _PROMPT.sub("", re.sub(r"\\\r?\n", " ", text)):
        notes.append("typographic quotes, dashes and escapes were read as plain ones")
    return dashed, notes


def _arguments(text: str, where: str) -> list[str]:
    try:
        lexer = shlex.shlex(text, posix=True, punctuation_chars=True)
        lexer.whitespace_split = True
        lexer.commenters = ""
        arguments = list(lexer)
    except ValueError as problem:
        raise UsageError(
            f"the fio command cannot be split into words: {str(problem).lower()}", where=where
        ) from None
    for word in arguments:
        if word and set(word) <= _SHELL:
            raise UsageError(
                f"{word!r} is for a shell; no shell reads this command",
                where=where,
                hint="give the fio command alone",
            )
    return arguments


def _after_fio(arguments: list[str], where: str) -> list[str]:
    """The words after `fio`, `sudo /usr/bin/fio`, `fio.exe` or `VARIABLE=… fio`."""
    for index, word in enumerate(arguments):
        if word.rsplit("/", 1)[-1] == "fio" or word.endswith("fio.exe"):
            return arguments[index + 1 :]
        if word.startswith("-"):
            if index and arguments[0] != "sudo":
                break
            return arguments[index:]
    raise UsageError(
        "this is not a fio command: neither the word fio nor an option such as --rw=randwrite",
        where=where,
    )


def _options(arguments: list[str], where: str) -> list[Option]:
    options: list[Option] = []
    waiting = list(reversed(arguments))
    while waiting:
        word = waiting.pop()
        stripped = word.removeprefix("--") if word.startswith("--") else word.removeprefix("-")
        if stripped == word or not stripped:
            raise UsageError(
                f"{word!r} stands among the options of fio and is none",
                where=where,
                hint="give the path of a job file instead of a command, or write --option=value",
            )
        key, mark, value = stripped.partition("=")
        key = _whole(key)
        if mark:
            options.append((key, value))
        elif key in FLAGS or key in ARGUMENT_FLAGS or not waiting or _is_option(waiting[-1]):
            options.append((key, None))
        else:
            options.append((key, waiting.pop()))
    if not options:
        raise UsageError("the fio command has no options", where=where)
    return options


def _whole(key: str) -> str:
    """The option of which a command has the beginning, however short, where no other begins so.

    Not in job files. What fio has twice has no beginning that is not ambiguous.

    Source: fio's init.c, parse_cmd_line(); getopt_long_only(3); tried with 3.33.
    """
    if key in _NAMES:
        return key
    meant = [name for name in _NAMES if name.startswith(key)]
    return meant[0] if len(meant) == 1 and meant[0] not in TWICE else key


def _is_option(word: str) -> bool:
    return re.match(r"--?[A-Za-z]", word) is not None


def _sections(options: list[Option], name: str) -> list[Section]:
    """Split at each --name; what stands before the first holds for all."""
    parts: list[tuple[str, list[Option]]] = [("global", [])]
    for key, value in options:
        if key == "name":
            parts.append((value or name, []))
        else:
            parts[-1][1].append((key, value))
    if len(parts) == 1:
        return [Section(name, tuple(parts[0][1]))]
    return [Section(title, tuple(own)) for title, own in parts if own or title != "global"]
