"""The stored record of a campaign: what was to be found, every measurement in order, the answer.

A search and its confirmation over real hosts are one campaign, and a campaign is one run of the
store: its candidates are the run's trials, each measurement that gave a figure is a loop of one,
and what no loop can hold stands here. A report is drawn from it, and an interrupted campaign is
gone through again from it, figure by figure. This file knows only records, as stores must.

Device seconds are seconds in which the device under test was taken: changing, settling, measuring.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from iosonde.contract import NULL
from iosonde.records.comparison import Verdict
from iosonde.records.run import Metric
from iosonde.records.stack import Scalar


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A value that the study names and the search does not try, and why."""

    setting: str
    value: Scalar
    reason: str


@dataclass(frozen=True, slots=True)
class Varied:
    """One setting of the search.

    Args:
        name: "LAYER.SETTING", with "HOST/" in front where the study names one.
        values: tried, in their order; `default` is the one that was in force.
        default: among `values`.
        unsafe: of `values`, those that trade safety of data for speed.
        unit: as in units.show; empty for words and bare counts.
        rebuild: its layer is taken away and built again for a change.
        also: further settings that are set to the same value (the other end of a link).
        about: what it is on its host: the layer's id and the mechanism's address; may be empty.
    """

    name: str
    values: tuple[Scalar, ...]
    default: Scalar
    unsafe: tuple[Scalar, ...] = ()
    unit: str = ""
    rebuild: bool = False
    also: tuple[str, ...] = ()
    about: str = ""


