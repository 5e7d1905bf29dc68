"""What the first lines say of a text's states and counters: of those that tell most."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from iosonde.printed_order import (
    Telling,
    counters_telling,
    share_of,
    state_telling,
    subject_telling,
)
from iosonde.printed_summary import TELLING, counted_said, first_said, messages_said, values_said
from iosonde.records.printed import PrintedCounters, PrintedState, PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.visible import visible, with_name

_NAMED = 3  # devices that are alike
_SAID = 2  # outputs


class Answer(NamedTuple):
    """What the first lines may say of a state or of counters.

    Args:
        name: of the device or devices that it is said of; "" for the host.
        said: its values.
        weight: of two that tell alike, the heavier is said first: the share that is used or busy.
    """

    name: str
    said: str
    weight: float = 0.0

    def text(self) -> str:
        """`md0: state clean, level raid5`."""
        return with_name(visible(self.name), self.said) if self.name else self.said


class SaidOutput(NamedTuple):
    """What may be said first of an output without results."""

    telling: Telling
    tool: str
    answer: Answer
    lines: str
    host: str = ""
    counted: bool = False
    """Whether it is of counters."""


@dataclass(slots=True)
class _Shown:
    """What a tool shows of a device: first, last, and when it was worst, fullest or busiest."""

    first: SaidOutput
    peak: SaidOutput
    last: SaidOutput

    def add(self, output: SaidOutput) -> None:
        """Takes what it shows next."""
        self.last = output
        self.peak = min(self.peak, output, key=_order)

    def order(self) -> tuple[int, float]:
        """What is in trouble at any time comes first, then what is full or busy."""
        return _order(self.peak)

    def sentence(self) -> str:
        """`df: /: used share 74 % (lines 3–5), then used share 31 % (lines 9–11)`."""
        said, now = f"{self.first.tool}: {_said_of(self.first, named=True)}", self.first
        for later in (self.peak, self.last):
            if later.answer.said != now.answer.said:
                said, now = f"{said}, then {_said_of(later)}", later
        return said


def _order(output: SaidOutput) -> tuple[int, float]:
    return output.telling, -output.answer.weight


def _said_of(output: SaidOutput, *, named: bool = False) -> str:
    answer = output.answer
    if named:
        name = " on ".join(filter(None, (answer.name, output.host)))
        return f"{answer._replace(name=name).text()} (lines {output.lines})"
    return f"{answer.said} (lines {output.lines})"


class OutputAnswer:
    """What is said first of a text beside its trials: the figures of counters, or settings.

    What tells most comes first; of a device that a tool shows several times, first and last.
    """

    def __init__(self) -> None:
        self._shown: dict[tuple[str, ...], _Shown] = {}

    @property
    def count(self) -> int:
        """How many devices and outputs may be said."""
        return len(self._shown)

    def add(self, outputs: Iterable[SaidOutput]) -> None:
        """Takes what may be said of outputs, in the order of the text."""
        for output in outputs:
            if not output.answer.said:
                continue
            what = output.answer.name or output.lines
            of = output.tool, what, output.host, "counters" if output.counted else ""
            if shown := self._shown.get(of):
                shown.add(output)
            else:
                self._shown[of] = _Shown(output, output, output)

    def sentence(self) -> str:
        """The first two, and how many more there are."""
        order = sorted(self._shown.values(), key=_Shown.order)
        if order and order[0].peak.telling < Telling.SURROUNDINGS:
            order = [shown for shown in order if shown.peak.telling < Telling.SURROUNDINGS]
        more = len(order) - _SAID
        said = "; ".join(shown.sentence() for shown in order[:_SAID])
        return said + (f"; {more} more" if more > 0 else "")


def of_state(state: PrintedState, lines: str) -> SaidOutput:
    """What may be said first of a state that stands in these lines."""
    telling = state_telling(state)
    return SaidOutput(telling, state.tool, _state_answer(state, telling), lines, state.host)


def _state_answer(state: PrintedState, telling: Telling) -> Answer:
    """What is said of the device that tells most, or of all that tell as much and are alike."""
    device = first_said(state.subjects)
    if device and subject_telling(device) <= telling:
        said = values_said(_telling(device))
        return Answer(device.name or device.kind, ", ".join(said), share_of(device.values))
    alike = [each for each in state.subjects if subject_telling(each) is telling]
    alike = [each for each in alike if each.kind == alike[0].kind]
    names = [each.name or each.kind for each in alike]
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return Answer(f"{', '.join(names[:_NAMED])}{more}", ", ".join(_common(alike)))


def _telling(device: PrintedSubject) -> Mapping[str, Scalar]:
    """The values of a device that tell something whatever printed them; all, where it has none."""
    telling = {name: device.values[name] for name in TELLING if name in device.values}
    return telling or device.values


def _common(subjects: Sequence[PrintedSubject]) -> Sequence[str]:
    """The values that all devices have alike; else the first value of each of them."""
    first = subjects[0].values if subjects else {}
    alike = {
        name: value for name, value in first.items()
        if name in TELLING and all(each.values.get(name) == value for each in subjects)
    }  # fmt: skip
    if alike:
        return values_said(alike)
    said = [phrase for each in subjects[:_NAMED] for phrase in values_said(_telling(each))[:1]]
    return list(dict.fromkeys(said))


def of_counters(counters: PrintedCounters, lines: str, said: str = "") -> SaidOutput:
    """What may be said first of counters that stand in these lines; nothing of mere lists.

    Args:
        counters: of a device or of a host.
        lines: where they stand.
        said: of their figures or messages, where that is known.
    """
    values = counters.values
    said = said or messages_said(values) or ", ".join(counted_said(values))
    return SaidOutput(
        counters_telling(counters), counters.tool,
        Answer(counters.name, said, share_of(values)), lines, counters.host, counted=True,
    )  # fmt: skip
