"""A load matrix: options of a load that are lists, and all combinations of their values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from math import prod
from typing import Protocol, runtime_checkable

from iosonde import units
from iosonde.errors import UsageError
from iosonde.records.load import Load
from iosonde.records.stack import Json, Scalar

MOST_POINTS = 400
"""Of one matrix: at five loops of ten seconds that is six hours."""
_BETWEEN = 2.0  # seconds from one loop's end to the next one's start


@runtime_checkable
class VariedEngine(Protocol):
    """A load engine whose options can be lists."""

    def lists(
        self, spec: str | Mapping[str, Json], *, name: str, where: str
    ) -> Mapping[str, tuple[str, ...]]:
        """The options of a declaration that are lists, with their values as text.

        Raises:
            UsageError: a list cannot be varied, or is not the same in two sections.
        """
        ...

    def point(
        self, spec: str | Mapping[str, Json], chosen: Mapping[str, str], *, name: str, where: str
    ) -> Load:
        """The load with one value chosen for each list."""
        ...

    def coordinate(self, option: str, value: str, *, where: str) -> Scalar:
        """A value of a list as a figure: bytes, a count, or the text.

        Raises:
            UsageError: the option has no such value.
        """
        ...

    def in_flight(self, load: Load) -> int | None:
        """I/Os that the load keeps in flight; None where that is not one number."""
        ...


def require_few(lists: Mapping[str, Sequence[object]], seconds: float, where: str) -> None:
    """Refuse a matrix that is larger than anyone waits for, before its points are made.

    Args:
        lists: option → values.
        seconds: of all loops of one point.
        where: for messages.

    Raises:
        UsageError: it has too many points, or lists a value twice.
    """
    for option, values in lists.items():
        if twice := next((value for value in values if values.count(value) > 1), None):
            raise UsageError(f"{option} lists {twice} twice", where=f"{where}, {option}")
    count = prod(len(values) for values in lists.values())
    if count > MOST_POINTS:
        sizes = " × ".join(f"{len(values)} {option}" for option, values in lists.items())
        raise UsageError(
            f"the matrix has {count:,} points ({sizes}), about "
            f"{units.show_seconds(count * seconds)} at each target; at most {MOST_POINTS} are "
            "measured in one study",
            where=where,
            hint="leave out values, or split it into several studies",
        )


def loop_seconds(seconds: float | None, loops: int) -> float:
    """Seconds that all loops of a point take; loops of unknown length count as ten seconds."""
    return loops * ((10.0 if seconds is None else seconds) + _BETWEEN)


def points(lists: Mapping[str, Sequence[str]]) -> Iterator[dict[str, str]]:
    """Every combination of values, the last option varied first."""
    for values in product(*lists.values()):
        yield dict(zip(lists, values, strict=True))


def point_name(base: str, chosen: Mapping[str, str]) -> str:
    """`fio bs=4k iodepth=8`."""
    return " ".join([base, *(f"{option}={value}" for option, value in chosen.items())])
