"""The examples of docs/use/python.md do what the page says."""

from __future__ import annotations

import doctest
import io
from pathlib import Path

import pytest

import iosonde
from iosonde.store import open_store
from tests.characterisation.in_process import surroundings
from tests.characterisation.stored import linked, tuning_session

PAGE = Path(__file__).parents[2] / "docs/use/python.md"
SOURCE = Path(iosonde.__file__).parent
MEASURED = "## How fast it is"
"""From here on the page's examples measure."""


def differences(text: str) -> str:
    """What the examples in a text print otherwise than it says; empty where all is well."""
    examples = doctest.DocTestParser().get_doctest(text, {}, PAGE.name, str(PAGE), 0)
    assert examples.examples
    said = io.StringIO()
    doctest.DocTestRunner().run(examples, out=said.write)
    return said.getvalue()


def test_the_examples_do_what_the_page_says(tmp_path: Path) -> None:
    text, heading, _ = PAGE.read_text().partition(MEASURED)
    assert heading
    linked(tmp_path / "here")
    with surroundings(tmp_path / "here", seed="page"):
        store = open_store()
        tuning_session(store)
        store.close()
        assert differences(text) == ""


@pytest.mark.slow
def test_the_examples_measure_as_the_page_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("IOSONDE_STORE", str(tmp_path / "store.sqlite"))
    assert differences(f">>> import iosonde\n{PAGE.read_text().partition(MEASURED)[2]}") == ""
    assert [path.name for path in tmp_path.iterdir()] == ["store.sqlite"]


def test_an_example_that_does_something_else_is_seen() -> None:
    assert "'compares'" in differences(">>> import iosonde\n>>> iosonde.run.__name__\n'compares'\n")


@pytest.mark.parametrize("name", iosonde.__all__)
def test_every_function_stands_on_the_page(name: str) -> None:
    assert f"`iosonde.{name}(" in PAGE.read_text()


def test_a_function_keeps_its_name_beside_a_package_of_that_name() -> None:
    folders = sorted(name for name in iosonde.__all__ if (SOURCE / name).is_dir())
    assert f"{'`, `'.join(folders[:-1])}` and `{folders[-1]}` are also folders" in PAGE.read_text()
    for name in folders:
        module = min(path.stem for path in (SOURCE / name).glob("[a-z]*.py"))
        exec(f"from iosonde.{name} import {module}")
        assert getattr(iosonde, name).__module__ == f"iosonde.verbs.{name}"
