"""What a search knows of readers before one of them is imported."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from iosonde.scripts import source
from iosonde.text import output_kinds
from iosonde.text.output_kinds import INDEX, OutputKind, index

PLACE = Path(__file__).parents[2] / "outputs"
_READERS = (
    "import sys\n"
    "from iosonde.verbs.import_ import import_\n"
    "import_(sys.argv[1], dry_run=True)\n"
    "from iosonde.text.output_kinds import output_kinds\n"
    "places = {kind.table[kind.name].partition(':')[0] for kind in output_kinds()}\n"
    "print(' '.join(sorted(places & set(sys.modules))))\n"
)


def test_the_index_says_what_the_classes_say() -> None:
    """`make reference` writes it."""
    assert source("iosonde.text", INDEX) == index()


def test_each_kind_has_what_its_class_has() -> None:
    kinds = output_kinds.output_kinds()
    assert len(kinds) == len(json.loads(index()))
    for kind in kinds:
        assert (kind.tool, kind.anchors) == (kind.output.tool, kind.output.anchors)
        assert kind.commands == getattr(kind.output, "commands", ())


def test_a_reader_that_the_index_lacks_is_known_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def shown(kinds: tuple[OutputKind, ...]) -> list[object]:
        return [(kind.name, kind.tool, kind.anchors, kind.commands) for kind in kinds]

    every = shown(output_kinds.output_kinds())
    monkeypatch.setattr(output_kinds, "source", lambda _package, _name: "{}")
    assert shown(output_kinds.output_kinds.__wrapped__()) == every


def test_only_readers_whose_anchors_stand_in_the_text_are_imported() -> None:
    text = str(PLACE / "nvme-cli" / "list-1.x.txt")
    command = [sys.executable, "-c", _READERS, text]
    readers = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    assert readers == ["iosonde.layers.nvmeof.printed"]
