"""The kinds of output that are read, by what is looked for before one of them is imported.

An import of all readers, with their 2,000 patterns, takes longer than a mail does. So what a search
asks of each of them stands in `outputs.json`, which `make reference` makes from their classes; a
reader that is not listed there is imported at once.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import NotRequired, TypedDict

from iosonde.registry import Table
from iosonde.scripts import source
from iosonde.text.cursor import Output

OUTPUTS: Table[Table[type[Output]]] = Table(
    "room whose tools print",
    {
        "loads": "iosonde.loads:OUTPUTS",
        "layers": "iosonde.layers:OUTPUTS",
        "monitors": "iosonde.monitors:OUTPUTS",
    },
)
INDEX = "outputs.json"
"""File beside this one: place of a class → tool, anchors and commands that the class names."""


class IndexRow(TypedDict):
    """What the index says of a class."""

    tool: str
    anchors: list[str]
    commands: list[str]
    is_prose: NotRequired[bool]


@dataclass(frozen=True)
class OutputKind:
    """A row of a table of outputs.

    Args:
        table: that it is a row of.
        name: of the row.
        tool: as `iosonde.text.cursor.Output` has it.
        anchors: as `iosonde.text.cursor.Output` has them.
        commands: that print it, where its class names them.
        is_prose: as `iosonde.text.cursor.Output` has it.
    """

    table: Table[type[Output]]
    name: str
    tool: str
    anchors: tuple[str, ...]
    commands: tuple[str, ...]
    is_prose: bool = False

    @cached_property
    def output(self) -> Output:
        """What reads it; its module is imported when this is first asked for."""
        return self.table.load(self.name)()


@cache
def output_kinds() -> tuple[OutputKind, ...]:
    """Every kind of output that is known, in the order of the tables."""
    indexed: Mapping[str, IndexRow] = json.loads(source("iosonde.text", INDEX))
    kinds = []
    for room in OUTPUTS:
        table = OUTPUTS.load(room)
        for name, place in table.items():
            row = indexed.get(place) or _row(table.load(name))
            anchors, commands = tuple(row["anchors"]), tuple(row["commands"])
            is_prose = row.get("is_prose", False)
            kinds.append(OutputKind(table, name, row["tool"], anchors, commands, is_prose))
    return tuple(kinds)


@cache
def commands() -> frozenset[str]:
    """Names of the commands whose outputs are read."""
    return frozenset(name for kind in output_kinds() for name in kind.commands)


def _row(output: type[Output]) -> IndexRow:
    row: IndexRow = {
        "tool": output.tool,
        "anchors": list(output.anchors),
        "commands": list(getattr(output, "commands", ())),
    }
    return {**row, "is_prose": True} if getattr(output, "is_prose", False) else row


def index() -> str:
    """The text of the index as it should be: a line a class."""
    tables = [OUTPUTS.load(room) for room in OUTPUTS]
    classes = {table[name]: table.load(name) for table in tables for name in table}
    rows = (
        f"{json.dumps(place)}: {json.dumps(_row(output), ensure_ascii=False)}"
        for place, output in sorted(classes.items())
    )
    return "{\n" + ",\n".join(rows) + "\n}\n"
