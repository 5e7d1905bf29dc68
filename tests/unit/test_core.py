"""The typed face of the Rust core against the module that was built."""

from __future__ import annotations

import ast
from inspect import Parameter, signature
from pathlib import Path

from iosonde import _core


def test_the_stub_names_what_the_module_has() -> None:
    stub = ast.parse(Path(_core.__file__).with_name("_core.pyi").read_text())
    names: set[str] = set()
    for node in stub.body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names.add(node.target.id)
        elif isinstance(node, ast.FunctionDef):
            names.add(node.name)
        elif isinstance(node, ast.ClassDef):
            names.add(node.name)
            mine = {
                statement.name for statement in node.body if isinstance(statement, ast.FunctionDef)
            }
            built = {
                name
                for name in vars(getattr(_core, node.name))
                if not name.startswith("_") or name in mine
            }
            assert mine == built, node.name
    assert names == {name for name in vars(_core) if not name.startswith("_")}


def test_the_stub_names_the_keys_of_what_is_made() -> None:
    stub = ast.parse(Path(_core.__file__).with_name("_core.pyi").read_text())
    seen = 0
    for node in stub.body:
        new = [
            record
            for record in getattr(node, "body", ())
            if getattr(record, "name", "") == "__new__"
        ]
        if not new or not isinstance(node, ast.ClassDef) or not isinstance(new[0], ast.FunctionDef):
            continue
        args = new[0].args
        keys = {
            kwonlyarg.arg: default is not None
            for kwonlyarg, default in zip(args.kwonlyargs, args.kw_defaults, strict=True)
        }
        built = {
            parameter.name: parameter.default is not Parameter.empty
            for parameter in signature(getattr(_core, node.name)).parameters.values()
            if parameter.kind is Parameter.KEYWORD_ONLY
        }
        assert keys == built, node.name
        seen += len(keys)
    assert seen > 50
