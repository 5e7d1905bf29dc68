"""Every case prints what it printed when it was recorded."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.characterisation.cases import cases
from tests.characterisation.record import EXPECTED, actual, recorded
from tests.characterisation.stored import prepare

_CASES = cases()
_MOST = 3 << 20  # bytes of all recorded files; beyond that nobody reads what a change does to them


@pytest.fixture(scope="session")
def store(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Mapping[str, str]]:
    """The store that the commands find, made once."""
    folder = tmp_path_factory.mktemp("characterisation") / "store"
    return folder, prepare(folder)


@pytest.mark.parametrize("name", _CASES)
def test_it_prints_what_was_recorded(
    name: str, tmp_path: Path, store: tuple[Path, Mapping[str, str]]
) -> None:
    """`make characterise` records anew; the commit then says why what changed had to."""
    printed = actual(_CASES[name], tmp_path / "case", *store)
    file = recorded(name)
    before = file.read_text() if file.exists() else ""
    if printed != before:
        lines = difflib.unified_diff(
            before.splitlines(), printed.splitlines(), "recorded", "printed now", lineterm=""
        )
        pytest.fail(
            f"{name} prints something else (python -m tests.characterisation --write {name}):\n"
            + "\n".join(lines),
            pytrace=False,
        )


def test_nothing_is_recorded_that_no_case_prints() -> None:
    files = {path.relative_to(EXPECTED).as_posix() for path in EXPECTED.rglob("*.txt")}
    assert files == {f"{name}.txt" for name in _CASES}
    assert sum(path.stat().st_size for path in EXPECTED.rglob("*.txt")) < _MOST
