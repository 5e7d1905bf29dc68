"""The ways that docs/architecture.md lists: their functions exist, and each calls the next."""

from __future__ import annotations

import ast
import re
from itertools import pairwise
from pathlib import Path

import pytest

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


WAY = re.compile(
    r"^#### (?P<title>.+): (?P<calls>\d+) calls?\n(?P<steps>(?:\d+\. `[^`]+`\n)+)",
    re.MULTILINE,
)
MOST = {
    "`run`, from the verb to fio": 6,
    "`tune`, from a candidate to its setting on the host": 5,
}


def _node(tree: ast.Module, name: str) -> ast.AST:
    node: ast.AST = tree
    for part in name.split("."):
        node = next(
            child
            for child in ast.iter_child_nodes(node)
            if isinstance(child, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef))
            and child.name == part
        )
    return node


def calls_in(text: str, name: str) -> set[str]:
    """The names that a function of a module calls, as they are where they are defined."""
    tree = ast.parse(text)
    renamed = {
        alias.asname: alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.asname
    }
    called = {
        node.func.id if isinstance(node.func, ast.Name) else node.func.attr
        for node in ast.walk(_node(tree, name))
        if isinstance(node, ast.Call) and isinstance(node.func, (ast.Name, ast.Attribute))
    }
    return {renamed.get(each, each) for each in called}


def broken(text: str) -> list[str]:
    """What does not hold of the ways in a text: a step that does not call the next, a count."""
    wrong = []
    for way in WAY.finditer(text):
        steps = CALL.findall(way["steps"])
        if len(steps) - 1 != int(way["calls"]):
            wrong.append(f"{way['title']}: {len(steps) - 1} calls")
        if len(steps) - 1 > MOST.get(way["title"], 9):
            wrong.append(f"{way['title']}: more than {MOST[way['title']]} calls")
        for (file, name), (_, callee) in pairwise(steps):
            source = (PACKAGE / file).read_text(encoding="utf-8")
            if callee.rpartition(".")[2] not in calls_in(source, name):
                wrong.append(f"{file}:{name} does not call {callee}")
    return wrong


def test_each_way_is_what_the_sources_say() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    titles = {way["title"] for way in WAY.finditer(text)}
    assert titles >= MOST.keys()
    assert {title.split("`")[1] for title in titles} == {"run", "explain", "up", "tune", "predict"}
    assert broken(text) == []


@pytest.mark.parametrize(
    ("steps", "said"),
    [
        (["measure/run.py:run_plan", "measure/trial.py:_apply"], "does not call _apply"),
        (["measure/trial.py:_apply", "change/keeper/__init__.py:Keeper.open"], "does not call"),
        (["verbs/predict.py:_combination", "predict/model.py:predict"], ""),
    ],
)
def test_a_step_that_does_not_call_the_next_is_reported(steps: list[str], said: str) -> None:
    listed = "".join(f"{at}. `{step}`\n" for at, step in enumerate(steps, 1))
    wrong = broken(f"#### `run`: 1 call\n{listed}")
    assert [said in line for line in wrong] == [True] * bool(said)
    assert broken(f"#### `run`: 3 calls\n{listed}")[0] == "`run`: 1 calls"


def test_every_call_exists() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    assert len(CALL.findall(text)) > 60
    assert missing(text) == []


def test_a_call_that_is_gone_is_reported() -> None:
    text = "`cli/run.py:run`, `cli/run.py:gone`, `cli/gone.py:run`, `change/hold.py:Held.gone`"
    assert missing(text) == ["cli/run.py:gone", "cli/gone.py:run", "change/hold.py:Held.gone"]
