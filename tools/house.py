"""Checks the rules of the house that no linter knows; `make check` runs it.

- Nothing names a technology outside its folder and the tables of rows: not in a string that is its
  name, not in an identifier, and not by importing its folder. What is right as it is stands in
  NAMED, with the reason.
- No two modules of the package have a public class of the same name.
- No shell program of more than five lines stands in a string.
- No module of the package has more than 450 lines, without the rows of a table of all things.
- No function of the package has more than 60 lines of code: without its signature, docstring,
  blank lines and comments.
- Every aspect of a technology (settings, printed, sampled, findings, ledger) has a test.
- Nothing in the package, nor a module of it or of the tests, has a name that says nothing: `one`,
  `found`, `known`, `told`, `words`.

What does not hold yet stands in tables here, with the reason where it is to stay. They may only
shrink: what is in a table and holds by now is an error as well.
"""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from iosonde.layers import KERNEL_MESSAGES, LAYERS
from iosonde.layers import OUTPUTS as OF_LAYERS
from iosonde.loads import OUTPUTS as OF_LOADS
from iosonde.monitors import OUTPUTS as OF_MONITORS

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "iosonde"
TESTS = ROOT / "tests"

ROWS = frozenset({"layers/__init__.py", "monitors/__init__.py", "settings/__init__.py"})
"""Where the tables stand that have a technology's rows."""
_ORDINARY = frozenset({"disk", "dm", "filesystem", "guest", "link", "loop", "partition"})
"""Kinds whose names are words: no identifier names them, and not every string that is the word."""
_SHARED = frozenset({"layer", "site", "step"})
_READERS = frozenset(
    table[row].partition(":")[0]
    for table in (OF_LAYERS, OF_LOADS, OF_MONITORS, KERNEL_MESSAGES)
    for row in table
)
"""Modules that the tables of outputs and of the kernel's messages name."""
_MOST = 5  # lines of a shell program in a string
_LONGEST = 450  # lines of a module
_TABLE_ROW = re.compile(r' {4,8}"[\w.-]{1,60}": "iosonde[\w.]{1,80}:\w{1,60}",')
"""A row of a `registry.Table`, which has as many as there are things to list."""
_MOST_CODE = 60  # lines of a function
_SHELL = re.compile(r"\$[1-9@#?({]|\"\$")
_ASPECT = re.compile(r"(settings|printed|findings)(_\w+)?|sampled|ledger")

Named = Mapping[str, Set[str]]

NAMED: Mapping[str, Mapping[str, str]] = {
    "lab/initramfs.py": {
        "ext4": "a kernel module that the nodes' own root needs",
    },
    "layers/drbd/kind.py": {
        "disk": "a section of drbd.conf",
    },
    "loads/loop_tester.py": {
        "hwraid": "what the program prints of the controller that it measures through",
    },
}
UNTESTED: Set[str] = frozenset()
VAGUE = frozenset({"one", "found", "known", "told", "words"})


def sources(place: Path) -> dict[str, str]:
    """The modules below a place: path below it → text."""
    return {
        file.relative_to(place).as_posix(): file.read_text(encoding="utf-8")
        for file in sorted(place.rglob("*.py"))
    }


@dataclass(frozen=True, slots=True)
class Facts:
    """What the rules ask of a module's syntax, of one walk through it."""

    importing_from: Set[str]
    speaks_of_kinds: bool
    classes: Sequence[str]
    shell_lines: int
    vague: Sequence[str]
    long_functions: Sequence[tuple[int, str, int]]


@cache
def _facts(text: str) -> Facts:
    tree = ast.parse(text)
    nodes = list(ast.walk(tree))
    importing_from = frozenset(
        node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module
    )
    return Facts(
        importing_from,
        any(module.startswith("iosonde.layers") for module in importing_from)
        or _speaks_of_kinds(tree),
        tuple(
            node.name
            for node in tree.body
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
        ),
        sum(
            lines
            for whole, lines in _strings(nodes)
            if lines > _MOST and len(_SHELL.findall(whole)) > 1
        ),
        tuple(
            f"{line}: {name}"
            for node in nodes
            for line, name in _bound(node)
            if name and name.strip("_").lower() in VAGUE
        ),
        tuple(_long_functions(nodes, text.splitlines())),
    )


# ── names of technologies ─────────────────────────────────────────────────────────────────────


