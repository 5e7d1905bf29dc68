"""Measures `import` on outputs that other projects publish: `python -m tools.published CLONES`.

Parsers, monitors and the tools themselves keep outputs as the fixtures of their tests, some with
what their own reader makes of it. CLONES is a folder with git clones of them, bare or not, each
called OWNER+NAME; `COLLECTIONS` (published_collections.py) says which are looked for. Nothing of
theirs is kept here.

Of each output: *read* by a reader of its tool, *kept* line by line, *unread* with a reason, or
*lost*. Where the project says what its own reader makes of the output, the figures of that are
looked for in the records: that is a reading which nobody here made. Of the numbers of an output
that is read, the share that a record says.

A third, by the SHA-256 of repository and path, is held back and only counted.
"""

from __future__ import annotations

import argparse
import hashlib
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from iosonde.errors import IosondeError
from iosonde.verbs.import_ import import_
from tools.published_collections import COLLECTIONS, Collection, archive

Json = Mapping[str, Any]

_RECORDS = ("trials", "captures", "counters", "loads")
_OUTCOMES = ("read", "kept", "unread", "lost")
_HELD_BACK = 3
_LARGEST = 400_000
_SYMLINK = "120000 "
_NUMBER = re.compile(r"(?<![\w.:/-])-?\d+(?:\.\d+)?(?![\w.:/-])")

_GROUPS = re.compile(r"(?<![\w.,:/-])\d{1,3}(?:,\d{3})+(?![\w,])")


@dataclass(frozen=True, slots=True)
class Published:
    """An output as a project publishes it, and the figures that its own reader has of it."""

    name: str
    tool: str
    text: str
    figures: tuple[object, ...] = ()

    @property
    def held_back(self) -> bool:
        """Whether it belongs to the third that is only counted."""
        return int(hashlib.sha256(self.name.encode()).hexdigest(), 16) % _HELD_BACK == 0


def published(clones: Path, collection: Collection) -> Iterator[Published]:
    """The outputs of a collection that has a clone; what is no text or too large is left out."""
    folder = next(
        (
            folder
            for folder in (clones / collection.repository, clones / collection.repository / "repo")
            if (folder / "HEAD").exists() or (folder / ".git").exists()
        ),
        None,
    )
    if folder is None:
        return
    wanted = re.compile(collection.paths)
    entries = _git(folder, "ls-tree", "-r", "-z", "HEAD").split("\0")
    names = [entry.partition("\t")[2] for entry in entries if not entry.startswith(_SYMLINK)]
    present = set(names)
    for name in names:
        match = wanted.fullmatch(name)
        if match is None:
            continue
        text = _git(folder, "show", f"HEAD:{name}")
        if not text.strip() or "\0" in text:
            continue
        if len(text) > _LARGEST and collection.parts is not archive:
            continue
        figures: tuple[object, ...] = ()
        if collection.oracle:
            beside = (name + collection.oracle, str(Path(name).with_suffix(collection.oracle)))
            if oracle := next((path for path in beside if path in present), None):
                figures = _figures(_git(folder, "show", f"HEAD:{oracle}"))
        for part, content in collection.parts(name, text):
            yield Published(f"{collection.repository}/{part}", match["tool"], content, figures)


def _git(folder: Path, *arguments: str) -> str:
    command = ["git", "-C", str(folder), *arguments]
    done = subprocess.run(command, capture_output=True, check=True)
    return done.stdout.decode(errors="replace")


def _figures(text: str) -> tuple[object, ...]:
    """The numbers of a document in JSON or YAML; zeros say nothing, and true is no number."""
    try:
        document = YAML(typ="safe").load(text)
    except YAMLError:
        return ()
    return tuple(dict.fromkeys(_leaves(document)))


