"""Loads whose rate was given to them: they wait between their I/Os.

Source: fio HOWTO, rate_iops and rate; fio 3.x, io_u.c, io_u_sched() (the next I/O is due at
a multiple of the time that one takes at the given rate). fio's text does not print either option.
"""

from __future__ import annotations

from iosonde.loads._rules.page_cache import run_times
from iosonde.records.evidence import TrialEvidence

_ROUND = 500  # I/Os per second; rates are asked for in such steps
_NEAR = 5e-5  # of a rate, and the I/O at its very beginning
_LEAST = 10_000  # I/Os of a direction


def is_paced(trial: TrialEvidence) -> bool:
    """Whether its rate was given to a load, by its options or by how exactly a round one was met.

    A rate that storage sets is a multiple of 500 I/Os per second to 5 parts in 100,000 by chance
    in one trial of fifty at 100,000 I/Os per second, and more rarely below.
    """
    if trial.options.get("paced"):
        return True
    times = run_times(trial)
    if len(times) != 1 or not times[0] or trial.issued.get("sync"):
        return False  # what waits for syncs is not held to a rate
    counts = [trial.issued.get(way, 0) for way in ("read", "write")]
    whole = [count for count in counts if count]
    return bool(whole) and all(_is_round(count, times[0]) for count in whole)


def _is_round(count: int, seconds: float) -> bool:
    rate = count / seconds
    wanted = round(rate / _ROUND) * _ROUND
    return count >= _LEAST and wanted > 0 and abs(rate - wanted) <= _NEAR * wanted + 1 / seconds
