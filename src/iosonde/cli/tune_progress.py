"""Text of a campaign while it goes on: candidates left, the best so far, what is next."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from typing_extensions import override

from iosonde import units
from iosonde.cli.output import styled
from iosonde.cli.progress import RunView, Said, logged, scrolled
from iosonde.cli.tune_result import settings_text
from iosonde.measure.progress import ProgressEvent, TimeLeft
from iosonde.tune.campaign.watch import (
    CampaignNote,
    CampaignStarted,
    MeasurementAsked,
    MeasurementKept,
)

if TYPE_CHECKING:
    from rich.console import RenderableType

    from iosonde.records.campaign import Measurement
    from iosonde.tune.search.strategy import SearchStanding


def opening(event: CampaignStarted) -> str:
    """What is begun, and for how long."""
    goal = event.intent.goal
    budget = "" if goal.budget is None else f", at most {units.show_seconds(goal.budget)}"
    again = f"; {event.done} measurements are kept" if event.done else ""
    return (
        f"run {event.run}: {event.candidates} candidates, {event.intent.strategy}, "
        f"{'maximises' if goal.higher else 'minimises'} {goal.metric}{budget} of device time{again}"
    )


def outcome(measurement: Measurement, unit: str) -> str:
    """How a measurement went."""
    what = f"{measurement.number + 1}: {settings_text(measurement.settings)}"
    if measurement.figure is None:
        return f"{what}: {measurement.reason}"
    broken = f" (breaks {', '.join(measurement.breaches)})" if measurement.breaches else ""
    return f"{what}: {units.show(measurement.figure, unit)}{broken}"


def standing_words(standing: SearchStanding) -> str:
    """How the search stands: who is left, the best with its interval, the time."""
    alive = sum(candidate.state.value == "alive" for candidate in standing.candidates)
    parts = [f"{alive} of {len(standing.candidates)} candidates left"]
    # a candidate of two stages is listed twice: the present one is the last
    stands = reversed(standing.candidates)
    best = next((candidate for candidate in stands if candidate.candidate == standing.best), None)
    if best and best.metric:
        spread = ""
        if best.metric.ci95 and best.metric.mean:
            half = (best.metric.ci95[1] - best.metric.ci95[0]) / 2
            spread = f" {units.show_spread(half / best.metric.mean)}"
        figure = units.show(best.metric.mean, best.metric.unit)
        loops = f"{best.loops} loop{'s' * (best.loops != 1)}"
        parts.append(f"best {settings_text(best.settings)}: {figure}{spread}, {loops}")
    return "; ".join(parts)


def following(event: MeasurementAsked) -> str:
    """What is measured next, and why."""
    change = f"change {event.changes}" if event.changes else "no change"
    return f"next: {change} ({event.ask.why})"


class CampaignView(RunView):
    """Text of a campaign, from its events."""

    def __init__(self) -> None:
        super().__init__()
        self._unit = self._next = self._stands = ""
        self._budget: float | None = None

    @override
    def take(self, event: ProgressEvent) -> list[Said]:
        match event:
            case CampaignStarted():
                goal = event.intent.goal
                self._unit, self._budget = goal.unit, goal.budget
                self.run = event.run
                text = styled(
                    "{}  [dim](Ctrl-C ends it; everything is put back)[/dim]", opening(event)
                )
                return [Said(text)]
            case MeasurementAsked():
                self._next = following(event)
                self._stand(event.standing)
                return [logged(self._next)]
            case MeasurementKept():
                return self._kept(event)
            case CampaignNote(sentence):
                return [Said(f"note: {sentence}")]
            case _:
                return super().take(event)

    def _kept(self, event: MeasurementKept) -> list[Said]:
        measurement = event.measurement
        self._now.clear()
        self._stand(event.standing)
        if event.so_far:
            self._so_far[measurement.trial] = event.so_far
        line = outcome(measurement, self._unit)
        tail = "; ".join(filter(None, (self._stands, self.left_text(time.monotonic()))))
        return [logged(f"{line}; {tail}"), scrolled(styled("  {}", line))]

    def _stand(self, standing: SearchStanding) -> None:
        """How the search stands; its budget bounds the time that is left."""
        self._stands = standing_words(standing)
        left = None if self._budget is None else max(self._budget - standing.used, 0.0)
        self._left = time.monotonic(), TimeLeft(standing.used, left, at_most=True)

    @override
    def name_of(self, trial: str) -> str:
        """Without the candidate, which the line of what is next tells."""
        return trial.partition(" [")[0]

    @override
    def panel(self, now: float, *, width: int, plain: bool) -> list[RenderableType]:
        rows = super().panel(now, width=width, plain=plain)
        below = [text for text in (self._next, self._stands) if text]
        return [*rows, *(styled("[dim]{}[/dim]", text) for text in below)]
