"""Trials whose rates somebody limited on purpose: of them no order by rates is a result.

Source: fio's HOWTO, rate and rate_iops; for limits of a host and of a volume `text/rate_limits.py`.
"""

from __future__ import annotations

import re

from iosonde.loads._pacing import is_paced
from iosonde.records.evidence import TrialEvidence
from iosonde.statistics.direction import higher_is_better
from iosonde.text.rate_limits import says_limit

_RATE = re.compile(r"(?<![\w-])-{1,2}rate(?:_iops|_process)?[= ]")
_OTHERWISE = re.compile(r"(?<![\w-])-{1,2}(?:thinktime|latency_target|flow|read_iolog)[= ]")
"""What else paces a load, and leaves its rate to be a result."""


def is_limited(trial: TrialEvidence) -> bool:
    """Whether the rate that stands for a trial was given to it: by its command or around it."""
    if not higher_is_better(trial.headline):
        return False
    paced = is_paced(trial) and not _OTHERWISE.search(trial.command)
    of_one_job = trial.command.count("-name") <= 1
    if paced or (of_one_job and _RATE.search(trial.command)) or says_limit(trial.command):
        return True
    return any(
        says_limit(f"{name}={value}") or says_limit(value) for name, value in trial.changes.items()
    )
