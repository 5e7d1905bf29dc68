"""Rules of udev about block devices: which devices they match, and what they set of them.

A rule says of devices that match, wherever there are any; nobody says that there are.

Source: udev(7) of systemd 252: a line is a rule, `KEY==` and `KEY!=` match, `=`, `+=` and `:=`
assign, a backslash goes on in the next line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from typing_extensions import override

from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, prompt_in
from iosonde.text.labels import as_labelled
from iosonde.text.reader import Items, StateOutput, entries, over_comments
from iosonde.text.torn import joinings

_TOKEN = re.compile(
    r"(?P<key>[A-Z]{2,16})(?:\{(?P<inner>[\w./:!-]{1,60})\})?\s?"
    r"(?P<operator>==|!=|\+=|-=|:=|=)\s?e?\"(?P<value>[^\"]{0,300})\""
)
_START = re.compile(
    r"(?:(?:[*-] )?(?:sudo )?(?:echo|printf) (?:-e )?['\"]?)?"
    r"(?=[A-Z]{2,16}(?:\{[\w./:!-]{1,60}\})?\s?[=!+:-]?=)"
)
_REST = re.compile(r"[\s,\\'\"`;]*(?:(?:\||>>?) ?(?:sudo tee )?.{0,120})?$")
_HOW = frozenset({"ACTION", "SUBSYSTEM"})
_SYSFS = ("queue/", "bdi/", "device/")
_MOST = 8
"""Lines that a rule may go over."""


class UdevRules(StateOutput):
    tool = "udev rules"
    anchors = (
        "ATTR{queue/", "ATTR{bdi/", "ATTR{device/", "ATTRS{device/", "ATTRS{queue/",
        'SUBSYSTEM=="block"', "ATTR{power/control}", 'SUBSYSTEM=="scsi', 'SUBSYSTEM=="nvme',
    )  # fmt: skip
    commands = ("cat", "grep", "vi", "vim", "nano", "tee", "head")
    reach = 4
    nothing = "no rule sets anything of a disk"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        for index in range(cursor.at, max(cursor.at - _MOST, -1), -1):
            entry = _entry(cursor, index)
            if entry is not None and entry[1] >= cursor.at:
                return over_comments(cursor, index, self.commands)
        return None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        rules, last = entries(cursor, first, _entry, gap=2, comment="#", most=600)
        return last, [
            subject for rule in rules if (subject := _subject(rule, prompt.host)) is not None
        ]


def _entry(cursor: TextCursor, index: int) -> tuple[Sequence[re.Match[str]], int] | None:
    """The tokens of the rule that begins in a line, and the index of its last line."""
    parts: list[str] = []
    best: tuple[Sequence[re.Match[str]], int] | None = None
    for end in range(index, index + _MOST):
        line = cursor.line(end).strip()
        if parts and not line and parts[-1][-1:] in {"\\", ","}:
            continue
        if parts and (not line or line[0] == "#" or prompt_in(line)):
            break
        begun = _START.match(line)
        whole = best is not None and parts[-1][-1:] not in {"\\", ","}
        if (not parts and not begun) or (begun and whole):
            break
        parts.append(line[begun.end() :] if begun and not parts else line)
        tokens = _tokens(parts)
        if tokens:
            best = tokens, end
        elif best is not None:
            break
    return best


def _tokens(parts: Sequence[str]) -> list[re.Match[str]]:
    """The tokens of a rule; none where something else stands between them."""
    for text in joinings([part.rstrip("\\ ") for part in parts]):
        at, tokens = 0, list[re.Match[str]]()
        while match := _TOKEN.match(text, at):
            tokens.append(match)
            at = match.end()
            while text[at : at + 1] in {",", " ", "\t"}:
                at += 1
        if len(tokens) > 1 and _REST.match(text, at):
            return tokens
    return []


def _subject(tokens: Sequence[re.Match[str]], host: str) -> PrintedSubject | None:
    """What a rule sets of which devices."""
    matches = [token for token in tokens if token["operator"] in {"==", "!="}]
    pairs = dict(_assigned(tokens))
    if not pairs or not _is_of_storage(tokens):
        return None
    telling = [token for token in matches if token["key"] not in _HOW] or matches
    name = " ".join(
        f"{token['inner'] or token['key']}{token['operator']}{token['value']}" for token in telling
    )
    return PrintedSubject("udev_rule", name[:200], pairs, host)


def _is_of_storage(tokens: Sequence[re.Match[str]]) -> bool:
    """Whether a rule is about disks: by what it sets, or by what it matches."""
    return any(
        (token["inner"] or "").startswith(_SYSFS)
        or (token["key"] == "SUBSYSTEM" and token["value"].startswith(("block", "scsi", "nvme")))
        or (
            token["key"] == "KERNEL"
            and re.match(r"sd|nvme|vd|xvd|dm-|md|mmcblk|rbd", token["value"])
        )
        for token in tokens
    )


def _assigned(tokens: Sequence[re.Match[str]]) -> Iterator[tuple[str, Scalar]]:
    """Settings by the names that discovery gives them, and what else is assigned by its key."""
    for token in tokens:
        if token["operator"] in {"==", "!="}:
            continue
        inner, value = token["inner"] or "", token["value"]
        if token["key"] == "ATTR" and inner:
            name = inner.rpartition("/")[2]
            yield name, int(value) if value.lstrip("-").isdecimal() and len(value) < 19 else value
        elif value:
            label = f"{token['key']} {inner}".strip()
            texts = as_labelled({label: value})
            yield from ((name, value) for name in texts) if value[0] == "0" else texts.items()
