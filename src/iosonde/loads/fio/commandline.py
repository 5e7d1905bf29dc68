r"""Reads a pasted fio command line as fio's getopt_long_only does, and as pages print it.

Pages turn `--` into dashes, quotes into curly ones and `_` into `\_`; those are read as meant.
"""

from __future__ import annotations

import re
import shlex

from iosonde.errors import UsageError
from iosonde.loads.fio.job import Option, Section
from iosonde.loads.fio.options import ARGUMENT_FLAGS, FLAGS

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
    words = _words(mended, where)
    options = _options(_after_fio(words, where), where)
    return _sections(options, name), notes


def _mend(text: str) -> tuple[str, list[str]]:
    notes = []
    plain = re.sub(r"\\\r?\n", " ", text).translate(_CURLY)
    plain = _PROMPT.sub("", plain)
    dashed = _DASHES.sub("--", plain).replace("\\_", "_")
    if dashed != plain or plain != _PROMPT.sub("", re.sub(r"\\\r?\n", " ", text)):
        notes.append("typographic quotes, dashes and escapes were read as plain ones")
    return dashed, notes


def _words(text: str, where: str) -> list[str]:
    try:
        lexer = shlex.shlex(text, posix=True, punctuation_chars=True)
        lexer.whitespace_split = True
        lexer.commenters = ""
        words = list(lexer)
    except ValueError as problem:
        raise UsageError(
            f"the fio command cannot be split into words: {str(problem).lower()}", where=where
        ) from None
    for word in words:
        if word and set(word) <= _SHELL:
            raise UsageError(
                f"{word!r} is for a shell; no shell reads this command",
                where=where,
                hint="give the fio command alone",
            )
    return words


def _after_fio(words: list[str], where: str) -> list[str]:
    """The words after `fio`, `sudo /usr/bin/fio` or `VARIABLE=… fio`."""
    for index, word in enumerate(words):
        if word.rsplit("/", 1)[-1] == "fio":
            return words[index + 1 :]
        if word.startswith("-"):
            if index and words[0] != "sudo":
                break
            return words[index:]
    raise UsageError(
        "this is not a fio command: neither the word fio nor an option such as --rw=randwrite",
        where=where,
    )


def _options(words: list[str], where: str) -> list[Option]:
    options: list[Option] = []
    waiting = list(reversed(words))
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
        if mark:
            options.append((key, value))
        elif key in FLAGS or key in ARGUMENT_FLAGS or not waiting or _is_option(waiting[-1]):
            options.append((key, None))
        else:
            options.append((key, waiting.pop()))
    if not options:
        raise UsageError("the fio command has no options", where=where)
    return options


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
