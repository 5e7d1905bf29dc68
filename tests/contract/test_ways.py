"""The ways through the code that docs/architecture.md lists lead through functions that exist."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "iosonde"
CALL = re.compile(r"`([a-z_/]+\.py):([\w.]+)`")


def _names(path: Path) -> set[str]:
    """All functions, classes and methods of a module, as "Class.method"."""

    def inside(node: ast.AST, prefix: str) -> set[str]:
        names: set[str] = set()
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.ClassDef):
                names |= {prefix + child.name} | inside(child, f"{prefix}{child.name}.")
            elif isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
                names.add(prefix + child.name)
        return names

    return inside(ast.parse(path.read_text(encoding="utf-8")), "")


def missing(text: str) -> list[str]:
    """The calls in a text that the package does not have."""
    return [
        f"{file}:{name}"
        for file, name in CALL.findall(text)
        if not (PACKAGE / file).is_file() or name not in _names(PACKAGE / file)
    ]


def test_every_call_exists() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    assert len(CALL.findall(text)) > 60
    assert missing(text) == []


def test_a_call_that_is_gone_is_reported() -> None:
    text = "`cli/run.py:run`, `cli/run.py:gone`, `cli/gone.py:run`, `change/hold.py:Held.gone`"
    assert missing(text) == ["cli/run.py:gone", "cli/gone.py:run", "change/hold.py:Held.gone"]
