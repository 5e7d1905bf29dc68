"""What a campaign tells whoever watches it, beside what every run tells."""

from __future__ import annotations

from typing import Protocol

from iosonde.measure.progress import Progress
from iosonde.records.campaign import Intent, Measurement
from iosonde.tune.search.strategy import Ask, SearchStanding


class CampaignProgress(Progress, Protocol):
    """Told in the order things happen. No method may block."""

    def campaign(self, run: str, intent: Intent, candidates: int, done: int) -> None:
        """A campaign begins, or goes on after `done` measurements."""
        ...

    def asked(self, ask: Ask, changes: str, standing: SearchStanding) -> None:
        """The next measurement: what is to be changed for it, and how the search stands."""
        ...

    def measured(self, one: Measurement, standing: SearchStanding) -> None:
        """It is in the store."""
        ...

    def note(self, sentence: str) -> None:
        """Something the user should know, though the campaign goes on."""
        ...
