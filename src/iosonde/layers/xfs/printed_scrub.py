"""`xfs_scrub`: how much it went through, and how much it found wrong, repaired and could not.

Source: xfsprogs 6.1, scrub/xfs_scrub.c (report_outcome(), phase_start(), phase_end()), scrub/
phase7.c ("%.1f%s data used;  %.*f%s inodes used."), scrub/common.c (err_levels[], auto_units()).
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde import units
from iosonde.records.printed import Unreadable
from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor, prompt_in
from iosonde.text.reader import Items, StateOutput, close_lines, top_of

_WHAT = (
    "repairs made|optimizations made|corruptions found|(?:unfixable |operational )?errors found"
    "|warnings found"
)
_TOTAL = re.compile(
    rf"\s*+(?:(?P<mount>/[^\s:]{{0,200}}): )?(?P<what>{_WHAT}): (?P<count>\d{{1,18}})"
    r"(?:; (?P<other>optimizations made|warnings found): (?P<others>\d{1,18}))?\.?\s*$"
)
_PHASE = re.compile(r"\s*Phase (?P<phase>\d): (?P<name>[A-Z][\w ,'()-]{3,80})\.?\s*$")
_USED = re.compile(
    r"\s*(?P<data>\d{1,12}\.\d)(?P<unit>[KMGTP]?i?B) data (?P<what>used|found);\s{1,2}"
    r"(?:(?P<realtime>\d{1,12}\.\d)(?P<realtime_unit>[KMGTP]?i?B) realtime data (?:used|found);"
    r"\s{1,2})?(?P<inodes>\d{1,12}(?:\.\d)?)(?P<inodes_unit>[KMGT]?) inodes (?:used|found)\.\s*$"
)
_INODES = re.compile(
    r"\s*(?P<counted>\d{1,12}(?:\.\d)?)(?P<unit>[KMGT]?) inodes counted; "
    r"(?P<checked>\d{1,12}(?:\.\d)?)(?P<checked_unit>[KMGT]?) inodes checked\.\s*$"
)
_MESSAGE = re.compile(
    r"\s*(?P<level>Corruption|Error|Warning|Info|Repaired|Optimized|Unfixable Error"
    r"|Verified|Completed): (?P<text>\S.{2,300}?)\s*$"
)
_OTHERS = re.compile(
    r"\s*(?:EXPERIMENTAL xfs_scrub program in use! Use at your own risk!|No problems found\."
    r"|No errors found\.|(?:Phase \d: )?(?:Memory used|I/O|I/O rate): .{5,160}"
    r"|/[^\s:]{0,200}: (?:Re-run xfs_scrub without -n\.|Unmount and run xfs_repair\.))\s*$"
)
_KEPT = 60  # messages
_POWERS = " KMGTP"


class XfsScrub(StateOutput):
    tool = "xfs_scrub"
    anchors = (
        "repairs made: ", "optimizations made: ", "corruptions found: ", "errors found: ",
        "warnings found: ", "inodes used.", "inodes checked.", "EXPERIMENTAL xfs_scrub",
        "Phase 1: Find filesystem",
    )  # fmt: skip
    commands = ("xfs_scrub",)
    reach = 3

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        if not _is_own(cursor.line(cursor.at)):
            return None
        return top_of(cursor, lambda above: bool(_is_own(above) or _MESSAGE.match(above)))

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        values, messages, mount, last = dict[str, Json](), list[str](), "", first
        for index, line in close_lines(cursor, first, 4000):
            message = _MESSAGE.match(line)
            if prompt_in(line) or not (message or _is_own(line)):
                break
            last = index
            if message:
                messages.append(line.strip())
            elif total := _TOTAL.match(line):
                values[total["what"].replace(" ", "_")] = int(total["count"])
                if total["other"]:
                    values[total["other"].replace(" ", "_")] = int(total["others"])
                mount = total["mount"] or mount
            elif phase := _PHASE.match(line):
                values["phase"] = int(phase["phase"])
            elif match := _USED.match(line) or _INODES.match(line):
                values |= _amounts(match)
        if messages:
            values |= {"messages": len(messages), "first_messages": list[Json](messages[:_KEPT])}
        if not values:
            raise Unreadable("it says no figure", last)
        path = re.search(r"\s(/\S{0,200})\s*$", prompt.command)
        return last, [self.counted("xfs", mount or (path[1] if path else ""), values, prompt)]


def _is_own(line: str) -> bool:
    forms = (_TOTAL, _PHASE, _USED, _INODES, _OTHERS)
    return any(form.match(line) for form in forms)


def _amounts(match: re.Match[str]) -> dict[str, Json]:
    """Bytes of data and numbers of inodes; of these K, M and G are thousands, as it counts them."""
    parts = match.groupdict()
    if "counted" in parts:
        return {
            "inodes_counted": _count(parts["counted"], parts["unit"]),
            "inodes_checked": _count(parts["checked"], parts["checked_unit"]),
        }
    values: dict[str, Json] = {
        f"data_{parts['what']}": units.parse_bytes(f"{parts['data']}{parts['unit']}"),
        f"inodes_{parts['what']}": _count(parts["inodes"], parts["inodes_unit"]),
    }
    if parts["realtime"]:
        size = units.parse_bytes(f"{parts['realtime']}{parts['realtime_unit']}")
        values[f"realtime_data_{parts['what']}"] = size
    return values


def _count(text: str, unit: str) -> int:
    return round(float(text) * 1000.0 ** _POWERS.index(unit or " "))
