"""Layer by layer, from the disks up: each stage stands on the winners of those below.

A stage varies the settings of one layer and holds all others. It is a race, or a model where the
layer has too many candidates for one, and each stage confirms its winner by fresh loops: what is
not proven leaves its layer as it is. What is left of the budget is shared evenly among the stages
to come.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING

from iosonde.tune.search.strategy import (
    Ask,
    Ending,
    Goal,
    Observation,
    SearchResult,
    SearchStanding,
)
from iosonde.tune.search.verdict import Proven

if TYPE_CHECKING:
    from iosonde.tune.search.space import Candidate, Space
    from iosonde.tune.search.strategy import Strategy

_FIELD = 24  # candidates; a larger field is left to the model


@dataclass(frozen=True, slots=True)
class Stage:
    """A finished stage: the layer, what its search found, and the winner of all stages so far."""

    layer: str
    result: SearchResult
    winner: Candidate


class Staged:
    """See the module. `stages` are those that are finished.

    A stage is made of neighbouring settings of the space whose names have the same layer, which is
    what stands before the last dot.
    """

    def __init__(self, space: Space, goal: Goal, *, seed: int = 0) -> None:
        self.space, self.goal, self._seed = space, goal, seed
        self._groups = _groups(space)
        self.stages: list[Stage] = []
        self._current = space.baseline
        self._used = 0.0
        self._stands: list[SearchStanding] = []
        self._search: Strategy | None = self._begin()

    @classmethod
    def looks_first(cls, space: Space) -> bool:
        """See `Begin.looks_first`: in those stages that are too large for a race."""
        parts = (space.only(names, space.baseline) for _, names in _groups(space))
        return any(part.hopeful and len(part.candidates()) > _FIELD for part in parts)

    def ask(self) -> Ask | None:
        """The present stage's next measurement; None when the topmost is done."""
        while self._search:
            if asked := self._search.ask():
                layer = self._layer
                candidate = self._lift(asked.candidate)
                return replace(asked, candidate=candidate, why=f"{layer}: {asked.why}", stage=layer)
            self._finish()
        return None

    def tell(self, observation: Observation) -> None:
        """To the present stage."""
        if self._search is None:
            raise RuntimeError("no measurement was asked for")
        self._search.tell(observation)

    def standing(self) -> SearchStanding:
        """Candidates of all stages so far, in order; used and left of the whole search."""
        now = self._search.standing() if self._search else None
        stands = [
            replace(stand, candidate=self._lift(stand.candidate), stage=self._layer)
            for stand in (now.candidates if now else ())
        ]
        done = [stand for standing in self._stands for stand in standing.candidates]
        used = self._used + (now.used if now else 0.0)
        left = max(self.goal.budget - used, 0.0)
        best = self._lift(now.best) if now else self._current
        return SearchStanding((*done, *stands), best, used, left, now.next if now else "")

    def result(self) -> SearchResult:
        """All winners together."""
        open_ends = [
            stage.layer for stage in self.stages if stage.result.ending is Ending.UNDECIDED
        ]
        if self._search:
            reason = "not all stages are done"
        elif open_ends:
            reason = f"left as they are: {', '.join(open_ends)}"
        else:
            reason = "all stages are decided"
        last = self.stages[-1].result if self.stages else None
        ending = Ending.WINNER
        if self._current == self.space.baseline:
            ending = Ending.UNDECIDED if open_ends or self._search else Ending.EQUIVALENT
        pick = self._current
        variance, freedom = (last.variance, last.freedom) if last else (0.0, 0.0)
        return SearchResult(ending, pick, (pick,), reason, variance, freedom)

    def _begin(self) -> Strategy | None:
        """The search of the next stage that has something to vary."""
        while len(self.stages) < len(self._groups):
            layer, names = self._groups[len(self.stages)]
            part = self.space.only(names, self._current)
            share = max(self.goal.budget - self._used, 0.0) / (len(self._groups) - len(self.stages))
            goal = replace(self.goal, budget=share)
            field = len(part.candidates())
            seed = self._seed + len(self.stages)
            if field > 1:
                return Proven("race" if field <= _FIELD else "model", part, goal, seed=seed)
            alone = SearchResult(Ending.EQUIVALENT, self._current, (), "nothing to vary")
            self.stages.append(Stage(layer, alone, self._current))
        return None

    def _finish(self) -> None:
        """Takes the stage's winner into force for the stages above."""
        if self._search is None:
            return
        stand, result = self._search.standing(), self._search.result()
        self._used += stand.used
        lifted = [
            replace(candidate, candidate=self._lift(candidate.candidate), stage=self._layer)
            for candidate in stand.candidates
        ]
        self._stands.append(replace(stand, candidates=tuple(lifted)))
        if result.ending is Ending.WINNER:
            self._current = self._lift(result.pick)
        self.stages.append(Stage(self._layer, result, self._current))
        self._search = self._begin()

    @property
    def _layer(self) -> str:
        """Of the present stage."""
        return self._groups[len(self.stages)][0]

    def _lift(self, candidate: Candidate) -> Candidate:
        """The whole space's candidate for one of the present stage."""
        names = self._groups[len(self.stages)][1]
        return tuple(
            part if setting.name in names else whole
            for setting, part, whole in zip(self.space.vary, candidate, self._current, strict=True)
        )


def stages_of(space: Space) -> tuple[tuple[str, int], ...]:
    """The stages in their order: a layer, and the number of its candidates."""
    return tuple(
        (layer, len(space.only(names, space.baseline).candidates()))
        for layer, names in _groups(space)
    )


def _groups(space: Space) -> list[tuple[str, list[str]]]:
    """The stages: a layer and the names of its settings."""
    names = (setting.name for setting in space.vary)
    return [(layer, list(group)) for layer, group in groupby(names, key=layer_of)]


def layer_of(name: str) -> str:
    """The stage of a setting: what stands before the last dot of its name."""
    return name.rpartition(".")[0]
