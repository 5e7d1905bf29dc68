"""Phrases that nobody would grep for or understand at first sight stay out of all that is read.

Each stands beside the plain words to use instead. The tests' own files may hold them, and so may
CHANGELOG.md, which says what the words were once.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PLACES = (
    "README.md", "CONTRIBUTING.md", "Makefile", "pyproject.toml", ".github", "src", "crates",
    "docs", "examples", "packaging", "tools", "bench", "tests/characterisation/expected",
)  # fmt: skip
"""The last holds what commands print: messages that are put together of pieces, and help texts."""
SUFFIXES = {
    "", ".md", ".py", ".pyi", ".rs", ".sh", ".awk", ".pl", ".j2", ".html", ".css", ".js", ".svg",
    ".yaml", ".yml", ".json", ".toml", ".txt", ".in", ".spec", ".conf", ".bash", ".fish", ".zsh",
}  # fmt: skip

PLAIN = {
    r"nothing to object to": "no problems found",
    r"how fast \S+ may be is not known": "no speed model for",
    r"equivalent, picked": "winner (no better than …)",
    r"beaten after \d+ blocks": "eliminated in round …",
    r"to have it, and to keep it": "apply / make permanent",
    r"as much \S+ as possible": "goal: maximise …",
    r"a proven gain in \S+ % of campaigns": "false-win risk ≤ …",
    r"may be wrong: a proven": "false-win risk ≤ …, missed-best risk ≤ …",
    r"to have it(?=\W*$|: iosonde)": "apply",
    r"names no other batch": "truncated journal records",
    r"ask one piece of code": "resolve … in one place",
    r"kept for the proof": "reserved for confirmation",
    r"done about \d": "… left (…)",
    r"stands there twice": "is defined twice",
    r"(?<!there )is no YAML": "invalid YAML",
    r"loads that come along": "bundled loads",
    r"busy with itself": "CPU-bound, or at work on its own",
}
FORBIDDEN = re.compile("|".join(f"(?:{phrase})" for phrase in PLAIN), re.IGNORECASE)


def phrases(text: str) -> list[str]:
    """The forbidden phrases in a text, also those that a line's end or a comment's sign parts."""
    flowing = re.sub(r'"?\s*\n\s*(?:f?"|#|//[/!]?|\*|>)?\s*', " ", text)
    return FORBIDDEN.findall(" ".join(flowing.split()))


@pytest.mark.parametrize("place", PLACES)
def test_no_forbidden_phrase_is_used(place: str) -> None:
    start = ROOT / place
    files = sorted(start.rglob("*")) if start.is_dir() else [start]
    read = [path for path in files if path.suffix in SUFFIXES and path.is_file()]
    assert read, "nothing was read"
    texts = {str(path): phrases(path.read_text("utf-8")) for path in read}
    used = {path: matches for path, matches in texts.items() if matches}
    assert not used, f"use plain words: {PLAIN}"


@pytest.mark.parametrize(
    "text",
    [
        "key: this is no YAML",
        "Busy with itself",
        '    f"there is nothing to "\n    f"object to in {count} trials"',
        "# a candidate of two stages stands there\n# twice",
    ],
)
def test_a_phrase_is_seen_where_a_line_ends_in_it(text: str) -> None:
    assert phrases(text)


@pytest.mark.parametrize(
    "text",
    [
        "there is no YAML file in it",
        "the processor is busy; it waits with itself in mind",
        "what was in force before the campaign",
        "no problems found (9 settings snapshots checked)",
    ],
)
def test_what_looks_alike_is_no_forbidden_phrase(text: str) -> None:
    assert not phrases(text)
