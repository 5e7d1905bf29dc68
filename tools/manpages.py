"""Writes the man pages from the help texts: `tools/manpages.py FOLDER`; iosonde(1), one a verb."""

from __future__ import annotations

import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

from iosonde.cli import ACTIONS, SUMMARIES, VERBS
from iosonde.cli.main import command_of

_MARKS = {"\\": "\\e", "-": "\\-", "'": "\\(aq", "`": "\\(ga", "^": "\\(ha", "~": "\\(ti"}


def escaped(text: str) -> str:
    """Text that roff shows as it is (groff_char(7)), also at the beginning of a line."""
    whole = "".join(_MARKS.get(sign, sign) for sign in text)
    return "\n".join(f"\\&{line}" if line[:1] in {".", "'"} else line for line in whole.split("\n"))


def page(verb: str, summary: str) -> str:
    """The page of a verb."""
    command: Any = command_of(verb)
    context = command.make_context(f"iosonde {verb}", [], resilient_parsing=True)
    usage = " ".join(command.collect_usage_pieces(context))
    lines = [
        *_head(f"iosonde-{verb}", summary), ".SH SYNOPSIS",
        f"\\fBiosonde {escaped(verb)}\\fR {escaped(usage)}", ".SH DESCRIPTION",
    ]  # fmt: skip
    for paragraph in (command.help or "").strip().split("\n\n"):
        lines += [".PP", escaped(" ".join(paragraph.split()))]
    for heading, rows in command.sections(context).items():
        if rows:
            lines.append(f".SH {escaped(heading.upper())}")
        for left, right in rows:
            lines += [".TP", f"\\fB{escaped(left)}\\fR", escaped(" ".join(right.split())) or "\\&"]
    for action in ACTIONS:
        if action.startswith(f"{verb} "):
            lines += _action(action)
    lines.append(".SH EXAMPLES")
    for line, what in command.examples:
        lines += [".PP", f"{escaped(what[:1].upper() + what[1:])}:", ".PP", ".RS 4", ".nf",
                  f"iosonde {escaped(line)}", ".fi", ".RE"]  # fmt: skip
    return "\n".join([*lines, ".SH SEE ALSO", ".BR iosonde (1)", ""])


def _action(name: str) -> list[str]:
    """A section of an action that has options of its own: "lab up"."""
    command: Any = command_of(name)
    context = command.make_context(f"iosonde {name}", [], resilient_parsing=True)
    usage = " ".join(command.collect_usage_pieces(context))
    lines = [f".SH {escaped(name.upper())}", f"\\fBiosonde {escaped(name)}\\fR {escaped(usage)}",
             ".PP", escaped(" ".join((command.help or "").split()))]  # fmt: skip
    for rows in command.sections(context).values():
        for left, right in rows:
            lines += [".TP", f"\\fB{escaped(left)}\\fR", escaped(" ".join(right.split())) or "\\&"]
    return lines


def contents() -> str:
    """iosonde(1): the verbs by heading, and the exit codes."""
    lines = [
        *_head("iosonde", "describe, measure, explain and tune Linux storage stacks"),
        ".SH SYNOPSIS", "\\fBiosonde\\fR VERB [OPTION…] [ARGUMENT…]", ".SH VERBS",
    ]  # fmt: skip
    for heading, verbs in SUMMARIES.items():
        lines.append(f".SS {escaped(heading)}")
        for verb, summary in verbs.items():
            lines += [".TP", f".BR iosonde\\-{escaped(verb)} (1)", escaped(summary)]
    lines.append(".SH EXIT STATUS")
    for code, what in _CODES.items():
        lines += [".TP", f"\\fB{code}\\fR", what]
    return "\n".join([*lines, ""])


_CODES = {
    "0": "done", "1": "done, and the answer is no", "2": "wrong use or bad input",
    "3": "refused for safety", "4": "a host or a load failed", "5": "undecided",
    "129, 130, 143": "ended by a signal",
}  # fmt: skip


def _head(name: str, summary: str) -> list[str]:
    release = escaped(f"iosonde {version('iosonde')}")
    return [f'.TH {escaped(name.upper())} 1 "" "{release}"', ".SH NAME",
            f"{escaped(name)} \\- {escaped(summary)}"]  # fmt: skip


def write(folder: Path) -> None:
    """All pages, in a folder that is made."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "iosonde.1").write_text(contents(), encoding="utf-8")
    summaries = {verb: text for verbs in SUMMARIES.values() for verb, text in verbs.items()}
    for verb in VERBS:
        (folder / f"iosonde-{verb}.1").write_text(page(verb, summaries[verb]), encoding="utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
