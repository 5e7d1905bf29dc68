"""What a campaign reports beside what every run reports."""

from __future__ import annotations

from dataclasses import dataclass

from iosonde.measure.progress import HeadlineSoFar, ProgressEvent
from iosonde.records.campaign import Intent, Measurement
from iosonde.tune.search.strategy import Ask, SearchStanding


@dataclass(frozen=True, slots=True)
class CampaignStarted(ProgressEvent):
    """A campaign begins, or goes on after `done` measurements."""

    run: str
    intent: Intent
    candidates: int
    done: int


@dataclass(frozen=True, slots=True)
class MeasurementAsked(ProgressEvent):
    """The next measurement: what is to be changed for it, and how the search stands."""

    ask: Ask
    changes: str
    standing: SearchStanding


@dataclass(frozen=True, slots=True)
class MeasurementKept(ProgressEvent):
    """A measurement is in the store; its candidate so far, None where it has no loop."""

    measurement: Measurement
    standing: SearchStanding
    so_far: HeadlineSoFar | None


@dataclass(frozen=True, slots=True)
class CampaignNote(ProgressEvent):
    """Something the user should know, though the campaign goes on."""

    sentence: str
