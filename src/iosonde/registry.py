"""The one loader of all tables: name → place, imported on first use so that start-up stays fast.

Packages that are installed beside iosonde add rows by entry points, whose group a table names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from functools import cache, cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Generic, TypeVar, cast

from iosonde.errors import UsageError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

T = TypeVar("T")


class Table(Mapping[str, str], Generic[T]):
    """A literal table of what one folder holds.

    Args:
        what: what a row is, in the user's words ("layer kind", "load engine").
        rows: name → "package.module:Attribute"; or what says them when they are first asked for.
        group: of the entry points by which other packages add rows; empty: none can.
    """

    def __init__(
        self, what: str, rows: Mapping[str, str] | Callable[[], Mapping[str, str]], group: str = ""
    ) -> None:
        self.what = what
        self.group = group
        self._given = rows

    @cached_property
    def _own(self) -> Mapping[str, str]:
        return dict(self._given() if callable(self._given) else self._given)

    @cached_property
    def _rows(self) -> Mapping[str, str]:
        """Our own rows and those of other packages, read on first use.

        Raises:
            UsageError: a package takes a name that is taken.
        """
        rows = dict(self._own)
        for added in _added(self.group) if self.group else ():
            if added.name in rows:
                raise UsageError(
                    f"the {self.what} {added.name!r} of package {_package(added)} has a name "
                    "that is taken",
                    hint=f"choose another name for it, or uninstall {_package(added)}",
                )
            rows[added.name] = added.value
        return rows

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
            names = ", ".join(sorted(self._rows))
            raise UsageError(
                f"there is no {self.what} {name!r}{'' if near else f'; known: {names}'}",
                hint=f"did you mean {near[0]!r}?" if near else "",
            )
        module, _, attribute = self._rows[name].partition(":")
        if name in self._own:
            return cast("T", getattr(import_module(module), attribute))
        return cast("T", self._load_added(name))

    def _load_added(self, name: str) -> object:
        (added,) = [row for row in _added(self.group) if row.name == name]
        try:
            return added.load()
        except Exception as problem:
            raise UsageError(
                f"the {self.what} {name!r} of package {_package(added)} cannot be loaded: "
                f"{type(problem).__name__}: {problem}",
                where=added.value,
                hint=f"mend or uninstall {_package(added)}",
            ) from problem


def in_folders(room: str, folders: Sequence[str], table: str) -> Callable[[], Mapping[str, str]]:
    """Rows that stand in the folders of what they are about.

    They are in the order of their names, whatever folder each is in.

    Args:
        room: package that has the folders.
        folders: that may have rows.
        table: what each calls its own.
    """

    def rows() -> Mapping[str, str]:
        tables = [getattr(import_module(f"{room}.{folder}"), table, {}) for folder in folders]
        return dict(sorted(row for own in tables for row in own.items()))

    return rows


@cache
def _added(group: str) -> tuple[EntryPoint, ...]:
    """Rows that installed packages add, by name; a package that is there twice counts once."""
    from importlib.metadata import entry_points  # 10 ms, which --help does not pay

    rows = {(row.name, row.value): row for row in entry_points(group=group)}
    return tuple(rows[key] for key in sorted(rows))


def _package(row: EntryPoint) -> str:
    return row.dist.name if row.dist else row.module.partition(".")[0]
