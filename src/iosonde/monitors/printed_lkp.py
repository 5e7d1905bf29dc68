"""Comparisons of the kernel's test robot (0-day): a metric of a benchmark or a monitor, by commit.

Source: lkp-tests, lib/compare.rb (columns: the mean of the first commit, then for each further one
its change and its mean; "± N%" is the standard deviation relative to the mean; a metric that is a
share changes by points, without a percent sign; the names of the parameters and their values are
joined by slashes).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from typing_extensions import override

from iosonde.kerneltext import fields
from iosonde.records.printed import Unreadable
from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor, lines
from iosonde.text.reader import Items, StateOutput, nearest

_HEAD = re.compile(r"\s*%stddev(?:\s+%change\s+%stddev){1,8}\s*$")
_PARTS = re.compile(r"\s*\|[\s|\\]*$|\s*\\[\s|\\]*$")
_COMMIT = re.compile(r"\s+(?P<hash>[0-9a-f]{8,40}) \(\"?(?P<subject>.{1,200}?)\"?\)\s*$")
_TAG = re.compile(r"\s+(?P<hash>v\d[\w.-]{1,40})\s*$")
_NUMBER = re.compile(r"-?\d{1,20}(?:\.\d{1,20})?(?:e[+-]\d{1,3})?")
_CHANGE = re.compile(r"[+-]\d{1,20}(?:\.\d{1,20})?(?:e[+-]\d{1,3})?%?")
_SPREAD = re.compile(r"(?P<percent>\d{1,6})%")
_NAME = re.compile(r"[A-Za-z_][^\s|]{2,199}")
_ABOVE = 24
"""Lines from the parameters to the head of the table, with eight commits."""
_MOST = 2000


class LkpComparison(StateOutput):
    tool = "lkp"
    anchors = ("%change",)
    commands = ("lkp",)
    reach = _ABOVE

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        if not _HEAD.match(cursor.line(cursor.at)):
            return None
        first = nearest(cursor, _ABOVE, lambda line: line.startswith("====="))
        return cursor.at if first is None else first

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        head = next(
            (index for index, line in lines(cursor, first, _ABOVE + 1) if _HEAD.match(line)), first
        )
        above = [cursor.line(index) for index in range(first, head)]
        commits = len(fields(cursor.line(head))) // 2 + 1
        metrics, last = list[Json](), head
        for index, line in lines(cursor, head + 1, _MOST):
            row = _row(line, commits)
            if row:
                metrics.append(row)
                last = index
            elif (line and not _PARTS.match(line)) or index > last + 3:
                break
        if not metrics:
            raise Unreadable("no metric follows", last)
        values: dict[str, Json] = {
            "parameters": _parameters(above), "commits": _commits(above), "metrics": metrics,
        }  # fmt: skip
        kept = {name: value for name, value in values.items() if value}
        return last, [self.counted("host", "", kept, prompt)]


def _row(line: str, commits: int) -> dict[str, Json] | None:
    """The metric of a row: a mean and, where it is printed, a deviation (a share) of each commit.

    None where the line is no row with so many commits.
    """
    parts = fields(line)
    if len(parts) < 2 * commits or not _NAME.fullmatch(parts[-1]):
        return None
    means, deviations, at = list[Json](), list[Json](), 0
    for number in range(commits):
        if number:
            if at >= len(parts) or not _CHANGE.fullmatch(parts[at]):
                return None
            at += 1
        if at >= len(parts) or not _NUMBER.fullmatch(parts[at]):
            return None
        means.append(float(parts[at]))
        spread = _spread(parts, at + 1)
        deviations.append(spread[0])
        at = spread[1]
    if at != len(parts) - 1:
        return None
    row: dict[str, Json] = {"metric": parts[-1], "means": means}
    return {**row, "deviations": deviations} if any(deviations) else row


def _spread(parts: Sequence[str], at: int) -> tuple[float | None, int]:
    """The deviation that stands at a place, behind a sign that mails lose, and what follows it."""
    for place in (at, at + 1):
        match = _SPREAD.fullmatch(parts[place].lstrip("±\ufffd")) if place < len(parts) else None
        if match:
            return int(match["percent"]) / 100, place + 1
        if place < len(parts) and (parts[place][0].isalnum() or parts[place][0] in "+-"):
            break
    return None, at


def _parameters(above: Sequence[str]) -> dict[str, Json]:
    """What was the same in all runs, by name; empty where a value itself has a slash."""
    for index, line in enumerate(above[:-1]):
        names = line.strip().removesuffix(":").split("/")
        values = above[index + 1].strip().split("/")
        if line.rstrip().endswith(":") and len(names) > 2 and len(names) == len(values):
            return dict(zip(names, values, strict=True))
    return {}


def _commits(above: Sequence[str]) -> list[Json]:
    """The commits in the order of their columns: hash and subject, or a tag."""
    return [
        " ".join(filter(None, match.groups()))
        for line in above
        if (match := _COMMIT.match(line) or _TAG.match(line))
    ]
