"""The heading above an output: what a person calls it.

A heading is marked (Markdown, wiki, underlined) and holds up to the next; or it is a title: a short
line that stands alone near an output, and holds while nothing but outputs and commands follows.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from iosonde.text.cursor import prompt_in
from iosonde.text.document import Document
from iosonde.text.programs import is_programs_name
from iosonde.text.shell import called, program_of
from iosonde.text.titles import DECODED, FIGURES, is_short, is_title, speaks
from iosonde.text.written_between import is_repetition

_SECTION = re.compile(r" {0,3}#{2,6} +\w")
_MARKED = re.compile(
    r"\s*(?:#{1,6}\s+(?P<a>\S.*?)\s*#*|(?P<m>={2,6})\s*(?P<b>\w[^=]*?(?:=[^=]+?)?)\s*(?P=m)"
    r"|#{1,6}\[(?P<c>[A-Z][^\[\]]{2,70})\])\s*"
)
_COMMAND = re.compile(r"\s*#\s.*(?:\s-{1,2}[A-Za-z]|/(?:dev|proc|sys|etc)/)")
"""A command after the prompt of root; two signs are none."""
_CALL = re.compile(
    r"\s*#\s+(?:cat|cd|cp|dmesg|echo|getconf|grep|ls|lsmod|lspci|mkdir|modprobe|rm|sudo|umount"
    r"|uname)(?:\s|$)"
)
_DRAWN = re.compile(r"<--|# CONFIG_")
"""A head that collectl draws, or what a configuration of the kernel leaves out."""
_ROW = re.compile(r"\s*#\s{1,2}\d{1,2}\s{2,}\S")
"""Of smartctl's log of self-tests: `# 1  Short offline       Completed without error`."""
_UNDERLINE = re.compile(r"\s*(?:={4,}|-{4,})\s*")
_ADORNED = re.compile(r"(?:\^{4,}|\"{4,}|\*{4,}|\+{4,}|#{4,}|~{4,})\s*")
"""What else reStructuredText underlines a title with, over its whole length.

Source: docutils 0.20, docs/ref/rst/restructuredtext.txt, "Sections".
"""
_COMMENT = re.compile(r"\s*#(?: |$)")
_NOTE = re.compile(
    r"\s{0,12}(?:#{1,6}|//|--|;{1,2}) {1,4}(?P<words>\w[^=|;:{}<>\[\]$@\\]{1,69}):?\s*"
)
"""A comment that may name the output below it: `# random read, 4k`, `// before`."""
_LOWER = re.compile(r"\s*# [^A-Z0-9*_`]")
"""A command of root's or a comment, but for a heading of Markdown that stands alone."""
_IN_WORDS = re.compile(
    r"\s{0,3}# (?P<first>[^\W\d][\w-]{0,30})(?: [^\W\d][\w.'/&-]{0,30}){1,11}\s*"
)
_CALLED = re.compile(
    r"(?:lv|vg|pv)[a-z]{3,12}|mk\w+|\w+(?:adm|ctl|tool|cli|mod|config|control)|smb\w+"
    r"|reboot|route|iptables|helm|start|stop|restart"
)
"""The form of what commands are called, beside those of `iosonde.text.programs`."""
_APART = 2
"""Lines of prose between outputs that a title reaches over."""
_WORD = re.compile(r"[^\W\d_]{2}")
_LONGEST = 9
"""Words of a comment that names an output."""
_FAR = 12
"""Lines of prose between a title and its first output."""
_ATTRIBUTION = re.compile(
    r"(?:\W{0,4}(?:On|Am|Le|El|Op|Il|Den|At)\b[^\n]{6,200}|[^\n@]{0,80}@[\w.-]{3,80}>\s)"
    r"\b(?:wrote|writes|said|schrieb[^\n]{0,60}|écrit|escribió|schreef|skrev|scritto)\s?:\s*"
)
"""What mail programs put above the mail that is answered; what stands above it is not of that."""
_STEP = 1 << 20  # bytes of a long text at once
_EMPHASIS = re.compile(r"^[*_`\s]+|[*_`\s]+$")


class HeadingsAbove(NamedTuple):
    """What stands above an output, up to the output before it.

    Args:
        marked: the nearest heading that is marked; empty where there is none.
        title: the nearest title, where no heading is nearer; else empty.
        is_apart: whether so much stands there that a title above it holds no longer.
    """

    marked: str
    title: str
    is_apart: bool


