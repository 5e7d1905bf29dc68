"""Commits that git lists. Oracle: git itself, on a repository of the test."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from iosonde.layers._commands.printed_git import GitCommits
from tests.git_folder import git_in
from tests.mangle import mangled, subjects_in

TEXT = """\
$ git log --oneline v4.1..master fs/pond | head -3
abcdef0 (HEAD -> master, tag: v4.2) pond: count the herons
1234567 pond: take the reeds out
fedcba98765 Merge branch 'newts'
$ git describe
v4.2-rc3-17-g0123456789ab
"""


def _commits(text: str) -> list[tuple[str, dict[str, object]]]:
    return [(subject.name, dict(subject.values)) for subject in subjects_in(text, GitCommits.tool)]


def test_commits_below_their_command() -> None:
    assert _commits(TEXT) == [
        ("abcdef0", {"subject": "pond: count the herons", "refs": "HEAD -> master, tag: v4.2"}),
        ("1234567", {"subject": "pond: take the reeds out"}),
        ("fedcba98765", {"subject": "Merge branch 'newts'"}),
        ("", {"described": "v4.2-rc3-17-g0123456789ab", "tag": "v4.2-rc3", "since": 17,
              "commit": "0123456789ab"}),
    ]  # fmt: skip


@pytest.mark.skipif(shutil.which("git") is None, reason="no git")
def test_what_git_prints(tmp_path: Path) -> None:
    git = git_in(tmp_path)
    git("init", "-q")
    for number in range(3):
        git("commit", "-q", "--allow-empty", "-m", f"pond: change {number}")
    git("tag", "-a", "-m", "one", "v1.0", "HEAD~2")
    listed = _commits("$ git log --oneline\n" + git("log", "--oneline"))
    assert [values["subject"] for _, values in listed] == [f"pond: change {n}" for n in (2, 1, 0)]
    ((_, described),) = _commits("$ git describe\n" + git("describe"))
    assert (described["tag"], described["since"]) == ("v1.0", 2)
    assert git("rev-parse", "HEAD").startswith(str(described["commit"]))


@pytest.mark.parametrize(
    "text",
    [
        "abcdef0 pond: count the herons\n",
        "$ git log fs/pond\nabcdef0 pond: count the herons\n",
        "I looked at git log --oneline and saw nothing\nabcdef0 pond: count\n",
        "$ git describe\nfatal: No names found, cannot describe anything.\n",
        "$ git log --oneline\n\nThanks for the pond\n",
    ],
)
def test_what_is_no_list_of_commits(text: str) -> None:
    assert _commits(text) == []


def test_every_shape() -> None:
    for shape, changed in mangled(TEXT, wraps=False):
        assert _commits(changed) == _commits(TEXT), shape
