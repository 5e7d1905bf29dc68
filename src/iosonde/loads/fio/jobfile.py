"""Reads the text of a fio job file as fio does.

Source:
    fio 3.33, init.c, __parse_jobs_ini(); parse.c, strip_blank_end(): a value ends at ; or #.
"""

from __future__ import annotations

import re

from iosonde import kerneltext
from iosonde.errors import UsageError
from iosonde.loads.fio.job import Option, Section

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
