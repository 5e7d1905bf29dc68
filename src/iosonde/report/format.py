"""What every report format can do: records in, bytes out, no file opened."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Protocol

from iosonde.records import Verdict
from iosonde.sheets import RunSheet


class Format(Protocol):
    """One way to write runs down."""

    name: ClassVar[str]
    suffix: ClassVar[str]
    """Of a file that holds it: ".html"."""

    def serialize(self, runs: Sequence[RunSheet], verdicts: Sequence[Verdict] = ()) -> bytes:
        """The runs, first to last, with the verdicts of a comparison where there is one.

        Args:
            runs: at least one.
            verdicts: of the first run's trials against the others'; may be empty.
        """
        ...
