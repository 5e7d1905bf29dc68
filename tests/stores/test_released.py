"""Stores of released versions, opened by today's code: docs/use/compatibility.md promises it."""

from __future__ import annotations

import json
import lzma
import re
import sqlite3
from pathlib import Path

import pytest

from iosonde.store import open_store
from iosonde.verbs.compare import compare
from iosonde.verbs.explain import explain
from iosonde.verbs.listing import list_runs
from iosonde.verbs.stored import export

HERE = Path(__file__).parent
TOP = HERE.parents[1]
RELEASED = sorted(path.name.removesuffix(".sqlite.xz") for path in HERE.glob("*.sqlite.xz"))


@pytest.fixture(params=RELEASED)
def version(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def store(version: str, tmp_path: Path) -> str:
    file = tmp_path / "store.sqlite"
    file.write_bytes(lzma.decompress((HERE / f"{version}.sqlite.xz").read_bytes()))
    return str(file)


def test_every_figure_is_read_as_its_version_printed_it(version: str, store: str) -> None:
    expected = json.loads((HERE / f"{version}.json").read_text("utf-8"))
    assert {run.id for run in list_runs(store=store).runs} == set(expected)
    for name, before in expected.items():
        run = json.loads(export(name, store=store).content)
        assert {key: run[key] for key in before if key != "trials"} == {
            key: value for key, value in before.items() if key != "trials"
        }
        now = {trial["id"]: trial["metrics"] for trial in run["trials"]}
        assert now.keys() == before["trials"].keys()
        for trial, metrics in before["trials"].items():
            assert {name: now[trial][name]["loops"] for name in metrics} == metrics


def test_its_runs_are_compared_explained_and_added_to(store: str) -> None:
    assert compare("before", "after", store=store).verdicts
    assert explain("before", store=store).recognised
    kept = open_store(store)
    try:
        assert kept.baselines() == {"nightly": kept.find("lab").id}
        kept.label("after", name="later")
        assert kept.find("later").tags == ("after",)
    finally:
        kept.close()


def test_a_damaged_figure_would_be_seen(version: str, store: str) -> None:
    with sqlite3.connect(store) as connection:
        connection.execute("UPDATE runs SET study = 'other' WHERE name = 'before'")
    connection.close()
    with pytest.raises(AssertionError):
        test_every_figure_is_read_as_its_version_printed_it(version, store)


def test_a_store_of_every_dated_version_is_kept() -> None:
    """CHANGELOG's headings of released versions carry a date."""
    changes = (TOP / "CHANGELOG.md").read_text("utf-8")
    dated = re.findall(r"^## (\d+\.\d+\.\d+) \(\d{4}-\d\d-\d\d\)$", changes, re.MULTILINE)
    assert set(dated) <= set(RELEASED)
