"""What is shown of a campaign: tables, effects, path, proof and costs, computed from its record.

Made by `tune.sheet`, drawn by `report`. Figures are in the goal's metric, changes are fractions of
it; whichever direction is better, a verdict says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from iosonde.records.campaign import Campaign, Varied
from iosonde.records.comparison import Outcome
from iosonde.records.run import Metric
from iosonde.records.sheet import RunSheet
from iosonde.records.stack import Scalar


@dataclass(frozen=True, slots=True)
class RelativeChange:
    """A change against something, as a fraction, with what may be said of it.

    The intervals of one table hold together with the probability that its `sure` tells.
    """

    change: float
    interval: tuple[float, float]
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class ValueRow:
    """One line of a classic table: a value, its result, a note.

    Args:
        settings: of the candidate, all of them.
        value: of the table's setting; None in a table of candidates.
        metric: over the loops of the search; None where there are none.
        change: against the table's reference; None for the reference, and where nothing was fitted.
        loops: of the search.
        device_seconds: spent on it.
        note: how it stood in the end, and why.
        at: the probe point, where there are several.
    """

    settings: Mapping[str, Scalar]
    value: Scalar
    metric: Metric | None
    change: RelativeChange | None
    loops: int
    device_seconds: float
    note: str = ""
    at: str = ""


@dataclass(frozen=True, slots=True)
class ValueTable:
    """The classic table of one setting, all others held.

    Args:
        varied: the setting.
        stage: the layer, where the search went layer by layer.
        held: the other settings' values.
        reference: the row that changes are against: what was in force.
        rows: in the order of the values.
        untried: values of the setting that were not measured with the others held so.
        at: the probe point, where there are several.
    """

    varied: Varied
    stage: str
    held: Mapping[str, Scalar]
    reference: Scalar
    rows: tuple[ValueRow, ...]
    untried: tuple[Scalar, ...] = ()
    at: str = ""


@dataclass(frozen=True, slots=True)
class Level:
    """One value of a setting: how far candidates that have it lie off the mean of all, on average.

    `effect` and `interval` are fractions of the metric; the interval holds with 95 %.
    """

    value: Scalar
    effect: float
    interval: tuple[float, float]


@dataclass(frozen=True, slots=True)
class MainEffect:
    """What a setting does by itself. `span` is the largest value's effect less the smallest's."""

    varied: Varied
    levels: tuple[Level, ...]

    @property
    def span(self) -> float:
        """As a fraction."""
        effects = [level.effect for level in self.levels]
        return max(effects) - min(effects)


@dataclass(frozen=True, slots=True)
class Interaction:
    """What two settings do together beyond what each does by itself.

    `cells`: row's value, column's value, effect as a fraction. `seen`: the largest of them is
    beyond its interval, corrected for how many there are.
    """

    first: Varied
    second: Varied
    cells: tuple[tuple[Scalar, Scalar, float], ...]
    seen: bool
    largest: float


@dataclass(frozen=True, slots=True)
class Effects:
    """The fit of all loops of the search. `noise` is the spread of a loop, as a fraction.

    Of all pairs of values of two settings `together` were measured in one candidate, `apart` never:
    of these the fit knows only what adds up.
    """

    main: tuple[MainEffect, ...] = ()
    pairs: tuple[Interaction, ...] = ()
    noise: float = 0.0
    apart: int = 0
    together: int = 0
    loops: int = 0


@dataclass(frozen=True, slots=True)
class PathStep:
    """One measurement on the path of the search.

    Args:
        number: from 1.
        at: device seconds from the beginning to its end.
        part: "search" or "proof".
        settings: the candidate.
        figure: the goal's metric; None where it failed.
        alive: candidates that were measured again, or stood at the end.
        best: the highest mean so far of those.
        why: told by the search.
    """

    number: int
    at: float
    part: str
    stage: str
    settings: Mapping[str, Scalar]
    figure: float | None
    alive: int
    best: Mapping[str, Scalar] | None
    why: str


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened on the path: candidates left, the proof began.

    `number` and `at` are those of the step, `settings` the candidates that it is about.
    """

    number: int
    at: float
    what: str
    settings: tuple[Mapping[str, Scalar], ...]
    alive: int


@dataclass(frozen=True, slots=True)
class ConfirmationPair:
    """Two fresh loops: before and after, and the change as a fraction."""

    before: float
    after: float
    change: float


@dataclass(frozen=True, slots=True)
class Costs:
    """Device seconds, and what others would have taken for the same question.

    Args:
        changes: in changing settings; `settling` and measuring in `loads`.
        moves: in building on the way from one probe point to the next.
        loads: in loads.
        measurements: how many.
        one_at_a_time: five passes of a minute for each value of each setting in turn.
        grid: the same for each candidate.
        candidates: of the grid.
    """

    changes: float
    loads: float
    measurements: int
    one_at_a_time: float
    grid: float
    candidates: int
    moves: float = 0.0

    @property
    def spent(self) -> float:
        """All device seconds."""
        return self.changes + self.moves + self.loads


@dataclass(frozen=True, slots=True)
class Tuning:
    """All that a report shows of a campaign."""

    campaign: Campaign
    tables: tuple[ValueTable, ...]
    candidates: tuple[ValueRow, ...]
    effects: Effects
    path: tuple[PathStep, ...]
    events: tuple[Event, ...]
    pairs: tuple[ConfirmationPair, ...]
    costs: Costs


@dataclass(frozen=True, slots=True)
class CampaignSheet(RunSheet):
    """A run that is a campaign, with what is shown of it."""

    tuning: Tuning | None = field(default=None)
