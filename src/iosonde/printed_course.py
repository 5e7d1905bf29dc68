"""What became of a device in a text: its values from all tools that show it, and how they changed.

A device is the same where its name and host are, whatever tool shows it, unless its values say that
it is another of that name: another model or serial number, or a disk that has become smaller.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from iosonde.printed_names import bare_name
from iosonde.printed_order import CONDITIONS, Telling
from iosonde.printed_summary import TELLING, TROUBLES
from iosonde.visible import visible, with_name

_VALUES = 5  # of a device
_CHANGED = 4  # of these at a later moment
_PLACES = 2  # by whose lines a moment is named
_TOOLS = 2  # that are named
_SMALLER = 0.95  # of what it was: no rounding
_SEVERAL_TOOLS = TROUBLES | {"working_slots"}
"""What all tools say alike: a change shows between two of them, too."""
_STATE_AGAIN = "array_state"
_SAID_ALONE = (CONDITIONS | TROUBLES) - {_STATE_AGAIN}
"""What has changed, too, where only one of two phases says it."""
_USAGE = frozenset({"size", "used", "free", "available", "used_share", "data_used_share", "full"})
_GROWN = 0.05  # of its size
_FILLED = 0.04  # of its room
FIGURES = ""
"""The name of what counters say in a single phrase."""


class Moment(NamedTuple):
    """What an output says of a device.

    Args:
        device: as it is said: its name, or its kind where it has none.
        key: by which it is known again; empty where it has no name.
        phrases: its values in words, by their names, those that tell most first.
        weight: of two that tell alike, the heavier is said first: the share that is used or busy.
        members: what of it failed, and how.
        identity: values that stay as long as it is the same device.
        size: in bytes; 0 where that is not known.
        is_fixed: whether it is of a disk or partition, which does not shrink.
        figure: the first number that is said of it, and its name.
        is_made: whether the output says that it was made or changed.
        is_idle: whether it is of counters that are all zero.
        below: the devices that its values name, as a mount point's do.
        absent: names of the troubles that it says it has none of.
        file: that it stands in.
    """

    device: str
    key: str
    kind: str
    host: str
    tool: str
    lines: str
    telling: Telling
    phrases: Mapping[str, str]
    weight: float = 0.0
    members: tuple[str, ...] = ()
    identity: Mapping[str, str] = {}
    size: float = 0.0
    is_fixed: bool = False
    figure: tuple[str, float] = ("", 0.0)
    is_made: bool = False
    is_counted: bool = False
    is_idle: bool = False
    below: tuple[str, ...] = ()
    absent: frozenset[str] = frozenset()
    file: str = ""


@dataclass(slots=True)
class _Phase:
    """What moments say together, as long as nothing changes between them."""

    phrases: dict[str, str] = field(default_factory=dict)
    moments: dict[str, Moment] = field(default_factory=dict)
    """By the names of the phrases that they said first."""
    by_tool: dict[tuple[str, str], str] = field(default_factory=dict)
    """What each tool said, by its name and that of the value."""
    members: tuple[str, ...] = ()
    telling: Telling = Telling.SURROUNDINGS
    weight: float = 0.0
    size: float = 0.0

    def add(self, moment: Moment) -> None:
        """Takes what a moment says that was not said yet."""
        for name, phrase in moment.phrases.items():
            self.by_tool.setdefault((moment.tool, name), phrase)
            if phrase not in self.phrases.values() and not self._says_state(name):
                self.phrases.setdefault(name, phrase)
                self.moments.setdefault(name, moment)
        if "state" in self.phrases:
            self.phrases.pop(_STATE_AGAIN, None)
        self.members = self.members or moment.members
        self.telling = min(self.telling, moment.telling)
        self.weight = max(self.weight, moment.weight)
        self.size = max(self.size, moment.size)

    def _says_state(self, name: str) -> bool:
        """Whether a value is the state once more, in the words of another tool."""
        return name == _STATE_AGAIN and "state" in self.phrases

    def ends_with(self, moment: Moment) -> bool:
        """Whether a moment says otherwise than the same tool did, or a trouble begins or ends."""
        if not moment.absent.isdisjoint(self.phrases):
            return True
        for name, phrase in moment.phrases.items():
            said = self.by_tool.get((moment.tool, name))
            if said is None and name in _SEVERAL_TOOLS:
                said = self.phrases.get(name)
            if said is not None and said != phrase:
                return True
        states = CONDITIONS | TROUBLES
        says_state = not states.isdisjoint(moment.phrases)
        was_bad, is_bad = (each.telling is Telling.TROUBLE for each in (self, moment))
        said_state = not states.isdisjoint(self.phrases)
        return says_state and said_state and was_bad != is_bad

    def places(self, names: Sequence[str]) -> str:
        """`lines 3–5, 9–11`: where values of these names stand."""
        lines = dict.fromkeys(self.moments[name].lines for name in names if name in self.moments)
        first = sorted(list(lines)[:_PLACES], key=_first_line)
        return f"lines {', '.join(first)}"


class Course:
    """A device through a text."""

    def __init__(self, moment: Moment) -> None:
        self.device, self.key = moment.device, moment.key
        self.kind, self.host, self.figure = moment.kind, moment.host, moment.figure
        self.file = moment.file
        self.is_counted, self.is_made, self.is_idle = moment.is_counted, False, True
        self.below: dict[str, None] = {}
        self.first_lines = moment.lines
        self.tools: dict[str, None] = {}
        self._identity: dict[str, str] = {}
        self._is_fixed, self._size = False, 0.0
        self._sizes: dict[str, tuple[float, float]] = {}
        self._first = self._peak = self._last = _Phase()
        self.add(moment)

    def is_of(self, moment: Moment) -> bool:
        """Whether a moment of this name can be of the same device."""
        differs = any(
            self._identity.get(name, value) != value for name, value in moment.identity.items()
        )
        is_smaller = 0 < moment.size < self._size * _SMALLER
        return not differs and not (is_smaller and (moment.is_fixed or self._is_fixed))

    def is_sized_as(self, moment: Moment) -> bool:
        """Whether a moment says no other size: what names no host may be of another one."""
        first, last = self._sizes.get(moment.tool, (moment.size, moment.size))
        return not moment.size or moment.size in {first, last}

    def add(self, moment: Moment) -> None:
        """Takes the next moment."""
        self._identity = {**moment.identity, **self._identity}
        self._is_fixed = self._is_fixed or moment.is_fixed
        self._size = max(self._size, moment.size)
        if moment.size:
            first, _ = self._sizes.get(moment.tool, (moment.size, 0.0))
            self._sizes[moment.tool] = first, moment.size
        self.tools.setdefault(moment.tool)
        self.is_made = self.is_made or moment.is_made
        self.is_idle = self.is_idle and moment.is_idle
        self.below |= dict.fromkeys(moment.below)
        if self._last.ends_with(moment):
            self._last = _Phase()
        self._last.add(moment)
        self._peak = min(self._peak, self._last, key=_order)

    @property
    def telling(self) -> Telling:
        """What it told most at any time."""
        return self._peak.telling

    @property
    def weight(self) -> float:
        """How full or busy it was at most."""
        return self._peak.weight

    @property
    def phrases(self) -> Mapping[str, str]:
        """What is said of it first."""
        return self._first.phrases

    @property
    def has_changed(self) -> bool:
        """Whether its state, its size or other values changed; not a little of what is used."""
        if self._last is self._first:
            return False
        if any(abs(last / first - 1) > _GROWN for first, last in self._sizes.values()):
            return True
        shares = [each.weight for each in (self._first, self._peak, self._last) if each.weight]
        if shares and max(shares) - min(shares) > _FILLED:
            return True
        return not _USAGE.issuperset(self._changed([self._first, self._peak, self._last]))

    def name(self) -> str:
        """`md0 on node1`."""
        return " on ".join(filter(None, (visible(bare_name(self.device)), visible(self.host))))

    def tool_names(self) -> str:
        """`mdadm, mdstat`: the first that show it."""
        return ", ".join(list(self.tools)[:_TOOLS])

    def sentence(self, name: str = "", common: Sequence[str] = ()) -> str:
        """`df: /: used share 74 % (lines 3–5), then used share 31 % (lines 9–11)`.

        Args:
            name: of the devices that it is said of, where it is of several.
            common: names of the values that these have in common.
        """
        phases = [self._first]
        phases += [
            phase for phase in (self._peak, self._last)
            if all(phase is not other for other in phases)
        ]  # fmt: skip
        if self._peak is self._last:
            phases = phases[:2]
        changed = self._changed(phases)
        first = self._first.phrases
        unchanged = (key for key in first if key not in changed)
        names = [key for key in (*changed, *sorted(unchanged, key=_place)) if key in first]
        names = sorted(common or names[:_VALUES], key=_place)
        said = ", ".join((*(first[key] for key in names), *self._first.members))
        name = name or self.name()
        text = f"{with_name(name, said) if name else said} ({self._first.places(names)})"
        before = self._first
        for phase in phases[1:]:
            names = [key for key in changed if key in phase.phrases][:_CHANGED]
            names = names or list(phase.phrases)[:_CHANGED]
            differs = any(before.phrases.get(key) != phase.phrases[key] for key in names)
            if differs or before.members != phase.members:
                said = ", ".join((*(phase.phrases[key] for key in names), *phase.members))
                text += f", then {said} ({phase.places(names)})"
            before = phase
        return f"{self.tool_names()}: {text}"

    def _changed(self, phases: Sequence[_Phase]) -> Sequence[str]:
        """Names of what differs between phases, and of conditions that a later one says alone."""
        every = [phase.phrases for phase in phases]
        names = dict.fromkeys(name for phrases in every for name in phrases)
        changed = [
            name for name in names
            if len({phrases[name] for phrases in every if name in phrases}) > 1
            or (name in _SAID_ALONE and not all(name in phrases for phrases in every))
        ]  # fmt: skip
        return sorted(changed, key=_place)


def _order(phase: _Phase) -> tuple[int, float, float]:
    """When it was worst, fullest, largest."""
    return phase.telling, -phase.weight, -phase.size


def _place(name: str) -> int:
    """Where a value stands among those that tell most."""
    return TELLING.index(name) if name in TELLING else len(TELLING)


def _first_line(lines: str) -> int:
    """Of `7–9` the first."""
    first = lines.partition("–")[0]
    return int(first) if first.isdecimal() else 0
