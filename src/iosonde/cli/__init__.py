"""The verbs: one file each, imported only when the verb is used."""

from __future__ import annotations

from typing import TYPE_CHECKING

from iosonde.registry import Table

if TYPE_CHECKING:
    from collections.abc import Callable

VERBS: Table[Callable[..., None]] = Table(
    "verb",
    {},
)

SUMMARIES: dict[str, str] = {}