def named(texts: Mapping[str, str]) -> Named:
    """Module → the kinds and folders of technologies that it names and that are not its own."""
    kinds = {
        path: frozenset(
            name for name in names_in(text, path)
            if not _is_own(path, name)
        )
        for path, text in texts.items() if path not in ROWS
    }  # fmt: skip
    return {path: names for path, names in kinds.items() if names}


def _is_own(path: str, name: str) -> bool:
    """Whether a module is a technology's own."""
    return path.startswith((f"{home(name)}/", f"{home(name)}.py"))


def home(name: str) -> str:
    """The folder of a kind or of another technology, or its file without the ending."""
    module = LAYERS[name].partition(":")[0] if name in LAYERS else f"iosonde.layers.{name}"
    return "/".join(module.split(".")[1:3])


def names_in(text: str, path: str) -> Iterator[str]:
    """The kinds and folders of technologies that a module names; prose does not count.

    Args:
        text: of the module.
        path: below the package.
    """
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.STRING:
            word = token.string.strip("'\"")
            if word in LAYERS and word not in _ORDINARY:
                yield word
        elif token.type == tokenize.NAME:
            name = f"_{token.string.lower()}_"
            yield from (kind for kind in LAYERS if kind not in _ORDINARY and f"_{kind}_" in name)
    if not is_without_kinds(text, path):
        yield from _ordinary_in(text, is_reader=_is_reader(path))
    for module in _facts(text).importing_from:
        parts = module.split(".")
        if parts[:2] == ["iosonde", "layers"] and len(parts) > 2:
            folder = parts[2]
            if not folder.startswith("_") and folder not in _SHARED:
                yield folder


def _is_reader(path: str) -> bool:
    return f"iosonde.{path.removesuffix('.py').replace('/', '.')}" in _READERS


def is_without_kinds(text: str, path: str) -> bool:
    """Whether an ordinary word can be no kind of layer here, since no kind is spoken of.

    That is a module of another room that imports nothing of the layers, and in which no name of
    the code has the word "kind" in it.
    """
    return not path.startswith("layers/") and not _facts(text).speaks_of_kinds


def homonyms(texts: Mapping[str, str]) -> Named:
    """Module → the ordinary words in it that are called as a kind is, and are none by a rule.

    It speaks of no kinds, or they are types of devices, as lsblk has them.
    """
    said = {
        path: {
            *(_ordinary_in(text) if is_without_kinds(text, path) else ()),
            *(str(word.value) for word in _types(ast.parse(text))),
        } - {name for name in _ORDINARY if _is_own(path, name)}
        for path, text in texts.items() if path not in ROWS and not _is_reader(path)
    }  # fmt: skip
    return {path: names for path, names in said.items() if names}


def _types(tree: ast.AST) -> Iterator[ast.Constant]:
    """The words that are types of devices by the name of the table or function they stand in."""
    for node in ast.walk(tree):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)]) if name.endswith("_TYPES"):
                yield from _words(node)
            case ast.FunctionDef(name=name) if name.endswith("_type"):
                yield from _words(node)


def _words(node: ast.AST) -> Iterator[ast.Constant]:
    for part in ast.walk(node):
        if isinstance(part, ast.Constant) and part.value in _ORDINARY:
            yield part


def _ordinary_in(text: str, *, is_reader: bool = False) -> Iterator[str]:
    """The kinds whose names are words, where the word is not plainly something else.

    Something else are the kind of a record of what a tool printed, the name of a group or of a
    column that is looked up or looked for, a device's type in lsblk, a part of a command, and what
    the list of rules says a rule is about. A reader's words are those of its text and of its
    records, unless it asks for the kind of a layer.
    """
    tree = ast.parse(text)
    types = set(map(id, _types(tree)))
    for word, chain in _with_parents(tree, ()):
        if word.value not in _ORDINARY or id(word) in types:
            continue
        if any(map(_asks_for_kind, chain)) or not (
            is_reader or any(map(_is_of_records, chain[:2]))
        ):
            yield str(word.value)