def _leaves(value: object) -> Iterator[float | int]:
    if isinstance(value, Mapping):
        for inner in value.values():
            yield from _leaves(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _leaves(inner)
    elif isinstance(value, (int, float)) and not isinstance(value, bool) and value:
        yield value


@dataclass(slots=True)
class Measured:
    """What import made of one published output."""

    output: Published
    outcome: str
    numbers: int = 0
    missed: list[str] = field(default_factory=list)
    lacking: list[object] = field(default_factory=list)


def measure(output: Published, folder: Path) -> Measured:
    """Imports an output from a file, and compares."""
    file = folder / "output.txt"
    file.write_text(output.text)
    try:
        imported = import_(str(file), dry_run=True).to_json()
    except IosondeError:
        return Measured(output, "lost", lacking=list(output.figures))
    records = [record for name in _RECORDS for record in imported.get(name, ())]
    by_reader = [record for record in records if not _is_kept(record)]
    outcome = (
        "read" if by_reader else "kept" if records else "unread" if imported["unread"] else "lost"
    )
    measured = Measured(output, outcome)
    everything = _said(records)
    measured.lacking = [
        figure for figure in output.figures if not _is_printed_in(f"{figure:g}", everything)
    ]
    for at, line in enumerate(output.text.splitlines(), start=1):
        numbers = _NUMBER.findall(line)
        over = [record for record in by_reader if _covers(record, at)]
        if numbers and over:
            said = _said(over)
            numbers = _NUMBER.findall(_with_groups_joined(line, said))
            missed = [number for number in numbers if not _is_printed_in(number, said)]
            measured.numbers += len(numbers)
            measured.missed += [f"{number}: {line.strip()}" for number in missed]
    return measured


def _with_groups_joined(line: str, said: tuple[set[str], str]) -> str:
    """A line in which `1,234,567` is one number where the records say that one."""

    def joined(match: re.Match[str]) -> str:
        whole = match[0].replace(",", "")
        return whole if _is_printed_in(whole, said) else match[0]

    return _GROUPS.sub(joined, line)


def _is_kept(record: Json) -> bool:
    return bool(record["tool"] == "printed")


def _covers(record: Json, line: int) -> bool:
    source = record["source"]
    return bool(source["first_line"] <= line <= source["last_line"])


_FACTORS = (
    1, 1e3, 1e6, 1e9, 1e12, 1024, 1024**2, 1024**3, 1024**4, 512, 1e-2, 1e-3, 1e-6, 1e-9, 60, 3600,
    86400,
)  # fmt: skip
"""Units in which tools print what a record has in bytes, seconds and shares."""


def _said(records: Sequence[Json]) -> tuple[set[str], str]:
    """The numbers that records say, rounded to be compared, and all of their text."""
    texts: list[str] = []
    numbers: set[str] = set()
    for record in records:
        for leaf in _any_leaves({name: record[name] for name in record if name != "source"}):
            if isinstance(leaf, (int, float)) and not isinstance(leaf, bool):
                numbers.add(_rounded(leaf))
            else:
                texts.append(str(leaf))
    return numbers, "\n".join(texts)


def _any_leaves(value: object) -> Iterator[object]:
    if isinstance(value, Mapping):
        for name, inner in value.items():
            yield name
            yield from _any_leaves(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _any_leaves(inner)
    else:
        yield value


def _rounded(value: float) -> str:
    return f"{value:.5g}"


def _is_printed_in(number: str, said: tuple[set[str], str]) -> bool:
    """Whether records say a printed number, in its own unit or in the record's."""
    numbers, text = said
    if float(number) == 0 or any(_rounded(float(number) * by) in numbers for by in _FACTORS):
        return True
    return re.search(rf"(?<![\d.]){re.escape(number)}(?![\d.])", text) is not None


def table(measured: Sequence[Measured]) -> Iterator[str]:
    """Rows: repository and tool, outcomes, numbers of what is read, and the oracle's figures."""
    groups: dict[tuple[str, str], list[Measured]] = {}
    for row in measured:
        groups.setdefault((row.output.name.split("/")[0], row.output.tool), []).append(row)
    for (repository, tool), rows in groups.items():
        yield f"{repository:32} {tool:20} {_sum(rows)}"
    for repository in dict.fromkeys(name for name, _ in groups):
        rows = [row for row in measured if row.output.name.startswith(f"{repository}/")]
        yield f"{repository:32} {'in all':20} {_sum(rows)}"
    yield f"{'all of them':53} {_sum(measured)}"


def _sum(rows: Sequence[Measured]) -> str:
    counts = Counter(row.outcome for row in rows)
    outcomes = "  ".join(f"{name} {counts[name]}" for name in _OUTCOMES if counts[name])
    numbers, missed = sum(row.numbers for row in rows), sum(len(row.missed) for row in rows)
    figures = sum(len(row.output.figures) for row in rows)
    lacking = sum(len(row.lacking) for row in rows)
    said = f"; {figures - lacking} of {figures} figures of another reader" if figures else ""
    return f"{outcomes}; {numbers - missed} of {numbers} numbers{said}"


def main() -> int:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("clones", type=Path)
    parser.add_argument("--held-back", action="store_true", help="the third that is only counted")
    parser.add_argument("--only", default="", help="a repository, or a part of its name")
    parser.add_argument("--list", action="store_true", help="each output that is not read")
    given = parser.parse_args()
    measured = []
    with tempfile.TemporaryDirectory() as folder:
        for collection in COLLECTIONS:
            if given.only not in collection.repository:
                continue
            measured += [
                measure(output, Path(folder))
                for output in published(given.clones, collection)
                if output.held_back == given.held_back
            ]
    if given.list and not given.held_back:
        for row in measured:
            if row.outcome != "read" or row.lacking or row.missed:
                sys.stdout.write(f"{row.outcome:6} {row.output.name} {row.lacking[:8]}\n")
                sys.stdout.writelines(f"         {line}\n" for line in row.missed[:6])
    sys.stdout.write("\n".join(table(measured)) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
