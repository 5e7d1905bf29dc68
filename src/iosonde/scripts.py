"""Files that the package brings: programs that run on hosts under test, bundled loads and studies.

A program gets what it works on as its arguments, "$@"; nothing is ever pasted into its text.
"""

from __future__ import annotations

import ast
from functools import cache
from importlib.resources import files


@cache
def program(package: str, *names: str, then: str = "") -> str:
    """The text of a shell program, without a line break at its end.

    Each file begins with comments for its reader (what calls it, what shellcheck is to know), which
    end at the first blank line and are not sent to any host.

    Args:
        package: where its files lie.
        names: of the files, functions before what calls them.
        then: what is to be done with their functions, where that is a line or two.
    """
    return "\n\n".join([*(_body(package, name) for name in names), *([then] if then else [])])


@cache
def source(package: str, name: str) -> str:
    """The text of a file as it is, for programs that are sent whole and for bundled files."""
    return (files(package) / name).read_text(encoding="utf-8")


@cache
def python_program(package: str, *names: str) -> str:
    """The text of a Python program for hosts, which have no iosonde: its modules one after another.

    Args:
        package: where its modules lie.
        names: of the files, each after those whose names it imports; these imports are left out.
    """
    return "\n\n".join(_without_own_imports(source(package, name)) for name in names)


def _without_own_imports(text: str) -> str:
    own: set[int] = set()
    for node in ast.parse(text).body:
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("iosonde."):
            own |= set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return "\n".join(line for at, line in enumerate(text.split("\n"), 1) if at not in own)


def bundled_names(package: str) -> tuple[str, ...]:
    """The names, without suffix, of the YAML files in a package."""
    names = [file.name for file in files(package).iterdir()]
    return tuple(sorted(name.removesuffix(".yaml") for name in names if name.endswith(".yaml")))


def _body(package: str, name: str) -> str:
    return source(package, name).partition("\n\n")[2].strip()
