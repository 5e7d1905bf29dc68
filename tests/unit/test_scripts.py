"""Programs for hosts are texts that need nothing of the package."""

from __future__ import annotations

import ast
import builtins

from iosonde.change.keeper import _SCRIPTS
from iosonde.scripts import python_program, source

PARTS = next(parts for command, _, *parts in _SCRIPTS if command == "python3")


def _free(text: str) -> set[str]:
    """The names that a text loads and nothing in it binds."""
    nodes = list(ast.walk(ast.parse(text, feature_version=(3, 6))))
    bound = {node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    bound |= {node.arg for node in nodes if isinstance(node, ast.arg)}
    bound |= {
        node.id for node in nodes if isinstance(node, ast.Name) and node.ctx.__class__ is ast.Store
    }
    bound |= {node.name for node in nodes if isinstance(node, ast.ExceptHandler) and node.name}
    for node in nodes:
        if isinstance(node, ast.Import | ast.ImportFrom):
            bound |= {alias.asname or alias.name for alias in node.names}
    loaded = {node.id for node in nodes if isinstance(node, ast.Name)}
    return loaded - bound - set(dir(builtins)) - {"__name__"}


def test_the_keeper_in_python_is_whole_and_imports_nothing_of_the_package() -> None:
    text = python_program("iosonde.change.keeper", *PARTS)
    assert "iosonde.change" not in text
    assert _free(text) == set()


def test_a_part_alone_lacks_what_it_imports() -> None:
    text = python_program("iosonde.change.keeper", PARTS[-1])
    assert {"open_device", "KeeperState"} <= _free(text)
    assert "from iosonde.change.keeper" in source("iosonde.change.keeper", PARTS[-1])
