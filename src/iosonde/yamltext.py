"""Reads YAML that people wrote: the one place where it is parsed, with limits on what it may hold.

A few lines of YAML can stand for any number of values: an alias repeats what it refers to, which
may be made of aliases. So the events of a text are counted before anything is made of them.

Comments are left out: keeping them, as ruamel's round-trip scanner does, takes the square of their
length in time.
"""

from __future__ import annotations

from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.events import (
    AliasEvent,
    CollectionEndEvent,
    CollectionStartEvent,
    Event,
    ScalarEvent,
)
from ruamel.yaml.parser import Parser
from ruamel.yaml.scanner import Scanner
from typing_extensions import override

from iosonde import limits
from iosonde.errors import UsageError

_OF_TAGS = (ValueError, TypeError, AttributeError, AssertionError, LookupError)
"""What constructors of ruamel raise for a value that does not fit its tag."""
_DIGITS = 1000  # of a number: Python refuses to print longer ones, long after they were read
_SIMPLER = "write out what is meant, in fewer levels"


def load_yaml(text: str, where: str, *, what: str = "this", lines: bool = False) -> Any:
    """What a YAML text says.

    Args:
        text: one document.
        where: its file or option, for messages.
        what: it is, for messages: "this load".
        lines: keep the line of each key, as ruamel's round-trip types do.

    Raises:
        UsageError: invalid YAML, or longer, deeper or larger than limits.py allows.
    """
    if len(text) > limits.DECLARATION:
        raise UsageError(
            f"{what} is longer than {limits.shown(limits.DECLARATION)}, the limit for YAML",
            where=where,
        )
    reader = YAML(typ="rt" if lines else "safe", pure=True)
    reader.Scanner, reader.Parser = Scanner, _CountingParser
    try:
        return reader.load(text)
    except MarkedYAMLError as problem:
        mark = problem.problem_mark or problem.context_mark
        line = f":{mark.line + 1}" if mark and lines else ""
        if isinstance(problem, _TooMuch):
            raise UsageError(
                f"{what} {problem.problem}", where=f"{where}{line}", hint=_SIMPLER
            ) from None
        raise UsageError(
            f"{what} is invalid YAML: {problem.problem or problem.context}", where=f"{where}{line}"
        ) from None
    except (YAMLError, *_OF_TAGS) as problem:
        reason = next(iter(str(problem).split("\n")), "") or "a tag does not fit its value"
        raise UsageError(f"{what} is invalid YAML: {reason}", where=where) from None


class _TooMuch(MarkedYAMLError):
    """More than limits.py allows."""


class _Count:
    """The levels and values of a text, aliases counted as what they stand for."""

    def __init__(self) -> None:
        self._values = 0
        self._sizes: dict[str, int] = {}
        self._under_way: list[tuple[str | None, int]] = []  # anchor, values before it

    def add(self, event: Event) -> str:
        """Count an event of the parser; what is wrong with it, if anything."""
        if isinstance(event, AliasEvent):
            if any(anchor == event.anchor for anchor, _ in self._under_way):
                return f"contains itself by the alias *{event.anchor}"
            self._values += self._sizes.get(event.anchor, 0)  # the parser refuses unknown ones
        elif isinstance(event, CollectionEndEvent):
            anchor, before = self._under_way.pop()
            if anchor:
                self._sizes[anchor] = self._values - before
        elif isinstance(event, CollectionStartEvent):
            self._under_way.append((event.anchor, self._values))
            self._values += 1
        elif isinstance(event, ScalarEvent):
            self._values += 1
            if event.anchor:
                self._sizes[event.anchor] = 1
            if _is_long_number(event):
                return f"holds a number of more than {_DIGITS} digits"
        return self._excess()

    def _excess(self) -> str:
        if len(self._under_way) > limits.YAML_DEPTH:
            return f"is nested deeper than {limits.YAML_DEPTH} levels, the limit"
        if self._values > limits.YAML_NODES:
            return f"holds more than {limits.YAML_NODES:,} values with its aliases, the limit"
        return ""


def _is_long_number(event: ScalarEvent) -> bool:
    """Whether a plain scalar may be a number that is too long to be one."""
    return event.implicit[0] and len(event.value) > _DIGITS and event.value[0] in "+-.0123456789"


class _CountingParser(Parser):
    """Raises _TooMuch, with its place, for a text of too many levels or values."""

    def __init__(self, loader: Any) -> None:
        super().__init__(loader)
        self._count = _Count()

    @override
    def get_event(self) -> Event:
        event: Event = super().get_event()
        if problem := self._count.add(event):
            raise _TooMuch(problem=problem, problem_mark=event.start_mark)
        return event
