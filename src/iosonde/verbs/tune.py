"""Which settings are best?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from iosonde.change.guard import parse_destroy
from iosonde.change.tentative import checked_confirm
from iosonde.contract import ADDED, HIDDEN, NULL, VerbResult
from iosonde.errors import ConnectionLost, StoreFailed, UsageError
from iosonde.extras import require_extra
from iosonde.measure.progress import Progress, unwatched
from iosonde.records.campaign import Campaign, CandidateEnd, LeftOut, Native
from iosonde.records.comparison import Outcome
from iosonde.records.run import Metric, Run, RunState
from iosonde.records.stack import Scalar
from iosonde.store import open_store
from iosonde.store.owner import this_process
from iosonde.store.store import Store
from iosonde.tune.campaign.campaign import Options
from iosonde.tune.campaign.conduct import conduct, file_again
from iosonde.tune.campaign.declare import TuneFile, read_tune
from iosonde.tune.campaign.outlook import Outlook, outlook
from iosonde.verbs.ending import become_again, become_option, to_resume
from iosonde.verbs.signals import run_async

if TYPE_CHECKING:
    import polars

_NOT_NEGATIVE = {"schema": {"minimum": 0}}
_STRATEGIES = ["race", "model", "staged", "sweep", "grid"]
_STATES = ["alive", "eliminated", "equivalent", "infeasible"]
_ENDINGS = ["winner", "equivalent", "undecided", None]


@dataclass(frozen=True, slots=True)
class TunedGoal:
    """What is wanted."""

    metric: str
    unit: str
    higher: bool
    """More of it is better."""
    margin: float
    """Differences below it are not worth having."""
    budget: float | None
    """Device seconds; null: no limit."""
    limits: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TunedCandidate:
    """A candidate of the search."""

    settings: Mapping[str, Scalar]
    """LAYER.SETTING to value."""
    loops: int = field(metadata=_NOT_NEGATIVE)
    """Of the search; the proof's are apart."""
    device_seconds: float = field(metadata=_NOT_NEGATIVE)
    """Changing, settling and measuring it."""
    metric: Metric | None
    """The goal's metric over the loops; null where there are none."""
    state: str = field(metadata={"schema": {"enum": _STATES}})
    reason: str = field(metadata=NULL)
    stage: str = field(metadata={**NULL, **ADDED})
    """The layer, where the search goes layer by layer; a candidate of two stages is listed
    twice."""
    at: str = field(metadata={**NULL, **ADDED})
    """The probe point at which it was measured; null where that was not kept."""


@dataclass(frozen=True, slots=True)
class TunedWinner:
    """The answer of a campaign."""

    settings: Mapping[str, Scalar]
    """The pick where its gain is confirmed, else what was in force before."""
    gain: float | None
    """Of the pick over what was in force, by fresh loops alone; a fraction. null: they are the
    same, or it was not measured."""
    interval: tuple[float, float] | None
    confirmed: bool
    verdict: Outcome | None = field(metadata=ADDED)
    pick: Mapping[str, Scalar] = field(metadata=ADDED)
    """The search's favourite."""


@dataclass(frozen=True, slots=True)
class TunedSettings(VerbResult):
    """One campaign: what was tried, what came of it, and what is in force.

    Sizes in bytes, times in seconds, rates in 1/s and B/s, shares as fractions. A figure that is
    not known is null.
    """

    SCHEMA = "iosonde.tune/1"
    id: str
    """Of its run in the store."""
    study: str = field(metadata=ADDED)
    state: RunState
    strategy: str = field(metadata={"schema": {"enum": _STRATEGIES}})
    goal: TunedGoal = field(metadata=ADDED)
    candidates: tuple[TunedCandidate, ...]
    baseline: Mapping[str, Scalar] = field(metadata=ADDED)
    """What was in force before."""
    winner: TunedWinner | None
    """What is to be in force; null where the campaign was interrupted."""
    ending: str | None = field(metadata={"schema": {"enum": _ENDINGS}, **ADDED})
    """Of the search."""
    sentence: str | None = field(metadata=ADDED)
    device_seconds: float = field(metadata=_NOT_NEGATIVE)
    measurements: int = field(metadata={**_NOT_NEGATIVE, **ADDED})
    left_out: tuple[LeftOut, ...] = field(metadata=ADDED)
    """Values that are not tried."""
    prior: str = field(metadata={**NULL, **ADDED})
    """The file of the ranking by which the search began; null: none."""
    first: tuple[Mapping[str, Scalar], ...] = field(metadata=ADDED)
    """Candidates that were looked at first, as the prior ranks them."""
    commands: tuple[str, ...] = field(metadata=ADDED)
    """That set a proven winner and keep it over a reboot; a line that begins with # says what no
    command can."""
    native: tuple[Native, ...] = field(metadata=ADDED)
    """What keeps the winner in the hosts' own configuration, as `iosonde persist` writes it."""
    applied: bool
    """The winner is in force."""
    rolled_back: bool
    """What was in force before is in force again."""
    campaign: Campaign = field(metadata=HIDDEN)
    """As stored, with every measurement."""
    rescued: StoreFailed | None = field(metadata=HIDDEN)
    """Where the store had to be taken to another file: which, and why."""

    def frame(self) -> polars.DataFrame:
        """One row a candidate: each setting in a column of its own, then how it ended.

        Columns after the settings: mean, low, high (of 95 %), loops, device_seconds, state, reason.
        """
        import polars

        rows = []
        for candidate in self.candidates:
            low, high = (
                candidate.metric.ci95
                if candidate.metric and candidate.metric.ci95
                else (None, None)
            )
            rows.append(
                {
                    **candidate.settings,
                    "mean": candidate.metric.mean if candidate.metric else None,
                    "low": low,
                    "high": high,
                    "loops": candidate.loops,
                    "device_seconds": candidate.device_seconds,
                    "state": candidate.state,
                    "reason": candidate.reason,
                }
            )
        return polars.DataFrame(rows, infer_schema_length=None)