@dataclass(frozen=True, slots=True)
class StoredGoal:
    """The goal as stored.

    Args:
        metric: by the contract's names; `unit` is its unit.
        higher: more of it is better.
        margin: fraction within which a difference is not worth having.
        level: probability granted to a gain that is none.
        pick_level: probability granted to a race's pick that is not within the margin of the best;
            None: as `level`, as in campaigns of before it was told apart.
        budget: device seconds; None: no limit.
        seconds: of a loop.
        settle: discarded after a change, at the least.
        loops: of each candidate, where the strategy has a fixed plan.
        limits: "subject to", as declared ("read.latency.p99 <= 2 ms").
    """

    metric: str
    unit: str = ""
    higher: bool = True
    margin: float = 0.01
    level: float = 0.05
    pick_level: float | None = None
    budget: float | None = None
    seconds: float = 5.0
    settle: float = 1.0
    loops: int = 5
    limits: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Intent:
    """What a campaign set out to do; stored in the run's plan under "tune".

    `allowed` names the settings whose unsafe values were asked for; `excluded` are combinations
    that are not tried; `hosts` is where the settings are; `built` says that the campaign built the
    study's stack, so that it takes it away in the end. `hopeful` are the candidates that a prior
    has put first, from the file `prior`.
    """

    strategy: str
    seed: int
    hosts: tuple[str, ...]
    vary: tuple[Varied, ...]
    goal: StoredGoal
    allowed: tuple[str, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    excluded: tuple[Mapping[str, Scalar], ...] = ()
    built: bool = False
    prior: str = ""
    hopeful: tuple[Mapping[str, Scalar], ...] = ()


@dataclass(frozen=True, slots=True)
class Measurement:
    """One measurement, as asked and as it went.

    Args:
        number: from 0, in the order in which they were made.
        part: "search" or "proof" (fresh loops that confirm the pick).
        stage: the layer, where the strategy goes layer by layer.
        settings: the candidate, "LAYER.SETTING" → value.
        trial: id of the run's trial that the candidate is.
        loop: index of the loop in that trial; None where it gave no figure.
        why: it was made.
        started: epoch seconds, when the change began.
        change_seconds: what changing took; 0 where nothing had to be changed.
        spent: device seconds of settling and measuring; None where nothing ran.
        settle: seconds that were asked to be discarded; `seconds` to be measured.
        figure: the goal's metric; None where there is none.
        discarded: the same of the discarded seconds, where known.
        breaches: limits that this loop did not keep.
        reason: why there is no figure: a value the host refused, rounded or ignored, a load that
            failed.
        changed: "NAME: before → after", what was changed on the host.
        at: name of the probe point; empty in campaigns of before there could be several.
        move_seconds: what building (or taking away) on the way to that probe point took, in the
            first measurement there. No budget counts it, as none counts the first building.
    """

    number: int
    part: str
    settings: Mapping[str, Scalar]
    trial: str
    loop: int | None
    why: str
    started: float
    change_seconds: float
    spent: float | None
    settle: float
    seconds: float
    figure: float | None
    discarded: float | None = None
    breaches: tuple[str, ...] = ()
    reason: str = ""
    stage: str = ""
    changed: tuple[str, ...] = ()
    at: str = ""
    move_seconds: float = 0.0

    @property
    def device_seconds(self) -> float:
        """What it has cost: moving, changing, settling and measuring."""
        return self.move_seconds + self.change_seconds + (self.spent or 0.0)


@dataclass(frozen=True, slots=True)
class CandidateEnd:
    """How a candidate stood at the end of the search.

    `state` is "alive", "eliminated", "equivalent" or "infeasible"; `metric` is of the search's
    loops alone, `device_seconds` what was spent on it. `stage` is the layer, where the search goes
    layer by layer; a candidate of two stages is listed twice.
    """

    settings: Mapping[str, Scalar]
    state: str
    loops: int
    device_seconds: float
    metric: Metric | None = None
    reason: str = ""
    stage: str = ""


@dataclass(frozen=True, slots=True)
class Native:
    """How a setting of the winner is kept in the host's own configuration, as `persist` writes it.

    `note` says why it has no line.
    """

    host: str
    setting: str
    file: str = field(metadata=NULL)
    line: str = field(default="", metadata=NULL)
    """Null where a word of somebody else's file is changed, or nothing can keep it."""
    note: str = field(default="", metadata=NULL)


@dataclass(frozen=True, slots=True)
class Result:
    """How a campaign ended; there is none of one that was interrupted.

    Args:
        ending: of the search: "winner", "equivalent" or "undecided".
        baseline: what was in force before.
        pick: the search's favourite; `winner` what the answer is: the pick where its gain was
            confirmed, else the baseline.
        confirmed: by fresh loops.
        gain: the pick against the baseline from fresh loops alone; None where they are the same.
        equivalent: candidates shown to be within the margin of the pick, itself included.
        candidates: at the end of the search.
        sentence: the answer in words; `reason` why the search ended.
        search: device seconds of the search, `proof` of the confirmation.
        applied: the winner was left in force.
        rolled_back: what was in force before is in force again.
        commands: that set the winner, and those that keep it over a reboot.
        native: what the latter write, and where.
    """

    ending: str
    reason: str
    baseline: Mapping[str, Scalar]
    pick: Mapping[str, Scalar]
    winner: Mapping[str, Scalar]
    confirmed: bool
    gain: Verdict | None
    sentence: str
    search: float
    proof: float
    applied: bool
    rolled_back: bool
    equivalent: tuple[Mapping[str, Scalar], ...] = ()
    candidates: tuple[CandidateEnd, ...] = ()
    commands: tuple[str, ...] = ()
    native: tuple[Native, ...] = ()


@dataclass(frozen=True, slots=True)
class Campaign:
    """A campaign as the store has it (`Store.campaign`)."""

    run: str
    intent: Intent
    measurements: tuple[Measurement, ...] = ()
    result: Result | None = None
    candidates: tuple[CandidateEnd, ...] = field(default=())
    """Of the result; of one that was interrupted: those that were measured, all alive."""

    @property
    def device_seconds(self) -> float:
        """What it has cost so far."""
        return sum(measurement.device_seconds for measurement in self.measurements)

    @property
    def places(self) -> tuple[str, ...]:
        """Names of the probe points, in the order in which they were measured at."""
        return tuple(dict.fromkeys(measurement.at for measurement in self.measurements))

    def at(self, candidate: CandidateEnd) -> str:
        """Name of the probe point at which a candidate's stage was measured; else the last."""
        stages = {made.stage: made.at for made in self.measurements}
        return stages.get(candidate.stage, self.places[-1] if self.places else "")
