"""Draws a campaign's progress: candidates left, time used, the best so far, what is next."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typing_extensions import override

from iosonde import units
from iosonde.cli.progress import LineProgress, LiveProgress
from iosonde.cli.tune_result import words
from iosonde.tune.campaign.watch import CampaignProgress

if TYPE_CHECKING:
    from iosonde.records.campaign import Intent, Measurement
    from iosonde.tune.search.strategy import Ask, SearchStanding


def opening(run: str, intent: Intent, candidates: int, done: int) -> str:
    """What is begun, and for how long."""
    goal = intent.goal
    budget = "" if goal.budget is None else f", at most {units.show_seconds(goal.budget)}"
    again = f"; {done} measurements are kept" if done else ""
    return (
        f"run {run}: {candidates} candidates, {intent.strategy}, "
        f"{'maximises' if goal.higher else 'minimises'} {goal.metric}{budget} of device time{again}"
    )


def outcome(one: Measurement, unit: str) -> str:
    """How a measurement went."""
    what = f"{one.number + 1}: {words(one.settings)}"
    if one.figure is None:
        return f"{what}: {one.reason}"
    broken = f" (breaks {', '.join(one.breaches)})" if one.breaches else ""
    return f"{what}: {units.show(one.figure, unit)}{broken}"


def standing_words(standing: SearchStanding) -> str:
    """How the search stands: who is left, the best with its interval, the time."""
    alive = sum(one.state.value == "alive" for one in standing.candidates)
    parts = [f"{alive} of {len(standing.candidates)} left"]
    # a candidate of two stages is listed twice: the present one is the last
    stands = reversed(standing.candidates)
    best = next((one for one in stands if one.candidate == standing.best), None)
    if best and best.metric:
        spread = ""
        if best.metric.ci95 and best.metric.mean:
            half = (best.metric.ci95[1] - best.metric.ci95[0]) / 2
            spread = f" {units.show_spread(half / best.metric.mean)}"
        figure = units.show(best.metric.mean, best.metric.unit)
        loops = f"{best.loops} loop{'s' * (best.loops != 1)}"
        parts.append(f"best {words(best.settings)}: {figure}{spread}, {loops}")
    left = "" if standing.left == float("inf") else f", {units.show_seconds(standing.left)} left"
    parts.append(f"{units.show_seconds(standing.used)} used{left}")
    return "; ".join(parts)


def following(ask: Ask, changes: str) -> str:
    """What is measured next, and why."""
    return f"next: {f'change {changes}' if changes else 'no change'} ({ask.why})"


class LineTuning(LineProgress, CampaignProgress):
    """For logs and pipes: two lines a measurement."""

    _unit = ""

    @override
    def campaign(self, run: str, intent: Intent, candidates: int, done: int) -> None:
        self._unit = intent.goal.unit
        self._say(opening(run, intent, candidates, done))

    @override
    def asked(self, ask: Ask, changes: str, standing: SearchStanding) -> None:
        del standing
        self._say(following(ask, changes))

    @override
    def measured(self, one: Measurement, standing: SearchStanding) -> None:
        self._say(f"{outcome(one, self._unit)}; {standing_words(standing)}")

    @override
    def note(self, sentence: str) -> None:
        self._say(f"note: {sentence}")


class LiveTuning(LiveProgress, CampaignProgress):
    """For people at a terminal: measurements scroll by, what runs now stays below them."""

    _unit = _stands = _next = ""

    @override
    def campaign(self, run: str, intent: Intent, candidates: int, done: int) -> None:
        self._unit = intent.goal.unit
        self._lines([opening(run, intent, candidates, done)])
        self._console.print("(Ctrl-C ends it cleanly: everything is put back)", style="dim")

    @override
    def asked(self, ask: Ask, changes: str, standing: SearchStanding) -> None:
        self._next, self._stands = following(ask, changes), standing_words(standing)

    @override
    def measured(self, one: Measurement, standing: SearchStanding) -> None:
        self._now.clear()
        self._seen.clear()
        self._stands = standing_words(standing)
        self._lines([f"  {outcome(one, self._unit)}"])

    @override
    def loop_begins(self, trial: str, index: int, seconds: float | None) -> None:
        """See `Progress.loop_begins`; what is discarded has no number."""
        super().loop_begins(trial, index, seconds)
        if index < 0:
            self._now[trial] = ("settling", self._now[trial][1], seconds)

    @override
    def note(self, sentence: str) -> None:
        self._lines([f"  {sentence}"])

    def _below(self) -> tuple[str, ...]:
        return tuple(text for text in (self._next, self._stands) if text)
