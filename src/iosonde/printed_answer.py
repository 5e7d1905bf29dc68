"""What the first lines say of a text's states and counters: of those that tell most."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from iosonde.printed_names import bare_name, named, names_in
from iosonde.printed_order import (
    CONDITIONS,
    ORDINARY,
    Telling,
    bad_condition,
    counters_telling,
    share_of,
    state_telling,
    subject_telling,
)
from iosonde.printed_summary import (
    TELLING,
    TROUBLES,
    counted_said,
    cut,
    first_said,
    messages_said,
    phrases_of,
)
from iosonde.records.printed import PrintedCounters, PrintedState, PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.visible import visible, with_name

_NAMED = 3  # devices that are alike
_SAID = 2  # outputs
_VALUES = 4  # of a device
_MEMBERS = 2  # that failed
_OTHERS = 24  # devices of an output
_PART = re.compile(r"p?\d{1,3}")
_NO_SUBJECT = re.compile(r"/(?:boot|run|snap|sys|dev/shm)(?:/.*)?")
"""Mount points of every host, which no text is about; a full one is said as trouble."""
_MORE = 0.45  # of an output that is of a device alone
_NAMES = 10_000  # of devices that are counted in a text
_SAID_ALONE = CONDITIONS | TROUBLES
"""What has changed, too, where only one of two moments says it."""
_FIGURES = ""  # the name of what counters say in one phrase


class Answer(NamedTuple):
    """What the first lines may say of a state or of counters.

    Args:
        name: of the device or devices that it is said of; "" for the host.
        phrases: its values in words, by their names, those that tell most first.
        weight: of two that tell alike, the heavier is said first: the share that is used or busy.
        members: what of it failed, and how.
    """

    name: str
    phrases: Mapping[str, str]
    weight: float = 0.0
    members: tuple[str, ...] = ()

    def said(self, names: Sequence[str] | None = None) -> str:
        """Its values of these names, and its failed members; None: the values that tell most."""
        chosen = tuple(self.phrases)[:_VALUES] if names is None else names
        return ", ".join((*(self.phrases[name] for name in chosen), *self.members))

    def text(self, names: Sequence[str] | None = None) -> str:
        """`md0: state clean, level raid5`."""
        said = self.said(names)
        return with_name(visible(self.name), said) if self.name else said


class SaidOutput(NamedTuple):
    """What may be said first of an output without results."""

    telling: Telling
    tool: str
    answer: Answer
    lines: str
    host: str = ""
    counted: bool = False
    """Whether it is of counters."""
    said_of: tuple[str, ...] = ()
    """The names of the devices that `answer` is of."""
    others: Mapping[str, Mapping[str, Scalar]] = {}
    """The values of all devices that tell as much, by name: these may be said instead."""
    stands_on: Mapping[str, tuple[str, ...]] = {}
    """The devices that the values of each of these name, as a mount point's do."""
    names: frozenset[str] = frozenset()
    """Every device that it speaks of."""

    def of(self, name: str) -> SaidOutput:
        """The same with the answer of another device, if it has one."""
        if name not in self.others:
            return self
        return self._replace(answer=_answer_of(name, self.others[name]))


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

    def chosen(self, mentions: Mapping[str, float]) -> _Chosen:
        """The device that other outputs of the text speak of most; the one said at first, else.

        Of several devices that are alike it is one, where other outputs speak of that alone.

        Args:
            mentions: how much outputs speak of a device, by its bare name: one that is of it alone
                counts as 1, a list of ten devices as a tenth for each.
        """
        said_of = self.peak.said_of
        names = dict.fromkeys((*said_of, *self.peak.others))
        spoken = {name: self._spoken_of(name, names, mentions) for name in names}
        device = max(said_of, key=spoken.__getitem__, default="")
        others = (name for name in names if name not in said_of)
        other = max(others, key=spoken.__getitem__, default="")
        moments = [self.first, self.peak, self.last]
        if other and spoken[other] - spoken.get(device, 0.0) > _MORE:
            device = other
        least = min((spoken[name] for name in said_of), default=0.0)
        more = [name for name in said_of if spoken[name] > least + _MORE]
        alone = device in self.peak.others and len(said_of) > 1 and more == [device]
        if device not in said_of or alone:
            moments = [output.of(device) for output in moments if device in output.others]
        return _Chosen(
            bare_name(device), self.peak, moments, _changed(moments),
            mentions.get(bare_name(device), 0.0),
        )  # fmt: skip

    def _spoken_of(self, name: str, names: Iterable[str], mentions: Mapping[str, float]) -> float:
        """How much the text speaks of a device, of its partitions, or of what it stands on."""
        if not name or _NO_SUBJECT.fullmatch(name):
            return 0.0
        parts = (
            each for each in names if each.startswith(name) and _PART.fullmatch(each, len(name))
        )
        with_parts = sum(mentions.get(bare_name(each), 0.0) for each in (name, *parts))
        below = (mentions.get(each, 0.0) for each in self.peak.stands_on.get(name, ()))
        return max(with_parts, *below, 0.0)


