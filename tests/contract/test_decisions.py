"""Decisions: each has a status and a date, is in the index, and every reference leads to one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDER = Path("docs/decisions")
PLACES = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "src", "crates", "docs", "tests", "bench")
HEAD = re.compile(
    r"# (?P<number>\d{4}): (?P<title>.+)\n\n"
    r"Status: (?P<status>accepted|superseded by (?P<successor>\d{4}))\n"
    r"Date: (?P<date>\d{4}-\d{2}-\d{2})\n\n\S"
)
ROW = re.compile(r"^\| \[(\d{4})\]\((\S+)\) \| (.+) \| (.+) \| (\S+) \|$", re.MULTILINE)
REFERENCE = re.compile(r"\bdecisions?[/ ]\[?(\d{4})\b(-[a-z0-9.-]+\.md)?")
LINK = re.compile(r"\]\((?!\w+:)([^)#\s]+\.md)(?:#[^)]*)?\)")


def _texts(root: Path) -> Iterator[tuple[Path, str]]:
    """All files in which a decision may be named, except this test."""
    for place in PLACES:
        start = root / place
        for path in sorted(start.rglob("*")) if start.is_dir() else [start]:
            if path.suffix in {".md", ".py", ".rs"} and path.is_file() and path != Path(__file__):
                yield path, path.read_text(encoding="utf-8")


def problems(root: Path) -> list[str]:
    """What is wrong with the decisions below `root`, with the index and with references.

    Returns:
        A sentence for each problem, beginning with the file's path.
    """
    files = {path.name[:4]: path for path in sorted((root / FOLDER).glob("[0-9]*.md"))}
    index = (root / FOLDER / "README.md").read_text(encoding="utf-8")
    rows = {row[1]: row.groups() for row in ROW.finditer(index)}
    wrong = [f"{FOLDER}/README.md: no decision {number}" for number in rows.keys() - files.keys()]
    for number, path in files.items():
        head = HEAD.match(path.read_text(encoding="utf-8"))
        name = path.relative_to(root)
        if head is None or head["number"] != number:
            wrong.append(f"{name}: no title with its number, no status or no date")
        elif rows.get(number) != (number, path.name, head["title"], head["status"], head["date"]):
            wrong.append(f"{name}: not in the index as its head says")
        elif head["successor"] and head["successor"] not in files:
            wrong.append(f"{name}: superseded by {head['successor']}, which does not exist")
    for path, text in _texts(root):
        for reference in REFERENCE.finditer(text):
            number, rest = reference.groups()
            if number not in files or (rest and files[number].name != number + rest):
                wrong.append(f"{path.relative_to(root)}: no decision {number}{rest or ''}")
        if path.suffix == ".md":
            wrong += [
                f"{path.relative_to(root)}: broken link {link[1]}"
                for link in LINK.finditer(text)
                if not (path.parent / link[1]).exists()
            ]
    return wrong


def test_decisions_and_references_are_whole() -> None:
    assert problems(ROOT) == []


GOOD = "# 0001: Subject\n\nStatus: accepted\nDate: 2026-11-20\n\nBecause.\n"
INDEX = "| [0001](0001-subject.md) | Subject | accepted | 2026-11-20 |\n"


@pytest.mark.parametrize(
    ("decision", "index", "citing", "problem"),
    [
        (GOOD, INDEX, "docs/decisions/0001-subject.md and decision 0001", None),
        (GOOD.replace("Status: accepted\n", ""), INDEX, "", "no status"),
        (GOOD.replace("Date", "When"), INDEX, "", "no date"),
        (GOOD.replace("accepted", "superseded by 0002"), INDEX, "", "not in the index"),
        (GOOD, "", "", "not in the index"),
        (GOOD, INDEX + INDEX.replace("0001", "0002"), "", "no decision 0002"),
        (GOOD, INDEX, "see docs/decisions/0003", "no decision 0003"),
        (GOOD, INDEX, "see decision [0004](x)", "no decision 0004"),
        (GOOD, INDEX, "docs/decisions/0001-other.md", "no decision 0001-other.md"),
        (GOOD, INDEX, "[use](missing.md)", "broken link missing.md"),
    ],
)
def test_each_problem_is_reported(
    tmp_path: Path, decision: str, index: str, citing: str, problem: str | None
) -> None:
    folder = tmp_path / FOLDER
    folder.mkdir(parents=True)
    (folder / "0001-subject.md").write_text(decision, encoding="utf-8")
    (folder / "README.md").write_text(index, encoding="utf-8")
    (tmp_path / "README.md").write_text(citing, encoding="utf-8")
    reported = problems(tmp_path)
    assert (reported == []) if problem is None else any(problem in line for line in reported)
