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
    """Whether they may be runs of the same, or several of each: nothing is of one run alone."""
    counts = Counter(condition.label for condition in conditions)
    several = sum(count > 1 for count in counts.values())
    return several > 1 or _are_nameless(conditions) or _are_numbered(conditions)


def _are_nameless(conditions: Sequence[Condition]) -> bool:
    """Whether nothing tells them apart, as neither a name nor a command stands beside any."""
    commands = any(trial.command for condition in conditions for trial in condition.trials)
    return not commands and len({condition.label for condition in conditions}) == 1


def _are_numbered(conditions: Sequence[Condition]) -> bool:
    """Whether all are runs 1, 2, 3 … of a few: `on-1.fio`, `run 2`. These are no single runs."""
    numbers: dict[tuple[str, str], set[int]] = {}
    for condition in conditions:
        match = _NUMBERED.fullmatch(condition.label)
        if match is None or _OF_LOAD.search(match["stem"]):
            return False
        numbers.setdefault((match["stem"], match["after"] or ""), set()).add(int(match["number"]))
    return all(
        len(of) > 1 and min(of) < 2 and max(of) - min(of) < len(of) for of in numbers.values()
    )
