"""What is tried: settings with their values, which of them go together, and what is safest."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import product
from math import exp, log
from typing import TypeAlias

from iosonde.errors import UsageError
from iosonde.records.stack import Scalar

Candidate: TypeAlias = tuple[int, ...]
"""One way to set all settings: for each setting of the space, the index of its value."""


@dataclass(frozen=True, slots=True)
class Vary:
    """One setting and the values to try.

    Args:
        name: "layer.setting", unique in a space.
        values: at least one, each once.
        default: the value in force before the search; one of the values.
        unsafe: values that trade safety for speed.
        change_seconds: what a change of it costs, as far as known beforehand; learnt later.
    """

    name: str
    values: tuple[Scalar, ...]
    default: Scalar
    unsafe: tuple[Scalar, ...] = ()
    change_seconds: float = 1.0

    def __post_init__(self) -> None:
        if not self.values or len({*map(repr, self.values)}) != len(self.values):
            raise UsageError(f"{self.name} needs values, each named once", where=self.name)
        if self.default not in self.values:
            raise UsageError(
                f"the value in force, {self.default!r}, is not among those to try",
                where=self.name,
                hint="add it: every search compares with the current setting",
            )


def spread(low: float, high: float, count: int, *, ratio: bool = False) -> tuple[int, ...]:
    """Whole numbers from low to high, evenly spaced, or by a constant factor with `ratio`.

    Raises:
        UsageError: the range is empty, or starts at 0 or below with `ratio`.
    """
    if count < 2 or high <= low or (ratio and low <= 0):
        raise UsageError(
            f"no {count} values lie between {low:g} and {high:g}",
            hint="a range needs low < high, two values or more, and low > 0 for constant factors",
        )
    steps = [i / (count - 1) for i in range(count)]
    if ratio:
        points = [exp(log(low) + at * (log(high) - log(low))) for at in steps]
    else:
        points = [low + at * (high - low) for at in steps]
    return tuple(dict.fromkeys(round(point) for point in points))


@dataclass(frozen=True, slots=True)
class Space:
    """All candidates of a search.

    Args:
        vary: the settings, those nearest to the disks first.
        excluded: combinations that must not be tried: a candidate that has all the values of one
            of them is left out.
        unsafe: names of the settings whose unsafe values were asked for; all other unsafe values
            are left out.
        hopeful: candidates to look at first (prior.py); they are judged as all others are.
    """

    vary: tuple[Vary, ...]
    excluded: tuple[Mapping[str, Scalar], ...] = ()
    unsafe: tuple[str, ...] = ()
    hopeful: tuple[Candidate, ...] = ()

    def __post_init__(self) -> None:
        names = [setting.name for setting in self.vary]
        if len(set(names)) != len(names) or not names:
            raise UsageError("a space needs settings, each named once")
        for rule in self.excluded:
            if unknown := set(rule) - set(names):
                raise UsageError(f"{', '.join(sorted(unknown))} is not varied, so not excluded")

    @property
    def sizes(self) -> tuple[int, ...]:
        """The number of values of each setting."""
        return tuple(len(setting.values) for setting in self.vary)

    @property
    def baseline(self) -> Candidate:
        """What is in force; it is always a candidate, whatever is excluded or unsafe."""
        return tuple(setting.values.index(setting.default) for setting in self.vary)

    def candidates(self) -> tuple[Candidate, ...]:
        """The baseline first, then all others that may be tried."""
        base = self.baseline
        every = product(*(range(size) for size in self.sizes))
        return (
            base,
            *(candidate for candidate in every if candidate != base and self.allows(candidate)),
        )

    def allows(self, candidate: Candidate) -> bool:
        """Whether it may be tried: nothing excluded, no unsafe value that nobody asked for."""
        named = self.settings(candidate)
        for setting in self.vary:
            value = named[setting.name]
            if (
                value in setting.unsafe
                and value != setting.default
                and setting.name not in self.unsafe
            ):
                return False
        return not any(
            all(named[name] == value for name, value in rule.items()) for rule in self.excluded
        )

    def settings(self, candidate: Candidate) -> dict[str, Scalar]:
        """Setting → value."""
        return {
            setting.name: setting.values[at]
            for setting, at in zip(self.vary, candidate, strict=True)
        }

    def changed(self, before: Candidate | None, after: Candidate) -> tuple[str, ...]:
        """Names of the settings to change; all of them where nothing is known to be in force."""
        old = before or tuple(-1 for _ in after)
        return tuple(
            setting.name for setting, a, b in zip(self.vary, old, after, strict=True) if a != b
        )

    def caution(self, candidate: Candidate) -> tuple[int, int, Candidate]:
        """Sorts the safest first: fewest unsafe values, then fewest changes of what is in force."""
        named = self.settings(candidate)
        risks = sum(named[setting.name] in setting.unsafe for setting in self.vary)
        return risks, len(self.changed(self.baseline, candidate)), candidate

    def candidate(self, settings: Mapping[str, Scalar]) -> Candidate:
        """The candidate of all settings; the way back of `settings`."""
        return tuple(setting.values.index(settings[setting.name]) for setting in self.vary)

    def only(self, names: Iterable[str], winner: Candidate) -> Space:
        """The space of some settings, the others held at the winner's values."""
        free = set(names)
        held = self.settings(winner)
        vary = tuple(
            setting
            if setting.name in free
            else Vary(
                setting.name, (held[setting.name],), held[setting.name], (), setting.change_seconds
            )
            for setting in self.vary
        )
        part = Space(vary, self.excluded, self.unsafe)
        places = tuple(setting.name in free for setting in self.vary)
        hopeful = dict.fromkeys(
            tuple(at if varied else 0 for at, varied in zip(candidate, places, strict=True))
            for candidate in self.hopeful
        )
        return replace(
            part, hopeful=tuple(candidate for candidate in hopeful if candidate != part.baseline)
        )
