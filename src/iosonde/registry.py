"""The one loader of all tables: name → place, imported on first use so that start-up stays fast."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from importlib import import_module
from typing import Generic, TypeVar, cast

from iosonde.errors import UsageError

T = TypeVar("T")


class Table(Mapping[str, str], Generic[T]):
    """A literal table of what one folder holds.

    Args:
        what: what a row is, in the user's words ("layer kind", "load engine").
        rows: name → "package.module:Attribute".
    """

    def __init__(self, what: str, rows: Mapping[str, str]) -> None:
        self.what = what
        self._rows = dict(rows)

    def __getitem__(self, name: str) -> str:
        return self._rows[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def load(self, name: str) -> T:
        """Import and return the row's attribute.

        Raises:
            UsageError: no such row; the message lists what there is.
        """
        if name not in self._rows:
            near = get_close_matches(name, self._rows, n=1)
            known = ", ".join(sorted(self._rows))
            raise UsageError(
                f"there is no {self.what} {name!r}; known: {known}",
                hint=f"did you mean {near[0]!r}?" if near else "",
            )
        module, attribute = self._rows[name].split(":")
        return cast("T", getattr(import_module(module), attribute))