def headings_above(
    line: Callable[[int], str | None], first: int, *, measures: bool = False
) -> HeadingsAbove:
    """The headings above a line; none is above the mail that is answered.

    Args:
        line: the line with an index, empty above the text, None where another output has it.
        first: index of the output's first line.
        measures: the output is a measurement's, which a comment may name; in files of settings,
            comments are of many things.
    """
    title, prose, has_short = "", 0, False
    if measures and (title := _note_above(line, first)):
        has_short = True
    for index in range(first - 1, -1, -1):
        text = line(index)
        if text is None:
            break
        if marked := _marked_at(line, index):
            return HeadingsAbove(marked, title, is_apart=True)
        if _ATTRIBUTION.fullmatch(text):
            return HeadingsAbove("", title, is_apart=True)
        has_short |= measures and bool(_note_in(text))
        if not _WORD.search(text) or prompt_in(text):
            continue
        if not title and prose <= _FAR and is_title(line, index, first):
            title = _unmarked(text)
        has_short = has_short or (is_short(text) and line(index - 1) == "" and not _names_run(text))
        prose += 1
    return HeadingsAbove("", title, has_short or prose > _APART)


def _names_run(text: str) -> bool:
    """Whether a line only says that the same was run again: `Run 2`."""
    return is_repetition(text) and not speaks(text.lower().split())


def _note_above(line: Callable[[int], str | None], first: int) -> str:
    """The words of a comment right above an output; empty where a command is below the comment."""
    below = line(first) or ""
    if prompt_in(below) or called(below) or _NOTE.fullmatch(line(first - 2) or ""):
        return ""
    return _note_in(line(first - 1) or "")


def _note_in(text: str) -> str:
    """The words of a comment that may name a measurement; empty where a line is none."""
    match = _NOTE.fullmatch(text)
    if match is None or _COMMAND.match(text) or _CALL.match(text) or _ROW.match(text):
        return ""
    comment = match["words"].strip()
    parts = comment.lower().split()
    if len(parts) > _LONGEST or speaks(parts) or is_repetition(text):
        return ""
    return comment if _is_name(program_of(comment)) and _WORD.search(comment) else ""


def _marked_at(line: Callable[[int], str | None], index: int) -> str:
    """The words of a marked heading; empty where a line is none, or one of several comments."""
    text = line(index) or ""
    near = (line(index - 1) or "", line(index + 1) or "")
    adorned = _ADORNED.fullmatch(near[1]) and len(near[1].rstrip()) >= len(text) > 0
    if (_UNDERLINE.fullmatch(near[1]) or (adorned and text[0] != " ")) and is_short(text):
        is_head = text in DECODED or FIGURES.fullmatch(line(index + 2) or "")
        return "" if is_head else _unmarked(text)
    heading = marked_heading(text, alone=not any(near))
    if heading and _COMMENT.match(text) and (
        any(map(_COMMENT.match, near)) or speaks(heading.lower().split())
    ):  # fmt: skip
        return ""
    return heading


def marked_between(document: Document, start: int, below: tuple[int, int], lines: range) -> str:
    """The last heading of Markdown in a part of a document that no parser looked at.

    Args:
        document: to look at.
        start: offset from which on.
        below: number and offset of a line at or below its end.
        lines: numbers of those that no output has.
    """
    data, (number, offset) = document.data, below
    end = offset
    while end > start:
        at = data.rfind(b"\n#", start, end) + 1
        if at == 0 and (start > 0 or data[:1] != b"#"):
            break
        parts = range(at, offset, _STEP)
        own = number - sum(data[low : min(low + _STEP, offset)].count(b"\n") for low in parts)
        if own in lines:
            near = data[max(at - 200, 0) : at + 400].decode(errors="replace").split("\n")
            here = data[max(at - 200, 0) : at].count(b"\n")
            return _marked_at(dict(enumerate(near)).get, here)
        if own < lines.start or at == 0:
            break
        end = at
    return ""


def marked_heading(line: str, *, alone: bool = False) -> str:
    """The words of a line that Markdown or a wiki marks as a heading; empty where it is none.

    Args:
        line: to look at.
        alone: there is nothing in the lines beside it, as there is beside a command or a comment.
    """
    marked = _MARKED.fullmatch(line)
    if marked is None or (_LOWER.match(line) and not (alone and _is_said(line))):
        return ""
    if _COMMAND.match(line) or _CALL.match(line) or _ROW.match(line) or _DRAWN.search(line):
        return ""
    return _unmarked(marked["a"] or marked["b"] or marked["c"])


def _is_said(line: str) -> bool:
    """Whether a line behind one number sign is made of words, and its first is no program."""
    match = _IN_WORDS.fullmatch(line)
    if match is None:
        return False
    return _is_name(match["first"])


def _is_name(first: str) -> bool:
    """Whether a word is no program's name."""
    return not is_programs_name(first) and not _CALLED.fullmatch(first)


def _unmarked(text: str) -> str:
    """A heading without what stresses all of it; what stresses its last words stays."""
    plain = _EMPHASIS.sub("", text)
    cut = any(plain.count(mark) % 2 > text.count(mark) % 2 for mark in "*_`")
    return text.strip() if cut else plain


def is_section(line: str) -> bool:
    """Whether Markdown marks a line as the heading of a section, which ends what stands above.

    One number sign alone also begins prompts, comments and rows of smartctl.

    Source: CommonMark 0.31, 4.2 (ATX headings).
    """
    return _SECTION.match(line) is not None
