"""Results that may be runs of the same: of these nobody says that each is of one run alone."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from iosonde.explain.series import Condition

_NUMBERED = re.compile(
    r"(?P<stem>.{0,80}?(?:[-_#]|\b(?:run|round|try|pass|loop|iteration|attempt|repeat|take) ?#?))"
    r"(?P<number>\d{1,3})(?P<after>\.[A-Za-z]{1,5})?"
)
_OF_LOAD = re.compile(
    r"(?:depth|qd|jobs?|threads?|clients?|disks?|drives?|nodes?|users?|streams?|bs|raid|level|queues?"
    r"|size|count|files?|cpus?|cores?|iod?)\W{0,2}$",
    re.IGNORECASE,
)
"""What a number counts that is none of a run."""


def are_repeats(conditions: Sequence[Condition]) -> bool:
    """Whether of most there are several runs, so that no two are of one run alone."""
    counts = Counter(_what_of(condition) for condition in conditions)
    alone = sum(count == 1 for count in counts.values())
    are_named = len(counts) > 1 or any(condition.label not in counts for condition in conditions)
    return (are_named and alone < 2) or _are_nameless(conditions)


def _what_of(condition: Condition) -> str:
    """The label without the number of a run: `on-1.fio`, `run 2`."""
    match = _NUMBERED.fullmatch(condition.label)
    if match is None or _OF_LOAD.search(match["stem"]):
        return condition.label
    return f"{match['stem']}{match['after'] or ''}"


def _are_nameless(conditions: Sequence[Condition]) -> bool:
    """Whether nothing tells them apart, as neither a name nor a command stands beside any."""
    commands = any(trial.command for condition in conditions for trial in condition.trials)
    return not commands and len({condition.label for condition in conditions}) == 1
