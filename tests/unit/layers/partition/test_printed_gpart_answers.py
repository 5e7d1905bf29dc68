"""What gpart answers, compared by hand with the sample."""

from __future__ import annotations

from pathlib import Path

from tests.mangle import states, subjects_in

TEXT = (Path(__file__).parents[3] / "outputs/freebsd-composed/gpart-answers.txt").read_text()


def test_every_answer() -> None:
    said = [(each.kind, each.name, each.values) for each in subjects_in(TEXT, "gpart")]
    assert said == [
        ("disk", "ada5", {"created": True}),
        ("partition", "ada5p1", {"added": True}),
        ("partition", "ada5p2", {"added": True, "unaligned_to": 4096}),
        ("partition", "ada5p1", {"partcode_written": True}),
        ("disk", "ada5", {"bootcode_written": True}),
        ("disk", "da0", {"recovered": False}),
        ("partition", "ada5p2", {"bootme": True}),
    ]


def test_sentences_that_end_alike() -> None:
    assert not states("A disk was added\nthe user data0 created\nada5 was destroyed\n")
