"""How the package is built: what may import what, and names that mean one thing.

Each guard here is seen to fail: what it forbids is planted in the imports, or in a copy, of the
package, and what looks like it and is right is planted beside it.
"""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path

import grimp
import pytest
from importlinter import configuration
from importlinter.contracts.forbidden import ForbiddenContract
from importlinter.contracts.layers import LayersContract

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "iosonde"
COMMAND = Path(sys.executable).with_name("lint-imports")


def _sources(package: Path) -> Mapping[str, str]:
    """All modules, by their paths below the package."""
    return {
        path.relative_to(package).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted(package.rglob("*.py"))
    }


# ── the chain of rooms ────────────────────────────────────────────────────────────────────────

LINTER = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
CHAIN, SEARCH = LINTER["contracts"]
ROWS: Sequence[Sequence[str]] = [row.split(" | ") for row in CHAIN["layers"]]
PLANTS = [
    *((low, high) for above, row in pairwise(ROWS) for low in row
      for high in above),
    *((label, other) for row in ROWS for label in row for other in row if label != other),
    (ROWS[-1][0], ROWS[0][0]),
]  # fmt: skip
"""Each room imports those of the row above it, and those beside it."""


@pytest.fixture(scope="module")
def imports() -> grimp.ImportGraph:
    """Imports of the package from room to room: each room is one module here."""
    graph = grimp.build_graph("iosonde", cache_dir=None)
    for room in sorted(graph.find_children("iosonde")):
        if graph.find_children(room):
            graph.squash_module(room)
    return graph


def _kept(imports: grimp.ImportGraph) -> bool:
    contract = LayersContract(
        name=CHAIN["name"],
        session_options={"root_packages": LINTER["root_packages"]},
        contract_options={
            "containers": CHAIN["containers"],
            "layers": CHAIN["layers"],
            "exhaustive": str(CHAIN["exhaustive"]),
        },
    )
    return contract.check(imports, verbose=False).kept


def _with_import(imports: grimp.ImportGraph, importer: str, imported: str) -> None:
    imports.add_import(
        importer=f"iosonde.{importer}", imported=f"iosonde.{imported}",
        line_number=1, line_contents=f"import iosonde.{imported}",
    )  # fmt: skip


def test_each_room_imports_only_rooms_below_it(imports: grimp.ImportGraph) -> None:
    assert _kept(imports)


@pytest.mark.parametrize(("low", "high"), PLANTS)
def test_an_import_of_a_room_above_or_beside_breaks_the_chain(
    imports: grimp.ImportGraph, low: str, high: str
) -> None:
    try:
        _with_import(imports, low, high)
        assert not _kept(imports)
    finally:
        imports.remove_import(importer=f"iosonde.{low}", imported=f"iosonde.{high}")


def test_an_import_of_a_room_further_below_does_not(imports: grimp.ImportGraph) -> None:
    importer, imported = "registry", "exact"
    assert not imports.direct_import_exists(
        importer=f"iosonde.{importer}", imported=f"iosonde.{imported}"
    )
    try:
        _with_import(imports, importer, imported)
        assert _kept(imports)
    finally:
        imports.remove_import(importer=f"iosonde.{importer}", imported=f"iosonde.{imported}")


@pytest.mark.parametrize(
    ("importer", "imported", "kept"),
    [("tune.search.race", "hosts.host", False), ("statistics.contrast", "store.sql", False),
     ("tune.search.book", "measure.sheet", False), ("tune.search.race", "statistics.steady", True),
     ("tune.campaign.route", "hosts.host", True)],
)  # fmt: skip
def test_searching_knows_no_host(importer: str, imported: str, kept: bool) -> None:
    configuration.configure()
    graph = grimp.build_graph("iosonde", cache_dir=None)
    _with_import(graph, importer, imported)
    contract = ForbiddenContract(
        name=SEARCH["name"],
        session_options={"root_packages": LINTER["root_packages"]},
        contract_options={
            "source_modules": SEARCH["source_modules"],
            "forbidden_modules": SEARCH["forbidden_modules"],
        },
    )
    assert contract.check(graph, verbose=False).kept is kept


def _linted(package: Path) -> tuple[int, str]:
    """What the command of `make check` says of a copy of the package; its status first."""
    done = subprocess.run(
        [COMMAND, "--no-cache"], cwd=package.parent.parent, capture_output=True, check=False,
        env={"PYTHONPATH": str(package.parent), "PATH": "/usr/bin:/bin"}, text=True, timeout=120,
    )  # fmt: skip
    return done.returncode, done.stdout + done.stderr


