"""Outputs of commands that are neither a list nor a table: kept line by line, as they are printed.

A message of a program, names of files, a dump: nothing is concluded from them, and nothing is
lost.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from textwrap import dedent

from iosonde.records.stack import Json
from iosonde.text.figures import is_other
from iosonde.text.programs import LISTINGS, NO_FIGURES
from iosonde.text.prose import is_sentence
from iosonde.text.shell import asks_for_usage, program_of, shows_file

_SILENT = frozenset({
    ":", "alias", "cd", "clear", "emacs", "exit", "export", "help", "history", "less", "logout",
    "man", "more", "nano", "popd", "pushd", "read", "set", "sleep", "source", "su", "sync", "true",
    "umask", "unset", "vi", "vim", "wait",
})  # fmt: skip
"""Programs that print nothing, or a text of which no line is an output of theirs."""
_REDIRECTED = re.compile(r"(?<![\d&>=-])>{1,2} ?[~/\w$\"'][^|]*$")
_OWN = re.compile(
    r"[\w./-]{1,40}(?:\[\d{1,9}\])?: |(?i:error|warning|fatal|usage)\b"
    r"|[bcdlps-][r-][w-][xsS-][r-][w-][xsS-][r-][w-][xtT-][.+@]? "
)
"""How messages of programs begin, and lines of `ls -l`: names of groups have blanks as well."""
_MOST = 60  # lines
_LONGEST = 1000  # characters of a line
_PROSE = 0.2  # of the lines


def plain_lines(
    command: str, host: str, lines: Sequence[str], *, enclosed: bool = False
) -> dict[str, Json] | None:
    """`{"lines": […]}` of an output; None where it is long, prose, source code or a file's text.

    Args:
        command: at a prompt, of which the lines are the output.
        host: that the prompt names; without, an output stands directly below its command.
        lines: clean ones.
        enclosed: a fence or an indent says where the output ends, so that sentences belong to it.
    """
    own = [line.rstrip() for line in lines if line.strip()]
    if not own or len(own) > _MOST or any(len(line) > _LONGEST for line in own):
        return None
    if shows_file(command) or is_no_output(command, host, lines, enclosed=enclosed):
        return None
    if program_of(command) not in LISTINGS and is_other(own):
        return None
    kept: list[Json] = [*dedent("\n".join(own)).split("\n")]
    return {"lines": kept}


def is_no_output(command: str, host: str, lines: Sequence[str], *, enclosed: bool = False) -> bool:
    """Whether lines below a command are of the author, or a usage: the command prints nothing.

    Args: as `plain_lines` has them.
    """
    program = program_of(command)
    if program in _SILENT or _REDIRECTED.search(command) or asks_for_usage(command):
        return True
    if not host and not enclosed and not lines[0].strip():
        return True
    own = [line.rstrip() for line in lines if line.strip()]
    prose = sum(is_sentence(line) and not _OWN.match(line.lstrip()) for line in own)
    return prose > _PROSE * len(own) and not (enclosed and program not in NO_FIGURES)
