"""`gluster volume heal … info`, also with `summary` and `split-brain`: entries of each brick.

Source: glusterfs 3.6 to 11, heal/src/glfs-heal.c ("Brick HOST:PATH", "Status: ", "Number of
entries: ", " - Is in split-brain", " - Possibly undergoing heal", "Total Number of entries: ", "-"
where a brick is not connected). Up to 3.5 lists of split-brain, healed and heal-failed entries
count "Number of entries: ", too, and have a table "at  path on brick"; only "Gathering list of …
entries on volume" above them, or the command, tells which they are (outputs of 3.4).
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.kerneltext import lines
from iosonde.layers.gluster.facts import BRICK
from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, prompt_in
from iosonde.text.reader import Items, StateOutput, close_lines, nearest

_BRICK = re.compile(rf"\s*Brick (?P<brick>{BRICK})\s*$")
_STATUS = re.compile(r"\s*Status: (?P<status>[A-Z][\w ,.-]{3,80}?)\s*$")
_COUNT = re.compile(
    r"\s*(?:Total )?Number of (?:heal failed )?entries(?P<of> in heal pending| in split-brain|"
    r" possibly healing)?: (?P<count>\d{1,12}|-)\s*$",
    re.IGNORECASE,
)
_ENTRY = re.compile(
    r"\s*(?:\d{4}-\d\d-\d\d \d\d:\d\d:\d\d )?(?P<entry>/\S{0,300}(?: \S{1,100}){0,6}?|"
    r"<gfid:[0-9a-f-]{8,36}>\S{0,200})"
    r"(?: - (?:(?P<split_brain>Is in split-brain)|(?P<possibly_healing>Possibly undergoing heal)))?"
    r"\s*$"
)
_TIMES_HEAD = re.compile(r"\s*(?:at\s+path on brick|-{10,})\s*$")
_LEFT_OUT = re.compile(r"\s*(?:\.{3}|…)\s*$")
"""Entries that an author left out."""
_OWN = (_BRICK, _STATUS, _COUNT, _ENTRY, _TIMES_HEAD, _LEFT_OUT)
_LISTED = re.compile(
    r"\s*Gathering list of (?P<what>split brain|healed|heal failed) entries on volume \S"
)
_ASKED = re.compile(r"\binfo (?P<what>split-brain|healed|heal-failed|failed)\b")
_ABOVE = 6  # lines above the first brick in which "Gathering list" is looked for
_MOST = 20_000
_LISTED_ENTRIES = 20  # files whose names are kept; all are counted


class GlusterHeal(StateOutput):
    tool = "gluster volume heal"
    anchors = ("Number of entries", "umber of entries in ")
    commands = ("gluster",)
    reach = 4
    nothing = "no brick is followed by a count"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        if not _COUNT.match(cursor.line(cursor.at)):
            return None
        first = nearest(cursor, 80, _BRICK.match)
        return first if first is not None and _belongs(cursor, first) else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        bricks: dict[str, dict[str, Scalar]] = {}
        last = first
        values: dict[str, Scalar] = {}
        listed = _listed(cursor, first, prompt)
        for index, line in close_lines(cursor, first, _MOST, gap=4):
            if (index > first and prompt_in(line)) or not any(p.match(line) for p in _OWN):
                break
            if head := _BRICK.match(line):
                values = bricks[head["brick"]] = {}
            elif status := _STATUS.match(line):
                values["state"] = status["status"].lower()
            elif count := _COUNT.match(line):
                values |= _counted(count, listed)
            elif entry := _ENTRY.match(line):
                said = [*lines(str(values.get("entries", ""))), entry["entry"].strip()]
                values["entries"] = "\n".join(list(dict.fromkeys(said))[:_LISTED_ENTRIES])
                for tag in ("split_brain", "possibly_healing"):
                    if entry[tag]:
                        values[tag] = int(str(values.get(tag, 0))) + 1
            last = index
        return last, [
            PrintedSubject("gluster_brick", name, facts, prompt.host)
            for name, facts in bricks.items() if facts
        ]  # fmt: skip


def _counted(count: re.Match[str], listed: str) -> dict[str, Scalar]:
    """A count by its name; nothing where it is "-", of a brick that is not connected."""
    of = (count["of"] or "").strip().removeprefix("in ")
    name = f"entries_{re.sub('[ -]', '_', of)}" if of else listed
    return {} if count["count"] == "-" else {name: int(count["count"])}


def _belongs(cursor: TextCursor, first: int) -> bool:
    """Whether all lines from a brick's head down to the anchor are such as heal prints."""
    return all(
        not line or any(p.match(line) for p in _OWN)
        for line in cursor.block(first, cursor.at - first + 1)
    )


def _listed(cursor: TextCursor, first: int, prompt: Prompt) -> str:
    """What "Number of entries" counts: entries to heal, or what an old list is a list of."""
    above = next((line for index in range(first - 1, max(first - _ABOVE, 0) - 1, -1)
                  if (line := cursor.line(index).strip())), "")  # fmt: skip
    asked = _LISTED.match(above) or _ASKED.search(prompt.command)
    if asked is None:
        return "entries_to_heal"
    what = re.sub("[ -]", "_", asked["what"])
    return f"entries_{'heal_failed' if what == 'failed' else what}"
