"""`git bisect`. Oracle: git itself, on a repository of the test whose bad commit is chosen."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from iosonde.layers._commands.printed_bisect import GitBisect
from tests.git_folder import git_in
from tests.mangle import folded, mangled, subjects_in

TEXT = (Path(__file__).parents[3] / "outputs" / "builds-composed" / "bisect.txt").read_text()
BAD = "6" * 40


def _subjects(text: str) -> dict[str, dict[str, object]]:
    return {subject.name: dict(subject.values) for subject in subjects_in(text, GitBisect.tool)}


def test_each_commit_with_its_state() -> None:
    subjects = _subjects(TEXT)
    assert subjects.pop("") == {"first_bad_commit": BAD, "subject": "pond: count the herons twice"}
    assert {name[0]: values["state"] for name, values in subjects.items()} == {
        "1": "good", "8": "bad", "5": "skip", "6": "bad",
    }  # fmt: skip
    assert subjects["1" * 40]["subject"] == "Pond 4.1"


@pytest.mark.skipif(shutil.which("git") is None, reason="no git")
def test_what_git_prints(tmp_path: Path) -> None:
    git = git_in(tmp_path)
    git("init", "-q")
    hashes = []
    for number in range(9):
        git("commit", "-q", "--allow-empty", "-m", f"pond: change {number}")
        hashes.append(git("rev-parse", "HEAD").strip())
    begun = git("bisect", "start", hashes[8], hashes[0])
    values = _subjects(begun)[""]
    assert values["left"] == 3  # of the seven between, when half of them are ruled out
    assert values["checked_out"] == hashes[4]
    git("bisect", "good")
    git("bisect", "bad")
    end = git("bisect", "bad") if git("rev-parse", "HEAD").strip() == hashes[5] else ""
    assert _subjects(end)[""]["first_bad_commit"] == hashes[5]
    logged = _subjects(git("bisect", "log"))
    assert logged[""] == {"first_bad_commit": hashes[5], "subject": "pond: change 5"}
    assert {name: row["state"] for name, row in logged.items() if name} == {
        hashes[0]: "good", hashes[4]: "good", hashes[5]: "bad", hashes[6]: "bad", hashes[8]: "bad",
    }  # fmt: skip


def test_subjects_that_a_mail_broke_are_whole() -> None:
    assert _subjects(folded(TEXT, 72)) == _subjects(TEXT)
    below = "Thanks for the report.\n"
    assert _subjects(folded(TEXT, 72) + "\n" + below)[""] == _subjects(TEXT)[""]


@pytest.mark.parametrize(
    "text",
    [
        "My bisect says that 6666666 is the first bad commit, or so I think\n",
        "# bad: [see below] pond\n",
        "Bisecting: it takes three days\n",
        "The first bad commit: [6666666666] is the one\n",
    ],
)
def test_words_about_bisecting(text: str) -> None:
    assert _subjects(text) == {}


@pytest.mark.parametrize("term", ["bad", "new"])
def test_the_result_alone(term: str) -> None:
    line = f"{BAD} is the first {term} commit\n"
    assert _subjects(line) == {"": {f"first_{term}_commit": BAD}}


def test_every_shape() -> None:
    for shape, changed in mangled(TEXT):
        subjects = _subjects(changed)
        if shape.startswith("cut at"):  # subjects are torn within their words
            states_read = {name: values.get("state") for name, values in subjects.items() if name}
            assert set(states_read) <= {"1" * 40, "8" * 40, "5" * 40, BAD}, shape
            continue
        assert subjects == _subjects(TEXT), shape
