"""`findmnt --verify`: what is wrong in /etc/fstab, of each place that it mounts.

Source: util-linux 2.38, misc-utils/findmnt-verify.c: the place in a line of its own, what is said
of it below behind "[E]", "[W]" or, with --verbose, "[ ]"; the last line counts parse errors, errors
and warnings on stderr, which may come first, or says that there are none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from typing_extensions import override

from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, prompt_in
from iosonde.text.reader import Items, StateOutput, close_lines

_COUNTED = re.compile(
    r"\s*(?P<parse>\d{1,6}) parse errors?, (?P<errors>\d{1,6}) errors?, "
    r"(?P<warnings>\d{1,6}) warnings?\s*$"
)
_NONE = re.compile(r"\s*Success, no errors or warnings detected\s*$")
_PLACE = re.compile(r"\s*(?P<place>/[^\s\[\]]{0,200}|none|swap)\s*$")
_SAID = re.compile(r"\s{3,}\[(?P<kind>[EW ])\] (?P<message>\S[^\n]{2,200})$")
_KINDS = {"E": "fstab_errors", "W": "fstab_warnings"}
_REACH = 400  # lines above the one that counts
_GAP = 2


class FindmntVerify(StateOutput):
    tool = "findmnt --verify"
    anchors = (" parse errors, ", " parse error, ", "Success, no errors or warnings detected")
    commands = ("findmnt",)
    reach = 3

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line, at = cursor.line(cursor.at), cursor.at
        if not (_COUNTED.match(line) or _NONE.match(line)):
            return None
        first = at
        for index in range(at - 1, max(at - _REACH, 0) - 1, -1):
            above = cursor.line(index)
            if first - index > _GAP or (above and not _is_own(above)):
                break
            first = index if above else first
        command = next((cursor.line(up) for up in (first - 1, first - 2) if cursor.line(up)), "")
        below = [cursor.line(at + step) for step in (1, 2, 3)]
        is_own = first < at or "findmnt" in command or any(map(_SAID.match, below))
        return first if is_own else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        places: dict[str, dict[str, Scalar]] = {}
        host: dict[str, Scalar] = {}
        last, place = first, ""
        for index, line in close_lines(cursor, first, gap=_GAP):
            if prompt_in(line) or not _is_own(line):
                break
            last = index
            if match := _COUNTED.match(line):
                host = {f"fstab_{name}": int(count) for name, count in match.groupdict().items()}
                host["fstab_parse_errors"] = host.pop("fstab_parse")
            elif _NONE.match(line):
                host = {"fstab_parse_errors": 0, "fstab_errors": 0, "fstab_warnings": 0}
            elif match := _PLACE.match(line):
                place = match["place"]
            elif (match := _SAID.match(line)) and place:
                _add(places.setdefault(place, {}), match)
        return last, _subjects(places, host, prompt.host)


def _is_own(line: str) -> bool:
    return any(form.match(line) for form in (_SAID, _PLACE, _COUNTED, _NONE))


def _add(values: dict[str, Scalar], match: re.Match[str]) -> None:
    """Adds what is said of a place, where it is an error or a warning."""
    if name := _KINDS.get(match["kind"]):
        before = f"{values[name]}; " if name in values else ""
        values[name] = f"{before}{match['message'].strip()}"


def _subjects(
    places: dict[str, dict[str, Scalar]], host: dict[str, Scalar], name: str
) -> Iterator[PrintedSubject]:
    """The counts, and each place of which something is said."""
    if host:
        yield PrintedSubject("host", "", host, name)
    for place, values in places.items():
        if values:
            yield PrintedSubject("fstab_entry", place, values, name)
