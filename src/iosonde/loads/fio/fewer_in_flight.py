"""Why a load had fewer I/Os in flight than it asked for.

Source:
    fio HOWTO, "Interpreting the output", IO depths ("each entry covers depths from that value up
    to those that are lower than the next entry"); fio 3.x, stat.c, stat_calc_dist(): what was seen
    at all is shown as 0.1 % at least, so 0.0 % means never; engines/posixaio.c,
    fio_posixaio_queue(): EAGAIN of the system ends what is submitted; aio_write(2) of macOS and
    aio(4) of FreeBSD, limits per process and of the whole system.
"""

from __future__ import annotations

from collections.abc import Mapping

from iosonde.loads.fio.options import SYNCHRONOUS
from iosonde.records.evidence import TrialEvidence
from iosonde.records.stack import Json

_NEAR = 0.25
"""How far from one for each job the I/Os in flight may be to be called that."""
_ENGINE = (
    "Look at the engine (libaio and io_uring keep many in flight with direct I/O, synchronous ones "
    "never), at stalls (samples by the second) and at the CPU of the load."
)
_LIMITED: Mapping[str, str] = {
    "posixaio": "Look at the system's limits on asynchronous I/O, for a process and for all "
    "(sysctl kern.aioprocmax and kern.aiomax on macOS, vfs.aio on FreeBSD): raise them, or use "
    "more jobs (--numjobs) until the limit for all is reached. Ask for no more than is kept, and "
    "compare latencies at the number that really was in flight.",
    "libaio": "Use direct I/O (--direct=1): without it io_submit() waits for most I/Os itself.",
}
"""Engine → what can be done about a limit of its own or of the system."""
_OTHERS = (
    "Look at the limits of the engine and of the system, at fio's batches (iodepth_batch) and at "
    "the CPU of the load; compare latencies at the number that really was in flight."
)


def why_fewer(
    trial: TrialEvidence, flying: float, jobs: int, *, has_syncs: bool
) -> tuple[str, str]:
    """A cause, as the end of a sentence, and a remedy.

    Args:
        trial: that had fewer I/Os in flight than its depth and jobs ask for.
        flying: how many it had on average.
        jobs: that they are of.
        has_syncs: they are I/Os and syncs together.
    """
    depth = trial.options.get("iodepth")
    engine = str(trial.options.get("ioengine", ""))
    is_deep = isinstance(depth, int) and depth > 1
    if is_deep and (engine in SYNCHRONOUS or abs(flying - jobs) <= _NEAR * jobs):
        kind = f" ({engine})" if engine else ""
        return (
            f"each job kept one, as a synchronous engine{kind} does whatever the iodepth says",
            _ENGINE,
        )
    never = never_reached(trial)
    if isinstance(depth, int) and never is not None and never <= depth:
        of_each = "" if jobs == 1 else "a job of "
        return (
            f"{of_each}it never had {never} or more in flight at once, whatever was asked for: it "
            "did not stall, the engine or the system keeps fewer",
            _remedy(trial, engine),
        )
    if has_syncs:
        return (
            "a job that waits for a sync submits less meanwhile, and the engine or the system may "
            "allow fewer: the figures do not say which it was",
            "Measure the same load without fsync to see which it is, and compare latencies only "
            "between trials that really had the same number in flight.",
        )
    return (
        "for the rest of the time it had fewer in flight than asked for: it was stalled, throttled "
        "or CPU-bound",
        _ENGINE,
    )


def _remedy(trial: TrialEvidence, engine: str) -> str:
    is_direct = str(trial.options.get("direct", "")).lower() in {"1", "true"}
    return _OTHERS if engine == "libaio" and is_direct else _LIMITED.get(engine, _OTHERS)


def never_reached(trial: TrialEvidence) -> int | None:
    """The least power of two that no I/O of a job found in flight; None where it is not known."""
    depths = trial.details.get("depths")
    if not isinstance(depths, dict):
        return None
    shares = {_bound(key): share for key, share in depths.items()}
    reached = [bound for bound, share in shares.items() if _is_some(share)]
    above = [bound for bound in shares if bound > max(reached, default=bound)]
    return min(above) if reached and above else None


def _bound(bucket: str) -> int:
    """The least depth of a bucket: "16" has depths from 16 to 31, ">=64" all others."""
    digits = bucket.removeprefix(">=")
    return int(digits) if digits.isdecimal() else 0


def _is_some(share: Json) -> bool:
    return isinstance(share, int | float) and share > 0
