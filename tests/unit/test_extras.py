from __future__ import annotations

import subprocess
import sys
import tomllib
from importlib.util import find_spec
from pathlib import Path

import pytest

from iosonde.cli.main import main
from iosonde.errors import UsageError
from iosonde.extras import EXTRAS, missing_extra, require_extra

DECLARED = tomllib.loads(Path("pyproject.toml").read_text())["project"]["optional-dependencies"]


@pytest.mark.parametrize("extra", EXTRAS)
def test_each_extra_is_declared_and_whole_here(extra: str) -> None:
    assert extra in DECLARED
    require_extra(extra)


def test_a_missing_package_is_named_with_the_command_that_installs_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "altair", None)
    with pytest.raises(UsageError, match="frames need the Python package 'altair'") as no:
        require_extra("report")
    assert no.value.hint == f"{sys.executable} -m pip install 'iosonde[report]'"


@pytest.mark.parametrize(
    ("prefix", "command"),
    [("/home/x/.local/share/pipx/venvs/iosonde", "pipx install --force 'iosonde[tune]'"),
     ("/home/x/.local/share/uv/tools/iosonde", "uv tool install --force 'iosonde[tune]'")],
    ids=["pipx", "uv"],
)  # fmt: skip
def test_the_command_is_that_of_the_installer(
    monkeypatch: pytest.MonkeyPatch, prefix: str, command: str
) -> None:
    monkeypatch.setattr(sys, "prefix", prefix)
    missing = missing_extra(ModuleNotFoundError(name="scipy.special"))
    assert missing is not None
    assert missing.hint == command


def test_a_package_of_no_extra_stays_a_fault() -> None:
    assert missing_extra(ModuleNotFoundError(name="scipyx")) is None
    assert find_spec("scipyx") is None


def test_run_asks_for_what_its_report_needs_before_it_measures(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    with pytest.raises(SystemExit) as end:
        main(["run", "--load", "latency", "--target", str(tmp_path), "--report", "r.html"])
    assert end.value.code == 2
    assert "iosonde[report]" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


BARE = """
import importlib, sys
for name in {packages!r}:
    sys.modules[name] = None
for verb in {verbs!r}:
    importlib.import_module("iosonde.verbs." + verb)
from iosonde.cli.main import main
main(["explain", "text.txt"])
"""
BASE = (
    "baseline", "compare", "explain", "import_", "listing", "removal", "run", "settings", "show",
    "tag", "trend", "up",
)  # fmt: skip


def test_what_comes_without_extras_loads_none_of_their_packages(tmp_path: Path) -> None:
    """docs/use/install.md lists these verbs."""
    packages = [package for packages in EXTRAS.values() for package in packages]
    (tmp_path / "text.txt").write_text("# fio --name a --rw randread --bs 4k --size 1g\n")
    done = subprocess.run(
        [sys.executable, "-c", BARE.format(packages=packages, verbs=BASE)], cwd=tmp_path,
        capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert "Traceback" not in done.stderr
    assert done.returncode in {0, 1}, done.stderr


def test_a_ledger_asks_for_what_predicts_before_it_measures(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "numpy", None)
    monkeypatch.setenv("IOSONDE_STORE", str(tmp_path / "store"))
    place = tmp_path / "place"
    place.mkdir()
    with pytest.raises(SystemExit) as end:
        main(["run", "--load", "latency", "--target", str(place), "--ledger"])
    assert end.value.code == 2
    assert "iosonde[predict]" in capsys.readouterr().err
    assert not list(place.iterdir())


def test_a_distributions_package_is_left_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    missing = ModuleNotFoundError(name="distributed")
    for file, installs in (
        ("/opt/iosonde/lib/iosonde/extras.py", "pipx install 'iosonde[dask]'"),
        ("/usr/lib/python3/iosonde/extras.py", f"{sys.executable} -m pip install 'iosonde[dask]'"),
    ):
        monkeypatch.setattr("iosonde.extras.__file__", file)
        problem = missing_extra(missing)
        assert problem is not None
        assert problem.hint == installs
