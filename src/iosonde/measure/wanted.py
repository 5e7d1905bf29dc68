"""Which trials of a plan want another loop.

A state of the device decides where the study asks for one, else its stop rule and what it requires.
"""

from __future__ import annotations

from collections.abc import Mapping

from iosonde import units
from iosonde.measure.growing import GrowingTrial
from iosonde.measure.passes import PassesToState
from iosonde.measure.plan import Plan
from iosonde.measure.requirements import are_decided, declared
from iosonde.measure.stop import StopRule


class LoopsWanted:
    """What the study of a plan asks for.

    Args:
        plan: with the study.
        done: its trials as far as they are measured, by their ids.
        passes: what decides alone where loops depend on a state of the device.
    """

    def __init__(
        self, plan: Plan, done: Mapping[str, GrowingTrial], passes: PassesToState | None
    ) -> None:
        self._study, self._done, self._passes = plan.study, done, passes
        self._trials = sum(map(len, plan.rounds))
        self._requirements = declared({"require": plan.study.require})

    def more(self, trial: GrowingTrial | None) -> bool:
        """Whether a trial wants another loop; None: it has none yet."""
        if trial is None:
            return True
        if self._passes:
            return self._passes.wants_more(trial, self._done)
        if StopRule.of(self._study.loops, self._study.until).wants_more(
            trial.headlines, trial.spent
        ):
            return True
        return bool(self._requirements) and self._lacks_a_decision(trial)

    def _lacks_a_decision(self, trial: GrowingTrial) -> bool:
        """Whether a requirement is not decided yet, and there is time for another loop."""
        study = self._study
        budget = study.until.max_seconds if study.until else study.max_seconds
        if trial.spent + trial.spent / max(len(trial), 1) > budget:
            return False
        return not are_decided(
            self._requirements, trial.trial.counted, first=study.loops, trials=self._trials
        )

    def unreached(self, trial: str) -> str:
        """Why a trial's loops did not give what was asked for; empty where they did."""
        if self._passes:
            return self._passes.unreached(trial, self._done)
        until = self._study.until
        if until is None or StopRule.of(0, until).reached(self._done[trial].headlines):
            return ""
        wanted = (
            "steady state" if until.steady else f"± {units.show_fraction(until.halfwidth or 0)}"
        )
        return (
            f"{wanted} was not reached within {units.show_seconds(until.max_seconds)}; "
            "the table says what was"
        )
