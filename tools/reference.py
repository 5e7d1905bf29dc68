"""Writes docs/reference/ (outputs that are read, rules there are) and the schema of stack files.

`python tools/reference.py` writes; `--check` says what is not fresh and ends with 1.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path

from iosonde.explain.judge import rules
from iosonde.layers.outputs import OUTPUTS as OF_LAYERS
from iosonde.loads.outputs import OUTPUTS as OF_LOADS
from iosonde.registry import Table
from iosonde.stack.file import stack_schema

SCHEMAS = Path(__file__).parents[1] / "src" / "iosonde" / "schemas"
PLACE = Path(__file__).parents[1] / "docs" / "reference"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", r"\|")


def _outputs() -> str:
    lines = [
        "# Outputs that `iosonde import` reads",
        "",
        "Made from the tables by `make reference`. One file each, in `src/iosonde/loads/outputs`",
        "and `src/iosonde/layers/outputs`; its docstring names the sources.",
        "",
        "| output | tool | what |",
        "| --- | --- | --- |",
    ]
    every: dict[str, Table[type]] = {"loads": OF_LOADS, "layers": OF_LAYERS}
    for folder, table in every.items():
        for name in table:
            module = import_module(table[name].split(":")[0])
            first = _cell((module.__doc__ or "").strip().split("\n\n")[0])
            tool = getattr(table.load(name), "tool", name)
            lines.append(f"| {folder}/{name} | {_cell(str(tool))} | {first} |")
    return "\n".join(lines) + "\n"


def _rules() -> str:
    lines = [
        "# Rules of `iosonde explain`",
        "",
        "Made from the tables by `make reference`; `iosonde explain --rules` shows the same.",
        "",
        "| rule | about | what it looks for | source |",
        "| --- | --- | --- | --- |",
    ]
    lines += [
        f"| {rule.name} | {_cell(rule.about)} | {_cell(rule.says)} | {_cell(rule.source)} |"
        for rule in rules()
    ]
    return "\n".join(lines) + "\n"


def pages() -> Mapping[Path, str]:
    """File → its text as it should be."""
    schema = json.dumps(stack_schema(), indent=2, sort_keys=True) + "\n"
    return {
        PLACE / "outputs.md": _outputs(),
        PLACE / "rules.md": _rules(),
        SCHEMAS / "stack.json": schema,
    }


def main() -> int:
    """Write or check."""
    stale = [
        file
        for file, text in pages().items()
        if not file.exists() or file.read_text(encoding="utf-8") != text
    ]
    if "--check" in sys.argv:
        for file in stale:
            sys.stderr.write(f"{file.name} is not fresh: `make reference` writes it\n")
        return int(bool(stale))
    PLACE.mkdir(exist_ok=True)
    for file, text in pages().items():
        file.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
