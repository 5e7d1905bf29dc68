"""`git bisect`: which commits of a kernel were good, bad or skipped, and the first bad one.

Source: git 2.39, builtin/bisect.c (bisect_log(), log_commit(): "# %s: [%s] %s",
"# first bad commit: [%s] %s", "# possible first bad commit"), bisect.c (bisect_next_all():
"%s is the first %s commit", print_commit_list(); "Bisecting: %d revision%s left to test after
this (roughly %d step%s)"); git-bisect(1), --term-old and --term-new.
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, lines, prompt_in
from iosonde.text.reader import Items, StateOutput, start_of
from iosonde.text.torn import is_full

_HASH = r"(?P<commit>[0-9a-f]{7,40})"
_LOGGED = re.compile(
    rf"\s*# ?(?P<term>good|bad|skip|old|new|first bad commit|first new commit"
    rf"|possible first bad commit): \[{_HASH}\](?: (?P<subject>.{{1,200}}))?\s*$"
)
_CALLED = re.compile(
    r"\s*#?git bisect (?:start(?P<start>(?: .{1,200})?)"
    r"|(?:good|bad|skip|old|new)(?: [\w./^~-]{1,120}){1,40})\s*$"
)
_FIRST = re.compile(rf"\s*{_HASH} is the first (?P<term>bad|new) commit\.?\s*$")
_LEFT = re.compile(
    r"\s*Bisecting: (?P<left>\d{1,7}) revisions? left to test after this"
    r"(?: \(roughly (?P<steps>\d{1,3}) steps?\))?\s*$"
)
_CHECKED = re.compile(rf"\s*\[{_HASH}\] (?P<subject>.{{1,200}})$")
_STATUS = re.compile(r"\s*# status: waiting for ")
_MOST = 600
_GAP = 2
_WIDTH = 61  # mails break lines of so many characters
_FORMS = (_LOGGED, _FIRST, _LEFT)


class GitBisect(StateOutput):
    tool = "git bisect"
    anchors = (
        "good: [", "bad: [", "skip: [", "commit: [", " is the first bad commit",
        " is the first new commit", "Bisecting: ",
    )  # fmt: skip
    commands = ("git",)
    reach = 4
    about = "bisect"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        if not any(form.match(line) for form in _FORMS):
            return None
        return start_of(cursor, lambda above: _CALLED.match(above) or _STATUS.match(above), most=4)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        commits: dict[str, PrintedSubject] = {}
        summed: dict[str, Scalar] = {}
        last, torn, above = first, "", ""
        for index, line in lines(cursor, first, _MOST):
            if index > last + _GAP:
                break
            if logged := _LOGGED.match(line):
                _log(logged, commits, summed)
                torn = "" if "first" in logged["term"] else logged["commit"]
                above = line
            elif bad := _FIRST.match(line):
                summed[f"first_{bad['term']}_commit"] = bad["commit"]
            elif left := _LEFT.match(line):
                summed |= {name: int(text) for name, text in left.groupdict().items() if text}
            elif "left" in summed and (checked := _CHECKED.match(line)):
                summed |= {"checked_out": checked["commit"], "subject": checked["subject"].strip()}
            elif line and not _CALLED.match(line) and not _STATUS.match(line):
                if not above or index > last + 1 or not _is_torn(above, line):
                    break
                _join(commits, summed, torn, line)
                above = line
            elif line:
                above = ""
            last = index if line else last
        rows = [PrintedSubject("host", "", summed, prompt.host)] if summed else []
        return last, [*rows, *commits.values()]


def _log(
    logged: re.Match[str], commits: dict[str, PrintedSubject], summed: dict[str, Scalar]
) -> None:
    """Takes in a line of the log: a commit that was judged, or the one that was looked for."""
    term = logged["term"]
    subject = (logged["subject"] or "").strip()
    if term.startswith("first "):
        summed[term.replace(" ", "_")] = logged["commit"]
        if subject:
            summed["subject"] = subject
        return
    values: dict[str, Scalar] = {"state": term}
    if subject:
        values["subject"] = subject
    commits[logged["commit"]] = PrintedSubject("commit", logged["commit"], values)


def _is_torn(above: str, line: str) -> bool:
    """Whether a mail broke the line above: no more of it fitted there."""
    if prompt_in(line) or line.startswith("#") or line[0].isspace():
        return False
    return is_full(len(above), line, _WIDTH)


def _join(
    commits: dict[str, PrintedSubject], summed: dict[str, Scalar], name: str, line: str
) -> None:
    """Adds what a mail put into the next line to the subject of a commit."""
    if not name:
        summed["subject"] = f"{summed.get('subject', '')} {line.strip()}".strip()
    elif name in commits:
        before = commits[name]
        subject = f"{before.values.get('subject', '')} {line.strip()}".strip()
        commits[name] = PrintedSubject(
            "commit", name, {**before.values, "subject": subject}, before.host
        )
