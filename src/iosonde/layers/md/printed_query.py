"""`mdadm -Q`: what an array or a component is, in one line each.

Source: mdadm 4.2, Query.c (Query(): "%s: %s%s %d device%s, %d spare%s. Use mdadm --detail for more
detail.", "%s: device %d in %d device %s %s %s.  Use mdadm --examine for more detail.", "%s: is not
an md array", "%s: No md super block found, not an md component."); util.c, human_size_brief().
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde import units
from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, lines
from iosonde.text.reader import Items, StateOutput

_DEVICE = r"\s*(?P<device>/dev/[\w./-]{1,120}): "
_LEVEL = r"(?P<level>raid\d{1,2}|linear|multipath|faulty|container)"
_ARRAY = re.compile(
    rf"{_DEVICE}(?P<size>\d{{1,9}}(?:\.\d{{1,2}})?[KMGTP]iB) ?{_LEVEL} (?P<disks>\d{{1,5}}) "
    r"devices?, (?P<spares>\d{1,5}) spares?\. Use mdadm --detail for more detail\.\s*$"
)
_MEMBER = re.compile(
    rf"{_DEVICE}device (?P<number>-?\d{{1,5}}) in (?P<disks>\d{{1,5}}) device "
    rf"(?P<activity>active|inactive|undetected|mismatch) {_LEVEL} (?P<array>\S{{1,120}}?)\."
    r"\s+Use mdadm --examine for more detail\.\s*$"
)
_NEITHER = re.compile(
    rf"{_DEVICE}(?:(?P<inactive>is an md device which is not active)"
    r"|(?P<no_array>is not an md array)|"
    r"(?P<no_member>No md super block found, not an md component\.))\s*$"
)
_MOST = 200
_FORMS = (_ARRAY, _MEMBER, _NEITHER)


class MdadmQuery(StateOutput):
    tool = "mdadm -Q"
    anchors = (
        "Use mdadm --detail for", "Use mdadm --examine for", ": is not an md array",
        "not an md component.", "is an md device which is not active", " spares. Use mdadm",
    )  # fmt: skip
    commands = ("mdadm",)
    reach = 3

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        for index in (cursor.at, cursor.at - 1):
            if _match(cursor, index)[0]:
                return index
        return None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        things: dict[tuple[str, str], dict[str, Scalar]] = {}
        last = first
        for index, line in lines(cursor, first, _MOST):
            if index <= last and index > first:
                continue  # the rest of a line
            match, end = _match(cursor, index)
            if match is None and (line or index > last + 1):
                break
            if match is None:
                continue
            kind, values = _said(match)
            things.setdefault((kind, match["device"].removeprefix("/dev/")), {}).update(values)
            last = end
        return last, [
            PrintedSubject(kind, name, values, prompt.host)
            for (kind, name), values in things.items()
        ]


def _match(cursor: TextCursor, index: int) -> tuple[re.Match[str] | None, int]:
    """What a line says, and the index of its last one where a mail broke it."""
    line = cursor.line(index)
    below = cursor.line(index + 1).strip()
    for end, text in ((index, line), (index + 1, f"{line} {below}")):
        for form in _FORMS if text.strip().startswith("/dev/") else ():
            if match := form.match(text):
                return match, end
    return None, index


def _said(match: re.Match[str]) -> tuple[str, dict[str, Scalar]]:
    """The kind of a thing, and what is said of it."""
    parts = match.groupdict()
    if match.re is _ARRAY:
        size = round(units.printed(parts["size"])[0])
        return "md", {
            "size": size, "level": parts["level"], "raid_disks": int(parts["disks"]),
            "spares": int(parts["spares"]),
        }  # fmt: skip
    if match.re is _MEMBER:
        return "disk", {
            "md_array": parts["array"].removeprefix("/dev/"), "md_number": int(parts["number"]),
            "md_level": parts["level"], "md_raid_disks": int(parts["disks"]),
            "md_activity": parts["activity"],
        }  # fmt: skip
    if parts["inactive"]:
        return "md", {"state": "inactive"}
    return "disk", {"md_array" if parts["no_array"] else "md_member": False}