class _Chosen(NamedTuple):
    """What is said of a device that a tool shows.

    Args:
        device: its bare name; "" for the host.
        peak: the output of when it was worst, fullest or busiest.
        moments: first, worst and last, with what each says of it.
        changed: names of what differs between them.
        mentions: how much the text speaks of it.
    """

    device: str
    peak: SaidOutput
    moments: Sequence[SaidOutput]
    changed: Sequence[str]
    mentions: float

    def order(self) -> tuple[int, bool, float, float]:
        """What is in trouble at any time, what changed, what is spoken of most, what is busiest."""
        telling, weight = _order(self.peak)
        return telling, not self.changed, -round(self.mentions, 3), weight

    def sentence(self) -> str:
        """`df: /: used share 74 % (lines 3–5), then used share 31 % (lines 9–11)`."""
        first, *others = self.moments
        phrases = first.answer.phrases
        unchanged = (name for name in phrases if name not in self.changed)
        names = [name for name in (*self.changed, *unchanged) if name in phrases][:_VALUES]
        name = " on ".join(filter(None, (first.answer.name, first.host)))
        text = first.answer._replace(name=name).text(sorted(names, key=_place))
        said, now = f"{first.tool}: {text} (lines {first.lines})", first
        for later in others:
            if _changed((now, later)):
                there = [name for name in self.changed if name in later.answer.phrases][:_VALUES]
                said += f", then {later.answer.said(there or None)} (lines {later.lines})"
                now = later
        return said


def _changed(moments: Sequence[SaidOutput]) -> Sequence[str]:
    """Names of what differs between moments, and of conditions that some later one says alone."""
    answers = [moment.answer.phrases for moment in moments]
    names = dict.fromkeys(name for phrases in answers for name in phrases)
    changed = [
        name for name in names
        if len({phrases[name] for phrases in answers if name in phrases}) > 1
        or (name in _SAID_ALONE and not all(name in phrases for phrases in answers))
    ]  # fmt: skip
    return sorted(changed, key=_place)


def _place(name: str) -> int:
    """Where a value stands among those that tell most."""
    return TELLING.index(name) if name in TELLING else len(TELLING)


def _order(output: SaidOutput) -> tuple[int, float]:
    return output.telling, -output.answer.weight


class OutputAnswer:
    """What is said first of a text beside its trials: the figures of counters, or settings.

    What tells most comes first, and of what tells alike what changed, and then the device that most
    outputs speak of; of a device that a tool shows several times, first and last.
    """

    def __init__(self) -> None:
        self._shown: dict[tuple[str, ...], _Shown] = {}
        self._mentions: dict[str, float] = {}

    @property
    def count(self) -> int:
        """How many devices and outputs may be said."""
        return len(self._shown)

    def add(self, outputs: Iterable[SaidOutput]) -> None:
        """Takes what may be said of outputs, in the order of the text."""
        for output in outputs:
            if len(self._mentions) < _NAMES:
                for name in output.names:
                    self._mentions[name] = self._mentions.get(name, 0.0) + 1 / len(output.names)
            if not output.answer.said():
                continue
            what = output.answer.name or output.lines
            of = output.tool, what, output.host, "counters" if output.counted else ""
            if shown := self._shown.get(of):
                shown.add(output)
            else:
                self._shown[of] = _Shown(output, output, output)

    def sentence(self) -> str:
        """The first two, of two devices where there are two, and how many more there are."""
        every = (shown.chosen(self._mentions) for shown in self._shown.values())
        order = sorted(every, key=_Chosen.order)
        if order and order[0].peak.telling < Telling.SURROUNDINGS:
            order = [each for each in order if each.peak.telling < Telling.SURROUNDINGS]
        first = _of_two_devices(order)
        more = len(order) - len(first)
        said = "; ".join(each.sentence() for each in first)
        return said + (f"; {more} more" if more > 0 else "")


