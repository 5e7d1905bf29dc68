"""What every report format can do: records in, bytes out, no file opened."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Protocol

from iosonde.records.comparison import ALONE, ComparedSheets
from iosonde.records.sheet import RunSheet


class Format(Protocol):
    """One way to write runs down."""

    name: ClassVar[str]
    suffix: ClassVar[str]
    """Of a file that holds it: ".html"."""

    def serialize(self, runs: Sequence[RunSheet], compared: ComparedSheets = ALONE) -> bytes:
        """The runs, first to last, with their comparison where there is one.

        Args:
            runs: at least one.
            compared: how the first run stands against the others.
        """
        ...
