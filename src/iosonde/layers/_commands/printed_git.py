"""`git log --oneline`, `git describe` and `git rev-parse`, below their commands: which commits.

Source: git 2.39, pretty.c (CMIT_FMT_ONELINE: abbreviated hash, decoration, subject),
builtin/describe.c ("%s-%d-g%s": tag, commits since, hash), builtin/rev-parse.c.
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.records.printed import PrintedSubject, Unreadable
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, lines, prompt_in
from iosonde.text.reader import Items, StateOutput

_CALLED = re.compile(
    r"(?:^\s*|[#$>] *)git (?:-C \S{1,80} )?(?P<verb>log|describe|rev-parse)"
    r"(?P<rest>(?: .{0,200})?)$"
)
_ONELINE = re.compile(r"--(?:oneline|pretty=oneline|format=oneline)(?:\s|$)")
_ROW = re.compile(
    r"\s*(?P<commit>[0-9a-f]{7,40}) (?:\((?P<refs>(?:HEAD|tag: |origin/)[^()]{0,120})\) )?"
    r"(?P<subject>[\w\[\"'`(.].{0,200})$"
)
_DESCRIBED = re.compile(
    r"\s*(?P<described>(?P<tag>[\w./-]{1,40}?\d[\w.]{0,12}(?:-rc\d{1,2})?)"
    r"(?:-(?P<since>\d{1,7})-g(?P<commit>[0-9a-f]{7,40}))?(?:-dirty)?)\s*$"
)
_HASH = re.compile(r"\s*(?P<commit>[0-9a-f]{7,40})\s*$")
_MOST = 300


class GitCommits(StateOutput):
    tool = "git"
    anchors = ("git log ", "git describe", "git rev-parse", "git -C ")
    commands = ("git",)
    reach = 3

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        form = _form(cursor.line(cursor.at))
        below = (cursor.at + 1, cursor.at + 2)
        if form is None:
            return None
        return next((row for row in below if form.match(cursor.line(row))), None)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        above = (cursor.line(first - step) for step in (1, 2))
        form = next((form for line in above if (form := _form(line))), None)
        if form is None:
            raise Unreadable("its command is not above it", first)
        if form is not _ROW:
            match = form.match(cursor.line(first))
            values: dict[str, Scalar] = {
                name: int(text) if name == "since" else text
                for name, text in (match.groupdict() if match else {}).items()
                if text
            }
            return first, [PrintedSubject("commit", "", values, prompt.host)]
        subjects: list[PrintedSubject] = []
        last = first
        for index, line in lines(cursor, first, _MOST):
            row = form.match(line)
            if index > last + 2 or (line and (row is None or prompt_in(line))):
                break
            if row and any(subject.name == row["commit"] for subject in subjects):
                break
            if row:
                values = {name: row[name] for name in ("subject", "refs") if row[name]}
                subjects.append(PrintedSubject("commit", row["commit"], values, prompt.host))
                last = index
        return last, subjects


def _form(line: str) -> re.Pattern[str] | None:
    """How the command of a line prints a commit; None where it is none of these."""
    called = _CALLED.search(line)
    if called is None:
        return None
    if called["verb"] == "log":
        return _ROW if _ONELINE.search(called["rest"]) else None
    return _DESCRIBED if called["verb"] == "describe" else _HASH
