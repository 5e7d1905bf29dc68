"""Outputs that say figures in phrases, one a line: of makers and checkers of file systems."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import ClassVar

from typing_extensions import override

from iosonde import units
from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, lines, prompt_in
from iosonde.text.reader import Items, StateOutput, top_of

_SIZE = re.compile(r"\d{1,15}(?:\.\d{1,3})? ?[KMGTP]?B")
_BASE_16 = re.compile(r"0x[\da-f]{1,16}")


def phrases(*forms: str) -> tuple[re.Pattern[str], ...]:
    """Patterns of whole lines."""
    return tuple(re.compile(rf"\s*+(?:{form})\s*+$") for form in forms)


class PhrasedOutput(StateOutput):
    """An output whose lines are phrases. Named groups of `forms` are the facts that they say.

    Digits are whole numbers, also in the base of 16 after 0x; sizes with a unit are of 1024; what
    is called a share is printed as a percentage. Of `device` comes the name.
    """

    kind: ClassVar[str]
    """Of what it is about."""
    forms: ClassVar[Sequence[re.Pattern[str]]]
    """Lines with figures or texts; the output is recognised by them. Its top has the first."""
    states: ClassVar[Sequence[tuple[str, str, Scalar]]] = ()
    """What a line holds, the fact that it says, and its value."""
    sums: ClassVar[Mapping[str, re.Pattern[str]]] = {}
    """Facts that count lines, or add up the number that these name `amount`."""
    others: ClassVar[re.Pattern[str]]
    """Lines without facts; up to `strange` more, of which it has too many, may stand between."""
    strange: ClassVar[int] = 3
    texts: ClassVar[frozenset[str]] = frozenset()
    """Facts that are texts, even where these are digits."""
    repeated: ClassVar[frozenset[str]] = frozenset()
    """Facts that several lines may say, of which the first counts."""
    scales: ClassVar[Mapping[str, int]] = {}
    """Facts in bytes that are printed in larger units, by the bytes of one."""
    least: ClassVar[int] = 2
    """Facts without which it is none."""
    gap: ClassVar[int] = 3
    """Blank lines that may stand within it."""
    most: ClassVar[int] = 4000
    nothing = "too little of it is there"

    def put_more(self, values: dict[str, Scalar]) -> None:
        """Changes facts to what they mean together."""

    def name(self, values: dict[str, Scalar], prompt: Prompt) -> str:
        """What it is about: the device, or the path that the command ends with."""
        return (str(values.pop("device", "")) or prompt.path).removeprefix("/dev/")

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        if not self._is_said(cursor.line(cursor.at)):
            return None
        if self.forms[0].match(cursor.line(cursor.at)):
            return cursor.at
        return top_of(cursor, self._is_own)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        values: dict[str, Scalar] = {}
        last, strange = first, 0
        for index, line in lines(cursor, first, self.most):
            if index <= last and index > first:
                continue  # the rest of a line
            if not line:
                if index > last + self.gap + strange:
                    break
                continue
            if index > first and (prompt_in(line) or (values and self.forms[0].match(line))):
                break
            said, end = self._said_at(cursor, index, line)
            if self._begins_anew(said, values):
                break
            added = self._put_sums(line, values)
            if not (said or added or self._is_own(line)):
                strange += 1
                if strange > self.strange:
                    break
                continue
            kept = self.repeated & {*values}
            values |= {name: value for name, value in said.items() if name not in kept}
            last, strange = end, 0
        if len(values) < self.least:
            return last, []
        self.put_more(values)
        return last, [PrintedSubject(self.kind, self.name(values, prompt), values, prompt.host)]

    def _begins_anew(self, said: Mapping[str, Scalar], values: Mapping[str, Scalar]) -> bool:
        """Whether a line says another figure of what was said already: another output begins."""
        states = {name for _, name, _ in self.states}
        return any(
            name in values and values[name] != value
            for name, value in said.items()
            if name not in states | self.repeated
        )

    def _put_sums(self, line: str, values: dict[str, Scalar]) -> bool:
        """Adds what a line counts; whether it counts anything."""
        matches = [(name, match) for name, form in self.sums.items() if (match := form.match(line))]
        for name, match in matches:
            amount = match.groupdict().get("amount")
            more = int(amount.replace(",", "")) * self.scales.get(name, 1) if amount else 1
            values[name] = int(values.get(name) or 0) + more
        return bool(matches)

    def _is_said(self, line: str) -> bool:
        return any(form.match(line) for form in self.forms)

    def _is_own(self, line: str) -> bool:
        return (
            self._is_said(line)
            or self.others.match(line) is not None
            or any(form.match(line) for form in self.sums.values())
        )

    def _said_at(self, cursor: TextCursor, index: int, line: str) -> tuple[dict[str, Scalar], int]:
        """What a line says, with the next one where a wrap broke it, and the index of its end."""
        said, below = self._said(line), cursor.line(index + 1).strip()
        may_go_on = below and (said or not self._is_own(line))
        if may_go_on and not prompt_in(below) and not self._is_own(below):
            for gap in (" ", ""):
                whole = self._said(f"{line}{gap}{below}")
                if whole.items() > said.items():
                    return whole, index + 1
        return said, index

    def _said(self, line: str) -> dict[str, Scalar]:
        values: dict[str, Scalar] = {}
        for form in self.forms:
            if match := form.match(line):
                for name, text in match.groupdict().items():
                    if text is not None:
                        values[name] = self._value(name, text.strip())
                break
        return values | {name: value for text, name, value in self.states if text in line}

    def _value(self, name: str, text: str) -> Scalar:
        digits = text.replace(",", "").removesuffix(" bytes")
        if name in self.texts:
            return text
        if name.endswith("_share"):
            return round(float(text) / 100, 6)
        if digits.isdecimal():
            return int(digits) * self.scales.get(name, 1)
        if _BASE_16.fullmatch(text):
            return int(text, 16)
        if _SIZE.fullmatch(digits):
            return round(units.printed(digits.replace(" ", ""), binary=True)[0])
        return text
