"""`btrfs qgroup show`: what each quota group takes, and what it may.

Source: btrfs-progs 4.4 to 6.11, cmds/qgroup.c (btrfs_qgroup_columns[]: "qgroupid rfer excl max_rfer
max_excl parent child"; since 6.0 "Qgroupid Referenced Exclusive", "Max referenced", "Path").
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from typing_extensions import override

from iosonde import units
from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, prompt_in
from iosonde.text.reader import Items, StateOutput, close_lines

_FACTS = {
    "rfer": "referenced", "referenced": "referenced", "excl": "exclusive",
    "exclusive": "exclusive", "max_rfer": "max_referenced", "max_referenced": "max_referenced",
    "max_excl": "max_exclusive", "max_exclusive": "max_exclusive", "parent": "parents",
    "child": "children", "path": "path",
}  # fmt: skip
_HEAD = re.compile(
    r"\s*[qQ]groupid\s+(?:rfer|Referenced)\s+(?:excl|Exclusive)"
    r"(?P<more>(?:\s+(?:max_rfer|max_excl|Max referenced|Max exclusive|parent|Parent|child|Child"
    r"|Path|path)){0,6})\s*$"
)
_RULE = re.compile(r"\s*-{4,40}(?:\s+-{2,40}){2,8}\s*$")
_SIZE = r"-?\d{1,19}(?:\.\d{1,3})?(?:[KMGTPE]iB|B)?"
_ROW = re.compile(
    rf"\s*(?P<id>\d{{1,5}}/\d{{1,19}})\s+(?P<referenced>{_SIZE})\s+(?P<exclusive>{_SIZE})"
    r"(?P<more>(?:\s+\S.{0,300})?)$"
)
_LIMITS = frozenset({"max_referenced", "max_exclusive"})


class BtrfsQgroups(StateOutput):
    tool = "btrfs qgroup show"
    anchors = ("qgroupid ", "Qgroupid ")
    commands = ("btrfs",)
    reach = 3
    nothing = "no group follows its head"
    beginning = _HEAD

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        columns = _columns(self.first_line(cursor, first)["more"])
        subjects: list[PrintedSubject] = []
        last = first
        for index, line in close_lines(cursor, first + 1, 4000):
            row = _ROW.match(line)
            if prompt_in(line) or not (row or _RULE.match(line)):
                break
            if row:
                values = {name: _bytes(row[name]) for name in ("referenced", "exclusive")} | _more(
                    columns, row["more"]
                )
                subjects.append(PrintedSubject("btrfs_qgroup", row["id"], values, prompt.host))
            last = index
        return last, subjects


def _columns(more: str) -> list[str]:
    """Facts of the columns behind the first three."""
    names = re.findall(r"Max \w+|\w+", more)
    return [_FACTS[word.lower().replace(" ", "_")] for word in names]


def _more(columns: Sequence[str], text: str) -> dict[str, Scalar]:
    """What stands in them; a group without limit has none, "---" is no other group."""
    values: dict[str, Scalar] = {}
    cells = text.split(maxsplit=max(len(columns) - 1, 0))
    for name, cell in zip(columns, cells, strict=False):
        if name in _LIMITS:
            if re.fullmatch(_SIZE, cell):
                values[name] = _bytes(cell)
        elif not set(cell.strip()) <= {"-"}:
            values[name] = cell.strip().replace(",", " ") if name != "path" else cell.strip()
    return values


def _bytes(text: str) -> int:
    return round(units.printed(text, binary=True)[0]) if text[-1] == "B" else int(text)
