"""`snapper list`: counted by hand in the sample."""

from __future__ import annotations

from pathlib import Path

from tests.mangle import counters

TEXT = (Path(__file__).parents[3] / "outputs/btrfs-composed/snapper.txt").read_text()


def _counted(text: str) -> list[tuple[str, dict[str, object]]]:
    return [(each.name, dict(each.values)) for each in counters(text) if each.tool == "snapper"]


def test_both_forms() -> None:
    assert _counted(TEXT) == [
        ("", {"default": 1, "mounted": 1, "snapshots": 4, "first": 1, "last": 12, "single": 2,
              "pre": 1, "post": 1, "number": 2, "timeline": 1}),
        ("home", {"snapshots": 1, "first": 88, "last": 88, "single": 1, "timeline": 1}),
    ]  # fmt: skip


def test_lines_of_boxes() -> None:
    text = (
        "# │ Type   │ Pre # │ Date │ User │ Cleanup │ Description\n"
        "──┼────────┼───────┼──────┼──────┼─────────┼────────────\n"
        "0 │ single │       │      │ root │         │ current\n"
    )
    assert _counted(text) == [("", {"snapshots": 0})]


def test_other_tables_with_a_number() -> None:
    text = "# | Name | Size | Type | Use\n--+------+------+------+----\n"
    assert not _counted(text)
    row = "| 1 | a | 2 | x | y |\n"
    assert not _counted(f"| # | Name | Size | Type | Use |\n|---|---|---|---|---|\n{row}")
