"""Every table names just the files of its folder; starting up loads nothing heavy."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from iosonde.cli import ACTIONS, VERBS
from iosonde.explain.rules import RULES as SPANNING_RULES
from iosonde.hosts import HOSTS
from iosonde.layers import CACHES, KERNEL_MESSAGES, LAYERS, LEDGERS
from iosonde.layers import OUTPUTS as LAYER_OUTPUTS
from iosonde.layers import RULES as LAYER_RULES
from iosonde.loads import LOADS
from iosonde.loads import OUTPUTS as LOAD_OUTPUTS
from iosonde.loads import RULES as LOAD_RULES
from iosonde.monitors import OUTPUTS as MONITOR_OUTPUTS
from iosonde.monitors import SAMPLERS
from iosonde.predict.service import MODELS
from iosonde.registry import Table
from iosonde.report import FORMATS
from iosonde.settings import MECHANISMS
from iosonde.store import STORES
from tests.cli.conftest import COMMAND

ROOT = Path(__file__).parents[2]
# Files of a folder that are no rows: protocols, and parts that several rows share.
SHARED: Mapping[str, set[str]] = {
    "hosts": {
        "host",
        "command",
        "kin",
        "forward",
        "cleaning",
        "conversation",
        "gathered",
        "private",
        "sampler",
        "packages",
        "become",
        "still",
    },
    "report": {
        "raw",
        "forecasts",
        "format",
        "rows",
        "charts",
        "image",
        "findings",
        "waterfall",
        "trend",
        "waterfall_chart",
        "blocks",
        "tuning",
        "tuning_charts",
        "tuning_effects",
        "tuning_path",
        "tuning_tables",
        "tuning_html",
        "captured",
        "imported",
        "curves",
        "steady",
        "grid",
        "courses",
        "figures",
        "pivot",
        "page",
        "sections",
        "first_screen",
        "replayed",
        "saturation",
        "setup",
    },
    "store": {
        "store",
        "labels",
        "naming",
        "lines",
        "outline",
        "reading",
        "transactions",
        "deflated",
        "sql",
        "rows",
        "packed",
        "schema",
        "owner",
        "alive",
        "database",
        "place",
        "rescue",
        "migrate",
        "migrations",
        "campaigns",
    },
    "cli": {
        "main",
        "measuring",
        "misspelt",
        "listed",
        "run_options",
        "output",
        "screen",
        "progress",
        "timetext",
        "result",
        "stored",
        "imported",
        "import_answer",
        "streams",
        "traced",
        "replayed",
        "options",
        "accounted",
        "steady",
        "curves",
        "predicted",
        "compared",
        "examples",
        "explained",
        "help",
        "logged",
        "steps",
        "table",
        "timed",
        "tune_plan",
        "tune_progress",
        "tune_result",
        "forecasts",
    },
    "explain/rules": set(),
    "predict/service": {"service"},
}
TABLES: Mapping[str, Table[Any]] = {
    "hosts": HOSTS, "report": FORMATS, "store": STORES, "cli": VERBS,
    "explain/rules": SPANNING_RULES, "predict/service": MODELS,
}  # fmt: skip
"""Folders that hold the rows of one table."""

TECHNOLOGIES: Mapping[str, Table[Any]] = {
    "kind": LAYERS, "mechanism": MECHANISMS, "ledger": LEDGERS, "engine": LOADS,
    "sampler": SAMPLERS, "cache": CACHES,
    "printed by layers": LAYER_OUTPUTS, "printed by loads": LOAD_OUTPUTS,
    "printed by monitors": MONITOR_OUTPUTS,
    "rules about layers": LAYER_RULES, "rules about loads": LOAD_RULES,
}  # fmt: skip
"""What the folders of technologies hold, one file each."""
OF_FOLDERS: Mapping[str, Table[Any]] = {
    "OUTPUTS": LAYER_OUTPUTS, "RULES": LAYER_RULES, "KERNEL_MESSAGES": KERNEL_MESSAGES,
}  # fmt: skip
"""Tables of which each folder has its own rows."""
ROWS = re.compile(r"(kind|initiator|target|ledger|(settings|printed|findings)(_\w+)?)\.py")
"""Files of a technology that are rows of a table, by their fixed names."""
PARTS = {"layers/_caches/ledger.py"}
"""What those of several technologies share."""

HEAVY = {
    "scipy", "numpy", "polars", "sqlalchemy", "alembic", "asyncssh", "altair", "pydantic", "rich",
    "vl_convert", "ruamel",
}  # fmt: skip


@pytest.mark.parametrize("folder", sorted(TABLES))
def test_files_and_rows_match(folder: str) -> None:
    place = ROOT / "src" / "iosonde" / folder
    files = {
        path.stem for path in place.iterdir()
        if (path.suffix == ".py" and path.stem != "__init__") or (path / "__init__.py").exists()
    }  # fmt: skip
    rows = {place.split(":")[0].rsplit(".", 1)[1] for place in TABLES[folder].values()}
    unnamed = {file for file in files - rows - SHARED[folder] if not file.startswith("_")}
    assert unnamed == set(), "files without a row"
    assert rows - files == set(), "rows without a file"


def _registered() -> set[str]:
    """Modules of technologies that tables name, by their paths below the package."""
    places = [place for table in TECHNOLOGIES.values() for place in table.values()]
    return {
        f"{place.split(':')[0].removeprefix('iosonde.').replace('.', '/')}.py" for place in places
    }


def test_every_file_of_a_technology_with_a_fixed_name_has_a_row() -> None:
    package = ROOT / "src" / "iosonde"
    files = {
        path.relative_to(package).as_posix()
        for room in ("layers", "loads", "monitors") for path in (package / room).rglob("*.py")
        if ROWS.fullmatch(path.name) or (path.parent.name == "_rules" and path.stem != "__init__")
    }  # fmt: skip
    assert files - _registered() - PARTS == {"loads/_rules/disks.py", "loads/_rules/in_flight.py"}


@pytest.mark.parametrize("name", OF_FOLDERS)
def test_a_technologys_rows_stand_in_its_own_folder(name: str) -> None:
    folders = [
        f"iosonde.layers.{path.name}"
        for path in sorted((ROOT / "src" / "iosonde" / "layers").iterdir())
        if (path / "__init__.py").exists()
    ]
    rows = [
        (folder, place)
        for folder in folders
        for place in getattr(import_module(folder), name, {}).values()
    ]
    assert [row for row in rows if not row[1].startswith(f"{row[0]}.")] == [], "of another folder"
    assert len(rows) == len(OF_FOLDERS[name]), "a name that is taken, or a folder not in FOLDERS"


@pytest.mark.parametrize("name", OF_FOLDERS)
def test_the_rows_of_folders_come_by_their_names(name: str) -> None:
    assert list(OF_FOLDERS[name]) == sorted(OF_FOLDERS[name])


def test_a_file_without_a_row_would_be_seen() -> None:
    for name in ("kind.py", "printed.py", "printed_lsblk.py", "settings_exports.py", "ledger.py"):
        assert ROWS.fullmatch(name)
    for name in ("facts.py", "building.py", "printedness.py", "bitmap.py"):
        assert not ROWS.fullmatch(name)


@pytest.mark.parametrize(
    "table",
    [*TABLES.values(), *TECHNOLOGIES.values(), ACTIONS],
    ids=[*TABLES, *TECHNOLOGIES, "action"],
)
def test_every_row_can_be_loaded(table: Table[Any]) -> None:
    for name in table:
        assert table.load(name)


def test_every_verb_has_help_and_a_page() -> None:
    pages = "\n".join(page.read_text() for page in (ROOT / "docs" / "use").glob("*.md"))
    for verb in VERBS:
        assert VERBS.load(verb).__doc__, verb
        assert f"iosonde {verb}" in pages, f"no page of docs/use tells of `iosonde {verb}`"


def test_help_imports_nothing_heavy() -> None:
    script = (
        "import sys\nfrom iosonde.cli.main import main\n"
        "try:\n    main(['--help'])\nexcept SystemExit:\n    pass\n"
        "sys.stderr.write(' '.join(sorted(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)
    loaded = {name.split(".")[0] for name in done.stderr.decode().split()}
    assert loaded & HEAVY == set()
    assert b"Measure:" in done.stdout


def test_reading_a_text_loads_no_database_and_no_connection() -> None:
    """Half of what `import --dry-run` took for a short text was the loading of these."""
    text = ROOT / "tests" / "outputs" / "dd-9.1" / "three.txt"
    script = (
        "import sys\nfrom iosonde.cli.main import main\n"
        f"try:\n    main(['import', '--dry-run', '--json', {str(text)!r}])\n"
        "except SystemExit:\n    pass\n"
        "sys.stderr.write(' '.join(sorted(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)
    loaded = {name.split(".")[0] for name in done.stderr.decode().split()}
    by_typer = {"pydantic"}  # typer._adapters imports it wherever it is installed
    assert loaded & ((HEAVY | {"asyncio", "ssl"}) - by_typer) == set()
    assert b'"iosonde.import/1"' in done.stdout


@pytest.mark.parametrize("verb", [*sorted(VERBS), *ACTIONS])
def test_every_verb_explains_itself_without_the_heavy(verb: str) -> None:
    done = subprocess.run([*COMMAND, *verb.split(), "--help"], capture_output=True, check=True)
    assert b"--json" in done.stdout
    assert done.stdout.startswith(b"Usage:") or b"Usage:" in done.stdout
