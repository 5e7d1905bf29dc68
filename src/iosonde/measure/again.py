"""Loops whose output could not be read: kept with their raw output, and read again later.

A newer iosonde may read what an older one could not. What is stored stays as it is; the loops are
read again whenever their run is looked at or goes on.
"""

from __future__ import annotations

from dataclasses import replace

from iosonde.errors import IosondeError, LoadFailed
from iosonde.loads import LOADS
from iosonde.loads.load import LoadEngine, result_of
from iosonde.records.load import LoadResult
from iosonde.records.run import Loop, Run, Trial


class UnreadLoop(LoadFailed):
    """A loop ran, and no result could be read of it; `loop` carries its raw output."""

    def __init__(self, loop: Loop, problem: LoadFailed, *, where: str = "") -> None:
        super().__init__(problem.message, where=problem.where or where, hint=problem.hint)
        self.loop = loop


def read_loop(engine: LoadEngine, loop: Loop, *, where: str = "") -> Loop:
    """The loop with what its raw output says.

    Args:
        engine: that ran it.
        loop: with its raw output; its result is of no account.
        where: the host, for a message that names none.

    Raises:
        UnreadLoop: there is no result in it.
    """
    try:
        return replace(loop, result=result_of(engine, loop.raw))
    except LoadFailed as problem:
        unread = LoadResult(metrics={}, units={}, unread=problem.message)
        raise UnreadLoop(replace(loop, result=unread), problem, where=where) from None


def read_again(run: Run) -> Run:
    """The run, with those of its unread loops among the others that can be read now."""
    if not any(trial.unread for trial in run.trials):
        return run
    return replace(run, trials=tuple(map(_read_again, run.trials)))


def _read_again(trial: Trial) -> Trial:
    loops, unread = list(trial.loops), list[Loop]()
    for loop in trial.unread:
        try:
            loops.append(read_loop(LOADS.load(trial.load.engine)(), loop))
        except UnreadLoop as problem:
            unread.append(problem.loop)
        except IosondeError:  # no such engine any more
            unread.append(loop)
    loops.sort(key=lambda loop: loop.index)
    return replace(trial, loops=tuple(loops), unread=tuple(unread))


def told_unread(run: Run) -> Run:
    """The run, with a sentence among the faults of a trial for each loop that is not read."""
    if not any(trial.unread for trial in run.trials):
        return run
    return replace(
        run,
        trials=tuple(
            replace(
                trial,
                faults=(*trial.faults, *(unread_fault(run.id, loop) for loop in trial.unread)),
            )
            for trial in run.trials
        ),
    )


def unread_fault(run: str, loop: Loop) -> str:
    """What could not be read, and where its raw output is."""
    return f"loop {loop.index + 1} gave no result: {loop.result.unread} ({raw_hint(run)})"


def raw_hint(run: str) -> str:
    """How to see the raw output of a run's loops."""
    return f"its raw output is kept: `iosonde export {run} --raw`"
