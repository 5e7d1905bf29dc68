"""What the first lines say of a text's states and counters: of the devices that it is about.

Each device is followed through all outputs that show it (`printed_course`). What is in trouble at
any time is said first, then what the text makes or changes, then what tells most; of what tells
alike that comes first of which most outputs speak.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from iosonde.printed_course import Course, Moment
from iosonde.printed_moment import SaidOutput
from iosonde.printed_names import bare_name, device_key, whole_device
from iosonde.printed_order import Telling
from iosonde.printed_summary import value_words
from iosonde.visible import visible

_NAMED = 3  # devices that are alike
_SAID = 3  # devices
_LENGTH = 300  # characters, after which no further device is said
_ALSO = 6  # names of what was made besides
_LISTED = 4  # devices of a list
_COURSES = 10_000  # devices of a text
_OF_EVERY_HOST = re.compile(r"/(?:(?:boot|run|snap|sys|dev|proc|etc|init)(?:/.*)?)?")
"""Mount points of every host: a text is about these where it has nothing else to say."""
_UUID = re.compile(r"[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}", re.IGNORECASE)
_FULL = 0.8  # of a root file system: it is worth a word
_MORE = 0.45  # of an output that is of a device alone


class OutputAnswer:
    """What is said first of a text beside its trials: the devices that it is about."""

    def __init__(self) -> None:
        self._courses: dict[tuple[object, ...], dict[str, list[Course]]] = {}
        self._files: set[str] = set()
        self._mentions: dict[str, float] = {}
        self._of_parts: dict[str, float] = {}
        self._count = 0

    @property
    def count(self) -> int:
        """How many devices and outputs may be said."""
        return self._count

    def add(self, outputs: Iterable[SaidOutput]) -> None:
        """Takes what may be said of outputs, in the order of the text."""
        for output in outputs:
            if len(self._mentions) < _COURSES:
                for name in map(device_key, output.names):
                    share = 1 / len(output.names)
                    self._mentions[name] = self._mentions.get(name, 0.0) + share
                    if whole := whole_device(name):
                        self._of_parts[whole] = self._of_parts.get(whole, 0.0) + share
            for moment in output.moments:
                self._add(moment)

    def _add(self, moment: Moment) -> None:
        """Takes a moment as the next of its device, or of a further device.

        What names no host is of the only one that showed a device of this name before.
        """
        if not moment.phrases and not moment.members:
            return
        tool = moment.tool if moment.is_counted else ""
        key = moment.file, moment.key or (moment.tool, moment.kind), tool
        self._files.add(moment.file)
        hosts = self._courses.setdefault(key, {})
        host = moment.host
        if not host and len(hosts) == 1:
            only, shown = next(iter(hosts.items()))
            host = only if shown[-1].is_sized_as(moment) else ""
        courses = hosts.setdefault(host, [])
        course = next((each for each in reversed(courses) if each.is_of(moment)), None)
        if course and moment.key:
            course.add(moment)
        elif self._count < _COURSES:
            courses.append(Course(moment))
            self._count += 1

    def sentence(self) -> str:
        """The first devices, those next that stand on them, and what else was made or is there."""
        every = _with_full_names([
            course for hosts in self._courses.values() for courses in hosts.values()
            for course in courses
        ])  # fmt: skip
        every.sort(key=self._order)
        if every and every[0].telling < Telling.SURROUNDINGS:
            every = [each for each in every if each.telling < Telling.SURROUNDINGS]
        said, rest = list[str](), every
        last: Course | None = None
        while len(said) < _SAID and sum(map(len, said)) < _LENGTH:
            course, has_to_do = _next_of([each for each in rest if self._is_next(each, last)], last)
            if course is None or (len(said) == _SAID - 1 and not has_to_do):
                break
            group, last = self._alike(course, rest), course
            file = f" in {visible(Path(course.file).name)}" if len(self._files) > 1 else ""
            rank = _rank_of(course, every) if len(group) == 1 else ""
            said.append(_of_group(group) + rank + file)
            done = set(group)
            rest = [each for each in rest if each not in done and not _is_again(each, course)]
        made = [
            each for each in rest
            if _is_about(each) and not _is_ordinary(each) and not _UUID.fullmatch(each.key)
        ][:_ALSO]  # fmt: skip
        if made:
            names = dict.fromkeys(visible(bare_name(each.device)) for each in made)
            said.append(f"also made or changed: {', '.join(names)}")
            rest = [each for each in rest if each not in made]
        return "; ".join(said) + (f"; {len(rest)} more" if rest else "")

    def _is_next(self, course: Course, last: Course | None) -> bool:
        """Whether it does not only stand in the list of a device that more outputs speak of."""
        return (
            last is None or course.first_lines != last.first_lines
            or _is_about(course) or course.telling is Telling.TROUBLE or _stands_on(course, last)
            or self._spoken_of(last) - self._spoken_of(course) <= _MORE
        )  # fmt: skip

    def _order(self, course: Course) -> tuple[bool, bool, bool, bool, bool, int, float, float]:
        """What was in trouble, what was made or changed, then what tells most and is spoken of."""
        is_bad = course.telling is Telling.TROUBLE
        return (
            not is_bad,
            is_bad and (course.is_counted or not course.key),
            _is_ordinary(course) and not is_bad and not _is_about(course),
            not (course.has_changed and _is_about(course) and course.telling < Telling.OPTION),
            not _is_about(course) and course.telling > Telling.CONDITION,
            course.telling,
            -round(self._spoken_of(course), 3),
            -course.weight,
        )

    def _spoken_of(self, course: Course) -> float:
        """How much the text speaks of a device, of its partitions, or of what it stands on."""
        if not course.key or (course.key != "/" and _OF_EVERY_HOST.fullmatch(course.key)):
            return 0.0
        below = (self._mentions.get(name, 0.0) for name in course.below)
        spoken = self._mentions.get(course.key, 0.0) + self._of_parts.get(course.key, 0.0)
        return max(spoken, *below, 0.0)

    def _alike(self, course: Course, others: Sequence[Course]) -> Sequence[Course]:
        """The devices of which the same can be said: those of its kind that the same lines show."""
        if course.has_changed or course.weight or course.is_counted:
            return (course,)
        spoken = self._spoken_of(course)
        alike = [
            other for other in others
            if other is course or (
                (other.file, other.kind, other.host, other.tools.keys(), other.telling)
                == (course.file, course.kind, course.host, course.tools.keys(), course.telling)
                and (other.first_lines == course.first_lines or not course.key)
                and not other.has_changed and not other.weight
                and abs(self._spoken_of(other) - spoken) <= _MORE
            )
        ]  # fmt: skip
        return (course,) if course.key and len(alike) == 2 and _differ(*alike) else alike


def _with_full_names(courses: Sequence[Course]) -> list[Course]:
    """Without volumes that a tool names without their group, where another names them whole."""
    full: dict[tuple[str, ...], list[Course]] = {}
    for course in courses:
        _, dash, volume = course.key.rpartition("-")
        if dash and not course.is_counted:
            full.setdefault((course.file, course.host, volume), []).append(course)
    kept = list[Course]()
    for course in courses:
        namesakes = full.get((course.file, course.host, course.key), [])
        if len(namesakes) == 1:
            namesakes[0].is_made = namesakes[0].is_made or course.is_made
        else:
            kept.append(course)
    return kept


def _is_about(course: Course) -> bool:
    """Whether the text makes or changes a device."""
    return course.is_made or (course.has_changed and not course.is_counted)


def _is_ordinary(course: Course) -> bool:
    """Whether it is a mount point of every host, a device that does nothing, or the host itself."""
    name = course.device
    is_of_every_host = (name != "/" or course.weight < _FULL) and _OF_EVERY_HOST.fullmatch(name)
    is_number = course.key.isdecimal() and not course.is_counted  # of a partition of some disk
    has_name = course.key and not is_number
    is_snapshot = "@" in name
    return bool(is_of_every_host) or course.is_idle or is_snapshot or not has_name


def _next_of(courses: Sequence[Course], last: Course | None) -> tuple[Course | None, bool]:
    """The first that is of the last one's stack; else the first.

    Returns:
        it, and whether it has to do with the text: in trouble, made, changed, or of this stack.
    """
    first = next(iter(courses), None)
    if first is None:
        return None, False
    if last is None or first.telling is Telling.TROUBLE:
        return first, True
    stack = (
        each for each in courses
        if not _is_ordinary(each) and each.key and last.key
        and (_stands_on(each, last) or (_is_about(each) and _stands_on(last, each)))
        and (whole_device(each.key) != last.key or _is_about(each) or "fstype" in each.phrases)
    )  # fmt: skip
    course = next(stack, None)
    return (course, True) if course else (first, _is_about(first) and not _is_ordinary(first))


def _differ(course: Course, other: Course) -> bool:
    """Whether two devices have the same values, but not alike: each is worth a word."""
    return any(other.phrases.get(name, said) != said for name, said in course.phrases.items())


def _is_again(course: Course, said: Course) -> bool:
    """Whether of a further device of a name the same would be said once more."""
    is_of_name = (course.file, course.name()) == (said.file, said.name())
    return is_of_name and course.phrases == said.phrases


def _stands_on(course: Course, other: Course) -> bool:
    """Whether a device stands on another, or on a partition of it."""
    parts = (course.key, *course.below)
    return (course.file, course.host) == (other.file, other.host) and (
        other.key in course.below or other.key in map(whole_device, parts)
    )


def _rank_of(course: Course, every: Sequence[Course]) -> str:
    """`, the fullest of 12`: of a file system or disk of a long list that did not change."""
    beside = [
        each for each in every
        if (each.file, each.first_lines, each.is_counted)
        == (course.file, course.first_lines, course.is_counted)
    ]  # fmt: skip
    is_most = course.weight > 0 and course.weight == max(each.weight for each in beside)
    if len(beside) < _LISTED or not is_most or course.has_changed:
        return ""
    return f", the {'busiest' if course.is_counted else 'fullest'} of {len(beside)}"


def _of_group(group: Sequence[Course]) -> str:
    """What is said of a device, or of several that are alike."""
    first = group[0]
    if len(group) == 1:
        return first.sentence()
    if not first.key:
        return _of_nameless(group)
    names = [visible(each.device) for each in group]
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    name = f"{', '.join(names[:_NAMED])}{more}" + (f" on {first.host}" if first.host else "")
    common = [
        key for key, phrase in first.phrases.items()
        if all(each.phrases.get(key) == phrase for each in group)
    ]  # fmt: skip
    if common:
        return first.sentence(name, common)
    said = [list(each.phrases.values())[:1] for each in group[:_NAMED]]
    together = ", ".join(dict.fromkeys(phrase for each in said for phrase in each))
    return f"{first.tool_names()}: {name}: {together} (lines {first.first_lines})"


def _of_nameless(group: Sequence[Course]) -> str:
    """`smartctl: 3 × disk: errors 0 … 4, highest in lines 7–9`: of each the same figure."""
    first = group[0]
    number = f"{first.tool_names()}: {len(group)} × {first.kind}"
    figures = [each for each in group if each.figure[0] == first.figure[0]]
    if not first.figure[0] or len(figures) < len(group):
        return f"{number}: the first {first.sentence().partition(': ')[2]}"
    low, high = (pick(figures, key=lambda each: each.figure[1]) for pick in (min, max))
    name = first.figure[0]
    values = [value_words(name, each.figure[1]) for each in (low, high)]
    said = name.replace("_", " ")
    if values[0] == values[1]:
        return f"{number}: {said} {values[0]} each"
    return f"{number}: {said} {' … '.join(values)}, highest in lines {high.first_lines}"