def tune(
    file: str | None = None,
    /,
    *,
    resume: bool = False,
    apply: bool = False,
    confirm: float = 60.0,
    destroy: Sequence[str] = (),
    in_container: bool = False,
    store: str | None = None,
    watch: Progress = unwatched,
    tell: Callable[[str], None] = lambda _: None,
    **options: Any,
) -> TunedSettings:
    """Find the best settings in the least device time: change, measure, prove, put back.

    Args:
        file: of a study. With `resume` a campaign; None: the last that stopped.
        resume: go on with an interrupted campaign.
        apply: leave a proven winner in force.
        confirm: seconds after a loop's planned end until the hosts restore all by themselves.
        destroy: devices whose content may be destroyed, "/dev/sdx" or "/dev/sdx=ext4".
        in_container: write to devices in a container too.
        store: a file or a PostgreSQL URL; None: the usual one.
        watch: hears of each measurement.
        tell: hears where else the store had to be taken to.
        options: keys of the study: budget, strategy, prior (a file), seed.

    Raises:
        UsageError, Refused: before anything is changed.
        HostFailed, LoadFailed: what ended it; measurements are kept and settings put back.
        Interrupted: a signal ended it; settings are put back.
    """
    require_extra("tune")
    checked_confirm(confirm)
    permissions = parse_destroy(destroy, in_container=in_container)
    kept = open_store(store, tell=tell)
    old = None
    try:
        study, old = _resumed(kept, file, options) if resume else (_study(file, options), None)
        doing = conduct(
            study, kept, permissions=permissions, options=Options(apply=apply, confirm=confirm),
            watch=watch, resume=old,
        )  # fmt: skip
        with become_again(old):
            run, campaign = run_async(
                doing,
                "everything is put back and all measurements are kept. "
                "`iosonde tune --resume` goes on.",
            )
    except ConnectionLost as problem:
        problem.hint += (
            f"; `iosonde rollback {become_option(old)}{problem.where}` restores what the host has "
            "not restored itself, and `iosonde tune --resume` goes on"
        )
        raise
    finally:
        kept.close()
    return tuned(run, campaign, kept.rescued)


def plan(
    file: str | None,
    *,
    destroy: Sequence[str] = (),
    in_container: bool = False,
    watch: Progress = unwatched,
    **options: Any,
) -> Outlook:
    """What `tune` would do with the same arguments: hosts are read, nothing is changed."""
    permissions = parse_destroy(destroy, in_container=in_container)
    return run_async(outlook(_study(file, options), permissions, watch))


def _study(file: str | None, options: Mapping[str, Any]) -> TuneFile:
    if file is None:
        raise UsageError(
            "say what to tune: a study's file", hint="examples/loop.yaml is one for any machine"
        )
    changes = dict(options)
    if "prior" in changes:  # relative to here, not to the study
        changes["prior"] = str(Path(changes["prior"]).absolute())
    return read_tune(Path(file), changes)


def _resumed(kept: Store, which: str | None, options: Mapping[str, Any]) -> tuple[TuneFile, Run]:
    """The study of an interrupted campaign, and its run, now ours."""
    which = to_resume(kept, which, list(options), campaign=True)
    file = file_again(kept.load(which))
    return file, kept.resume(which, owner=this_process())


def tuned(run: Run, campaign: Campaign, rescued: StoreFailed | None = None) -> TunedSettings:
    """The record of a campaign, finished or not."""
    intent, result = campaign.intent, campaign.result
    goal = intent.goal
    before = {setting.name: setting.default for setting in intent.vary}
    return TunedSettings(
        id=run.id, study=run.study, state=run.state, strategy=intent.strategy,
        goal=TunedGoal(
            goal.metric, goal.unit, goal.higher, goal.margin, goal.budget, goal.limits
        ),
        candidates=tuple(_candidate(candidate, campaign) for candidate in campaign.candidates),
        baseline=result.baseline if result else before,
        winner=_winner(campaign),
        ending=result.ending if result else None, sentence=result.sentence if result else None,
        device_seconds=campaign.device_seconds, measurements=len(campaign.measurements),
        left_out=intent.left_out, prior=intent.prior, first=intent.hopeful,
        commands=result.commands if result else (), native=result.native if result else (),
        applied=result.applied if result else False,
        rolled_back=result.rolled_back if result else True,
        campaign=campaign, rescued=rescued,
    )  # fmt: skip


def _candidate(candidate: CandidateEnd, campaign: Campaign) -> TunedCandidate:
    return TunedCandidate(
        candidate.settings,
        candidate.loops,
        candidate.device_seconds,
        candidate.metric,
        candidate.state,
        candidate.reason,
        candidate.stage,
        campaign.at(candidate),
    )


def _winner(campaign: Campaign) -> TunedWinner | None:
    if (result := campaign.result) is None:
        return None
    gain = result.gain
    return TunedWinner(
        result.winner, gain.change if gain else None, gain.interval if gain else None,
        result.confirmed, gain.outcome if gain else None, result.pick,
    )  # fmt: skip