@pytest.fixture(scope="module")
def copied(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package and of what `make check` reads."""
    place = tmp_path_factory.mktemp("copy")
    shutil.copy(ROOT / "pyproject.toml", place)
    shutil.copytree(
        PACKAGE, place / "src" / "iosonde", ignore=shutil.ignore_patterns("__pycache__")
    )
    return place / "src" / "iosonde"


@pytest.mark.parametrize(
    ("name", "source", "status", "said"),
    [("hosts/planted.py", "from iosonde.cli.main import main\n", 1, "not allowed to import"),
     ("store/planted.py", "from iosonde import measure\n", 1, "not allowed to import"),
     ("report/planted.py", "def late() -> None:\n    import iosonde.predict\n", 1,
      "not allowed to import"),
     ("planted.py", "", 1, "iosonde.planted"),
     ("stack/planted.py", "from iosonde import hosts\n", 0, "0 broken")],
    ids=["upwards", "store", "late", "a room that stands nowhere", "downwards"],
)  # fmt: skip
def test_the_command_sees_what_is_planted_in_the_sources(
    copied: Path, name: str, source: str, status: int, said: str
) -> None:
    (copied / name).write_text(source)
    try:
        returned, text = _linted(copied)
        assert (returned, said in text) == (status, True), text
    finally:
        (copied / name).unlink()


# ── the core ──────────────────────────────────────────────────────────────────────────────────

CORE_IMPORTERS = {
    "loads", "text", "trace", "predict", "hosts/local.py", "layers/*/ledger.py",
    "layers/_ledger/rule.py", "layers/_ledger/shapes.py", "statistics",
}  # fmt: skip
"""Rooms and modules that may import the built module, which import-linter cannot see."""


def _imports_core(source: str) -> bool:
    """Whether a module imports the core, however it spells that."""
    if "_core" not in source:
        return False
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Import(names=names):
                texts = [name.name for name in names]
            case ast.ImportFrom(module=module, names=names):
                texts = [f"{module or 'iosonde'}.{name.name}" for name in names]
            case ast.Constant(value=str(text)):  # importlib.import_module
                texts = [text]
            case _:
                continue
        if any(re.fullmatch(r"(iosonde)?\._core(\..*)?", name) for name in texts):
            return True
    return False


def _core_users(sources: Mapping[str, str]) -> set[str]:
    """Rooms that import the core; for `hosts` and `layers`, their modules."""
    users = {name for name, source in sources.items() if _imports_core(source)}
    return {
        re.sub(r"^layers/\w+/ledger\.py$", "layers/*/ledger.py", name)
        if name.startswith(("hosts/", "layers/")) else name.partition("/")[0]
        for name in users
    }  # fmt: skip


def test_no_room_but_these_imports_the_core() -> None:
    assert _core_users(_sources(PACKAGE)) == CORE_IMPORTERS


@pytest.mark.parametrize(
    "planted",
    ["from iosonde import _core", "from iosonde import units, _core as core",
     "from iosonde._core import Sampler", "import iosonde._core", "import iosonde._core as core",
     "def late():\n    from iosonde import (\n        errors,\n        _core,\n    )",
     "from . import _core", "import_module('iosonde._core')", "import_module('._core', 'iosonde')"],
)  # fmt: skip
@pytest.mark.parametrize(
    "name", ["report/planted.py", "hosts/planted.py", "layers/md/kind.py", "planted.py"]
)
def test_every_spelling_of_the_core_is_seen(planted: str, name: str) -> None:
    assert len(_core_users({name: planted}) - CORE_IMPORTERS) == 1


@pytest.mark.parametrize(
    "planted",
    ["from pydantic_core import ValidationError", "from iosonde.predict import model",
     '"""What iosonde._core counts."""', "from other import _core", "iosonde_core = 1"],
)  # fmt: skip
def test_what_only_looks_like_the_core_is_not(planted: str) -> None:
    assert not _imports_core(planted)


# ── names ─────────────────────────────────────────────────────────────────────────────────────


def _bound(statement: ast.stmt) -> Iterator[str]:
    """Names that a statement of a module or a class gives a meaning; overloads do not."""
    match statement:
        case ast.Assign(targets=targets):
            yield from (
                node.id for target in targets for node in ast.walk(target)
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
            )  # fmt: skip
        case ast.AnnAssign(target=ast.Name(id=name)):
            yield name
        case (
            ast.FunctionDef(name=name, decorator_list=[])
            | ast.AsyncFunctionDef(name=name, decorator_list=[])
            | ast.ClassDef(name=name)
        ):
            yield name


def _bound_twice(source: str) -> set[str]:
    """Names that a module or a class binds more than once: the first meaning is lost."""
    tree = ast.parse(source)
    scopes: list[ast.Module | ast.ClassDef] = [tree]
    scopes += [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    return {
        name
        for scope in scopes
        for name, times in Counter(
            name for statement in scope.body for name in _bound(statement)
        ).items()
        if times > 1
    }


def test_no_module_and_no_class_binds_a_name_twice() -> None:
    wrong = {name: twice for name, source in _sources(PACKAGE).items()
             if (twice := _bound_twice(source))}  # fmt: skip
    assert wrong == {}


@pytest.mark.parametrize(
    "planted",
    ["_PLACE = 1\nclass A: ...\n_PLACE = 2", "_A: int = 1\n_A, _B = 2, 3",
     "class A:\n    def f(self): ...\n    x = 1\n    def f(self): ...", "A = 1\nclass A: ..."],
)  # fmt: skip
def test_a_name_bound_twice_is_seen(planted: str) -> None:
    assert _bound_twice(planted)


@pytest.mark.parametrize(
    "planted",
    ["A = 1\ndef f():\n    A = 2", "a = {}\na['x'] = 1\na['x'] = 2", "A = 1\nclass B:\n    A = 2",
     "class A:\n    @property\n    def f(self): ...\n    @f.setter\n    def f(self, v): ...",
     "if x:\n    A = 1\nelse:\n    A = 2"],
)  # fmt: skip
def test_a_name_of_another_scope_is_another_name(planted: str) -> None:
    assert not _bound_twice(planted)


# ── functions that nobody calls ───────────────────────────────────────────────────────────────

CALLED_BY_OTHERS = {
    "collect_usage_pieces", "format_options",  # typer
    "handle_starttag", "handle_endtag", "handle_data",  # html.parser
    "process_bind_param", "process_result_value",  # SQLAlchemy
}  # fmt: skip

_BEGINNING = re.compile(r"\b(?:def|class)\s+(\w+)")


def _never_named(sources: Mapping[str, str], others: str = "") -> set[str]:
    """Functions and classes that the package, and `others`, name nowhere but where they begin.

    What a decorator or Python itself calls is left out.
    """
    counter = Counter(re.findall(r"\w+", others))
    begun: Counter[str] = Counter()
    for source in sources.values():
        counter.update(re.findall(r"\w+", source))
        begun.update(_BEGINNING.findall(source))
    lone = {name for name, times in begun.items() if counter[name] == times}
    defined: Counter[str] = Counter()
    for source in sources.values():
        if lone.isdisjoint(_BEGINNING.findall(source)):
            continue  # most are so: it need not be parsed
        defined.update(
            node.name
            for node in ast.walk(ast.parse(source))
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
            and not node.decorator_list
            and not re.fullmatch(r"__\w+__", node.name)
        )
    return {name for name, times in defined.items() if counter[name] == times} - CALLED_BY_OTHERS


def test_every_function_is_used_by_more_than_tests() -> None:
    others = [*(ROOT / "tools").glob("*.py"), ROOT / "docs/use/python.md"]
    text = "\n".join(path.read_text() for path in others)
    assert _never_named(_sources(PACKAGE), text) == set()


def test_a_function_that_nobody_names_is_seen() -> None:
    planted = "class Forgotten:\n    async def forsaken(self): ...\n"
    assert _never_named({"planted.py": planted}) == {"Forgotten", "forsaken"}
    assert _never_named({"planted.py": planted, "other.py": "x = Forgotten()"}) == {"forsaken"}
    assert _never_named({"planted.py": planted}, "Forgotten().forsaken()") == set()


def test_every_name_that_others_call_still_exists() -> None:
    text = "\n".join(_sources(PACKAGE).values())
    assert [name for name in sorted(CALLED_BY_OTHERS) if f"def {name}(" not in text] == []


# ── stand-ins of tests have types ─────────────────────────────────────────────────────────────


def _untyped(text: str) -> list[int]:
    """The lines that name an object which has whatever attributes it is given."""
    if "SimpleNamespace" not in text:
        return []
    return [
        node.lineno
        for node in ast.walk(ast.parse(text))
        if (isinstance(node, ast.Name) and node.id == "SimpleNamespace")
        or (isinstance(node, ast.Attribute) and node.attr == "SimpleNamespace")
        or (isinstance(node, ast.alias) and node.name == "SimpleNamespace")
    ]


def test_what_stands_in_for_a_class_in_tests_is_a_class() -> None:
    """mypy tells then what it does not have."""
    groups = {name: lines for name, text in _sources(ROOT / "tests").items()
             if (lines := _untyped(text))}  # fmt: skip
    assert groups == {}


@pytest.mark.parametrize(
    "text",
    ["from types import SimpleNamespace", "import types\nx = types.SimpleNamespace(a=1)"],
)
def test_an_untyped_stand_in_is_seen(text: str) -> None:
    assert _untyped(text)


def test_a_class_and_a_word_in_a_text_are_no_untyped_stand_ins() -> None:
    assert _untyped("class Place:\n    name = 'SimpleNamespace'\n") == []
