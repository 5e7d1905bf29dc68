"""Outputs that say figures in phrases, one a line: of makers and checkers of file systems."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import ClassVar

from typing_extensions import override

from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, lines, prompt_in
from iosonde.text.reader import Items, StateOutput, top_of


def phrases(*forms: str) -> tuple[re.Pattern[str], ...]:
    """Patterns of whole lines."""
    return tuple(re.compile(rf"\s*+(?:{form})\s*+$") for form in forms)


class PhrasedOutput(StateOutput):
    """An output whose lines are phrases. Named groups of `forms` are the facts that they say."""

    forms: ClassVar[Sequence[re.Pattern[str]]]
    """Lines with figures or texts; the output is recognised by them. Its top has the first."""
    states: ClassVar[Sequence[tuple[str, str, Scalar]]] = ()
    """What a line holds, the fact that it says, and its value."""
    others: ClassVar[re.Pattern[str]]
    """All the other lines of the output."""
    texts: ClassVar[frozenset[str]] = frozenset()
    """Facts that are texts, even where these are digits."""
    scales: ClassVar[Mapping[str, int]] = {}
    """Facts in bytes that are printed in larger units, by the bytes of one."""
    least: ClassVar[int] = 2
    """Facts without which it is none."""
    gap: ClassVar[int] = 3
    """Blank lines that may stand within it."""
    most: ClassVar[int] = 200
    nothing: ClassVar[str] = "too little of it is there"

    @abstractmethod
    def named(self, values: dict[str, Scalar], prompt: Prompt) -> tuple[str, str]:
        """Kind and name of what it is about; facts that say these may be taken out."""

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        if not self._is_said(cursor.line(cursor.at) or ""):
            return None
        if self.forms[0].match(cursor.line(cursor.at) or ""):
            return cursor.at
        return top_of(cursor, self._is_own)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        values: dict[str, Scalar] = {}
        last = first
        for index, line in lines(cursor, first, self.most):
            if not line:
                if index > last + self.gap:
                    break
                continue
            if index > first and (prompt_in(line) or (values and self.forms[0].match(line))):
                break
            said = self._said(line)
            if self._begins_anew(said, values) or not (said or self._is_own(line)):
                break
            values |= said
            last = index
        if len(values) < self.least:
            return last, []
        kind, name = self.named(values, prompt)
        return last, [PrintedSubject(kind, name, values, prompt.host)]

    def _begins_anew(self, said: Mapping[str, Scalar], values: Mapping[str, Scalar]) -> bool:
        """Whether a line says another figure of what was said already: another output begins."""
        return any(
            name in values and values[name] != value
            for name, value in said.items()
            if not isinstance(value, str | bool)
        )

    def _is_said(self, line: str) -> bool:
        return any(form.match(line) for form in self.forms)

    def _is_own(self, line: str) -> bool:
        return self._is_said(line) or self.others.match(line) is not None

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
        digits = text.replace(",", "")
        if digits.isdecimal() and name not in self.texts:
            return int(digits) * self.scales.get(name, 1)
        return text
