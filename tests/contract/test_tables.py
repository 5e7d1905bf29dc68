"""Every table names just the files of its folder; starting up loads nothing heavy."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from iosonde.cli import SUMMARIES, VERBS
from iosonde.explain.rules import RULES as SPANNING_RULES
from iosonde.hosts import HOSTS
from iosonde.layers import LAYERS
from iosonde.layers.outputs import OUTPUTS as LAYER_OUTPUTS
from iosonde.layers.rules import RULES as LAYER_RULES
from iosonde.loads import LOADS
from iosonde.loads.outputs import OUTPUTS as LOAD_OUTPUTS
from iosonde.loads.rules import RULES as LOAD_RULES
from iosonde.observe import SAMPLERS
from iosonde.predict.service import MODELS
from iosonde.registry import Table
from iosonde.report import FORMATS
from iosonde.settings import MECHANISMS
from iosonde.store import STORES
from tests.cli.conftest import COMMAND

ROOT = Path(__file__).parents[2]
# Files of a folder that are no rows: protocols, and parts that several rows share.
SHARED: Mapping[str, set[str]] = {
    "hosts": {"host", "command", "kin", "forward"},
    "settings": {"mechanism", "host_wide", "declared"},
    "layers": {"caching", "layer", "mounting", "outputs", "rules", "site", "step"},
    "loads": {"load", "fleet", "named", "fio_log", "outputs", "rules"},
    "observe": {"sampler", "observer"},
    "report": {
        "forecasts",
        "format",
        "rows",
        "charts",
        "image",
        "findings",
        "waterfall",
        "tune_json",
        "blocks",
        "tuning",
        "tuning_charts",
        "tuning_effects",
        "tuning_path",
        "tuning_tables",
        "tuning_html",
    },
    "store": {
        "store",
        "sql",
        "rows",
        "packed",
        "schema",
        "owner",
        "migrate",
        "migrations",
        "campaigns",
    },
    "cli": {
        "main",
        "output",
        "progress",
        "result",
        "stored",
        "imported",
        "told",
        "ending",
        "options",
        "accounted",
        "explained",
        "tuned",
        "tuning",
        "timed",
        "forecasts",
    },
    "loads/outputs": {"shared"},
    "layers/outputs": {"shared"},
    "loads/rules": set(),
    "layers/rules": set(),
    "explain/rules": set(),
    "predict/service": {"service"},
}
TABLES: Mapping[str, Table[Any]] = {
    "hosts": HOSTS, "settings": MECHANISMS, "layers": LAYERS, "loads": LOADS,
    "observe": SAMPLERS, "report": FORMATS, "store": STORES, "cli": VERBS,
    "loads/outputs": LOAD_OUTPUTS, "layers/outputs": LAYER_OUTPUTS,
    "loads/rules": LOAD_RULES, "layers/rules": LAYER_RULES, "explain/rules": SPANNING_RULES,
    "predict/service": MODELS,
}  # fmt: skip
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


@pytest.mark.parametrize("folder", sorted(TABLES))
def test_every_row_can_be_loaded(folder: str) -> None:
    for name in TABLES[folder]:
        assert TABLES[folder].load(name)


def test_every_verb_has_a_summary_help_and_a_page() -> None:
    assert set(SUMMARIES) == set(VERBS)
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
    assert b"Verbs:" in done.stdout


@pytest.mark.parametrize("verb", sorted(VERBS))
def test_every_verb_explains_itself_without_the_heavy(verb: str) -> None:
    done = subprocess.run([*COMMAND, verb, "--help"], capture_output=True, check=True)
    assert b"--json" in done.stdout
    assert done.stdout.startswith(b"Usage:") or b"Usage:" in done.stdout


def test_no_room_but_these_touches_the_core() -> None:
    """import-linter cannot see the built module, so the sources are read."""
    allowed = {"loads", "measure", "hosts", "evidence"}
    for file in (ROOT / "src" / "iosonde").rglob("*.py"):
        if "iosonde._core" in file.read_text():
            assert file.relative_to(ROOT / "src" / "iosonde").parts[0] in allowed, file
