"""Sections in braces and below names in brackets."""

from __future__ import annotations

from iosonde.text.document import of_bytes
from iosonde.text.nested import below_names, in_braces, opened_head, section_name
from iosonde.text.window import View, Window


def cursor(text: str) -> View:
    return View(Window(of_bytes("text", text.encode())), floor=1, anchor=1)


def test_sections_in_braces() -> None:
    text = "a {\n x 1; y 2; # z\n b c { d 3 }\n}\n\n\n\n\n\n\na {\n e 4\n}\n"
    last, sections = in_braces(cursor(text), 0, {"a"}.__contains__)
    assert last == 3
    assert [(s.heads, s.lines) for s in sections] == [
        (("a",), ["x 1", "y 2"]), (("a", "b c"), ["d 3"]),
    ]  # fmt: skip


def test_a_brace_that_closes_two() -> None:
    _, sections = in_braces(cursor("a {\n b {\n c 1 } }\nd 2\n"), 0, {"a"}.__contains__)
    assert [s.lines for s in sections] == [[], ["c 1"]]


def test_sections_below_names() -> None:
    text = "[a]\nx = 1 # one\n; no\n[b c]\ny=2\n[d]\nz=3\n"
    last, sections = below_names(cursor(text), 0, {"a", "b c"}.__contains__)
    assert (last, sections) == (4, {"a": {"x": "1"}, "b c": {"y": "2"}})
    assert (section_name("[a]"), opened_head(" a b {"), opened_head("a = 1")) == ("a", "a b", "")
