"""The one place where an argument list becomes text, for people and for ssh's remote shell."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterable, Sequence

from iosonde.errors import UsageError
from iosonde.visible import visible

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


def require_no_nul(argv: Sequence[str]) -> None:
    """Asked by each host before it runs a command.

    Raises:
        UsageError: an argument holds a NUL byte, which no command line can carry.
    """
    for argument in argv:
        if "\0" in argument:
            raise UsageError(
                "this text holds a NUL byte, which no name and no command can hold",
                where=visible(argument)[:200],
            )


_MARK = "--iosonde-asks--"


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


def asked_after(commands: tuple[str, ...], question: Sequence[str]) -> tuple[str, ...]:
    """A sequence, and then a command whose answer `answered` finds in what is printed.

    Args:
        commands: as `sequence` gives them.
        question: an argument list; it may fail.
    """
    *shell, script = commands
    return (*shell, f"{script}\necho\necho {_MARK}\nset +e\n{quote(question)}\necho\necho $?")


def answered(stdout: bytes) -> tuple[int, bytes]:
    """Status and output of the command that `asked_after` ran last."""
    output, _, status = stdout.rpartition(f"\n{_MARK}\n".encode())[2].rstrip().rpartition(b"\n")
    return int(status), output


_PROGRAM = 20  # lines; of a longer program `--trace` shows how it begins


def set_trace(on: bool) -> None:
    """Show every command on standard error as it is sent to its host (`--trace`)."""
    global _trace  # noqa: PLW0603 - one switch for the whole process, set once by the command line
    _trace = on


def trace(host: str, argv: Sequence[str]) -> None:
    """Called by each host just before it runs a command."""
    if _trace:
        shown = " ".join(_shown(_cut(argument)) for argument in argv)
        sys.stderr.write(f"+ {visible(host)}: {shown}\n")


def _cut(argument: str) -> str:
    """An argument, of a long program the first line alone."""
    first, *more = argument.split("\n")
    return f"{first}\n… {len(more)} lines more" if len(more) > _PROGRAM else argument


def _shown(argument: str) -> str:
    """An argument as a shell reads it back, without what would steer the terminal.

    Control characters are written as `$'...'` has them (POSIX.1-2024, 2.2.4; bash, zsh, ksh).
    """
    if visible(argument, lines=True) == argument:
        return shlex.quote(argument)
    parts = []
    for sign in argument:
        if sign in "\\'":
            parts.append(f"\\{sign}")
        elif sign in "\n\t" or visible(sign) == sign:
            parts.append(sign)
        else:  # byte by byte: not every shell knows \u
            raw = sign.encode(
                "utf-8", "surrogateescape" if "\udc80" <= sign <= "\udcff" else "surrogatepass"
            )
            parts.append("".join(f"\\{byte:03o}" for byte in raw))
    return f"$'{''.join(parts)}'"
