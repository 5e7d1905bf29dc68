"""The one place where an argument list becomes text, for people and for ssh's remote shell."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterable, Sequence

_trace = False


def quote(argv: Sequence[str]) -> str:
    """An argument list as one line that a POSIX shell reads back as the same list.

    Args:
        argv: non-empty list of arguments; no NUL in any of them.

    Raises:
        ValueError: an argument holds a NUL byte, which no command line can carry.
    """
    if any("\0" in argument for argument in argv):
        raise ValueError("an argument holds a NUL byte")
    return shlex.join(argv)


def sequence(commands: Iterable[tuple[Sequence[str], str, bool]]) -> tuple[str, ...]:
    """Several commands as one, which ends with the first that fails.

    Args:
        commands: argument list, what it reads from standard input ("" for nothing), and whether it
            may fail.
    """
    lines = []
    for argv, text, may_fail in commands:
        fed = f"printf %s {quote([text])} | {quote(argv)}" if text else quote(argv)
        lines.append(f"{fed} || true" if may_fail else fed)
    return ("sh", "-ec", "\n".join(lines))


def set_trace(on: bool) -> None:
    """Show every command on standard error as it is sent to its host (`--trace`)."""
    global _trace  # noqa: PLW0603 - one switch for the whole process, set once by the command line
    _trace = on


def trace(host: str, argv: Sequence[str]) -> None:
    """Called by each host just before it runs a command."""
    if _trace:
        sys.stderr.write(f"+ {host}: {quote(argv)}\n")
