"""How a file's name is written for fio: the only place where one is.

Source: fio 3.33, filesetup.c, get_next_str() and get_next_file(): a colon separates several names,
a backslash escapes it; parse.c and ini.c: ; and # begin a comment in a job file, blanks at the ends
are cut, and a $ begins a variable.
"""

from __future__ import annotations

import re

from iosonde.errors import UsageError

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