def _of_two_devices(order: Sequence[_Chosen]) -> Sequence[_Chosen]:
    """The first, and the next that tells as much of another device; else the next."""
    if len(order) <= _SAID:
        return order
    first, *others = order
    of_another = (
        each for each in others
        if (each.device, each.peak.host) != (first.device, first.peak.host)
        and each.peak.telling is first.peak.telling
    )  # fmt: skip
    return first, next(of_another, others[0])


def of_state(state: PrintedState, lines: str) -> SaidOutput:
    """What may be said first of a state that stands in these lines."""
    telling = state_telling(state)
    devices = [each for each in state.subjects if subject_telling(each) is telling]
    answer, said_of = _state_answer(state, telling, devices)
    others = {each.name: _telling(each.values) for each in devices[:_OTHERS] if each.name}
    return SaidOutput(
        telling, state.tool, answer, lines, state.host,
        said_of=said_of, others=others, names=frozenset(names_in(state)),
        stands_on={
            each.name: below for each in devices[:_OTHERS]
            if (below := tuple(named(each.values.values())))
        },
    )  # fmt: skip


def _state_answer(
    state: PrintedState, telling: Telling, devices: Sequence[PrintedSubject]
) -> tuple[Answer, tuple[str, ...]]:
    """What is said of the device that tells most, or of all that tell as much and are alike.

    Returns:
        it, and the names of these devices.
    """
    device = first_said(state.subjects)
    if device and subject_telling(device) <= telling:
        answer = _answer_of(device.name or device.kind, _telling(device.values))
        if telling is Telling.TROUBLE:
            answer = answer._replace(members=tuple(_failed_members(state, device)))
        return answer, (device.name,)
    alike = [each for each in devices if each.kind == devices[0].kind]
    names = [each.name or each.kind for each in alike]
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return Answer(f"{', '.join(names[:_NAMED])}{more}", _common(alike)), tuple(names)


def _answer_of(name: str, values: Mapping[str, Scalar]) -> Answer:
    """What is said of a single device: not its name once more."""
    others = {key: value for key, value in values.items() if value != name}
    return Answer(name, phrases_of(others), share_of(values))


def _failed_members(state: PrintedState, device: PrintedSubject) -> Iterator[str]:
    """`sdb FAULTED`: what of the device is in trouble, where a tool shows its members with it."""
    members = [
        f"{visible(each.name)} {cut(visible(condition))}" for each in state.subjects
        if each.kind != device.kind and not each.values.get("group")
        and (condition := bad_condition(each.values))
    ]  # fmt: skip
    yield from members[:_MEMBERS]
    if more := len(members[_MEMBERS:]):
        yield f"{more} more"


def _telling(values: Mapping[str, Scalar]) -> Mapping[str, Scalar]:
    """The values of a device that tell something whatever printed them; all, where it has none."""
    return {
        name: values[name] for name in TELLING
        if name in values and values[name] not in ORDINARY
    } or values  # fmt: skip


def _common(subjects: Sequence[PrintedSubject]) -> Mapping[str, str]:
    """The values that all devices have alike; else the first value of each of them."""
    first = subjects[0].values if subjects else {}
    alike = {
        name: value for name, value in first.items()
        if name in TELLING and all(each.values.get(name) == value for each in subjects)
    }  # fmt: skip
    if alike:
        return phrases_of(alike)
    said = [list(phrases_of(_telling(each.values)).values())[:1] for each in subjects[:_NAMED]]
    together = ", ".join(dict.fromkeys(phrase for each in said for phrase in each))
    return {_FIGURES: together} if together else {}


def of_counters(counters: PrintedCounters, lines: str, said: str = "") -> SaidOutput:
    """What may be said first of counters that stand in these lines; nothing of mere lists.

    Args:
        counters: of a device or of a host.
        lines: where they stand.
        said: of their figures or messages, where that is known.
    """
    values = counters.values
    said = said or messages_said(values) or ", ".join(counted_said(values))
    answer = Answer(counters.name, {_FIGURES: said} if said else {}, share_of(values))
    return SaidOutput(
        counters_telling(counters), counters.tool, answer, lines, counters.host, counted=True,
        said_of=(counters.name,), names=frozenset(names_in(counters)),
    )  # fmt: skip
