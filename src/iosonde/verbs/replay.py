"""How fast does a target serve what a trace asks for, at the trace's times?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from iosonde.contract import HIDDEN, VerbResult
from iosonde.errors import UsageError
from iosonde.measure.progress import Progress, unwatched
from iosonde.statistics.lateness import lags
from iosonde.trace.replay import ReplayOptions, ReplayRequests, fitted, read_requests, spec_of
from iosonde.verbs.run import MeasuredRun, RunCommands, commands, ignore, run

if TYPE_CHECKING:
    from iosonde.records.run import Metric
    from iosonde.records.stack import Json


@dataclass(frozen=True, slots=True)
class ReplayedTrace(VerbResult):
    """A trace replayed at a target: how true it was to the trace. Times in seconds.

    The run with its metrics is in the store as any other (`run`). A figure that is not known is
    null: as fast as possible there are no times to keep.
    """

    SCHEMA = "iosonde.replay/1"
    run: str
    """Id of the run that `report`, `compare`, `explain` and `export` take."""
    trace: str
    target: str
    speed: float | None
    """2: twice as fast as recorded; null: as fast as possible."""
    requests: int
    reads: int
    writes: int
    flushes: int
    left_out: Mapping[str, int]
    """Why requests of the trace were not replayed, and how many."""
    length: float
    """Of the trace as replayed, from its first request to its last."""
    elapsed: float | None
    """Until the last request had ended; mean over the loops."""
    arrival_error_p50: float | None
    """How much later than in the trace requests were issued; mean over the loops."""
    arrival_error_p99: float | None
    lag: float | None
    """The same at the end: the median of the last hundredth of the requests."""
    kept_up: bool | None
    """Whether the trace's rate was kept: the lag is within 10 ms or 1 % of the length."""
    faults: tuple[str, ...]
    """What was not as in the trace, as sentences."""
    measured: MeasuredRun = field(metadata=HIDDEN)
    """The run."""


def replay(
    options: ReplayOptions,
    target: str,
    *,
    loops: int = 1,
    destroy: Sequence[str] = (),
    in_container: bool = False,
    store: str | None = None,
    progress: Progress = unwatched,
    tell: Callable[[str], None] = ignore,
) -> ReplayedTrace:
    """Issue a trace's requests again at a target, and keep what was measured as a run.

    Args:
        options: what of which trace, and how.
        target: a directory or new file (a scratch file is made there), or a device; "HOST:/PATH".
        loops: how often.
        destroy: see `run`; a trace that writes needs it on a device.
        in_container: see `run`.
        store: see `run`.
        progress: see `run`.
        tell: see `run`.

    Raises:
        UsageError: the trace cannot be replayed, or does not fit into the target.
        Refused, HostFailed, LoadFailed, Interrupted: see `run`.
    """
    asked, study = _study(options, target, loops)
    measured = run(
        None, destroy=destroy, in_container=in_container, store=store, progress=progress,
        tell=tell, **study,
    )  # fmt: skip
    spec = cast("Mapping[str, Json]", study["loads"][0]["replay"])
    return _replayed(measured, asked, spec, target, options)


def replay_commands(
    options: ReplayOptions, target: str, *, loops: int = 1, store: str | None = None
) -> RunCommands:
    """What `replay` would run with the same arguments."""
    return commands(None, store=store, **_study(options, target, loops)[1])


def _study(
    options: ReplayOptions, target: str, loops: int
) -> tuple[ReplayRequests, dict[str, Any]]:
    """The requests, and the keys of a study that replays them."""
    if options.trace == "-":
        raise UsageError("a trace that is replayed is read twice", hint="give a file")
    path = Path(options.trace).expanduser().absolute()
    options = replace(options, trace=str(path))
    asked = read_requests(options)
    if options.size is not None:  # else the target's, which is known when it is there
        fitted(asked, options.size, options)
    speed = "full speed" if options.speed is None else f"speed {options.speed:g}"
    name = path.name if options.speed == 1 else f"{path.name}, {speed}"
    study: dict[str, Any] = {
        "study": f"replay {path.name}", "targets": [target], "loops": loops,
        "loads": [{"name": name, "replay": spec_of(options, asked)}],
    }  # fmt: skip
    return asked, study


def _replayed(
    measured: MeasuredRun, asked: ReplayRequests, spec: Mapping[str, Json], target: str,
    options: ReplayOptions,
) -> ReplayedTrace:  # fmt: skip
    (trial,) = measured.trials
    metrics = trial.metrics

    def mean(name: str) -> float | None:
        metric: Metric | None = metrics.get(name)
        return metric.mean if metric else None

    length, lag = cast("float", spec["length"]), mean("arrival.lag")
    return ReplayedTrace(
        run=measured.id,
        trace=options.trace,
        target=target,
        speed=options.speed,
        requests=cast("int", spec["requests"]),
        reads=cast("int", spec["reads"]),
        writes=cast("int", spec["writes"]),
        flushes=cast("int", spec["flushes"]),
        left_out=asked.left_out,
        length=length,
        elapsed=mean("elapsed"),
        arrival_error_p50=mean("arrival.error.p50"),
        arrival_error_p99=mean("arrival.error.p99"),
        lag=lag,
        kept_up=None if lag is None else not lags(lag, length),
        faults=trial.faults,
        measured=measured,
    )