def _with_parents(
    node: ast.AST, chain: tuple[ast.AST, ...]
) -> Iterator[tuple[ast.Constant, Sequence[ast.AST]]]:
    """The strings of a module, each with what it stands in up to a statement, the nearest first."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Constant) and isinstance(child.value, str):
            yield child, (node, *chain)
        else:
            above = () if isinstance(child, ast.stmt) else (node, *chain)
            yield from _with_parents(child, above)


def _speaks_of_kinds(node: ast.AST) -> bool:
    """Whether a name of the code has "kind" in it, whatever it names."""
    for part in ast.walk(node):
        match part:
            case (
                ast.Name(id=name)
                | ast.Attribute(attr=name)
                | ast.arg(arg=name)
                | ast.keyword(arg=str(name))
                | ast.FunctionDef(name=name)
                | ast.ClassDef(name=name)
            ):
                if "kind" in name.lower():
                    return True
    return False


def _called(node: ast.AST) -> str:
    match node:
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
            return name
    return ""


def _asks_for_kind(node: ast.AST) -> bool:
    """Whether what stands here is compared with the kind of a layer, or looks for layers of one."""
    match node:
        case ast.Compare():
            return any(
                isinstance(part, ast.Attribute) and part.attr == "kind" for part in ast.walk(node)
            )
        case ast.Subscript(value=ast.Name(id=table)):
            return table.isupper()
    return _called(node) in {"of_kind", "identity", "load"}


def _is_of_records(node: ast.AST) -> bool:
    """Whether this is the kind of a record, a name that is looked up, a type, or a command."""
    match node:
        case ast.Subscript() | ast.Compare(left=ast.Attribute(attr="type")):
            return True
        case ast.Compare(left=ast.Constant(), ops=[ast.In() | ast.NotIn()]):
            return not _speaks_of_kinds(node)
    return _called(node) in {
        "PrintedSubject", "PrintedCounters", "counted", "kind_by_type", "printed_kind", "run",
        "Check", "Rule",
    }  # fmt: skip


# ── class names ───────────────────────────────────────────────────────────────────────────────


def classes_twice(texts: Mapping[str, str]) -> Set[str]:
    """Names of public classes that several modules have."""
    counted = Counter(name for text in texts.values() for name in _facts(text).classes)
    return frozenset(name for name, count in counted.items() if count > 1)


# ── shell in strings ──────────────────────────────────────────────────────────────────────────


def _strings(nodes: Sequence[ast.AST]) -> Iterator[tuple[str, int]]:
    """The strings of a module that are no docstrings, and how many lines each has."""
    loose = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    inside = {id(part) for node in nodes if isinstance(node, ast.JoinedStr) for part in node.values}
    skipped = loose | inside
    for node in nodes:
        if id(node) in skipped:
            continue
        parts = node.values if isinstance(node, ast.JoinedStr) else [node]
        texts = [
            part.value
            for part in parts
            if isinstance(part, ast.Constant) and isinstance(part.value, str)
        ]
        if texts and isinstance(node, ast.expr):
            whole = "".join(texts).strip()
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            yield whole, whole.count("\n") + 1 if "\n" in whole else lines


def shell(texts: Mapping[str, str]) -> Mapping[str, int]:
    """Module → lines of the shell programs in its strings that are longer than they may be."""
    counted = {path: _facts(text).shell_lines for path, text in texts.items()}
    return {path: lines for path, lines in counted.items() if lines}


# ── length of modules ─────────────────────────────────────────────────────────────────────────


def long_modules(texts: Mapping[str, str]) -> Mapping[str, int]:
    """Module → its lines but rows of tables, where they are more than a module may have."""
    counted = {
        path: sum(_TABLE_ROW.fullmatch(line) is None for line in text.splitlines())
        for path, text in texts.items()
    }
    return {path: lines for path, lines in counted.items() if lines > _LONGEST}


# ── length of functions ───────────────────────────────────────────────────────────────────────


def long_functions(text: str) -> list[str]:
    """The functions of a module that are longer than they may be, each as "line: name, lines"."""
    return [f"{line}: {name}, {count} lines" for line, name, count in _facts(text).long_functions]


def _long_functions(
    nodes: Sequence[ast.AST], lines: Sequence[str]
) -> Iterator[tuple[int, str, int]]:
    for node in nodes:
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        body = node.body[1:] if ast.get_docstring(node, clean=False) is not None else node.body
        if not body:
            continue
        code = [line.strip() for line in lines[body[0].lineno - 1 : node.end_lineno]]
        count = sum(bool(line) and not line.startswith("#") for line in code)
        if count > _MOST_CODE:
            yield node.lineno, node.name, count


# ── names of variables ────────────────────────────────────────────────────────────────────────


def vague(text: str) -> list[str]:
    """What a module binds to a name that says nothing, each as "line: name".

    Counted are variables, parameters, functions, methods, classes, constants, and attributes of
    classes and objects; a leading underscore or capitals make no other name.
    """
    return list(_facts(text).vague)


def vague_modules(paths: Iterable[str]) -> list[str]:
    """The modules and folders whose own name says nothing, or begins or ends with such a word."""
    return [
        path
        for path in paths
        if any(
            word in VAGUE
            for part in path.removesuffix(".py").split("/")
            for word in (part.split("_")[0], part.split("_")[-1])
        )
    ]


def _bound(node: ast.AST) -> Iterator[tuple[int, str | None]]:
    match node:
        case ast.Name(ctx=ast.Store()):
            yield node.lineno, node.id
        case ast.Attribute(ctx=ast.Store()):
            yield node.lineno, node.attr
        case ast.arg():
            yield node.lineno, node.arg
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef() | ast.ExceptHandler():
            yield node.lineno, node.name
        case ast.MatchAs() | ast.MatchStar():
            yield node.lineno, node.name
        case ast.ImportFrom():
            yield from ((node.lineno, alias.asname) for alias in node.names)


# ── tests of aspects ──────────────────────────────────────────────────────────────────────────


def untested(texts: Mapping[str, str], tests: Mapping[str, str]) -> Set[str]:
    """Aspects of technologies that no test imports, and beside which no test file of theirs stands.

    Args:
        texts: of the package.
        tests: path below tests/ → text. Beside layers/md/printed_mdstat.py stands
            unit/layers/md/test_printed_mdstat.py, or test_printed.py for all that md prints.
    """
    imported: set[str] = set()
    for text in tests.values():
        for node in ast.walk(ast.parse(text)) if "iosonde.l" in text else ():
            if isinstance(node, ast.ImportFrom) and node.module:
                imported |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
            elif isinstance(node, ast.Import):
                imported |= {alias.name for alias in node.names}
    without = set()
    for path in texts:
        room, _, rest = path.partition("/")
        folder, _, stem = rest.removesuffix(".py").rpartition("/")
        if room not in {"layers", "loads"} or not folder or not _ASPECT.fullmatch(stem):
            continue
        beside = {f"unit/{room}/{folder}/test_{name}.py" for name in (stem, stem.partition("_")[0])}
        if f"iosonde.{room}.{folder}.{stem}" not in imported and not beside & tests.keys():
            without.add(path)
    return frozenset(without)


# ── all of it ─────────────────────────────────────────────────────────────────────────────────


def _compared(what: str, now: Set[str], left: Set[str]) -> Iterator[str]:
    for row in sorted(now - left):
        yield f"{row}: {what}"
    for row in sorted(left - now):
        yield f"{row}: holds by now: take its row out of tools/house.py"


def problems(texts: Mapping[str, str], tests: Mapping[str, str]) -> Iterator[str]:
    """A sentence for each place where a rule does not hold, or a table says more than there is."""
    here = named(texts)
    rows = {f"{path}: {name}" for path, names in here.items() for name in names}
    allowed = {f"{path}: {name}" for path, names in NAMED.items() for name in names}
    yield from _compared(
        "it names a technology; let its kind say what is to be known", rows, allowed
    )
    for name in sorted(classes_twice(texts)):
        yield f"{name}: several public classes have this name"
    for path, lines in sorted(shell(texts).items()):
        yield f"{path}: {lines} lines: a shell program in a string; make it a .sh file"
    for path, lines in sorted(long_modules(texts).items()):
        yield f"{path}: {lines} lines, {_LONGEST} at most: part it where its subject changes"
    for path, text in sorted(texts.items()):
        for place in long_functions(text):
            yield f"{path}:{place} of code, {_MOST_CODE} at most: part it where its subject changes"
    yield from _compared(
        "no test imports it, and none stands beside it", untested(texts, tests), UNTESTED
    )
    for root, modules in (("", texts), ("tests/", tests)):
        for path, text in sorted(modules.items()):
            for place in vague(text):
                yield f"{root}{path}:{place}: name it for what it holds or does"
    for path in vague_modules(sorted({*texts, *tests})):
        yield f"{path}: name it for what it holds"


def main() -> int:
    """Say what does not hold; 1 if anything."""
    sentences = list(problems(sources(SOURCE), sources(TESTS)))
    for sentence in sentences:
        sys.stderr.write(f"{sentence}\n")
    return int(bool(sentences))


if __name__ == "__main__":
    sys.exit(main())
